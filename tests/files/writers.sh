#!/bin/sh
# writers.sh - of two that write to one file one is refused, or they come in turn; the file is whole.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"

rounds=5

# outcome CODE FILE - counts it: it went well, or it was refused for the right reason.
outcome() {
	if [ "$1" = 0 ]; then
		good=$((good + 1))
	elif grep -q 'another paleo is writing to this file' "$2"; then
		refused=$((refused + 1))
	else
		bad "$what: ended with $1: $(cat "$2")"
	fi
}

# begin COMMAND... - runs it; in the last round with a pause after it has made a file, in which the
# other one comes.
begin() {
	if [ $i -lt $((rounds - 1)) ] || sanitized; then
		"$@"
	else
		PALEO_FAIL=pause:400 LD_PRELOAD=$shim "$@"
	fi
}

# two NAME WHAT COMMAND... - runs it twice at once, some times; it writes to NAME, which must be $alone then.
two() {
	name=$1 what=$2
	shift 2
	good=0 refused=0 i=0
	while [ $i -lt $rounds ]; do
		begin "$@" >out1 2>err1 &
		first=$!
		[ $i -lt $((rounds - 1)) ] || sleep 0.2
		code=0
		"$@" >out2 2>err2 || code=$?
		outcome $code err2
		code=0
		wait $first || code=$?
		outcome $code err1
		shape "$name" | cmp -s - alone.shape || bad "$what, round $i: $name is not whole"
		i=$((i + 1))
	done
	[ $good -ge $rounds ] || bad "$what: both were refused"
	find . -name '.*.lock' -o -name '.*.part' | grep . && bad "$what: a file is left"
	echo "$what: $((2 * rounds)) writers, $good well, $refused refused"
}

# shape FILE - what it says but for times, dates, and ops that were measured again.
shape() {
	if grep -q '"type":"meta"' "$1"; then
		measured "$1" | sort -u
		grep -c '"type":"end"' "$1"
	else
		sed 's/"created_utc": "[^"]*"//' "$1"
	fi
}

# alone COMMAND... - what it writes to the file "alone" when nobody else does.
alone() {
	rm -f alone
	"$@" >/dev/null
	shape alone >alone.shape
}

comm=$source/tests/data/comm/nccl_2.json net=$source/tests/data/caffe/flat.prototxt
paleo-profile --device fake --output records.jsonl "$small" >/dev/null

alone paleo-profile --device fake --output alone "$small"
two profile "profiles" paleo-profile --device fake --output profile "$small"
measured records.jsonl | sort -u >want
for kept in profile profile.*; do # none of the earlier ones was lost
	measured "$kept" | sort -u | cmp -s - want || bad "profiles: $kept is not whole"
done
[ "$(find . -name 'profile*' | wc -l)" = $good ] || bad "profiles: of $good not all are kept"
alone env PALEO_FAKE=slow paleo-profile --device fake --filter softmax --output alone "$small"
two slow "slow profiles" \
	env PALEO_FAKE=slow paleo-profile --device fake --filter softmax --output slow "$small"
[ $refused -gt 0 ] || bad "slow profiles: nobody was refused"
alone paleo-fullpass --device fake --pass fwd --output alone "$small"
two passes "whole passes" paleo-fullpass --device fake --pass fwd --output passes "$small"
paleo-check --device fake >/dev/null || : # a past, without which there is no verdict
alone paleo-check --device fake --output alone
two ceilings "ceilings" paleo-check --device fake --output ceilings
alone paleo-calibrate --from records.jsonl --output alone
two calibration "calibrations" paleo-calibrate --from records.jsonl --output calibration
alone paleo-calibrate --link fitted "$comm" --output alone
two link "links" paleo-calibrate --link fitted "$comm" --output link
alone paleo-convert --output alone "$net"
two net.json "nets" paleo-convert --output net.json "$net"
alone paleo-algorithms --device fake --output alone
two description "descriptions" paleo-algorithms --device fake --output description
finish "two may write to one file"
