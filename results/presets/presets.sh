#!/bin/sh
# presets.sh MEASURED LLM - fits the presets of this folder to published tables.
# SPDX-License-Identifier: Apache-2.0
#
# MEASURED and LLM are the folders of tables that README.md names. PALEO is the program,
# build/bin/paleo by default.
set -eu
measured=$1
llm=$2
paleo=${PALEO:-build/bin/paleo}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fit DEVICE OPTIONS... writes the device's preset.
fit() {
	device=$1
	shift
	"$paleo" calibrate --device "$device" --output "$here/$device.json" "$@" >"$work/notes"
}

# train TABLE prints --from and the table without the shapes that its source took from nets.
train() {
	gzip -dc "$measured/$1.csv.gz" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "split") at = i }
		$at != "test"' >"$work/$1.csv"
	echo --from "$work/$1.csv"
}

# products GPU prints --from and both tables of its products in one, with the columns that name it.
products() {
	gzip -dc "$llm/gemm_bf16_$1_trtllm-1.3.0rc20.csv.gz" "$llm/gemm_fp8_$1_trtllm-1.3.0rc20.csv.gz" |
		awk -v gpu="$1" 'NR == 1 { print "gpu,op,source,lib," $0 }
			!/^dtype/ { print gpu ",gemm,aiconfigurator,TRTLLM-1.3.0rc20," $0 }' >"$work/$1.csv"
	echo --from "$work/$1.csv"
}

# fused GPU prints --from and the tables of its attention and of its experts, as products does.
fused() {
	for op in prefill_attn decode_attn moe; do
		gzip -dc "$llm/${op}_bf16_$1_trtllm-1.3.0rc20.csv.gz" "$llm/${op}_fp8_$1_trtllm-1.3.0rc20.csv.gz" |
			awk -v gpu="$1" -v op="$op" 'NR == 1 { print "gpu,op,source,lib," $0; names = $0 }
				$0 != names { print gpu "," op ",aiconfigurator,TRTLLM-1.3.0rc20," $0 }' \
				>"$work/$op-$1.csv"
		echo --from "$work/$op-$1.csv"
	done
}

