#!/bin/sh
# shell.sh ROOT - shellcheck has nothing to say on our scripts and golden files; exit 77 (skipped) without it.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

command -v shellcheck >/dev/null || {
	echo "skipped: there is no shellcheck"
	exit 77
}
files=$(house_files "$1" '*.sh' '.ci/*')
# shellcheck disable=SC2086 # a list of words
found=$(cd "$1" && shellcheck -x $files 2>&1) || :

# The commands of golden files, in lines of the same numbers; run.sh there sets the variables. Words of a list are split
# on purpose, and what a command has not done shows in the next.
golden=$(house_files "$1" 'tests/golden/*.t')
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
mkdir -p "$commands/tests/golden"
# shellcheck disable=SC2086 # a list of words
[ -z "$golden" ] || found=$found$(
	cd "$1"
	awk -v folder="$commands" '
		FNR == 1 {
			close(to)
			to = folder "/" FILENAME
			on = 0
			print "export source=S build=S here=S work=S small=S" >to
			next
		}
		/^  [$] / { on = 1; print substr($0, 5) >to; next }
		on && /^  >( |$)/ { print substr($0, 5) >to; next }
		{ on = 0; print "" >to }' $golden
	cd "$commands" && shellcheck -s sh -e SC2086,SC2094,SC2164 -f gcc $golden 2>&1
) || :
# shellcheck disable=SC2086 # a list of words
set -- $files $golden
house_verdict shell "$found" $#
