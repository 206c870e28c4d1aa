#!/bin/sh
# check.sh - several modes in one run: side by side in the report, and apart in every fit.
# SPDX-License-Identifier: Apache-2.0
#
# On the fake device hot takes 0.7 of cold, weights-cold 0.85, and any launch 3 us.
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"
export PALEO_FAKE=still

# Times of the fake have no noise here, but their last digits are those of a quotient.
short() {
	sed -E 's/(0\.[0-9]{3})[0-9]{9,}/\1/g; s/measured in [0-9.]+ s/measured in TIME s/; s/([0-9]\.[0-9]{4})[0-9]*e/\1e/g'
}

paleo-profile --device fake --mode cold,hot,enqueue --pass fwd --output some.jsonl "$small" | short
echo "== the mode that was left out is added, what is there stays; predictions face the first mode"
paleo-profile --device fake --mode hot,weights-cold,cold,enqueue --pass fwd --resume --output some.jsonl \
	--format csv "$small" 2>notes |
	columns layer,kind,mode,measured_s,cold_s,hot_s,weights_cold_s,enqueue_s,status | short
grep -E '^resumed|measured in' notes | short
echo "== the first one has its own unit"
paleo-profile --device fake --mode enqueue,cold --pass fwd --output units.jsonl "$small" | sed -n '/enqueue us/p; /^conv1/p'
echo "== one mode that is not cold stands in the heading"
paleo-profile --device fake --mode hot --pass fwd --output hot.jsonl "$small" | sed -n '/^small,/p'

echo "== what fails in one mode costs that mode's time, not the others', and stays until it is retried"
for option in --output --resume --retry-failed; do
	echo "$option"
	[ "$option" = --retry-failed ] || PALEO_FAKE=still,fail=hot
	[ "$option" = --output ] && option=
	# shellcheck disable=SC2086 # an empty one is none
	say paleo-profile --device fake --mode cold,hot --pass fwd $option --output faults.jsonl "$small" |
		sed -n '/cold us/{s/  */ /g; p}; /^pool1/{s/  */ /g; p}; /rows hot /p; /^  forward  *hot /p; s/measured in [0-9.]* s/measured in TIME s/p; /^resumed/p; /^->/p'
	PALEO_FAKE=still
done

for wrong in cold,warm cold,cold '' 'cold,'; do
	say paleo-profile --device fake --mode "$wrong" "$small"
done

echo "== a fit, and what judges it, see one mode of the file"
paleo-profile --device fake --mode cold --output cold.jsonl "$small" >/dev/null
paleo-profile --device fake --mode cold,hot,weights-cold,enqueue --output all.jsonl "$small" >/dev/null
paleo-profile --device fake --mode hot --output hot.jsonl "$small" >/dev/null
dated() {
	sed 's/"created_utc":"[^"]*"/"created_utc":"DATE"/; s/"created_utc": "[^"]*"/"created_utc": "DATE"/' "$1"
}
for mode in cold hot; do
	for file in "$mode" all; do
		paleo-calibrate --mode $mode --from $file.jsonl --output $file-$mode.json | grep -E '^fitted'
		dated $file-$mode.json >$file-$mode.dated
		paleo-validate --mode $mode $file.jsonl | tail -n +2 >$file-$mode.validated
	done
	cmp $mode-$mode.dated all-$mode.dated && echo "$mode: one calibration"
	cmp $mode-$mode.validated all-$mode.validated && echo "$mode: one judgement"
	paleo-validate --calibration all-$mode.json all.jsonl >judged-all
	paleo-validate --calibration all-$mode.json $mode.jsonl >judged-one
	sed 1d judged-all >a && sed 1d judged-one >b && cmp a b && echo "$mode: judges its own"
done
cmp -s cold-cold.dated hot-hot.dated || echo "cold is not hot"
paleo-profile --device fake --mode hot,cold --calibration cold-cold.json --pass fwd --output hot.jsonl "$small" |
	grep '^it predicts'
