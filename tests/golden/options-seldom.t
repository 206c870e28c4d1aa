Options that are seldom given do what their help says: each is held to what it must change.

  $ llama=$source/tests/golden/serving/llama experts=$source/tests/golden/serving/experts.json

value COLUMN COMMAND... - its first row's number there.

  $ value() {
  > 	column=$1
  > 	shift
  > 	"$@" --format csv 2>/dev/null | columns "$column" | sed -n 2p
  > }

holds WHAT FORMULA... - whether it does, by awk; numbers are put into it before.

  $ holds() {
  > 	what=$1
  > 	shift
  > 	awk "BEGIN { exit !($*) }" && echo "$what" || echo "NOT: $what ($*)"
  > }

A config.json:

  $ cache() {
  > 	paleo summary "$llama" --phase decode "$@" | sed -n 's/.*cache \([0-9,]*\) bytes per token, \([0-9.]*\) GB.*/\1 \2/p' | tr -d ,
  > }
  $ whole=$(cache --past 1023)
  $ holds "--past 2047: twice the cache" "$(cache --past 2047 | cut -d' ' -f2) == 2 * ${whole#* }"
  --past 2047: twice the cache
  $ holds "--kv fp8: half of it for a token" "2 * $(cache --kv fp8 | cut -d' ' -f1) == ${whole% *}"
  --kv fp8: half of it for a token
  $ holds "--tp 2: half of its heads" "2 * $(cache --tp 2 | cut -d' ' -f1) == ${whole% *}"
  --tp 2: half of its heads
  $ holds "--pp 4: a quarter of its layers" "4 * $(cache --pp 4 | cut -d' ' -f1) == ${whole% *}"
  --pp 4: a quarter of its layers
  $ rows() {
  > 	paleo predict --device t4 --cost-model datasheet --format csv --framework eager --pass fwd "$@" bert_base 2>/dev/null | sed 1d | wc -l
  > }
  $ holds "--separate-attention: more kernels" "$(rows --separate-attention) > $(rows)"
  --separate-attention: more kernels
  $ flops() {
  > 	paleo predict --device h100-sxm --cost-model datasheet --format csv "$llama" "$@" 2>/dev/null | columns layer,flops | sed -n 's/^l1_qkv,//p'
  > }
  $ holds "--seq 2048: twice the products" "$(flops --seq 2048) == 2 * $(flops --seq 1024)"
  --seq 2048: twice the products
  $ echo "$(paleo convert --past 7 --phase decode "$llama" | grep -c '"past": *7') layers with --past 7"
  32 layers with --past 7

Simulate:

  $ step() {
  > 	column=$1
  > 	shift
  > 	value "$column" paleo simulate --device h100-sxm --cost-model datasheet --link ethernet --scaling weak --batch 32 "$@" vgg16
  > }
  $ holds "--ppp-link 0.5: rates are halved" "$(step comm_s --workers 4 --ppp-link 0.5) > 1.9 * $(step comm_s --workers 4)"
  --ppp-link 0.5: rates are halved
  $ holds "--use-pipeline: memory hides behind computing" "$(step forward_s --workers 1 --use-pipeline) < $(step forward_s --workers 1)"
  --use-pipeline: memory hides behind computing
  $ holds "--servers 4: faster than one" \
  > 	"$(step comm_s --workers 8 --all-reduce parameter-server --servers 4) < $(step comm_s --workers 8 --all-reduce parameter-server)"
  --servers 4: faster than one
  $ holds "--bucket-mib 1000: one bucket, nothing is hidden" \
  > 	"$(step exposed_comm_s --workers 4 --overlap --bucket-mib 1000) > $(step exposed_comm_s --workers 4 --overlap --bucket-mib 25)"
  --bucket-mib 1000: one bucket, nothing is hidden

The slowest of p stages and the others once: (m - 1) t + sum; two batches in flight wait more than eight.

  $ holds "--micro-batches: more of them wait less" \
  > 	"$(step bubble_s --strategy pipeline --workers 4 --micro-batches 8) < $(step bubble_s --strategy pipeline --workers 4 --micro-batches 2)"
  --micro-batches: more of them wait less
  $ paleo simulate --cost-model datasheet --device t4 --strategy hybrid --workers 3 --format csv alex_v2_4gpu 2>/dev/null | columns strategy,workers | sort -u
  hybrid,3
  strategy,workers
  $ many="paleo simulate --cost-model datasheet --device t4 --strategy data,zero1,zero2,zero3 --workers 1,2,4,8 vgg16"
  $ for view in --scaling=weak,strong --top=3 --all; do
  > 	$many $view | awk '/^vgg16 / { rows++ } END { print rows " rows" }'
  > done
  10 rows
  3 rows
  32 rows
  $ $many --sort waiting --top 1 | awk '/^vgg16 / { print $2, $5 }'
  zero3 8
  $ $many --quiet | wc -l
  2

