#!/bin/sh
# products.sh FOLDER - held-out errors on published times of matrix products; prints products.txt.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names. PALEO is the program, build/bin/paleo by default.
set -eu
tables=$1
paleo=${PALEO:-build/bin/paleo}

"$paleo" validate --device a100-40-pcie "$tables/neusight_linear_A100_40GB_PCIE.csv.gz"
for gpu in V100_PCIE P100_PCIE T4; do
	"$paleo" validate "$tables/neusight_linear_$gpu.csv.gz"
done
for gpu in P100_PCIE V100_PCIE; do
	"$paleo" validate "$tables/neusight_bmm_$gpu.csv.gz"
done
# Its loop took turns with up to five copies of the weights (README.md).
"$paleo" validate --dtype bf16 --operand-sets 5 --device a100-80-sxm \
	"$tables/aiconfigurator_gemm_A100_80GB_SXM_trtllm.csv.gz"
"$paleo" validate --dtype bf16 --operand-sets 5 \
	"$tables/aiconfigurator_gemm_H100_SXM_trtllm.quarter.csv.gz"
for hold_out in layers rows; do
	"$paleo" validate --dtype fp8 --operand-sets 5 --hold-out "$hold_out" \
		"$tables/aiconfigurator_gemm_H100_SXM_trtllm.quarter.csv.gz"
done
"$paleo" validate --dtype f16 --device a100-80-sxm "$tables/vidur_mlp_A100_80GB_SXM.quarter.csv.gz"
"$paleo" validate --device titan-x "$tables/deepbench_train_gemm_fp32_TITAN_X_MAXWELL.csv.gz"
for gpu in M40 GTX1080TI P100_SXM2; do
	"$paleo" validate "$tables/deepbench_train_gemm_fp32_$gpu.csv.gz"
done
"$paleo" validate --dtype f16 "$tables/deepbench_train_gemm_fp16_P100_SXM2.csv.gz"

# NeuSight's tables without the shapes of its tests, as the study from which the cost model comes had them.
training=$(mktemp -d)
trap 'rm -r "$training"' EXIT
for table in "$tables"/neusight_linear_*.csv.gz "$tables"/neusight_bmm_*.csv.gz; do
	gzip -dc "$table" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "split") s = i }
		$s != "test"' | gzip >"$training/$(basename "$table")"
done
echo "Without the rows that the tables call test:"
"$paleo" validate --device a100-40-pcie "$training/neusight_linear_A100_40GB_PCIE.csv.gz"
for gpu in V100_PCIE P100_PCIE T4; do
	"$paleo" validate "$training/neusight_linear_$gpu.csv.gz"
done
for gpu in P100_PCIE V100_PCIE; do
	"$paleo" validate "$training/neusight_bmm_$gpu.csv.gz"
done
