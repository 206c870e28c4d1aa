#!/bin/sh
# power.sh - when the power fails, at whatever moment: no record that was on the disk is lost.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"
needs_shim
log_calls=$5 power_loss=$6 read_records=$7

# The clock goes 200 times faster, and a busy machine stalls an op for seconds.
slow="--time-budget 24h --op-timeout 1h"

# run NAME COMMAND... - logs it in a folder of its own, where "before" holds what was there, and leaves
# all states of the disk in "states"; their number is in $states.
run() {
	cd "$work"
	rm -rf run
	mkdir -p run/before
	name=$1
	shift
	[ ! -e "$name.before" ] || cp "$name.before" run/before/"$name"
	cd run
	old=
	for file in before/*; do
		[ -e "$file" ] || continue
		cp "$file" .
		old="$old $(stat -c %i "${file#before/}")=${file#before/}"
	done
	code=0
	PALEO_LOG=$work/log LD_PRELOAD=$log_calls "$@" >out 2>err || code=$?
	[ $code = 0 ] || bad "$*: ended with $code: $(cat err; tail -n 3 out)"
	mkdir states
	# shellcheck disable=SC2086 # a list of words
	states=$("$power_loss" "$work/log" $old states)
	[ "$states" -ge 5 ] || bad "$*: only ${states:-no} states"
	moments=$(grep -acE '^(make|write|cut|sync|move|drop) ' "$work/log")
}

# kept STATE - each line that must be there stands in a file of this state.
kept() {
	find "states/$1" -type f -exec cat {} ';' -exec echo ';' >all
	grep -avxFf all "states/$1.must" | head -n 1 | cut -c 1-100
}

# readable STATE FILE - the reader finds each record that must be there, in FILE or what was kept.
readable() {
	must=$(grep -ac '"type":"record"' "states/$1.must" || :)
	[ "$must" -gt 0 ] || return 0
	found=0 why=
	for file in "states/$1/$2"*; do
		n=$("$read_records" "$file")
		case $n in
		*[!0-9]*) why=$n ;; # the new one is empty still
		*) found=$((found + n)) ;;
		esac
	done
	[ "$found" -ge "$must" ] || echo "$found of $must records are read: $why"
}

# records_survive NAME WHAT COMMAND... - no record is lost in any state, and each can be gone on with.
records_survive() {
	name=$1 what=$2
	shift 2
	run "$name" "$@"
	n=0 most=0 steps=0
	while [ $n -lt "$states" ]; do
		lost=$(kept $n)
		[ -z "$lost" ] || bad "$what, state $n: lost: $lost"
		unread=$(readable $n "$name")
		[ -z "$unread" ] || bad "$what, state $n: $unread"
		must=$(grep -ac '"type":"record"' states/$n.must || :)
		[ "$must" -le "$most" ] || {
			most=$must
			steps=$((steps + 1))
		}
		n=$((n + 1))
	done
	[ $steps -ge 3 ] || bad "$what: on the disk only at its end"
	grep -avxFf states/$((states - 1)).must "$name" >all || :
	[ ! -s all ] || bad "$what: after it not all is on the disk"
	echo "$what: $moments moments, $states states, at most $most records"
}

# goes_on NAME COMMAND... - of some states the run can be gone on with, and is whole then.
goes_on() {
	name=$1
	shift
	n=0 tried=0
	while [ $n -lt "$states" ]; do
		cp "states/$n/$name" resumed 2>/dev/null || : >resumed
		paleo-profile --device fake --resume --output resumed alex_v2 >out 2>err ||
			bad "state $n cannot be gone on with: $(cat err)"
		measured resumed | sort -u | cmp -s - "$work/whole" || bad "state $n: an op is missing"
		tried=$((tried + 1))
		n=$((n + 1 + states / 10))
	done
	echo "$tried states were gone on with"
}

# whole_or_old NAME WHAT COMMAND... - in each state the file is the earlier one, or the new one.
whole_or_old() {
	name=$1 what=$2
	shift 2
	run "$name" "$@"
	n=0
	while [ $n -lt "$states" ]; do
		file=states/$n/$name
		if [ -e "before/$name" ] || [ -e "$file" ]; then
			cmp -s "$file" "before/$name" || cmp -s "$file" "$name" ||
				bad "$what, state $n: the file is neither whole nor the earlier one"
		fi
		n=$((n + 1))
	done
	cmp -s "states/$((states - 1))/$name" "$name" || bad "$what: after it the new one is not safe"
	echo "$what: $moments moments, $states states"
}

paleo-profile --device fake --output records.before alex_v2 >/dev/null
measured records.before | sort -u >whole
head -n 20 records.before >part.before
printf '{"type":"rec' >>part.before
paleo-calibrate --link fitted "$source/tests/data/comm/nccl_2.json" --output link.before >/dev/null
paleo-profile --device fake --output small.jsonl "$small" >/dev/null
paleo-calibrate --from small.jsonl --force --output calibration.before >/dev/null

# shellcheck disable=SC2086 # a list of words
{
	records_survive new "a new profile" paleo-profile --device fake $slow --output new alex_v2
	goes_on new
	records_survive records "a profile that keeps another" \
		paleo-profile --device fake $slow --output records alex_v2
	records_survive part "a profile that goes on" \
		paleo-profile --device fake $slow --resume --output part alex_v2
	goes_on part
}
whole_or_old net.json "a net" \
	paleo-convert --output net.json "$source/tests/data/caffe/flat.prototxt"
whole_or_old calibration "a calibration" \
	paleo-calibrate --from "$work/small.jsonl" --output calibration
whole_or_old link "a link" \
	paleo-calibrate --link fitted "$source/tests/data/comm/nccl_4.log" --output link
finish "the power may fail at any moment"
