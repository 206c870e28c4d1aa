#!/bin/sh
# check.sh - a device that its heat slows down: the row is measured twice, the file keeps both.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

PALEO_FAKE=hot=relu paleo-profile --device fake --pass fwd --output out.jsonl "$small" >text
grep -o '^[0-9]* throttled' text
grep -c '"type":"record"' out.jsonl
grep '"work":"eltwise fwd' out.jsonl | grep -o '"tags":"[a-z ]*throttled"' | sed 's/drift //'
grep -o '"state":.*' out.jsonl | sort -u
