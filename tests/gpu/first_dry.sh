#!/bin/sh
# first_dry.sh - the first five minutes on the device `fake`: to the end, ended, killed, without time, with a fault.
# SPDX-License-Identifier: Apache-2.0
#
# first_dry.sh SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1"
scratch=$(cd "$1" && pwd)
code=0
paleo=$(cd "${PALEO_BUILD:-$here/../../build}" && pwd)/bin/paleo

first() {
	code=0
	"$here/first.sh" --dry "$scratch/$1" >"$scratch/log" 2>&1 || code=$?
}

wrong() {
	echo "WRONG: $*"
	cat "$scratch/log"
	exit 1
}

# lines FILE - that are whole.
lines() {
	grep -c '^{.*}$' "$1" || :
}

first whole
[ "$code" -eq 0 ] || wrong "it ended with $code"
cd "$scratch/whole"
for file in check.txt ceilings.jsonl layers.jsonl net.jsonl design.jsonl calibration.json; do
	[ -s "$file" ] || wrong "there is no $file"
done
[ "$(find . -type f | wc -l)" -eq 6 ] || wrong "it left something else"
[ "$(grep -c '"type":"end"' layers.jsonl)" -eq 5 ] || wrong "not all five profiles are whole"
[ "$(grep -c '"type":"graph_run".*"status":"ok"' net.jsonl)" -eq 3 ] || wrong "not all three passes were measured"
# a decoder's experts and its attention, which has a cache, are measured
for ops in 'moe fwd bf16' 'moe fwd fp8.*stored=fp8_block' 'gemm fwd fp8.*stored=fp8_block' 'attention.*cache=1'; do
	grep -qE "$ops.*\"status\":\"ok\"" layers.jsonl || wrong "no '$ops' was measured"
done
# small.json has 13 ops
grep -qE '^small-b4-bf16-nhwc +[0-9.]+ +well +13 +0 +0\.[0-9]+$' check.txt || wrong "the table lacks a profile"
grep -qE '^validate-all +[0-9.]+ +well +- +- +small [0-9.]+(, small [0-9.]+){2}$' check.txt ||
	wrong "the table lacks what was predicted"
cd - >/dev/null

# killed in the middle of the second profile: what was measured can be read
export PALEO_FAKE=op-delay=0.15
setsid "$here/first.sh" --dry "$scratch/killed" >"$scratch/log" 2>&1 &
session=$!
tries=0
# the first one is whole and put by before the second begins: a file of 5 to 9 lines is of the second
in_second() {
	[ -s "$scratch/killed/layers.jsonl" ] || return 1
	count=$(lines "$scratch/killed/unfinished.jsonl" 2>/dev/null) || return 1
	[ "$count" -gt 4 ] && [ "$count" -lt 10 ]
}
until in_second; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || wrong "it did not come to its second profile"
	sleep 0.1
done
pkill -KILL -s "$session"
wait "$session" 2>/dev/null || :
cd "$scratch/killed"
grep -qE '^small-b4-bf16-nhwc +[0-9.]+ +well +13 +0 ' check.txt || wrong "killed, it does not tell what it had"
grep -q '"type":"ceiling"' ceilings.jsonl || wrong "killed, it left no ceilings"
cd - >/dev/null
"$paleo" validate "$scratch/killed/layers.jsonl" "$scratch/killed/unfinished.jsonl" >"$scratch/log" 2>&1 ||
	wrong "what a kill has left cannot be read"
grep -q '^[0-9]* records' "$scratch/log" || wrong "what a kill has left holds no records"

# ended by a signal: the table is there, and says so
setsid "$here/first.sh" --dry "$scratch/ended" >"$scratch/log" 2>&1 &
session=$!
sleep 3
kill -TERM "$session"
code=0
wait "$session" || code=$?
[ "$code" -eq 5 ] || wrong "ended by a signal it ended with $code, expected 5"
grep -q '^step .* seconds' "$scratch/ended/check.txt" || wrong "ended by a signal it printed no table"

# without time it says that it had none
PALEO_FIRST_S=2
export PALEO_FIRST_S
first late
[ "$code" -eq 5 ] || wrong "without time it ended with $code, expected 5"
grep -qE '^small-b4-f32 +0 +no time' "$scratch/late/check.txt" || wrong "without time it does not say so"
unset PALEO_FIRST_S

# what fails ends no other step
export PALEO_FAKE=crash=pool
first faulty
[ "$code" -eq 1 ] || wrong "with a fault it ended with $code, expected 1"
grep -qE '^small-b4-f32 +[0-9.]+ +code 1 +[0-9]+ +[1-9]' "$scratch/faulty/check.txt" || wrong "it tells no lost rows"
grep -q '^calibrate-f32 ' "$scratch/faulty/check.txt" || wrong "with a fault it did not come to its end"
tail -n 5 "$scratch/whole/check.txt"
