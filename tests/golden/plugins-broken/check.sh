#!/bin/sh
# check.sh - plug-ins that are absent, garbage, something else, or of another interface.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

for kind in absent garbage folder; do
	mkdir $kind
done
head -c 4096 /dev/zero >garbage/libpaleo-cuda.so
mkdir folder/libpaleo-cuda.so
for kind in empty other; do
	mkdir $kind
	cp "$build/tests/unit/plugins/libpaleo-$kind.so" $kind/libpaleo-cuda.so
done
for kind in absent garbage folder empty other; do
	PALEO_PLUGIN_DIR=$kind say paleo-profile --device 0 --output never.jsonl "$small"
done >said
PALEO_PLUGIN_DIR=other say paleo-profile --output never.jsonl "$small" >>said
sed 's/has interface [0-9]*, this program has [0-9]*:/has interface A, this program has B:/' said
