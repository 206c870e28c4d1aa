#!/bin/sh
# check.sh - options that are seldom given do what their help says: each is held to what it must change.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"
llama=$source/tests/golden/serving/llama experts=$source/tests/golden/serving/experts.json

# value COLUMN COMMAND... - its first row's number there.
value() {
	column=$1
	shift
	"$@" --format csv 2>/dev/null | columns "$column" | sed -n 2p
}

# holds WHAT FORMULA... - whether it does, by awk; numbers are put into it before.
holds() {
	what=$1
	shift
	awk "BEGIN { exit !($*) }" && echo "$what" || echo "NOT: $what ($*)"
}

echo "a config.json"
cache() {
	paleo summary "$llama" --phase decode "$@" | sed -n 's/.*cache \([0-9,]*\) bytes per token, \([0-9.]*\) GB.*/\1 \2/p' | tr -d ,
}
whole=$(cache --past 1023)
holds "--past 2047: twice the cache" "$(cache --past 2047 | cut -d' ' -f2) == 2 * ${whole#* }"
holds "--kv fp8: half of it for a token" "2 * $(cache --kv fp8 | cut -d' ' -f1) == ${whole% *}"
holds "--tp 2: half of its heads" "2 * $(cache --tp 2 | cut -d' ' -f1) == ${whole% *}"
holds "--pp 4: a quarter of its layers" "4 * $(cache --pp 4 | cut -d' ' -f1) == ${whole% *}"
rows() {
	paleo predict --device t4 --law datasheet --format csv --framework eager --pass fwd "$@" bert_base 2>/dev/null | sed 1d | wc -l
}
holds "--separate-attention: more kernels" "$(rows --separate-attention) > $(rows)"
flops() {
	paleo predict --device h100-sxm --law datasheet --format csv "$llama" "$@" 2>/dev/null | columns layer,flops | sed -n 's/^l1_qkv,//p'
}
holds "--seq 2048: twice the products" "$(flops --seq 2048) == 2 * $(flops --seq 1024)"
echo "$(paleo convert --past 7 --phase decode "$llama" | grep -c '"past": *7') layers with --past 7"

echo "simulate"
step() {
	column=$1
	shift
	value "$column" paleo simulate --device h100-sxm --law datasheet --scaling weak --batch 32 "$@" vgg16
}
holds "--device-name, --network-name are the original's words" \
	"$(value step_s paleo simulate --device-name t4 --network-name pcie3 --law datasheet --num-workers 4 vgg16) == $(
		value step_s paleo simulate --device t4 --network pcie3 --law datasheet --num-workers 4 vgg16)"
holds "--ppp-comm 0.5: rates are halved" "$(step comm_s --num-workers 4 --ppp-comm 0.5) > 1.9 * $(step comm_s --num-workers 4)"
holds "--use-pipeline: memory hides behind computing" "$(step forward_s --num-workers 1 --use-pipeline) < $(step forward_s --num-workers 1)"
holds "--servers 4: faster than one" \
	"$(step comm_s --num-workers 8 --scheme parameter-server --servers 4) < $(step comm_s --num-workers 8 --scheme parameter-server)"
holds "--bucket-mib 1000: one bucket, nothing is hidden" \
	"$(step exposed_comm_s --num-workers 4 --overlap --bucket-mib 1000) > $(step exposed_comm_s --num-workers 4 --overlap --bucket-mib 25)"
# The slowest of p stages and the others once: (m - 1) t + sum; two batches in flight wait more than eight.
holds "--micro-batches: more of them wait less" \
	"$(step bubble_s --parallel pipeline --num-workers 4 --micro-batches 8) < $(step bubble_s --parallel pipeline --num-workers 4 --micro-batches 2)"
paleo simulate --law datasheet --device t4 --parallel hybrid --hybrid-workers 3 --format csv alex_v2_4gpu 2>/dev/null | columns parallel,workers | sort -u
holds "--no-factor: without what was fitted to nets" \
	"$(step step_s --num-workers 1 --framework eager --no-factor) != $(step step_s --num-workers 1 --framework eager)"
