#!/bin/sh
# acceptance.sh - what a GPU must show, in one call of under eight minutes; --dry: without a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# acceptance.sh [--dry] [FOLDER]
#
# Leaves at most 8 files in FOLDER (default: $OUT, else
# paleo-acceptance); what a step finds is there when it ends, so that a run that is cut leaves what it
# had. Uses the program in $PALEO_BUILD (default: the project's build, or what carry.sh made, build-gpu), and builds it
# where there is none. CUDA's libraries may be Python's wheels. Clocks, limits and modes of the GPU are never
# touched. --dry runs every command on the device `fake` with a small net.
#
# marks.tsv lists what must be shown. The last thing is a table of all of it; the exit code is 0 if all marks
# were reached, 1 if one was not, 3 if some were not measured.
set -u

dry=0
[ "${1:-}" = --dry ] && dry=1 && shift
out=${1:-${OUT:-paleo-acceptance}}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
limit=${PALEO_ACCEPTANCE_S:-470}
rm -f "$out/env.txt" "$out/devprop.json" "$out/heur_diff.txt" "$out/ceilings.jsonl" \
	"$out/layers.jsonl" "$out/net.jsonl" "$out/check.txt" "$out/raw.tar.gz"
# shellcheck source=tests/gpu/lib.sh
. "$here/lib.sh"

# Without a GPU not all can be measured; these can.
check_dry() {
	[ "$code" -ne 3 ] || code=0
	for mark in build selftest rows ceiling insitu repeat_short repeat_order oom timeout crash resume; do
		grep -q "^$mark	pass" "$work/verdicts" || {
			echo "$mark was not judged"
			code=1
		}
	done
	grep -q '^peaks by paleo-results/' "$work/first.txt" || {
		echo "the profile did not find the ceilings"
		code=1
	}
}

# The table comes last, also when the run was cut: what was not measured says so.
finish() {
	trap - EXIT
	awk -f "$here/judge/table.awk" -v dry="$dry" stage=1 "$here/marks.tsv" \
		stage=2 "$work/verdicts" >"$work/table.txt"
	code=$?
	say ""
	say "$(cat "$work/table.txt")"
	say "$(($(date +%s) - began)) s"
	tar -C "$work" -czf "$out/raw.tar.gz" . 2>/dev/null
	[ "$dry" = 1 ] && check_dry
	rm -rf "$work"
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

prepare() {
	find_program
	environment "$out/env.txt"
	plugin=libpaleo-cuda.so device=0
	folder=$(cd "$here/../../nets" && pwd)
	nets="$folder/alex_v2.json:128 $folder/vgg16.json:32 $folder/resnet50.json:64"
	if [ "$dry" = 1 ]; then
		plugin=libpaleo-fake.so device=fake
		nets="$(cd "$here/../golden" && pwd)/small.json:4"
	fi
	nets=${PALEO_ACCEPTANCE_NETS:-$nets}
	net=${nets%% *}
	batch=${net##*:} net=${net%:*}
	holds build "$build" test -e "$build/lib/paleo/$plugin" -a -x "$paleo"
	if [ -e "$build/built-on.txt" ]; then
		found open.elsewhere told "$(cat "$build/built-on.txt"); here $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release)"
	fi
}

# profile NAME SECONDS OPTIONS... - the records go to $work/NAME.jsonl; twice the budget, and opening, is waited for.
profile() {
	to=$1 budget=$2
	shift 2
	step $((budget * 2 + 25)) "$to" "$paleo" profile --device "$device" --time-budget "${budget}s" \
		--output "$work/$to.jsonl" "$@"
}

selftest() {
	if [ "$dry" = 1 ]; then
		step 60 selftest "$build/tests/backend/test_backend" fake softmax
	else
		step 120 selftest "$build/tests/backend/test_backend" cuda
	fi
	wrong=$(count '^WRONG' "$work/selftest.txt")
	words="$(count '^ok ' "$work/selftest.txt") right, $wrong wrong"
	if [ "$code" -eq 124 ] && [ "$wrong" = 0 ]; then
		found selftest none "$words, then the time was up"
	else
		holds selftest "$words" test "$code" -eq 0
	fi
	grep -E '^WRONG' "$work/selftest.txt" >>"$out/check.txt"
	rows=$(count '^ok +upsample ' "$work/selftest.txt")
	[ "$rows" = 0 ] || found open.upsample told "$rows works are right"
	rows=$(count '^ok +gemm .*bias=1' "$work/selftest.txt")
	[ "$rows" = 0 ] || found open.cublaslt told "$rows products with bias are right"
}

# Which of our descriptions is of this GPU.
nearest_description() {
	case $(nvidia-smi -L 2>/dev/null) in
	*H100*) echo h100 ;;
	*A100*) echo a100 ;;
	*B200*) echo b200 ;;
	*L40*) echo rtx4090 ;;
	*L4*) echo l4 ;;
	*4090*) echo rtx4090 ;;
	*T4*) echo t4 ;;
	*) echo h200 ;;
	esac
}

