#!/bin/sh
# acceptance.sh - what a GPU must show, in one call of under ten minutes; --dry: without a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# acceptance.sh [--dry] [FOLDER]
#
# Run in the project's folder. Leaves at most 8 files in FOLDER (default: $OUT, else
# paleo-acceptance); what a step finds is there when it ends, so that a run that is cut leaves what it
# had. Uses the program in $PALEO_BUILD (default: build), and builds it there if it is not. CUDA's
# libraries may be Python's wheels. Clocks, limits and modes of the GPU are never touched. --dry runs
# every command on the device `fake` with a small net, and judges no times.
set -u

dry=0
[ "${1:-}" = --dry ] && dry=1 && shift
out=${1:-${OUT:-paleo-acceptance}}
build=${PALEO_BUILD:-build}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
mkdir -p "$out"
out=$(cd "$out" && pwd)
device=0 bf16_layout=nhwc
failures=0

say() {
	printf '%s\n' "$*" | tee -a "$out/check.txt"
}

# mark WORD NAME WORDS - a line of the table, which comes last.
mark() {
	printf '%-8s %-34s %s\n' "$1" "$2" "$3" >>"$work/table"
	[ "$1" = FAIL ] && failures=$((failures + 1))
	say "$1: $2: $3"
}

# step SECONDS NAME COMMAND... - its output goes to $work/NAME.txt, its exit code to $code.
step() {
	limit=$1 name=$2
	shift 2
	start=$(date +%s)
	timeout -k 5 "$limit" "$@" >"$work/$name.txt" 2>&1
	code=$?
	say "step $name: code $code, $(($(date +%s) - start)) s: $*"
	[ "$code" -eq 0 ] || tail -n 3 "$work/$name.txt" | tee -a "$out/check.txt"
}

# must NAME - a mark for the step that was just made.
must() {
	if [ "$code" -eq 0 ]; then mark pass "$1" ""; else mark FAIL "$1" "code $code"; fi
}

# keep FILE TARGET - appends what a step wrote to one of the files that are left.
keep() {
	[ -s "$1" ] && cat "$1" >>"$out/$2"
}

# work_times FILE - "work<TAB>seconds" of the right records of rank 0 in a results file.
work_times() {
	awk -f "$here/times.awk" "$1"
}

pack() {
	[ -f "$work/table" ] && cat "$work/table" >"$work/table.txt"
	tar -C "$work" -czf "$out/raw.tar.gz" . 2>/dev/null
	rm -rf "$work"
}
trap pack EXIT
trap 'exit 130' INT TERM

# Folders of Python's wheels with CUDA's libraries, for machines without a toolkit.
find_wheels() {
	python3 - 2>/dev/null <<'END'
import glob, os, site, sys
roots = set(site.getsitepackages() + [site.getusersitepackages()] + [p for p in sys.path if p])
folders = set()
for root in roots:
    for pattern in ("nvidia/*/lib", "nvidia/cu13/lib"):
        folders.update(f for f in glob.glob(os.path.join(root, pattern)) if glob.glob(f + "/*.so*"))
print(":".join(sorted(folders)))
END
}

environment() {
	{
		date -u
		uname -a
		git -C "$here" rev-parse HEAD 2>/dev/null
		nvidia-smi -q 2>&1 | head -n 400
		echo "PALEO_CUDA_LIBDIR=${PALEO_CUDA_LIBDIR:-}"
		ldd "$build/lib/paleo/libpaleo-cuda.so" 2>&1
		env | grep -E '^(NVIDIA|CUDA|CUBLAS|CUDNN|PALEO)' | sort
	} >"$out/env.txt" 2>&1
	must_have=libpaleo-cuda.so
	[ "$dry" = 1 ] && must_have=libpaleo-fake.so
	if [ -e "$build/lib/paleo/$must_have" ]; then
		mark pass "environment" "$must_have is there"
	else
		mark FAIL "environment" "$build/lib/paleo/$must_have was not built"
	fi
}

prepare() {
	wheels=$(find_wheels)
	if [ -z "${PALEO_CUDA_LIBDIR:-}" ] && [ -n "$wheels" ]; then
		export PALEO_CUDA_LIBDIR="$wheels"
	fi
	if [ ! -x "$build/bin/paleo" ]; then
		build="build-acceptance"
		step 240 build sh -c "cmake -S . -B $build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON &&
			cmake --build $build --parallel"
		must "build"
	fi
	build=$(cd "$build" && pwd)
	paleo=$build/bin/paleo
	export PALEO_PLUGIN_DIR="$build/lib/paleo"
	shipped=$(cd "$here/../../nets" && pwd)
	nets="$shipped/alex_v2.json:128 $shipped/vgg16.json:32 $shipped/resnet50.json:64"
	for net in $nets; do
		[ -e "${net%:*}" ] || mark FAIL "nets" "${net%:*} is not there"
	done
	if [ "$dry" = 1 ]; then
		small=$(cd "$here/../golden" && pwd)/small.json
		device=fake
		nets="$small:4"
	fi
}

