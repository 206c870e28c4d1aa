#!/bin/sh
# campaign.sh - four nets in two number types on a GPU, and calibrations to judge on them; in several calls.
# SPDX-License-Identifier: Apache-2.0
#
# campaign.sh [--dry | --rehearse] [RESULTS]
#
# Finds the program as acceptance.sh does. Adds to RESULTS/DEVICE (default: paleo-results): ceilings.jsonl, unless it
# is there; a profile NET-bBATCH-TYPE.jsonl of each net, forward, backward and update, in f32 (NCHW) and bf16 (NHWC);
# decoder-TYPE.jsonl, a step of decoding with experts, by the type of its weights; design-TYPE.jsonl;
# calibration.json, fitted to all of them, and calibration-TYPE-60s.json, each to one type; full passes; and validation.txt, what the calibrations predict, also with whole nets held out. A call takes
# $PALEO_CAMPAIGN_S seconds (default 560) and goes on where the last one ended: what is complete is left alone, and
# what is not complete after a second try is left as it is (tries.txt counts them), so that it always ends.
# It ends with 0 when nothing is left, with 5 when the time was up, with 1 when a step failed.
#
# All of RESULTS/DEVICE also goes to campaign.tar.gz in $OUT (default: paleo-campaign), with the log in check.txt:
# after each step, and every five seconds while one runs, so that a call that is cut leaves what it had.
# On a machine that keeps nothing, unpack it into RESULTS before the next call. --dry: a small net
# on the device `fake`; --rehearse: the nets themselves on it.
set -u

dry=0 real=1
case ${1:-} in
--dry) dry=1 real=0 && shift ;;
--rehearse) dry=1 && shift ;;
esac
mkdir -p "${1:-paleo-results}" "${OUT:-paleo-campaign}"
results=$(cd "${1:-paleo-results}" && pwd)
out=$(cd "${OUT:-paleo-campaign}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
limit=${PALEO_CAMPAIGN_S:-560}
rm -f "$out/check.txt" "$out/campaign.tar.gz"
# shellcheck source=tests/gpu/lib.sh
. "$here/lib.sh"
folder='' left_over=0 failed=0 made=0 packer=''

finish() {
	code=$?
	trap - EXIT
	[ -z "$packer" ] || kill "$packer" 2>/dev/null
	pack end
	rm -f "$out"/.packed-*
	rm -rf "$work"
	say "$made made, $left_over left, $failed failed, $(($(date +%s) - began)) s"
	[ "$failed" -eq 0 ] || code=1
	[ "$code" -ne 0 ] || [ "$left_over" -eq 0 ] || code=5
	exit "$code"
}
trap finish EXIT
trap 'stop 130' INT TERM

# pack NAME - never half an archive: it goes to $out when it is whole.
pack() {
	[ -n "$folder" ] || return 0
	tar -C "$results" -czf "$out/.packed-$1" "$(basename "$folder")" 2>/dev/null
	mv "$out/.packed-$1" "$out/campaign.tar.gz"
}

keep_packing() {
	while sleep 5; do
		pack meanwhile
	done
}

# tries NAME - how often this unit was begun, in this call and before.
tries() {
	count "^$1\$" "$folder/tries.txt"
}

# unit SECONDS NAME COMMAND... - a step, if there is time for it: so many seconds, and for opening the device. What
# was tried twice is left as it is.
unit() {
	seconds=$1
	shift
	if [ "$(tries "$1")" -ge 2 ]; then
		say "$1: left as it is after two tries"
		return 0
	fi
	if [ "$(seconds_left)" -lt $((seconds + 15)) ]; then
		left_over=$((left_over + 1))
		return 5
	fi
	echo "$1" >>"$folder/tries.txt"
	step $((seconds + opening)) "$@"
	case $code in
	0) made=$((made + 1)) ;;
	5 | 124)
		if [ "$(tries "$name")" -ge 2 ]; then
			say "$name: the time was up twice: left as it is"
		else
			left_over=$((left_over + 1))
		fi
		;;
	*) failed=$((failed + 1)) ;;
	esac
	return "$code"
}

# The device's name, by measuring a little.
probe() {
	step $((opening + 15)) device "$paleo" profile --device "$device" --batch 1 --pass fwd --filter '^conv1$' --time-budget 5s \
		--output "$work/device.jsonl" "$here/../golden/small.json"
	chip=$(device_name "$(a_file device.jsonl)")
}