# older DEVICE GPU writes a second preset of the device: of attention, of experts, and of weights of 4 bits, which have no
# groups there. No table of its decoding by the stack of the others is usable.
older() {
	device=$1
	gpu=$2
	set --
	for table in prefill_attn_bf16:trtllm-1.0.0 moe_bf16:trtllm-1.0.0 decode_attn_bf16:vllm-0.14.0 \
		gemm_int4_wo:trtllm-1.0.0; do
		stack=${table#*:}
		op=${table%_bf16:*}
		gzip -dc "$llm/${table%:*}_${gpu}_$stack.csv.gz" | sed 's/^int4_wo/int4_g128/' |
			awk -v gpu="$gpu" -v op="${op%_int4_wo:*}" -v stack="$stack" '
				NR == 1 { print "gpu,op,source,lib," $0; sub(/^trtllm/, "TRTLLM", stack) }
				NR > 1 { print gpu "," op ",aiconfigurator," stack "," $0 }' >"$work/older-${table%:*}.csv"
		set -- "$@" --from "$work/older-${table%:*}.csv"
	done
	"$paleo" calibrate --device "$device" --operand-sets 5 --output "$here/${device}_fused.json" "$@" >"$work/notes"
}

# blocks DEVICE GPU writes a second preset of the device: of weights with scales of their blocks, in fp8 and in nvfp4 where
# it has cores for these, and of latent attention.
blocks() {
	device=$1
	gpu=$2
	set --
	for table in gemm_fp8_block moe_fp8_block gemm_nvfp4; do
		[ -e "$llm/${table}_${gpu}_trtllm-1.3.0rc20.csv.gz" ] || continue
		gzip -dc "$llm/${table}_${gpu}_trtllm-1.3.0rc20.csv.gz" |
			awk -v gpu="$gpu" -v op="${table%%_*}" 'NR == 1 { print "gpu,op,source,lib," $0 }
				NR > 1 { print gpu "," op ",aiconfigurator,TRTLLM-1.3.0rc20," $0 }' >"$work/$table-$gpu.csv"
		set -- "$@" --from "$work/$table-$gpu.csv"
	done
	gzip -dc "$llm/mla_decode_${gpu}_trtllm-1.3.0rc20.csv.gz" |
		awk -v gpu="$gpu" 'NR == 1 { print "gpu,op,source,lib,dtype," $0 }
			NR > 1 { print gpu ",mla_decode,aiconfigurator,TRTLLM-1.3.0rc20,bf16," $0 }' >"$work/latent-$gpu.csv"
	"$paleo" calibrate --device "$device" --operand-sets 5 --output "$here/${device}_blocks.json" "$@" \
		--from "$work/latent-$gpu.csv" >"$work/notes"
}

# encoders DEVICE GPU writes a preset of attention of all tokens to all.
encoders() {
	device=$1
	gpu=$2
	gzip -dc "$llm/encoder_attn_${gpu}_trtllm-1.3.0rc20.csv.gz" |
		awk -v gpu="$gpu" 'NR == 1 { print "gpu,op,source,lib," $0 }
			NR > 1 { print gpu ",encoder_attn,aiconfigurator,TRTLLM-1.3.0rc20," $0 }' >"$work/encoders-$gpu.csv"
	"$paleo" calibrate --device "$device" --operand-sets 5 --output "$here/${device}_encoders.json" \
		--from "$work/encoders-$gpu.csv" >"$work/notes"
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
	"$paleo" calibrate --device "$device" --operand-sets 1 --output "$here/${device}_scans.json" \
		--from "$work/scans-$gpu.csv" >"$work/notes"
}

# shellcheck disable=SC2046
neusight() {
	fit v100-pcie-32 $(train neusight_linear_V100_PCIE) $(train neusight_bmm_V100_PCIE) \
		$(train neusight_vec_V100_PCIE)
	fit p100-pcie $(train neusight_linear_P100_PCIE) $(train neusight_bmm_P100_PCIE) \
		$(train neusight_vec_P100_PCIE) --from "$measured/neusight_convcorr_P100_PCIE.csv.gz"
	fit t4 $(train neusight_linear_T4) --from "$measured/neusight_convcorr_T4.csv.gz"
	fit a100-40-pcie $(train neusight_linear_A100_40GB_PCIE)
	fit p4 --from "$measured/neusight_convcorr_P4.csv.gz"
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
	fit "$device" "$@"
}

# shellcheck disable=SC2046
aiconfigurator() {
	fit h100-sxm --operand-sets 5 --from "$measured/aiconfigurator_gemm_H100_SXM_trtllm.quarter.csv.gz" \
		$(fused H100_SXM)
	fit a100-80-sxm --operand-sets 5 --from "$measured/aiconfigurator_gemm_A100_80GB_SXM_trtllm.csv.gz" \
		--from "$measured/vidur_mlp_A100_80GB_SXM.quarter.csv.gz"
	fit h200 --operand-sets 5 $(products H200_SXM) $(fused H200_SXM)
	fit b200 --operand-sets 5 $(products B200) $(fused B200)
	fit gb200 --operand-sets 5 $(products GB200) $(fused GB200)
	fit l40s --operand-sets 5 $(products L40S) $(fused L40S)
}

neusight
deepbench titan-x TITAN_X_MAXWELL fp32
deepbench m40 M40 fp32
deepbench gtx-1080-ti GTX1080TI fp32
deepbench p100-sxm2 P100_SXM2 fp16 fp32
aiconfigurator
blocks h100-sxm H100_SXM
blocks h200 H200_SXM
blocks b200 B200
blocks gb200 GB200
older a100-80-sxm A100_80GB_SXM
scans h100-sxm H100_SXM
scans h200 H200_SXM
scans b200 B200
scans gb200 GB200
scans l40s L40S
encoders h100-sxm H100_SXM
encoders h200 H200_SXM
encoders b200 B200
encoders gb200 GB200
encoders l40s L40S

# How much they err on one another, which predictions read instead of all of them.
"$paleo" study --presets --format csv >"$work/spreads.csv"
mv "$work/spreads.csv" "$here/spreads.csv"
