simulate with plans of a transformer.

  $ cd $here
  $ cluster='--cost-model datasheet --device h100-sxm --link infiniband-ndr --node-link nvlink4 --workers-per-node 8 --links-per-node 8 --workers 16 --scaling strong --batch 64 --optimizer adam'
  $ paleo simulate config.json:seq=1024 $cluster --dtype bf16 --overlap --strategy dp,tp4+sp+pp2+v2+zero1,tp2+pp4+zb1,pp4+zb2+mb2+full,cp2+fsdp,hsdp8+selective
  NVIDIA H100 SXM 80 GB, bf16, over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us): not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  config.json:seq=1024, fastest: 7096303.7 tokens/s with 16 workers, dp, strong, ring, batch 64; 8.1 % of the step is exposed communication; 2559 MB each
  net                   strategy             scaling  all-reduce  workers  batch  worker batch  fwd ms  bwd ms  upd ms  comm ms  exposed ms  bubble ms  step ms  memory MB  fits   tokens/s  per worker  MFU %  masked %  HFU %  GB: weights+gradients+optimizer+activations+workspace
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  config.json:seq=1024  dp                   strong   ring             16     64             1   2.480   4.879  1.127     1.632       0.750          -    9.235       2559  yes   7096303.7    443519.0   40.4      38.1   40.4  0.27+0.27+1.62+0.34+0.07
  config.json:seq=1024  tp4+sp+pp2+v2+zero1  strong   ring             16     64             1   3.234   6.319  0.0915   21.193      15.451      0.416   25.512        309  yes   2568800.2    160550.0   14.6      13.8   14.6  0.04+0.04+0.13+0.08+0.01
  config.json:seq=1024  tp2+pp4+zb1          strong   ring             16     64             1   4.356   8.422  0.251     7.294       5.704      0.591   19.325        814  yes   3391298.4    211956.2   19.3      18.2   19.3  0.06+0.06+0.35+0.32+0.03
  config.json:seq=1024  pp4+zb2+mb2+full     strong   ring             16     64             2   3.728   9.114  0.494     1.266       0.603          -   13.939       2165  yes   4701706.0    293856.6   26.8      25.3   33.7  0.12+0.12+0.70+1.03+0.20
  config.json:seq=1024  cp2+fsdp             strong   ring             16     64             1   2.939   5.938  0.0704   32.141      25.235          -   34.183        438  yes   1917214.7    119825.9   10.9      10.3   10.9  0.02+0.02+0.10+0.17+0.13
  config.json:seq=1024  hsdp8+selective      strong   ring             16     64             1   2.480   4.879  0.141    15.193       9.869          -   17.368        776  yes   3773319.6    235832.5   21.5      20.3   21.5  0.03+0.03+0.20+0.34+0.17
  $ paleo simulate moe.json:train,seq=1024 $cluster --strategy tp2+sp+ep4+zero1,ep8+fsdp --format csv
  net,dtype,layout,seq,strategy,scaling,all_reduce,workers,batch,worker_batch,forward_s,backward_s,update_s,comm_s,exposed_comm_s,bubble_s,lower_bound_s,upper_bound_s,step_s,step_low_s,step_high_s,speedup,efficiency,images_per_s,epoch_s,weights_bytes,gradients_bytes,optimizer_bytes,activations_bytes,workspace_bytes,memory_bytes,fits,source,tokens_per_s,tokens_per_s_per_worker,mfu,mfu_masked,hfu
  "moe.json:train,seq=1024",bf16,nchw,1024,tp2+sp+ep4+zero1,strong,ring,16,64,1,0.002480111379977253,0.005622820269636416,9.802813309269301e-05,0.014910887835752756,0.014910887835752763,,,,0.02311184761845913,,,,,,,187336704,187336704,366994944,190185472,34865152,966718976,yes,datasheet,2835601.9424278853,177225.12140174283,0.18404497621777083,0.17503818274901942,0.18404497621777083
  "moe.json:train,seq=1024",bf16,nchw,1024,ep8+fsdp,strong,ring,16,64,1,0.002306045642182296,0.005279651120000239,7.16475668242173e-05,0.01957776585870647,0.01957776585870647,,,,0.027235110187713223,,,,,,,61155456,61155456,366932736,380239872,136094208,1005577728,yes,datasheet,2406305.667511701,150394.10421948132,0.15618146634879487,0.1485382573899919,0.15618146634879487
  2> NVIDIA H100 SXM 80 GB, bf16, over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us): not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  $ try() { paleo simulate "$@" $cluster; echo $?; }
  $ try config.json --strategy tp3+pp1
  2
  2> paleo-simulate: 16 workers are not a multiple of tp 3 x cp 1 x pp 1
  $ try config.json --strategy pp16
  2
  2> paleo-simulate: 8 blocks are fewer than 16 stages x 1 chunks
  $ try config.json --strategy pp2+v3
  NVIDIA H100 SXM 80 GB, bf16, over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us): not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  net     strategy  scaling  all-reduce  workers  batch  worker batch  fwd ms  bwd ms  upd ms  comm ms  exposed ms  bubble ms  step ms  memory MB  fits   tokens/s  per worker  MFU %  masked %  HFU %  GB: weights+gradients+optimizer+activations+workspace
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  config  pp2+v3    strong   ring             16     64             1   2.976   5.804   0.705    3.228       1.712      0.385   11.582       1703  yes   5658303.4    353644.0   32.2      30.4   32.2  0.17+0.17+1.00+0.30+0.07
  0
  $ try config.json --strategy tp5
  2
  2> paleo-simulate: 16 workers are not a multiple of tp 5 x cp 1 x pp 1
  $ try moe.json:decode --strategy dp
  2
  2> paleo-simulate: moe.json:decode: a training step needs phase train
  $ try config.json:tp=2 --strategy tp8x
  2
  2> paleo-simulate: --strategy has 'tp8x': unknown word 'tp8x' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)
  $ try $source/nets/vgg16.json --strategy tp2
  2
  2> paleo-simulate: $source/nets/vgg16.json: ':tp=2,ep=1' requires a config.json
  $ try moe.json --strategy ep3
  2
  2> paleo-simulate: ep 3 does not divide dp 16 x cp 1

