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

echo "== a work that is given no more than 0.3 s beside its share of the budget; the rest is measured"
code=0
PALEO_FAKE=hang=pool paleo-profile --device fake --time-budget 1s --op-timeout 0.3 --pass fwd \
	--output short.jsonl "$small" >text || code=$?
sed -n 's/no answer within 0\.[0-9]* s/no answer within PART s/p' text
grep -c '"status":"ok"' short.jsonl
echo "-> $code"
