#!/bin/sh
# faults.sh - the program with the CUDA plug-in, on libraries that fail in every way there is.
# SPDX-License-Identifier: Apache-2.0
#
# faults.sh open|images|rows|candidates|hang|described|watch|ceilings|null|fp8|whole|ways|resident|replay|experts|blocks|refused|gaps PALEO LIBRARIES SCRATCH
set -u
case=$1
paleo=$2
libraries=$3
scratch=$4
failures=0
net=net.json
mkdir -p "$scratch"
cd "$(dirname "$0")" || exit 1
folder=$PWD
export PALEO_CUDA_LIBDIR="$libraries" PALEO_CACHE_DIR=""

wrong() {
	echo "WRONG: $*"
	failures=$((failures + 1))
}

# profile FAULT RECORDS OPTIONS...: what it says goes to SCRATCH/text, its exit code to $code.
profile() {
	fault=$1
	records=$scratch/$2
	shift 2
	PALEO_FAULT=$fault "$paleo" profile --device 0 --rounds 1 --output "$records" "$@" "$net" \
		>"$scratch/text" 2>&1
	code=$?
}

# expect_code N WORDS: how it ended, and what it said.
expect_code() {
	[ "$code" -eq "$1" ] || wrong "'$fault' ended with $code, expected $1: $(cat "$scratch/text")"
	grep -qF -- "$2" "$scratch/text" || wrong "'$fault' did not say '$2': $(cat "$scratch/text")"
}

# rows STATUS: how many records have this status.
rows() {
	grep '"type":"record"' "$records" | grep -c "\"status\":\"$1\""
}

# expect_rows STATUS N
expect_rows() {
	[ "$(rows "$1")" -eq "$2" ] ||
		wrong "'$fault': $(rows "$1") rows are $1, expected $2: $(cat "$scratch/text")"
}

# resumes N: without the fault, the same command measures the N ops that were lost, and no other;
# what failed only if it is told to.
resumes() {
	lost=$1
	before=$(rows ok)
	file=$(basename "$records")
	profile "" "$file" --retry-failed
	fault="$fault, resumed"
	expect_code 0 "resumed: "
	expect_rows ok $((before + lost))
	profile "" "$file" --resume
	expect_code 0 "0 ops measured"
}

# The device does not open: nothing is measured, and the code says what is missing.
test_open() {
	profile no-driver none.jsonl
	expect_code 4 "no CUDA device: no NVIDIA driver is loaded on this machine"
	profile no-device none.jsonl
	expect_code 4 "no CUDA-capable device is detected"
	profile old-driver none.jsonl
	expect_code 3 "the NVIDIA driver offers CUDA 12.0, but this program uses CUDA "
	profile cudnn-major none.jsonl
	expect_code 3 "was found, but the plug-in was built for "
	PALEO_CUDA_LIBDIR="$libraries/cut:$libraries" profile "" none.jsonl
	expect_code 3 "undefined symbol: cudnnBackendExecute"
	PALEO_FAULT="" "$paleo" profile --device 1 --output "$scratch/none.jsonl" net.json \
		>"$scratch/text" 2>&1
	code=$?
	expect_code 4 "no CUDA device 1: this machine has 1, numbered from 0"
	[ ! -e "$scratch/none.jsonl" ] || wrong "records were written without a device"
}

# Nothing is compiled at run time for a GPU that the plug-in was built for.
test_images() {
	profile no-compiler images.jsonl
	expect_code 0 " 0 failed"
	if grep -q 'nvrtc 0\.0' "$records"; then
		wrong "the record names another compiler than that of its kernels"
	fi
	profile odd-device odd.jsonl
	expect_code 1 "nvrtc cannot compile the kernels"
}

