# lib.sh - what the runs on a GPU have in common: steps with a limit, marks, folders of libraries.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Sourced with $here (this folder), $out (where results go), $limit (seconds for all of it) and $dry set; makes
# $work, a folder for all the rest. What takes long is written to $unfinished, in $out, so that a run that is cut
# at any moment leaves what it had.
: "${here:?}" "${out:?}" "${limit:?}" "${dry:?}"

work=$(mktemp -d)
unfinished=$out/unfinished.jsonl
began=$(date +%s)
code=0
reserved=0
running=''
: >"$work/verdicts"
rm -f "$unfinished"

say() {
	printf '%s\n' "$*" | tee -a "$out/check.txt"
}

# seconds_left - of $limit, which counts from the beginning, without the seconds $reserved for what comes later.
seconds_left() {
	echo $((limit - reserved - ($(date +%s) - began)))
}

# smaller A B
smaller() {
	if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi
}

# Opening a device may take so many seconds: CUDA's libraries are loaded, and its clock comes up.
opening=45

# step SECONDS NAME COMMAND... - its output goes to $work/NAME.txt, its exit code to $code, how long it took to
# $took. 5: its time budget ended before its ops did. 124: it ran too long, or there was no time left to begin it.
step() {
	most=$(smaller "$1" "$(seconds_left)") name=$2
	shift 2
	code=124 took=0
	if [ "$most" -lt 3 ]; then
		say "step $name: no time left"
		return
	fi
	start=$(date +%s%N)
	code=0
	# a signal to this script is heard while it waits, not while a command runs
	timeout -k 5 "$most" "$@" >"$work/$name.txt" 2>&1 &
	running=$!
	wait "$running" || code=$?
	running=''
	# a profile predicts what its time did not reach, and ends with 0 or 7; here it is to be gone on with
	if { [ "$code" -eq 0 ] || [ "$code" -eq 7 ]; } && [ "$2" = profile ] && grep -q 'left when the time budget ended' "$work/$name.txt"; then
		code=5
	fi
	# a check without anything to compare the device with has measured it all the same
	if [ "$code" -eq 7 ] && [ "$2" = check ]; then
		code=0
	fi
	took=$(((($(date +%s%N) - start) + 5000000) / 10000000))
	took=$((took / 100)).$(printf %02d $((took % 100)))
	say "step $name: code $code, $took s: $*"
	[ "$code" -eq 0 ] || tail -n 3 "$work/$name.txt" | tee -a "$out/check.txt"
}

# stop CODE - ends what runs, then this script; for traps.
stop() {
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$running" ] || kill $running 2>/dev/null
	exit "$1"
}

# taken NAME FILE - what a step wrote to $unfinished is $work/NAME.jsonl from now on, and stands in FILE of $out.
taken() {
	[ -e "$unfinished" ] || return 0
	cp "$unfinished" "$work/$1.jsonl"
	cat "$unfinished" >>"$out/$2"
	rm "$unfinished"
}

# fakes WORDS - the device `fake` does this, too; none: what it did in the beginning.
fakes_at_first=${PALEO_FAKE:-}
fakes() {
	[ "$dry" = 1 ] || return 0
	export PALEO_FAKE="$fakes_at_first${1:+,$1}"
}

# found MARK VERDICT SEEN - what a step shows of a mark of marks.tsv: pass, FAIL, info, none.
found() {
	printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/verdicts"
	say "$2: $1: $3"
}

# holds MARK SEEN TEST... - pass if the test holds; a step that was cut off shows nothing.
holds() {
	mark=$1 seen=$2
	shift 2
	if "$@"; then
		found "$mark" pass "$seen"
	elif [ "$code" -eq 124 ]; then
		found "$mark" none "$seen; the time was up"
	else
		found "$mark" FAIL "$seen"
	fi
}

# judge NAME ARGUMENTS... - judge/NAME.awk says of its marks; what it finds of single ops goes to check.txt.
judge() {
	name=$1
	shift
	: >"$work/details"
	awk -f "$here/judge/lib.awk" -f "$here/judge/$name.awk" -v details="$work/details" "$@" \
		>"$work/judged" 2>>"$out/check.txt"
	cat "$work/judged" >>"$work/verdicts"
	cat "$work/details" >>"$out/check.txt"
	awk -F '\t' '{ print $2 ": " $1 ": " $3 }' "$work/judged" | tee -a "$out/check.txt"
}

# a_file NAME - a file of $work, which is empty if no step has made it.
a_file() {
	[ -e "$work/$1" ] || : >"$work/$1"
	echo "$work/$1"
}

# keep FILE TARGET - appends what a step wrote to one of the files that are left.
keep() {
	[ ! -s "$1" ] || cat "$1" >>"$out/$2"
}

