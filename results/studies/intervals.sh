#!/bin/sh
# intervals.sh FOLDER... - errors and coverage of both laws on published tables; prints intervals.csv.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names; or give tables. Shapes are held out together; fits see 1000
# rows of a class at most, and their intervals come from hold-outs within each fit. PALEO is the program,
# build/bin/paleo by default.
set -eu
paleo=${PALEO:-build/bin/paleo}

if [ $# -eq 1 ] && [ -d "$1" ]; then
	set -- "$1"/deepbench_*_gemm_*.csv.gz "$1"/deepbench_*_conv2d_*.csv.gz "$1"/neusight_*.csv.gz \
		"$1"/aiconfigurator_gemm_*.csv.gz
fi
echo "table,class,pass,dtype,rows,median,mean,p90,bias,sum,coverage,coverage50,paleo_median,paleo_mean"
for table; do
	copies=1
	case $table in *aiconfigurator*) copies=5 ;; esac
	"$paleo" validate "$table" --copies "$copies" --format csv |
		awk -F, -v table="$(basename "$table" .csv.gz)" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			n = split("name pass dtype count median mean p90 bias sum coverage coverage50 paleo_median paleo_mean", want, " ")
		}
		$at["what"] == "class" {
			line = table
			for (i = 1; i <= n; i++)
				line = line "," (i > 4 ? sprintf("%.4f", $at[want[i]]) : $at[want[i]])
			print line
		}'
done
