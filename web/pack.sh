#!/bin/sh
# pack.sh SOURCE WASM PALEO OUT - the page's data: the compiled model, nets and calibrations, as one script.
# SPDX-License-Identifier: Apache-2.0
#
# The list of ops that a calibration was fitted to and the errors of its parameters are left out: no prediction reads them.
# So is the space at the beginning of lines. The file of spreads is of the presets as they are packed.
set -eu
source=$1 wasm=$2 paleo=$3 out=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=$work/share/paleo
mkdir -p "$data/nets/llm"
cp "$wasm" "$work/paleo.wasm"
cp "$source"/nets/*.json "$data/nets/"
cp "$source"/nets/llm/*.json "$data/nets/llm/"
(cd "$source" && ls results/presets/*.json results/*/calibration.json) | sort -u | while read -r file; do
	mkdir -p "$data/${file%/*}"
	sed -e 's/^  "fitted_to": \[[^]]*\]/  "fitted_to": []/' -e 's/\("se[a-z_]*":\) [0-9.][0-9.e+-]*/\1 null/g' -e 's/^ *//' "$source/$file" >"$data/$file"
done
PALEO_DATA_DIR=$data "$paleo" validate --cost-model presets --format csv >"$work/spreads.csv"
mv "$work/spreads.csv" "$data/results/presets/"
{
	printf "'use strict';\nconst PALEO_BUNDLE = '"
	(cd "$work" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort |
		tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 -c -T - -f -) |
		gzip -9n | base64 -w 0
	printf "';\n"
} >"$out.new"
mv "$out.new" "$out"
