#!/bin/sh
# paths.sh ROOT - no committed file names a folder of somebody's machine.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

# In two parts, so that this file does not name one itself.
homes='work|farm|root|home|Users'
files=$(house_files "$1" '*')
found=$(
	cd "$1"
	printf '%s\n' "$files" | tr '\n' '\0' |
		xargs -0 grep -InE "(^|[^a-zA-Z0-9_./-])/($homes)/[a-zA-Z0-9_.-]" -- | cut -c1-200
) || :
house_verdict paths "$found" "$(printf '%s' "$files" | grep -c .)"