selftest() {
	if [ "$dry" = 1 ]; then
		step 60 selftest "$build/tests/backend/test_backend" fake softmax
	else
		step 120 selftest "$build/tests/backend/test_backend" cuda
	fi
	must "works against the reference"
}

# Which of our descriptions is of this GPU.
nearest_description() {
	case $(nvidia-smi -L 2>/dev/null) in
	*H100*) echo h100 ;;
	*A100*) echo a100 ;;
	*B200*) echo b200 ;;
	*L4*) echo l4 ;;
	*4090*) echo rtx4090 ;;
	*T4*) echo t4 ;;
	*) echo h200 ;;
	esac
}

# What cuDNN takes: asked with the handle, with the device's own description, with ours.
heuristics() {
	described=$device
	step 30 describe "$paleo" algorithms --device "$device" --describe "$out/devprop.json"
	if [ "$code" -eq 0 ]; then
		described=$out/devprop.json
		mark pass "description of the device" "devprop.json"
	else
		mark FAIL "description of the device" "code $code"
	fi
	first=${nets%%:*}
	for dtype in f32 tf32 bf16; do
		for from in "$device" "$described" "$1"; do
			# the first columns say which device and which library
			"$paleo" algorithms --device "$from" --dtype "$dtype" --format csv "$first" \
				2>>"$work/heur.err" | sed -E 's/^[^,]*,("[^"]*"|[^,]*),//' \
				>"$work/heur-$dtype-$(basename "$from" .json).csv"
		done
		for other in "$described" "$1"; do
			echo "== $dtype: $device against $other"
			diff "$work/heur-$dtype-$(basename "$device").csv" \
				"$work/heur-$dtype-$(basename "$other" .json).csv" && echo "the same"
		done
	done >"$out/heur_diff.txt"
	mark told "heuristics with and without a GPU" "$(grep -c '^the same' "$out/heur_diff.txt") of 6 the same"
}

ceiling_of() {
	awk -v name="\"name\":\"$1\"" 'index($0, name) && match($0, /"value":[0-9.e+-]+/) {
		print substr($0, RSTART + 8, RLENGTH - 8) }' "$out/ceilings.jsonl"
}

# within NAME LOW HIGH VALUE - a mark for a number.
within() {
	verdict=$(awk -v v="$4" -v low="$2" -v high="$3" 'BEGIN { print (v >= low && v <= high) ? "pass" : "FAIL" }')
	[ "$dry" = 1 ] && verdict=dry
	mark "$verdict" "$1" "$4, expected $2 to $3"
}

ceilings() {
	step 100 ceilings "$paleo" ceilings --device "$device" --output "$work/ceilings.jsonl"
	must "ceilings"
	keep "$work/ceilings.jsonl" ceilings.jsonl
	if grep -q '"match":"NVIDIA H200"' "$out/ceilings.jsonl" || [ "$dry" = 1 ]; then
		within "bf16 product, FLOP/s" 730e12 838e12 "$(ceiling_of gemm_bf16)"
		within "copy, B/s" 4.085e12 4.515e12 "$(ceiling_of copy)"
	fi
}

