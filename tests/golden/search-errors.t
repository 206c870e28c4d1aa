What explore refuses.

  $ try() { paleo simulate --search "$@"; }
  $ net=$source/nets/alex_v2.json
  $ try
  2> paleo-simulate: --search needs one network and --device, for example --device t4,a100-40-sxm vgg16 (see --help)
  [2]
  $ try $net
  2> paleo-simulate: --search needs one network and --device, for example --device t4,a100-40-sxm vgg16 (see --help)
  [2]
  $ try $net --device k81x
  2> paleo-simulate: unknown device 'k81x' (did you mean 'k20x'? 'paleo devices' lists all)
  [2]
  $ try $net --device k80,k80
  2> paleo-simulate: --device has 'k80' twice
  [2]
  $ try $net --device k80 --workers 1,two
  2> paleo-simulate: --workers has 'two', expected whole numbers from 1 to 1048576, as in 1,2,4
  [2]
  $ try $net --device k80 --batch ''
  2> paleo-simulate: --batch is '', expected a whole number from 1 to 1048576
  [2]
  $ try $net --device k80 --strategy zero4
  2> paleo-simulate: --strategy has 'zero4' (did you mean 'zero1'?)
  [2]
  $ try $net --device k80 --all-reduce rng
  2> paleo-simulate: --all-reduce has 'rng' (did you mean 'ring'?)
  [2]
  $ try $net --device k80 --link ethernet-11g
  2> paleo-simulate: unknown link 'ethernet-11g' (did you mean 'ethernet-10g'?)
  [2]
  $ try $net --device k80 --workers-per-node 2
  2> paleo-simulate: --workers-per-node 2 needs --node-link, the link within a node
  [2]
  $ try $net --device k80 --budget 3
  2> paleo-simulate: no --price for 'k80': every device needs one
  [2]
  $ try $net --device k80,t4 --price t4=1
  2> paleo-simulate: no --price for 'k80': every device needs one
  [2]
  $ try $net --device k80 --price t4=1
  2> paleo-simulate: --price has 't4', which --device does not
  [2]
  $ try $net --device k80 --price k80
  2> paleo-simulate: --price is 'k80', expected DEVICE=USD_PER_HOUR, as in t4=0.35
  [2]
  $ try $net --device k80 --price k80=-1
  2> paleo-simulate: --price is 'k80=-1', expected DEVICE=USD_PER_HOUR, as in t4=0.35
  [2]
  $ try $net --device k80 --cost-model calibrated
  2> paleo-simulate: there is no calibration for 'k80': give a calibration's file, or make one (paleo calibrate)
  [2]
  $ try $net --device t4 --dtype bf16
  2> paleo-simulate: device 't4' has no peak FLOP/s for bf16: choose another dtype
  [2]
  $ try absent.json --device k80
  2> paleo-simulate: no net 'absent.json' here, in ./nets or among the shipped ones, which nets/README.md lists
  [2]