many="paleo simulate --law datasheet --device t4 --parallel data,zero1,zero2,zero3 --num-workers 1,2,4,8 vgg16"
for view in --scaling=weak,strong --top=3 --all; do
	$many $view | awk '/^vgg16 / { rows++ } END { print rows " rows" }'
done
$many --sort waiting --top 1 | awk '/^vgg16 / { print $2, $5 }'
$many --quiet | wc -l

echo "explore"
found() {
	value step_s paleo explore --devices t4 --law datasheet --strategies data --workers 4 --batches 64 --links ethernet-100g "$@" vgg16
}
holds "--ppp-comm 0.5: a step takes longer" "$(found --ppp-comm 0.5) > $(found)"
holds "--recompute: so does one that computes again" "$(found --recompute) > $(found)"

echo "serving"
tpot() {
	value tpot_s paleo serving --device h100-sxm --law datasheet --concurrency 8 "$@" "$llama"
}
# Within a hundredth: in a longer step a prompt's part may be another.
holds "--host-us: 200 us a step" "($(tpot --host-us 500) - $(tpot --host-us 300) - 200e-6) ^ 2 < 4e-12"
holds "--isl 8192: longer caches are read" "$(tpot --isl 8192) > $(tpot --isl 1024)"
holds "--pp 2: two GPUs" "$(value gpus paleo serving --device h100-sxm --law datasheet --pp 2 "$llama") == 2"
holds "--chunk 64: a longer first token" \
	"$(value ttft_s paleo serving --device h100-sxm --law datasheet --chunk 64 "$llama") > $(value ttft_s paleo serving --device h100-sxm --law datasheet "$llama")"
holds "--accepted: right drafts are time" "$(tpot --drafts 3 --accepted 2) < $(tpot --drafts 3 --accepted 1)"
holds "--cached: less is taken in" "$(tpot --cached 900) < $(tpot)"
skewed() {
	value tpot_s paleo serving --device h200 --law datasheet --tp 2 --dp 2 --concurrency 16 --skew "$1" "$experts"
}
holds "--skew: uneven tokens take longer" "$(skewed 2) >= $(skewed 0)"

echo "report"
page() {
	paleo report --device t4 --law datasheet --force --output page.html "$@" "$small" && grep -c '<tr' page.html
}
all=$(page | tail -1) forward=$(page --pass fwd | tail -1)
holds "--pass fwd: fewer rows" "$forward < $all"
holds "--filter: fewer still" "$(page --pass fwd --filter '^conv' | tail -1) < $forward"

echo "study, validate"
awk 'BEGIN {
	print "gpu,op,dtype,m,n,k,time_ms"
	for (i = 0; i < 48; i++) {
		m = 512 * (1 + i % 2); n = 128 * (1 + int(i / 2) % 4); k = 256 * (1 + int(i / 8))
		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, exp((i * 37 % 48 / 23.5 - 1) * 0.1) * (0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3)
	}
}' >try.csv
fitted() {
	value fitted paleo study try.csv "$@"
}
holds "--folds 2: half is fitted to" "$(fitted --folds 2) < $(fitted --folds 8)"
holds "--rows 10" "$(fitted --rows 10) == 10"
holds "--hold-out rows: each row alone" "$(fitted --hold-out rows --folds 48) == 47"
paleo validate --rows 10 --operand-sets 2 --quiet try.csv | sed 's/[0-9][0-9.]*/N/g'
judged="paleo validate --calibration $source/results/cpu-amd-epyc/calibration.json $source/tests/data/cpu/cpu-amd-epyc/resnet50-b2-f32.jsonl.gz"
lines() {
	$judged "$@" | awk '/^judged +pass/ { on = 1 } on && / f32 / { rows++ } END { print rows + 0 " lines" }'
}
lines --top 2
lines --all
$judged --sort error --top 1 | awk '/^judged +pass/ { on = 1 } on && / f32 / { print $1 }'
$judged --quiet | sed -n 's/^\(verdict\):.*/\1/p'

echo "calibrate"
drawn() {
	PALEO_FAKE=still paleo calibrate --device fake --time-budget 1s --records "d$1.jsonl" --seed "$1" --output "c$1.json" >/dev/null 2>&1 || :
	measured "d$1.jsonl" | head -20
}
[ "$(drawn 1)" = "$(drawn 2)" ] || echo "--seed 2: other works"
