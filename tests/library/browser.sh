#!/bin/sh
# browser.sh CHROMIUM PAGE WORK [SHOTS] - runs browser.js where there are node, Chromium and a page.
# SPDX-License-Identifier: Apache-2.0
set -eu

skip() {
	echo "skipped: $1"
	exit 77
}

command -v node >/dev/null || skip "there is no node"
[ -x "$1" ] || skip "there is no Chromium"
[ -e "$2/data.js" ] || skip "the page is not built (cmake --build build --target web)"
rm -rf "$3"
mkdir -p "$3"
"$1" --headless=new --no-sandbox --disable-gpu --user-data-dir="$3/probe" --dump-dom about:blank >/dev/null 2>&1 ||
	skip "Chromium does not start here"
exec node tests/library/browser.js "$@"
