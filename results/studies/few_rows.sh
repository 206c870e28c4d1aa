#!/bin/sh
# few_rows.sh FOLDER - held-out errors after fits to few rows or none; prints few_rows.csv.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names. PALEO is the program, build/bin/paleo by default.
set -eu
tables=$1
paleo=${PALEO:-build/bin/paleo}

# study ROWS OPTIONS... TABLE prints CSV without its heading: of 20 draws, five where they differ little.
study() {
	draws=20
	[ "$1" -lt 100 ] || draws=5
	case $1 in
	0) shift && set -- --cost-model presets-excluding-self "$@" ;;
	*) set -- --rows "$@" ;;
	esac
	"$paleo" validate --format csv --draws "$draws" "$@" | sed 1d
}

"$paleo" validate --format csv --cost-model presets-excluding-self "$tables/neusight_linear_V100_PCIE.csv.gz" | sed -n 1p
for rows in 0 5 10 20 100; do
	study "$rows" --dtype bf16 --operand-sets 5 --device a100-80-sxm \
		"$tables/aiconfigurator_gemm_A100_80GB_SXM_trtllm.csv.gz"
	study "$rows" --dtype bf16 --operand-sets 5 \
		"$tables/aiconfigurator_gemm_H100_SXM_trtllm.quarter.csv.gz"
	study "$rows" --device a100-40-pcie "$tables/neusight_linear_A100_40GB_PCIE.csv.gz"
	for table in linear_V100_PCIE linear_P100_PCIE linear_T4 bmm_P100_PCIE bmm_V100_PCIE; do
		study "$rows" "$tables/neusight_$table.csv.gz"
	done
done
