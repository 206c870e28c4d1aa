#!/bin/sh
# faults.sh [FIRST [LAST]] - by hand: puts one fault at a time into a formula; a test must fail each time.
# SPDX-License-Identifier: Apache-2.0
#
# It works on a copy of the sources. A line of tests/faults.tsv has the file, sed's command for the one line
# that it changes, and the tests that are to notice: "unit.stats cost_model.hand".
set -eu
cd "$(dirname "$0")/.."

first=${1:-1} last=${2:-1000}
work=${TMPDIR:-/tmp}/paleo-faults
copy=$work/paleo build=$work/build

# target TEST - what is built for it: unit.stats is test_stats, cost_model.hand is test_cost_model_hand.
target() {
	case $1 in
	unit.*) echo "test_${1#unit.}" ;;
	*) echo "test_$1" | tr . _ ;;
	esac
}

mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents -u -t "$copy"
cmake -S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DPALEO_CPU=OFF \
	-DPALEO_CUDA=OFF >/dev/null
rm -f "$build/CTestCustom.cmake" # ctest would build all; what a fault touches is built below

# build TEST... - 0 if they could be built.
build() {
	targets=
	for test in "$@"; do
		targets="$targets --target $(target "$test")"
	done
	# shellcheck disable=SC2086 # a list of words
	cmake --build "$build" -j "$(nproc)" $targets >"$work/log" 2>&1
}

# passes TEST - 0 if it does.
passes() {
	ctest --test-dir "$build" -R "^$1\$" --no-tests=error >"$work/log" 2>&1
}

# verdict FILE TESTS - what became of the fault in the copy of FILE.
verdict() {
	changed=$(diff "$work/before" "$copy/$1" | grep -c '^>' || :)
	[ "$changed" = 1 ] || {
		echo "useless: $changed lines are changed, expected 1"
		return
	}
	# shellcheck disable=SC2086 # a list of words
	build $2 || {
		echo "useless: it does not compile"
		return
	}
	for test in $2; do
		passes "$test" || {
			echo "caught by $test"
			return
		}
	done
	echo MISSED
}

n=0 tried=0 caught=0
tab=$(printf '\t')
while IFS=$tab read -r file edit tests; do
	case $file in '' | '#'*) continue ;; esac
	n=$((n + 1))
	if [ $n -lt "$first" ] || [ $n -gt "$last" ]; then
		continue
	fi
	tried=$((tried + 1))
	cp "$copy/$file" "$work/before"
	# shellcheck disable=SC2086 # a list of words
	build $tests || {
		echo "$n $file: does not build without the fault, see $work/log"
		exit 2
	}
	sed "$edit" "$work/before" >"$copy/$file"
	became=$(verdict "$file" "$tests")
	cp "$work/before" "$copy/$file"
	echo "$n $file: $became: $edit"
	case $became in caught*) caught=$((caught + 1)) ;; esac
done <tests/faults.tsv
echo "$caught of $tried faults were caught"
[ $caught = $tried ]
