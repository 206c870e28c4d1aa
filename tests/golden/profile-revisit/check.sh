#!/bin/sh
# check.sh - works that would fill the time with noise: some of it is kept for going back to them.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

PALEO_FAKE=slow,noisy paleo-profile --device fake --pass fwd --time-budget 5s --output out.jsonl "$small" >text
works=$(grep -o '"work":"[^"]*"' out.jsonl | sort -u | wc -l)
[ "$(grep -c '"type":"record"' out.jsonl)" -gt "$works" ] && echo "measured again"
