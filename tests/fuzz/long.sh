#!/bin/sh
# long.sh [SECONDS [NAME...]] - by hand: runs each fuzzer for so long (60), and counts what it tried.
# SPDX-License-Identifier: Apache-2.0
#
# It wants clang's libFuzzer. What was found to be new stays in build-san/tests/fuzz/grown, where the next
# run begins. An input that does wrong is kept there as NAME-crash-...; it belongs into corpus/NAME then.
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $(sed -n 's/^paleo_fuzzer(\([a-z]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)

cmake --preset san >/dev/null
for name in "$@"; do
	cmake --build build-san --target "fuzz_$name" >/dev/null
done

cd build-san/tests/fuzz
all=0 wrong=0
for name in "$@"; do
	# The seeds are those of the test, which CMake knows.
	seeds=$(sed -n "s|.*fuzz\\.$name .*\"-print_final_stats=1\" ||p" CTestTestfile.cmake | tr -d '")')
	mkdir -p "grown/$name"
	log=grown/$name.log
	# shellcheck disable=SC2086 # a list of folders
	if ! nice -n 19 "./fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="grown/$name-" $seeds >"$log" 2>&1; then
		echo "$name: WRONG, see $PWD/$log"
		wrong=$((wrong + 1))
	fi
	tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	echo "$name: ${tried:-0} inputs in $seconds s"
	all=$((all + ${tried:-0}))
done
echo "$all inputs, $wrong wrong"
[ $wrong = 0 ]
