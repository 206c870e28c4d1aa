A net in fp8 on a device that has it, and on some that do not.

Worked out by hand for the H100 SXM (1978.9e12 FLOP/s in fp8, 989.4e12 in bf16, 3.35e12 bytes/s):

fc2, fwd, batch 1: 57,610 FLOP as in predict-small. Bytes: 2,880 activations and 10 biases of bf16, 28,800
weights of e4m3, 10 results of bf16: 5,760 + 20 + 28,800 + 20 = 34,600.
57,610 / 1978.9e12 + 34,600 / 3.35e12 = 2.9112e-11 + 1.0328358e-8 = 1.035747e-8 s.

conv1 is in bf16, half the bytes of f32: 51,296 / 2 = 25,648; 587,520 FLOP:
587,520 / 989.4e12 + 25,648 / 3.35e12 = 5.93815e-10 + 7.65612e-9 = 8.24993e-9 s.

A100 and T4 have no fp8, which is refused, and so are whole passes in fp8 everywhere. Where only fc2
is in fp8, it has no prediction, a line says why, and the sum is said to be of the other rows.

  $ paleo-predict --dtype fp8 --device h100-sxm --batch 1 --pass fwd --format csv "$small"
  net,batch,layer,kind,pass,dtype,flops,bytes,predicted_s,predicted_low_s,predicted_high_s,predicted_low50_s,predicted_high50_s,as_it_runs_s,as_it_runs_low_s,as_it_runs_high_s,predicted_before_s,mode,measured_s,within_run_low_s,within_run_high_s,another_run_low_s,another_run_high_s,cold_s,hot_s,weights_cold_s,enqueue_s,in_network_s,error,flop_per_s,bytes_per_s,of_peak,bound,algorithm,rank,candidates,heuristic_s,regret,predicted_w,predicted_j,measured_w,measured_j,status,tags,reason,op,source
  small,1,conv1,conv,fwd,bf16,587520,25648,2.425040057955427e-06,1.298114361271909e-06,4.5302782698793645e-06,1.9179364695018953e-06,3.066222148753321e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,245.0342218757379,0.0005942178036186024,,,,,,conv fwd bf16 n=1 c=1 h=28 w=28 k=20 r=5 s=5 bias=1,presets of all GPUs
  small,1,conv1,relu,fwd,bf16,11520,46080,3.000316655483803e-06,7.26059480989506e-07,1.2398295551358032e-05,1.8894875407282387e-06,4.764201847927527e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,239.17242821644572,0.0007175930199103064,,,,,,eltwise fwd bf16 op=relu count=11520,presets of all GPUs
  small,1,pool1,max_pool,fwd,bf16,11520,31680,3.00018740127404e-06,7.26028202209553e-07,1.2397761430437505e-05,1.8894061412471248e-06,4.7639966052096024e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,239.16921709463793,0.0007175524718999085,,,,,,pool fwd bf16 mode=max n=1 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2,presets of all GPUs
  small,1,fc2,inner_product,fwd,fp8,57610,34600,1.4065856852414098e-05,1.3618256357353698e-05,1.471607765296997e-05,1.3891967979931297e-05,1.424102589597472e-05,,,,,,,,,,,,,,,,,,,,overhead,,,,,,238.9744384444615,0.00336138024254584,,,,,,gemm fwd fp8 m=1 n=10 k=2880 trans_b=1 bias=1,preset of h100-sxm
  small,1,softmax,softmax,fwd,bf16,50,40,3.0000271945567245e-06,7.25989433099695e-07,1.239709940357212e-05,1.8893052490310465e-06,4.763742213014935e-06,,,,,,,,,,,,,,,,,,,,overhead,,,,,,238.82156536881237,0.0007164711907530436,,,,,,softmax fwd bf16 rows=1 cols=10,presets of all GPUs
  2> NVIDIA H100 SXM 80 GB: published benchmarks, stack trtllm, nothing measured here: h100-sxm (13104 rows of aiconfigurator TRTLLM-1.3.0rc20); then h100-sxm, another stack (9000 rows of aiconfigurator vllm-0.24.0); for the rest the median over all GPUs
  $ paleo-predict --dtype fp8 --device a100-80-sxm --batch 1 --pass fwd "$small"
  2> paleo-predict: device 'a100-80-sxm' has no peak FLOP/s for fp8: choose another dtype, or for a config.json weights=int8, which compute in the network's dtype
  [2]
  $ paleo-predict --dtype fp8 --device t4 --cost-model presets "$small"
  2> paleo-predict: device 't4' has no peak FLOP/s for fp8: choose another dtype, or for a config.json weights=int8, which compute in the network's dtype
  [2]
  $ say paleo-fullpass --device fake --dtype fp8 "$small" | sed -n '/full pass\|->/p'
  paleo-fullpass: full passes do not run in fp8: use bf16
  -> 1
  $ sed 's/"num_outputs": 10/&, "weights": "fp8"/' "$small" >mixed.json
  $ paleo-predict --dtype f16 --device t4 --batch 1 --pass fwd --quiet mixed.json
  NVIDIA Tesla T4: published benchmarks, nothing measured here: the median over all GPUs
  1 of 5 rows have no prediction: device 't4' has no peak FLOP/s for fp8

  small, batch 1, f16, nchw, 29,330 parameters
    forward             predicted     13.553 us  (4 of 5 rows)  90 %: 9.081 to 30.308 us
  $ paleo-predict --dtype f16 --device t4,l4 --batch 1 --pass fwd mixed.json
  net    device  dtype  layout  batch  forward us  all passes us  items/s
  -----------------------------------------------------------------------
  mixed  t4      f16    nchw        1           -              -        -
  mixed  l4      f16    nchw        1      15.311         15.311  65314.6
  2> 1 of 5 rows have no prediction: device 't4' has no peak FLOP/s for fp8

By the peaks alone, products of weights in nvfp4 are faster than the network's bf16, of which the MFU is.

  $ for weights in nvfp4 bf16; do
  > 	paleo predict --device b200 --cost-model datasheet --batch 8 --weights $weights --quiet qwen3-32b |
  > 		sed -n 's/.*MFU/MFU/p'
  > done
  MFU 247.9 %, 243.8 % with the mask, of the peak in bf16
  MFU 85.5 %, 84.1 % with the mask
