#!/bin/sh
# check.sh - the ceilings of a device with known peaks, and what profile takes from them.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

paleo-ceilings --device fake
paleo-ceilings --device fake --format csv --output other.jsonl 2>notes
cat notes
paleo-ceilings --device fake --format jsonl --output other.jsonl 2>/dev/null | head -1
grep -c '"type":"ceiling"' paleo-results/fake/ceilings.jsonl

# The file's peaks are taken; here the memory's is a hundredth of the true one, so that works are above.
sed -i 's/"name":"copy","unit":"B\/s","value":1000000000000/"name":"copy","unit":"B\/s","value":10000000000/' \
	paleo-results/fake/ceilings.jsonl
paleo-profile --device fake --pass fwd --output out.jsonl "$small" >text
sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p' text
grep -c 'above ceiling$' text
grep -o '^[0-9]* above ceiling' text
grep -c '"tags":"[a-z ]*above_ceiling' out.jsonl

# Then none are measured when a device is opened, which here would fail.
PALEO_FAKE=peaks paleo-profile --device fake --pass fwd --output out.jsonl "$small" | grep -c known_factors
for command in profile fullpass; do
	PALEO_FAKE=peaks paleo-$command --device fake --pass fwd "$small" | grep -c '^peaks by paleo-results'
done
PALEO_FAKE=peaks paleo-calibrate --device fake --time-budget 1s --output c.json | grep -c '^peaks by paleo-results'
# Where a type is missing there, or it is another device's file, they are; where that fails, the
# datasheet's stand.
cp paleo-results/fake/ceilings.jsonl whole
sed -i /gemm_tf32/d paleo-results/fake/ceilings.jsonl
PALEO_FAKE=peaks paleo-profile --device fake --output out.jsonl "$small" |
	sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p'
paleo-profile --device fake --pass fwd --output out.jsonl "$small" |
	sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p'
sed 's/"device":{"name":"fake"/"device":{"name":"other"/' whole >paleo-results/fake/ceilings.jsonl
PALEO_FAKE=peaks-crash paleo-profile --device fake --output out.jsonl "$small" |
	grep 'another device'
paleo-profile --device fake --pass fwd --output out.jsonl "$small" | grep 'another device'
cp whole paleo-results/fake/ceilings.jsonl

# Those of other libraries are left aside; a broken file is no file.
sed -i 's/fake 1/fake 2/' paleo-results/fake/ceilings.jsonl
paleo-profile --device fake --pass fwd --output out.jsonl "$small" >text
grep 'other library versions' text
grep 'above ceiling' text && exit 1
sed -i 's/"unit":"B.s"/"unit":7/' paleo-results/fake/ceilings.jsonl
say paleo-profile --device fake --output out.jsonl "$small"
say paleo-ceilings --device fake vgg16
say paleo-ceilings --device fake --output /dev/null/x
