#!/bin/sh
# check.sh - no worker outlives the program, however it ends.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

for how in INT KILL HUP; do
	rm -f records.jsonl
	PALEO_FAKE=slow paleo-profile --device fake --output records.jsonl alex_v2 >/dev/null 2>&1 &
	pid=$!
	while ! grep -q '"type":"record"' records.jsonl 2>/dev/null; do
		sleep 0.02
	done
	child=$(cat /proc/$pid/task/$pid/children)
	[ -n "$child" ] || echo "no worker was seen"
	kill -$how $pid
	wait $pid 2>/dev/null || :
	tries=0
	# shellcheck disable=SC2086 # the number ends in a blank
	while [ -e /proc/${child% } ] && [ $tries -lt 100 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	[ $tries -lt 100 ] && echo "$how: the worker is gone"
done
