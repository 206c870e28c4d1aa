#!/bin/sh
# check.sh - nets that are not there, or whose names are misspelt.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

predict="paleo-predict --device h100-sxm"
mkdir -p nets folder.json
cp "$small" nets/mine.json
for net in '' vgg61 vgg61.json vgg16.jsn xyzzy ./vgg16.json mine/ folder.json; do
	# shellcheck disable=SC2086 # a list of words
	say $predict "$net"
done
# shellcheck disable=SC2086
$predict --format csv mine ./nets/mine vgg16 | columns net | sort -u
