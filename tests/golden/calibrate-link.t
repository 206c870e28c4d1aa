calibrate --link fits a link to logs of nccl-tests, and simulate takes it.

  $ paleo calibrate --link made-up $source/tests/data/comm/nccl_4.log $source/tests/data/comm/nccl_2.json --output link.json
  up to bytes  latency us     +-    GB/s     +-
  ---------------------------------------------
        75000       5.000  0.000   2.000  0.000
            -      20.000  0.000  10.000  0.000
  34 times: median error 0.0 %, largest 0.0 %
  cross-validated error: ranges 0.0 %, interpolation 1.7 %; chosen: ranges
  $ grep -e name -e to_bytes link.json
        "name": "made-up",
            "to_bytes": 75000,
            "to_bytes": null,
  $ paleo simulate alex_v2 --device h100-sxm --link-file link.json --workers 4 --scaling weak
  NVIDIA H100 SXM 80 GB, f32, over made-up (10 GB/s, 20 us, fitted by size): published benchmarks, nothing measured here: the median over all GPUs
  net      strategy  scaling  all-reduce  workers  batch  worker batch  fwd ms  bwd ms  upd ms  comm ms  exposed ms  step ms  speedup  eff %  images/s  memory MB  fits
  ---------------------------------------------------------------------------------------------------------------------------------------------------------------------
  alex_v2  data      weak     ring              4    512           128   2.495   4.676   0.231   30.437      30.437   37.840     0.78   19.6   13530.5        945  yes
  $ paleo simulate alex_v2 --device h100-sxm --link-file none.json
  2> paleo-simulate: none.json: cannot open: No such file or directory
  [2]
  $ paleo calibrate --link fitted
  2> paleo-calibrate: --link needs a log of nccl-tests (or what they write with -J), mpirun, or --transport nccl (see --help)
  [2]
  $ echo one >log
  $ paleo calibrate --link fitted log
  2> paleo-calibrate: log: no header with 'size' and 'time', expected a log of nccl-tests or its JSON
  [2]

A ring of all-gathers goes round once, an all-reduce twice; other programs are no ring. mpirun and srun name the rank.
A message from each to each takes as many steps as a gather. One to the next rank has 6 latencies of 5 us here, and
1.5 times the bytes at 2 GB/s.

  $ log=$source/tests/data/comm/nccl_4.log
  $ sed '1s/.*/+ .\/all_gather_perf -b 1K/' "$log" >gather.log; paleo calibrate --link x gather.log --output other.json | sed -n '3,4p'
        92682      10.000  0.000  1.000  0.000
            -      40.000  0.000  5.000  0.000
  $ for program in alltoall sendrecv; do
  > 	sed "1s/.*/+ .\/${program}_perf -b 1K/" "$log" >other.log; paleo calibrate --link x other.log --output other.json --force | sed -n '3,4p'
  > done
        92682      10.000  0.000  1.000  0.000
            -      40.000  0.000  5.000  0.000
       185364      30.000  0.000  1.333  0.000
            -     120.000  0.000  6.667  0.000
  $ sed 's/^/[1,0]<stdout>:/' "$log" >tagged.log; paleo calibrate --link x tagged.log --output tagged.json | sed -n '3,4p'
        92682       5.000  0.000   2.000  0.000
            -      20.000  0.000  10.000  0.000
  $ sed 's/^/0: /' "$log" >srun.log; paleo calibrate --link x srun.log --output srun.json | sed -n '3,4p'
        92682       5.000  0.000   2.000  0.000
            -      20.000  0.000  10.000  0.000
  $ sed '1s/.*/+ .\/broadcast_perf -b 1K/' "$log" >broadcast.log; paleo calibrate --link x broadcast.log --output none.json
  2> paleo-calibrate: broadcast.log: is of broadcast_perf, expected all_reduce_perf, all_gather_perf, reduce_scatter_perf, alltoall_perf or sendrecv_perf
  [2]
  $ sed 's/sum/none/' "$log" >none.log; paleo calibrate --link x none.log --output none.json
  2> paleo-calibrate: none.log: busbw is 1.5 of algbw, as in no log of all_reduce_perf: logs of all_gather_perf and reduce_scatter_perf must name the program
  [2]
