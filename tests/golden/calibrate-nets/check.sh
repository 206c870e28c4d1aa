#!/bin/sh
# check.sh - works of nets measured beside the drawn ones.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# in_order FILE N - the keys of its first N records.
in_order() {
	sed -n 's/.*"work":"\([^"]*\)","status".*/\1/p' "$1" | head -"$2"
}

# nets OPTION... - what a calibration says of its nets.
nets() {
	paleo-calibrate --device fake "$@" | grep 'works of the nets'
}

# Every second work is one of the net's 13, however often it is named: 26 works.
nets --time-budget 10s --for "$small" --for "$small" --records both.jsonl
in_order both.jsonl 26
nets --time-budget 1s --for "$small" --records both.jsonl --resume

paleo-profile --device fake --output known.jsonl "$small" >/dev/null
nets --time-budget 1s --for "$small" --records known.jsonl --resume

nets --time-budget 1s --for "$small" --batch 8 --records batch.jsonl >/dev/null
in_order batch.jsonl 4

# The second of these works is the first that is drawn: it is measured once.
cat >drawn.json <<'NET'
{"name": "drawn", "layers": {
	"data": {"parents": [], "type": "Input", "tensor": [12, 34, 34, 216]},
	"conv": {"parents": ["data"], "type": "Convolution", "filter": [3, 3, 216, 120],
		"padding": "SAME", "strides": [1, 1, 1, 1], "activation_fn": null}
}}
NET
nets --time-budget 5s --for drawn.json --batch 12 --records drawn.jsonl
measured drawn.jsonl | grep 'conv fwd.* c=216 h=34 w=34 k=120'

say paleo-calibrate --device fake --for missing-net
say paleo-calibrate --device fake --for "$small" --from known.jsonl
say paleo-calibrate --device fake --batch 4
