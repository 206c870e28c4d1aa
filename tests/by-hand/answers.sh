#!/bin/sh
# answers.sh MEASURED LLM - judges what `paleo predict` answers for kernels of LLMs; prints results/studies/answers.txt.
# SPDX-License-Identifier: Apache-2.0
#
# The folders are those of results/presets/README.md. Presets are fitted to one half of the shape families of LLM
# (results/presets/table.sh), and the default answer prices the rows of the other half: no command is told a
# calibration; of a second stack, --stack names it. Cells are the mean absolute error in percent and, in brackets, the
# share of rows within the 90 % interval. PALEO is the program, build/bin/paleo by default; PRESETS a folder of such
# presets that are fitted already.
set -eu
measured=$1
llm=$2
source=$(dirname "$0")/../..
PALEO=$(realpath "${PALEO:-build/bin/paleo}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PALEO PALEO_DATA_DIR="$work/data"

mkdir -p "$work/data/results"
cp -r "$source/results/presets" "$work/data/results/presets"
if [ "${PRESETS:-}" ]; then
	cp "$PRESETS"/*.json "$work/data/results/presets"
	"$PALEO" validate --cost-model presets --format csv >"$work/spreads.csv"
	mv "$work/spreads.csv" "$work/data/results/presets/spreads.csv"
else
	HALF=fit OUTPUT="$work/data/results/presets" sh "$source/results/presets/presets.sh" "$measured" "$llm"
fi

# judge TABLE STACK prints "OP GPU ERROR COVERAGE ROWS" of the stack's rows, of experts for balanced and other loads.
judge() {
	name=$(basename "$1" .csv.gz)
	sh "$source/results/presets/table.sh" "$1" judge >"$work/all.csv"
	loads=all
	case $name in moe_*) loads="balanced skewed" ;; esac
	for load in $loads; do
		awk -F, -v load="$load" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "alpha") at = i }
			NR == 1 || load == "all" || ($at == 0) == (load == "balanced")' "$work/all.csv" >"$work/table.csv"
		[ "$(wc -l <"$work/table.csv")" -gt 1 ] || continue
		device=
		case $name in *A100_80GB*) device="--device a100-80-sxm" ;; esac
		# shellcheck disable=SC2086
		"$PALEO" validate --cost-model presets --stack "$2" $device --format csv "$work/table.csv" 2>"$work/notes" \
			>"$work/judged.csv" || { echo "$name: $(tail -1 "$work/notes")" >&2 && continue; }
		awk -F, -v name="${name%_*}" -v load="$load" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["what"] == "class" {
				rows += $at["count"]
				error += $at["count"] * $at["mean"]
				inside += $at["count"] * $at["coverage"]
			}
			END {
				match(name, /_(A100_80GB_SXM|[HGB]*[0-9]+_SXM|G?B200|L40S)$/)
				printf "%s%s %s %.1f %.0f %d\n", substr(name, 1, RSTART - 1), load == "all" ? "" : "," load, \
					substr(name, RSTART + 1), 100 * error / rows, 100 * inside / rows, rows
			}' "$work/judged.csv"
	done
}

# tabulate prints a Markdown table of such lines.
tabulate() {
	awk '
	BEGIN { split("A100_80GB_SXM H100_SXM H200_SXM B200 GB200 L40S", gpus, " ") }
	{ cell[$1, $2] = $3 " (" $4 ")"; if (!($1 in seen)) { seen[$1] = 1; ops[++n] = $1 } }
	END {
		print "| | A100 | H100 | H200 | B200 | GB200 | L40S |\n| --- | --- | --- | --- | --- | --- | --- |"
		for (i = 1; i <= n; i++) {
			text = ops[i]
			gsub(/_/, " ", text)
			sub(/,/, ", ", text)
			printf "| %s |", text
			for (g = 1; g <= 6; g++)
				printf " %s |", (ops[i], gpus[g]) in cell ? cell[ops[i], gpus[g]] : "-"
			print ""
		}
	}'
}

each() {
	for op in gemm_bf16 gemm_fp8 gemm_fp8_block gemm_nvfp4 gemm_int4_wo gemm_int8_wo gemm_sq prefill_attn_bf16 \
		prefill_attn_fp8 decode_attn_bf16 decode_attn_fp8 encoder_attn mla_prefill mla_decode mla_bmm moe_bf16 moe_fp8 \
		moe_fp8_block moe_nvfp4 moe_int4_wo moe_w4a16_mxfp4 moe_w4a8_mxfp4_mxfp8; do
		for table in "$llm/$op"_[ABGHL]*_"$1"*.csv.gz; do
			case $table in *_A100_*_vllm*) continue ;; esac
			[ ! -e "$table" ] || judge "$table" "$2"
		done
	done
}

echo "The stack with the most tables:"
echo
{ each trtllm auto; judge "$llm/decode_attn_bf16_A100_80GB_SXM_vllm-0.14.0.csv.gz" auto; } | tabulate
echo
echo "Second stacks, by --stack vllm and --stack sglang:"
echo
{ each vllm vllm; each sglang sglang; } | tabulate
