#!/bin/sh
# hardening.sh FORTIFIED CET FILE... - the program and plug-ins are built as cmake/hardening.cmake says.
# SPDX-License-Identifier: Apache-2.0
#
# FORTIFIED and CET are 1 where this build has them: functions of the C library that check sizes, and
# marks of jumps, which are looked for in object files: the C library's own parts lack them on some
# systems, and then the linker drops them. The stack protector must be in each program and plug-in.
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

fortified=$1 cet=$2
shift 2

# wants WORDS TEXT - says that TEXT is missing in what readelf found ($all).
wants() {
	printf '%s\n' "$all" | grep -Eq "$1" || echo "$2"
}

judge() {
	case $1 in
	*.o)
		all=$(readelf -n "$1" 2>&1) || echo "cannot be read"
		[ "$cet" = 0 ] || wants 'IBT, SHSTK' 'has no marks of jumps'
		return
		;;
	esac
	all=$(readelf -W -h -l -d -n --dyn-syms "$1" 2>&1) || {
		echo "cannot be read"
		return
	}
	wants 'Type: +DYN' 'is not position-independent'
	wants 'GNU_RELRO' 'has no RELRO'
	wants 'BIND_NOW|FLAGS_1.*NOW' 'does not bind at its start'
	printf '%s\n' "$all" | grep 'GNU_STACK' | grep -q 'RWE' && echo 'has a stack that can be run'
	wants '__stack_chk_fail' 'has no stack protector'
	[ "$fortified" = 0 ] || wants '__[a-z]*_chk( |@|$)' 'has no checks of sizes'
}

found=
for file in "$@"; do
	wrong=$(judge "$file")
	[ -z "$wrong" ] || found="$found$(printf '%s\n' "$wrong" | sed "s|^|${file##*/}: |")
"
done
house_verdict hardening "$found" $#
