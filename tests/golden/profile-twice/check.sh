#!/bin/sh
# check.sh - two profiles into one file at once: the second is refused, the first is whole.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

PALEO_FAKE=slow paleo-profile --device fake --output records.jsonl --filter pool "$small" >/dev/null &
soon has_records 1 records.jsonl
say paleo-profile --device fake --output records.jsonl "$small"
say paleo-profile --device fake --resume --output records.jsonl "$small"
wait $! && measured records.jsonl
paleo-profile --device fake --resume --output records.jsonl "$small" >/dev/null && echo "then it may"
