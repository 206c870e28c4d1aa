#!/bin/sh
# kill.sh - a profile that is killed at any moment loses no finished record and can be gone on with.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"

kills_wanted=100 runs_max=300
profile="paleo-profile --device fake --resume --output records.jsonl alex_v2"
paleo-profile --device fake --output whole.jsonl alex_v2 >/dev/null
measured whole.jsonl | sort -u >whole

# The same moments in each test, as far as a machine repeats itself: no check depends on them.
awk -v n=$runs_max 'BEGIN { srand(7); for (i = 0; i < n; i++) print int(rand() * 12), rand() * 0.05 }' \
	>moments

# lines - the whole lines of the file so far.
lines() {
	if [ -e records.jsonl ]; then grep -c '' records.jsonl; else echo 0; fi
}

# is_over - the profile has ended, or there are so many lines.
# shellcheck disable=SC2317 # by soon
is_over() {
	! kill -0 "$pid" 2>/dev/null || [ "$(lines)" -ge "$1" ]
}

# held - what was in the file before is its beginning still.
held() {
	[ ! -e before ] || cmp -s -n "$(wc -c <before)" before records.jsonl
}

# keep_lines - what must be there from now on: all whole lines.
keep_lines() {
	[ -e records.jsonl ] || return 0
	cp records.jsonl torn
	if [ -s torn ] && [ "$(tail -c 1 torn | wc -l)" = 0 ]; then
		sed '$d' torn >before
	else
		mv torn before
	fi
}

# shellcheck disable=SC2317 # by soon
complete() {
	$profile >out 2>err
}

kills=0 runs=0 finished=0
while read -r more pause; do
	[ $kills -lt $kills_wanted ] || break
	runs=$((runs + 1))
	wanted=$(($(lines) + more))
	# shellcheck disable=SC2086 # a list of words
	PALEO_FAKE=slow=softmax $profile >out 2>err &
	pid=$!
	soon is_over $wanted
	sleep "$pause"
	kill -9 $pid 2>/dev/null || :
	code=0
	wait $pid 2>/dev/null || code=$?
	held || bad "run $runs: a record was lost"
	case $code in
	137) kills=$((kills + 1)) ;;
	0) # whole before it could be killed: from the beginning again
		measured records.jsonl | sort -u | cmp -s - whole || bad "run $runs: an op is missing"
		finished=$((finished + 1))
		rm -f records.jsonl before
		;;
	*) grep -q 'another paleo is writing' err || bad "run $runs: ended with $code: $(cat err)" ;;
	esac
	keep_lines
done <moments
soon complete || bad "it cannot be gone on with: $(cat err)"
held || bad "in the end a record was lost"
measured records.jsonl | sort -u | cmp -s - whole || bad "in the end an op is missing"
tail -n 1 records.jsonl | grep -q '"type":"end"' || bad "the file does not end"
[ $kills = $kills_wanted ] || bad "$kills of $kills_wanted kills came in time"
finish "$kills kills in $runs runs, of which $finished had ended before"
