#!/bin/sh
# campaign_dry.sh - the campaign on the device `fake`: stops when its time is up, goes on, and ends.
# SPDX-License-Identifier: Apache-2.0
#
# campaign_dry.sh SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1/out"
scratch=$(cd "$1" && pwd)
export OUT="$scratch/out"
code=0

campaign() {
	code=0
	"$here/campaign.sh" --dry "$scratch/$1" >"$scratch/log" 2>&1 || code=$?
}

wrong() {
	echo "WRONG: $*"
	cat "$scratch/log"
	exit 1
}

# the ceilings are measured, but the first profile wants 18 s to be left
PALEO_CAMPAIGN_S=17
export PALEO_CAMPAIGN_S
campaign results
[ "$code" -eq 5 ] || wrong "a call without enough time ended with $code, expected 5"
tar -tzf "$OUT/campaign.tar.gz" | grep -q "fake/ceilings.jsonl" || wrong "a call without enough time left nothing"

# a busy machine may leave some rows of a profile for the next call
unset PALEO_CAMPAIGN_S
for try in 1 2 3; do
	campaign results
	[ "$code" -ne 5 ] && break
	echo "call $try left some"
done
[ "$code" -eq 0 ] || wrong "the campaign ended with $code"
grep -q "^step ceilings" "$scratch/log" && wrong "the ceilings were measured again"
cd "$scratch/results/fake"
for kind in f32 bf16-nhwc; do
	tail -n 1 "small-b4-$kind.jsonl" | grep -q '"type":"end"' || wrong "small-b4-$kind is not whole"
done
for file in calibration.json calibration-f32-60s.json calibration-bf16-nhwc-60s.json design-f32.jsonl \
	fullpass-small-b4-f32.jsonl decoder-fp8_block.jsonl env.txt ceilings.jsonl; do
	[ -s "$file" ] || wrong "there is no $file"
done
grep -q "^== each net held out" validation.txt || wrong "no net was held out"
[ "$(grep -c '^== ' validation.txt)" -eq 4 ] || wrong "not all three calibrations were judged"
tar -tzf "$OUT/campaign.tar.gz" | grep -q "fake/validation.txt" || wrong "the archive is not whole"

# what is complete is left alone
cksum small-*.jsonl design-*.jsonl calibration-*.json >"$scratch/before"
campaign results
[ "$code" -eq 0 ] || wrong "another call ended with $code"
cksum small-*.jsonl design-*.jsonl calibration-*.json | cmp - "$scratch/before" || wrong "it was measured again"

# 13 ops of 0.7 s do not fit into 3 s: a second try measures more of them, and a third does not come
export PALEO_FAKE=op-delay=0.7
campaign slow
[ "$code" -eq 5 ] || wrong "ops that do not fit into their time ended with $code, expected 5"
count() {
	grep -c '"type":"record"' "$scratch/slow/fake/small-b4-f32.jsonl"
}
first=$(count)
campaign slow
[ "$code" -eq 0 ] || wrong "a second try ended with $code, expected 0"
grep -q "^small-b4-f32: the time was up twice: left as it is" "$scratch/log" || wrong "it does not say so"
second=$(count)
[ "$second" -gt "$first" ] || wrong "a second try measured nothing"
campaign slow
[ "$code" -eq 0 ] || wrong "a third call ended with $code"
[ "$(count)" -eq "$second" ] || wrong "there was a third try"
echo "$first, then $second of 13 ops"
tail -n 1 "$scratch/log"
