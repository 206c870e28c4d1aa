#!/bin/sh
# readme.sh PALEO ROOT WORK - the tables of held-out nets in README.md and results/README.md are what
# validate prints. PALEO and WORK are whole paths.
# SPDX-License-Identifier: Apache-2.0
set -eu
paleo=$1 root=$2 work=$3
mkdir -p "$work"

# nets_of FOLDER CALIBRATION - net, batch, rows, median; predicted, measured, error: forward, forward and backward.
nets_of() {
	(cd "$root/results/$1" &&
		"$paleo" validate --calibration "$2" --format csv ./*-b?-f32.jsonl 2>/dev/null) |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$1 == "net" {
				printf "%s %d %d %.1f", $at["name"], $at["batch"], $at["count"], 100 * $at["median"]
				printf " %.2f %.2f %.1f", 1e3 * $at["predicted_fwd_s"], 1e3 * $at["measured_fwd_s"],
					100 * $at["error_fwd"]
				printf " %.2f %.2f %.1f\n", 1e3 * $at["predicted_s"], 1e3 * $at["measured_s"],
					100 * $at["error"]
			}'
}

# table_of FOLDER - the same from results/README.md.
table_of() {
	awk -v heading="## \`$1/\`" '/^## / { mine = $0 == heading }
		mine && /^\| [a-z0-9_]*, [0-9]+ \|/ {
			gsub(/[|,%]/, "")
			print $1, $2, $3, $10, $4, $5, $6, $7, $8, $9
		}' "$root/results/README.md"
}

# differences OF FOUND TOLERANCE - lines of OF that FOUND has not, or with other numbers.
differences() {
	awk -v tolerance="$3" 'NR == FNR { line[$1 " " $2] = $0; next }
		{
			bad = split(line[$1 " " $2], found) != NF
			for (i = 3; i <= NF; i++)
				bad = bad || ($i - found[i]) ^ 2 > tolerance ^ 2
			if (bad)
				print "stated:  " $0 "\nprinted: " line[$1 " " $2]
		}' "$2" "$1"
}

for folder in cpu-amd-epyc cpu-amd-epyc-avx2-held cpu-amd-epyc-avx2-again cpu-amd-epyc-shared cpu-amd-epyc-avx2 cpu-amd-epyc-avx2-busy; do
	nets_of $folder calibration.json >"$work/$folder.found"
	table_of $folder >"$work/$folder.table"
	[ "$(wc -l <"$work/$folder.table")" -eq "$(wc -l <"$work/$folder.found")" ] ||
		echo "results/README.md has not as many nets of $folder as validate prints"
	differences "$work/$folder.table" "$work/$folder.found" 0.06
done >"$work/verdict"
# Calibrations of other minutes: what they predict for the same nets, of 28 sums and per work.
held=$root/results/cpu-amd-epyc-avx2-held
for minute in "$held"/minutes/*.jsonl; do
	name=$(basename "$minute" .jsonl)
	"$paleo" calibrate --from "$minute" --output "$work/$name.json" >"$work/$name.factors"
	sums=$(nets_of cpu-amd-epyc-avx2-held "$work/$name.json" |
		awk '{ sums += ($7 ^ 2 <= 36) + ($10 ^ 2 <= 36) } END { print sums }')
	median=$("$paleo" validate --calibration "$work/$name.json" "$held"/*-b?-f32.jsonl |
		awk '$1 == "all" { print $5 }')
	echo "| $name | $sums | $median % |" >"$work/$name.line"
	grep -qxF -f "$work/$name.line" "$root/results/README.md" ||
		echo "results/README.md does not have $(cat "$work/$name.line")" >>"$work/verdict"
done
awk '/^```/ { inside = 0 }
	inside && $3 == "f32" { print $1, $2, $4, $5, $6, $7, $8, $9, $10, $11 }
	/^judged  *batch/ { inside = 1 }' "$root/README.md" >"$work/front.table"
[ -s "$work/front.table" ] || echo "README.md has no table of nets" >>"$work/verdict"
differences "$work/front.table" "$work/cpu-amd-epyc-avx2-held.found" 0.006 >>"$work/verdict"
cat "$work/verdict"
[ ! -s "$work/verdict" ]
