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
wrong=0

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

# count_calls KIND COMMAND... - how many calls of the kind it makes; it must succeed.
count_calls() {
	kind=$1
	shift
	PALEO_FAIL=$kind:0 PALEO_FAIL_COUNT=$work/count LD_PRELOAD=$shim "$@" >/dev/null 2>err || {
		cat err >&2
		return 1
	}
	cat "$work/count"
}

# with_failure KIND N COMMAND... - runs it with its N-th call failing; its exit code is in $code.
with_failure() {
	kind=$1 at=$2
	shift 2
	code=0
	PALEO_FAIL=$kind:$at LD_PRELOAD=$shim "$@" >out 2>err || code=$?
}

# judge WHAT - an exit code that is no signal's, and a sentence with it if it is not 0.
judge() {
	[ "$code" -lt 126 ] || bad "$1: ended with $code"
	[ "$code" = 0 ] || grep -q '^paleo' err || bad "$1: ended with $code and said nothing"
}

finish() {
	[ $wrong = 0 ] && echo "$1"
	exit $((wrong > 0))
}
