#!/bin/sh
# refit.sh - PALEO CALIBRATION RECORDS SCRATCH: a calibration is fitted again, and judged on the nets of its records.
# SPDX-License-Identifier: Apache-2.0
#
# RECORDS is a folder with design-*.jsonl.gz and maybe hour/*-design.jsonl.gz, which CALIBRATION was fitted to, and
# profiles of nets. A fit to them by
# today's code must have the same classes with as many records each, and predict the same within
#
# - 0.5 % for the times of nets and the ends of their intervals: the same op measured twice differs by 2 to 4 %, so a
#   change that small is none for a user. Records changed by one part in a million at random, which is more than
#   another C library's logarithms can do, change these times by three parts in a million;
# - 0.005 for the median, mean and bias of each class of ops.
#
# Parameters may differ, where they stand in for one another, and so may the number of rows within an interval.
set -eu
paleo=$1 committed=$2 records=$3 scratch=$4
mkdir -p "$scratch"
fitted=$scratch/calibration.json

# classes CALIBRATION - class, pass, type and number of records of each.
classes() {
	grep -E '"(class|pass|dtype|records)":' "$1"
}

# judged CALIBRATION - what it says of the nets: key, column, value, how much the value may differ.
judged() {
	"$paleo" validate --calibration "$1" --format csv "$records"/*-b?-*.jsonl.gz 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		$1 == "net" || $1 == "class" {
			for (i = 1; i <= NF; i++)
				if ($1 == "net" && name[i] ~ /_s$/ && $i != "")
					print $1 "," $3 "," $4 "," $5 "," $6, name[i], $i, 0.005 * $i
				else if ($1 == "class" && name[i] ~ /^(median|mean|bias)$/)
					print $1 "," $3 "," $4 "," $5 "," $6, name[i], $i, 0.005
		}'
}

set --
for design in "$records"/design-*.jsonl.gz "$records"/hour/*-design.jsonl.gz; do
	[ ! -f "$design" ] || set -- "$@" --from "$design"
done
[ $# -gt 0 ] || { echo "no design-*.jsonl.gz in $records"; exit 1; }
"$paleo" calibrate "$@" --output "$fitted" >"$scratch/factors.txt"
classes "$committed" >"$scratch/committed"
classes "$fitted" >"$scratch/fitted"
[ -s "$scratch/committed" ]
diff "$scratch/committed" "$scratch/fitted" || {
	echo "$committed has other classes than its records give: fit it again and commit it"
	exit 1
}
judged "$committed" >"$scratch/committed.txt"
judged "$fitted" >"$scratch/fitted.txt"
grep -q '^net,' "$scratch/fitted.txt" || { echo "no net among the records"; exit 1; }
awk '
	NR == FNR { value[$1, $2] = $3; count++; next }
	{ count-- }
	!(($1, $2) in value) || ($3 - value[$1, $2]) ^ 2 > $4 ^ 2 {
		print $1, $2 ": committed " value[$1, $2] ", fitted " $3
		differ = 1
	}
	END { exit differ || count }' "$scratch/committed.txt" "$scratch/fitted.txt" || {
	echo "$committed predicts other times than its records give: fit it again and commit it"
	exit 1
}
