#!/bin/sh
# writes.sh - whichever write, fsync, rename or making of a file fails, it is said, and nothing is lost.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"
needs_shim

# A results file and others to be written over, as they were before.
paleo-profile --device fake --filter softmax --output records.old "$small" >/dev/null
paleo-profile --device fake --output whole.old "$small" >/dev/null
paleo-calibrate --device fake --time-budget 1s --records design.old --output calibration.old >/dev/null
paleo-calibrate --link fitted "$source/tests/data/comm/nccl_2.json" --output link.old >/dev/null
paleo-check --device fake >/dev/null || : # a past, without which there is no verdict
paleo-check --device fake --output ceilings.old >/dev/null
paleo-fullpass --device fake --pass fwd --output passes.old "$small" >/dev/null
paleo-algorithms --device fake --output description.old >/dev/null
paleo-convert --output net.old "$source/tests/data/caffe/flat.prototxt" >/dev/null
head -n 2 records.old >part.old # interrupted, and within a line
printf '{"type":"rec' >>part.old

# whole NAME - what was there is there, as it was: in its place, or kept beside a new one, or as the
# beginning of what was gone on with. A file that was replaced in one step is whole, if it is new.
whole() {
	for file in "$1" "$1.1"; do
		cmp -s "$1.old" "$file" && return
	done
	lines=$(grep -c '' "$1.old")
	[ "$1" != part ] || lines=2
	head -n "$lines" "$1" | cmp -s - "$1.want" && return
	case $1 in
	calibration | link | description | net) tail -c 2 "$1" | grep -q '}' && grep -q '^{' "$1" ;;
	*) return 1 ;;
	esac
}

# tidy - no file of a half-finished write is left.
tidy() {
	! find . -name '.*.part' -o -name '.*.lock' | grep .
}

again() {
	rm -f "$name" "$name.1"
	cp "$name.old" "$name"
}

# every_write NAME COMMAND... - lets each of the command's calls fail in turn; it writes to NAME.
every_write() {
	name=$1
	shift
	lines=$(grep -c '' "$name.old")
	[ "$name" != part ] || lines=2
	head -n "$lines" "$name.old" >"$name.want"
	again
	total=$(count_calls write "$@") || {
		bad "$*: fails by itself: $(cat err)"
		return
	}
	[ "$total" -gt 2 ] || bad "$*: only $total calls were seen"
	n=1
	while [ $n -le "$total" ]; do
		again
		with_failure write $n "$@"
		judge "$*, call $n of $total"
		[ "$code" != 0 ] || [ "$made" -lt $n ] || bad "$*, call $n of $total: it is not told"
		whole "$name" || bad "$*, call $n of $total: what was there is lost"
		tidy || bad "$*, call $n of $total: a file is left"
		n=$((n + 1))
	done
	echo "$1 into $name: $total calls"
}

every_write records paleo-profile --device fake --filter softmax --output records "$small"
every_write part paleo-profile --device fake --filter softmax --resume --output part "$small"
every_write calibration paleo-calibrate --from design.old --output calibration
every_write design paleo-calibrate --device fake --time-budget 1s --records design
every_write link paleo-calibrate --link fitted "$source/tests/data/comm/nccl_2.json" --output link
every_write net paleo-convert --output net "$source/tests/data/caffe/flat.prototxt"
every_write ceilings paleo-check --device fake --output ceilings
every_write passes paleo-fullpass --device fake --pass fwd --output passes "$small"
every_write description paleo-algorithms --device fake --output description

# every_signal NAME COMMAND... - it is told to end before each of these calls; it writes to NAME. The lock may
# be left, which is free then.
every_signal() {
	name=$1
	shift
	cp "$name.old" "$name.want"
	again
	total=$(count_calls signal "$@") || {
		bad "$*: fails by itself: $(cat err)"
		return
	}
	n=1
	while [ $n -le "$total" ]; do
		again
		with_failure signal $n "$@"
		whole "$name" || bad "$*, a signal at call $n of $total: what was there is lost"
		! find . -name '.*.part' | grep . || bad "$*, a signal at call $n of $total: a file is left"
		n=$((n + 1))
	done
	echo "$1 into $name: a signal at each of $total calls"
}

every_signal records paleo-profile --device fake --filter softmax --output records "$small"
every_signal calibration paleo-calibrate --from design.old --output calibration
every_signal net paleo-convert --output net "$source/tests/data/caffe/flat.prototxt"

# every_output COMMAND... - its standard output is a file that may not grow beyond each size in turn: it is
# told, and what was written is the beginning of what there is to say.
every_output() {
	"$@" >good 2>err || {
		bad "$*: fails by itself: $(cat err)"
		return
	}
	blocks=$(($(wc -c <good) / 512)) n=0
	while [ $n -le $blocks ]; do
		echo 0 >code
		# shellcheck disable=SC3045 # dash and bash both have it
		{ (ulimit -f $n && exec "$@") >out || echo $? >code; } 2>&1 | cat >err
		code=$(cat code)
		judge "$*, output of $n blocks"
		[ "$code" != 0 ] || bad "$*, output of $n blocks: it is not told"
		[ "$(wc -c <out)" -le $((512 * n)) ] || bad "$*: more than $n blocks"
		n=$((n + 1 + blocks / 8))
	done
	echo "$1: $(wc -c <good) bytes of output"
}

every_output paleo --help
every_output paleo-summary "$small"
every_output paleo-predict --device h200 --format csv "$small"
every_output paleo-predict --cost-model paleo2017 --device K20 "$small"
every_output paleo-simulate --cost-model paleo2017 --device K20 --link ethernet "$small"
every_output paleo-simulate --device h200 --link nvlink4 --workers 2 "$small"
every_output paleo-simulate --search --device h200 --workers 1,2 --batch 8 --strategy data \
	--link nvlink4 "$small"
every_output paleo-convert "$source/tests/data/caffe/flat.prototxt"
every_output paleo-devices
every_output paleo-algorithms --device fake --format jsonl "$small"
every_output paleo-calibrate --link fitted "$source/tests/data/comm/nccl_2.json"
every_output paleo-simulate --case firecaffe
every_output paleo-validate whole.old
finish "every write may fail"
