Several batches, number types and devices in one run: a row for each combination.

  $ predict() {
  > 	paleo predict --cost-model datasheet "$@"
  > }

  $ predict --device t4,l4 --dtype fp16,f32 --batch 1,8 "$small"
  net    device  dtype  layout  batch  forward us  all passes us    items/s
  -------------------------------------------------------------------------
  small  t4      f16    nchw        1       0.532          2.435   410622.6
  small  t4      f16    nchw        8       2.970          7.951  1006188.9
  small  t4      f32    nchw        1       1.116          3.888   257169.1
  small  t4      f32    nchw        8       6.364         15.705   509380.1
  small  l4      f16    nchw        1       0.562          2.586   386734.4
  small  l4      f16    nchw        8       3.125          8.389   953655.5
  small  l4      f32    nchw        1       1.125          4.003   249798.3
  small  l4      f32    nchw        8       6.261         15.637   511608.5
  $ predict --device l4 --layout nchw,nhwc --format csv "$small" | columns net,device,dtype,layout,batch
  net,device,dtype,layout,batch
  small,l4,f32,nchw,32
  small,l4,f32,nhwc,32
  $ predict --device t4,l5 "$small"
  2> paleo-predict: unknown device 'l5' (did you mean 'l4'? 'paleo devices' lists all)
  [2]
  $ predict --device l4 --batch 1,0 "$small"
  2> paleo-predict: --batch is '0', expected a whole number from 1 to 1048576
  [2]
  $ predict --device l4 --dtype f16,half "$small"
  2> paleo-predict: --dtype has 'f16' twice
  [2]
  $ predict --device l4 --dtype f17 "$small"
  2> paleo-predict: --dtype has 'f17', expected one or more of f32, tf32, f16, bf16, fp8, comma-separated (did you mean 'f16'?)
  [2]
  $ paleo simulate --device l4 --dtype f1 "$small"
  2> paleo-simulate: --dtype has 'f1', expected one or more of f32, tf32, f16, bf16, fp8, comma-separated (did you mean 'f16'?)
  [2]

As it runs no pass is shorter than its launches: 14 kernels of 5 us, and 0.883 of the updates' 1.175 us.

  $ predict --device l4 --batch 1,2 --framework eager "$small"
  net    device  dtype  layout  batch  forward us  all passes us  as it runs us   items/s
  ---------------------------------------------------------------------------------------
  small  l4      f32    nchw        1       1.432          4.464         71.123  224006.2
  small  l4      f32    nchw        2       2.473          6.587         71.123  303613.5

A single one is as before:

  $ predict --device l4 --dtype half --batch 2 --quiet "$small"
  NVIDIA L4: not calibrated: the l4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)

  small, batch 2, f16, nchw, 29,330 parameters
    forward             predicted      0.928 us  2155563.5 images/s    1.440 TFLOP/s
    backward            predicted      1.313 us
    forward + backward  predicted      2.241 us  892430.0 images/s    1.254 TFLOP/s
    update              predicted      1.174 us
    training step       predicted      3.415 us  585693.2 images/s  840.399 GFLOP/s

