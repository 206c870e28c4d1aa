# check.sh - one worker's step under --law presets is the sum of the rows that predict prints, and
# explore's only choice is that step.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
set -u
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"
net=$source/nets/resnet50.json
on='--law presets --dtype bf16 --format csv'

total() {
	awk 'NR > 1 { sum += $1 } END { printf "%.8f\n", sum }'
}

# shellcheck disable=SC2086 # $on is several words
{
	paleo predict $on --device h100-sxm --batch 32 "$net" 2>predict.title | columns predicted_s |
		total >sum
	paleo simulate $on --device h100-sxm --batch-size 32 --num-workers 1 --scaling weak "$net" \
		2>simulate.title | columns step_s | total | cmp - sum
	paleo explore $on --devices h100-sxm --batches 32 --workers 1 --strategies data "$net" \
		2>explore.title | columns step_s | total | cmp - sum
}
grep -q '^0\.0\(0[1-9]\|1\)' sum || echo 'this is no step of milliseconds'
sed 's/^[^:]*: //' predict.title simulate.title
head -1 explore.title
say paleo simulate --device k80 --law presets --ppp-comp 0.5 "$net"
say paleo explore --devices k80 --law presets --ppp-comp 0.5 "$net"
say paleo simulate --law paleo2017 --dtype f16 "$net"
# A machine that no table has is known by its calibration, as predict knows it.
paleo simulate --device cpu-amd-epyc --num-workers 1 --scaling weak --format csv "$net" 2>title |
	columns workers,batch
grep -o 'records of cpu-amd-epyc' title
paleo explore --devices cpu-amd-epyc --batches 4 --workers 1 --strategies data --format csv "$net" \
	2>title | columns device,batch
grep -o 'records of cpu-amd-epyc' title
say paleo simulate --device cpu-amd-epyc --law presets "$net"
