#!/bin/sh
# symbols.sh exported|quiet|raw|globals FILE... - what our objects, libraries and plug-ins hold and use.
# SPDX-License-Identifier: Apache-2.0
#
# exported: every symbol that others can see starts with paleo_
# quiet:    nothing prints to stdout or stderr, or ends the process (_exit of a child may stand)
# raw:      no text is printed but by paleo_print(), puts and fputs; no file is written past base/
# globals:  no data can be written, but for tables that the loader seals (.data.rel.ro)
#
# $HOUSE_ALLOW lists names (words) that may stand in spite of it. A file that cannot be read, and one
# in which nothing was seen at all, fail.
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

check=$1
shift
noisy='stdout stderr printf vprintf puts putchar putchar_unlocked perror exit abort _Exit quick_exit'
noisy="$noisy __printf_chk __vprintf_chk"
if [ "$check" = raw ]; then
	noisy='printf fprintf vprintf vfprintf dprintf vdprintf perror fopen freopen rename creat'
	noisy="$noisy __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk __dprintf_chk"
fi

# list FILE prints "name [section]" for each symbol that the check is about, and fails if it cannot.
list() {
	dynamic=
	case $1 in *.so) dynamic=-D ;; esac
	case $check in
	exported) symbols=$(nm $dynamic -g --defined-only -P "$1") || return 1 ;;
	quiet | raw) symbols=$(nm $dynamic -u -P "$1") || return 1 ;;
	globals) symbols=$(objdump -t "$1") || return 1 ;;
	esac
	[ -n "$symbols" ] || return 1
	printf '%s\n' "$symbols" | awk -v check="$check" '
		check != "globals" && NF >= 2 { print $1 }
		check == "globals" && match($0, / O /) {
			rest = substr($0, RSTART + 3)
			split(rest, part, /[ \t]+/)
			print $NF, part[1]
		}
		check == "globals" && / \*COM\*/ { print $NF, "*COM*" }'
}

# judge FILE reads list's lines and prints what is wrong with them.
judge() {
	awk -v file="${1##*/}" -v check="$check" -v noisy=" $noisy " -v allow=" ${HOUSE_ALLOW:-} " '
		{ name = $1; sub(/@.*/, "", name) }
		index(allow, " " name " ") { next }
		check == "exported" && name !~ /^paleo_/ { print file ": exports \"" name "\"" }
		(check == "quiet" || check == "raw") && index(noisy, " " name " ") { print file ": uses \"" name "\"" }
		check == "globals" && $2 ~ /^([.]t?(data|bss)|[*]COM[*])/ && $2 !~ /^[.]data[.]rel[.]ro/ {
			print file ": \"" name "\" can be written (" $2 ")"
		}'
}

found=
for file in "$@"; do
	if names=$(list "$file" 2>&1); then
		wrong=$(printf '%s\n' "$names" | judge "$file")
	else
		wrong="$file: cannot be read, or holds nothing: $names"
	fi
	[ -z "$wrong" ] || found="$found$wrong
"
done
house_verdict "$check" "$found" $#
