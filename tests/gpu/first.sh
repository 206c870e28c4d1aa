#!/bin/sh
# first.sh - the first minutes on a GPU: what one wants to know first, in that order.
# SPDX-License-Identifier: Apache-2.0
#
# first.sh [--dry | --rehearse] [FOLDER]
#
# Machine and libraries; the ceilings; ResNet-50 in bf16 NHWC, VGG-16 in f32, GPT-2 in bf16; a calibration of 60 s in
# bf16, and what it predicts of the nets; a training step of each net in one piece; a step of decoding with experts,
# in bf16 and with weights in blocks of fp8; if there is time, a calibration in f32, and what both predict.
# Finds the program as acceptance.sh does, and leaves at most 7 files in FOLDER (default: $OUT, else
# paleo-first); what a step finds is there when it ends, and the records of the step that runs are in
# unfinished.jsonl, so that a run that is cut leaves what it had. check.txt ends with a table of the steps.
#
# No step begins or goes on after $PALEO_FIRST_S seconds (default 500).
# Exit code: 0 all steps ended well, 1 one failed, 5 the time was up. --dry: a small net on the device `fake`;
# --rehearse: the nets themselves on it.
set -u

dry=0 real=1
case ${1:-} in
--dry) dry=1 real=0 && shift ;;
--rehearse) dry=1 && shift ;;
esac
out=${1:-${OUT:-paleo-first}}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
limit=${PALEO_FIRST_S:-500}
rm -f "$out/check.txt" "$out/ceilings.jsonl" "$out/layers.jsonl" "$out/net.jsonl" \
	"$out/design.jsonl" "$out/calibration.json"
# shellcheck source=tests/gpu/lib.sh
. "$here/lib.sh"
failed=0 late=0
: >"$work/table"

# row - the table's line of the last step, which is said when the step ends and again in the table.
row() {
	ended=well
	case $code in
	0) ;;
	5) ended='time up' late=1 ;;
	124) ended='cut off' late=1 && [ "$took" != 0 ] || ended='no time' ;;
	*) ended="code $code" failed=1 ;;
	esac
	awk -f "$here/judge/lib.awk" -f "$here/judge/sums.awk" stage=1 "$(a_file "$name.jsonl")" \
		stage=2 "$(a_file "$name.txt")" >"$work/sums"
	tab=$(printf '\t')
	IFS=$tab read -r measured lost sums <"$work/sums"
	printf '%-30s  %7s  %-8s  %8s  %6s  %s\n' "$name" "$took" "$ended" "$measured" "$lost" "$sums" |
		tee -a "$work/table" >>"$out/check.txt"
}

finish() {
	code=$?
	trap - EXIT
	say ""
	say "$(printf '%-30s  %7s  %-8s  %8s  %6s  %s' step seconds ended measured failed 'predicted / measured')"
	say "$(cat "$work/table")"
	say "$(($(date +%s) - began)) s"
	rm -rf "$work"
	[ "$failed" = 0 ] || exit 1
	[ "$late" = 0 ] || exit 5
	exit "$code"
}
trap finish EXIT
trap 'late=1; stop 5' INT TERM

# The nets: path without .json, batch, type, layout, seconds.
choose_nets() {
	shipped=$(cd "$here/../../nets" && pwd)
	device=0 seconds=60 answer=15
	nets="$shipped/resnet50:64:bf16:nhwc:90 $shipped/vgg16:32:f32:nchw:35 $shipped/gpt2:8:bf16:nchw:30"
	[ "$dry" = 0 ] || device=fake
	[ "$real" = 1 ] && return
	small=$(cd "$here/../golden" && pwd)/small
	seconds=2 answer=5
	nets="$small:4:bf16:nhwc:5 $small:4:f32:nchw:5 $small:8:bf16:nchw:5"
}

# profile PATH BATCH TYPE LAYOUT SECONDS
profile() {
	to=$(basename "$1")-b$2-$3
	[ "$4" = nhwc ] && to=$to-nhwc
	step $(($5 + opening)) "$to" "$paleo" profile --device "$device" --batch "$2" --dtype "$3" --layout "$4" \
		--time-budget "${5}s" --output "$unfinished" "$1.json"
	taken "$to" layers.jsonl
	row
	[ ! -e "$work/$to.jsonl" ] || cp "$work/$to.jsonl" nets/
}

# decode WEIGHTS - a step of the decoder: attention with a cache, experts, products with weights of this type.
decode() {
	to=decoder-$1
	step $((answer + opening)) "$to" "$paleo" profile --device "$device" --batch 8 --dtype bf16 \
		--time-budget "${answer}s" --output "$unfinished" "$decoder:decode,weights=$1"
	taken "$to" layers.jsonl
	row
}

# pass PATH BATCH TYPE LAYOUT - a whole training step; beside it the sum of the layers alone.
pass() {
	to=$(basename "$1")-b$2-$3
	[ "$4" = nhwc ] && to=$to-nhwc
	alone=''
	[ ! -s "$work/$to.jsonl" ] || alone="--from $work/$to.jsonl"
	# shellcheck disable=SC2086 # two words or none
	step $((opening + 20)) "step-$to" "$paleo" fullpass --device "$device" --batch "$2" --dtype "$3" --layout "$4" --pass step \
		--time-budget 2s $alone --output "$unfinished" "$1.json"
	taken "step-$to" net.jsonl
	row
}

# each COMMAND - of the nets; its words are split here.
each() {
	for net in $nets; do
		IFS=:
		# shellcheck disable=SC2086 # a list of words
		set -- "$1" $net
		IFS=' 	
'
		"$@"
	done
}

# calibrate TYPE LAYOUT TO - designed ops for as long as there is time, at most $seconds; a few are of no use.
calibrate() {
	spell=$(smaller "$seconds" $(($(seconds_left) - opening)))
	if [ "$spell" -lt 15 ] && [ "$real" = 1 ]; then
		say "calibrate-$1: no time left"
		return 1
	fi
	step $((spell + opening)) "calibrate-$1" "$paleo" calibrate --device "$device" --dtype "$1" --layout "$2" \
		--time-budget "${spell}s" --records "$unfinished" --output "$3"
	taken "calibrate-$1" design.jsonl
	row
}

# predict TYPES FILE... - what the calibration says of nets, which it has not seen.
predict() {
	to=validate-$1
	shift
	[ -s "$1" ] && [ -s "$out/calibration.json" ] || return 0
	step 20 "$to" "$paleo" validate --calibration "$out/calibration.json" "$@"
	keep "$work/$to.txt" check.txt
	row
}

find_program
choose_nets
make_decoder
environment "$out/check.txt"
cd "$work" || exit 2
mkdir nets
measure_ceilings "$device"
row
each profile
calibrate bf16 nhwc "$out/calibration.json" && predict bf16 nets/*-bf16*.jsonl
each pass
decode bf16
decode fp8_block
if calibrate f32 nchw "$work/f32.json" && [ -s "$out/design.jsonl" ]; then
	step 20 fit "$paleo" calibrate --from "$out/design.jsonl" --output "$out/calibration.json"
	row
	predict all nets/*.jsonl
fi
