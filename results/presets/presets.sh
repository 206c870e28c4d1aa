#!/bin/sh
# presets.sh MEASURED LLM - fits the presets of this folder to published tables.
# SPDX-License-Identifier: Apache-2.0
#
# MEASURED and LLM are the folders of tables that README.md names. PALEO is the program, build/bin/paleo by default; HALF
# "fit" takes half of the shape families of LLM (table.sh), so that answers.sh can judge on the others. OUTPUT is the
# folder to write, this one by default.
set -eu
measured=$1
llm=$2
paleo=${PALEO:-build/bin/paleo}
here=$(dirname "$0")
half=${HALF:-all}
output=${OUTPUT:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$work/fitted # until all are: a program whose presets change refuses them
mkdir "$folder"

# calibrate DEVICE FILE OPTIONS... writes a preset, without the ops that it was fitted to, which nothing reads.
calibrate() {
	device=$1
	file=$2
	shift 2
	"$paleo" calibrate --device "$device" --output "$work/preset.json" --force "$@" >"$work/notes"
	awk '/^  "fitted_to"/ { sub(/,$/, "", held); next }
		NR > 1 { print held }
		{ held = $0 }
		END { print held }' "$work/preset.json" >"$file"
}

# fit DEVICE WAY OPTIONS... writes the device's preset of tables timed in a way.
fit() {
	device=$1
	way=$2
	shift 2
	calibrate "$device" "$folder/$device.json" --timed-by "$way" "$@"
}

# train TABLE prints --from and the table without the shapes that its source took from nets.
train() {
	gzip -dc "$measured/$1.csv.gz" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "split") at = i }
		$at != "test"' >"$work/$1.csv"
	echo --from "$work/$1.csv"
}

# llm PART DEVICE GPU SETS STACK OP... writes the part of the device's presets that is of these tables of a stack, timed
# with so many copies of weights. Tables that are not there are passed over.
llm() {
	file=$folder/$2$1.json
	gpu=$3
	sets=$4
	stack=$5
	device=$2
	shift 5
	for op; do
		shift
		for table in "$llm/${op}_${gpu}_$stack"*.csv.gz; do
			[ -e "$table" ] || continue
			sh "$here/table.sh" "$table" "$half" >"$work/$(basename "$table" .gz)"
			set -- "$@" --from "$work/$(basename "$table" .gz)"
		done
	done
	[ $# -eq 0 ] || calibrate "$device" "$file" --operand-sets "$sets" "$@"
}

# stacks DEVICE GPU writes all of a device's parts but its scans.
stacks() {
	attention="prefill_attn_bf16 prefill_attn_fp8 decode_attn_bf16 decode_attn_fp8"
	# shellcheck disable=SC2086
	llm "" "$1" "$2" 5 trtllm-1.3 gemm_bf16 gemm_fp8 $attention moe_bf16 moe_fp8
	llm _blocks "$1" "$2" 5 trtllm-1.3 gemm_fp8_block moe_fp8_block gemm_nvfp4 mla_decode
	llm _encoders "$1" "$2" 5 trtllm-1.3 encoder_attn
	llm _latent "$1" "$2" 1 trtllm-1.3 mla_prefill mla_bmm
	llm _experts "$1" "$2" 1 trtllm-1.3 moe_nvfp4 moe_w4a8_mxfp4_mxfp8
	# shellcheck disable=SC2086
	llm _vllm "$1" "$2" 6 vllm-0.24 gemm_bf16 gemm_fp8 $attention encoder_attn moe_bf16 moe_fp8 \
		moe_fp8_block moe_nvfp4 moe_int4_wo moe_w4a16_mxfp4 moe_w4a8_mxfp4_mxfp8
	llm _vllm_fp4 "$1" "$2" 1 vllm-0.24 gemm_nvfp4
	llm _sglang "$1" "$2" 1 sglang mla_prefill mla_decode mla_bmm
}

# scans DEVICE GPU writes a third preset: of causal convolutions and of the gated delta rule. The tables of gdn convolve the
# channels of keys alone, whatever else they say, and keep states in bf16. Prompts of one token are left out, as their kernels
# are not those of an answer's next token (docs/method/scan.md).
scans() {
	device=$1
	gpu=$2
	names=gpu,op,source,lib,dtype,batch,seq,channels,taps,rule,heads,kv_heads,qk_head_dim,v_head_dim,kv_dtype,time_us
	{
		echo "$names"
		gzip -dc "$llm/gdn_${gpu}_trtllm-1.3.0rc20.csv.gz" | awk -F, -v gpu="$gpu" 'NR > 1 && $2 " " $4 != "context 1" {
			conv = $1 ~ /conv/
			print gpu "," (conv ? "causal_conv" : "scan") ",aiconfigurator,TRTLLM-1.3.0rc20,bf16," $3 "," $4 "," \
				(conv ? $8 * $9 : "") "," $7 ",delta," $10 "," $8 "," $9 "," $11 ",bf16," $12 }'
		gzip -dc "$llm/mamba2_${gpu}_trtllm-1.3.0rc20.csv.gz" | awk -F, -v gpu="$gpu" 'NR > 1 && $2 " " $4 != "context 1" {
			print gpu ",causal_conv,aiconfigurator,TRTLLM-1.3.0rc20,bf16," $3 "," $4 "," $9 * $10 + 2 * $11 * $7 "," $8 \
				",ssd,,,,,," $13 }'
	} >"$work/scans-$gpu.csv"
	calibrate "$device" "$folder/${device}_scans.json" --timed-by graph --operand-sets 1 --from "$work/scans-$gpu.csv"
}

