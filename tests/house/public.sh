#!/bin/sh
# public.sh INCLUDE LIBRARY - the library exports what the headers mark PALEO_API, and nothing else.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

# A declaration may go on for lines; its name stands before the first parenthesis.
declared=$(cat "$1"/*.h | tr '\n\t' '  ' | sed 's/PALEO_API /\n&/g' |
	sed -n 's/^PALEO_API [^(;]*[ *]\(paleo_[a-z0-9_]*\)(.*/\1/p' | sort)
exported=$(nm -D --defined-only -P "$2" | awk '{ sub(/@.*/, "", $1); print $1 }' | sort)
found=$(
	for name in $exported; do
		printf '%s\n' "$declared" | grep -qx "$name" || echo "exports '$name', in no header"
	done
	for name in $declared; do
		printf '%s\n' "$exported" | grep -qx "$name" || echo "does not export '$name'"
	done
)
# shellcheck disable=SC2086 # a list of words
set -- $declared
house_verdict public "$found" $#
