#!/bin/sh
# refit.sh - PALEO FOLDER SCRATCH: a device's calibration is fitted again, and judged on all of its nets.
# SPDX-License-Identifier: Apache-2.0
#
# The committed calibration.json must be what today's code fits to the committed design-*.jsonl: the
# same factors, and the same predictions of the nets' times to half a percent. Its parameters may
# differ by more, where they stand in for one another: another compiler's logarithms suffice.
set -eu
paleo=$1
folder=$2
scratch=$3
mkdir -p "$scratch"

# factors CALIBRATION - class, pass, type, kernel model and number of records of each, in the words of
# today also of a file of the earlier schema.
factors() {
	grep -E '"(class|pass|dtype|form|kernel_model|records)":' "$1" |
		sed 's/"form"/"kernel_model"/; s/"blocks"/"onednn_conv"/; s/"groups"/"onednn_grouped_conv"/
			s/"windows"/"onednn_pool"/; s/"channels"/"onednn_batch_norm"/; s/"loop"/"host_kernel"/'
}

# judged CALIBRATION RECORDS... - what it says of the nets, as CSV.
judged() {
	calibration=$1
	shift
	"$paleo" validate --calibration "$calibration" --format csv "$@" 2>/dev/null
}

set --
for records in "$folder"/design-*.jsonl; do
	[ -f "$records" ] || { echo "no design-*.jsonl in $folder"; exit 1; }
	set -- "$@" --from "$records"
done
"$paleo" calibrate "$@" --output "$scratch/calibration.json" >"$scratch/factors.txt"
factors "$folder/calibration.json" >"$scratch/committed"
factors "$scratch/calibration.json" >"$scratch/fitted"
[ -s "$scratch/committed" ]
diff "$scratch/committed" "$scratch/fitted" || {
	echo "the committed calibration has other factors than the records give: fit it again and commit it"
	exit 1
}

set --
for records in "$folder"/*.jsonl; do
	case $records in */design-*) ;; *) set -- "$@" "$records" ;; esac
done
judged "$folder/calibration.json" "$@" >"$scratch/committed.csv"
judged "$scratch/calibration.json" "$@" >"$scratch/fitted.csv"
grep -q '^net,' "$scratch/fitted.csv" || { echo "no net among the records"; exit 1; }
# times (..._s) to half a percent, errors and shares to 0.005; all else as it is
awk -F, '
	NR == FNR { line[FNR] = $0; next }
	FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i }
	{
		bad = split(line[FNR], was) != NF
		for (i = 1; i <= NF; i++) {
			allowed = name[i] ~ /_s$/ ? 0.005 * $i : 0.005
			number = $i ~ /^-?[0-9.]+(e-?[0-9]+)?$/ && was[i] ~ /^-?[0-9.]+(e-?[0-9]+)?$/
			bad = bad || (number ? ($i - was[i]) ^ 2 > allowed ^ 2 : $i != was[i])
		}
		if (bad) { print "committed: " line[FNR] "\nfitted:    " $0; differ = 1 }
	}
	END { exit differ || FNR < 2 }' "$scratch/committed.csv" "$scratch/fitted.csv" || {
	echo "the committed calibration predicts other times than the records give: fit it again and commit it"
	exit 1
}
