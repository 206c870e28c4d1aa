#!/bin/sh
# nets.sh TIMES.csv FOLDER - whole nets on GPUs, predicted and as others measured them; prints nets.csv.
# SPDX-License-Identifier: Apache-2.0
#
# TIMES.csv has the columns device, net, batch and measured_ms, with a heading; net is a file of nets/
# beside this script. FOLDER holds the tables that README.md names. PALEO is the program,
# build/bin/paleo by default.
set -eu
times=$1
tables=$2
paleo=${PALEO:-build/bin/paleo}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# forward_ms NET BATCH OPTIONS... prints the sum of the forward ops.
forward_ms() {
	net=$here/nets/$1.json
	batch=$2
	shift 2
	"$paleo" predict --format csv --pass fwd --batch "$batch" "$@" "$net" >"$work/ops" 2>"$work/notes" ||
		{ cat "$work/notes" >&2 && return 1; }
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_s") at = i; next }
		{ sum += $at } END { if (!at || !sum) exit 1; printf "%.3f", 1e3 * sum }' "$work/ops"
}

# calibrate GPU: fits its tables of all kinds of ops, without the shapes that their source took from nets.
calibrate() {
	set -- "$1" --output "$work/$1.json"
	for kind in linear bmm vec; do
		gzip -dc "$tables/neusight_${kind}_$1.csv.gz" |
			awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "split") at = i }
				$at != "test"' >"$work/$1_$kind.csv"
		set -- "$@" --from "$work/$1_$kind.csv"
	done
	shift
	"$paleo" calibrate "$@" >"$work/notes"
}

calibrate V100_PCIE
calibrate P100_PCIE
echo "device,net,batch,measured_ms,unseen_ms,presets_ms,own_ms,paleo_ms"
sed 1d "$times" | while IFS=, read -r device net batch measured; do
	own=
	case $device in
	v100-*) own=$(forward_ms "$net" "$batch" --calibration "$work/V100_PCIE.json") ;;
	p100-*) own=$(forward_ms "$net" "$batch" --calibration "$work/P100_PCIE.json") ;;
	esac
	unseen=$(forward_ms "$net" "$batch" --device "$device" --cost-model presets-excluding-self)
	presets=$(forward_ms "$net" "$batch" --device "$device" --cost-model presets)
	half=$(forward_ms "$net" "$batch" --device "$device" --cost-model datasheet --ppp-compute 0.5 --ppp-memory 0.5)
	echo "$device,$net,$batch,$measured,$unseen,$presets,$own,$half"
done
