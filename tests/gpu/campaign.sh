#!/bin/sh
# campaign.sh - six nets at three batches on a GPU, and calibrations to judge on them; in several calls.
# SPDX-License-Identifier: Apache-2.0
#
# campaign.sh [--dry] [RESULTS]
#
# Finds the program as acceptance.sh does. Adds to RESULTS/DEVICE (default: results), as results/README.md
# describes it: design-TYPE.jsonl and the calibrations fitted to them, from 60 s and from 5 minutes; a profile
# NET-bBATCH-TYPE.jsonl of each net, forward, backward and update, in f32 and tf32 (NCHW) and bf16 (NHWC); full
# passes; and validation.txt, what the calibrations predict, also with whole nets held out. A call takes
# $PALEO_CAMPAIGN_S seconds (default 560) and goes on where the last one ended: what is complete is left alone.
# It ends with 0 when nothing is left, with 5 when the time was up, with 1 when a step failed.
#
# All of RESULTS/DEVICE also goes to campaign.tar.gz in $OUT (default: paleo-campaign), with the log in
# check.txt. On a machine that keeps nothing, unpack it into RESULTS before the next call. --dry: a small net
# on the device `fake`.
set -u

dry=0
[ "${1:-}" = --dry ] && dry=1 && shift
mkdir -p "${1:-results}" "${OUT:-paleo-campaign}"
results=$(cd "${1:-results}" && pwd)
out=$(cd "${OUT:-paleo-campaign}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
limit=${PALEO_CAMPAIGN_S:-560}
rm -f "$out/check.txt" "$out/campaign.tar.gz"
# shellcheck source=tests/gpu/lib.sh
. "$here/lib.sh"
folder='' left_over=0 failed=0 made=0

finish() {
	code=$?
	trap - EXIT
	[ -z "$folder" ] || tar -C "$results" -czf "$out/campaign.tar.gz" "$(basename "$folder")"
	rm -rf "$work"
	say "$made made, $left_over left, $failed failed, $(($(date +%s) - began)) s"
	[ "$failed" -eq 0 ] || code=1
	[ "$code" -ne 0 ] || [ "$left_over" -eq 0 ] || code=5
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

# unit SECONDS NAME COMMAND... - a step, if there is time for it: so many seconds, and for opening the device.
unit() {
	seconds=$1
	shift
	if [ "$(seconds_left)" -lt $((seconds + 15)) ]; then
		left_over=$((left_over + 1))
		return 5
	fi
	step $((seconds * 2 + 30)) "$@"
	case $code in
	0) made=$((made + 1)) ;;
	5 | 124) left_over=$((left_over + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	return "$code"
}

# Which device it is, and its folder; peaks that the acceptance run measured are taken over.
find_device() {
	device=0
	[ "$dry" = 1 ] && device=fake
	step 40 device "$paleo" profile --device "$device" --batch 1 --pass fwd --time-budget 1s \
		--output "$work/device.jsonl" "$here/../golden/small.json"
	name=$(device_name "$(a_file device.jsonl)")
	if [ -z "$name" ]; then
		say "no device was opened"
		failed=$((failed + 1))
		exit 1
	fi
	folder=$results/$name
	mkdir -p "$folder" "$work/paleo-results/$name"
	[ ! -e "$folder/ceilings.jsonl" ] || cp "$folder/ceilings.jsonl" "$work/paleo-results/$name/"
}

# The nets with three batches each, the middle one first; seconds for one profile.
choose_nets() {
	shipped=$(cd "$here/../../nets" && pwd)
	nets="$shipped/resnet50:64,32,128 $shipped/vgg16:32,16,64 $shipped/alex_v2:128,64,256
		$shipped/inception_v3:32,16,64 $shipped/densenet:32,16,64 $shipped/nin:128,64,256"
	short=8 first=60 second=240
	if [ "$dry" = 1 ]; then
		nets="$(cd "$here/../golden" && pwd)/small:4,2,8"
		short=3 first=2 second=2
	fi
}

# calibrate TYPE LAYOUT SECONDS NAME - measures designed works for so long, more of them at each call.
calibrate() {
	end=$1
	[ "$2" = nhwc ] && end=$1-nhwc
	[ -e "$folder/$4" ] && return
	unit "$3" "calibrate-$4" "$paleo" calibrate --device "$device" --dtype "$1" --layout "$2" \
		--time-budget "${3}s" --resume --records "$folder/design-$end.jsonl" --output "$folder/$4" || rm -f "$folder/$4"
}

# profiles PLACE - every net in every type, at the batch of this place in its list.
profiles() {
	for kind in "f32 nchw" "bf16 nhwc" "tf32 nchw"; do
		dtype=${kind% *} layout=${kind#* }
		for net in $nets; do
			batch=$(echo "${net#*:}" | cut -d, -f"$1")
			file=$(basename "${net%:*}")-b$batch-$dtype
			[ "$layout" = nhwc ] && file=$file-nhwc
			is_complete "$folder/$file.jsonl" && continue
			unit "$short" "$file" "$paleo" profile --device "$device" --batch "$batch" --dtype "$dtype" \
				--layout "$layout" --time-budget "${short}s" --resume \
				--output "$folder/$file.jsonl" "${net%:*}.json" || :
		done
	done
}

fullpasses() {
	for kind in "f32 nchw" "bf16 nhwc"; do
		dtype=${kind% *} layout=${kind#* }
		for net in $nets; do
			batch=$(echo "${net#*:}" | cut -d, -f1)
			file=fullpass-$(basename "${net%:*}")-b$batch-$dtype
			[ "$layout" = nhwc ] && file=$file-nhwc
			[ "$(count '"type":"fullpass"' "$folder/$file.jsonl")" -ge 3 ] && continue
			unit 12 "$file" "$paleo" fullpass --device "$device" --batch "$batch" --dtype "$dtype" \
				--layout "$layout" --time-budget 3s --resume --output "$folder/$file.jsonl" \
				"${net%:*}.json" || :
		done
	done
}

# One calibration of all types, and what each predicts. Needs no device, and is made anew at each call.
judge_all() {
	set --
	for file in "$folder"/design-*.jsonl; do
		[ -e "$file" ] && set -- "$@" --from "$file"
	done
	[ $# -eq 0 ] || unit 20 fit "$paleo" calibrate "$@" --output "$folder/calibration.json" || return
	set --
	for file in "$folder"/*-b*-*.jsonl; do
		case $file in */design-* | */fullpass-*) continue ;; esac
		[ -e "$file" ] && set -- "$@" "$file"
	done
	[ $# -eq 0 ] && return
	: >"$work/validation.txt"
	for calibration in "$folder"/calibration*.json; do
		[ -e "$calibration" ] || continue
		unit 10 validate "$paleo" validate --calibration "$calibration" "$@" || continue
		echo "== $(basename "$calibration"), which has seen none of the nets" >>"$work/validation.txt"
		cat "$work/validate.txt" >>"$work/validation.txt"
	done
	unit 60 held-out "$paleo" validate "$@" && {
		echo "== each net held out of a fit to the others" >>"$work/validation.txt"
		cat "$work/held-out.txt" >>"$work/validation.txt"
	}
	cp "$work/validation.txt" "$folder/validation.txt"
}

find_program
choose_nets
cd "$work" || exit 2
find_device
environment "$folder/env.txt"
profiles 1
calibrate f32 nchw "$first" calibration-60s.json
fullpasses
profiles 2
calibrate f32 nchw "$second" calibration-300s.json
calibrate bf16 nhwc "$first" calibration-bf16-nhwc-60s.json
calibrate tf32 nchw "$first" calibration-tf32-60s.json
profiles 3
judge_all
