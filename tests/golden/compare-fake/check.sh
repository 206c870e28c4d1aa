#!/bin/sh
# check.sh - a change of 2 % in some works is found, in no others, and ends a build that asks for it.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# Without noise, so that every number is known; how many samples there are depends on the clock, and with
# them whether a time has an interval: both are put in place.
profile() {
	PALEO_FAKE=still$2 paleo-profile --device fake --force --output made.jsonl "$small" >/dev/null 2>&1
	sed 's/"median_s":\([^,]*\),"ci_low_s":[^,]*,"ci_high_s":[^,]*,/"median_s":\1,"ci_low_s":\1,"ci_high_s":\1,/
		s/"samples":[0-9]*/"samples":20/' made.jsonl >"$1.jsonl"
}
undated() {
	sed 's/20[0-9-]*T[0-9:]*Z/DATE/'
}
profile a ''
profile same ''
profile conv ,slower=conv
profile all ,slower

say paleo compare a.jsonl same.jsonl --fail-slower 0% --fail-layer 0% | undated
say paleo compare a.jsonl conv.jsonl --fail-layer 1% | undated
say paleo compare --format md --top 3 a.jsonl all.jsonl --fail-slower 5 | undated
paleo compare --format csv --fail-slower 1.5% a.jsonl all.jsonl 2>/dev/null >table || echo "-> $?"
columns verdict,net,batch,layer,pass <table | head -3

echo "several runs of a side"
say paleo compare a.jsonl,same.jsonl conv.jsonl,all.jsonl --top 2 | undated

echo "rows as JSON lines"
paleo predict --device t4 --law datasheet --format jsonl "$small" >t4.jsonl 2>/dev/null
paleo predict --device l4 --law datasheet --format jsonl --batch 8 "$small" >l4.jsonl 2>/dev/null
say paleo compare t4.jsonl l4.jsonl --top 2
say paleo compare a.jsonl t4.jsonl --top 1 | undated

echo "faults"
say paleo compare a.jsonl
say paleo compare a.jsonl absent.jsonl
say paleo compare a.jsonl ,
say paleo compare --mode hot a.jsonl same.jsonl
say paleo compare --fail-slower some a.jsonl same.jsonl
say paleo compare --same 101% a.jsonl same.jsonl
echo '{"layer":"a","predicted_s":1}' >bad.jsonl
say paleo compare a.jsonl bad.jsonl
echo '{"layer":"a","work":"none","predicted_s":-1}' >bad.jsonl
say paleo compare a.jsonl bad.jsonl
echo '{"layer":"a","work":"none","predicted_s":1}' >bad.jsonl
say paleo compare a.jsonl bad.jsonl
