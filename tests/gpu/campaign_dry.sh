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
	"$here/campaign.sh" --dry "$scratch/results" >"$scratch/log" 2>&1 || code=$?
}

wrong() {
	echo "WRONG: $*"
	cat "$scratch/log"
	exit 1
}

# the device is opened, but the first profile wants 18 s to be left
PALEO_CAMPAIGN_S=17
export PALEO_CAMPAIGN_S
campaign
[ "$code" -eq 5 ] || wrong "a call without enough time ended with $code, expected 5"
[ -s "$OUT/campaign.tar.gz" ] || wrong "a call without enough time left nothing"

# a busy machine may leave some rows of a profile for the next call
unset PALEO_CAMPAIGN_S
for try in 1 2 3 4; do
	campaign
	[ "$code" -ne 5 ] && break
	echo "call $try left some"
done
[ "$code" -eq 0 ] || wrong "the campaign ended with $code"
cd "$scratch/results/fake"
for batch in 4 2 8; do
	for kind in f32 bf16-nhwc tf32; do
		tail -n 1 "small-b$batch-$kind.jsonl" | grep -q '"type":"end"' || wrong "small-b$batch-$kind is not whole"
	done
done
for file in calibration.json calibration-60s.json calibration-300s.json calibration-bf16-nhwc-60s.json \
	calibration-tf32-60s.json design-f32.jsonl fullpass-small-b4-f32.jsonl env.txt; do
	[ -s "$file" ] || wrong "there is no $file"
done
grep -q "^== each net held out" validation.txt || wrong "no net was held out"
[ "$(grep -c '^== ' validation.txt)" -eq 6 ] || wrong "not all five calibrations were judged"
tar -tzf "$OUT/campaign.tar.gz" | grep -q "fake/validation.txt" || wrong "the archive is not whole"

# what is complete is left alone
cksum small-*.jsonl design-*.jsonl calibration-*.json >"$scratch/before"
campaign
[ "$code" -eq 0 ] || wrong "another call ended with $code"
cksum small-*.jsonl design-*.jsonl calibration-*.json | cmp - "$scratch/before" || wrong "it was measured again"
tail -n 1 "$scratch/log"