# layers - every net, type and layout, with the three first algorithms, cold; f32 hot, too.
layers() {
	for kind in "f32 nchw" "tf32 nchw" "bf16 $bf16_layout"; do
		dtype=${kind% *} layout=${kind#* }
		for net in $nets; do
			modes=cold
			[ "$dtype" = f32 ] && modes="cold hot"
			for mode in $modes; do
				name=layers-$(basename "${net%:*}" .json)-$dtype-$mode
				step 45 "$name" "$paleo" profile --device "$device" --batch "${net##*:}" \
					--dtype "$dtype" --layout "$layout" --algo best:3 --mode "$mode" \
					--time-budget 6s --output "$work/$name.jsonl" "${net%:*}"
				keep "$work/$name.jsonl" layers.jsonl
			done
		done
	done
	lost=$(grep '"type":"record"' "$out/layers.jsonl" | grep -cE '"status":"(crash|incorrect|failed|timeout)"')
	if [ "$lost" -eq 0 ]; then mark pass "every row has a right time" ""; else
		mark FAIL "every row has a right time" "$lost have none"
	fi
	above=$(grep -c '"tags":"[a-z_ ]*above_ceiling' "$out/layers.jsonl")
	if [ "$above" -eq 0 ]; then mark pass "nothing above a ceiling" ""; else
		mark FAIL "nothing above a ceiling" "$above rows are"
	fi
}

fullpass() {
	for net in $nets; do
		name=net-$(basename "${net%:*}" .json)
		step 40 "$name" "$paleo" fullpass --device "$device" --batch "${net##*:}" --time-budget 10s \
			--output "$work/$name.jsonl" "${net%:*}"
		must "full pass of $(basename "${net%:*}" .json)"
		keep "$work/$name.jsonl" net.jsonl
		keep "$work/$name.txt" check.txt
	done
}

# The same works again in other processes and another order: backward first, then forward.
repeat() {
	net=${nets%% *}
	for run in first again; do
		[ "$run" = first ] && passes="fwd bwd" || passes="bwd fwd"
		for pass in $passes; do
			step 40 "aa-$run-$pass" "$paleo" profile --device "$device" --batch "${net##*:}" \
				--pass "$pass" --time-budget 5s --output "$work/aa-$run-$pass.jsonl" "${net%:*}"
			work_times "$work/aa-$run-$pass.jsonl" >>"$work/aa-$run.tsv"
		done
	done
	for range in "50e-6 1e9 1 over 50 us" "5e-6 50e-6 3 5 to 50 us"; do
		# shellcheck disable=SC2086 # it is a list of words
		set -- $range
		low=$1 high=$2 most=$3
		shift 3
		awk -f "$here/compare.awk" -v low="$low" -v high="$high" "$work/aa-first.tsv" \
			"$work/aa-again.tsv" >"$work/aa.txt"
		keep "$work/aa.txt" check.txt
		within "A/A, works $*: most, %" 0 "$most" "$(awk '/^largest/ { print $2 }' "$work/aa.txt")"
	done
}

# Kernel times of CUPTI, and PyTorch's times of the same shapes: where there are such.
crosscheck() {
	injected=$build/tests/gpu/libpaleo-cupti.so
	net=${nets%% *}
	if [ -e "$injected" ] && [ "$dry" = 0 ]; then
		for layer in '^conv1' '^conv3' '^fc7' '^pool1'; do
			rm -f "$work/cupti.tsv"
			CUDA_INJECTION64_PATH=$injected PALEO_CUPTI_OUT=$work/cupti.tsv \
				"$paleo" profile --device "$device" --batch "${net##*:}" --pass fwd \
				--filter "$layer" --time-budget 3s --output "$work/cupti.jsonl" \
				"${net%:*}" >>"$work/cupti.txt" 2>&1
			say "events and kernels of $layer"
			work_times "$work/cupti.jsonl" | tee -a "$out/check.txt"
			keep "$work/cupti.tsv" check.txt
		done
		mark told "events against CUPTI" "in check.txt, to be held to max(1.5 us, 2 %)"
	else
		mark skipped "events against CUPTI" "not built here, or a dry run"
	fi
	step 60 torch python3 "$here/torch_times.py"
	keep "$work/torch.txt" check.txt
	if [ "$code" -eq 0 ]; then mark told "against PyTorch" "in check.txt"; else
		mark skipped "against PyTorch" "PyTorch is not here, or has no GPU"
	fi
}

# What goes wrong costs a row and no more: too little memory, a worker that dies, an interruption.
negative() {
	net=${nets%% *}
	huge=60000
	[ "$dry" = 1 ] && export PALEO_FAKE=oom=conv
	step 60 oom "$paleo" profile --device "$device" --batch "$huge" --pass fwd --time-budget 5s \
		--output "$work/oom.jsonl" "${net%:*}"
	unset PALEO_FAKE
	if grep -q '"status":"oom"' "$work/oom.jsonl"; then mark pass "too little memory" "rows are oom"; else
		mark FAIL "too little memory" "code $code, and no row is oom"
	fi
	[ "$dry" = 1 ] && export PALEO_FAKE=slow=conv
	"$paleo" profile --device "$device" --batch "${net##*:}" --time-budget 20s \
		--output "$work/cut.jsonl" "${net%:*}" >"$work/cut.txt" 2>&1 &
	pid=$!
	tries=0
	until grep -qs '"type":"record"' "$work/cut.jsonl" || [ "$tries" -ge 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	worker=$(ps -o pid= --ppid "$pid" | head -n 1 | tr -d ' ')
	[ -n "$worker" ] && kill -9 "$worker"
	sleep 1
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	unset PALEO_FAKE
	step 60 resume "$paleo" profile --device "$device" --batch "${net##*:}" --time-budget 20s --retry-failed \
		--output "$work/cut.jsonl" "${net%:*}"
	must "resumed after a killed worker and an interruption"
}

calibrate() {
	seconds=60 records=$work/layers-
	[ "$dry" = 1 ] && seconds=3
	step 120 calibrate "$paleo" calibrate --device "$device" --time-budget "${seconds}s" \
		--records "$work/design.jsonl" --output "$work/calibration.json"
	must "calibrated"
	set --
	for file in "$records"*-f32-cold.jsonl; do
		[ -e "$file" ] && set -- "$@" "$file"
	done
	step 60 validate "$paleo" validate --calibration "$work/calibration.json" "$@"
	must "predicted against measured"
	keep "$work/validate.txt" check.txt
}

rm -f "$out/env.txt" "$out/devprop.json" "$out/heur_diff.txt" "$out/ceilings.jsonl" \
	"$out/layers.jsonl" "$out/net.jsonl" "$out/check.txt" "$out/raw.tar.gz"
began=$(date +%s)
prepare
environment
selftest
heuristics "$(nearest_description)"
ceilings
layers
fullpass
repeat
crosscheck
negative
calibrate
say ""
say "$(cat "$work/table")"
say "$failures failed, $(($(date +%s) - began)) s"
[ "$failures" -eq 0 ]
