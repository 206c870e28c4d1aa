#!/bin/sh
# algorithms.sh - asks cuDNN again what results/algorithms/ says that it would choose.
# SPDX-License-Identifier: Apache-2.0
#
# algorithms.sh PALEO RESULTS   ends with 77 where the plug-in or this cuDNN is not there
set -u
paleo=$1
results=$2
answer=$(mktemp)
recorded=$(mktemp)
trap 'rm -f "$answer" "$recorded"' EXIT
unset NVIDIA_TF32_OVERRIDE
checked=0
FUSE=''

# library FILE: which cuDNN a file was made with; engines compiled at run time need a driver.
library() {
	head -n 1 "$1" | sed -n 's/.*"library":"\([^"]*\)".*/\1/p'
}

# check DEVICE NET LAYOUT TYPE...: asks once for all types, and compares with the files. FUSE: options for the
# ops of inference.
check() {
	device=$1 net=$2 layout=$3
	shift 3
	end=.jsonl.gz
	[ "$layout" = nhwc ] && end=-nhwc.jsonl.gz
	[ -n "$FUSE" ] && end=-nhwc-fused.jsonl.gz
	list=$(echo "$*" | tr ' ' ',')
	# shellcheck disable=SC2086 # a list of words
	"$paleo" algorithms --device "$device" --dtype "$list" --layout "$layout" $FUSE --format jsonl \
		"$net" >"$answer"
	code=$?
	if [ $code -eq 3 ]; then
		echo "skipped: the CUDA plug-in cannot be used"
		exit 77
	fi
	if [ $code -ne 0 ]; then
		echo "$device $net $layout: exit code $code"
		exit 1
	fi
	for type in "$@"; do
		gzip -dc "$results/$device-$net-$type$end" || exit 1
	done >"$recorded"
	if [ "$(library "$answer")" != "$(library "$recorded")" ]; then
		echo "skipped: recorded with $(library "$recorded"), here is $(library "$answer")"
		exit 77
	fi
	if ! diff "$recorded" "$answer" >&2; then
		echo "$device $net $layout: cuDNN chooses otherwise than recorded"
		exit 1
	fi
	checked=$((checked + $(grep -c '"op"' "$answer")))
}

# Engines with the bias in them come first, then those without: cuDNN has three and more for this one.
"$paleo" algorithms --device h200 --pass fwd --top 4 --format jsonl alex_v2 >"$answer" || {
	[ $? -eq 3 ] && echo "skipped: the CUDA plug-in cannot be used" && exit 77
	exit 1
}
turns=$(sed -n '2p' "$answer" | grep -o '"engine":[0-9]*\(,"bias":true\)*' | sed 's/"engine":[0-9]*//' | tr '\n' ' ')
[ "$turns" = ',"bias":true ,"bias":true ,"bias":true  ' ] || {
	echo "conv1's bias is in the engines so: $turns"
	exit 1
}

for net in alex_v2 resnet50; do
	check t4 "$net" nchw f32 f16 # Turing has neither of the others
	check a100 "$net" nchw f32 tf32 f16 bf16
	check h200 "$net" nchw f32 tf32 f16 bf16
done
for net in alex_v2 resnet50 vgg16 nin; do
	check t4 "$net" nhwc f16
	check a100 "$net" nhwc f16 bf16
	check h200 "$net" nhwc f16 bf16
done
FUSE="--pass fwd --fuse"
for net in alex_v2 vgg16 nin; do
	check t4 "$net" nhwc f16
	check a100 "$net" nhwc f16 bf16
	check h200 "$net" nhwc f16 bf16
done
echo "$checked choices are as recorded"
[ "$checked" -gt 0 ]
