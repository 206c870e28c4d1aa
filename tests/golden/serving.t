Predictions of serving.

  $ cd $here
  $ on="--cost-model datasheet --device"
  $ paleo serving $on h100-sxm llama/config.json
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  device    GPUs  batching    concurrency   isl  osl  TTFT ms  TPOT ms  host ms  tok/s/user  tok/s/GPU  weights GB  cache GB  act GB  max concurrency  fits
  ---------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm     1  continuous            1  1024  256   65.274    4.745    0.200       210.8      200.8        16.1     0.168  0.0966              360  yes
  h100-sxm     1  continuous            8  1024  256   89.338    5.658    0.200       176.7     1336.7        16.1     1.34   0.773               360  yes
  h100-sxm     1  continuous           64  1024  256  211.120   12.805    0.200        78.1     4712.8        16.1    10.7    0.778               360  yes
  $ paleo serving $on h100-sxm --batching continuous,static --tp 1,2 --max-concurrency 8,64 --search llama
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  GPU interconnect: NVLink 4, 18 links (H100) (450 GB/s, 3.4 us)
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  device    GPUs  tp  batching    concurrency   isl  osl   TTFT ms  TPOT ms  links ms  host ms  tok/s/user  tok/s/GPU  weights GB  cache GB  act GB  max concurrency  fits
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm     1   -  continuous           64  1024  256   211.120   12.805         -    0.200        78.1     4712.8       16.1     10.7     0.778              360  yes
  h100-sxm     1   -  static               64  1024  256  1257.448    8.772         -    0.200       114.0     4688.6       16.1     10.7     0.778              360  yes
  h100-sxm     2   2  static                8  1024  256   119.663    2.937     0.237    0.200       340.5     1179.0        8.03     0.671   0.420              820  yes
  h100-sxm     2   2  static               64  1024  256   789.839    4.887     0.370    0.200       204.6     4023.7        8.03     5.37    0.423              820  yes
  $ paleo serving $on h200 --dp 1,2 --tp 2 --max-concurrency 16 experts.json
  NVIDIA H200 SXM 141 GB: not calibrated: the h200's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h200 has not been measured
  GPU interconnect: NVLink 4, 18 links (H100) (450 GB/s, 3.4 us)
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  device  GPUs  tp  dp  ep  batching    concurrency   isl  osl  TTFT ms  TPOT us  links us  host us  tok/s/user  tok/s/GPU  weights MB  cache MB  act MB  max concurrency  fits
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h200       2   2   -   -  continuous           16  1024  256    3.486  298.553    32.612  200.000      3349.5    25723.2         277      41.9    84.0            51161  yes
  h200       4   2   2   2  continuous           16  1024  256    3.350  282.701    44.964  200.000      3537.3    13574.0         177      21.0    84.2           102398  yes
  $ paleo serving $on b200 --kv fp8 --weights fp8 --max-concurrency 4 --osl 2 --format jsonl llama 2>&1
  NVIDIA B200 SXM 180 GB: not calibrated: the b200's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  joules: by the power model of NVIDIA B200 SXM 180 GB
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  {"net":"llama","device":"b200","gpus":1,"prefill_gpus":null,"tp":null,"pp":null,"dp":null,"ep":null,"batching":"continuous","concurrency":4,"isl":1024,"osl":2,"ttft_s":0.028943928008577376,"ttft_low_s":null,"ttft_high_s":null,"tpot_s":0.002306896701937072,"tpot_low_s":null,"tpot_high_s":null,"comm_s":null,"host_s":0.00019999999999999998,"tokens_per_s_user":433.4827819383125,"tokens_per_s_gpu":255.9932441497575,"token_j":3.8262760099910085,"token_low_j":null,"token_high_j":null,"power_of":"b200","tokens_per_s":255.9932441497575,"weights_bytes":9081200640,"cache_bytes":268959744,"activations_bytes":386252800,"usable_memory_bytes":173946175488,"largest_concurrency":2436,"fits":"yes","limits":null,"measured_ttft_s":null,"measured_tpot_s":null,"tpot_error":null,"source":"datasheet"}
  $ paleo serving $on h100-sxm --max-concurrency 64,600 --memory-share 1 llama 2>&1
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 1 of the memory used, 10 requests per user
  device    GPUs  batching    concurrency   isl  osl  TTFT ms  TPOT ms  host ms  tok/s/user  tok/s/GPU  weights GB  cache GB  act GB  max concurrency  fits
  ---------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm     1  continuous           64  1024  256  211.120   12.805    0.200        78.1     4712.8        16.1      10.7   0.778              411  yes
  h100-sxm     1  continuous          600  1024  256        -        -        -           -          -        16.1      101    0.828              411  no
  paleo-serving: 600 requests of 1280 tokens do not fit in 85.9 GB of h100-sxm with 16.1 GB of weights: at most 411 do
  [1]
  $ paleo serving $on a40 --link pcie4-x16 --max-concurrency 1 llama:decode,tp=2 2>&1
  NVIDIA A40: not calibrated: the a40's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of a40 has not been measured
  GPU interconnect: PCI Express 4.0 x16 (31.51 GB/s, 5.7 us)
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  device  GPUs  tp  batching    concurrency   isl  osl  TTFT ms  TPOT ms  links ms  host ms  tok/s/user  tok/s/GPU  weights MB  cache MB  act MB  max concurrency  fits
  ---------------------------------------------------------------------------------------------------------------------------------------------------------------------
  a40        2   2  continuous            1  1024  256  201.291   11.553     0.399    0.200        86.6       40.7        8031      83.9    52.5              417  yes
  $ paleo serving $on h100-sxm --launch-us -0 --max-concurrency 1 llama 2>&1 | sed -n 3p
  launch overhead 0 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  $ paleo serving $on h100-sxm --tp 4,16 --max-concurrency 1 llama | sed -n 4p
  16 GPUs do not fit a node of 8; its links are assumed between all (--link chooses others)
  $ paleo serving $on h100-sxm --batching continuous,disaggregated --max-concurrency 64 llama
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  GPU interconnect: NVLink 4, 18 links (H100) (450 GB/s, 3.4 us)
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  device    GPUs  prefill  batching       concurrency   isl  osl  TTFT ms  TPOT ms  host ms  tok/s/user  tok/s/GPU  weights GB  cache GB  act GB  max concurrency  fits
  ---------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm     1        -  continuous              64  1024  256  211.120   12.805    0.200        78.1     4712.8        16.1      10.7   0.778              360  yes
  h100-sxm     1     0.64  disaggregated           64  1024  256  101.768    8.772    0.200       114.0     4454.8        16.1      10.7   0.778              360  yes

