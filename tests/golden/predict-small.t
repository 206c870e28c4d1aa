What a datasheet predicts, in each format.

Worked out by hand: the H100 SXM does 66.9e12 FLOP/s in f32 and moves 3.35e12 bytes/s; a prediction
from the datasheet is the sum of both times.

conv1, conv, fwd, batch 1: the output has 24 x 24 x 20 = 11,520 elements, each the sum of 5 x 5 x 1
products and a bias: 11,520 x (2 x 25 + 1) = 587,520 FLOP. Bytes: 28 x 28 x 1 in, 5 x 5 x 1 x 20
filter, 20 biases, 11,520 out, 4 bytes each: 3,136 + 2,000 + 80 + 46,080 = 51,296.
587,520 / 66.9e12 + 51,296 / 3.35e12 = 8.78206e-9 + 1.531224e-8 = 2.409430e-8 s, most of it memory.

At batch 4096 the text shows 4,096 x 587,520 = 2.406 GFLOP, 4,096 x (3,136 + 46,080) + 2,080 bytes =
201.59 MB and 3.5971e-5 + 6.0176e-5 s = 0.096 ms.

fc2, fwd: 10 x (2 x 2,880 + 1) = 57,610 FLOP; 4 x (2,880 + 28,800 + 10 + 10) = 126,800 bytes:
57,610 / 66.9e12 + 126,800 / 3.35e12 = 8.6114e-10 + 3.785075e-8 = 3.871188e-8 s.

conv1, update: 520 weights, of which each is read, as is its gradient, and written: 3 x 4 x 520 =
6,240 bytes, 2 x 520 = 1,040 FLOP: 1.55456e-11 + 1.862687e-9 = 1.878232e-9 s.

