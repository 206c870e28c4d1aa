#!/bin/sh
# heads.sh ROOT - first line `/* name.c - what it is for. */`, SPDX line, at most 500 lines.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

sources=$(house_files "$1" '*.c' '*.h' '*.def')
texts=$(house_files "$1" '*.c' '*.h' '*.def' '*.sh' '*.cmake' '*CMakeLists.txt' '.ci/*')
found=$(
	cd "$1"
	for file in $sources; do
		name=${file##*/}
		awk -v file="$file" -v start="/* $name - " '
			NR == 1 && (index($0, start) != 1 || !/[^ ] \*\/$/) {
				print file ": first line must be \"" start "what it is for. */\""
			}
			NR == 2 && $0 != "/* SPDX-License-Identifier: Apache-2.0 */" {
				print file ": second line must be the SPDX line"
			}
			NR == 2 { exit }
			END { if (NR < 2) print file ": has no head" }' "$file"
	done
	for file in $texts; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 500 ] || echo "$file: $lines lines; 500 is the end"
	done
)
# shellcheck disable=SC2086 # a list of words
set -- $sources
house_verdict heads "$found" $#
