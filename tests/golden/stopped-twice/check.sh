#!/bin/sh
# check.sh - the first signal ends a run between two works, the second at once; before, one is enough.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# gone PID - whether the process has ended.
gone() {
	! kill -0 "$1" 2>/dev/null
}

# left PID... - how many of them are still there.
left() {
	n=0
	for child in "$@"; do
		gone "$child" || n=$((n + 1))
	done
	echo $n
}

none_left() {
	[ "$(left "$@")" = 0 ]
}

# In the middle of a work that never ends: one signal waits for it, the second does not. A shell has
# those that it starts behind it ignore SIGINT, so that env gives it back.
for signal in INT TERM; do
	PALEO_FAKE=hang=softmax env --default-signal=INT paleo-profile --device fake --filter softmax \
		--output $signal.jsonl "$small" >out 2>err &
	pid=$!
	soon test -s $signal.jsonl
	soon pgrep -P $pid >children
	kill -$signal $pid
	soon grep -q 'once more' err
	gone $pid && echo "WRONG: the first did not wait"
	kill -$signal $pid
	soon gone $pid
	code=0
	wait $pid || code=$?
	echo "$signal twice -> $code"
	# shellcheck disable=SC2046 # a list of words
	soon none_left $(cat children) && echo "nothing of it is left"
	grep interrupted err
done

# At any moment of the beginning: it ends, and says 130 or is ended by the signal, which is 130, too.
for i in 1 2 3 4 5 6; do
	PALEO_FAKE=slow env --default-signal=INT paleo-profile --device fake --output first.jsonl \
		alex_v2 >out 2>err &
	pid=$!
	soon test -e /proc/$pid/exe
	sleep "0.0$((i * 2))"
	kill -INT $pid
	soon gone $pid
	code=0
	wait $pid || code=$?
	[ $code = 130 ] || echo "run $i -> $code"
done
echo "and from the first moment"