Weights: 520 + 28,810 = 29,330, as nets/README.md says.

  $ paleo-predict --device h100-sxm --batch 4096 "$small"
  NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs

  small, batch 4096, f32, nchw, 29,330 parameters
    forward             predicted      0.399 ms  10269698.1 images/s    6.862 TFLOP/s  90 %: 0.253 to 0.955 ms
    backward            predicted      1.596 ms  90 %: 0.991 to 2.906 ms
    forward + backward  predicted      1.995 ms  2053239.4 images/s    2.886 TFLOP/s  90 %: 1.284 to 3.747 ms
    update              predicted    0.00601 ms  90 %: 0.001 to 0.025 ms
    training step       predicted      2.001 ms  2047077.0 images/s    2.877 TFLOP/s  90 %: 1.290 to 3.753 ms

  kind           rows  time ms  share %
  -------------------------------------
  conv              2  1.375       68.7
  relu              2  0.362       18.1
  max_pool          2  0.191        9.5
  inner_product     3  0.0617       3.1
  softmax           2  0.00603      0.3
  update            2  0.00601      0.3
  bound by (predicted): memory 99 %, overhead 1 %

  layer    kind           pass             GFLOP        MB  pred ms    low ms  high ms  share %  bound
  -------------------------------------------------------------------------------------------------------
  conv1    conv           fwd         2.41        202       0.133    0.0711     0.248       6.6  memory
  conv1    relu           fwd         0.0472      377       0.145    0.0351     0.599       7.2  memory
  pool1    max_pool       fwd         0.0472      248       0.0953   0.0231     0.394       4.8  memory
  fc2      inner_product  fwd         0.236       47.5      0.0229   0.0111     0.0471      1.1  memory
  softmax  softmax        fwd         0.000205     0.328    0.00301  0.000728   0.0124      0.2  overhead
  softmax  softmax        bwd_data    0.000164     0.492    0.00302  0.000730   0.0125      0.2  overhead
  fc2      inner_product  bwd_filter  0.236       47.5      0.0236   0.0115     0.0486      1.2  memory
  fc2      inner_product  bwd_data    0.236       47.5      0.0153   0.00741    0.0314      0.8  memory
  pool1    max_pool       bwd_data    0.0472      248       0.0953   0.0231     0.394       4.8  memory
  conv1    relu           bwd_data    0.0944      566       0.217    0.0525     0.897      10.8  memory
  conv1    conv           bwd_filter  2.41        202       1.242    0.665      2.320      62.1  memory
  conv1    update         update      0.00000104   0.00624  0.00300  0.000726   0.0124      0.1  overhead
  fc2      update         update      0.0000576    0.346    0.00301  0.000727   0.0124      0.2  overhead
  $ paleo-predict --device h100-sxm --batch 1 --format csv "$small"
  net,batch,layer,kind,pass,dtype,flops,bytes,predicted_s,predicted_low_s,predicted_high_s,predicted_low50_s,predicted_high50_s,as_it_runs_s,as_it_runs_low_s,as_it_runs_high_s,predicted_before_s,mode,measured_s,within_run_low_s,within_run_high_s,another_run_low_s,another_run_high_s,cold_s,hot_s,weights_cold_s,enqueue_s,in_network_s,error,flop_per_s,bytes_per_s,of_peak,bound,algorithm,rank,candidates,heuristic_s,regret,predicted_w,predicted_j,measured_w,measured_j,status,tags,reason,op,source
  small,1,conv1,conv,fwd,f32,587520,51296,4.76326758017971e-06,2.5497583151782422e-06,8.8983798602908e-06,3.7672138965510755e-06,6.0226784736494076e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,258.5239504527749,0.0012314187518916884,,,,,,conv fwd f32 n=1 c=1 h=28 w=28 k=20 r=5 s=5 bias=1,presets of all GPUs
  small,1,conv1,relu,fwd,f32,11520,92160,3.000835629923251e-06,7.261850698374244e-07,1.2400440124489044e-05,1.8898143714764205e-06,4.765025927272261e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,241.44923744966377,0.0007245494745567505,,,,,,eltwise fwd f32 op=relu count=11520,presets of all GPUs
  small,1,pool1,max_pool,fwd,f32,11520,60480,3.0004633634813084e-06,7.260949834863278e-07,1.2398901797071961e-05,1.8895799319539798e-06,4.764434805509369e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,241.43549861849675,0.0007244183682486415,,,,,,pool fwd f32 mode=max n=1 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2,presets of all GPUs
  small,1,fc2,inner_product,fwd,f32,57610,126800,8.475252616058667e-06,4.117118822870679e-06,1.7446644120881983e-05,6.3809220618335105e-06,1.1256979196729053e-05,,,,,,,,,,,,,,,,,,,,overhead,,,,,,242.5178180993158,0.002055399772287066,,,,,,gemm fwd f32 m=1 n=10 k=2880 trans_b=1 bias=1,presets of all GPUs
  small,1,softmax,softmax,fwd,f32,50,80,3.000071766652205e-06,7.260002192920298e-07,1.2397283590135262e-05,1.8893333188745812e-06,4.7638129890309485e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,238.82156538253983,0.0007164818355718414,,,,,,softmax fwd f32 rows=1 cols=10,presets of all GPUs
  small,1,softmax,softmax,bwd_data,f32,40,120,3.0001266044184244e-06,7.260134897180054e-07,1.2397510197827394e-05,1.8893678536547165e-06,4.763900065902212e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,238.82156540543147,0.0007164949320816897,,,,,,softmax bwd_data f32 rows=1 cols=10,presets of all GPUs
  small,1,fc2,inner_product,bwd_filter,f32,57610,126800,3.197130304921374e-06,1.5531059608325127e-06,6.581419712771898e-06,2.4070833308938477e-06,4.246484554754043e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,245.42644178471983,0.0007846603146589491,,,,,,gemm bwd_filter f32 m=10 n=2880 k=1 trans_a=1 bias=1,presets of all GPUs
  small,1,fc2,inner_product,bwd_data,f32,57600,126760,3.289488721506141e-06,1.5979719480304856e-06,6.7715431815012505e-06,2.4766189405894335e-06,4.369156623804539e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,245.31563780934076,0.0008069630237829118,,,,,,gemm bwd_data f32 m=1 n=2880 k=10,presets of all GPUs
  small,1,pool1,max_pool,bwd_data,f32,11520,60480,3.0004633634813084e-06,7.260949834863278e-07,1.2398901797071961e-05,1.8895799319539798e-06,4.764434805509369e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,241.43549861849675,0.0007244183682486415,,,,,,pool bwd_data f32 mode=max n=1 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2,presets of all GPUs
  small,1,conv1,relu,bwd_data,f32,23040,138240,3.001474087505754e-06,7.263395729230033e-07,1.2403078441278177e-05,1.8902164482522893e-06,4.76603973386125e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,242.8464559341035,0.0007288973447288197,,,,,,eltwise bwd_data f32 op=relu count=11520,presets of all GPUs
  small,1,conv1,conv,bwd_filter,f32,587520,51296,1.704841917979294e-05,9.125951425697829e-06,3.184858027092851e-05,1.348339990715381e-05,2.155603175247543e-05,,,,,,,,,,,,,,,,,,,,memory,,,,,,248.3658917754668,0.0042342458329512455,,,,,,conv bwd_filter f32 n=1 c=1 h=28 w=28 k=20 r=5 s=5 bias=1,presets of all GPUs
  small,1,conv1,update,update,f32,1040,6240,3.0000192724350307e-06,7.259875159915276e-07,1.2397066666758833e-05,1.8893002599742383e-06,4.7637296334804575e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,239.27994493179827,0.0007178444463025877,,,,,,update update f32 rule=sgd count=520,presets of all GPUs
  small,1,fc2,update,update,f32,57620,345720,3.0053178875316174e-06,7.272697505583222e-07,1.2418962287629484e-05,1.8926371301641951e-06,4.772143302680499e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,245.97058138686904,0.000739219788048509,,,,,,update update f32 rule=sgd count=28810,presets of all GPUs
  2> NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs
  $ paleo-predict --device h100-sxm --batch 1 --pass fwd --format jsonl "$small"
  {"net":"small","batch":1,"layer":"conv1","kind":"conv","pass":"fwd","dtype":"f32","flops":587520,"bytes":51296,"predicted_s":4.76326758017971e-06,"predicted_low_s":2.5497583151782422e-06,"predicted_high_s":8.8983798602908e-06,"predicted_low50_s":3.7672138965510755e-06,"predicted_high50_s":6.0226784736494076e-06,"as_it_runs_s":null,"as_it_runs_low_s":null,"as_it_runs_high_s":null,"predicted_before_s":null,"mode":null,"measured_s":null,"within_run_low_s":null,"within_run_high_s":null,"another_run_low_s":null,"another_run_high_s":null,"cold_s":null,"hot_s":null,"weights_cold_s":null,"enqueue_s":null,"in_network_s":null,"error":null,"flop_per_s":null,"bytes_per_s":null,"of_peak":null,"bound":"overhead","algorithm":null,"rank":null,"candidates":null,"heuristic_s":null,"regret":null,"predicted_w":258.5239504527749,"predicted_j":0.0012314187518916884,"measured_w":null,"measured_j":null,"status":null,"tags":null,"reason":null,"op":"conv fwd f32 n=1 c=1 h=28 w=28 k=20 r=5 s=5 bias=1","source":"presets of all GPUs"}
  {"net":"small","batch":1,"layer":"conv1","kind":"relu","pass":"fwd","dtype":"f32","flops":11520,"bytes":92160,"predicted_s":3.000835629923251e-06,"predicted_low_s":7.261850698374244e-07,"predicted_high_s":1.2400440124489044e-05,"predicted_low50_s":1.8898143714764205e-06,"predicted_high50_s":4.765025927272261e-06,"as_it_runs_s":null,"as_it_runs_low_s":null,"as_it_runs_high_s":null,"predicted_before_s":null,"mode":null,"measured_s":null,"within_run_low_s":null,"within_run_high_s":null,"another_run_low_s":null,"another_run_high_s":null,"cold_s":null,"hot_s":null,"weights_cold_s":null,"enqueue_s":null,"in_network_s":null,"error":null,"flop_per_s":null,"bytes_per_s":null,"of_peak":null,"bound":"overhead","algorithm":null,"rank":null,"candidates":null,"heuristic_s":null,"regret":null,"predicted_w":241.44923744966377,"predicted_j":0.0007245494745567505,"measured_w":null,"measured_j":null,"status":null,"tags":null,"reason":null,"op":"eltwise fwd f32 op=relu count=11520","source":"presets of all GPUs"}
  {"net":"small","batch":1,"layer":"pool1","kind":"max_pool","pass":"fwd","dtype":"f32","flops":11520,"bytes":60480,"predicted_s":3.0004633634813084e-06,"predicted_low_s":7.260949834863278e-07,"predicted_high_s":1.2398901797071961e-05,"predicted_low50_s":1.8895799319539798e-06,"predicted_high50_s":4.764434805509369e-06,"as_it_runs_s":null,"as_it_runs_low_s":null,"as_it_runs_high_s":null,"predicted_before_s":null,"mode":null,"measured_s":null,"within_run_low_s":null,"within_run_high_s":null,"another_run_low_s":null,"another_run_high_s":null,"cold_s":null,"hot_s":null,"weights_cold_s":null,"enqueue_s":null,"in_network_s":null,"error":null,"flop_per_s":null,"bytes_per_s":null,"of_peak":null,"bound":"overhead","algorithm":null,"rank":null,"candidates":null,"heuristic_s":null,"regret":null,"predicted_w":241.43549861849675,"predicted_j":0.0007244183682486415,"measured_w":null,"measured_j":null,"status":null,"tags":null,"reason":null,"op":"pool fwd f32 mode=max n=1 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2","source":"presets of all GPUs"}
  {"net":"small","batch":1,"layer":"fc2","kind":"inner_product","pass":"fwd","dtype":"f32","flops":57610,"bytes":126800,"predicted_s":8.475252616058667e-06,"predicted_low_s":4.117118822870679e-06,"predicted_high_s":1.7446644120881983e-05,"predicted_low50_s":6.3809220618335105e-06,"predicted_high50_s":1.1256979196729053e-05,"as_it_runs_s":null,"as_it_runs_low_s":null,"as_it_runs_high_s":null,"predicted_before_s":null,"mode":null,"measured_s":null,"within_run_low_s":null,"within_run_high_s":null,"another_run_low_s":null,"another_run_high_s":null,"cold_s":null,"hot_s":null,"weights_cold_s":null,"enqueue_s":null,"in_network_s":null,"error":null,"flop_per_s":null,"bytes_per_s":null,"of_peak":null,"bound":"overhead","algorithm":null,"rank":null,"candidates":null,"heuristic_s":null,"regret":null,"predicted_w":242.5178180993158,"predicted_j":0.002055399772287066,"measured_w":null,"measured_j":null,"status":null,"tags":null,"reason":null,"op":"gemm fwd f32 m=1 n=10 k=2880 trans_b=1 bias=1","source":"presets of all GPUs"}
  {"net":"small","batch":1,"layer":"softmax","kind":"softmax","pass":"fwd","dtype":"f32","flops":50,"bytes":80,"predicted_s":3.000071766652205e-06,"predicted_low_s":7.260002192920298e-07,"predicted_high_s":1.2397283590135262e-05,"predicted_low50_s":1.8893333188745812e-06,"predicted_high50_s":4.7638129890309485e-06,"as_it_runs_s":null,"as_it_runs_low_s":null,"as_it_runs_high_s":null,"predicted_before_s":null,"mode":null,"measured_s":null,"within_run_low_s":null,"within_run_high_s":null,"another_run_low_s":null,"another_run_high_s":null,"cold_s":null,"hot_s":null,"weights_cold_s":null,"enqueue_s":null,"in_network_s":null,"error":null,"flop_per_s":null,"bytes_per_s":null,"of_peak":null,"bound":"overhead","algorithm":null,"rank":null,"candidates":null,"heuristic_s":null,"regret":null,"predicted_w":238.82156538253983,"predicted_j":0.0007164818355718414,"measured_w":null,"measured_j":null,"status":null,"tags":null,"reason":null,"op":"softmax fwd f32 rows=1 cols=10","source":"presets of all GPUs"}
  2> NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs
