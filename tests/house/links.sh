#!/bin/sh
# links.sh ROOT - links between our pages, and the pages that sources name, lead somewhere.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

files=$(house_files "$1" '*')
pages=$(printf '%s\n' "$files" | grep '\.md$') || :
cd "$1"

# Every link [text](target) outside of code: its file is committed, and its anchor is a heading there.
# The list of files comes first, on standard input.
# shellcheck disable=SC2016,SC2086 # awk's own variables; a list of words
broken=$(printf '%s\n' "$files" | awk '
	# The path of target, as seen from the folder of page.
	function resolve(page, target, parts, n, i, path) {
		sub(/[^\/]*$/, "", page)
		n = split(page target, parts, "/")
		for (i = 1; i <= n; i++) {
			if (parts[i] == "..")
				sub(/\/?[^\/]*$/, "", path)
			else if (parts[i] != "" && parts[i] != ".")
				path = path (path == "" ? "" : "/") parts[i]
		}
		return path
	}
	FILENAME == "-" {
		there[$0] = 1
		for (folder = $0; sub(/\/[^\/]*$/, "", folder);)
			there[folder] = 1
		next
	}
	FNR == 1 { code = 0 }
	/^ *```/ { code = !code; next }
	code { next }
	/^#+ / {
		title = tolower($0)
		sub(/^#+ +/, "", title)
		gsub(/[^a-z0-9 _-]/, "", title)
		gsub(/ /, "-", title)
		again = times[FILENAME, title]++
		anchors[FILENAME "#" title (again ? "-" again : "")] = 1
	}
	{
		gsub(/`[^`]*`/, "")
		for (rest = $0; match(rest, /\]\([^) ]*\)/); rest = substr(rest, RSTART + RLENGTH)) {
			target = substr(rest, RSTART + 2, RLENGTH - 3)
			if (target !~ /^[a-z]+:/) {
				place[++count] = FILENAME ":" FNR
				page[count] = FILENAME
				link[count] = target
			}
		}
	}
	END {
		for (i = 1; i <= count; i++) {
			at = index(link[i] "#", "#")
			path = at == 1 ? page[i] : resolve(page[i], substr(link[i], 1, at - 1))
			if (!(path in there))
				print place[i] ": " link[i] " leads to no committed file"
			else if (at < length(link[i]) && path ~ /\.md$/ &&
				 !((path substr(link[i], at)) in anchors))
				print place[i] ": " link[i] " leads to no heading of " path
		}
	}' - $pages)

# Every docs/....md that a file names.
lost=$(
	printf '%s\n' "$files" | tr '\n' '\0' |
		xargs -0 grep -InoE '(^|[^A-Za-z0-9_-])docs/[A-Za-z0-9_/-]+\.md' -- |
		while IFS=: read -r file line name; do
			name=docs/${name#*docs/}
			[ -e "$name" ] || echo "$file:$line: $name is not there"
		done
) || :
house_verdict links "$(printf '%s\n%s' "$broken" "$lost" | sed '/^$/d')" \
	"$(printf '%s\n' "$pages" | grep -c .)"