Words of plans that people have: stages need not be even, some blocks are computed again, experts span tensor-parallel
workers, and a word that is not modelled is refused in a sentence.

  $ few() { paleo simulate "$@" $cluster --format csv 2>/dev/null | columns strategy,worker_batch,fits; }
  $ few config.json --strategy pp2+v3,pp2+full2,dp+selective-norm+selective-act,dp+selective-op
  strategy,worker_batch,fits
  pp2+v3,1,yes
  pp2+full2,1,yes
  dp+selective-norm+selective-act,1,yes
  dp+selective-op,1,yes
  $ few moe.json:seq=1024 --strategy tp4+sp+ep8+etp1
  strategy,worker_batch,fits
  tp4+sp+ep8+etp1,1,yes
  $ try moe.json:seq=1024 --strategy tp4+sp+ep8
  2
  2> paleo-simulate: ep 8 does not divide dp 4 x cp 1: with 'etp1' it may span tp, too
  $ try config.json --strategy dp+offload
  2
  2> paleo-simulate: --strategy has 'dp+offload': 'offload': memory of the host is not modelled: leave it out, or recompute ('full', 'selective')

zero1 has one meaning with sequences, alone and with other words.

  $ paleo simulate config.json:seq=1024 $cluster --strategy zero1,zero1+mb1 --format csv 2>/dev/null | columns worker_batch,step_s
  worker_batch,step_s
  1,0.009061316671620192
  1,0.009061316671620192

Gradients of narrow weights are narrow, and an eager framework is never faster than none.

  $ presets=$(echo "$cluster" | sed 's/datasheet/presets/; s/ --workers .*--scaling/ --scaling/; s/--node-link nvlink4 --workers-per-node 8//')
  $ back() { paleo simulate "$@" $presets --workers 16 --strategy dp --format csv 2>/dev/null | columns backward_s | tail -1; }
  $ llama=llama3-8b:seq=4096
  $ wide=$(back $llama) narrow=$(back $llama --dtype fp8) eager=$(back $llama --framework eager)
  $ awk -v w="$wide" -v n="$narrow" 'BEGIN { print (n > w / 2 && n < 0.85 * w ? "narrow is faster" : w " " n) }'
  narrow is faster
  $ awk -v w="$wide" -v e="$eager" 'BEGIN { print (e > 1 * w ? "eager is slower" : w " " e) }'
  eager is slower
  $ wide=$(back moe.json:seq=1024) eager=$(back moe.json:seq=1024 --framework eager)
  $ awk -v w="$wide" -v e="$eager" 'BEGIN { print (e > 1 * w && e < 2 * w ? "by less than twice" : w " " e) }'
  by less than twice

As many experts of a token take as long on more workers: 64 have no more tokens each than 8.

  $ qwen=qwen3-30b-a3b:seq=4096
  $ ahead() { paleo simulate $qwen $presets --workers 64 --node-link nvlink5 --workers-per-node 64 --strategy $1+fsdp --format csv 2>/dev/null | columns forward_s | tail -1; }
  $ awk -v a="$(ahead ep8)" -v b="$(ahead ep64)" 'BEGIN { print (b < 1.1 * a && b > 0.7 * a ? "as long" : a " " b) }'
  as long

The host starts fewer kernels by CUDA graphs, and none by one of the step. Sends of tokens take place beside passes.

  $ experts() { paleo simulate $qwen $presets --overlap --workers 64 --node-link nvlink5 --workers-per-node 64 --strategy $1 --format csv 2>/dev/null | columns step_s | tail -1; }
  $ for plan in ep64+fsdp ep64+graphs+fsdp ep64+step-graph+fsdp ep64+ep-overlap+step-graph+fsdp; do experts $plan; done | sort -c -r -g && echo "each is faster"
  each is faster
  $ try config.json --strategy dp+ep-overlap
  2
  2> paleo-simulate: --strategy has 'dp+ep-overlap': 'ep-overlap' requires an ep above 1
  $ try moe.json --strategy ep2+graphs+step-graph
  2
  2> paleo-simulate: --strategy has 'ep2+graphs+step-graph': 'step-graph': given twice in a plan

Kernels of a ring have fewer tokens each than one for gathered keys.

  $ passes() { paleo simulate $llama $presets --workers 8 --strategy $1 --format csv 2>/dev/null | columns forward_s | tail -1; }
  $ awk -v r="$(passes cp8+fsdp)" -v g="$(passes cp8+gather+fsdp)" 'BEGIN { print (r > g && r < 1.5 * g ? "longer" : r " " g) }'
  longer
