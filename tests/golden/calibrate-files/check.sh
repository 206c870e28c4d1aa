#!/bin/sh
# check.sh - records and outputs of calibrate that are not what they should be.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

: >empty.jsonl
mkdir folder
say paleo-calibrate --from empty.jsonl
say paleo-calibrate --from "$small"
say paleo-calibrate --from folder
say paleo-calibrate --from missing.jsonl
say paleo-calibrate --device fake --output empty.jsonl/calibration.json
say paleo-calibrate --device fake --records folder
[ ! -e paleo-results ] && echo "nothing was measured"

paleo-profile --device fake --output records.jsonl alex_v2 >/dev/null
sed 's/"name":"fake"/"name":"h200"/' records.jsonl >other.jsonl
say paleo-calibrate --from records.jsonl --from other.jsonl
head -1 records.jsonl >none.jsonl
say paleo-calibrate --from none.jsonl
# not /dev/stdout itself: what is no file must be written to, never replaced
mkfifo pipe
cat pipe >piped &
paleo-calibrate --from records.jsonl --output pipe >/dev/null && wait && tail -1 piped
[ -p pipe ] && echo "a pipe is still a pipe"
paleo-calibrate --from records.jsonl --output calibration.json >/dev/null
grep '"schema"' calibration.json piped
say paleo-calibrate --from records.jsonl --output /dev/full 2>&1 | tail -2
say paleo-predict --calibration calibration.json --format csv "$small" 2>&1 | tail -1
# a limit on the size of files
(
	ulimit -f 0
	say paleo-calibrate --from records.jsonl --output limited.json 2>&1 | tail -2
	code=0
	paleo-predict --device t4 --format csv "$small" >limited.csv || code=$?
	echo "-> $code"
)
