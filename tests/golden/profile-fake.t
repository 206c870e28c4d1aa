A profile of a device with known times.

How many samples are taken depends on the clock, so only the shape of measured numbers is fixed.

  $ paleo-profile --device fake --output text.jsonl "$small" |
  > 	sed -E '/drifted by more/d; s/measured in [0-9.]+ s/measured in TIME s/; s/[0-9]+(\.[0-9]+)/9\1/g; s/\.[0-9]+/.9/g; s/  +/  /g; s/--+/--/; s/  [0-9]+  (compute|memory|overhead)/  9  \1/'
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  small, batch 4 instead of the file's 32, f32, nchw, 29,330 parameters
    forward  predicted  9.9 us  measured  9.9 us +-9.9 % within this run  error  -9.9 %  9.9 images/s  9.9 GFLOP/s
    backward  predicted  9.9 us  measured  9.9 us +-9.9 % within this run  error  -9.9 %
    forward + backward  predicted  9.9 us  measured  9.9 us +-9.9 % within this run  error  -9.9 %  9.9 images/s  9.9 GFLOP/s
    update  predicted  9.9 us  measured  9.9 us +-9.9 % within this run  error  -9.9 %
    training step  predicted  9.9 us  measured  9.9 us +-9.9 % within this run  error  -9.9 %  9.9 images/s  9.9 GFLOP/s
    error per row: median 9.9 %, mean 9.9 %, p90 9.9 %, 13 rows

  kind  rows  time us  share %  pred us  error %
  --
  conv  2  9.9  9.9  9.9  -9.9
  relu  2  9.9  9.9  9.9  -9.9
  softmax  2  9.9  9.9  9.9  -9.9
  inner_product  3  9.9  9.9  9.9  -9.9
  update  2  9.9  9.9  9.9  -9.9
  max_pool  2  9.9  9.9  9.9  -9.9
  bound by (predicted): compute 35 %, memory 65 %

  layer  kind  pass  MFLOP  kB  pred us  share %  meas us  +-% run  error %  GFLOP/s  GB/s  % peak  bound  algorithm
  --
  conv1  conv  fwd  9.9  199  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  compute  known_factors
  conv1  relu  fwd  9.9  369  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  pool1  max_pool  fwd  9.9  242  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  fc2  inner_product  fwd  9.9  161  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  softmax  softmax  fwd  9.9  9.9  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  softmax  softmax  bwd_data  9.9  9.9  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  fc2  inner_product  bwd_filter  9.9  161  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  fc2  inner_product  bwd_data  9.9  161  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  pool1  max_pool  bwd_data  9.9  242  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  conv1  relu  bwd_data  9.9  553  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  conv1  conv  bwd_filter  9.9  199  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  compute  known_factors
  conv1  update  update  9.9  9.9  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors
  fc2  update  update  9.9  346  9.9  9.9  9.9  9.9  -9.9  9.9  9.9  9  memory  known_factors

  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: text.jsonl
  To calibrate: paleo-calibrate --device fake
  $ paleo profile --device fake --format csv --output csv.jsonl "$small" 2>notes |
  > 	columns net,batch,layer,kind,pass,dtype,flops,bytes,predicted_s,bound,algorithm,status,reason,op
  net,batch,layer,kind,pass,dtype,flops,bytes,predicted_s,bound,algorithm,status,reason,op
  small,4,conv1,conv,fwd,f32,2350080,198944,4.3395200000000005e-07,compute,known_factors,,,conv fwd f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  small,4,conv1,relu,fwd,f32,46080,368640,3.73248e-07,memory,known_factors,,,eltwise fwd f32 op=relu count=46080
  small,4,pool1,max_pool,fwd,f32,46080,241920,2.4652799999999997e-07,memory,known_factors,,,pool fwd f32 mode=max n=4 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2
  small,4,fc2,inner_product,fwd,f32,230440,161480,1.84524e-07,memory,known_factors,,,gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1
  small,4,softmax,softmax,fwd,f32,200,320,3.3999999999999996e-10,memory,known_factors,,,softmax fwd f32 rows=4 cols=10
  small,4,softmax,softmax,bwd_data,f32,160,480,4.96e-10,memory,known_factors,,,softmax bwd_data f32 rows=4 cols=10
  small,4,fc2,inner_product,bwd_filter,f32,230440,161480,1.84524e-07,memory,known_factors,,,gemm bwd_filter f32 m=10 n=2880 k=4 trans_a=1 bias=1
  small,4,fc2,inner_product,bwd_data,f32,230400,161440,1.8447999999999997e-07,memory,known_factors,,,gemm bwd_data f32 m=4 n=2880 k=10
  small,4,pool1,max_pool,bwd_data,f32,46080,241920,2.4652799999999997e-07,memory,known_factors,,,pool bwd_data f32 mode=max n=4 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2
  small,4,conv1,relu,bwd_data,f32,92160,552960,5.62176e-07,memory,known_factors,,,eltwise bwd_data f32 op=relu count=46080
  small,4,conv1,conv,bwd_filter,f32,2350080,198944,4.3395200000000005e-07,compute,known_factors,,,conv bwd_filter f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  small,4,conv1,update,update,f32,1040,6240,6.344e-09,memory,known_factors,,,update update f32 rule=sgd count=520
  small,4,fc2,update,update,f32,57620,345720,3.5148199999999997e-07,memory,known_factors,,,update update f32 rule=sgd count=28810
  $ sed -E '/drifted by more/d; s/measured in [0-9.]+ s/measured in TIME s/' notes
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: csv.jsonl
  To calibrate: paleo-calibrate --device fake
  $ paleo-profile --device fake --format jsonl --output jsonl.jsonl "$small" 2>/dev/null | head -1 |
  > 	sed -E 's/("(measured[a-z_]*|cold_s|error|flop_per_s|bytes_per_s|of_peak)":)-?[0-9.e-]+/\1NUMBER/g; s/"tags":("drift"|null)/"tags":TAGS/'
  {"net":"small","batch":4,"layer":"conv1","kind":"conv","pass":"fwd","dtype":"f32","flops":2350080,"bytes":198944,"predicted_s":4.3395200000000005e-07,"predicted_low_s":null,"predicted_high_s":null,"predicted_low50_s":null,"predicted_high50_s":null,"as_it_runs_s":null,"as_it_runs_low_s":null,"as_it_runs_high_s":null,"predicted_before_s":null,"mode":"cold","measured_s":NUMBER,"within_run_low_s":1.5151153857590501e-05,"within_run_high_s":1.5323081039213414e-05,"another_run_low_s":null,"another_run_high_s":null,"cold_s":NUMBER,"hot_s":null,"weights_cold_s":null,"enqueue_s":null,"in_network_s":null,"error":NUMBER,"flop_per_s":NUMBER,"bytes_per_s":NUMBER,"of_peak":NUMBER,"bound":"compute","algorithm":"known_factors","rank":null,"candidates":null,"heuristic_s":null,"regret":null,"predicted_w":null,"predicted_j":null,"measured_w":null,"measured_j":null,"status":null,"tags":TAGS,"reason":null,"op":"conv fwd f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1","source":"datasheet"}
