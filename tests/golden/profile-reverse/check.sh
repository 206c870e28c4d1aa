#!/bin/sh
# check.sh - the order of works: predicted longest first, or with --reverse the other way round.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# order FILE: the works of its records, in their order; one that was measured twice counts once
order() {
	sed -n 's/.*"type":"record","work":"\([^"]*\)".*/\1/p' "$1" | awk '!seen[$0]++'
}

paleo-profile --device fake --pass fwd --output usual.jsonl "$small" >/dev/null
paleo-profile --device fake --pass fwd --reverse --output turned.jsonl "$small" >/dev/null
order usual.jsonl
order usual.jsonl | tac >expected
order turned.jsonl | cmp - expected && echo "reversed"
