What simulate refuses.

  $ try() { paleo simulate "$@"; }
  $ net=$source/nets/vgg16.json
  $ try
  2> paleo-simulate: no network was given, for example vgg16 (see --help)
  [2]
  $ try $net --link ethernet21
  2> paleo-simulate: unknown link 'ethernet21' (did you mean 'ethernet20'?)
  [2]
  $ try $net --device K81
  2> paleo-simulate: unknown device 'K81' (did you mean 'k80'? 'paleo devices' lists all)
  [2]
  $ try $net --workers 1,two
  2> paleo-simulate: --workers has 'two', expected whole numbers from 1 to 1048576, as in 1,2,4
  [2]
  $ try $net --workers 0
  2> paleo-simulate: --workers has '0', expected whole numbers from 1 to 1048576, as in 1,2,4
  [2]
  $ try $net --strategy magic
  2> paleo-simulate: --strategy has 'magic': unknown word 'magic' in a plan, expected words as in tp8+sp+pp4+zero1 (see --help)
  [2]
  $ try $net --all-reduce rng
  2> paleo-simulate: --all-reduce has 'rng' (did you mean 'ring'?)
  [2]
  $ try $net --scaling both
  2> paleo-simulate: --scaling has 'both', expected weak, strong or both
  [2]
  $ try $net --strategy zero1 --all-reduce tree --workers 2
  2> paleo-simulate: scheme 'tree' has no reduce-scatter and all-gather, which ZeRO needs
  [2]
  $ try $net --strategy zero1 --format paleo
  2> paleo-simulate: the original has data, model and hybrid parallelism, not 'zero1': leave out --cost-model paleo2017 and --format paleo
  [2]
  $ try $net --cost-model datasheet --format paleo
  2> paleo-simulate: --format paleo needs --cost-model paleo2017, not datasheet
  [2]
  $ try $net --workers-per-node 4
  2> paleo-simulate: --workers-per-node 4 needs --node-link, the link within a node
  [2]
  $ try $net --strategy pipeline --workers 100
  2> paleo-simulate: a pipeline of 100 stages needs as many layers, the net has 25
  [2]
  $ try $net --cost-model calibrated --device K80
  2> paleo-simulate: there is no calibration for 'K80': give a calibration's file, or make one (paleo calibrate)
  [2]
  $ try $net --calibration $source/results/cpu-amd-epyc/calibration.json --device K80
  2> paleo-simulate: the device is 'K80', but '$source/results/cpu-amd-epyc/calibration.json' was made on 'cpu-amd-epyc'
  [2]
  $ try $net --device t4 --dtype bf16
  2> paleo-simulate: device 't4' has no peak FLOP/s for bf16: choose another dtype
  [2]
  $ try $net --num_worker 1 --num-wrkers 2
  2> paleo-simulate: unknown option '--num_worker' (see --help)
  [2]
