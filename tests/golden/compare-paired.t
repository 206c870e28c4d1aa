Two sides measured in turn: two layouts, two builds or libraries by a variable of the environment.

  $ paired() {
  > 	paleo compare --device fake --time-budget 2s "$@" 2>err || echo "exit $?"
  > 	cat err
  > }
  $ paired --all layout=nchw,nhwc "$small" | sed -n 's/20[0-9-]*T[0-9:]*Z/DATE/; s/, +[0-9].*//; /^[AB] \|in common/p'
  A  layout=nchw: fake device with known factors, for tests, fake 1, DATE
  B  layout=nhwc: fake device with known factors, for tests, fake 1, DATE
  13 rows of the same network, batch size and dtype in common

The fake device is 2 % slower where its variable says so; a false alarm has a chance of 5 %.

  $ paired --filter conv PALEO_FAKE=still,slower "$small" | grep -o 'small.*SLOWER, +[12]\.[0-9] %\|PALEO_FAKE=[a-z]*' | sed 's/+1\.[789]/+2.0/; s/+2\.[0123]/+2.0/'
  PALEO_FAKE=still
  PALEO_FAKE=slower
  small, batch 4, f32: SLOWER, +2.0 %

A change over the limit ends with 6, as with records.

  $ paired --filter conv --fail-slower 1% PALEO_FAKE=still,slower "$small" | grep exit
  exit 6

What one side cannot run is said.

  $ paired PALEO_FAKE=still,oom=pool "$small" | grep 'no time\|only in'
  2 of 13 ops have no time for both sides: the fake memory is full, as asked for

  $ paired PALEO_FAKE=still,oom= "$small"
  exit 2
  paleo-compare: no op has a time for both sides: the fake memory is full, as asked for

  $ paired threads=1 "$small"
  exit 2
  paleo-compare: 'threads=1': expected WHAT=A,B with two values, for example threads=1,2
  $ paired threads=0,1 "$small"
  exit 2
  paleo-compare: threads=0: expected 1 to 4096
  $ paired layout=nchw,rows "$small"
  exit 2
  paleo-compare: layout=rows: not a layout
  $ paired colour=red,blue "$small"
  exit 2
  paleo-compare: colour=...: expected threads, layout, mode, dtype, or a variable of the environment, such as PALEO_PLUGIN_DIR
  $ paired a.jsonl
  exit 2
  paleo-compare: expected two sides, A and B, for example before.jsonl after.jsonl; or what differs, and networks: threads=1,2 vgg16 (see --help)

Options of a measurement do not go with records; an interrupted one says so.

  $ paleo compare --device fake --threads 2 a.jsonl b.jsonl
  2> paleo-compare: --device, --batch, --threads, --filter and --time-budget are for WHAT=A,B: 'a.jsonl' is compared as it was measured
  [2]

interrupted SECONDS... - stopped after the first of these times at which an op of both sides was measured.

  $ interrupted() {
  > 	for seconds in "$@"; do
  > 		code=0
  > 		timeout --preserve-status -s INT "$seconds" paleo compare --device fake \
  > 			--time-budget 120s layout=nchw,nhwc resnet50 resnet152 densenet inception_v3 >out 2>err || code=$?
  > 		! grep -q "^resnet50" out || return 0
  > 	done
  > }
  $ interrupted 1 2 3 5 15 45; echo "exit $code"; grep -c "^resnet50" out
  exit 130
  1

Two runs between which the machine's memory speed has changed: what does not follow the compute speed is not judged by it.

  $ hour=$source/tests/data/cpu/cpu-amd-epyc/hour
  $ paleo compare "$hour/1-convnext_tiny.jsonl.gz" "$hour/2-convnext_tiny.jsonl.gz" | sed -n '5,9p'
  machine speed in B: -42 %; times are compared at the mean of both
  that is more than it varied within the runs, and corrected no further: compare several runs a side, or measure pairs (WHAT=A,B)

  convnext_tiny, batch 2, f32: FASTER, -5.0 % (95 %: -9.2 to -0.7 %), from 222.624 to 211.489 ms
  97 different ops: 0 SLOWER, 3 FASTER, 0 SAME within 1 %, 94 UNCLEAR; median uncertainty of an op's change: +-40.9 %
