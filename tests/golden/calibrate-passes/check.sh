#!/bin/sh
# check.sh - whole passes measured in a calibration's time, and what they correct.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# passes OPTION... - what a calibration says of nets and whole passes.
passes() {
	paleo-calibrate --output c.json "$@" 2>&1 |
		grep -E 'works of the nets|whole|paleo-calibrate:' | sed -E 's/[0-9]\.[0-9]{3}/FACTOR/g'
}

echo "== one net, all its works beside drawn ones, and three passes"
passes --device fake --time-budget 8s --full-pass "$small" --records r.jsonl
[ "$(grep -c '"type":"graph_run"' r.jsonl)" -eq 3 ]
before=$(wc -l <r.jsonl)

echo "== resumed: no pass is measured again"
passes --device fake --time-budget 1s --full-pass "$small" --records r.jsonl --resume | grep whole
[ "$(grep -c '"type":"graph_run"' r.jsonl)" -eq 3 ] && [ "$(wc -l <r.jsonl)" -ge "$before" ]

echo "== the records hold them, for later fits, too"
passes --from r.jsonl
paleo-fullpass --device fake --pass fwd --output alone.jsonl "$small" >/dev/null
grep -v graph_run r.jsonl >works.jsonl
passes --from works.jsonl --from alone.jsonl
passes --from works.jsonl --passes alone.jsonl

say paleo-calibrate --device fake --full-pass missing-net
say paleo-calibrate --full-pass "$small" --from r.jsonl
say paleo-calibrate --device fake --full-pass "$small" --mode hot

echo "== what cannot be run is refused at once, without a file"
say paleo-calibrate --device fake --full-pass "$small" --dtype fp8 --records none.jsonl --output none.json |
	sed "s|$1/||"
ls none.* 2>/dev/null || echo "no file"

echo "== sums of other times are not corrected"
paleo-profile --device fake --mode hot,cold --output modes.jsonl "$small" >/dev/null
grep graph_run r.jsonl >>modes.jsonl
passes --from modes.jsonl
passes --from modes.jsonl --mode hot
grep '"passes"' c.json || echo "none in the calibration"
say paleo-calibrate --from modes.jsonl --mode hot --passes alone.jsonl

echo "== interrupted within the passes"
has_passes() {
	[ "$(grep -sc '"type":"graph_run"' "$2")" -ge "$1" ] 2>/dev/null
}
PALEO_FAKE=slow paleo-calibrate --device fake --time-budget 6s --full-pass "$small" --records i.jsonl \
	--output i.json >out 2>&1 &
pid=$!
soon has_passes 1 i.jsonl
kill -TERM $pid
code=0
wait $pid || code=$?
echo "-> $code"
grep interrupted out
[ "$(grep -c '"type":"graph_run"' i.jsonl)" -lt 3 ] && echo "before the last pass"
grep -c '"type":"end"' i.jsonl || :
