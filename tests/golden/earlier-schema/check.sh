#!/bin/sh
# check.sh - records and a calibration of the earlier schemas are used and gone on with; others are refused.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

schemas() {
	grep -o 'paleo-results/[0-9]*' "$1" | tr '\n' ' ' | sed 's/ $//'
	echo
}

# of_before FILE - the same in the words of the earlier schema.
of_before() {
	sed 's,paleo-results/3,paleo-results/1,; s/"graph_run"/"fullpass"/; s/"operand_sets"/"copies"/; s/"repetitions"/"visits"/
		s/"speed_\([a-z]*_per_s\)"/"pace_\1"/g; s/"in_network_s/"insitu_s/g
		s,paleo-calibration/3,paleo-calibration/2,; s/"kernel_model"/"form"/' "$1"
}

resumed() {
	paleo-profile --device fake --rounds 3 --resume --output old.jsonl "$small" | sed -n 's/ in [0-9.]* s.*//; /resumed/p'
}

paleo-profile --device fake --rounds 3 --filter conv --output new.jsonl "$small" >/dev/null
of_before new.jsonl >old.jsonl
schemas old.jsonl
echo "== resumed: a second line of meta names today's words, once"
resumed
schemas old.jsonl
resumed
schemas old.jsonl
of_before old.jsonl | grep -c '"visits":3'

echo "== the same calibration from either, and to either"
paleo-fullpass --device fake --pass fwd --output pass.jsonl "$small" >/dev/null
of_before pass.jsonl >pass_before.jsonl
sed 's,paleo-results/3,paleo-results/2,; s/"graph_run"/"fullpass"/' pass.jsonl >pass_between.jsonl
for words in pass pass_between pass_before; do
	paleo-profile --device fake --passes $words.jsonl --pass fwd "$small" | grep '^in-network' | sed 's/pass_be[a-z]*/pass/'
done
of_before old.jsonl >before.jsonl
for words in old before; do
	paleo-calibrate --from $words.jsonl --output $words.json >/dev/null
	grep -v created_utc $words.json >$words
done
cmp old before && echo "from either"
of_before old.json >before.json
for words in old before; do
	paleo-predict --calibration $words.json --format csv "$small" 2>/dev/null >$words
done
cmp old before && echo "to either"

echo "== refused"
sed 's,paleo-results/3,paleo-results/7,' new.jsonl >later.jsonl
sed 's/"operand_sets"/"copies"/' new.jsonl >mixed.jsonl
sed 's,paleo-calibration/3,paleo-calibration/0,' old.json >first.json
say paleo-validate later.jsonl
say paleo-validate mixed.jsonl
say paleo-predict --calibration first.json "$small"
say paleo-predict --calibration new.jsonl "$small"
