#!/bin/sh
# run.sh SCRIPT ROOT BUILD WORK - runs a test written in Python in an empty folder.
# SPDX-License-Identifier: Apache-2.0
set -eu
command -v python3 >/dev/null || {
	echo "skipped: there is no python3"
	exit 77
}
rm -rf "$4"
mkdir -p "$4"
cd "$4"
PATH=$3/bin:$PATH LC_ALL=C exec python3 -B "$1" "$2" "$3"
