#!/bin/sh
# check.sh - predictions with the algorithms that a library would choose on a GPU that is not here.
# SPDX-License-Identifier: Apache-2.0
#
# conv1-2 forward on a T4 (8.1e12 FLOP/s in f32, 3.2e11 B/s), at its peaks: Winograd divides its
# 2.36966e11 FLOPs by 2.25, 0.0130022 s; its 1.64431e9 bytes and twice 409856 of workspace take
# 0.0051410 s. The law without a calibration adds them: 0.0181432 s.
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"
files=$source/results/algorithms

predict() {
	paleo predict --law paleo --pass fwd --filter '^conv1-2$' --format jsonl "$@" vgg16 2>notes |
		sed -n '/"kind":"conv"/s/.*"layer":"\([^"]*\)".*"predicted_s":\([0-9.e-]*\),.*"algorithm":\("[^"]*"\|null\).*/\1 \2 \3/p'
	grep algorithms notes || :
}
predict --device t4
predict --device t4 --algorithms "$files/t4-vgg16-f32.jsonl.gz"
predict --device h200 --dtype f16 --algorithms "$files/h200-vgg16-f16.jsonl.gz"
echo "under a law that has the algorithms: presets, and a calibration; few rows keep the form"
presets() {
	paleo predict --law presets --device t4 --pass fwd --filter '^conv(1|5)-1$' "$@" vgg16 |
		sed -n 's/^\(conv[15]-1  conv.*\)/\1/p; /^algorithms/p'
}
presets
presets --algorithms "$files/t4-vgg16-f32.jsonl.gz"
gzip -dc "$files/t4-vgg16-f32.jsonl.gz" | sed 's/"notes":"[^"]*"/"notes":"fft"/' >fft.jsonl
presets --algorithms fft.jsonl
# times_of COUNT - 2.5 TFLOP/s and 20 us
times_of() {
	awk -v rows="$1" 'BEGIN {
		print "gpu,op,dtype,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,dil,groups,time_ms"
		for (i = 0; i < rows; i++) {
			n = 1 + i % 8; c = 32 * (1 + i % 7); k = 64 * (1 + i % 3); h = 14 + 7 * (i % 4)
			printf "T4,conv2d,fp32,%d,%d,%d,%d,%d,3,3,1,1,1,1,1,1,%.6f\n", n, c, h, h, k,
				0.02 + 2 * n * h * h * c * k * 9 / 2.5e12 * 1e3
		}
	}'
}
times_of 15 >table.csv
paleo calibrate --from table.csv --output c.json >/dev/null
grep -o '"kernel_model": *"[a-z]*"' c.json
paleo predict --calibration c.json --pass fwd --filter '^conv5-1$' --format jsonl --algorithms fft.jsonl vgg16 2>/dev/null |
	sed -n '/"kind":"conv"/s/.*"predicted_low_s":\([^,]*\),.*"algorithm":\("[^"]*"\|null\).*/\1 \2/p'
times_of 60 >table.csv
paleo calibrate --from table.csv --output c.json >/dev/null
say paleo predict --calibration c.json --algorithms fft.jsonl vgg16
echo "another batch size: no answer, predicted without"
predict --device t4 --batch 2 --algorithms "$files/t4-vgg16-f32.jsonl.gz"
echo "what is refused"
say paleo predict --device h200 --law paleo --algorithms "$files/t4-vgg16-f32.jsonl.gz" vgg16
say paleo predict --law paleo2017 --algorithms "$files/t4-vgg16-f32.jsonl.gz" vgg16
say paleo predict --device t4 --law paleo --algorithms "$small" vgg16
