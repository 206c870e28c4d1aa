#!/bin/sh
# carry.sh - what a run on another machine needs of a build, in a folder of a few megabytes.
# SPDX-License-Identifier: Apache-2.0
#
# carry.sh [BUILD [FOLDER]]   default: from build to build-gpu
#
# For a machine with a GPU that has neither our libraries nor a way to install them: take the
# sources and this folder there. CUDA's libraries are not in it; that machine has its own.
set -eu
from=${1:-build}
to=${2:-build-gpu}

rm -rf "$to"
mkdir -p "$to/bin" "$to/lib/paleo" "$to/tests/backend" "$to/tests/gpu"
cp "$from/bin/paleo" "$to/bin/"
cp "$from/lib/paleo/libpaleo-cuda.so" "$from/lib/paleo/libpaleo-fake.so" "$from"/lib/paleo/libcjson.so.* \
	"$to/lib/paleo/"
cp "$from/tests/backend/test_backend" "$to/tests/backend/"
for file in libpaleo-cupti.so libpaleo-null.so ported_plan older_api; do
	[ ! -e "$from/tests/gpu/$file" ] || cp "$from/tests/gpu/$file" "$to/tests/gpu/"
done
strip --strip-unneeded "$to/bin/paleo" "$to"/lib/paleo/*.so "$to/tests/backend/test_backend" "$to"/tests/gpu/*
# what else of ours is linked, and not a part of every system
ldd "$to/bin/paleo" | sed -n 's/.*=> \(.*\/libz\.so[^ ]*\) .*/\1/p' | while read -r library; do
	cp -L "$library" "$to/lib/paleo/"
done
echo "built on $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release), glibc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" \
	>"$to/built-on.txt"
du -sh "$to"