Of ten requests of each user the first arrives with those of all others; a steady stream has no
such burst.

  $ paleo serving $on h100-sxm --max-concurrency 64 --rounds 0 llama | tail -n 1
  h100-sxm     1  continuous           64  1024  256  148.116   12.805    0.200        78.1     4799.8        16.1      10.7   0.778              360  yes
  $ paleo serving $on h100-sxm --max-concurrency 64 --rounds 1 llama | tail -n 1
  h100-sxm     1  continuous           64  1024  256  778.152   12.805    0.200        78.1     4051.9        16.1      10.7   0.778              360  yes

The most requests within limits: none does with one GPU.

  $ paleo serving $on h100-sxm --ttft-ms 40 --tpot-ms 15 --tp 1,2,4 llama 2>&1
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  GPU interconnect: NVLink 4, 18 links (H100) (450 GB/s, 3.4 us)
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  device    GPUs  tp  batching    concurrency   isl  osl  TTFT ms  TPOT ms  links ms  host ms  tok/s/user  tok/s/GPU  weights GB  cache GB  act GB  max concurrency  fits  SLO
  -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm     1   -  continuous            1  1024  256   65.274    4.745         -    0.200       210.8      200.8       16.1     0.168   0.0966              360  yes   missed
  h100-sxm     2   2  continuous            1  1024  256   38.767    2.693     0.220    0.200       371.3      176.4        8.03    0.0839  0.0525              820  yes   met
  h100-sxm     4   4  continuous           13  1024  256   38.959    2.230     0.477    0.200       448.4     1369.3        4.02    0.545   0.336              1737  yes   met
  paleo-serving: even 1 in flight on 1 of h100-sxm take 65.27 ms to first token and 4.745 ms per output token
  [1]
  $ paleo serving $on h100-sxm --speculative 3,1.8 --prefix-cached 1000 --max-concurrency 8 llama
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  prefix caching: 1000 tokens of each prompt are in the KV cache
  speculative decoding: 3 draft tokens per step, 1.8 accepted; the draft model is not timed
  device    GPUs  batching    concurrency   isl  osl  TTFT ms  TPOT ms  host ms  tok/s/user  tok/s/GPU  weights GB  cache GB  act GB  max concurrency  fits
  ---------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm     1  continuous            8  1024  256   59.158    1.985   0.0714       503.8     3623.0        16.1      1.34  0.0211              359  yes
  $ paleo serving --cost-model datasheet cases.jsonl --format csv 2>&1 | cut -d, -f1-15,34-37
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  NVIDIA H200 SXM 141 GB: not calibrated: the h200's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  no joules: the power of h100-sxm has not been measured
  no joules: the power of h200 has not been measured
  launch overhead 200 us per step, prefill chunks of at most 8192 tokens, 0.9 of the memory used, 10 requests per user
  net,device,gpus,prefill_gpus,tp,pp,dp,ep,batching,concurrency,isl,osl,ttft_s,ttft_low_s,ttft_high_s,limits,measured_ttft_s,measured_tpot_s,tpot_error
  llama,h100-sxm,1,,,,,,continuous,8,1024,128,0.09253206006808457,,,,0.19,0.0079,-0.24006271761233988
  llama,h200,1,,,,,,static,8,1024,128,0.09754440951580726,,,,,,

With presets there are intervals; and no step is faster than reading weights (but for the table of
words, 1.05 GB) and the cache of 1,152 tokens at the memory's 3.35 TB/s.

  $ paleo serving --device h100-sxm --max-concurrency 1,16,256 --format csv llama 2>/dev/null | awk -F, 'NR > 1 {
  > 	print ($14 < $13 && $13 < $15), ($17 < $16 && $16 < $18), ($16 > ($24 - 1.05e9 + $10 * 1152 * 131072) / 3.35e12) }'
  1 1 1
  1 1 1
  1 1 1