# is_complete FILE - its measurement came to its end.
is_complete() {
	[ -e "$1" ] && tail -n 1 "$1" | grep -q '"type":"end"'
}

# count PATTERN FILE - lines that match; 0 where there is no such file.
count() {
	lines=$(grep -cE -- "$1" "$2" 2>/dev/null) || :
	echo "${lines:-0}"
}

# Folders of Python's wheels with CUDA's libraries, for machines without a toolkit.
find_wheels() {
	python3 - 2>/dev/null <<'END' || :
import glob, os, site, sys
roots = set(site.getsitepackages() + [site.getusersitepackages()] + [p for p in sys.path if p])
folders = set()
for root in roots:
    for pattern in ("nvidia/*/lib", "nvidia/cu13/lib"):
        folders.update(f for f in glob.glob(os.path.join(root, pattern)) if glob.glob(f + "/*.so*"))
print(":".join(sorted(folders)))
END
}

# Finds the program, or builds it where there is none: $build, $paleo. $libraries: where CUDA's are.
find_program() {
	cd "$here/../.." || exit 2
	if [ -z "${PALEO_CUDA_LIBDIR:-}" ]; then
		PALEO_CUDA_LIBDIR=$(find_wheels)
		export PALEO_CUDA_LIBDIR
	fi
	build=${PALEO_BUILD:-}
	for place in build build-gpu; do
		[ -n "$build" ] || [ ! -x "$place/bin/paleo" ] || build=$place
	done
	if [ ! -x "${build:-none}/bin/paleo" ]; then
		build="build-acceptance"
		step 240 build sh -c "cmake -S . -B $build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON &&
			cmake --build $build --parallel"
	fi
	if [ ! -x "$build/bin/paleo" ]; then
		say "there is no program: $build/bin/paleo was not built"
		exit 2
	fi
	build=$(cd "$build" && pwd)
	paleo=$build/bin/paleo
	export PALEO_PLUGIN_DIR="$build/lib/paleo"
	# for programs that are linked with CUDA's libraries themselves
	libraries=$PALEO_CUDA_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# measure_ceilings DEVICE - to ceilings.jsonl of $out; the device's name to $chip. What it measured before it failed counts.
measure_ceilings() {
	step $((opening + 90)) ceilings "$paleo" check --device "$1" --output "$out/ceilings.jsonl"
	use_ceilings "$out/ceilings.jsonl"
}

# use_ceilings FILE - commands that run in $work take the peaks from there. The last line of a file may be cut.
use_ceilings() {
	chip=''
	[ -s "$1" ] || return 0
	chip=$(device_name "$1")
	[ -n "$chip" ] || return 0
	mkdir -p "$work/paleo-results/$chip"
	grep '}$' "$1" >"$work/ceilings.jsonl"
	cp "$work/ceilings.jsonl" "$work/paleo-results/$chip/"
}

# take_net PATH:BATCH:SECONDS - to $net, $batch, and $budget, the seconds for all of its ops.
# shellcheck disable=SC2034 # they are for the caller
take_net() {
	net=${1%%:*}
	batch=${1#*:}
	budget=${batch#*:} batch=${batch%%:*}
}

# make_decoder - a decoder of two layers with experts, a config.json; a small one if $real is 0. To $decoder.
make_decoder() {
	decoder=$work/decoder.json
	cp "$here/decoder.json" "$decoder"
	[ "${real:?}" = 1 ] || sed -i 's/: 2048/: 64/; s/: 768/: 32/; s/: 32768/: 512/; s/: 128/: 16/' "$decoder"
}

# device_name FILE - how the results in it call the device.
device_name() {
	sed -n 's/.*"type":"meta".*"device":{"name":"\([^"]*\)".*/\1/p;T;q' "$1"
}

# of_datasheet DEVICE COLUMN - what its maker says; nothing where we do not know.
of_datasheet() {
	"$paleo" devices --format csv "$1" 2>/dev/null | awk -F, -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		NR == 2 && at { print $at }'
}

# environment FILE - the machine, its driver, the libraries that the plug-in gets; at the end of a file.
environment() {
	{
		date -u
		uname -a
		grep PRETTY_NAME /etc/os-release
		git -C "$here" rev-parse HEAD 2>/dev/null
		cat "$build/built-on.txt" 2>/dev/null
		timeout 5 nvidia-smi 2>&1
		timeout 5 nvidia-smi -q 2>&1 | head -n 400
		echo "PALEO_CUDA_LIBDIR=$PALEO_CUDA_LIBDIR"
		LD_LIBRARY_PATH=$libraries ldd "$build/lib/paleo/libpaleo-cuda.so" 2>&1
		env | grep -E '^(NVIDIA|CUDA|CUBLAS|CUDNN|PALEO)' | sort
	} >>"$1" 2>&1
}