# Which device it is, and its folder; ceilings that were measured before are taken over.
find_device() {
	device=0 chip=''
	[ "$dry" = 1 ] && device=fake
	for file in "$results"/*/ceilings.jsonl; do
		use_ceilings "$file"
	done
	[ -z "$chip" ] || probe
	if [ -z "$chip" ] || [ ! -s "$results/$chip/ceilings.jsonl" ]; then
		measure_ceilings "$device"
	fi
	[ -n "$chip" ] || probe
	if [ -z "$chip" ]; then
		say "no device was opened"
		failed=$((failed + 1))
		exit 1
	fi
	folder=$results/$chip
	mkdir -p "$folder"
	[ -s "$folder/ceilings.jsonl" ] || cp "$work/paleo-results/$chip/ceilings.jsonl" "$folder/" 2>/dev/null
	keep_packing &
	packer=$!
}

# The nets: path, batch, seconds for its profile; seconds for one calibration.
choose_nets() {
	shipped=$(cd "$here/../../nets" && pwd)
	nets="$shipped/resnet50:64:55 $shipped/vgg16:32:40 $shipped/gpt2:8:40 $shipped/alex_v2:128:40"
	spell=60 answer=15
	if [ "$real" = 0 ]; then
		nets="$(cd "$here/../golden" && pwd)/small:4:3"
		spell=2 answer=4
	fi
}

# each_type COMMAND... - with $dtype, $layout and $end, what stands behind a type in the names of files. No kernel of
# attention is in f32.
each_type() {
	dtype=f32 layout=nchw end=f32 attention=--separate-attention
	"$@"
	dtype=bf16 layout=nhwc end=bf16-nhwc attention=
	"$@"
}

# A step of decoding with experts, by the type of its weights; no fit has seen such ops.
decoders() {
	for one in bf16 fp8_block; do
		file=decoder-$one
		is_complete "$folder/$file.jsonl" && continue
		unit "$answer" "$file" "$paleo" profile --device "$device" --batch 8 --dtype bf16 \
			--time-budget "${answer}s" --resume --output "$folder/$file.jsonl" \
			"$decoder:decode,weights=$one" || :
	done
}

# Every net in this type.
profiles() {
	for one in $nets; do
		take_net "$one"
		file=$(basename "$net")-b$batch-$end
		is_complete "$folder/$file.jsonl" && continue
		unit "$budget" "$file" "$paleo" profile --device "$device" --batch "$batch" --dtype "$dtype" \
			--layout "$layout" --time-budget "${budget}s" --resume --output "$folder/$file.jsonl" \
			${attention:+"$attention"} "$net.json" || :
	done
}

# Designed ops, more of them at a second try.
calibrate() {
	file=calibration-$end-60s.json
	[ -s "$folder/$file" ] && return
	unit "$spell" "calibrate-$end" "$paleo" calibrate --device "$device" --dtype "$dtype" --layout "$layout" \
		--time-budget "${spell}s" --resume --records "$folder/design-$end.jsonl" --output "$folder/$file" ||
		rm -f "$folder/$file"
}

# All passes of every net in one piece.
fullpasses() {
	for one in $nets; do
		take_net "$one"
		file=fullpass-$(basename "$net")-b$batch-$end
		[ "$(count '"type":"graph_run"' "$folder/$file.jsonl")" -ge 3 ] && continue
		unit "$budget" "$file" "$paleo" fullpass --device "$device" --batch "$batch" --dtype "$dtype" \
			--layout "$layout" --time-budget 3s --resume --output "$folder/$file.jsonl" \
			${attention:+"$attention"} "$net.json" || :
	done
}

# judged SECONDS NAME TITLE COMMAND... - a step without a device, which is made anew; its output to validation.txt.
judged() {
	title=$3
	most=$1 name=$2
	shift 3
	step "$most" "$name" "$@"
	if [ "$code" -ne 0 ]; then
		left_over=$((left_over + 1))
		return
	fi
	[ -z "$title" ] || {
		echo "== $title"
		cat "$work/$name.txt"
	} >>"$work/validation.txt"
}

# profiles_of END - the profiles of nets in this type, of all types for '*'; names without spaces.
profiles_of() {
	for file in *-b[0-9]*.jsonl; do
		# shellcheck disable=SC2254 # a pattern
		case $file in
		fullpass-*) continue ;;
		*-$1.jsonl) ;;
		*) continue ;;
		esac
		[ ! -s "$file" ] || echo "$file"
	done
}

# predict CALIBRATION FILE... - what it says of nets, which it has not seen.
predict() {
	[ -s "$1" ] && [ $# -gt 1 ] || return 0
	judged 10 validate "$1, which has seen none of the nets" "$paleo" validate --calibration "$@"
}

# shellcheck disable=SC2046 # lists of words
# One calibration of both types, and what each predicts of the nets of its type.
judge_all() {
	cd "$folder" || return
	[ "$made" -gt 0 ] || [ ! -s validation.txt ] || return
	set --
	for file in design-*.jsonl; do
		[ -e "$file" ] && set -- "$@" --from "$file"
	done
	[ $# -eq 0 ] || judged 20 fit '' "$paleo" calibrate "$@" --output calibration.json
	[ -n "$(profiles_of '*')" ] || return
	: >"$work/validation.txt"
	predict calibration-f32-60s.json $(profiles_of f32)
	predict calibration-bf16-nhwc-60s.json $(profiles_of bf16-nhwc)
	predict calibration.json $(profiles_of '*')
	judged 60 held-out 'each net held out of a fit to the others' "$paleo" validate $(profiles_of '*')
	cp "$work/validation.txt" validation.txt
}

find_program
choose_nets
make_decoder
cd "$work" || exit 2
find_device
environment "$folder/env.txt"
each_type profiles
decoders
each_type calibrate
judge_all
cd "$work" || exit 2
each_type fullpasses
true # what failed and what is left is counted
