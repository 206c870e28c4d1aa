#!/bin/sh
# check.sh - a table of other people's times becomes a calibration that predicts.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# A V100 at 14 TFLOP/s: products at 0.8 of it and 20 us of launch; one row at ten times the peak, one
# of no time.
awk 'BEGIN {
	print "gpu,op,dtype,m,n,k,time_ms"
	for (i = 0; i < 60; i++) {
		m = 128 * (1 + i % 5); n = 128 * (1 + int(i / 5) % 4); k = 256 * (1 + i % 7 + int(i / 20))
		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, 0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3
	}
	print "V100_PCIE,gemm,fp32,4096,4096,4096,1"
	print "V100_PCIE,gemm,fp32,64,64,64,0"
}' >table.csv
: >records.jsonl

paleo-calibrate --from table.csv --output c.json | grep -E 'refused|repeat|^[0-9].*records|fitted to'
paleo-predict --calibration c.json vgg16 | sed -n '1s/, 2[^)]*)/, DATE)/p'
paleo-predict --calibration c.json "$small" >rows
awk '$2 == "pred" || /low us/ { print } /inner_product +fwd/ { print $(NF - 4) <= $(NF - 5) && $(NF - 5) <= $(NF - 3) }' rows
grep "training step" rows
say paleo-calibrate --from table.csv --from records.jsonl
say paleo-calibrate --from table.csv --device xyzzy
sed 's/V100_PCIE/XYZZY/' table.csv >unknown.csv
say paleo-calibrate --from unknown.csv
printf '\000gpu,op\n' >zero.csv
say paleo-calibrate --from zero.csv
