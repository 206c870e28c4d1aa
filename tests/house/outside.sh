#!/bin/sh
# outside.sh ROOT - no file of the suite names a folder outside the repository, by ".." or by an absolute path.
# SPDX-License-Identifier: Apache-2.0
#
# A ".." counts from the folder of the file, and leads to a name that is committed there or in ROOT, or to a build.
# Absolute paths are the system's, or those of no place.
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

files=$(house_files "$1" 'tests/*' 'docs/*.py' | grep -vE '\.(gz|onnx)$|^tests/fuzz/corpus/')
all=$(mktemp)
trap 'rm -f "$all"' EXIT
house_files "$1" '*' >"$all"
found=$(
	cd "$1"
	# shellcheck disable=SC2016 # a program of awk's
	printf '%s\n' "$files" | tr '\n' '\0' | xargs -0 awk -v all="$all" '
		BEGIN {
			while ((getline path <all) > 0)
				for (; path != ""; sub(/\/?[^\/]*$/, "", path))
					committed[path]
			committed["build"]
			split("bin dev etc lib proc share sys tmp usr var none nowhere", names, " ")
			for (i in names)
				system_has[names[i]]
			up = "([.][.]/)+([.][.]|[A-Za-z0-9_][A-Za-z0-9_.-]*)?"
			absolute = "[ \"=(:\47]/[A-Za-z][A-Za-z0-9_.-]*/[A-Za-z0-9_.-][A-Za-z0-9_.-][A-Za-z0-9_.-]"
			root = "(SOURCE@|SOURCE_DIR}|[$][{]?(source|root|PWD)[}]?\"?|ROOT[}]?)/[.][.]"
		}
		# Whether a chain of ".." and a name leads out of the repository.
		function leads_out(word,    folder, top) {
			folder = FILENAME
			sub(/\/?[^\/]*$/, "", folder)
			for (; word ~ /^[.][.]/; sub(/^[.][.]\/?/, "", word)) {
				if (folder == "")
					return 1
				sub(/\/?[^\/]*$/, "", folder)
			}
			return word != "" && !(word in committed) && !((folder "/" word) in committed)
		}
		function climbs(    rest, word, from) {
			for (rest = " " $0; match(rest, up); rest = substr(rest, from + length(word))) {
				from = RSTART
				word = substr(rest, RSTART, RLENGTH)
				if (substr(rest, from - 1, 1) !~ /[A-Za-z0-9_.]/ && leads_out(word))
					return 1
			}
			return $0 ~ root
		}
		function is_absolute(    rest, name) {
			for (rest = " " $0; match(rest, absolute); rest = substr(rest, RSTART + RLENGTH)) {
				name = substr(rest, RSTART + 2, RLENGTH)
				sub(/\/.*/, "", name)
				if (!(name in system_has) && !(name in committed))
					return 1
			}
			return 0
		}
		/^#[ \t]*include/ { next }
		climbs() || is_absolute() { print FILENAME ":" FNR ": leads outside the repository: " substr($0, 1, 120) }'
) || :
house_verdict outside "$found" "$(printf '%s' "$files" | grep -c .)"
