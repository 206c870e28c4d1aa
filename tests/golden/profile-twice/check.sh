#!/bin/sh
# check.sh - two profiles into one file at once: the second is refused, the first is whole.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# long enough for the second to wait in vain
PALEO_FAKE=slow paleo-profile --device fake --output records.jsonl alex_v2 >/dev/null 2>&1 &
pid=$!
soon has_records 1 records.jsonl
say paleo-profile --device fake --output records.jsonl "$small"
say paleo-profile --device fake --resume --output records.jsonl "$small"
kill -TERM $pid
wait $pid || echo "interrupted -> $?"
grep -c '"type":"meta"' records.jsonl
paleo-profile --device fake --resume --output records.jsonl "$small" >/dev/null && echo "then it may"
