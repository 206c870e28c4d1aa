#!/bin/sh
# check.sh - peaks of a processor are measured once a boot, and never kept where others disturbed it.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

kept=paleo-results/fake/peaks-t0.jsonl

# profile WORDS - what is told of the peaks, and what they predict: at half of them it takes twice as long.
profile() {
	PALEO_FAKE=still,$1 paleo-profile --device fake --force --output x.jsonl "$small" >text ||
		echo "-> $?"
	sed -E '/^peaks|^paleo-results/!d; s/measured [0-9]+ s ago/measured N s ago/
		s/[0-9]{4}-[0-9-]*T[0-9:]*Z/DATE/g' text
	sed -n '/^  forward  /s/  measured.*//p' text
}

echo "others disturb the first"
profile boot=first,doubt
ls paleo-results 2>/dev/null || echo "nothing is kept"

echo "measured, and remembered"
profile boot=first
profile boot=first,doubt
grep -o '"boot":"[a-z]*"' $kept

echo "after another boot"
cp $kept before
profile boot=second,doubt
cmp $kept before && echo "the same is kept"
profile boot=second
grep -o '"boot":"[a-z]*"' $kept

echo "works are faster than they: told is what has risen, but for what no digit would show"
sed -i 's/"f32":10000000000000/"f32":1000000000/; s/\(bytes_per_s":\)1000000000000/\1999900000000/' $kept
profile boot=second
grep -o '"f32":[0-9]*' $kept
grep -o '"[a-z_]*bytes_per_s":[0-9]*' $kept

echo "a broken file"
echo '{"type":"meta"' >$kept
profile boot=second
head -c 30 $kept
echo

echo "of a calibration"
rm $kept
sed -n '/"type":"meta"/p; /"type":"record"/p' x.jsonl >records.jsonl
paleo-calibrate --from records.jsonl --output paleo-results/fake/calibration.json >/dev/null
profile boot=third,doubt
