#!/bin/sh
# acceptance.sh - what a GPU must show, in one call of under ten minutes; --dry: without a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# acceptance.sh [--dry | --rehearse] [FOLDER]
#
# Leaves at most 7 files in FOLDER (default: $OUT, else
# paleo-acceptance); what a step finds is there when it ends, and the records of the step that runs are in
# unfinished.jsonl, so that a run that is cut leaves what it had. Uses the program in $PALEO_BUILD (default: the
# project's build, or what carry.sh made, build-gpu), and builds it
# where there is none. CUDA's libraries may be Python's wheels. Clocks, limits and modes of the GPU are never
# touched. No step begins or goes on after $PALEO_ACCEPTANCE_S seconds (default 570); $PALEO_ACCEPTANCE_NETS may name
# other nets (PATH:BATCH:SECONDS with spaces between, the last with layers fc...). --dry runs every command on
# the device `fake` with a small net; --rehearse with the nets themselves and the whole self-test.
#
# marks.tsv lists what must be shown. The last thing is a table of all of it; the exit code is 0 if all marks
# were reached, 1 if one was not, 3 if some were not measured.
set -u

dry=0 real=1
case ${1:-} in
--dry) dry=1 real=0 && shift ;;
--rehearse) dry=1 && shift ;;
esac
out=${1:-${OUT:-paleo-acceptance}}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
limit=${PALEO_ACCEPTANCE_S:-570}
rm -f "$out/devprop.json" "$out/ceilings.jsonl" "$out/layers.jsonl" "$out/net.jsonl" \
	"$out/check.txt" "$out/raw.tar.gz"
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
trap 'stop 130' INT TERM

prepare() {
	find_program
	environment "$out/check.txt"
	plugin=libpaleo-cuda.so device=0
	folder=$(cd "$here/../../nets" && pwd)
	nets="$folder/alex_v2.json:128:20 $folder/vgg16.json:32:30 $folder/resnet50.json:64:55"
	half_nets="$folder/resnet50.json:64:55"
	kinds='conv:fwd conv:bwd_data conv:bwd_filter gemm: norm: pool: eltwise: softmax: lrn: reduce: copy: upsample: update:
		attention: embedding: rope: moe: cross_entropy:'
	[ "$dry" = 0 ] || plugin=libpaleo-fake.so device=fake
	if [ "$real" = 0 ]; then
		nets="$(cd "$here/../golden" && pwd)/small.json:64:8"
		half_nets=$nets
		kinds='softmax: update:'
	fi
	[ -z "${PALEO_ACCEPTANCE_NETS:-}" ] || nets=$PALEO_ACCEPTANCE_NETS half_nets=$PALEO_ACCEPTANCE_NETS
	all_nets=''
	for one in $nets; do
		all_nets="$all_nets ${one%%:*}"
	done
	take_net "${nets%% *}"
	first_net=$net first_batch=$batch first_budget=$budget
	wanted=0 whole=0 answer=12
	[ "$real" = 1 ] || answer=4
	make_decoder
	holds build "$build" test -e "$build/lib/paleo/$plugin" -a -x "$paleo"
}

# profile NAME SECONDS OPTIONS... - the records go to $work/NAME.jsonl; opening, and one slow work, is waited for.
profile() {
	to=$1 spell=$2
	shift 2
	step $((spell + opening)) "$to" "$paleo" profile --device "$device" --time-budget "${spell}s" \
		--output "$work/$to.jsonl" "$@"
}

# One kind of ops, a crash or hang of which ends no other's. Its exit code goes to a file.
selftest_kind() {
	file=selftest-$(echo "$1" | tr : -)
	code=0
	timeout -k 5 "$2" "$build/tests/backend/test_backend" "$backend" "$(echo "$1" | tr : ' ')" \
		>"$work/$file.txt" 2>"$work/$file.err" || code=$?
	echo "$1 $code $(tail -n 1 "$work/$file.err")" >"$work/$file.code"
}

# at_once - so many calls of the self-test have room on the GPU, at 4 GiB each; one where it lets in one process.
at_once() {
	timeout 5 nvidia-smi --query-gpu=compute_mode,memory.total --format=csv,noheader,nounits 2>/dev/null |
		awk -F ', ' '
			NR == 1 { room = /xclusive/ ? 1 : int($2 / 4096) }
			END { print NR == 0 ? 99 : room < 1 ? 1 : room }'
}

