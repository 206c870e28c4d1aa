#!/bin/sh
# check.sh - 100,000 layers: predicted and profiled in seconds, in bounded memory.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

awk 'BEGIN {
	print "{\"name\": \"long\", \"layers\": {"
	print "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 8, 8, 4]}"
	parent = "data"
	for (i = 1; i <= 100000; i++) {
		printf ",\"l%d\": {\"type\": \"Convolution\", \"parents\": [\"%s\"],", i, parent
		printf "\"filter\": [1, 1, -1, %d],", 1 + i % 500
		print "\"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"}"
		parent = "l" i
	}
	print "}}"
}' >long.json

bounded 100 2000 paleo-predict --device h200 --pass fwd --all long.json >text
wc -l <text
grep "^  forward " text | sed "s/ predicted .*//"

# 501 different works: few are done in a second, all others are left, and no row is lost
code=0
PALEO_FAKE=slow bounded 100 2000 paleo-profile --device fake --pass fwd --time-budget 1s --format csv \
	--output slow.jsonl long.json 2>notes >rows || code=$?
wc -l <rows
columns status <rows | sort -u
grep -o 'left when the time budget ended' notes
echo "-> $code"

code=0
PALEO_FAKE=unsupported bounded 100 2000 paleo-profile --device fake --pass fwd --output none.jsonl \
	long.json >text || code=$?
grep ' rows unsupported: ' text
echo "-> $code"
