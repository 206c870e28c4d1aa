profile and calibrate under mpirun: each rank measures its part of the ops on its own device.

  $ { command -v mpirun >/dev/null && test -e $build/lib/paleo/libpaleo-mpi.so; } || skip "there is no MPI"

What MPI and its parts keep until a process ends is theirs.

  $ export NO_COLOR=1 ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
  $ ranks() {
  > 	timeout 100 mpirun -np "$@" >out 2>err
  > 	echo "exit $?"
  > 	sed -E "s/$(uname -n)/NODE/g; s/ +/ /g; s/-{4,}/----/; s/in [0-9.]+ s/in TIME s/" out >plain
  > 	sed -n '/^Ops divided/,/^small/p' plain | sed '/^$/d; /^small/d'
  > 	grep -E '^([0-9]+ ops measured|fitted|records)' plain
  > 	grep '^paleo' err >&2
  > 	:
  > }
  $ export PALEO_FAKE=still
  $ ranks 2 paleo profile --device fake,fake1 --output two.jsonl "$small"
  exit 0
  Ops divided over 2 devices, 9 ops timed on all: compared with the others' median
  device verdict ops common slower % low % high % limit %
  ----
  NODE fake-0 equal 11 9 0.0 0.0 0.0 8.5
  NODE fake-1 equal 11 9 0.0 0.0 0.0 8.5
  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: two.jsonl
  $ PALEO_FAKE=still,clock1=0.8 ranks 2 paleo profile --device fake,fake1 --output slow.jsonl "$small"
  exit 6
  Ops divided over 2 devices, 9 ops timed on all: compared with the others' median
  device verdict ops common slower % low % high % limit %
  ----
  NODE fake-0 DIFFERS 11 9 -20.0 -20.0 -20.0 8.5
  NODE fake-1 DIFFERS 11 9 25.0 25.0 25.0 8.5
  2 devices differ more than equal ones do: records with the tag 'differs', which no fit uses
  13 ops measured in TIME s, 0 unsupported, 0 failed
  records: slow.jsonl
  $ grep -c '"device":"[^"]* fake-1"' slow.jsonl
  11

Fewer devices than ranks, and two ranks on one.

  $ ranks 3 paleo profile --device fake,fake1 --output three.jsonl "$small"
  exit 1
  Ops divided over 3 devices, 9 ops timed on all: compared with the others' median
  device verdict ops common slower % low % high % limit % why
  ----
  NODE fake-0 equal 10 9 0.0 0.0 0.0 9.1 -
  NODE fake-1 equal 11 9 0.0 0.0 0.0 9.1 -
  NODE ?, rank 2 MISSING 0 - - - - - rank 2 of its node, but --device lists 2: one rank per device
  12 ops measured in TIME s, 0 unsupported, 0 failed, 1 left to devices that are missing
  records: three.jsonl
  $ ranks 2 paleo profile --device fake --output one.jsonl "$small" 2>&1 | sed "s/$(uname -n)/NODE/"
  exit 2
  paleo-profile: ranks 0 and 1 both measured NODE fake-0: start one rank per device

A calibration by both ranks; how many ops there are depends on the clock.

  $ ranks 2 paleo calibrate --device fake,fake1 --time-budget 3s --output c.json "$small" | head -n 1
  exit 0
  $ test -s c.json && grep -o 'fake-[01]"' paleo-results/fake/design-f32.jsonl | sort -u
  fake-0"
  fake-1"
