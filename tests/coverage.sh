#!/bin/sh
# coverage.sh [FILES] - by hand: which share of the lines of base, model and calib the tests have run.
# SPDX-License-Identifier: Apache-2.0
#
#   cmake --preset coverage && cmake --build --preset coverage -j
#   ctest --test-dir build-coverage -L 'unit|cost_model|golden|bad|loop|library|fuzz|files' ; tests/coverage.sh
#
# With FILES, the files of which the largest number of lines did not run, each with its lines.
set -eu
cd "$(dirname "$0")/.."

build=build-coverage top=$PWD
[ -d $build ] || {
	echo "coverage.sh: no $build: build it first" >&2
	exit 2
}

# lines - FILE RUN ALL of each source that was compiled; what never ran counts, too.
lines() {
	for room in base model calib; do
		find "$build/$room" -name '*.gcno'
	done | while read -r notes; do
		source=${notes#"$build"/}
		source=${source%%/*}/${notes##*.dir/}
		[ -e "${source%.gcno}" ] || continue # it was removed since
		(cd "$build" && gcov -n -r -s "$top" "$top/$notes" 2>/dev/null)
	done | awk '
		/^File / { gsub(/^File .|.$/, ""); file = $0 }
		/^Lines executed:/ && file ~ /[.]c$/ {
			split($2, part, /[:%]/)
			printf "%s %d %d\n", file, $4 * part[2] / 100 + 0.5, $4
			file = ""
		}'
}

all=$(lines)
printf '%s\n' "$all" | awk '{ split($1, path, "/"); run[path[1]] += $2; all[path[1]] += $3 }
	END {
		for (room in all)
			printf "%-6s %6d of %6d lines, %.1f %%\n", room, run[room], all[room],
				100 * run[room] / all[room]
	}' | sort
[ "${1:-}" = FILES ] || exit 0
printf '%s\n' "$all" | awk '{ print $3 - $2, $0 }' | sort -rn | head -n 20 |
	while read -r missed file _ total; do
		echo "$file: $missed of $total lines did not run"
	done
