#!/bin/sh
# check.sh - works that would fill the time with noise: some of it is kept for going back to them.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

PALEO_FAKE=slow,noisy paleo-profile --device fake --pass fwd --time-budget 5s --output out.jsonl "$small" >text
grep -q '^[1-9][0-9]* times* gone back to' text && echo "measured again"
