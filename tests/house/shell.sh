#!/bin/sh
# shell.sh ROOT - shellcheck has nothing to say on our scripts; exit 77 (skipped) without shellcheck.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

command -v shellcheck >/dev/null || {
	echo "shell: shellcheck is not installed"
	exit 77
}
files=$(house_files "$1" '*.sh' '.ci/*')
# shellcheck disable=SC2086 # a list of words
found=$(cd "$1" && shellcheck -x $files 2>&1) || :
# shellcheck disable=SC2086 # a list of words
set -- $files
house_verdict shell "$found" $#
