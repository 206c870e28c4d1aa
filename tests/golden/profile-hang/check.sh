#!/bin/sh
# check.sh - a work that hangs is ended, and costs a short run half a minute.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

code=0
PALEO_FAKE=hang=pool timeout 100 paleo-profile --device fake --time-budget 0.5s --filter pool --pass fwd \
	--output hang.jsonl "$small" >text || code=$?
sed -n '/^pool1/s/  */ /gp; s/in 3[0-9.]* s/in THIRTY s/p' text
echo "-> $code"

echo "== a work that is given 0.4 s in all; the rest is measured"
code=0
PALEO_FAKE=hang=pool paleo-profile --device fake --time-budget 1s --op-timeout 0.4 --pass fwd \
	--output short.jsonl "$small" >text || code=$?
grep 'no answer within 0.4 s' text
grep -c '"status":"ok"' short.jsonl
echo "-> $code"
