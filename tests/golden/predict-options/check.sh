#!/bin/sh
# check.sh - a user's devices and calibration, factors by hand, filters.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

predict="paleo-predict --batch 1 --format csv --pass fwd --filter ^conv1"
wanted=layer,kind,predicted_s,predicted_low_s,predicted_high_s,bound
# shellcheck disable=SC2086 # lists of words
{
	$predict --device x1 --devices "$3/devices.json" "$small" | columns $wanted
	$predict --device x1 --devices "$3/devices.json" --ppp-compute 0.5 --ppp-memory 0.25 \
		"$small" | columns $wanted
	$predict --calibration "$3/calibration.json" "$small" | columns $wanted
	say $predict --calibration "$3/calibration.json" --ppp-memory 0.5 "$small"
	say $predict --ppp-memory 2.5 "$small"
	say $predict --device h100-sxn "$small"
	say $predict --device x1 "$small"
	say $predict --devices "$3/calibration.json" --device x1 "$small"
	say $predict --calibration "$3/devices.json" "$small"
	say $predict --calibration missing.json "$small"
	say $predict "$small"
}
paleo-predict --device h100-sxm --filter '^(pool|fc)' --format csv "$small" | columns layer,kind,pass
say paleo-predict --device h100-sxm --filter 'pool2' "$small"
paleo-predict --device h100-sxm --pass fwd --fuse --layout nhwc --format csv "$small" |
	columns layer,kind,work
say paleo-predict --device h100-sxm --fuse "$small"
paleo-predict --device h100-sxm --filter '[' "$small" 2>&1 |
	sed "s/'\[': .*/'[': what the C library says/"
sed 's/"class": "conv"/"class": "conv.nhwc"/' "$3/calibration.json" >innermost.json
for calibration in "$3/calibration.json" innermost.json; do
	paleo-predict --calibration "$calibration" --layout nhwc --pass fwd --batch 1 "$small" 2>&1 | grep '^--layout' ||
		echo "it knows the layout"
done
# Without works of that layout a Concatenate differs with it, and nothing else.
for layout in nchw nhwc; do
	paleo-predict --calibration "$1/results/cpu-amd-epyc-avx2-held/calibration.json" --layout $layout --batch 4 \
		--format csv "$1/nets/densenet.json" 2>$layout.notes |
		columns layer,kind,pass,predicted_s >$layout.csv
done
grep '^--layout' nhwc.notes
diff nchw.csv nhwc.csv | sed -n 's/^> *//p' | cut -d, -f2 | sort -u
# A processor of which there is a calibration alone.
say paleo-predict --device cpu-amd-epyc-avx2-held --law presets "$small"
