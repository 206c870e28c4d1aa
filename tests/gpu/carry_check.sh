#!/bin/sh
# carry_check.sh - what carry.sh takes along starts in a bare system: its C library and its libraries.
# SPDX-License-Identifier: Apache-2.0
#
# carry_check.sh BUILD SCRATCH
#
# Every program and library may need of glibc at most 2.39 (Ubuntu 24.04's; Debian 13 has 2.41), and only libraries
# that are glibc's own, travel along, or come with CUDA and its driver. That the check can fail is shown, too.
# First carry.sh has to build all that it takes, in a new build folder: no kernels, and not optimised. BUILD is
# what users run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
folder=$scratch/carried

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
	for file in "$folder/bin/paleo" "$folder/lib/paleo/libpaleo-cuda.so" "$folder/tests/backend/test_backend"; do
		[ ! -e "$file" ] || ldd "$file" | grep -E 'libcjson|libz' | grep -vF "$folder/" || :
	done
}

wrong() {
	echo "WRONG: $*"
	exit 1
}

# nothing is left when it fails, and what was there before stays
mkdir "$scratch/empty" "$folder"
if "$here/carry.sh" "$scratch/empty" "$folder" >"$scratch/log" 2>&1; then
	wrong "it took something out of an empty folder"
fi
grep -q 'is no build folder' "$scratch/log" || wrong "it does not say what is missing: $(cat "$scratch/log")"
if [ ! -d "$folder" ] || [ -e "$folder.part" ]; then
	wrong "it failed and left something else than was there"
fi
cmake -S . -B "$scratch/build" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS= -DPALEO_CPU=OFF -DPALEO_CUDA_ARCHS= \
	>"$scratch/log" 2>&1 || wrong "$(tail -n 5 "$scratch/log")"
"$here/carry.sh" "$scratch/build" "$folder" >"$scratch/log" 2>&1 || wrong "a new build: $(cat "$scratch/log")"
clean=$(cd "$folder" && find . -type f | sort)
rm -rf "$scratch/build"

"$here/carry.sh" "$1" "$folder" >"$scratch/log" 2>&1 || wrong "$(cat "$scratch/log")"
[ "$(cd "$folder" && find . -type f | sort)" = "$clean" ] || wrong "builds differ in what they let go: $clean"
size=$(stat -c %s "$folder/lib/paleo/libpaleo-cuda.so")
[ "$size" -lt 30000000 ] || wrong "the plug-in has $size bytes, expected less than 30 MB"
found=$(complaints 2.39)$(elsewhere)
[ -z "$found" ] || wrong "$found"
files=$(find "$folder" -type f | wc -l)
complaints 2.2 | grep -q 'bin/paleo needs glibc 2\.' || wrong "an old glibc was not complained of"
rm "$folder"/lib/paleo/libcjson.so.*
complaints 2.39 | grep -q 'bin/paleo needs libcjson' || wrong "a missing library was not complained of"
echo "$files files start in a system with glibc 2.39; the plug-in has $size bytes"
