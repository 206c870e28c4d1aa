#!/bin/sh
# check.sh - a run that is interrupted and resumed loses no work and repeats none.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

paleo-profile --device fake --output whole.jsonl alex_v2 >/dev/null
measured whole.jsonl >whole

PALEO_FAKE=slow paleo-profile --device fake --output resumed.jsonl alex_v2 >out 2>&1 &
pid=$!
soon has_records 2 resumed.jsonl
kill -TERM $pid
code=0
wait $pid || code=$?
echo "interrupted -> $code"
sed -E -n 's/[0-9]+ works measured in [0-9.]+ s, (.*), [0-9]+ left/SOME works measured in TIME s, \1, OTHERS left/p; /--resume/p' out
measured resumed.jsonl >before
grep -c '"type":"end"' resumed.jsonl || :

# as if the power had failed within a line
printf '{"type":"record","work":"eltwi' >>resumed.jsonl
code=0
paleo-profile --device fake --resume --output resumed.jsonl alex_v2 >out || code=$?
echo "resumed -> $code"
grep -q "resumed: $(wc -l <before) of 51 works were measured before" out && echo "it says of how many"
measured resumed.jsonl | cmp - whole && echo "every work once"
grep -c '"type":"end"' resumed.jsonl

paleo-profile --device fake --resume --output resumed.jsonl alex_v2 | grep -E '^(resumed|0 works)' |
	sed 's/in [0-9.]* s/in TIME s/'
measured resumed.jsonl | cmp - whole && echo "nothing was measured again"
