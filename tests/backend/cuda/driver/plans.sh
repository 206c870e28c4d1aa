#!/bin/sh
# plans.sh - asks cuDNN for the plans of the ops of sample.tsv, and compares its verdicts.
# SPDX-License-Identifier: Apache-2.0
#
# plans.sh PLAN_SWEEP STAND_IN ROOT   STAND_IN: the folder of the driver's stand-in, ROOT: the project's. Ends with
#                                     77 where the answers are another cuDNN's.
set -u
sweep=$1
stand_in=$2
root=$3
sample=${0%/*}/sample.tsv
tab=$(printf '\t')
recorded=$(sed -n '1s/^# cudnn //p' "$sample")
export LD_LIBRARY_PATH="$stand_in${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset NVIDIA_TF32_OVERRIDE
here=$("$sweep" version) || {
	echo "skipped: cuDNN cannot be used"
	exit 77
}
if [ "$here" != "$recorded" ]; then
	echo "skipped: recorded with cuDNN $recorded, here is $here"
	exit 77
fi
if [ ! -e "$stand_in/libcuda.so.1" ]; then
	echo "skipped: there is no stand-in for the driver in $stand_in"
	exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed 1d "$sample" | cut -f 1 | sort -u >"$folder/devices"
while read -r device; do
	awk -F "$tab" -v device="$device" '$1 == device { print $3 }' "$sample" |
		"$sweep" plan 60 "$root/bench/backends/cuda/devices/$device.json" |
		tee "$folder/answers" | cut -f 1,7,6 >>"$folder/found"
	# what an engine is compiled for shows that the stand-in was taken
	awk -F "$tab" '$9 == 1' "$folder/answers" >>"$folder/compiled"
done <"$folder/devices"
sed 1d "$sample" | awk -F "$tab" -v OFS="$tab" '{ print $1, $3, $2 }' | sort >"$folder/wanted"
sort "$folder/found" | diff "$folder/wanted" - || {
	echo "cuDNN answers otherwise than recorded"
	exit 1
}
echo "$(wc -l <"$folder/found") ops have the verdicts that are recorded, $(wc -l <"$folder/compiled") compiled at run time"
[ -s "$folder/compiled" ]
