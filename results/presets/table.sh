#!/bin/sh
# table.sh FILE [fit|judge] - prints a table of LLM kernels with the columns that `paleo calibrate --from` reads.
# SPDX-License-Identifier: Apache-2.0
#
# FILE is OP_GPU_STACK-VERSION.csv.gz of the folder LLM of README.md. With `fit` half of its shape families
# (layers; experts and how they are split; sets of heads), with `judge` the other. Products of latent attention are those of
# several heads in bf16, and replayed graphs timed all of these tables.
set -eu
name=$(basename "$1" .csv.gz)
stack=${name##*_}
name=${name%_*}
case $name in
*_A100_80GB_SXM) gpu=A100_80GB_SXM ;;
*_SXM) gpu=${name%_SXM} && gpu=${gpu##*_}_SXM ;;
*) gpu=${name##*_} ;;
esac
gzip -dc "$1" | awk -F, -v op="${name%_"$gpu"}" -v gpu="$gpu" -v stack="$stack" -v half="${2:-all}" '
function value(column) { return column in at ? $at[column] : 0 }
# Latent attention has six families, by heads.
function is_judged(columns, n, i, hash) {
	n = split(columns, list, " ")
	if (n == 1)
		return value("heads") == 2 || value("heads") == 32
	for (i = 1; i <= n; i++)
		hash = (hash * 131 + value(list[i]) + 7) % 1000003
	return int(hash / 7) % 2
}
BEGIN {
	families["gemm"] = "n k"
	families["moe"] = "hidden inter topk experts tp ep"
	families["prefill_attn"] = families["decode_attn"] = "heads kv_heads head_dim window"
	families["encoder_attn"] = "heads head_dim"
	families["mla_prefill"] = families["mla_decode"] = families["bmm"] = "heads"
	kind = op ~ /_attn_/ ? substr(op, 1, index(op, "_attn_") + 4) : op ~ /^(gemm|moe)_/ ? substr(op, 1, index(op, "_") - 1) : op
	kind = kind == "mla_bmm" ? "bmm" : kind
	sub(/^trtllm/, "TRTLLM", stack)
}
NR == 1 {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	typed = "dtype" in at || "attn_dtype" in at
	names = $0
	if (kind == "bmm")
		sub(/,heads,/, ",batch,", names)
	print "gpu,op,source,lib,timed_by," (typed ? "" : "dtype,") names
	next
}
kind == "bmm" && ($at["dtype"] != "bf16" || $at["heads"] == 1) { next }
half == "all" || is_judged(families[kind]) == (half == "judge") {
	print gpu "," kind ",aiconfigurator," stack ",graph," (typed ? "" : "bf16,") $0
}'
