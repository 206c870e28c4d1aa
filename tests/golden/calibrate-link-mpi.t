calibrate --link measures collectives of MPI between two processes, and refuses what does not fit.

  $ { command -v mpirun >/dev/null && test -e $build/lib/paleo/libpaleo-mpi.so; } || skip "there is no MPI"

What MPI and its parts keep until a process ends is theirs.

  $ export ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  $ for collective in all-reduce all-gather reduce-scatter; do
  > 	mpirun -np 2 paleo calibrate --link fitted --collective $collective --rounds 3 --records $collective.log --output $collective.json >out 2>err || { echo "exit $?"; cat err; }
  > 	sed -n '1s/:.*/: measured/p' out
  > 	sed -n 's/^ *\([0-9]*\) .*/\1/p' $collective.log | xargs
  > 	paleo calibrate --link fitted --collective $collective --output again.json $collective.log >again
  > 	grep -c to_bytes again.json >a || :; grep -c to_bytes $collective.json | cmp - a
  > 	grep -o "measured times of $collective" $collective.json
  > done
  all-reduce: measured
  1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 33554432 67108864
  measured times of all-reduce
  all-gather: measured
  1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 33554432 67108864
  measured times of all-gather
  reduce-scatter: measured
  1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 33554432 67108864
  measured times of reduce-scatter
  $ paleo simulate alex_v2 --device h100-sxm --link-file all-reduce.json --workers 2 | grep -c fitted
  1
  $ mpirun -np 2 paleo calibrate --link fitted --workers 3 2>err
  [4]
  $ grep paleo- err
  paleo-calibrate: MPI has 2 ranks, expected 3: start it with 'mpirun -np 3'
  $ paleo calibrate --link fitted --transport mpi
  2> paleo-calibrate: MPI has 1 rank, expected at least 2: start it with 'mpirun -np 2'
  [4]
  $ paleo calibrate --link fitted --transport mpi $source/tests/data/comm/nccl_4.log
  2> paleo-calibrate: --link reads files, or measures with --transport and --records: not both (see --help)
  [2]

A file that may not be written is reported before anything is measured: 17 sizes of a second each would take longer.

  $ echo mine >foreign.json
  $ timeout 10 mpirun -np 2 paleo calibrate --link fitted --rounds 100 --output foreign.json 2>err
  [1]
  $ grep -o 'foreign.json[^:]*' err | head -n 1
  foreign.json
  $ cat foreign.json
  mine