# ask DEVICE NAME - the engines for the nets' convolutions, one file for all.
ask() {
	for one in $nets; do
		step 30 ask "$paleo" algorithms --device "$1" --dtype f32,tf32,bf16 --format jsonl "${one%:*}"
		cat "$work/ask.txt" >>"$work/$2"
	done
	step 30 ask "$paleo" algorithms --device "$1" --dtype bf16 --layout nhwc --format jsonl "$net"
	cat "$work/ask.txt" >>"$work/$2"
}

# What cuDNN takes: asked with the handle, with the device's own description, with ours; and a plan of ours.
heuristics() {
	ours=$(cd "$here/../../bench/backends/cuda/devices" && pwd)/$(nearest_description).json
	step 30 describe "$paleo" algorithms --device "$device" --describe "$out/devprop.json"
	[ "$code" -eq 0 ] && [ "$dry" = 0 ] && found open.first_use told "$took s to open the device and to describe it"
	ask "$device" heur-here.jsonl
	if [ -e "$build/lib/paleo/libpaleo-cuda.so" ]; then
		[ "$dry" = 1 ] || ask "$out/devprop.json" heur-own.jsonl
		ask "$ours" heur-ours.jsonl
	fi
	judge plans stage=1 "$(a_file heur-here.jsonl)" stage=2 "$(a_file heur-own.jsonl)" \
		stage=3 "$(a_file heur-ours.jsonl)"
	{
		echo "engines for $nets: here, by its own description, by $ours"
		cat "$work/judged" "$work/details"
	} >"$out/heur_diff.txt"
	[ -x "$build/tests/gpu/ported_plan" ] || return
	set -- env LD_LIBRARY_PATH="$libraries"
	step 30 plan-made "$@" "$build/tests/gpu/ported_plan" save "$ours" "$work/plan.json"
	step 30 plan-run "$@" "$build/tests/gpu/ported_plan" run "$work/plan.json"
	words="$(tail -n 1 "$work/plan-made.txt"); $(tail -n 1 "$work/plan-run.txt")"
	if [ "$code" -eq 77 ]; then
		found ported none "$words"
	else
		holds ported "$words" test "$code" -eq 0
		found open.plan_json told "$words"
	fi
	step 20 older "$@" "$build/tests/gpu/older_api"
	[ "$code" -ne 0 ] || found open.legacy told "$(tr '\n' ';' <"$work/older.txt")"
}

ceilings() {
	step 100 ceilings "$paleo" ceilings --device "$device" --output "$work/ceilings.jsonl"
	keep "$work/ceilings.jsonl" ceilings.jsonl
	chip=$(device_name "$(a_file ceilings.jsonl)")
	judge limits -v peak="$(of_datasheet "$chip" flop_per_s_bf16)" \
		-v bandwidth="$(of_datasheet "$chip" mem_bytes_per_s)" \
		stage=1 "$here/chips.tsv" stage=2 "$(a_file ceilings.jsonl)"
	# profiles take the peaks from there
	[ -n "$chip" ] || return
	mkdir -p "$work/paleo-results/$chip"
	cp "$work/ceilings.jsonl" "$work/paleo-results/$chip/"
}

# layer_rows NAME SECONDS OPTIONS... - a profile for layers.jsonl. Of a file that has no end some works have no row.
layer_rows() {
	layers=$1
	profile "$@"
	keep "$work/$layers.jsonl" layers.jsonl
	wanted=$((wanted + 1))
	! is_complete "$work/$layers.jsonl" || whole=$((whole + 1))
}

