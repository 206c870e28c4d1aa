#!/bin/sh
# check.sh - coverage of intervals, and what few measurements would do, of a table, by the studies' script.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# A V100 at 14 TFLOP/s: products at 0.8 of it and 20 us of launch, up to a fifth longer or shorter.
awk 'BEGIN {
	print "gpu,op,dtype,m,n,k,time_ms"
	for (i = 0; i < 48; i++) {
		m = 512 * (1 + i % 2); n = 128 * (1 + int(i / 2) % 4); k = 256 * (1 + int(i / 8))
		err = exp((i * 37 % 48 / 23.5 - 1) * 0.18)
		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, err * (0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3)
	}
}' >try.csv

# 90 and 50 % of 48 rows, to within three standard errors: 13 and 22 points.
PALEO="$build/bin/paleo" sh "$source/results/studies/intervals.sh" try.csv 2>notes >intervals.csv
cat notes
head -1 intervals.csv
columns table,what,name,rows,coverage,coverage50 <intervals.csv | sed 1d |
	awk -F, '{ print $1, $2, $3, $4, ($5 == "" ? "no interval" : $5 > 0.77 && $6 > 0.28 && $6 < 0.72) }'
paleo-study try.csv | sed -n 1p
paleo-study try.csv --format csv | columns law,coverage,coverage50,width | sed 1d |
	awk -F, '{ print $1, ($2 > 0.77 && $3 > 0.28 && $3 < 0.72), ($4 > 0) }'
say env PALEO="$build/bin/paleo" sh "$source/results/studies/intervals.sh" absent.csv

# A device's peaks alone are enough; but presets of others, with no measurement, want to know more.
echo '{"devices": [{"name": "v100-pcie", "flop_per_s": {"f32": 14e12}, "mem_bytes_per_s": 900e9}]}' >own.json
paleo-validate --devices own.json --format csv try.csv 2>notes >own.csv || cat notes
columns by,name <own.csv | grep '^measurements'

# One row leaves none to fit.
sed 2q try.csv >one.csv
say paleo-validate one.csv

# A net of which nothing was measured has no sums, and counts neither as hit nor as miss.
device=cpu-amd-epyc-avx2
records=$source/tests/data/cpu/$device
calibration=$source/results/$device/calibration.json
{
	gzip -dc "$records/nin-b2-f32.jsonl.gz" | grep -v '"type":"record"'
	gzip -dc "$records/alex_v2-b2-f32.jsonl.gz" | grep -m 1 '"type":"record"'
} >nothing.jsonl
paleo-validate --calibration "$calibration" nothing.jsonl 2>&1 | sed -n 's,/.*/results,results,; /^judged:/p; /records* of/p; /^whole/,$p'
paleo-validate --calibration "$calibration" --format csv nothing.jsonl 2>/dev/null |
	columns what,name,count,predicted_s,measured_s,error,low_s,high50_s | grep '^[wn]'
