#!/bin/sh
# on_gpu.sh - on a GPU: all ceilings, and a small net in every cache mode. 77: there is no GPU.
# SPDX-License-Identifier: Apache-2.0
#
# on_gpu.sh PALEO SCRATCH
set -eu
paleo=$1 scratch=$2
net=$(cd "$(dirname "$0")/../golden" && pwd)/small.json
mkdir -p "$scratch"
cd "$scratch"

code=0
"$paleo" check --device 0 --output ceilings.jsonl 2>said || code=$?
[ "$code" = 3 ] || [ "$code" = 4 ] && echo "skipped: $(tail -n 1 said)" && exit 77
cat said
[ "$code" = 0 ] || [ "$code" = 6 ] || [ "$code" = 7 ] # whatever the verdict is
for name in gemm_f32 copy read write read_l2 launch_graph launch_stream enqueue event_floor h2d d2h; do
	grep -q "\"name\":\"$name\"" ceilings.jsonl
done
for mode in cold hot weights-cold enqueue; do
	"$paleo" profile --device 0 --mode "$mode" --time-budget 20s --output "$mode.jsonl" "$net"
done
# the driver's library is there with the driver
grep -q '"state":{"sm_mhz":[1-9]' cold.jsonl
