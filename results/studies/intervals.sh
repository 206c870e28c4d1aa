#!/bin/sh
# intervals.sh FOLDER... - errors and coverage of both cost models on published tables; prints intervals.csv.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names; or give tables. Shapes are held out together; fits see 1000
# rows of a class at most, and their intervals come from hold-outs within each fit. Lines are of each
# class, of all rows, and of all rows after so many measurements of each class. PALEO is the program,
# build/bin/paleo by default.
set -eu
paleo=${PALEO:-build/bin/paleo}

if [ $# -eq 1 ] && [ -d "$1" ]; then
	set -- "$1"/deepbench_*_gemm_*.csv.gz "$1"/deepbench_*_conv2d_*.csv.gz "$1"/neusight_*.csv.gz \
		"$1"/aiconfigurator_gemm_*.csv.gz "$1"/vidur_mlp_*.csv.gz
fi
said=$(mktemp)
trap 'rm "$said"' EXIT
echo "table,what,name,pass,dtype,rows,median,mean,p90,bias,sum,coverage,coverage50,width,paleo_median,paleo_mean"
for table; do
	# what the catalogue calls the devices that tables name loosely, and README.md on copies
	set --
	case $table in *_A100_40GB_*) set -- --device a100-40-pcie ;; esac
	case $table in *_A100_80GB_*) set -- --device a100-80-sxm ;; esac
	case $table in *_TITAN_X_*) set -- --device titan-x ;; esac
	case $table in *aiconfigurator*) set -- "$@" --operand-sets 5 ;; esac
	"$paleo" validate --cost-model calibrated "$table" "$@" --format csv >"$said"
	awk -F, -v table="$(basename "${table%.gz}" .csv)" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			n = split("what name pass dtype count median mean p90 bias sum coverage coverage50 width paleo_median paleo_mean", want, " ")
		}
		$at["what"] ~ /^(class|all|measurements)$/ {
			line = table
			for (i = 1; i <= n; i++)
				line = line "," (i > 5 && $at[want[i]] != "" ? sprintf("%.4f", $at[want[i]]) : $at[want[i]])
			print line
		}' "$said"
done
