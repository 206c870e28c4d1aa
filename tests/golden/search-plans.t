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
  $ paleo simulate --search config.json --cost-model datasheet --device h100-sxm --strategy tp2+xx
  2> paleo-simulate: --strategy has 'tp2+xx': unknown word 'xx' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)
  [2]
