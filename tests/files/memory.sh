#!/bin/sh
# memory.sh - where any one allocation fails, a command succeeds or says why not; it never crashes.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"
needs_shim

runs_max=150 # of a command; calls between them are passed over

# every_allocation COMMAND... - tries them all, or so many spread over all.
every_allocation() {
	total=$(count_calls memory "$@") || {
		bad "$*: fails by itself"
		return
	}
	[ "$total" -gt 20 ] || bad "$*: only $total calls were seen"
	step=$((total / runs_max + 1)) failures=0 n=1
	while [ $n -le "$total" ]; do
		with_failure memory $n "$@"
		judge "$*, allocation $n"
		[ "$code" = 0 ] || failures=$((failures + 1))
		n=$((n + step))
	done
	[ $failures -gt 0 ] || bad "$*: no allocation mattered"
	echo "$1: $failures of $((total / step)) tried allocations of $total ended it"
}

every_allocation paleo-summary "$small"
every_allocation paleo-predict --device h200 "$small"
every_allocation paleo-predict --device h200 --format jsonl "$small"
every_allocation paleo-predict --device h100-sxm --law presets "$small"
finish "memory may run out anywhere"
