#!/bin/sh
# sweep.sh - what cuDNN plans of all nets here for described GPUs, with no GPU: results/plans/.
# SPDX-License-Identifier: Apache-2.0
#
# sweep.sh [FOLDER [KEYS]]   FOLDER (build-dev/plans) keeps every answer: a call that was cut goes on there.
#                            KEYS, a regular expression, has its works asked again: '^norm .* b?f16 '
#
# PALEO_BUILD: the folder of the build (build-dev). PALEO_SWEEP_S: seconds for this call (1200). The tables are
# written when all works are answered; else the exit code is 3.
set -eu
cd "$(dirname "$0")/../../../.."
here=tests/backend/cuda/driver
build=${PALEO_BUILD:-build-dev}
seconds=${PALEO_SWEEP_S:-1200}
out=${1:-$build/plans}
again=${2:-}
tab=$(printf '\t')
mkdir -p "$out" results/plans
sweep=$build/$here/plan_sweep
export LD_LIBRARY_PATH="$PWD/$build/$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset NVIDIA_TF32_OVERRIDE

# Works of kinds that no net has.
others() {
	for type in f32 tf32 f16 bf16; do
		for pass in fwd bwd_data; do
			echo "norm $pass $type mode=rms n=4096 c=4096 h=1 w=1 scale=1"
			echo "lrn $pass $type n=32 c=96 h=27 w=27 size=5"
			echo "lrn $pass $type n=32 c=96 h=27 w=27 size=5 layout=nhwc"
		done
	done
	# a transformer's prefill and training step, an image encoder's, long keys, a window
	for pass in fwd bwd_data; do
		for geometry in "batch=2 q=512 keys=512 heads=32 kv_heads=8 qk=128 v=128 causal=1" \
			"batch=8 q=197 keys=197 heads=12 kv_heads=12 qk=64 v=64" \
			"batch=1 q=256 keys=1024 heads=16 kv_heads=16 qk=192 v=128 causal=1" \
			"batch=1 q=1024 keys=1024 heads=16 kv_heads=4 qk=128 v=128 causal=1 window=256"; do
			echo "attention $pass f16 $geometry"
			echo "attention $pass bf16 $geometry"
		done
	done
}

# All works at batch 32; convolutions, whose workspace grows with it, at 128, too.
nets=$(find nets -name '*.json' ! -name schema.json)
# shellcheck disable=SC2086 # a list of files
{
	"$sweep" works 32 $nets
	"$sweep" works 128 $nets | grep '^conv '
	others
} | sort -u >"$out/works"

# left DEVICE - its works without an answer, in no order, so that a part is a sample of all.
left() {
	touch "$out/$1.tsv"
	awk -F "$tab" -v again="$again" 'NF == 11 && !(again != "" && $6 ~ again)' "$out/$1.tsv" |
		sort -u -t "$tab" -k 6,6 >"$out/$1.kept"
	mv "$out/$1.kept" "$out/$1.tsv"
	cut -f 6 "$out/$1.tsv" | sort | comm -13 - "$out/works" | shuf
}

devices="a100 h200 b200"
for device in $devices; do
	left "$device" >"$out/$device.left"
	timeout "$seconds" nice "$sweep" plan 120 "bench/backends/cuda/devices/$device.json" \
		<"$out/$device.left" >>"$out/$device.tsv" &
done
wait
again=''
for device in $devices; do
	if [ -n "$(left "$device")" ]; then
		echo "$device: $(left "$device" | wc -l) works are left: call again"
		exit 3
	fi
done

# shellcheck disable=SC2086 # a list of words
answers=$(for device in $devices; do echo "$out/$device.tsv"; done)
# shellcheck disable=SC2086 # a list of files
cat $answers | sort -t "$tab" -k 6,6 -k 1,1 >"$out/all"
version=$("$sweep" version)
awk -f "$here/table.awk" -v part=plans "$out/all" | gzip -9n >results/plans/plans.tsv.gz
{
	echo "# cudnn $version"
	awk -f "$here/table.awk" -v part=sample "$out/all"
} >results/plans/sample.tsv

# first_three - of two nets' convolutions, in the types and layouts that frameworks train in.
first_three() {
	echo
	echo "## The first three engines of ResNet-50's and VGG-16's convolutions"
	echo
	echo "| device | type | convolutions | engines | compiled here | that round their inputs |"
	echo "| --- | --- | ---: | ---: | ---: | ---: |"
	for device in $devices; do
		for how in bf16-nhwc f32-nchw; do
			"$build/bin/paleo" algorithms --device "$device" --batch 32 --dtype "${how%-*}" \
				--layout "${how#*-}" --top 3 --format jsonl resnet50 vgg16 |
				awk -v row="| $device | $how" '
					/"work"/ {
						works++
						engines += gsub(/"engine":/, "")
						compiled += gsub(/runtime_compilation/, "")
						casts += gsub(/down_convert_inputs/, "")
					}
					END { print row " | " works " | " engines " | " compiled + 0 " | " casts + 0 " |" }'
		done
	done
}

{
	awk -f "$here/table.awk" -v part=readme -v version="$version" -v date="$(date -u +%F)" \
		-v intro="$here/intro.md" "$out/all"
	first_three
} >"$out/README.md"
mv "$out/README.md" results/plans/README.md
