#!/bin/sh
# check.sh - each fault costs its own rows, and the codes are those of the help.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

wanted=layer,kind,pass,status
export PALEO_FAKE="crash=gemm fwd,oom=pool fwd,wrong=softmax fwd,unsupported=eltwise fwd"
PALEO_FAKE="$PALEO_FAKE,fail=conv fwd,nan=softmax bwd_data,still"
code=0
paleo-profile --device fake --output faults.jsonl --format csv "$small" >rows 2>notes || code=$?
columns $wanted <rows
echo "-> $code"
sed 's/in [0-9.]* s/in TIME s/' notes
paleo-profile --device fake --output faults.jsonl "$small" | sed -n '/ rows* [a-z]*: /p'

echo "only unsupported"
code=0
PALEO_FAKE=unsupported=gemm,still paleo-profile --device fake --output unsupported.jsonl "$small" >text ||
	code=$?
sed -n '/ rows* [a-z]*: /p; s/measured in [0-9.]* s/measured in TIME s/p' text
echo "-> $code"

echo "the time budget ends"
code=0
PALEO_FAKE=slow paleo-profile --device fake --time-budget 0.5s --output budget.jsonl "$small" >text ||
	code=$?
sed -E -n 's/^[0-9]+ works measured in [0-9.]+ s(.*), [0-9]+ left/SOME works measured in TIME s\1, OTHERS left/p; /^to go on/p' text
echo "-> $code"

echo "the device does not open"
for fault in nodevice library die; do
	PALEO_FAKE=$fault say paleo-profile --device fake --output never.jsonl "$small"
done
