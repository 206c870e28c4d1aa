#!/bin/sh
# check.sh - two profiles into one file at once: the second is refused, the first is whole.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# the first never ends by itself
PALEO_FAKE='hang=softmax fwd' paleo-profile --device fake --op-timeout 1000 --filter softmax \
	--output records.jsonl "$small" >/dev/null 2>&1 &
pid=$!
soon has_records 1 records.jsonl
say paleo-profile --device fake --output records.jsonl "$small"
say paleo-profile --device fake --resume --output records.jsonl "$small"
kill -KILL $pid
wait $pid 2>/dev/null || echo "killed -> $?"
grep -c '"type":"meta"' records.jsonl
third() {
	paleo-profile --device fake --resume --output records.jsonl "$small" >/dev/null 2>&1
}
soon third && echo "then it may"
