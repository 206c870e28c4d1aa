predict by presets, with and without those of its own chip.

A T4 is among the cards whose tables the presets were fitted to, an L4 is not: leaving out the presets
of its own chip changes what is predicted for the first and nothing for the second.

  $ paleo predict --device t4 --cost-model presets --pass fwd --batch 1 --filter l1_query bert_base
  NVIDIA Tesla T4: published benchmarks, nothing measured here: t4 (2000 rows of neusight torch-p2.1.0/cudnn-8902/cu121); for the rest the median over all GPUs

  BERT base, encoder, batch 1, 512 tokens each, f32, 85,054,464 parameters
    forward             predicted    130.227 us  3931593.2 tokens/s    4.641 TFLOP/s  MFU 57.3 %  90 %: 109.961 to 179.299 us
  bound by (predicted): compute 100 %

  layer     kind           pass  MFLOP    MB  pred us   low us  high us  share %  bound
  ---------------------------------------------------------------------------------------
  l1_query  inner_product  fwd   604.4  5.51  130.227  109.961  179.299    100.0  compute
  $ paleo predict --device t4 --cost-model presets-excluding-self --pass fwd --batch 1 --filter l1_query bert_base
  NVIDIA Tesla T4: published benchmarks of other chips, nothing measured here: the median over all GPUs

  BERT base, encoder, batch 1, 512 tokens each, f32, 85,054,464 parameters
    forward             predicted    114.911 us  4455609.2 tokens/s    5.259 TFLOP/s  MFU 64.9 %  90 %: 54.376 to 242.840 us
  bound by (predicted): compute 100 %

  layer     kind           pass  MFLOP    MB  pred us  low us  high us  share %  bound
  --------------------------------------------------------------------------------------
  l1_query  inner_product  fwd   604.4  5.51  114.911  54.376  242.840    100.0  compute
  $ paleo predict --device l4 --cost-model presets --pass fwd --batch 1 --filter l1_query bert_base
  NVIDIA L4: published benchmarks, nothing measured here: the median over all GPUs

  BERT base, encoder, batch 1, 512 tokens each, f32, 85,054,464 parameters
    forward             predicted     35.775 us  14311803.7 tokens/s   16.894 TFLOP/s  MFU 55.7 %  90 %: 17.379 to 73.644 us
  bound by (predicted): compute 100 %

  layer     kind           pass  MFLOP    MB  pred us  low us  high us  share %  bound
  --------------------------------------------------------------------------------------
  l1_query  inner_product  fwd   604.4  5.51   35.775  17.379   73.644    100.0  compute
  $ paleo predict --device l4 --cost-model presets-excluding-self --pass fwd --batch 1 --filter l1_query bert_base
  NVIDIA L4: published benchmarks of other chips, nothing measured here: the median over all GPUs

  BERT base, encoder, batch 1, 512 tokens each, f32, 85,054,464 parameters
    forward             predicted     35.775 us  14311803.7 tokens/s   16.894 TFLOP/s  MFU 55.7 %  90 %: 17.379 to 73.644 us
  bound by (predicted): compute 100 %

  layer     kind           pass  MFLOP    MB  pred us  low us  high us  share %  bound
  --------------------------------------------------------------------------------------
  l1_query  inner_product  fwd   604.4  5.51   35.775  17.379   73.644    100.0  compute
  $ paleo predict --cost-model presets-excluding-self bert_base
  2> paleo-predict: the cost model 'presets-excluding-self' needs a device
  [2]
  $ paleo predict --device t4 --cost-model presets-excluding-self --calibration x.json bert_base
  2> paleo-predict: the cost model 'presets-excluding-self' cannot be combined with a calibration
  [2]
