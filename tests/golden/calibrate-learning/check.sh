#!/bin/sh
# check.sh - what a calibration says of more time, and where it does not.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# said OPTION... - the lines between the table and the calibration's path; the numbers are the clock's.
said() {
	paleo-calibrate --device fake --records records.jsonl "$@" |
		sed -n '/held-out error\|records do not say\|time would/p' |
		sed -E 's/[0-9]+\.[0-9]/9.9/g; s/[0-9]+ records/N records/; s/ to [0-9]+/ to N/g' |
		sed -E 's/^(twice the time would bring|more time would not lower).*/(&)/; s/^\(.*/extrapolated/'
}

said --time-budget 12s
# Measured again, what is least known comes first.
paleo-calibrate --device fake --records records.jsonl --resume --time-budget 1s |
	sed -nE 's/[0-9]+ known/N known/p'
head -20 records.jsonl >few.jsonl
paleo-calibrate --device fake --from few.jsonl | grep -c 'held-out error\|would\|do not say' || echo "not asked for"
paleo-calibrate --device fake --records csv.jsonl --time-budget 1s --format csv 2>&1 |
	grep -c 'held-out error\|would\|do not say' || echo "not in csv"