# Every net, type and layout, with the three first algorithms, cold; f32 hot, too.
layers() {
	wanted=0 whole=0
	for kind in "f32 nchw cold,hot 8" "bf16 nhwc cold 6" "tf32 nchw cold 6"; do
		# shellcheck disable=SC2086 # a list of words
		set -- $kind
		for one in $nets; do
			layer_rows "layers-$(basename "${one%:*}" .json)-$1" "$4" --batch "${one##*:}" \
				--dtype "$1" --layout "$2" --mode "$3" --algo best:3 "${one%:*}"
		done
	done
	last=${nets##* }
	layer_rows layers-fp8 3 --batch "${last##*:}" --dtype fp8 --pass fwd --filter '^fc' "${last%:*}"
	copy=$(sed -n 's/.*"name":"copy".*"value":\([0-9.e+]*\),.*/\1/p' "$work/ceilings.jsonl")
	[ -e "$out/layers.jsonl" ] || : >"$out/layers.jsonl"
	judge rows -v copy="${copy:-0}" -v wanted="$wanted" -v whole="$whole" "$out/layers.jsonl"
}

fullpass() {
	for one in $nets; do
		to=net-$(basename "${one%:*}" .json)
		step 60 "$to" "$paleo" fullpass --device "$device" --batch "${one##*:}" --time-budget 3s \
			--output "$work/$to.jsonl" "${one%:*}"
		keep "$work/$to.jsonl" net.jsonl
		keep "$work/$to.txt" check.txt
	done
	step 40 net-bf16 "$paleo" fullpass --device "$device" --batch "$batch" --dtype bf16 --layout nhwc \
		--time-budget 3s --output "$work/net-bf16.jsonl" "$net"
	keep "$work/net-bf16.jsonl" net.jsonl
	[ -e "$out/net.jsonl" ] || : >"$out/net.jsonl"
	judge passes stage=1 "$out/layers.jsonl" stage=2 "$out/net.jsonl"
}

# The same works in three processes, the third time in the opposite order.
repeat() {
	profile first 8 --batch "$batch" "$net"
	profile again 8 --batch "$batch" "$net"
	profile reversed 8 --batch "$batch" --reverse "$net"
	judge repeat stage=1 "$(a_file first.jsonl)" stage=2 "$(a_file again.jsonl)" \
		stage=3 "$(a_file reversed.jsonl)"
}

# Kernel times of CUPTI, and PyTorch's times of the same shapes: where there are such.
crosscheck() {
	if [ -e "$build/tests/gpu/libpaleo-cupti.so" ] && [ "$dry" = 0 ]; then
		# the driver loads the one, which is linked with CUPTI
		export CUDA_INJECTION64_PATH="$build/tests/gpu/libpaleo-cupti.so" PALEO_CUPTI_OUT="$work/cupti.tsv"
		before=${LD_LIBRARY_PATH:-}
		export LD_LIBRARY_PATH="$libraries"
		profile traced 5 --batch "$batch" --pass fwd "$net"
		unset CUDA_INJECTION64_PATH PALEO_CUPTI_OUT
		export LD_LIBRARY_PATH="$before"
	fi
	judge kernels stage=1 "$(a_file first.jsonl)" stage=2 "$(a_file traced.jsonl)" \
		stage=3 "$(a_file cupti.tsv)"
	[ "$dry" = 1 ] || step 40 torch python3 "$here/torch_times.py" "$out/layers.jsonl"
	judge others stage=1 "$out/layers.jsonl" stage=2 "$(a_file torch.txt)"
}

# rows STATUS FILE - how many records have it.
rows() {
	count "\"type\":\"record\".*\"status\":\"$1\"" "$2"
}

# has_both STATUS NAME - some works have this status, and others were measured.
has_both() {
	[ "$(rows "$1" "$work/$2.jsonl")" -gt 0 ] && [ "$(rows ok "$work/$2.jsonl")" -gt 0 ]
}

# What goes wrong costs a row and no more: too little memory, no time, an illegal address.
negative() {
	[ "$dry" = 1 ] && export PALEO_FAKE=oom=conv
	huge=200000
	[ "$dry" = 1 ] && huge=$batch
	profile oom 5 --batch "$huge" --pass fwd --filter '^(conv1|pool1|softmax)$' "$net"
	unset PALEO_FAKE
	holds oom "$(rows oom "$work/oom.jsonl") rows are oom, $(rows ok "$work/oom.jsonl") measured" has_both oom oom

	[ "$dry" = 1 ] && export PALEO_FAKE=hang
	profile timeout 2 --batch "$batch" --pass fwd --filter '^(pool1|softmax)$' --op-timeout 0.001 "$net"
	unset PALEO_FAKE
	late=$(rows timeout "$work/timeout.jsonl")
	profile timeout 4 --batch "$batch" --pass fwd --filter '^(pool1|softmax)$' --retry-failed "$net"
	holds timeout "$late rows were, resumed: $(rows ok "$work/timeout.jsonl") measured" has_both timeout timeout

	if [ "$dry" = 1 ]; then
		PALEO_FAKE=crash=relu
		export PALEO_FAKE
		profile crash 5 --batch "$batch" --pass fwd "$net"
		unset PALEO_FAKE
	elif [ -e "$build/tests/gpu/libpaleo-null.so" ]; then
		export PALEO_NULL_KERNEL=relu_fwd LD_PRELOAD="$build/tests/gpu/libpaleo-null.so"
		profile crash 5 --batch "$batch" --pass fwd --filter '^(conv1|pool1|softmax)$' "$net"
		unset PALEO_NULL_KERNEL LD_PRELOAD
	fi
	[ -e "$work/crash.jsonl" ] || return
	words="$(rows crash "$work/crash.jsonl") rows are, $(rows ok "$work/crash.jsonl") measured"
	holds crash "$words" has_both crash crash
	reason=$(sed -n 's/.*"status":"crash","reason":"\([^"]*\)".*/\1/p' "$work/crash.jsonl" | head -n 1)
	[ -z "$reason" ] || [ "$dry" = 1 ] || found open.lost told "$reason; $words"
}

# A worker that is killed, then the program interrupted; resuming measures all that is left.
resume() {
	[ "$dry" = 1 ] && export PALEO_FAKE=slow=conv
	"$paleo" profile --device "$device" --batch "$batch" --time-budget 20s \
		--output "$work/cut.jsonl" "$net" >"$work/cut.txt" 2>&1 &
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
	before=$(rows ok "$work/cut.jsonl")
	profile cut 12 --batch "$batch" --retry-failed "$net"
	holds resume "$before measured before, $(rows ok "$work/cut.jsonl") after, code $code" test "$code" -eq 0
}

prepare
cd "$work" || exit 2
selftest
heuristics
ceilings
repeat
layers
fullpass
crosscheck
negative
resume
