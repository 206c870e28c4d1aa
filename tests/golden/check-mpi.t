check under mpirun: every rank measures its device, and rank 0 judges them all.

  $ { command -v mpirun >/dev/null && test -e $build/lib/paleo/libpaleo-mpi.so; } || skip "there is no MPI"

What MPI and its parts keep until a process ends is theirs.

  $ export NO_COLOR=1 ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  $ node=$(uname -n) four=fake,fake1,fake2,fake3
  $ ranks() {
  > 	n=$1
  > 	shift
  > 	timeout 100 mpirun -np "$n" "$@" >out 2>err
  > 	echo "exit $?"
  > 	sed -E "s/$node/NODE/g; s/ +/ /g; s/-{4,}/----/" out
  > 	grep '^paleo' err >&2
  > 	:
  > }

Equal ranks are good; one with a lower clock is found and named.

  $ export PALEO_FAKE=still,seed=1,differs=0.01
  $ ranks 4 paleo check --device $four --output equal.jsonl
  exit 0
  fake: fake device with known factors, for tests, fake 1

  verdict node device slower % than in
  ----
  good NODE fake-0 -0.4 its siblings median part
  good NODE fake-1 0.1 its siblings median part
  good NODE fake-2 -0.1 its siblings median part
  good NODE fake-3 0.5 its siblings median part

  4 devices: 4 good, 0 slow, 0 faulty, 0 not judged
  records: equal.jsonl
  $ export PALEO_FAKE=still,seed=1,differs=0.01,clock2=0.8
  $ ranks 4 paleo check --device $four --output slow.jsonl
  exit 6
  fake: fake device with known factors, for tests, fake 1

  verdict node device slower % than in why
  ----
  good NODE fake-0 -1.2 its siblings median part -
  good NODE fake-1 -0.1 its siblings median part -
  SLOW NODE fake-2 24.6 its siblings median part clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  good NODE fake-3 -0.1 its siblings median part -

  SLOW: NODE fake-2: 24.6 % slower than its siblings (median part), 16 parts beyond chance: clock at 72 % of its highest, elsewhere 90 %; clock reduced by sw_thermal
  4 devices: 3 good, 1 slow, 0 faulty, 0 not judged
  records: slow.jsonl
  $ grep -c '"type":"condition"' slow.jsonl
  4
  $ paleo check --from slow.jsonl | tail -n 1
  4 devices: 3 good, 1 slow, 0 faulty, 0 not judged

A device that is not there is a row without a verdict, and two ranks on one device are no two devices.

  $ PALEO_FAKE=still,nodevice1 ranks 3 paleo check --device $four
  exit 7
  fake: fake device with known factors, for tests, fake 1

  verdict node device slower % than in why
  ----
  good NODE fake-0 0.0 its siblings median part -
  good NODE fake-2 0.0 its siblings median part -
  not judged NODE fake1, rank 1 - - - there is no fake device 1

  not judged: NODE fake1, rank 1: there is no fake device 1
  3 devices: 2 good, 0 slow, 0 faulty, 1 not judged
  records: paleo-results/fake/check.jsonl
  $ PALEO_FAKE=still ranks 2 paleo check --device fake
  exit 7
  fake: fake device with known factors, for tests, fake 1
  earlier records: paleo-results/fake/check.jsonl.1, until you remove them

  verdict node device why
  ----
  not judged NODE fake-0 several ranks measured it at the same time: start one rank per device
  not judged NODE fake-0 several ranks measured it at the same time: start one rank per device

  not judged: NODE fake-0: several ranks measured it at the same time: start one rank per device
  not judged: NODE fake-0: several ranks measured it at the same time: start one rank per device
  2 devices: 0 good, 0 slow, 0 faulty, 2 not judged
  records: paleo-results/fake/check.jsonl

All-reduces of every two ranks are a part of each; how fast they are depends on who else uses the machine.

  $ PALEO_FAKE=still timeout 100 mpirun -np 3 paleo check --device $four --collective all-reduce --output reduced.jsonl >out 2>err || [ $? -eq 6 ]
  $ grep -c '^all-reduce of 17 MB: .* ms: .*, 3 ranks on 1 host$' out
  1
  $ grep -c '"name":"all_reduce_of_3","unit":"B/s","value":[0-9]' reduced.jsonl
  3
  $ paleo check --device fake --collective all-reduce
  2> paleo-check: --collective all-reduce is for ranks: start it by mpirun (see --help)
  [2]

A rank that is killed ends the run, as mpirun has it; the table has those that had answered.

  $ cat >dies.sh <<'END'
  > if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then
  > 	(until [ -e measured ]; do sleep 0.1; done; sleep 1; kill -9 $$) &
  > 	export PALEO_FAKE=still,op-delay=9
  > fi
  > if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then
  > 	(sleep 4; touch measured) &
  > fi
  > exec paleo check --device fake,fake1,fake2 --output dies.jsonl
  > END
  $ PALEO_FAKE=still ranks 3 sh dies.sh
  exit 137
  fake: fake device with known factors, for tests, fake 1

  verdict node device slower % than in why
  ----
  good NODE fake-0 0.0 its siblings median part -
  good NODE fake-1 0.0 its siblings median part -
  not judged NODE fake2, rank 2 - - - no answer before this run was ended, as launchers do when a rank dies

  not judged: NODE fake2, rank 2: no answer before this run was ended, as launchers do when a rank dies
  3 devices: 2 good, 0 slow, 0 faulty, 1 not judged
  records: dies.jsonl