# The kinds side by side, as no time is taken.
selftest() {
	backend=cuda
	[ "$dry" = 0 ] || backend=fake
	room=$(at_once)
	calls=0
	began_at=$(seconds_left)
	for kind in $kinds; do
		most=$(smaller 120 "$(seconds_left)")
		[ "$most" -ge 3 ] || continue
		selftest_kind "$kind" "$most" &
		running="$running $!"
		calls=$((calls + 1))
		[ $((calls % room)) -ne 0 ] || wait
	done
	wait
	running=''
	say "step selftest: $((began_at - $(seconds_left))) s, $calls calls, at most $room at once"
	cat "$work"/selftest-*.code >"$(a_file selftest.codes)" 2>/dev/null
	cat "$work"/selftest-*.txt >"$(a_file selftest.txt)" 2>/dev/null
	grep -E '^WRONG' "$work/selftest.txt" >>"$out/check.txt"
	judge selftest -v kinds="$kinds" stage=1 "$work/selftest.codes" stage=2 "$work/selftest.txt"
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
	# shellcheck disable=SC2086 # a list of words
	step $((opening + 10)) ask "$paleo" algorithms --device "$1" --dtype f32,tf32,bf16 --format jsonl $all_nets
	cat "$work/ask.txt" >>"$work/$2"
	step $((opening + 5)) ask "$paleo" algorithms --device "$1" --dtype bf16 --layout nhwc --format jsonl "$first_net"
	cat "$work/ask.txt" >>"$work/$2"
}

# What cuDNN takes: asked with the handle, with the device's own description, with ours.
heuristics() {
	ours=$(cd "$here/../../bench/backends/cuda/devices" && pwd)/$(nearest_description).json
	ask "$device" heur-here.jsonl
	if [ -e "$build/lib/paleo/libpaleo-cuda.so" ]; then
		[ "$dry" = 1 ] || ask "$out/devprop.json" heur-own.jsonl
		ask "$ours" heur-ours.jsonl
	fi
	say "engines for $all_nets: here, by its own description, by $ours"
	judge plans stage=1 "$(a_file heur-here.jsonl)" stage=2 "$(a_file heur-own.jsonl)" \
		stage=3 "$(a_file heur-ours.jsonl)"
}

# How the device describes itself.
describe() {
	step "$opening" describe "$paleo" algorithms --device "$device" --output "$out/devprop.json"
	[ "$code" -eq 0 ] && [ "$dry" = 0 ] && found open.first_use info "$took s to open the device and to describe it"
}

ceilings() {
	measure_ceilings "$device"
	judge limits -v peak="$(of_datasheet "$chip" flop_per_s_bf16)" \
		-v bandwidth="$(of_datasheet "$chip" mem_bytes_per_s)" \
		stage=1 "$here/chips.tsv" stage=2 "$(a_file ceilings.jsonl)"
}

# layer_rows NAME SECONDS OPTIONS... - a profile for layers.jsonl. Of a file that has no end some ops have no row.
layer_rows() {
	layers=$1 spell=$2
	shift 2
	step $((spell + opening)) "$layers" "$paleo" profile --device "$device" --time-budget "${spell}s" \
		--output "$unfinished" "$@"
	taken "$layers" layers.jsonl
	wanted=$((wanted + 1))
	! is_complete "$work/$layers.jsonl" || whole=$((whole + 1))
}

# The same works in three processes; the later two forward only.
repeat() {
	layer_rows first "$first_budget" --batch "$first_batch" "$first_net"
	profile again 12 --batch "$first_batch" --pass fwd "$first_net"
	profile third 12 --batch "$first_batch" --pass fwd "$first_net"
	judge repeat stage=1 "$(a_file first.jsonl)" stage=2 "$(a_file again.jsonl)" \
		stage=3 "$(a_file third.jsonl)"
}

# The nets in f32, the first of which is there already, and in bf16 NHWC; the library's own choice, cold.
layers() {
	for one in $nets; do
		take_net "$one"
		[ "$net" = "$first_net" ] || layer_rows "layers-$(basename "$net" .json)" "$budget" --batch "$batch" "$net"
	done
	for one in $half_nets; do
		take_net "$one"
		layer_rows "layers-$(basename "$net" .json)-bf16" "$budget" --batch "$batch" --dtype bf16 \
			--layout nhwc "$net"
	done
	for one in bf16 fp8_block; do
		layer_rows "layers-decoder-$one" "$answer" --batch 8 --dtype bf16 "$decoder:decode,weights=$one"
	done
	layer_rows layers-fp8 5 --batch "$batch" --dtype fp8 --pass fwd --filter '^fc' "$net"
	copy=$(sed -n 's/.*"name":"copy".*"value":\([0-9.e+]*\),.*/\1/p' "$(a_file ceilings.jsonl)")
	[ -e "$out/layers.jsonl" ] || : >"$out/layers.jsonl"
	judge rows -v copy="${copy:-0}" -v wanted="$wanted" -v whole="$whole" "$out/layers.jsonl"
}

# pass NET BATCH OPTIONS... - of a net in one piece, for net.jsonl.
pass() {
	to=$1 many=$2
	shift 2
	step $((opening + 15)) "net-$to" "$paleo" fullpass --device "$device" --batch "$many" --time-budget 2s \
		--output "$unfinished" "$@"
	taken "net-$to" net.jsonl
	keep "$work/net-$to.txt" check.txt
}

# All passes of the first net, of the others a training step, which holds the rest: planning takes its time.
fullpass() {
	extent=all
	for one in $nets; do
		take_net "$one"
		pass "$(basename "$net" .json)" "$batch" --pass "$extent" "$net"
		extent=step
	done
	pass bf16 "$first_batch" --pass step --dtype bf16 --layout nhwc "$first_net"
	[ -e "$out/net.jsonl" ] || : >"$out/net.jsonl"
	judge passes stage=1 "$out/layers.jsonl" stage=2 "$out/net.jsonl"
}

