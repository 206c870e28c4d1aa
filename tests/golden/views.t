A long table is answered first: sums, where the time goes, the longest rows; a terminal's width.

  $ predict() {
  > 	paleo predict --device t4 --cost-model datasheet "$@"
  > }

  $ net=$source/nets/resnet50.json

  $ predict "$net" | sed 's/[0-9][0-9.,]*/N/g; s/  */ /g; s/--*/-/' | head -20
  NVIDIA Tesla TN: not calibrated: the tN's datasheet peaks at PPP N compute, N memory (real times are usually longer)

  ResNet-N batch N fN nchw, N parameters
   forward predicted N ms N images/s N TFLOP/s
   backward predicted N ms
   forward + backward predicted N ms N images/s N TFLOP/s
   update predicted N ms
   training step predicted N ms N images/s N TFLOP/s

  kind rows time ms share %
  -
  conv N N N
  update N N N
  batch_norm N N N
  relu N N N
  sum of gradients N N N
  add N N N
  inner_product N N N
  max_pool N N N
  others N N N
  $ rows() {
  > 	sed -n '/^layer/,$p' | sed 1,2d | awk '{ print $1, $2, $3 }'
  > }

By time, by name, all:

  $ predict --top 3 "$net" | rows
  res5a_branch2b update update
  res4a_branch2b conv fwd
  res4f_branch2b conv bwd_filter
  442 more rows:
  $ predict --top 2 --sort name --pass fwd "$net" | rows
  conv1 conv fwd
  conv1 batch_norm fwd
  173 more rows:
  $ echo "$(predict --all "$net" | rows | wc -l) rows"
  457 rows
  $ echo "$(predict --format csv "$net" 2>/dev/null | wc -l) lines of CSV, $(predict --format csv --top 5 "$net" 2>/dev/null | wc -l) of --top 5"
  458 lines of CSV, 6 of --top 5

The sums alone:

  $ predict --quiet "$small" | cut -c 1-40
  NVIDIA Tesla T4: not calibrated: the t4'

  small, batch 32, f32, nchw, 29,330 param
    forward             predicted     24.3
    backward            predicted     30.7
    forward + backward  predicted     55.1
    update              predicted      1.1
    training step       predicted     56.2

As Markdown:

  $ predict --format md --top 1 "$small" | grep '^|' | sed 's/[0-9][0-9.,]*/N/g'
  | kind | rows | time us | share % |
  | --- | ---: | ---: | ---: |
  | relu | N | N | N |
  | conv | N | N | N |
  | max_pool | N | N | N |
  | inner_product | N | N | N |
  | update | N | N | N |
  | softmax | N | N | N |
  | layer | kind | pass | MFLOP | MB | pred us | share % | bound |
  | --- | --- | --- | ---: | ---: | ---: | ---: | --- |
  | convN | relu | bwd_data | N | N | N | N | memory |
  $ predict --sort size "$small"
  2> paleo-predict: --sort is 'size', expected one of time, error, name (did you mean 'time'?)
  [2]

One work:

  $ key='gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1'
  $ PALEO_FAKE=still paleo profile --device fake:0 --op "$key"
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  mode  pred us  meas us  +-% run  error %  algorithm      status  op
  --------------------------------------------------------------------------------------------------------------
  cold    0.185    3.763      0.0    -95.1  known_factors  ok      gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1
  $ PALEO_FAKE=still paleo profile --device fake --op "$key" --mode hot --format csv 2>/dev/null | columns mode,status,op
  mode,status,op
  hot,ok,gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1
  $ paleo profile --device fake --op 'gemm fwd'
  2> paleo-profile: --op 'gemm fwd': op 'gemm fwd': the dtype is missing
  [2]
  $ paleo profile --device fake --op "$key" "$small"
  2> paleo-profile: --op names what to measure: no net goes with it
  [2]
  $ paleo profile --device h100-sxm "$small"
  2> paleo-profile: --device is 'h100-sxm', a name: expected a device of this machine, auto|N|cuda:N|cpu: GPU number N, the CPU, or the first usable one (default auto); 'paleo predict' takes names
  [2]
