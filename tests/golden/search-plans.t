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
  h100-sxm  tp2+sp+pp2+zero1  ring        infiniband-ndr       16     64             1   15.572       5.822       4.06        439  4208617.8   24.0      22.6
  h100-sxm  fsdp+full         ring        infiniband-ndr       16     64             1   31.278      21.901       8.15        423  2095246.4   11.9      11.3
  $ paleo simulate --search config.json:seq=1024 --cost-model datasheet --device h100-sxm --price h100-sxm=3 --workers 64 --batch 512 2>/dev/null
  h100-sxm: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  h100-sxm: over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 8 and InfiniBand NDR 4x (400 GB/s, 14 us), as is usual
  in bf16, nchw
  34 configurations, 17 Pareto-optimal
  cheapest is h100-sxm: 531,822 sequences per USD, an epoch for 1.88 USD (dp+zero1, 64 workers, batch 512)
  device    strategy               all-reduce  link   workers  batch  worker batch  step ms  exposed ms  epoch min  cost USD  memory MB    tokens/s  MFU %  masked %
  ------------------------------------------------------------------------------------------------------------------------------------------------------------------
  h100-sxm  dp+zero1               ring        usual       64    512             1   18.051       3.326       0.59      1.88       953   29044574.5   41.3      39.0
  h100-sxm  dp+pp2+zero1           ring        usual       64    512             1   20.253       1.942       0.66      2.11       626   25886423.2   36.8      34.8
  h100-sxm  dp+pp2+zero1+full      ring        usual       64    512             1   24.393       1.942       0.79      2.54       522   21493533.4   30.6      28.9
  h100-sxm  dp+pp4+zero1+full      ring        usual       64    512             1   30.470       1.408       0.99      3.17       421   17206417.4   24.5      23.1
  h100-sxm  tp2+sp+pp2+zero1       ring        usual       64    512             1   33.741      15.065       1.10      3.51       322   15538816.7   22.1      20.9
  h100-sxm  tp2+sp+pp4+zero1       ring        usual       64    512             1   40.246      15.489       1.31      4.19       276   13027065.5   18.5      17.5
  h100-sxm  tp2+sp+pp2+zero1+full  ring        usual       64    512             1   44.657      21.515       1.45      4.65       267   11740326.7   16.7      15.8
  h100-sxm  tp2+sp+pp4+zero1+full  ring        usual       64    512             1   51.328      21.938       1.67      5.35       219   10214475.6   14.5      13.7
  h100-sxm  tp4+sp+pp2+zero1       ring        usual       64    512             1   58.305      38.379       1.90      6.07       172    8992232.7   12.8      12.1
  h100-sxm  tp4+sp+pp4+zero1       ring        usual       64    512             1   66.070      40.249       2.15      6.88       151    7935315.5   11.3      10.7
  h100-sxm  tp4+sp+pp2+zero1+full  ring        usual       64    512             1   80.838      55.948       2.63      8.42       140    6485634.7    9.2       8.7
  h100-sxm  tp4+sp+pp4+zero1+full  ring        usual       64    512             1   88.777      57.819       2.89      9.25       118    5905649.9    8.4       7.9
  h100-sxm  tp4+sp+pp8+zero1+full  ring        usual       64    512             1  104.212      61.947       3.39     10.86       113    5030984.5    7.2       6.8
  h100-sxm  tp8+sp+pp2+zero1       ring        usual       64    512             1  121.987      99.077       3.97     12.71       97.2   4297902.8    6.1       5.8
  h100-sxm  tp8+sp+pp4+zero1       ring        usual       64    512             1  132.964     104.113       4.33     13.85       89.7   3943072.1    5.6       5.3
  h100-sxm  tp8+sp+pp2+zero1+full  ring        usual       64    512             1  174.028     145.135       5.66     18.13       76.3   3012658.4    4.3       4.0
  h100-sxm  tp8+sp+pp4+zero1+full  ring        usual       64    512             1  185.207     150.171       6.03     19.29       67.3   2830814.4    4.0       3.8
  $ paleo simulate --search config.json --cost-model datasheet --device h100-sxm --strategy tp2+xx
  2> paleo-simulate: --strategy has 'tp2+xx': unknown word 'xx' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)
  [2]
