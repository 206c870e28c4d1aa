All nets, hybrid parallel, in the original's format.

  $ ln -s $source/nets nets; mkdir nets_caffe
  $ for net in densenet resnet50; do
  > 	sh $source/tests/data/caffe/networks.sh $net paleo2017 >nets_caffe/$net.json
  > done
  $ for net in nets/alex_v2 nets/alex_v2_1gpu nets/alex_v2_2gpu nets/alex_v2_4gpu nets/alex_v2_8gpu nets_caffe/densenet nets/inception_v3 nets/nin nets/overfeat nets_caffe/resnet50 nets/vgg16
  > do
  > 	paleo simulate $net.json --batch 128 --strategy=hybrid --workers=2 --cost-model paleo2017 --format paleo || echo "status $?"
  > done
  nets/alex_v2.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	33.16174974156705	89.08432779397351	1.6870734142808996	321.94503679999997
  2	256	0	0	3e-06	0
  nets/alex_v2_1gpu.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	28.668237541994248	80.0973033948279	1.6623425060310986	317.2256256
  2	256	0	0	3e-06	0
  nets/alex_v2_2gpu.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	27.913603530664382	50.370184196338535	0.22023134584969703	42.0268544
  2	256	8.166968300427191	37.154326839184	1.4421111601814016	0
  nets/alex_v2_4gpu.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	27.913603530664382	50.370184196338535	0.22023134584969703	42.0268544
  2	256	7.797087970560922	22.30564059153665	1.4421111601814016	0
  nets/alex_v2_8gpu.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	32.99172853066438	55.448309196338535	0.22023134584969703	42.0268544
  2	256	35.346522805627785	42.615672467712976	1.4421111601814016	0
  nets_caffe/densenet.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	17.29972309057456	32.179019601409905	0.03888143566181472	7.4197632
  2	256	0	0	3e-06	0
  nets/inception_v3.json
  ==========
  Hybrid parallel
  status 1
  nets/nin.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	45.67873476731687	85.60992356568742	0.2547241158179575	48.6091264
  2	256	0	0	3e-06	0
  nets/overfeat.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	114.70944315810142	394.3948004100884	4.8865793991034305	932.5083136
  2	256	0	0	3e-06	0
  nets_caffe/resnet50.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	190.9393532691401	425.0527366726882	0.8562312323789631	163.39502080000003
  2	256	0	0	3e-06	0
  nets/vgg16.json
  ==========
  Hybrid parallel
  Profiling for device Titan X and Ethernet (1.250000 GB/s)
  Use pipelining: False
  Hybrid workers: 2
  Use gemm: True  PPP comp: 1.000000   PPP comm: 1.000000
  workers	batch_size	fwd_time	bwd_time	apply_time	sync_time(tree)
  2	256	690.1307288553678	1567.3800655656646	4.640182539831093	885.4882816
  2	256	0	0	3e-06	0
  2> paleo-simulate: nets/inception_v3.json: a fork is nested in a branch of another one, where the original ends in model parallelism
