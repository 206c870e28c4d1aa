explore compares plans of a transformer.

  $ cd $here
  $ paleo simulate --search config.json:seq=1024 --cost-model datasheet --dtype bf16 --device h100-sxm --link infiniband-ndr --node-link nvlink4 --workers-per-node 8 --links-per-node 8 --workers 8,16 --batch 64 --overlap --optimizer adam --strategy dp,fsdp,fsdp+full,tp2+zero1,tp2+sp+pp2+zero1,tp4+pp16 2>/dev/null
  h100-sxm: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  in bf16, nchw
  12 configurations, 4 Pareto-optimal; excluded: 2 that are impossible
  first impossible one: 8 workers are not a multiple of tp 4 x cp 1 x pp 16
  device    strategy          all-reduce  link            workers  batch  worker batch  step ms  exposed ms  epoch min  memory MB   tokens/s  MFU %  masked %
  -----------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm  dp                ring        infiniband-ndr       16     64             1    9.511       1.025       2.48       2559  6890670.6   39.2      37.0
  h100-sxm  tp2+zero1         ring        infiniband-ndr       16     64             1   14.381       6.022       3.75        613  4557186.7   25.9      24.5
  h100-sxm  tp2+sp+pp2+zero1  ring        infiniband-ndr       16     64             1   15.572       5.815       4.06        439  4208617.8   24.0      22.6
  h100-sxm  fsdp+full         ring        infiniband-ndr       16     64             1   31.278      21.901       8.15        423  2095246.4   11.9      11.3
  $ paleo simulate --search config.json:seq=1024 --cost-model datasheet --device h100-sxm --price h100-sxm=3 --workers 64 --batch 512 2>/dev/null
  h100-sxm: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  h100-sxm: over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us), as is usual
  in bf16, nchw
  34 configurations, 16 Pareto-optimal
  cheapest is h100-sxm: 531,822 sequences per USD, an epoch for 1.88 USD (dp+zero1, 64 workers, batch 512)
  device    strategy               all-reduce  link   workers  batch  worker batch  step ms  exposed ms  epoch min  cost USD  memory MB    tokens/s  MFU %  masked %
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm  dp+zero1               ring        usual       64    512             1   18.051       3.326       0.59      1.88       953   29044574.5   41.3      39.0
  h100-sxm  dp+pp2+zero1           ring        usual       64    512             1   20.253       1.930       0.66      2.11       626   25886423.2   36.8      34.8
  h100-sxm  tp2+sp+zero1           ring        usual       64    512             1   24.336       9.045       0.79      2.54       484   21543511.5   30.7      29.0
  h100-sxm  tp2+sp+pp2+zero1       ring        usual       64    512             1   26.564       8.085       0.86      2.77       322   19736875.7   28.1      26.5
  h100-sxm  tp2+sp+pp4+zero1       ring        usual       64    512             1   32.558       8.101       1.06      3.39       276   16103351.1   22.9      21.6
  h100-sxm  tp2+sp+pp2+zero1+full  ring        usual       64    512             1   34.103      11.259       1.11      3.55       267   15373610.5   21.9      20.7
  h100-sxm  tp2+sp+pp4+zero1+full  ring        usual       64    512             1   40.211      11.275       1.31      4.19       219   13038370.2   18.6      17.5
  h100-sxm  tp4+sp+pp2+zero1       ring        usual       64    512             1   52.209      32.339       1.70      5.44       172   10042067.3   14.3      13.5
  h100-sxm  tp4+sp+pp4+zero1       ring        usual       64    512             1   59.578      33.862       1.94      6.21       151    8800074.3   12.5      11.8
  h100-sxm  tp4+sp+pp2+zero1+full  ring        usual       64    512             1   71.875      47.084       2.34      7.49       140    7294485.6   10.4       9.8
  h100-sxm  tp4+sp+pp4+zero1+full  ring        usual       64    512             1   79.394      48.607       2.58      8.27       118    6603593.4    9.4       8.9
  h100-sxm  tp4+sp+pp8+zero1+full  ring        usual       64    512             1   94.051      52.018       3.06      9.80       113    5574479.6    7.9       7.5
  h100-sxm  tp8+sp+pp2+zero1       ring        usual       64    512             1  149.225     126.040       4.86     15.54       97.2   3513402.8    5.0       4.7
  h100-sxm  tp8+sp+pp4+zero1       ring        usual       64    512             1  161.892     132.687       5.27     16.86       89.7   3238510.0    4.6       4.4
  h100-sxm  tp8+sp+pp2+zero1+full  ring        usual       64    512             1  214.085     184.817       6.97     22.30       76.3   2448976.5    3.5       3.3
  h100-sxm  tp8+sp+pp4+zero1+full  ring        usual       64    512             1  227.003     191.464       7.39     23.65       67.3   2309613.0    3.3       3.1
  $ paleo simulate --search config.json --cost-model datasheet --device h100-sxm --strategy tp2+xx
  2> paleo-simulate: --strategy has 'tp2+xx': unknown word 'xx' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)
  [2]
