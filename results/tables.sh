#!/bin/sh
# tables.sh - PALEO [--write | BLOCK...]: the measured accuracy in README.md and results/README.md.
# SPDX-License-Identifier: Apache-2.0
#
# A block stands between the lines "<!-- BLOCK: tables.sh -->" and "<!-- end -->". Without arguments all blocks are
# printed, with names these; --write puts all of them in place. PALEO is the program, a whole path.
set -eu
paleo=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$here/..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# judged SET CALIBRATION - what validate says of the nets of a set in tests/data/cpu, as CSV.
judged() {
	"$paleo" validate --calibration "$2" --format csv "$root/tests/data/cpu/$1"/*-b?-f32.jsonl.gz 2>/dev/null
}

# summary - of such CSV, separated by |: median per op before measuring, at its speed, mean; share of ops within
# the 90 % interval; sums within 6 % before measuring, at their speed; number of sums.
summary() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		function near(name) { return $at[name] ^ 2 <= 0.0036 }
		$1 == "all" {
			all = sprintf("%.1f %%|%.1f %%|%.1f %%|%.0f %%", 100 * $at["before_median"], 100 * $at["median"],
				100 * $at["mean"], 100 * $at["coverage"])
		}
		$1 == "net" {
			sums += near("error_fwd") + near("error")
			before += near("before_error_fwd") + near("before_error")
			nets++
		}
		END { print all "|" before "|" sums "|" 2 * nets }'
}

# row NAME SET CALIBRATION - the summary as a line of a table.
row() {
	judged "$2" "$3" | summary | awk -F '|' -v name="$1" \
		'{ print "| " name " | " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 " |" }'
}

rows_head() {
	echo "| calibration | median error per op, calibration speed | probed speed | mean | in 90 % interval | totals within 6 %, calibration speed | probed speed | of |"
	echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
}

# sets - one line for each shipped calibration of a CPU.
sets() {
	rows_head
	for calibration in "$here"/cpu-*/calibration.json; do
		set=$(basename "$(dirname "$calibration")")
		row "\`$set\`" "$set" "$calibration"
	done
}

# nets SET - each net of a set.
nets() {
	echo "| network, batch | fwd, ms | error | at calibration speed | fwd+bwd, ms | error | at calibration speed | median error per op | at calibration speed |"
	echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
	judged "$1" "$here/$1/calibration.json" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		function share(name, sign) { return sprintf("%" sign ".1f %%", 100 * $at[name]) }
		function ms(name) { return sprintf("%.1f", 1e3 * $at[name]) }
		$1 == "net" {
			print "| " $at["name"] ", " $at["batch"] " | " ms("measured_fwd_s") " | " share("error_fwd", "+") " | " \
				share("before_error_fwd", "+") " | " ms("measured_s") " | " share("error", "+") " | " \
				share("before_error", "+") " | " share("median", "") " | " share("before_median", "") " |"
		}'
}

# accuracy - the README's table. The figures of GPUs are those of studies/README.md.
accuracy() {
	cat <<-'END'
		| device | what | mean | median | judged on |
		| --- | --- | ---: | ---: | --- |
		| GPUs, fitted to published times of the same GPU | GEMM | 3 to 10 % | 2 to 8 % | shapes held out of the fit |
		| | convolutions in f32: forward, gradients | 6 to 9 %, 16 to 22 % | 4 to 7 %, 9 to 18 % | the same |
		| | elementwise and other memory-bound ops | 0.4 to 3 % | 0.3 to 2 % | the same |
		| | attention in bf16: prefill, decode | 3 to 4 %, 6 to 9 % | 2 to 3 %, 4 to 6 % | the same |
		| | experts in block-scaled fp8: balanced, skewed | 3 to 4 %, 5 to 6 % | 2 to 3 %, 4 % | models held out of the fit |
		| GPUs, no options given | forward passes of BERT and GPT-2 large, seven GPUs | 10.2 % | 4.8 % | networks that no fit has seen |
		| | time per output token of LLM servers, 1,211 rows | 19.8 % | 12.0 % | published server benchmarks: no kernel was fitted to them, but they guided which effects to model |
		| | training steps on 1 to 2,304 GPUs, 504 rows | 7.0 % | 5.5 % | published steps, to all of which nine numbers are fitted; fitted to half of the models they err by 3 to 11 % on the others |
	END
	set=cpu-amd-epyc-avx2
	judged $set "$here/$set/calibration.json" | summary | awk -F '|' '{
		printf "| a CPU, after 60 s of calibration | single ops of seven networks, before measuring | - | %s | ", $1
		print "networks held out of the calibration |"
		printf "| | the same, at the probed machine speed | %s | %s | the same |\n", $3, $2
		printf "| | totals of these networks within 6 %% | %d of %d before measuring | ", $5, $7
		printf "%d at the probed speed | the same |\n", $6
	}'
	hour predict 1 4 'training steps of six networks, by calibrations 20 to 71 minutes away'
	hour live shipped shipped 'the same by the calibration shipped then, of another machine'
	hour live 1 4 'the same by calibrations 20 to 62 minutes before, at the probed speed'
}

# hour HOW FROM TO WHAT - a line of the study of four minutes: predictions by calibrations of other minutes FROM to TO.
hour() {
	awk -F, -v how="$1" -v from="$2" -v to="$3" '
		$2 == how && $3 != $4 && $3 >= from && $3 <= to { print $6 < 0 ? -$6 : $6 }
	' "$here/studies/cpu_hour.csv" | sort -n | awk -v what="$4" '
		{ e[NR] = $1; sum += $1 }
		END {
			printf "| | %s | %.1f %% | %.1f %% | the same |\n", what,
				100 * sum / NR, 50 * (e[int((NR + 1) / 2)] + e[int(NR / 2) + 1])
		}'
}

# blocks FILE - the names of its blocks.
blocks() {
	sed -n 's/^<!-- \(.*\): tables.sh -->$/\1/p' "$1"
}

# put FILE - writes each block into it.
put() {
	blocks "$1" >"$work/names"
	while read -r name; do
		# shellcheck disable=SC2086 # a function and its argument
		$name >"$work/block"
		awk -v mark="<!-- $name: tables.sh -->" -v block="$work/block" '
			$0 == mark { print; while ((getline line < block) > 0) print line; skip = 1 }
			/^<!-- end -->$/ { skip = 0 }
			!skip' "$1" >"$work/file"
		cat "$work/file" >"$1"
	done <"$work/names"
}

set_files="$root/README.md $here/README.md"
if [ "${1-}" = --write ]; then
	for file in $set_files; do
		put "$file"
	done
	exit
fi
if [ $# -eq 0 ]; then
	for file in $set_files; do
		blocks "$file"
	done >"$work/all"
	while read -r name; do
		# shellcheck disable=SC2086 # a function and its argument
		echo "== $name" && $name
	done <"$work/all"
else
	for name; do
		$name
	done
fi