Which GPU per dollar:

  $ explore="paleo simulate --search --cost-model datasheet --workers 1 --strategy data --batch 8"
  $ $explore --device t4,l4 --price t4=0.35 --price l4=0.7 "$small" 2>/dev/null
  t4: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  t4: over PCI Express 3.0 x16 (15.75 GB/s, 5.7 us) in nodes of 8 and 100 Gbit/s Ethernet (12.5 GB/s, 14 us), as is usual
  l4: not calibrated: the l4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  l4: over PCI Express 4.0 x16 (31.51 GB/s, 5.7 us) in nodes of 8 and 100 Gbit/s Ethernet (12.5 GB/s, 14 us), as is usual
  in f32, nchw
  2 configurations, 2 Pareto-optimal
  cheapest is t4: 5239 million images per USD, an epoch for 0.00 USD (data, 1 worker, batch 8)
  then l4: 2631 million images per USD, an epoch for 0.00 USD (data, 1 worker, batch 8)
  device  strategy  workers  batch  worker batch  step us  exposed us  images/s  epoch min  cost USD  memory MB
  -------------------------------------------------------------------------------------------------------------
  l4      data            1      8             8   15.637       0.000  511608.5       0.03      0.00       1.21
  t4      data            1      8             8   15.705       0.000  509380.1       0.03      0.00       1.21
  $ $explore --device l4,h100-sxm "$small" 2>/dev/null
  l4: not calibrated: the l4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  l4: over PCI Express 4.0 x16 (31.51 GB/s, 5.7 us) in nodes of 8 and 100 Gbit/s Ethernet (12.5 GB/s, 14 us), as is usual
  h100-sxm: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  h100-sxm: over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us), as is usual
  in f32, nchw
  2 configurations, 1 Pareto-optimal
  No --price: sorted by time, not by cost
  device    strategy  workers  batch  worker batch  step us  exposed us   images/s  epoch min  memory MB
  ------------------------------------------------------------------------------------------------------
  h100-sxm  data            1      8             8    1.536       0.000  5208764.8       0.00       1.21

Simulate and explore:

  $ simulate() {
  > 	paleo simulate --cost-model datasheet --device l4 --workers 2 --scaling weak "$@"
  > }
  $ simulate --batch 8,16 --dtype half,f32 "$small"
  NVIDIA L4, f16, over PCI Express 4.0 x16 (31.51 GB/s, 5.7 us) in nodes of 8 and 100 Gbit/s Ethernet (12.5 GB/s, 14 us), as is usual: not calibrated: the l4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  NVIDIA L4, f32, over PCI Express 4.0 x16 (31.51 GB/s, 5.7 us) in nodes of 8 and 100 Gbit/s Ethernet (12.5 GB/s, 14 us), as is usual: not calibrated: the l4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  small, fastest: 1119826.2 images/s with 2 workers, data, weak, ring, batch 32; speedup 1.05; 47.4 % of the step is exposed communication; 1.23 MB each
  net    type  strategy  scaling  all-reduce  workers  batch  worker batch  fwd us  bwd us  upd us  comm us  exposed us  step us  speedup  eff %   images/s  memory MB  fits
  --------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  small  f16   data      weak     ring              2     16             8   3.125   4.090   1.174   13.555      13.555   21.944     0.76   38.2   729134.0      0.731  yes
  small  f16   data      weak     ring              2     32            16   6.054   7.793   1.174   13.555      13.555   28.576     1.05   52.6  1119826.2      1.23   yes
  small  f32   data      weak     ring              2     16             8   6.261   8.201   1.175   15.710      15.710   31.347     1.00   49.9   510414.1      1.21   yes
  small  f32   data      weak     ring              2     32            16  12.130  15.627   1.175   15.710      15.710   44.643     1.30   64.8   716801.2      2.18   yes
  $ simulate --batch 8 --layout nchw,nhwc --format csv "$small" 2>/dev/null | columns net,dtype,layout,batch,step_s
  net,dtype,layout,batch,step_s
  small,f32,nchw,16,3.1347093440078384e-05
  small,f32,nhwc,16,3.1347093440078384e-05
  $ simulate --batch 8 --workers 1,2,4 --scaling weak,strong --top 2 --sort waiting "$small" | sed 1d
  small, fastest: 568361.8 images/s with 4 workers, data, weak, ring, batch 32; speedup 1.11; 72.2 % of the step is exposed communication; 1.21 MB each
  net    strategy  scaling  all-reduce  workers  batch  worker batch  fwd us  bwd us  upd us  comm us  exposed us  step us  speedup  eff %  images/s  memory MB  fits
  -------------------------------------------------------------------------------------------------------------------------------------------------------------------
  small  data      strong   ring              4      8             2   1.858   2.632   1.175   40.665      40.665   46.330     0.34    8.4  172672.8      0.477  yes
  small  data      weak     ring              4     32             8   6.261   8.201   1.175   40.665      40.665   56.302     1.11   27.8  568361.8      1.21   yes
  2 of 6 rows, most exposed communication first (--all: all of them)
  $ simulate --batch 8 --workers 1,2 --quiet "$small" | sed 1d
  small, fastest: 511608.5 images/s with 1 worker, data, weak, ring, batch 8; speedup 1.00; 1.21 MB each
  $ simulate --batch 8 --fuse --framework compiled "$small"
  2> paleo-simulate: --framework decides what is fused: leave out --fuse
  [2]
  $ simulate --cost-model paleo2017 --layout nhwc "$small"
  2> paleo-simulate: --cost-model paleo2017 is f32, nchw: leave out --calibration, --framework, --fuse, --separate-attention, --trace, --seq
  [2]
  $ paleo simulate --search --cost-model datasheet --workers 1 --device l4 --fuse --framework compiled "$small"
  2> paleo-simulate: --framework decides what is fused: leave out --fuse
  [2]

