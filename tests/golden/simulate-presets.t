One worker's step under --cost-model presets is the sum of the rows that predict prints, and explore's only choice is that step.

  $ net=$source/nets/resnet50.json
  $ on='--cost-model presets --dtype bf16 --format csv'

  $ total() {
  > 	awk 'NR > 1 { sum += $1 } END { printf "%.8f\n", sum }'
  > }

  $ paleo predict $on --device h100-sxm --batch 32 "$net" 2>predict.title | columns predicted_s |
  > 	total >sum
  $ paleo simulate $on --device h100-sxm --batch 32 --workers 1 --scaling weak "$net" \
  > 	2>simulate.title | columns step_s | total | cmp - sum
  $ paleo simulate --search $on --device h100-sxm --batch 32 --workers 1 --strategy data "$net" \
  > 	2>explore.title | columns step_s | total | cmp - sum
  $ grep -q '^0\.0\(0[1-9]\|1\)' sum || echo 'this is no step of milliseconds'
  $ sed 's/^[^:]*: //' predict.title simulate.title
  published benchmarks, stack trtllm, nothing measured here: h100-sxm (13104 rows of aiconfigurator TRTLLM-1.3.0rc20); then h100-sxm, another stack (9000 rows of aiconfigurator vllm-0.24.0); for the rest the median over all GPUs
  published benchmarks, stack trtllm, nothing measured here: h100-sxm (13104 rows of aiconfigurator TRTLLM-1.3.0rc20); then h100-sxm, another stack (9000 rows of aiconfigurator vllm-0.24.0); for the rest the median over all GPUs
  $ head -1 explore.title
  h100-sxm: published benchmarks, stack trtllm, nothing measured here: h100-sxm (13104 rows of aiconfigurator TRTLLM-1.3.0rc20); then h100-sxm, another stack (9000 rows of aiconfigurator vllm-0.24.0); for the rest the median over all GPUs
  $ paleo simulate --device k80 --cost-model presets --ppp-compute 0.5 "$net"
  2> paleo-simulate: the cost model 'presets' cannot be combined with fractions of peak (PPP)
  [2]
  $ paleo simulate --search --device k80 --cost-model presets --ppp-compute 0.5 "$net"
  2> paleo-simulate: the cost model 'presets' cannot be combined with fractions of peak (PPP)
  [2]
  $ paleo simulate --cost-model paleo2017 --dtype f16 "$net"
  2> paleo-simulate: --cost-model paleo2017 is f32, nchw: leave out --calibration, --framework, --fuse, --separate-attention, --trace, --seq
  [2]

A machine that no table has is known by its calibration, as predict knows it.

  $ paleo simulate --device cpu-amd-epyc --workers 1 --scaling weak --format csv "$net" 2>title |
  > 	columns workers,batch
  workers,batch
  1,1
  $ grep -o 'records of cpu-amd-epyc' title
  records of cpu-amd-epyc
  $ paleo simulate --search --device cpu-amd-epyc --batch 4 --workers 1 --strategy data --format csv "$net" \
  > 	2>title | columns device,batch
  device,batch
  cpu-amd-epyc,4
  $ grep -o 'records of cpu-amd-epyc' title
  records of cpu-amd-epyc
  $ paleo simulate --device cpu-amd-epyc --cost-model presets "$net"
  2> paleo-simulate: 'cpu-amd-epyc' is a CPU, and presets exist only for GPUs: use the cost model 'datasheet' or a calibration
  [2]

Of an H100 there are tables of two stacks: that with the most is the default, and the first line says which. Where the
asked one has none of a class, that of a card with the chip stands in, then another stack.

  $ first() { "$@" --batch 8 "$net" 2>&1 | sed -n '1s/.*: published/published/; 1s/([0-9]* rows[^)]*)/ROWS/g; 1p'; }
  $ first paleo predict --device h100-sxm --dtype bf16
  published benchmarks, stack trtllm, nothing measured here: h100-sxm ROWS; then h100-sxm, another stack ROWS; for the rest the median over all GPUs
  $ first paleo predict --device h100-sxm --dtype bf16 --stack vllm
  published benchmarks, stack vllm, nothing measured here: h100-sxm ROWS; then h100-sxm, another stack ROWS; for the rest the median over all GPUs
  $ first paleo predict --device h200 --dtype bf16 --stack vllm
  published benchmarks, stack vllm, nothing measured here: h100-sxm, same chip ROWS; then h200, another stack ROWS; for the rest the median over all GPUs
  $ first paleo simulate --device h100-sxm --dtype bf16 --stack vllm --workers 2
  published benchmarks, stack vllm, nothing measured here: h100-sxm ROWS; then h100-sxm, another stack ROWS; for the rest the median over all GPUs
  $ paleo predict --device h100-sxm --stack tgi "$net" 2>&1 | tail -1
  paleo-predict: --stack is 'tgi', expected one of auto, trtllm, vllm, sglang
  $ paleo serving --device h100-sxm --stack vllm "$source/tests/golden/serving/llama" 2>&1 | grep -o 'stack vllm' | sed 1q
  stack vllm

Versions of several presets of a GPU are named once each:

  $ paleo serving --device l40s --max-concurrency 1 $source/tests/golden/serving/llama 2>&1 | sed -n '1s/.*l40s (\([^)]*\)).*/\1/p'
  11073 rows of aiconfigurator TRTLLM-1.3.0rc20, aiconfigurator TRTLLM-1.0.0
