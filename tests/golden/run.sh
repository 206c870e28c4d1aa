#!/bin/sh
# run.sh FILE SOURCE BUILD WORK - runs the commands of a golden file and compares what they print with what it holds.
# SPDX-License-Identifier: Apache-2.0
#
# All paths are absolute. README.md here tells how a file is written. WORK keeps the files that the commands wrote,
# WORK.run what they printed and "printed.t", the file as it would have to be: with PALEO_UPDATE_GOLDEN=1 in the
# environment it becomes so.
set -eu

file=$1 source=$2 build=$3 work=$4 here=${1%.t} run=$4.run
lib=$(cd "$(dirname "$0")" && pwd)/lib.sh
rm -rf "$work" "$run"
mkdir -p "$work" "$run"

# One shell runs all commands. That of line N prints into N.out and N.err, and N.status has its status.
LC_ALL=C awk -v run="$run" '
	NR == 1 {
		if (/^( |$)/)
			fault = "the first line must say what it is about"
		print "here=$3 work=$4\n. \"$5\"\nset --"
		print "skip() {\n\techo \"$*\" >\"$work.run/skipped\"\n\texit\n}"
	}
	function end() {
		if (at)
			printf "echo $? >\"%s/%d.status\"\n", run, at
		at = 0
	}
	/^  [$] / {
		end()
		at = NR
		printf "exec >\"%s/%d.out\" 2>\"%s/%d.err\"\n%s\n", run, at, run, at, substr($0, 5)
		last = at
		next
	}
	at && /^  >( |$)/ { print substr($0, 5); next }
	{ end() }
	END {
		end()
		if (!last)
			fault = "holds no command"
		if (fault)
			print FILENAME ": " fault >"/dev/stderr"
		exit fault != ""
	}' "$file" >"$run/script"

code=0
(
	cd "$work"
	unset PALEO_UPDATE_GOLDEN
	LC_ALL=C PATH=$build/bin:$PATH exec sh -u "$run/script" "$source" "$build" "$here" "$work" "$lib"
) || code=$?

if [ -e "$run/skipped" ]; then
	echo "skipped: $(cat "$run/skipped")"
	exit
fi

# The file as it would have to be. The shell may end with the last command, but not before.
cd "$run"
LC_ALL=C awk -v ended="$code" -v work="$work" -v here="$here" -v build="$build" -v source="$source" '
	function replaced(text, path, name, head, i) {
		for (head = ""; i = index(text, path); text = substr(text, i + length(path)))
			head = head substr(text, 1, i - 1) name
		return head text
	}
	# The longest path first, as one may lie within another.
	function marked(text) {
		text = replaced(replaced(text, work, "$work"), here, "$here")
		return replaced(replaced(text, build, "$build"), source, "$source")
	}
	function hex(byte) { return sprintf("\\x%02x", byte) }

	# Adds a byte to a line: as it is, and as it stands in a line that is (esc).
	function add(byte) {
		if (more > 0 ? byte < 128 || byte > 191 : byte > 127 && (byte < 194 || byte > 244))
			escape = 1 # no UTF-8
		more = more > 0 ? more - 1 : byte < 194 ? 0 : byte < 224 ? 1 : byte < 240 ? 2 : 3
		if (byte < 32 && byte != 9 || byte == 127)
			escape = 1
		if (!escape)
			plain = plain sprintf("%c", byte)
		escaped = escaped (byte == 92 ? "\\\\" : byte < 32 && byte != 9 || byte > 126 ? hex(byte) : sprintf("%c", byte))
		count++
	}
	# Prints a line of an output; before it what tells the stream, after it what tells that it has no end.
	function line(stream, end) {
		if (more > 0)
			escape = 1
		if (!escape && plain ~ /[ \t]$| [(](esc|no-eol)[)]$/) {
			escape = 1
			sub(/ $/, hex(32), escaped)
			sub(/\t$/, hex(9), escaped)
			sub(/[)]$/, hex(41), escaped)
		} else if (!escape && stream == "" && plain ~ /^([$] |2?>( |$)|[[][0-9]+[]]$)/) {
			escape = 1
			escaped = (plain ~ /^[$]/ ? hex(36) : plain ~ /^>/ ? hex(62) : plain ~ /^2/ ? hex(50) : hex(91)) \
				substr(escaped, 2)
		} else if (escape) {
			sub(/ $/, hex(32), escaped)
			sub(/\t$/, hex(9), escaped)
		}
		if (stream == "" && !count)
			blanks++
		else
			put(stream (stream != "" && count ? " " : "") \
				marked(escape ? escaped " (esc)" : plain) end)
		plain = escaped = ""
		count = more = escape = 0
	}
	function put(text) {
		for (; blanks; blanks--)
			print ""
		print "  " text
	}
	function show(path, stream, od, row, bytes, byte, i) {
		od = "od -An -v -tu1 " path
		while ((od | getline row) > 0) {
			bytes = split(row, byte)
			for (i = 1; i <= bytes; i++)
				if (byte[i] == 10)
					line(stream, "")
				else
					add(byte[i] + 0)
		}
		close(od)
		if (count)
			line(stream, " (no-eol)")
	}
	# Prints what the command of line "at" has printed and how it ended.
	function answer(status) {
		if (gone) {
			put("(did not run)")
			lost = 1
		} else {
			show(at ".out", "")
			show(at ".err", "2>")
			if ((getline status <(at ".status")) <= 0) {
				status = ended
				gone = at
			}
			if (status != 0)
				put("[" status "]")
		}
		# What ends with an empty line must not look as if that were of the text.
		if (blanks) {
			blanks--
			put(" (esc)")
		}
		at = 0
		within = 1
	}
	/^  [$] / {
		if (at)
			answer()
		printf "%s", empty
		empty = ""
		at = NR
		within = 0
		print
		next
	}
	at && /^  >( |$)/ { print; next }
	at { answer() }
	/^$/ { empty = empty "\n"; next }
	within && /^  / { empty = ""; next }
	{
		printf "%s", empty
		print
		empty = ""
		within = 0
	}
	END {
		if (at)
			answer()
		printf "%s", empty
		exit lost
	}' "$file" >printed.t || {
	diff -u "$file" printed.t || :
	echo "$file: the shell ended with $code before the last command"
	exit 1
}
cmp -s "$file" printed.t && exit
if [ "${PALEO_UPDATE_GOLDEN-}" = 1 ]; then
	cp printed.t "$file"
	echo "UPDATED: $file"
	exit
fi
diff -u "$file" printed.t || :
echo "$file: printed something else"
exit 1