Ops that go element by element are merged, forward alone.

  $ simulate --batch 8 --format csv "$source/nets/resnet50.json" 2>/dev/null | columns forward_s,backward_s | tail -1 >apart
  $ simulate --batch 8 --fuse --format csv "$source/nets/resnet50.json" 2>/dev/null | columns forward_s,backward_s | tail -1 >merged
  $ paste -d, apart merged | awk -F, '{ print ($3 < $1 ? "forward is shorter" : "forward is not shorter"), ($4 == $2 ? "backward the same" : "backward differs") }'
  forward is shorter backward the same

Profile:

  $ export PALEO_FAKE=still
  $ paleo profile --device fake --batch 1,2 --dtype f32,half --quiet "$small" | sed -n '/^all/,$p' |
  > 	awk 'NR > 3 { print $1, $2, $3, $4, $5, NF } NR == 2'
  net    device  dtype  layout  batch  forward us  all passes us  items/s  measured us  error %
  small fake f32 nchw 1 10
  small fake f32 nchw 2 10
  small fake f16 nchw 1 10
  small fake f16 nchw 2 10
  $ find paleo-results -type f | sort
  paleo-results/fake/small-b1-f16.jsonl
  paleo-results/fake/small-b1-f32.jsonl
  paleo-results/fake/small-b2-f16.jsonl
  paleo-results/fake/small-b2-f32.jsonl
  $ paleo profile --device fake --batch 1,2 --output a.jsonl "$small"
  2> paleo-profile: --output names one file for 2 combinations; without it, each has its own file in paleo-results/
  [2]
  $ paleo profile --device fake --batch 1,2 --format csv "$small"
  2> paleo-profile: --format csv has one header, for one combination; take jsonl or text for 2 combinations
  [2]
  $ paleo profile --device fake --batch 1,0 "$small"
  2> paleo-profile: --batch is '0', expected a whole number from 1 to 1048576
  [2]

A device of this machine:

  $ predict --device fake1 "$small"
  2> paleo-predict: --device fake1 is this machine's fake device with known factors, for tests, not calibrated yet: run 'paleo calibrate --device fake1 --time-budget 60s', or name a device of 'paleo devices'
  [2]
  $ paleo simulate --device fake:0 "$small"
  2> paleo-simulate: --device fake:0 is this machine's fake device with known factors, for tests, not calibrated yet: run 'paleo calibrate --device fake:0 --time-budget 60s', or name a device of 'paleo devices'
  [2]
  $ paleo simulate --search --device l4,fake "$small"
  2> paleo-simulate: --device fake is this machine's fake device with known factors, for tests, not calibrated yet: run 'paleo calibrate --device fake --time-budget 60s', or name a device of 'paleo devices'
  [2]
  $ paleo calibrate --device fake --time-budget 3s >/dev/null 2>&1
  $ for word in fake fake1 fake:1; do
  > 	paleo predict --device $word --format csv "$small" 2>/dev/null | cksum
  > 	paleo simulate --device $word --workers 1 --format csv "$small" 2>/dev/null | columns source | tail -1
  > done | sort -u | wc -l
  2
