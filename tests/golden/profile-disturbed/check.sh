#!/bin/sh
# check.sh - records without a clean sample, as now and as earlier versions wrote them, are no times.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

paleo-profile --device fake --output small.jsonl "$small" >/dev/null
# conv fwd: as earlier versions wrote it; gemm fwd: as it is written now
sed -E '/"work":"conv fwd/s/"samples":[0-9]+/"samples":0,"disturbed":1/
	/"work":"gemm fwd/{s/"status":"ok"/"status":"disturbed"/; s/,"timing":.*/}/}' small.jsonl >old.jsonl

echo "they are measured again"
cp old.jsonl again.jsonl
paleo-profile --device fake --resume --output again.jsonl "$small" | grep -E '^resumed|works measured' |
	sed 's/in [0-9.]* s/in TIME s/'
tail -n 4 again.jsonl | grep -o '"work":"[a-z]* [a-z]*\|"status":"ok"'

echo "no fit takes them"
paleo-calibrate --from old.jsonl --output calibration.json | grep '^fitted'
paleo-calibrate --from again.jsonl --output calibration.json | grep '^fitted'
