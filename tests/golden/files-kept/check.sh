#!/bin/sh
# check.sh - no run writes over what another has left: not its records, and not what is not paleo's.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

folder=paleo-results/fake
log=$source/tests/data/comm/nccl_2.json caffe=$source/tests/data/caffe/flat.prototxt

profile() {
	paleo-profile --device fake "$@"
}

# short COMMAND... - the sentences it ends with.
short() {
	say "$@" | grep -E '^(paleo-|->|earlier|resumed|.*cut)' || :
}

echo "== runs with other options have files of their own, others are kept"
profile "$small" >/dev/null
cp $folder/small-b4-f32.jsonl first
profile --filter softmax "$small" >/dev/null
profile --filter '^(conv|fc)' --pass fwd "$small" >/dev/null
profile --filter '^(conv|fd)' --pass fwd "$small" >/dev/null
profile --threads 1 "$small" >/dev/null
cmp first $folder/small-b4-f32.jsonl && echo "the first is as it was"
short profile "$small"
cmp first $folder/small-b4-f32.jsonl.1 && echo "and is kept"
short profile --force "$small"
ls $folder
paleo-profile --device fake --filter softmax --resume "$small" | grep resumed

echo "== what is not paleo's is not written over"
echo "a letter to somebody" >letter
cp letter copy
short profile --output letter "$small"
short paleo-calibrate --from first --output letter
short paleo-calibrate-comm "$log" --out letter
short paleo-convert "$caffe" --output letter
short paleo-ceilings --device fake --output letter
short paleo-fullpass --device fake --output letter "$small"
short paleo-algorithms --device fake --describe letter
short profile --resume --output letter "$small"
cmp letter copy && echo "it is still there"
paleo-calibrate-comm "$log" --out link.json >/dev/null
short paleo-calibrate --from first --output link.json
short paleo-calibrate --from first --force --output letter
grep -c '"paleo-calibration/' letter

echo "== nor are symbolic links"
cp copy letter
ln -s letter link
short profile --output link "$small"
short paleo-calibrate --from first --output link
short paleo-calibrate-comm "$log" --out link
short paleo-convert "$caffe" --output link
cmp letter copy && [ -L link ] && echo "both are still there"
short profile --force --output link "$small"
[ -L link ] && grep -c '"type":"end"' letter

echo "== a path that is too long for a file is not cut"
long=$(awk 'BEGIN { for (i = 0; i < 2500; i++) printf "d/"; print "file" }')
short profile --output "$long" "$small"
short paleo-ceilings --device fake --output "$long" | cut -c 1-60
short paleo-fullpass --device fake --output "$long" "$small"
short paleo-calibrate --from first --output "$long" | cut -c 1-60
ls -d d 2>/dev/null || echo "no folder is made for it"

echo "== two calibrations into one file"
PALEO_FAKE=slow paleo-calibrate --device fake --time-budget 100s --output cal.json >/dev/null 2>&1 &
pid=$!
soon test -e .cal.json.lock
short paleo-calibrate --from first --output cal.json
kill $pid
wait $pid || echo "interrupted -> $?"
short paleo-calibrate --from first --output cal.json
find . -name '.*.lock' -o -name '.*.part'

echo "== a folder that vanishes"
PALEO_FAKE=slow paleo-profile --device fake --output gone/records.jsonl alex_v2 >out 2>&1 &
pid=$!
soon has_records 2 gone/records.jsonl
rm -r gone
code=0
wait $pid || code=$?
grep '^paleo' out
echo "-> $code"

echo "== a file that is cut"
head -n 5 first >cut.jsonl
printf '{"type":"rec' >>cut.jsonl
short profile --resume --output cut.jsonl "$small"
measured cut.jsonl | cmp - /dev/stdin <<EOT && echo "every work once"
$(measured first)
EOT
grep -c '"type":"end"' cut.jsonl
cp cut.jsonl whole.jsonl
head -n 8 first >torn.jsonl
printf '{"type":"rec' >>torn.jsonl
short paleo-calibrate --from torn.jsonl --output cal.json
short profile --resume --output cut.jsonl "$small"
cmp cut.jsonl whole.jsonl && echo "nothing to add, nothing written"
PALEO_FAKE=slow paleo-profile --device fake --output short.jsonl alex_v2 >out 2>&1 &
pid=$!
soon has_records 2 short.jsonl
truncate -s 100 short.jsonl
code=0
wait $pid || code=$?
grep '^paleo' out | sed 's/of [0-9]* bytes/of SOME bytes/'
echo "-> $code"
