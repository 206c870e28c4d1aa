#!/bin/sh
# links.sh ROOT - links between our pages, and the pages and files that are named, lead somewhere.
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

# Every source or folder that a page has in `ticks`, and every source that a comment of a source names:
# it is the end of a committed path. A name with a capital, as in NAME.c, is a pattern; what programs
# make is not committed.
# shellcheck disable=SC2016,SC2046 # awk's own variables; a list of words
absent=$(printf '%s\n' "$files" | awk '
	function end_of(path) {
		for (;;) {
			is_end[path] = 1
			if (!match(path, /\//))
				return
			path = substr(path, RSTART + 1)
		}
	}
	function look(word) {
		sub(/\/$/, "", word)
		if (!(word in is_end) && word !~ /^(paleo-results|bin|share|build)(\/|$)/ &&
		    word !~ /^(paleo_config\.h|kernel_images\.def)$/)
			print FILENAME ":" FNR ": there is no " word
	}
	# The comments of a line of C.
	function comments(line, text, at) {
		for (;;) {
			if (!inside && !(at = index(line, "/*")))
				return text
			if (!inside)
				line = substr(line, at + 2)
			at = index(line, "*/")
			text = text " " (at ? substr(line, 1, at - 1) : line)
			inside = !at
			if (!at)
				return text
			line = substr(line, at + 2)
		}
	}
	FILENAME == "-" {
		end_of($0)
		for (folder = $0; sub(/\/[^\/]*$/, "", folder);)
			end_of(folder)
		next
	}
	FNR == 1 { code = inside = 0 }
	/^ *```/ { code = !code }
	FILENAME ~ /\.md$/ && !code {
		n = split($0, part, "`")
		for (i = 2; i < n; i += 2)
			if (part[i] ~ /^([a-z0-9_-]+\/)*[a-z0-9_-]+\.(c|h|def|sh|cuh?)$/ || part[i] ~ /^([a-z0-9_-]+\/)+$/)
				look(part[i])
	}
	FILENAME !~ /\.md$/ {
		for (rest = comments($0); match(rest, /[A-Za-z0-9_.\/>-]+\.(c|h|def|cuh?)/); rest = substr(rest, RSTART + RLENGTH)) {
			word = substr(rest, RSTART, RLENGTH)
			if (word !~ /[A-Z>]|^[^\/]\.|^\./ && substr(rest, RSTART + RLENGTH, 1) !~ /[A-Za-z0-9_]/)
				look(word)
		}
	}' - $(printf '%s\n' "$pages"; house_sources .))
house_verdict links "$(printf '%s\n%s\n%s' "$broken" "$lost" "$absent" | sed '/^$/d')" \
	"$(printf '%s\n' "$pages" | grep -c .)"
