#!/bin/sh
# rooms.sh ROOT - no rooms include each other in a circle, and docs/reference/rooms.svg shows them.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

drawn=$(mktemp)
trap 'rm -f "$drawn"' EXIT
script=$(dirname "$0")/../../docs/rooms.sh
picture=docs/reference/rooms.svg
found=$(
	if ! sh "$script" "$1" 2>&1 >"$drawn"; then
		echo "the picture $picture cannot be drawn"
	elif ! cmp -s "$drawn" "$1/$picture"; then
		echo "$picture: out of date; sh docs/rooms.sh > $picture"
	fi
)
sources=$(house_files "$1" '*.c' '*.h')
# shellcheck disable=SC2086 # a list of words
set -- $sources
house_verdict rooms "$found" $#
