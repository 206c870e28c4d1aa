#!/bin/sh
# split.sh FILE FOLDER - writes the texts of a file of broken input into a folder, a file each, and expected.txt.
# SPDX-License-Identifier: Apache-2.0
#
# A text begins behind "== NAME:SAID", where SAID is what its refusal must say, and ends before the next; empty lines
# before that are not of it. "== NAME" alone is no case, but something to make cases of: lines "| COMMANDS" are run by
# sh in the folder, and what they print is the text. What stands before the first text is for people. The lines
# NAME:SAID become expected.txt.
set -eu
rm -rf "$2"
mkdir -p "$2"
LC_ALL=C awk -v folder="$2" '
	function end() {
		close(file)
		if (commands)
			print commands "} >" name
		commands = empty = ""
	}
	/^== / {
		end()
		name = said = substr($0, 4)
		sub(/:.*/, "", name)
		if (seen[name]++) {
			print FILENAME ":" FNR ": " name " stands there twice" >"/dev/stderr"
			exit 1
		}
		if (said != name)
			print said >(folder "/said")
		file = folder "/" name
		printf "" >file
		next
	}
	!name { next }
	/^[|] / { commands = (commands ? commands : "{\n") substr($0, 3) "\n"; next }
	/^$/ { empty = empty "\n"; next }
	{
		printf "%s%s\n", empty, $0 >file
		empty = ""
	}
	END { end() }' "$1" >"$2/commands"
(cd "$2" && sh -eu ./commands && rm commands && mv said expected.txt)
