# shellcheck shell=sh
# lib.sh - what the house checks share; sourced by them.
# SPDX-License-Identifier: Apache-2.0

# The folders whose code obeys the layer table.
# shellcheck disable=SC2034 # used where this is sourced
house_folders="include base model import bench calib library web tools"

# house_files ROOT PATTERN... prints the committed files whose paths match, relative to ROOT. Where
# ROOT is no checkout (an unpacked archive) it looks at all files but those of build folders.
house_files() {
	root=$1
	shift
	if [ "$(git -C "$root" rev-parse --show-toplevel 2>/dev/null)" = "$(cd "$root" && pwd -P)" ]; then
		git -C "$root" ls-files -- "$@"
		return
	fi
	(cd "$root" && find . -path './build*' -prune -o -type f -print) | sed 's|^\./||' |
		while read -r file; do
			for pattern in "$@"; do
				# shellcheck disable=SC2254 # a pattern is meant
				case $file in $pattern) echo "$file" && break ;; esac
			done
		done
}

# house_sources ROOT prints the C files of these folders.
house_sources() {
	(
		set -f
		for folder in $house_folders; do
			set -- "$@" "$folder/*.c" "$folder/*.h"
		done
		house_files "$@"
	)
}

# house_verdict CHECK FINDINGS COUNT: prints the findings; fails if there are any, or nothing was seen.
house_verdict() {
	if [ "$3" -eq 0 ]; then
		echo "$1: there was nothing to check"
		exit 1
	fi
	if [ -n "$2" ]; then
		printf '%s\n' "$2"
		exit 1
	fi
	echo "$1: $3 checked, nothing found"
}
