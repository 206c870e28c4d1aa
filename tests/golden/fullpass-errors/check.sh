#!/bin/sh
# check.sh - whole passes that cannot be run, and mistakes of the user.
# SPDX-License-Identifier: Apache-2.0
set -u
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

attempt() {
	echo "$ paleo-fullpass $*"
	paleo-fullpass "$@" 2>&1
	echo "exit $?"
}

attempt
attempt --device fake --resume vgg16
attempt --device fake --pass bwd vgg16
attempt --device fake no-such-net
attempt --device fake --records no-such-file vgg16
attempt --device fake --fuse vgg16
paleo-fullpass --device fake --pass fwd --output kept.jsonl "$small" >/dev/null 2>&1
cp kept.jsonl before.jsonl
attempt --device fake --dtype fp8 --output kept.jsonl "$small" | sed "s|$1/||g"
cmp kept.jsonl before.jsonl && echo "the records are as before"
export PALEO_FAKE=crash=softmax
attempt --device fake --pass fwd vgg16 | sed 's/(Segmentation fault[^)]*)/(SIGNAL)/'
export PALEO_FAKE=nan=softmax
attempt --device fake --format csv --pass fwd vgg16 2>/dev/null
paleo-fullpass --device fake --pass fwd --output bad.jsonl vgg16 >/dev/null 2>&1
paleo-validate bad.jsonl 2>&1
echo "exit $?"

echo "== interrupted, and resumed"
has_pass() {
	grep -q '"type":"graph_run"' i.jsonl 2>/dev/null
}
PALEO_FAKE=slow paleo-fullpass --device fake --output i.jsonl "$small" >out 2>&1 &
pid=$!
soon has_pass
kill -TERM $pid
code=0
wait $pid || code=$?
echo "exit $code"
grep interrupted out
[ "$(grep -c '"type":"graph_run"' i.jsonl)" -lt 3 ] && echo "before the last pass"
grep -c '"type":"end"' i.jsonl
PALEO_FAKE='' paleo-fullpass --device fake --output i.jsonl --resume "$small" >/dev/null 2>&1
echo "exit $?, $(grep -c '"type":"graph_run"' i.jsonl) passes, $(grep -c '"type":"end"' i.jsonl) end"