# shellcheck disable=SC2046
neusight() {
	fit v100-pcie-32 host $(train neusight_linear_V100_PCIE) $(train neusight_bmm_V100_PCIE) \
		$(train neusight_vec_V100_PCIE)
	fit p100-pcie host $(train neusight_linear_P100_PCIE) $(train neusight_bmm_P100_PCIE) \
		$(train neusight_vec_P100_PCIE) --from "$measured/neusight_convcorr_P100_PCIE.csv.gz"
	fit t4 host $(train neusight_linear_T4) --from "$measured/neusight_convcorr_T4.csv.gz"
	fit a100-40-pcie host $(train neusight_linear_A100_40GB_PCIE)
	fit p4 host --from "$measured/neusight_convcorr_P4.csv.gz"
}

# deepbench DEVICE GPU TYPE...
deepbench() {
	device=$1
	gpu=$2
	shift 2
	for type; do
		set -- "$@" --from "$measured/deepbench_train_gemm_${type}_$gpu.csv.gz" \
			--from "$measured/deepbench_train_conv2d_${type}_$gpu.csv.gz"
		shift
	done
	fit "$device" events "$@"
}

neusight
deepbench titan-x TITAN_X_MAXWELL fp32
deepbench m40 M40 fp32
deepbench gtx-1080-ti GTX1080TI fp32
deepbench p100-sxm2 P100_SXM2 fp16 fp32
stacks h100-sxm H100_SXM
stacks h200 H200_SXM
stacks b200 B200
stacks gb200 GB200
stacks l40s L40S
llm _latent l40s L40S 1 trtllm-1 mla_prefill mla_decode mla_bmm
fit a100-80-sxm graph --operand-sets 5 --from "$measured/aiconfigurator_gemm_A100_80GB_SXM_trtllm.csv.gz" \
	--from "$measured/vidur_mlp_A100_80GB_SXM.quarter.csv.gz"
llm _fused a100-80-sxm A100_80GB_SXM 5 trtllm-1.0 prefill_attn_bf16 moe_bf16 gemm_int4_wo gemm_int8_wo gemm_sq
llm _latent a100-80-sxm A100_80GB_SXM 1 trtllm-1.0 mla_prefill mla_decode mla_bmm
llm _vllm a100-80-sxm A100_80GB_SXM 1 vllm-0.14 decode_attn_bf16
scans h100-sxm H100_SXM
scans h200 H200_SXM
scans b200 B200
scans gb200 GB200
scans l40s L40S

mv "$folder"/*.json "$output"

# How much they err on one another, which predictions read instead of all of them.
"$paleo" validate --cost-model presets --format csv >"$work/spreads.csv"
mv "$work/spreads.csv" "$output/spreads.csv"