Explore:

  $ found() {
  > 	value step_s paleo simulate --search --device t4 --cost-model datasheet --strategy data --workers 4 --batch 64 --link ethernet-100g "$@" vgg16
  > }
  $ holds "--ppp-link 0.5: a step takes longer" "$(found --ppp-link 0.5) > $(found)"
  --ppp-link 0.5: a step takes longer
  $ holds "--recompute: so does one that computes again" "$(found --recompute) > $(found)"
  --recompute: so does one that computes again

Serving:

  $ tpot() {
  > 	value tpot_s paleo serving --device h100-sxm --cost-model datasheet --max-concurrency 8 "$@" "$llama"
  > }

Within a hundredth: in a longer step a prompt's part may be another.

  $ holds "--launch-us: 200 us a step" "($(tpot --launch-us 500) - $(tpot --launch-us 300) - 200e-6) ^ 2 < 4e-12"
  --launch-us: 200 us a step
  $ holds "--isl 8192: longer caches are read" "$(tpot --isl 8192) > $(tpot --isl 1024)"
  --isl 8192: longer caches are read
  $ holds "--pp 2: two GPUs" "$(value gpus paleo serving --device h100-sxm --cost-model datasheet --pp 2 "$llama") == 2"
  --pp 2: two GPUs
  $ holds "--chunk 64: a longer first token" \
  > 	"$(value ttft_s paleo serving --device h100-sxm --cost-model datasheet --chunk 64 "$llama") > $(value ttft_s paleo serving --device h100-sxm --cost-model datasheet "$llama")"
  --chunk 64: a longer first token
  $ holds "--speculative: accepted drafts save time" "$(tpot --speculative 3,2) < $(tpot --speculative 3,1)"
  --speculative: accepted drafts save time
  $ holds "--prefix-cached: less is taken in" "$(tpot --prefix-cached 900) < $(tpot)"
  --prefix-cached: less is taken in
  $ skewed() {
  > 	value tpot_s paleo serving --device h200 --cost-model datasheet --tp 2 --dp 2 --max-concurrency 16 --skew "$1" "$experts"
  > }
  $ holds "--skew: uneven tokens take longer" "$(skewed 2) >= $(skewed 0)"
  --skew: uneven tokens take longer

Report:

  $ page() {
  > 	paleo report --device t4 --cost-model datasheet --force --output page.html "$@" "$small" && grep -o '"layer":' page.html | wc -l
  > }
  $ all=$(page | tail -1) forward=$(page --pass fwd | tail -1)
  $ holds "--pass fwd: fewer rows" "$forward < $all"
  --pass fwd: fewer rows
  $ holds "--filter: fewer still" "$(page --pass fwd --filter '^conv' | tail -1) < $forward"
  --filter: fewer still

Validate:

  $ awk 'BEGIN {
  > 	print "gpu,op,dtype,m,n,k,time_ms"
  > 	for (i = 0; i < 48; i++) {
  > 		m = 512 * (1 + i % 2); n = 128 * (1 + int(i / 2) % 4); k = 256 * (1 + int(i / 8))
  > 		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, exp((i * 37 % 48 / 23.5 - 1) * 0.1) * (0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3)
  > 	}
  > }' >try.csv
  $ fitted() {
  > 	value fitted paleo validate try.csv "$@"
  > }
  $ holds "--rows 10" "$(fitted --rows 10) == 10"
  --rows 10
  $ holds "--hold-out rows: others than those of a layer" "$(value median paleo validate try.csv --hold-out rows) != $(value median paleo validate try.csv)"
  --hold-out rows: others than those of a layer
  $ paleo validate --cost-model calibrated --rows 10 --operand-sets 2 --quiet try.csv | sed 's/[0-9][0-9.]*/N/g'
  N records of NVIDIA Tesla VN PCIe N GB: published tables
  Cross-validated: each op by a fit without its shape, each network by a fit without its ops
  N ops: median error N %, mean N %, pN N %; PALEO's cost model: median N %

  verdict: good for gemm
  (good: median error <= N %, pN <= N %; rough: median <= N %; from N held-out ops)
  $ judged="paleo validate --calibration $source/results/cpu-amd-epyc/calibration.json $source/tests/data/cpu/cpu-amd-epyc/resnet50-b2-f32.jsonl.gz"
  $ lines() {
  > 	$judged "$@" | awk '/^judged +pass/ { on = 1 } on && / f32 / { rows++ } END { print rows + 0 " lines" }'
  > }
  $ lines --top 2
  2 lines
  $ lines --all
  18 lines
  $ $judged --sort error --top 1 | awk '/^judged +pass/ { on = 1 } on && / f32 / { print $1 }'
  softmax
  $ $judged --quiet | sed -n 's/^\(verdict\):.*/\1/p'
  verdict

Calibrate:

