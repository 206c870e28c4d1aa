# lib.sh - what the tests of files have in common; they get sources, build, a folder and the shim.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# shellcheck disable=SC2034 # for the scripts
work=$3 shim=$4
PATH=$build/bin:$PATH
export PATH LC_ALL=C
rm -rf "$work"
mkdir -p "$work"
cd "$work"
wrong=0 prepare=: where=memory complete=same_words

# needs_shim - ends the test where nothing can be preloaded before a sanitizer.
needs_shim() {
	if sanitized; then
		echo "skipped: a sanitizer is preloaded"
		exit 77
	fi
}

bad() {
	echo "WRONG: $*"
	wrong=$((wrong + 1))
}

# count_calls KIND COMMAND... - how many calls of the kind it makes; it must succeed. What it says is
# kept in the file "good".
count_calls() {
	kind=$1
	shift
	PALEO_FAIL=$kind:0 PALEO_FAIL_COUNT=$work/count LD_PRELOAD=$shim "$@" >good 2>err || {
		cat err >&2
		return 1
	}
	cat "$work/count"
}

# with_failure KIND N COMMAND... - runs it with its N-th call failing; its exit code is in $code, and how
# many calls there were in $made: a command that ends by the clock may make fewer this time.
with_failure() {
	kind=$1 at=$2
	shift 2
	code=0
	rm -f "$work/made"
	PALEO_FAIL=$kind:$at PALEO_FAIL_COUNT=$work/made LD_PRELOAD=$shim "$@" >out 2>err || code=$?
	# shellcheck disable=SC2034 # for writes.sh
	made=$(cat "$work/made" 2>/dev/null) || made=$at
}

# every_allocation MOST COMMAND... - lets each place that wants memory fail in turn, or so many of them
# spread over all: of the command itself, or where $where is "worker", of its worker. Before each the
# command in $prepare is run.
every_allocation() {
	most=$1
	shift
	$prepare
	total=$(count_calls $where "$@") || {
		bad "$*: fails by itself"
		return
	}
	[ "$total" -ge 5 ] || bad "$*: only $total places were seen"
	step=$(((total + most - 1) / most)) failures=0 tried=0 n=1
	while [ $n -le "$total" ]; do
		$prepare
		with_failure $where $n "$@"
		judge "$*, $where, place $n"
		if [ "$code" = 0 ]; then
			$complete || bad "$*, $where, place $n: it succeeds and leaves something out: $(diff good out)"
		else
			failures=$((failures + 1))
		fi
		tried=$((tried + 1))
		n=$((n + step))
	done
	[ $failures -gt 0 ] || bad "$*: no allocation mattered"
	echo "$1, $where: $failures of $tried tried places of $total ended it"
}

# judge WHAT - an exit code that is no signal's, and a sentence with it if it is not 0.
judge() {
	[ "$code" -lt 126 ] || bad "$1: ended with $code"
	[ "$code" = 0 ] || grep -q '^paleo' err || grep -qE 'failed|: oom: ' out ||
		bad "$1: ended with $code and said nothing"
}

# same_words - it has said what it says in a good run, but for numbers, which are times.
same_words() {
	for file in good out; do
		tr -d '0-9. -' <$file >$file.words
	done
	cmp -s good.words out.words
}

# same_end - the same of the last lines: in between stands what there was time for.
same_end() {
	for file in good out; do
		tail -n 2 $file >$file.end
	done
	cmp -s good.end out.end
}

finish() {
	[ $wrong = 0 ] && echo "$1"
	exit $((wrong > 0))
}
