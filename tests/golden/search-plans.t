explore compares plans of a transformer.

  $ cd $here
  $ paleo simulate --search config.json:seq=1024 --cost-model datasheet --dtype bf16 --device h100-sxm --link infiniband-ndr --node-link nvlink4 --workers-per-node 8 --links-per-node 8 --workers 8,16 --batch 64 --overlap --optimizer adam --strategy dp,fsdp,fsdp+full,tp2+zero1,tp2+sp+pp2+zero1,tp4+pp16 2>/dev/null
  h100-sxm: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  in bf16, nchw
  12 configurations, 4 Pareto-optimal; excluded: 2 that are impossible
  first impossible one: 8 workers are not a multiple of tp 4 x cp 1 x pp 16
  device    strategy          all-reduce  link            workers  batch  worker batch  step ms  exposed ms  epoch min  memory MB   tokens/s  MFU %  masked %
  -----------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm  dp                ring        infiniband-ndr       16     64             1    9.235       0.750       2.41       2559  7096303.7   40.4      38.1
  h100-sxm  tp2+zero1         ring        infiniband-ndr       16     64             1   14.275       5.916       3.72        613  4591026.9   26.1      24.7
  h100-sxm  tp2+sp+pp2+zero1  ring        infiniband-ndr       16     64             1   15.572       5.822       4.06        439  4208617.8   24.0      22.6
  h100-sxm  fsdp+full         ring        infiniband-ndr       16     64             1   18.050       8.672       4.70        423  3630879.6   20.7      19.5
  $ paleo simulate --search config.json:seq=1024 --cost-model datasheet --device h100-sxm --price h100-sxm=3 --workers 64 --batch 512 2>/dev/null
  h100-sxm: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  h100-sxm: over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us), as is usual
  in bf16, nchw
  34 configurations, 17 Pareto-optimal
  cheapest is h100-sxm: 568,547 sequences per USD, an epoch for 1.76 USD (dp+zero1, 64 workers, batch 512)
  device    strategy               all-reduce  link   workers  batch  worker batch  step ms  exposed ms  epoch min  cost USD  memory MB    tokens/s  MFU %  masked %
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm  dp+zero1               ring        usual       64    512             1   16.885       2.160       0.55      1.76       953   31050240.5   44.2      41.7
  h100-sxm  dp+pp2+zero1           ring        usual       64    512             1   19.681       1.369       0.64      2.05       626   26639301.2   37.9      35.8
  h100-sxm  dp+pp2+zero1+full      ring        usual       64    512             1   23.820       1.369       0.78      2.48       522   22010018.7   31.3      29.6
  h100-sxm  dp+pp4+zero1+full      ring        usual       64    512             1   30.195       1.132       0.98      3.15       421   17363466.8   24.7      23.3
  h100-sxm  tp2+sp+pp2+zero1       ring        usual       64    512             1   33.507      14.832       1.09      3.49       322   15646961.8   22.3      21.0
  h100-sxm  tp2+sp+pp4+zero1       ring        usual       64    512             1   40.140      15.383       1.31      4.18       276   13061466.8   18.6      17.6
  h100-sxm  tp2+sp+pp2+zero1+full  ring        usual       64    512             1   44.424      21.281       1.45      4.63       267   11801956.7   16.8      15.9
  h100-sxm  tp2+sp+pp4+zero1+full  ring        usual       64    512             1   51.222      21.832       1.67      5.34       219   10235613.7   14.6      13.8
  h100-sxm  tp4+sp+pp2+zero1       ring        usual       64    512             1   58.241      38.316       1.90      6.07       172    9002052.3   12.8      12.1
  h100-sxm  tp4+sp+pp4+zero1       ring        usual       64    512             1   66.049      40.228       2.15      6.88       151    7937862.6   11.3      10.7
  h100-sxm  tp4+sp+pp2+zero1+full  ring        usual       64    512             1   80.775      55.885       2.63      8.41       140    6490741.3    9.2       8.7
  h100-sxm  tp4+sp+pp4+zero1+full  ring        usual       64    512             1   88.756      57.798       2.89      9.25       118    5907060.5    8.4       7.9
  h100-sxm  tp4+sp+pp8+zero1+full  ring        usual       64    512             1  104.212      61.947       3.39     10.86       113    5030984.5    7.2       6.8
  h100-sxm  tp8+sp+pp2+zero1       ring        usual       64    512             1  121.987      99.077       3.97     12.71       97.2   4297902.8    6.1       5.8
  h100-sxm  tp8+sp+pp4+zero1       ring        usual       64    512             1  132.964     104.113       4.33     13.85       89.7   3943072.1    5.6       5.3
  h100-sxm  tp8+sp+pp2+zero1+full  ring        usual       64    512             1  174.028     145.135       5.66     18.13       76.3   3012658.4    4.3       4.0
  h100-sxm  tp8+sp+pp4+zero1+full  ring        usual       64    512             1  185.207     150.171       6.03     19.29       67.3   2830814.4    4.0       3.8
  $ paleo simulate --search config.json --cost-model datasheet --device h100-sxm --strategy tp2+xx
  2> paleo-simulate: --strategy has 'tp2+xx': unknown word 'xx' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)
  [2]
