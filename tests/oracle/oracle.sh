#!/bin/sh
# oracle.sh - records what the program prints and writes for many command lines; compares two records.
# SPDX-License-Identifier: Apache-2.0
#
#   oracle.sh record BUILD FOLDER    runs the lines of commands.tsv with BUILD/bin/paleo
#   oracle.sh compare BEFORE AFTER   lists the lines whose answers differ, and by what
#
# For a change that moves or renames much and shall leave every number as it is. The record of the commit
# before is made once, outside of the checkout, by that commit's own oracle.sh, commands.tsv and build; then
# after each step:
#
#   cmake --build build && tests/oracle/oracle.sh record build AFTER
#   tests/oracle/oracle.sh compare BEFORE AFTER
#   diff -r BEFORE/NAME AFTER/NAME        # what a line's answers differ by
#
# A line of commands.tsv has a name, a tab and a command for sh. Where an option, a command or an input is
# renamed the command follows, and the name stays: answers are compared by it. Each line runs in an empty
# folder with links to nets, results and tests of this checkout, and to inputs, which are made here from
# tests/fuzz/corpus/config/ and table.awk. The fake device has no noise, and nothing may depend on the clock:
# of what a time budget bounds, the first records alone are kept. Of a line a record has its command, stdout,
# stderr, status and files/, with words in place of what variable.sed lists. Both records are made on one
# machine: some lines ask its CPU and its cuDNN. A record takes about 90 s on two cores.
#
# compare calls a line
#   NUMBERS   an exit status differs, or a number, in its place among the numbers of a stream or of all files;
#             digits within words are no numbers (f32, h100-sxm), nor are those of a schema (paleo-records/4)
#   words     only other bytes differ
#   gone, new it is in one record alone
# It ends with 1 if there are NUMBERS or a line is gone, else with 0; with 2 if it cannot compare.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
source=$(cd "$here/../.." && pwd -P)
LC_ALL=C
export LC_ALL

fail() {
	echo "oracle.sh: $1" >&2
	exit 2
}

# make_inputs FOLDER - models' config.json without the options before each, tables of times, a device.
make_inputs() {
	for file in "$source"/tests/fuzz/corpus/config/*; do
		mkdir -p "$1/${file##*/}"
		sed '1s/^[^{]*//' "$file" >"$1/${file##*/}/config.json"
	done
	awk -f "$here/table.awk" >"$1/table.csv"
	cat >"$1/nets.csv" <<-'END'
		model,device,phase,precision,layout,mode,torch,batch,img,step_ms
		alex_v2,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,16,32,1.9
		nin,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,8,32,1.2
		small,RTX_4090,infer,amp_f16,nchw,eager,2.4.0,2,32,0.1
		alex_v2,RTX_4090,train,amp_f16,nchw,eager,2.4.0,16,32,7
		nin,RTX_4090,train,amp_f16,nchw,eager,2.4.0,8,32,5
	END
	echo '{"devices": [{"name": "own", "flop_per_s": {"f32": 14e12, "f16": 112e12},
		"mem_bytes_per_s": 900e9, "cache_bytes": 6e6, "clock_hz": 1.38e9, "sm_count": 80}]}' >"$1/own.json"
}

# settled - standard input without what is variable by nature.
settled() {
	sed -E -e "s|$work|WORK|g; s|$build|BUILD|g; s|$source|SOURCE|g; s|$built_of|SOURCE|g" -f "$here/variable.sed"
}

# run_line NAME - runs one line and keeps its answers; $scratch, $build, $built_of and $record are set.
run_line() {
	work=$scratch/$1 answer=$record/$1
	mkdir "$work" "$answer" "$answer/files"
	ln -s "$source/nets" "$source/results" "$source/tests" "$scratch/inputs" "$work"
	awk -F '\t' -v name="$1" '$1 == name { sub(/^[^\t]*\t/, ""); print }' "$here/commands.tsv" >"$answer/command"
	code=0
	(cd "$work" && env -i PATH="$build/bin:/usr/bin:/bin" HOME="$work" LC_ALL=C TZ=UTC TERM=dumb COLUMNS=100 \
		NO_COLOR=1 PALEO_FAKE=still timeout 100 sh "$answer/command" \
		</dev/null >"$answer/stdout.raw" 2>"$answer/stderr.raw") || code=$?
	echo $code >"$answer/status"
	for stream in stdout stderr; do
		settled <"$answer/$stream.raw" >"$answer/$stream"
		rm "$answer/$stream.raw"
	done
	(cd "$work" && find . -type f) | while read -r file; do
		mkdir -p "$answer/files/${file%/*}"
		settled <"$work/$file" >"$answer/files/$file"
	done
	rm -r "$work"
}