# One op is lost, all others are measured; convolutions have no engine here.
test_rows() {
	profile "" good.jsonl
	expect_code 0 " 0 failed"
	good=$(rows ok)
	expect_rows unsupported 2
	[ "$good" -eq 9 ] || wrong "$good ops were measured, expected 9"

	profile oom:relu_fwd oom.jsonl
	expect_code 1 "1 failed"
	expect_rows oom 1
	expect_rows ok $((good - 1))
	profile "" oom.jsonl --resume
	expect_code 1 "1 of them failed (--retry-failed measures them again)"
	expect_rows oom 1
	resumes 1

	profile sticky:relu_fwd sticky.jsonl
	expect_code 1 "1 failed"
	expect_rows crash 1
	expect_rows ok $((good - 1))
	grep -q "an illegal memory access was encountered; the device's context is lost" \
		"$records" || wrong "the lost context is not told"
	resumes 1

	profile planner-crash planner.jsonl
	expect_code 1 "2 failed"
	expect_rows crash 2
	expect_rows ok "$good"
	resumes 0
}

# Each of three products has three algorithms; the other six ops have one. A fault of the second
# costs three records and no row; resuming measures just these.
test_candidates() {
	profile "" all.jsonl --algorithm all
	expect_code 0 "17 algorithms tried, 2 without a time" # convolutions have no engine
	expect_rows ok 15
	[ "$(grep -c '"rank":2,"engine":"2","knobs":"tile=0 ' "$records")" -eq 3 ] ||
		wrong "the third algorithm is not told: $(cat "$records")"
	for status in oom crash; do
		profile "lt-$status:1" $status.jsonl --algorithm all
		expect_code 0 "9 ops measured"
		expect_code 0 "17 algorithms tried, 5 without a time"
		expect_rows $status 3
		expect_rows ok 12
		[ "$(grep "\"status\":\"$status\"" "$records" | grep -c '"rank":1')" -eq 3 ] ||
			wrong "not the second of each is lost: $(cat "$records")"
		profile "" $status.jsonl --algorithm all --retry-failed
		expect_code 0 "3 algorithms tried, 0 without a time"
		expect_rows ok 15
	done
	profile lt-crash:0 first.jsonl --algorithm best:2
	expect_code 0 "9 ops measured"
	expect_rows crash 3
	profile lt-crash:0 first.jsonl
	expect_code 1 "3 failed"
}

# algorithms FAULT DESCRIPTION: what it says goes to SCRATCH/text, its exit code to $code.
algorithms() {
	fault=$1
	PALEO_FAULT=$fault "$paleo" algorithms --device "$2" --format jsonl net.json \
		>"$scratch/text" 2>&1
	code=$?
}

# refused PATTERN REPLACEMENT WORDS: a description that is wrong in this place.
refused() {
	sed "s/$1/$2/" "$devices/h200.json" >"$scratch/wrong.json"
	algorithms "" "$scratch/wrong.json"
	expect_code 2 "$3"
}

# Without a device: the planner's crash costs one answer each time; wrong descriptions are refused.
test_described() {
	devices=../../../../bench/backends/cuda/devices
	algorithms no-driver "$devices/h200.json"
	expect_code 0 "cudnn offers no engine for this"
	algorithms planner-crash "$devices/h200.json"
	expect_code 1 '"status":"crash"'
	[ "$(grep -c '"status":"crash"' "$scratch/text")" -eq 2 ] ||
		wrong "not each of both ops is lost: $(cat "$scratch/text")"
	algorithms cudnn-major "$devices/h200.json"
	expect_code 3 "was found, but the plug-in was built for "
	PALEO_FAULT="" "$paleo" algorithms --device 0 --output "$scratch/here.json" >"$scratch/text" 2>&1
	code=$? fault=describe
	expect_code 0 "cuda: Stand-in"
	[ "$(cat "$scratch/here.json")" = '{"deviceName": "Stand-in"}' ] ||
		wrong "described as $(cat "$scratch/here.json")"
	refused '"warpSize": 32,' '' "the key 'warpSize' is missing"
	refused '"deviceName": "[^"]*",' '' "the key 'deviceName' is missing"
	refused '"supportCoopLaunch": 1' '"supportCoopLaunch": true' "supportCoopLaunch"
	refused '"warpSize": 32' '"warpSize": 32.5' "is no whole number"
	refused '"maxGridSize": \[2147483647, ' '"maxGridSize": [' "expected three numbers"
	refused '"deviceVer": 900' '"deviceVer": 700' "is 700, expected 750"
	refused '^{' '[' "$scratch/wrong.json: description:"

	# a description from before cuDNN 9.27 lacks a key, which only newer ones want
	sed '/"memoryBusWidth"/d' "$devices/h200.json" >"$scratch/older.json"
	algorithms "" "$scratch/older.json"
	expect_code 0 "cudnn offers no engine for this"
	algorithms cudnn-9.27 "$devices/h200.json"
	expect_code 0 "cudnn offers no engine for this"
	algorithms cudnn-9.27 "$scratch/older.json"
	expect_code 2 "the key 'memoryBusWidth' is missing (bits of the memory interface), which cudnn requires since 9.27"
	refused '"memoryBusWidth": 6144' '"memoryBusWidth": 6144.5' "is no whole number"
	algorithms cudnn-parts "$devices/h200.json"
	expect_code 3 "link CUDA's stubs/libcuda.so to that name in a folder of LD_LIBRARY_PATH"
}

# An op that hangs is ended after its limit, which here is more than the budget for all: what comes
# after it is left for the next run, which measures all nine. golden.profile-hang waits for the half
# minute that is the limit otherwise.
test_hang() {
	profile hang:max_pool_fwd hang.jsonl --time-budget 2s --op-timeout 10
	expect_code 1 "1 failed"
	expect_rows timeout 1
	grep -q "no answer within" "$records" || wrong "the late answer is not told"
	resumes $((9 - $(rows ok)))

	# the planner, which both convolutions ask; the limit holds the warm-up of a new worker, too
	profile planner-hang planner.jsonl --op-timeout 10 --pass fwd --time-budget 60s
	expect_code 1 "1 failed"
	expect_rows timeout 1
	expect_rows ok 3

	# one algorithm of three, waited for ten seconds: the first stands for the row, which so has a time,
	# and the third is left; that one hung is told
	profile lt-hang:1 algo.jsonl --algorithm best:3 --time-budget 8s --filter fc --pass fwd
	expect_code 0 "1 left when the time budget ended"
	expect_code 0 "2 algorithms tried, 1 without a time"
	expect_rows timeout 1
	expect_rows ok 1
	profile "" algo.jsonl --algorithm best:3 --retry-failed --filter fc --pass fwd
	expect_code 0 "2 algorithms tried, 0 without a time"
	expect_rows ok 3
}

# states TEXT: how many records say this of the device's state.
states() {
	grep '"type":"record"' "$records" | grep -cF -- "$1"
}

# expect_states TEXT N
expect_states() {
	[ "$(states "$1")" -eq "$2" ] ||
		wrong "'$fault': $(states "$1") rows say '$1', expected $2: $(cat "$records")"
}

# ceilings FAULT: what it says goes to SCRATCH/text, its exit code to $code, the file is some.jsonl.
ceilings() {
	fault=$1 code=0
	rm -f "$scratch/some.jsonl"
	PALEO_FAULT=$1 "$paleo" check --device 0 --format csv --output "$scratch/some.jsonl" \
		>"$scratch/text" 2>&1 || code=$?
	[ $code != 7 ] || code=0 # there is nothing to compare the stand-in with
}

# All ceilings have a number, also where the clock is a count; in the other modes, too, ops run.
test_ceilings() {
	PALEO_FAULT="" "$paleo" check --device 0 --format csv --output "$scratch/all.jsonl" \
		>"$scratch/text" 2>&1
	code=$? fault=none
	[ $code != 7 ] || code=0
	for name in gemm_f32 gemm_f32_zeros gemm_tf32 gemm_f16 gemm_bf16_zeros gemm_fp8 copy read write read_l2 \
		launch_graph launch_stream event_floor enqueue h2d d2h h2d_d2h; do
		expect_code 0 "$name,"
	done
	# what its driver says of it; a function that this driver lacks leaves its number out
	sed -n 's/.*"type":"condition","node":"[^"]*",//p' "$scratch/all.jsonl" >"$scratch/text"
	expect_code 0 '"unit":"GPU-stand-in","power_limit_w":600,"power_default_w":700,"used_bytes":5000000000,'
	expect_code 0 '"pcie_width":8,"pcie_width_max":16,"nvlinks":2,"has_ecc":1,"ecc_errors":3}'
	# kept where profiles look for them, they spare measuring peaks, which here is fatal
	mkdir -p "$scratch/paleo-results/stand-in"
	for found in 0 1; do
		(cd "$scratch" && PALEO_FAULT=peaks "$paleo" profile --device 0 --pass fwd \
			--output peaks.jsonl "$folder/net.json") >"$scratch/text" 2>&1
		code=$? fault="peaks, $found files"
		# killed, or ended by a sanitizer that caught the signal
		[ $found = 1 ] || expect_code 3 "measuring the peaks of 'cuda': the worker"
		[ $found = 0 ] || expect_code 0 "peaks by paleo-results/stand-in/ceilings.jsonl"
		cp "$scratch/all.jsonl" "$scratch/paleo-results/stand-in/ceilings.jsonl"
	done
	rm -r "$scratch/paleo-results"

	# an algorithm that fails is passed over, also the first; where all fail the others are measured
	ceilings peak-fail:0
	expect_code 0 "gemm_f32,"
	expect_code 0 "its algorithm 1 of 8"
	ceilings peak-fail:.
	expect_code 0 "5 not measured; the first: f32: "
	expect_code 0 "launch_graph,"
	ceilings fp8-refused
	expect_code 0 "1 not measured; the first: fp8: "
	ceilings copy-fail
	expect_code 0 "1 not measured; the first: copy: cannot copy memory"
	expect_code 0 "gemm_f32,"
	expect_code 0 "read_l2,"
	# what cannot be captured costs what it is captured for; the device is not lost
	ceilings capture-fails:nothing
	expect_code 0 "1 not measured; the first: launches: "
	expect_code 0 "h2d,"
	# each is kept as it is measured: a worker that dies takes none of them along
	ceilings sticky:read_all
	expect_code 3 "the device's context is lost"
	expect_code 3 "gemm_f32,"
	[ "$(grep -c '"name":"gemm_' "$scratch/some.jsonl")" -eq 10 ] ||
		wrong "the products' ceilings are lost: $(cat "$scratch/some.jsonl")"
	# a device that is known is measured with its datasheet's peaks where they cannot be measured
	export PALEO_STAND_IN="NVIDIA H200"
	for fault in peaks peak-fail:.; do
		profile $fault known.jsonl --pass fwd
		expect_code 0 " 0 failed"
	done
	profile peaks known.jsonl --pass fwd
	expect_code 0 "peaks: datasheet, as none could be measured: measuring the peaks of 'cuda'"
	unset PALEO_STAND_IN

	for mode in hot weights-cold enqueue; do
		profile "" "$mode.jsonl" --mode "$mode"
		expect_code 0 " 0 failed"
		# the host's times drift, and such rows may be measured more than once
		ops=$(sed -n "s/.*\"op\":\"\([^\"]*\)\",\"status\":\"ok\".*\"mode\":\"$mode\".*/\1/p" \
			"$records" | sort -u | wc -l)
		[ "$ops" -eq 9 ] || wrong "$ops ops have a time in mode $mode: $(cat "$records")"
	done
	# a kernel takes the device 10 us, and launching it the host ten times as long
	profile slow-launch:max_pool_fwd modes.jsonl --mode cold,hot,weights-cold,enqueue
	expect_code 0 "launch-bound: in "
	for mode in cold hot weights-cold enqueue; do
		grep "\"mode\":\"$mode\"" "$records" | grep -q '"status":"ok"' ||
			wrong "no op has a time in mode $mode beside the others: $(cat "$records")"
	done
	records=$scratch/weights-cold.jsonl
	expect_states '"operand_sets":1,' 4 # those of relu and pooling, which have no weights
}

# What is seen of the clock, the power and the heat; what an older library, or none, does not tell is
# not known. Heat makes a row be measured twice, and the file keeps both; a limit of power does not.
test_watch() {
	profile "" seen.jsonl --pass fwd
	good=$(rows ok)
	expect_code 0 "driver 123.45"
	seen='"state":{"sm_mhz":1900,"clock_ratio":0.9595959595959596,"power_w":350,"temp_c":61'
	expect_states "$seen" "$good"
	expect_states '"others"' 0
	profile nvml-shared shared.jsonl --pass fwd
	expect_states '"others":1' "$good"
	expect_code 0 "$good timed while other processes used the device"
	profile nvml-used used.jsonl --pass fwd
	expect_states '"others":1' "$good"
	profile nvml-starting starting.jsonl --pass fwd
	expect_states '"others"' 0
	profile nvml-hot hot.jsonl --pass fwd
	expect_states '"reasons":"sw_thermal"' $((2 * good))
	expect_states throttled $((2 * good))
	expect_code 0 "$good throttled"
	profile nvml-capped capped.jsonl --pass fwd
	expect_states '"reasons":"power_cap"' "$good"
	profile nvml-silent silent.jsonl --pass fwd
	expect_code 0 "driver unknown"
	unknown='"state":{"sm_mhz":null,"clock_ratio":null,"power_w":null,"temp_c":null,"energy_j":null'
	expect_states "$unknown" "$good"
	PALEO_CUDA_LIBDIR="$libraries/old:$libraries"
	profile nvml-hot old.jsonl --pass fwd
	seen='"sm_mhz":1410,"clock_ratio":0.7121212121212122,"power_w":null'
	expect_states "$seen" $((2 * good))
	expect_states '"reasons":"sw_thermal"' $((2 * good))
}

# What the acceptance run puts before CUDA's runtime, so that a kernel writes to NULL: here it is a
# host's kernel, and a crash of the worker.
test_null() {
	null=$(dirname "$paleo")/../tests/gpu/libpaleo-null.so
	if grep -q __asan_init "$paleo"; then
		echo "skipped: a sanitizer wants to be loaded first itself"
		exit 77
	fi
	export LD_PRELOAD="$null" PALEO_NULL_KERNEL=relu_fwd
	profile "" null.jsonl
	unset LD_PRELOAD PALEO_NULL_KERNEL
	fault=null
	expect_code 1 "1 failed"
	expect_rows crash 1
	expect_rows ok 8
	grep '"status":"crash"' "$records" | grep -q '"op":"eltwise fwd ' ||
		wrong "another op crashed: $(cat "$records")"
	grep -q "killed by signal 11" "$records" || wrong "its end is not told"
}

# A graph begins 30 us after an idle device gets it; ops take 10 us. In no mode is that a part of them.
test_gaps() {
	for mode in cold hot weights-cold; do
		profile "" "gaps-$mode.jsonl" --mode "$mode" --pass fwd
		expect_code 0 " 0 failed"
		grep -qE '"op":"eltwise fwd f32 op=relu .*"median_s":(1e-05|1\.0000[0-9]*e-05)' "$records" ||
			wrong "in mode $mode a ReLU does not take 10 us: $(cat "$records")"
	done
}

# A pass of three products, each with a bias, and a ReLU is seven operations of 10 us: the time until its
# graph begins on an idle device, 30 us here, is none of it.
test_whole() {
	rm -f "$scratch/whole.jsonl"
	PALEO_FAULT="" "$paleo" fullpass --device 0 --pass fwd --output "$scratch/whole.jsonl" fp8.json \
		>"$scratch/text" 2>&1
	code=$? fault=none
	expect_code 0 "full us"
	grep -q '"median_s":7.0000' "$scratch/whole.jsonl" ||
		wrong "the pass does not take 70 us: $(cat "$scratch/whole.jsonl")"
}

# Of two ways to normalise the faster stands, and the record says what the other took. A plan of cuDNN that
# fails costs no row; --no-cudnn-norm does not ask it.
test_ways() {
	net=norm.json
	for case in "norm-slow:kernel batch norm:cudnn takes [0-9.]* x" \
		"norm-fails:kernel batch norm:cudnn failed: cannot run the plan" \
		"norm-fast:cudnn eng-1:kernels take 3.00 x"; do
		fault=${case%%:*} rest=${case#*:}
		rm -f "$scratch/way.jsonl"
		profile "$fault" way.jsonl --pass fwd
		grep '"op":"norm fwd' "$records" | grep "\"algorithm\":\"${rest%%:*}\"" |
			grep -q "\"notes\":\"[^\"]*${rest#*:}" ||
			wrong "'$fault' is not ${rest}: $(cat "$records")"
	done
	expect_rows incorrect 1 # what the stand-in's engine computes is never right
	rm -f "$scratch/way.jsonl"
	profile norm-fast way.jsonl --pass fwd --no-cudnn-norm
	expect_rows ok 1
	grep -q '"algorithm":"kernel batch norm"' "$records" || wrong "cudnn was asked"
	# a whole pass takes the same way
	PALEO_FAULT=norm-fails "$paleo" fullpass --device 0 --pass fwd --output "$scratch/pass.jsonl" \
		norm.json >"$scratch/text" 2>&1
	code=$? fault=norm-fails
	expect_code 0 "full us"
	grep -q '"type":"graph_run".*"status":"ok"' "$scratch/pass.jsonl" || wrong "the pass failed"
}

# What a graph's replay gives is looked at behind the samples: a replay that computes nothing is seen, as what
# the first launch gave is gone by then.
test_replay() {
	profile replay-lost lost.jsonl --pass fwd
	expect_code 1 "3 failed"
	expect_rows ok 0
	expect_rows incorrect 3
	[ "$(grep -c '"status":"incorrect","reason":"after the samples .y. 0 is -*nan at position' "$records")" -eq 3 ] ||
		wrong "not all three say so: $(cat "$records")"
	grep -q '"samples":[1-9]' "$records" && wrong "their times are kept: $(cat "$records")"
}

# A product of 2 x 1 has operands of 24 bytes: 512 sets of them do not leave an L2 of 64 KiB. Those of the
# ReLU have 4 KiB: 49 sets touch three times the L2 before the first is used again. Some 220 runs of 10 us
# make a sample, behind an L2 that was overwritten: each finds another set. More than 512 of 1 us do not.
test_resident() {
	profile "" many.jsonl --pass fwd
	expect_rows ok 3
	! grep -q l2_resident "$records" || wrong "a cold row is called resident: $(cat "$records")"
	grep '"op":"eltwise fwd' "$records" | grep -q '"operand_sets":49,' || wrong "not 49 sets: $(cat "$records")"
	net=tiny.json
	profile "" tiny.jsonl --pass fwd
	grep '"op":"gemm fwd' "$records" | grep -q '"operand_sets":512,' || wrong "not 512 sets: $(cat "$records")"
	! grep -q l2_resident "$records" || wrong "sets that are used once are called resident: $(cat "$records")"
	profile quick quick.jsonl --pass fwd
	expect_code 0 "1 too small to be cold: all operand sets stay in the last-level cache"
	grep '"op":"gemm fwd' "$records" | grep '"operand_sets":512,' | grep -q '"tags":"[^"]*l2_resident' ||
		wrong "the small product is not tagged: $(cat "$records")"
}

# shellcheck source=tests/backend/cuda/faults/products.sh
. ./products.sh
rm -f "$scratch"/*.jsonl
"test_$case"
[ "$failures" -eq 0 ] && echo "$case: good"
[ "$failures" -eq 0 ]
