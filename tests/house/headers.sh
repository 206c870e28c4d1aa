#!/bin/sh
# headers.sh ROOT COMPILER [FLAG...] - every header compiles alone, and twice.
# SPDX-License-Identifier: Apache-2.0
#
# Headers below a folder named in $HOUSE_SKIP (words) are left out: a plug-in whose vendor's headers
# this machine lacks.
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

root=$1
compiler=$2
shift 2
patterns=
for folder in $house_folders; do
	patterns="$patterns $folder/*.h"
done
set -f
# shellcheck disable=SC2086 # a list of words
headers=$(house_files "$root" $patterns)
set +f
for skip in ${HOUSE_SKIP:-}; do
	headers=$(printf '%s\n' "$headers" | grep -v "^$skip/" || :)
done
found=$(
	cd "$root"
	for header in $headers; do
		# The last line keeps a header of macros from being an empty program.
		printf '#include "%s"\n#include "%s"\nextern int house_dummy;\n' "$header" "$header" |
			"$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
				-I. -Iinclude "$@" -x c - 2>&1 || echo "$header: does not compile alone"
	done
)
# shellcheck disable=SC2086 # a list of words
set -- $headers
house_verdict headers "$found" $#
