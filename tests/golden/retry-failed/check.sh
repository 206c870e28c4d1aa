#!/bin/sh
# check.sh - what failed stays as it is with --resume, and is measured again with --retry-failed.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# statuses FILE - how often each status stands in a results file.
statuses() {
	sed -n 's/.*"type":"\(record\|graph_run\)".*"status":"\([a-z]*\)".*/\2/p' "$1" | sort | uniq -c |
		sed 's/^ *//'
}

echo "== profile"
faults=crash=conv,oom=pool,unsupported=softmax,wrong=gemm
PALEO_FAKE=$faults paleo-profile --device fake --pass fwd --output p.jsonl "$small" >/dev/null || echo "-> $?"
statuses p.jsonl
for option in --resume --retry-failed --resume; do
	echo "$option"
	say paleo-profile --device fake --pass fwd --output p.jsonl $option "$small" |
		sed -n '/^resumed/p; s/measured in [0-9.]* s/measured in TIME s/p; /^->/p; /^  [0-9]* row/p'
	statuses p.jsonl
done

echo "== calibrate"
calibrate() {
	paleo-calibrate --device fake --records c.jsonl --output c.json "$@" >/dev/null
}
# again WHEN - how many of the works that crashed have a time by now.
again() {
	sed -n 's/.*"work":"\([^"]*\)","status":"crash".*/\1/p' c.jsonl | sort -u >lost
	sed -n 's/.*"work":"\([^"]*\)","status":"ok".*/\1/p' c.jsonl | sort -u >good
	[ -s lost ] || echo "nothing crashed"
	comm -12 lost good | cmp -s - lost && echo "$1: all are measured"
	comm -12 lost good | cmp -s - /dev/null && echo "$1: none is measured"
	return 0
}
PALEO_FAKE="crash=conv fwd" calibrate --time-budget 1s
again "at first"
calibrate --time-budget 1s --resume
again "--resume"
calibrate --time-budget 5s --retry-failed
again "--retry-failed"

echo "== fullpass"
PALEO_FAKE=crash=conv paleo-fullpass --device fake --pass fwd --output f.jsonl "$small" >/dev/null ||
	echo "-> $?"
for option in --resume --retry-failed --resume; do
	echo "$option"
	say paleo-fullpass --device fake --pass fwd --output f.jsonl $option "$small" |
		sed -n '/^small,.*crash/p; /^->/p'
	statuses f.jsonl
done
say paleo-fullpass --device fake --retry-failed "$small"
