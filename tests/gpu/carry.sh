#!/bin/sh
# carry.sh - what a run on another machine needs of a build, in a folder of some 20 megabytes.
# SPDX-License-Identifier: Apache-2.0
#
# carry.sh [BUILD [FOLDER]]   default: from build, which bootstrap.sh makes, to build-gpu
#
# For a machine with a GPU that has neither our libraries nor a way to install them: take the
# sources and this folder there. CUDA's libraries are not in it; that machine has its own.
# Builds what is missing in BUILD. FOLDER appears when it is whole; a failure leaves an older one as it is.
set -eu
from=${1:-build}
to=${2:-build-gpu}
part=$to.part
log=$part/build.log

fail() {
	echo "carry: $*" >&2
	exit 1
}

[ -e "$from/CMakeCache.txt" ] || fail "$from is no build folder: run ./bootstrap.sh, or name one"
rm -rf "$part"
mkdir -p "$part/bin" "$part/lib/paleo" "$part/tests/backend" "$part/tests/gpu"
trap 'rm -rf "$part"' EXIT
cmake --build "$from" --parallel "$(nproc)" --target carried >"$log" 2>&1 || {
	tail -n 20 "$log" >&2
	fail "$from lacks what is to be carried; it wants CUDA, cuDNN and BUILD_TESTING=ON (see above)"
}
rm "$log"
cp "$from/bin/paleo" "$part/bin/"
cp "$from/lib/paleo/libpaleo-cuda.so" "$from/lib/paleo/libpaleo-fake.so" "$from"/lib/paleo/libcjson.so.* \
	"$part/lib/paleo/"
cp "$from/tests/backend/test_backend" "$part/tests/backend/"
cp "$from/tests/gpu/libpaleo-null.so" "$part/tests/gpu/"
# only where CUPTI is
[ ! -e "$from/tests/gpu/libpaleo-cupti.so" ] || cp "$from/tests/gpu/libpaleo-cupti.so" "$part/tests/gpu/"
strip --strip-unneeded "$part/bin/paleo" "$part"/lib/paleo/*.so "$part/tests/backend/test_backend" "$part"/tests/gpu/*
# what else of ours is linked, and not a part of every system
ldd "$part/bin/paleo" | sed -n 's/.*=> \(.*\/libz\.so[^ ]*\) .*/\1/p' | while read -r library; do
	cp -L "$library" "$part/lib/paleo/"
done
echo "built on $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release), glibc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" \
	>"$part/built-on.txt"
rm -rf "$to"
mv "$part" "$to"
du -sh "$to"