# PyTorch's times of the same shapes, where it is; a rehearsal takes as long as it would.
pytorch() {
	set -- python3 "$here/torch_times.py" "$out/layers.jsonl"
	[ "$dry" = 0 ] || set -- sleep "${PALEO_TORCH_S:-0}"
	step 50 torch "$@"
	judge others stage=1 "$out/layers.jsonl" stage=2 "$(a_file torch.txt)"
}

# Kernel times of CUPTI, where it is.
cupti() {
	before=${LD_LIBRARY_PATH:-}
	if [ -e "$build/tests/gpu/libpaleo-cupti.so" ] && [ "$dry" = 0 ]; then
		# the driver loads the one, which is linked with CUPTI
		export CUDA_INJECTION64_PATH="$build/tests/gpu/libpaleo-cupti.so" PALEO_CUPTI_OUT="$work/cupti.tsv"
		export LD_LIBRARY_PATH="$libraries"
	fi
	profile traced 10 --batch "$first_batch" --pass fwd "$first_net"
	unset CUDA_INJECTION64_PATH PALEO_CUPTI_OUT
	export LD_LIBRARY_PATH="$before"
	judge kernels stage=1 "$(a_file first.jsonl)" stage=2 "$(a_file traced.jsonl)" \
		stage=3 "$(a_file cupti.tsv)"
}

# rows STATUS FILE - how many records have it.
rows() {
	count "\"type\":\"record\".*\"status\":\"$1\"" "$2"
}

# has_both STATUS NAME - some ops have this status, and others were measured.
has_both() {
	[ "$(rows "$1" "$work/$2.jsonl")" -gt 0 ] && [ "$(rows ok "$work/$2.jsonl")" -gt 0 ]
}

# What goes wrong costs a row and no more: too little memory, no time, an illegal address.
negative() {
	few='^(conv1|pool1|softmax)$'
	fakes oom=conv
	huge=200000
	[ "$dry" = 1 ] && huge=$first_batch
	profile oom 5 --batch "$huge" --pass fwd --filter "$few" "$first_net"
	fakes ''
	holds oom "$(rows oom "$work/oom.jsonl") rows are oom, $(rows ok "$work/oom.jsonl") measured" has_both oom oom

	# each op that is ended costs a worker
	fakes hang=pool
	profile timeout 2 --batch "$first_batch" --pass fwd --filter '^pool1$' --op-timeout 0.001 "$first_net"
	fakes ''
	late=$(rows timeout "$work/timeout.jsonl")
	profile timeout 4 --batch "$first_batch" --pass fwd --filter '^pool1$' --retry-failed "$first_net"
	holds timeout "$late rows were, resumed: $(rows ok "$work/timeout.jsonl") measured" has_both timeout timeout

	fakes crash=relu
	if [ "$dry" = 0 ] && [ -e "$build/tests/gpu/libpaleo-null.so" ]; then
		export PALEO_NULL_KERNEL=relu_fwd LD_PRELOAD="$build/tests/gpu/libpaleo-null.so"
	fi
	if [ "$dry" = 1 ] || [ -n "${LD_PRELOAD:-}" ]; then
		profile crash 12 --batch "$first_batch" --pass fwd --filter "$few" "$first_net"
	fi
	fakes ''
	unset PALEO_NULL_KERNEL LD_PRELOAD
	[ -e "$work/crash.jsonl" ] || return
	words="$(rows crash "$work/crash.jsonl") rows are, $(rows ok "$work/crash.jsonl") measured"
	holds crash "$words" has_both crash crash
}

# A worker that is killed, then the program interrupted; resuming measures all that is left.
resume() {
	if [ "$(seconds_left)" -lt 20 ]; then
		found resume none "no time left"
		return
	fi
	fakes slow=conv
	"$paleo" profile --device "$device" --batch "$first_batch" --pass fwd --time-budget 20s \
		--output "$work/cut.jsonl" "$first_net" >"$work/cut.txt" 2>&1 &
	pid=$!
	running=$pid
	tries=0
	until grep -qs '"type":"record"' "$work/cut.jsonl" || [ "$tries" -ge 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	worker=$(cut -d ' ' -f 1 "/proc/$pid/task/$pid/children" 2>/dev/null)
	[ -n "$worker" ] && kill -9 "$worker" 2>/dev/null
	sleep 1
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	running=''
	fakes ''
	before=$(rows ok "$work/cut.jsonl")
	profile cut 12 --batch "$first_batch" --pass fwd --retry-failed "$first_net"
	holds resume "$before measured before, $(rows ok "$work/cut.jsonl") after, code $code" test "$code" -eq 0
}

prepare
cd "$work" || exit 2
# what comes behind needs so many seconds
reserved=230
ceilings
selftest
repeat
layers
reserved=130
fullpass
reserved=0
negative
resume
pytorch
cupti
describe
heuristics
