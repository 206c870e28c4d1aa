#!/bin/sh
# check.sh - several batches, number types and devices in one run: a row for each combination.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

predict() {
	paleo predict --law datasheet "$@"
}

predict --device t4,l4 --dtype fp16,f32 --batch 1,8 "$small"
predict --device l4 --layout nchw,nhwc --format csv "$small" | columns net,device,dtype,layout,batch
say predict --device t4,l5 "$small"
say predict --device l4 --batch 1,0 "$small"
say predict --device l4 --dtype f16,half "$small"
say predict --device l4 --dtype f17 "$small"
say paleo simulate --device l4 --dtype f1 "$small"
say predict --device l4 --batch 1,2 --framework eager "$small"

echo "a single one is as before"
predict --device l4 --dtype half --batch 2 --quiet "$small"

echo "which GPU per dollar"
explore="paleo explore --law datasheet --workers 1 --strategies data --batches 8"
$explore --devices t4,l4 --price t4=0.35 --price l4=0.7 "$small" 2>/dev/null
$explore --devices l4,h100-sxm "$small" 2>/dev/null

echo "simulate and explore"
simulate() {
	paleo simulate --law datasheet --device l4 --num-workers 2 --scaling weak "$@"
}
simulate --batch 8,16 --dtype half,f32 "$small"
simulate --batch 8 --layout nchw,nhwc --format csv "$small" 2>/dev/null | columns net,dtype,layout,batch,step_s
simulate --batch 8 --num-workers 1,2,4 --scaling weak,strong --top 2 --sort waiting "$small" | sed 1d
simulate --batch 8 --num-workers 1,2 --quiet "$small" | sed 1d
say simulate --batch 8 --fuse --framework compiled "$small"
say simulate --law paleo2017 --layout nhwc "$small"
say paleo explore --law datasheet --workers 1 --devices l4 --fuse --framework compiled "$small"
# Works that go element by element are merged, forward alone.
simulate --batch 8 --format csv "$source/nets/resnet50.json" 2>/dev/null | columns forward_s,backward_s | tail -1 >apart
simulate --batch 8 --fuse --format csv "$source/nets/resnet50.json" 2>/dev/null | columns forward_s,backward_s | tail -1 >merged
paste -d, apart merged | awk -F, '{ print ($3 < $1 ? "forward is shorter" : "forward is not shorter"), ($4 == $2 ? "backward the same" : "backward differs") }'

echo "profile"
export PALEO_FAKE=still
paleo profile --device fake --batch 1,2 --dtype f32,half --quiet "$small" | sed -n '/^all/,$p' |
	awk 'NR > 3 { print $1, $2, $3, $4, $5, NF } NR == 2'
find paleo-results -type f | sort
say paleo profile --device fake --batch 1,2 --output a.jsonl "$small"
say paleo profile --device fake --batch 1,2 --format csv "$small"
say paleo profile --device fake --batch 1,0 "$small"

echo "a device of this machine"
say predict --device fake1 "$small"
say paleo simulate --device fake:0 "$small"
say paleo explore --devices l4,fake "$small"
paleo calibrate --device fake --time-budget 1s >/dev/null 2>&1
for word in fake fake1 fake:1; do
	paleo predict --device $word --format csv "$small" 2>/dev/null | cksum
	paleo simulate --device $word --num-workers 1 --format csv "$small" 2>/dev/null | columns source | tail -1
done | sort -u | wc -l
