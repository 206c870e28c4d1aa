#!/bin/sh
# tables.sh - PALEO [--write]: the tables of held-out nets in README.md here and one floor up, as validate prints them.
# SPDX-License-Identifier: Apache-2.0
#
# Prints them, or with --write puts them in place: between the lines "<!-- FOLDER: tables.sh -->" and
# "<!-- end -->". PALEO is the program, a whole path.
set -eu
paleo=$1 write=${2-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# judged FOLDER CALIBRATION - what validate says of the folder's nets.
judged() {
	"$paleo" validate --calibration "$2" --format "$3" "$here/$1"/*-b?-f32.jsonl 2>/dev/null
}

# summary - of such CSV: median, before measuring, mean, share within 90 %, nets; sums within 6 %, of how many, before.
summary() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		function near(name) { return $at[name] ^ 2 <= 0.0036 }
		$1 == "all" {
			all = sprintf("%.1f %.1f %.1f %.0f", 100 * $at["median"], 100 * $at["before_median"],
				100 * $at["mean"], 100 * $at["coverage"])
		}
		$1 == "net" {
			sums += near("error_fwd") + near("error")
			before += near("before_error_fwd") + near("before_error")
			nets++
			held += $at["low_s"] <= $at["measured_s"] && $at["measured_s"] <= $at["high_s"]
		}
		END { print all, held, nets, sums, 2 * nets, before }'
}

# table FOLDER - its nets in Markdown, and a line on all of them.
table() {
	judged "$1" "$here/$1/calibration.json" csv >"$work/csv"
	echo "| net, batch | rows | fwd predicted | measured | error | before | fwd+bwd predicted | measured | error | before | median row | before |"
	echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		function ms(name) { return sprintf("%.1f", 1e3 * $at[name]) }
		function of(name, sign) { return sprintf(sign "%.1f %%", 100 * $at[name]) }
		$1 == "net" {
			printf "| %s, %d | %d | %s | %s | %+.1f %% | %+.1f %%", $at["name"], $at["batch"], $at["count"],
				ms("predicted_fwd_s"), ms("measured_fwd_s"), 100 * $at["error_fwd"],
				100 * $at["before_error_fwd"]
			printf " | %s | %s | %+.1f %% | %+.1f %% | %.1f %% | %.1f %% |\n", ms("predicted_s"),
				ms("measured_s"), 100 * $at["error"], 100 * $at["before_error"],
				100 * $at["median"], 100 * $at["before_median"]
		}' "$work/csv"
	summary <"$work/csv" | awk '{
		printf "\nWorks: median %s %% (before measuring %s %%), mean %s %%; %s %% of them", $1, $2, $3, $4
		printf " and %d of %d nets within the 90 %% interval. Sums within 6 %%: %d of %d", $5, $6, $7, $8
		printf " (before measuring %d).\n", $9
	}'
}

# minutes FOLDER - what calibrations of other minutes predict for the same nets.
minutes() {
	echo "| calibration | sums within 6 %, of 28 | before | median work | before |"
	echo "| --- | ---: | ---: | ---: | ---: |"
	for records in "$here/$1"/minutes/*.jsonl; do
		"$paleo" calibrate --from "$records" --output "$work/minute.json" >/dev/null
		judged "$1" "$work/minute.json" csv | summary |
			awk -v name="$(basename "$records" .jsonl)" \
				'{ print "| " name " | " $7 " | " $9 " | " $1 " % | " $2 " % |" }'
	done
	judged "$1" "$here/$1/calibration.json" csv | summary |
		awk '{ print "| this one | " $7 " | " $9 " | " $1 " % | " $2 " % |" }'
}

# example - the first screen of the README.
example() {
	echo '```'
	echo '$ paleo-predict --device h100-sxm --dtype bf16 --batch 64 resnet50'
	"$paleo" predict --device h100-sxm --dtype bf16 --batch 64 "$here/../nets/resnet50.json" |
		awk 'NR <= 3
			NR == 4 { print "  ..." }
			/^  [a-z +]* predicted/'
	echo '```'
}

# accuracy FOLDER - the README's table. The figures of GPUs are those of studies/README.md.
accuracy() {
	cat <<-'END'
		| device | what | error | judged on |
		| --- | --- | ---: | --- |
		| GPUs, fitted to published times of the same GPU | matrix products | 3 to 10 %, mean | rows that the fit has not seen |
		| | convolutions in f32: forward, gradients | 7 to 11 %, 13 to 24 % | the same |
		| | what moves data | 0.4 to 5 % | the same |
		| GPUs, with no option given | forward passes of BERT and GPT-2 large, seven GPUs | 10.7 % mean, 7.3 % median | nets that no fit has seen |
	END
	judged "$1" "$here/$1/calibration.json" csv | summary | awk '{
		printf "| a CPU, after 60 s of calibration | single works of seven nets | %s %% median before measuring, ", $2
		printf "%s %% at the speed seen beside each work | nets that the calibration has not seen |\n", $1
		printf "| | sums of these nets within 6 %% | %d of %d before measuring, %d at the speed seen | the same |\n",
			$9, $8, $7
	}'
}

# block NAME - of one place.
block() {
	case $1 in
	example) example ;;
	accuracy) accuracy cpu-amd-epyc-avx2-held ;;
	*/minutes) minutes "${1%/minutes}" ;;
	*) table "$1" ;;
	esac
}

for file in "$here/README.md" "$here/../README.md"; do
	sed -n 's/^<!-- \(.*\): tables.sh -->$/\1/p' "$file" >"$work/names"
	while read -r name; do
		block "$name" >"$work/block"
		if [ "$write" != --write ]; then
			echo "== $name"
			cat "$work/block"
			continue
		fi
		awk -v mark="<!-- $name: tables.sh -->" -v block="$work/block" '
			$0 == mark { print; while ((getline line < block) > 0) print line; skip = 1 }
			/^<!-- end -->$/ { skip = 0 }
			!skip' "$file" >"$work/file"
		cat "$work/file" >"$file"
	done <"$work/names"
done
