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
predict --device t4 --algorithms "$files/t4-vgg16-f32.jsonl"
predict --device h200 --dtype f16 --algorithms "$files/h200-vgg16-f16.jsonl"
echo "another batch size: no answer, predicted without"
predict --device t4 --batch 2 --algorithms "$files/t4-vgg16-f32.jsonl"
echo "what is refused"
say paleo predict --device h200 --law paleo --algorithms "$files/t4-vgg16-f32.jsonl" vgg16
say paleo predict --law paleo2017 --algorithms "$files/t4-vgg16-f32.jsonl" vgg16
say paleo predict --device t4 --law paleo --algorithms "$small" vgg16
