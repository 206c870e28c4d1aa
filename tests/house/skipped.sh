#!/bin/sh
# skipped.sh FOLDER - prints why tests were skipped, as they say by a line "skipped: why"; 1 if one does not say it.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER is ctest's Testing/Temporary. ctest runs this last, when its log has another name still.
set -eu
cd "$1"
log=
for file in LastTest.log.tmp*; do
	[ ! -e "$file" ] || log=$file
done
[ -n "$log" ] || log=LastTest.log
names=LastTestsDisabled.log
[ -e $names ] || names=/dev/null

awk -v log_file="$log" '
	FILENAME != log_file { sub(/^[0-9]+:/, ""); why[$0] = ""; next }
	/^[0-9]+\/[0-9]+ Testing: / { name = $0; sub(/^[^:]*: /, "", name) }
	/^skipped: / && !why[name] { why[name] = substr($0, 10) }
	END {
		for (name in why) {
			print "  " name ": " (why[name] ? why[name] : "it does not say why") | "LC_ALL=C sort"
			silent += !why[name]
		}
		close("LC_ALL=C sort")
		exit silent > 0
	}' $names "$log" >skipped.txt || silent=1
[ ! -s skipped.txt ] || echo "Skipped:"
cat skipped.txt
exit "${silent:-0}"
