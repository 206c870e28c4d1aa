All nets, model parallel, in the original's format.

  $ ln -s $source/nets nets; mkdir nets_caffe
  $ for net in densenet resnet50; do
  > 	sh $source/tests/data/caffe/networks.sh $net paleo2017 >nets_caffe/$net.json
  > done
  $ for net in nets/alex_v2 nets/alex_v2_1gpu nets/alex_v2_2gpu nets/alex_v2_4gpu nets/alex_v2_8gpu nets_caffe/densenet nets/inception_v3 nets/nin nets/overfeat nets_caffe/resnet50 nets/vgg16
  > do
  > 	paleo simulate $net.json --batch 128 --strategy model --cost-model paleo2017 --format paleo || echo "status $?"
  > done
  nets/alex_v2.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	33.16174974156705	33.16174974156705
  Bwd	89.08432779397351	89.08432779397351
  nets/alex_v2_1gpu.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	28.668237541994248	28.668237541994248
  Bwd	80.0973033948279	80.0973033948279
  nets/alex_v2_2gpu.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	27.534882681110144	28.712857596786225
  Bwd	64.4851426161627	80.1567968012172
  nets/alex_v2_4gpu.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	26.960768574869434	28.772351003175523
  Bwd	56.671625551031454	80.24603691080114
  nets/alex_v2_8gpu.json
  ==========
  Model parallel
  status 1
  nets_caffe/densenet.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	17.29972309057457	17.29972309057457
  Bwd	32.179019601409934	32.179019601409934
  nets/inception_v3.json
  ==========
  Model parallel
  status 1
  nets/nin.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	45.67873476731687	45.67873476731687
  Bwd	85.60992356568742	85.60992356568742
  nets/overfeat.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	114.70944315810142	114.70944315810142
  Bwd	394.3948004100884	394.3948004100884
  nets_caffe/resnet50.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	171.68086115712603	190.93935326914
  Bwd	351.6646855834732	425.0527366726881
  nets/vgg16.json
  ==========
  Model parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  Pass	Lowerbound, Upperbound
  Fwd	690.1307288553678	690.1307288553678
  Bwd	1567.3800655656646	1567.3800655656646
  2> paleo-simulate: nets/alex_v2_8gpu.json: layer 'parallel_fc67/concat6@0': the original ends here, since it halves a link between groups of four devices, and there is none without hybrid parallelism
  2> paleo-simulate: nets/inception_v3.json: a fork is nested in a branch of another one, where the original ends in model parallelism
