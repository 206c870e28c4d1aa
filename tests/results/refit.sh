#!/bin/sh
# refit.sh - PALEO FOLDER SCRATCH: a device's calibration is fitted again, and judged on all of its nets.
# SPDX-License-Identifier: Apache-2.0
#
# The committed calibration.json must be what today's code fits to the committed design-*.jsonl; only
# the time at which it was made may differ.
set -eu
paleo=$1
folder=$2
scratch=$3
mkdir -p "$scratch"

set --
for records in "$folder"/design-*.jsonl; do
	[ -f "$records" ] || { echo "no design-*.jsonl in $folder"; exit 1; }
	set -- "$@" --from "$records"
done
"$paleo" calibrate "$@" --output "$scratch/calibration.json" >"$scratch/factors.txt"
grep -v '"created_utc"' "$folder/calibration.json" >"$scratch/committed"
grep -v '"created_utc"' "$scratch/calibration.json" >"$scratch/fitted"
diff "$scratch/committed" "$scratch/fitted" || {
	echo "the committed calibration is not what the records give: fit it again and commit it"
	exit 1
}

set --
for records in "$folder"/*.jsonl; do
	case $records in */design-*) ;; *) set -- "$@" "$records" ;; esac
done
"$paleo" validate --calibration "$folder/calibration.json" "$@" >"$scratch/validation.txt"
grep -q '^whole nets' "$scratch/validation.txt" || { echo "no net among the records"; exit 1; }
