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
