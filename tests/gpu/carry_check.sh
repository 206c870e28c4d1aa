#!/bin/sh
# carry_check.sh - what carry.sh takes along starts in a bare system: its C library and its libraries.
# SPDX-License-Identifier: Apache-2.0
#
# carry_check.sh BUILD SCRATCH
#
# Every program and library may need of glibc at most 2.39 (Ubuntu 24.04's; Debian 13 has 2.41), and only libraries
# that are glibc's own, travel along, or come with CUDA and its driver. That the check can fail is shown, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)/carried
"$here/carry.sh" "$1" "$folder" >/dev/null

# complaints GLIBC - what a system with this glibc, and nothing else, cannot start.
complaints() {
	find "$folder" -type f ! -name '*.txt' | while read -r file; do
		needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }')
		[ -n "$needed" ] || echo "$file needs nothing: it is no program and no library"
		for library in $needed; do
			case $library in
			libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux-*.so.*) ;;
			libcudart.so.* | libcublasLt.so.* | libnvrtc.so.* | libcudnn.so.* | libcupti.so.*) ;;
			libcuda.so.1 | libnvidia-ml.so.1) ;;
			*) [ -e "$folder/lib/paleo/$library" ] || echo "$file needs $library" ;;
			esac
		done
		newest=$(objdump -T "$file" | sed -nE 's/.*GLIBC_([0-9.]+).*/\1/p' | sort -V | tail -n 1)
		[ "$(printf '%s\n' "$newest" "$1" | sort -V | tail -n 1)" = "$1" ] ||
			echo "$file needs glibc $newest, not $1"
	done
}

# what lies beside it is found there, not in the system
elsewhere() {
	for file in "$folder/bin/paleo" "$folder/lib/paleo/libpaleo-cuda.so"; do
		[ ! -e "$file" ] || ldd "$file" | grep -E 'libcjson|libz' | grep -vF "$folder/" || :
	done
}

wrong() {
	echo "WRONG: $*"
	exit 1
}

found=$(complaints 2.39)$(elsewhere)
[ -z "$found" ] || wrong "$found"
files=$(find "$folder" -type f | wc -l)
complaints 2.2 | grep -q 'bin/paleo needs glibc 2\.' || wrong "an old glibc was not complained of"
rm "$folder"/lib/paleo/libcjson.so.*
complaints 2.39 | grep -q 'bin/paleo needs libcjson' || wrong "a missing library was not complained of"
echo "$files files start in a system with glibc 2.39"
