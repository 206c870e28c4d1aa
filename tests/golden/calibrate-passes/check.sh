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
[ "$(grep -c '"type":"fullpass"' r.jsonl)" -eq 3 ]
before=$(wc -l <r.jsonl)

echo "== resumed: no pass is measured again"
passes --device fake --time-budget 1s --full-pass "$small" --records r.jsonl --resume | grep whole
[ "$(grep -c '"type":"fullpass"' r.jsonl)" -eq 3 ] && [ "$(wc -l <r.jsonl)" -ge "$before" ]

echo "== the records hold them, for later fits, too"
passes --from r.jsonl
paleo-fullpass --device fake --pass fwd --output alone.jsonl "$small" >/dev/null
grep -v fullpass r.jsonl >works.jsonl
passes --from works.jsonl --from alone.jsonl
passes --from works.jsonl --passes alone.jsonl

say paleo-calibrate --device fake --full-pass missing-net
say paleo-calibrate --full-pass "$small" --from r.jsonl
say paleo-calibrate --device fake --full-pass "$small" --mode hot
