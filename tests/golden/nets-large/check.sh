#!/bin/sh
# check.sh - names of 10,000 characters, batches beyond 2^24 elements, works beyond 2^40.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

name=$(head -c 10000 /dev/zero | tr '\0' n)
cat >long.json <<END
{"name": "$name", "layers": {
  "data": {"type": "Input", "parents": [], "tensor": [1, 2, 2, 1]},
  "$name": {"type": "ReLU", "parents": ["data"]}}}
END
bounded 10 500 paleo-profile --device fake --output long.jsonl long.json |
	sed -n '/^n/p; /^\.\.\./s/  .*//p; /^1 work/s/in .* s,/in TIME s,/p'
paleo-predict --device h200 --format csv long.json 2>/dev/null | columns layer | tail -1 | wc -c
cut -c1-80 long.jsonl | grep -c '"type":"net","net":"long"'

printf '{"name": "\\u001b[31m", "layers": {"data": {"type": "Input", "parents": [], "tensor": [1, 2, 2, 1]},
"a\\u001b\\nb": {"type": "ReLU", "parents": ["data"]}}}' >escape.json
paleo-predict --device h200 escape.json | grep -n "$(printf '\033')" || echo "no escape"

cat >batch.json <<END
{"name": "batch", "layers": {
  "data": {"type": "Input", "parents": [], "tensor": [1, 32, 32, 1]},
  "reshape": {"type": "Reshape", "parents": ["data"], "output_shape": [1024, 1]},
  "fc": {"type": "InnerProduct", "parents": ["data"], "num_outputs": 16777216}}}
END
say bounded 10 500 paleo-predict --device h200 --batch 1048576 batch.json
sed '/reshape/d' batch.json >fc.json
bounded 10 500 paleo-predict --device h200 --batch 1048576 --format csv --pass fwd fc.json 2>/dev/null |
	columns layer,flops,work | tail -1
sed 's/32, 32, 1\]/4096, 4096, 1]/' fc.json >weights.json
say bounded 10 500 paleo-predict --device h200 weights.json
sed 's/32, 32, 1\]/4096, 4097, 1]/' fc.json >flat.json
say bounded 10 500 paleo-predict --device h200 flat.json
sed 's/: 16777216/: 65535/; s/32, 32, 1\]/4096, 4096, 1]/' fc.json >memory.json
code=0
bounded 10 500 paleo-profile --device fake --batch 1048576 --output memory.jsonl memory.json >text ||
	code=$?
sed -n '/ rows* [a-z]*: /p' text
echo "-> $code"
