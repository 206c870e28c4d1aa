#!/bin/sh
# check.sh - whole passes of a device with known times: tables, records, resuming.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

paleo-fullpass --device fake --output passes.jsonl "$small"
paleo-fullpass --device fake --pass step --optimizer adam --layers "$small"
paleo-fullpass --device fake --format csv --pass fwd "$small" 2>/dev/null
paleo-fullpass --device fake --format jsonl --layers --pass fwd "$small" 2>/dev/null | head -1

echo "== resumed: nothing is measured again, the adam step is"
before=$(wc -l <passes.jsonl)
paleo-fullpass --device fake --resume --output passes.jsonl "$small" >/dev/null
again=$(wc -l <passes.jsonl)
paleo-fullpass --device fake --resume --output passes.jsonl --optimizer adam "$small" >/dev/null
echo "$((again - before)) $(($(wc -l <passes.jsonl) - again))"

echo "== a profile's works are summed beside it"
paleo-profile --device fake --output profile.jsonl "$small" >/dev/null
paleo-fullpass --device fake --records profile.jsonl --format csv "$small" 2>/dev/null |
	columns pass,isolated_of_full | sed -E 's/(0\.[0-9])[0-9]*/\1/'

# A whole pass of the fake is below the sum of its works alone: most steps find their input warm.
echo "== a calibration takes them over, predictions use it, and it is judged on other nets"
paleo-fullpass --device fake --records profile.jsonl --output whole.jsonl "$small" >/dev/null
paleo-calibrate --from profile.jsonl --passes whole.jsonl --output cal.json |
	grep 'a whole pass' | sed -E 's/[0-9]\.[0-9]+/FACTOR/g'
paleo-predict --calibration cal.json --batch 4 "$small" |
	grep 'one pass' | sed -E 's/ +[0-9]+\.[0-9]+/ N/g'
paleo-validate --calibration cal.json profile.jsonl whole.jsonl |
	sed -n '/whole passes/,$p' | sed -E 's/ +-?[0-9]+\.[0-9]+/ N/g; s/--+/--/; s/  +/  /g'

# masked - what is measured in text tables becomes N.
masked() {
	sed -E 's/ +-?[0-9]+\.[0-9]+/ N/g; s/--+/--/; s/  +/  /g'
}

echo "== layout and fusion are a pass of their own, beside rows of the same kind"
paleo-fullpass --device fake --resume --output passes.jsonl --layout nhwc --pass fwd "$small" |
	grep 'small  ' | masked
paleo-fullpass --device fake --resume --output passes.jsonl --fuse --pass fwd "$small" |
	grep 'small  ' | masked
paleo-fullpass --device fake --resume --output passes.jsonl --format csv --layout nhwc --fuse \
	--pass fwd "$small" 2>/dev/null | columns pass,layout,fused,status
for word in nhwc fused; do
	grep "\"$word\"" passes.jsonl | grep -o 'act=relu\|batch_inference\|layout=nhwc' | sort |
		uniq -c | sed 's/^ *//'
done
paleo-profile --device fake --fuse --pass fwd --output fused.jsonl "$small" >/dev/null
paleo-fullpass --device fake --fuse --pass fwd --records fused.jsonl --output whole.jsonl --resume \
	"$small" >/dev/null
paleo-calibrate --from profile.jsonl --passes whole.jsonl --output both.json |
	grep 'a whole pass' | sed -E 's/[0-9]\.[0-9]+/FACTOR/g'
paleo-predict --calibration both.json --batch 4 --fuse --pass fwd "$small" |
	grep 'one pass' | sed -E 's/ +[0-9]+\.[0-9]+/ N/g'

echo "== rows that the calibration does not have"
paleo-fullpass --device fake --calibration both.json --layout nhwc --fuse --pass fwd "$small" |
	grep 'by their nearest'
paleo-fullpass --device fake --calibration both.json --pass fwd "$small" |
	grep 'by their nearest' || echo "it has all"

echo "== passes without works beside them"
paleo-validate --calibration both.json whole.jsonl | masked
paleo-validate --format csv whole.jsonl 2>/dev/null | columns net,pass,layout,fused,factor

echo "== resumed after the net was edited: the pass of other rows is measured again"
cp "$small" small.json
paleo-fullpass --device fake --pass fwd --output edited.jsonl small.json >/dev/null
sed -i 's/"num_outputs": 10/"num_outputs": 20/' small.json
for try in edited again; do
	paleo-fullpass --device fake --pass fwd --output edited.jsonl --resume small.json >/dev/null
	echo "$try: $(grep '"graph_run"' edited.jsonl | grep -c 'k=2880.*n=20\|n=20.*k=2880')" \
		"of $(grep -c '"graph_run"' edited.jsonl) passes are of the new rows"
done