record() {
	[ -x "$1/bin/paleo" ] || fail "'$1' has no bin/paleo: build it first"
	build=$(cd "$1" && pwd -P)
	mkdir "$2" || fail "'$2' cannot be made; a record goes into a folder of its own"
	record=$(cd "$2" && pwd -P)
	built_of=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 130' INT TERM
	export build built_of record scratch
	mkdir "$scratch/inputs"
	make_inputs "$scratch/inputs"
	cut -f 1 "$here/commands.tsv" | xargs -n 1 -P 2 sh "$here/oracle.sh" run_line
	echo "$(find "$record" -name status | wc -l) command lines in $2; $(
		find "$record" -name status -exec cat {} + | grep -cx 124 || :) ran into the limit of time"
}

# numbers - those of standard input, one a line.
numbers() {
	sed -E 's,paleo-[a-z-]+/[0-9]+,,g; s/([0-9])x([0-9])/\1 \2/g; s/([0-9])x([0-9])/\1 \2/g
		s/(^|[^A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*/\1 /g' |
		grep -oE -- '-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?' || :
}

# all_files ANSWER - the contents of the files that a line has written, by their names.
all_files() {
	(cd "$1/files" && find . -type f | sort | while read -r file; do cat "$file"; done)
}

# contents PART ANSWER - what a line's part says.
contents() {
	case $1 in
	files) all_files "$2" ;;
	*) cat "$2/$1" ;;
	esac
}

# compare_line NAME - prints its verdict, if the answers differ; $before, $after, $scratch are set.
compare_line() {
	words='' changed=''
	for part in status stdout stderr files; do
		diff -rq "$before/$1/$part" "$after/$1/$part" >/dev/null && continue
		words="$words $part"
		contents $part "$before/$1" | numbers >"$scratch/before"
		contents $part "$after/$1" | numbers >"$scratch/after"
		cmp -s "$scratch/before" "$scratch/after" && continue
		changed="$changed $part"
		diff "$scratch/before" "$scratch/after" >"$scratch/diff" || :
		first="$first
        $part: $(grep -c '^<' "$scratch/diff") of $(wc -l <"$scratch/before") numbers become $(
			grep -c '^>' "$scratch/diff"), the first: $(
			sed -n '/^</{s/^< //p; q;}' "$scratch/diff") -> $(sed -n '/^>/{s/^> //p; q;}' "$scratch/diff")"
	done
	if [ -n "$changed" ]; then
		echo "NUMBERS $1:$words$first"
	elif [ -n "$words" ]; then
		echo "words   $1:$words"
	fi
}

compare() {
	before=$1 after=$2
	for folder in "$before" "$after"; do
		[ -n "$(find "$folder" -maxdepth 2 -name status 2>/dev/null | head -n 1)" ] || fail "'$folder' is no record"
	done
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	find "$before" "$after" -mindepth 1 -maxdepth 1 -type d | sed 's,.*/,,' | sort -u | while read -r name; do
		first=''
		if [ ! -d "$before/$name" ]; then
			echo "new     $name"
		elif [ ! -d "$after/$name" ]; then
			echo "gone    $name"
		else
			compare_line "$name"
		fi
	done >"$scratch/list"
	cat "$scratch/list"
	awk -v lines="$(find "$before" -name status | wc -l)" '
		/^[A-Za-z]/ { count[$1]++ }
		END {
			printf "%d command lines before: %d with other NUMBERS, %d with other words alone, %d gone; %d new\n",
				lines, count["NUMBERS"], count["words"], count["gone"], count["new"]
			exit count["NUMBERS"] + count["gone"] > 0
		}' "$scratch/list"
}

case ${1-}:$# in
record:3) record "$2" "$3" ;;
compare:3) compare "$2" "$3" ;;
run_line:2) run_line "$2" ;;
*) fail "expected 'record BUILD FOLDER' or 'compare BEFORE AFTER'" ;;
esac
