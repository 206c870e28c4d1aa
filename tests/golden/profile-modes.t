Several modes in one run: side by side in the report, and apart in every fit.


On the fake device hot takes 0.7 of cold, weights-cold 0.85, and any launch 3 us.

  $ export PALEO_FAKE=still

Times of the fake have no noise here, but their last digits are those of a quotient.

  $ short() {
  > 	sed -E 's/(0\.[0-9]{3})[0-9]{9,}/\1/g; s/measured in [0-9.]+ s/measured in TIME s/; s/([0-9]\.[0-9]{4})[0-9]*e/\1e/g'
  > }

  $ paleo-profile --device fake --mode cold,hot,enqueue --pass fwd --output some.jsonl "$small" | short
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  small, batch 4 instead of the file's 32, f32, nchw, 29,330 parameters
    forward             predicted      1.239 us  measured     38.523 us +-0.0 % within this run  error  -96.8 %  103832.7 images/s   69.383 GFLOP/s
    forward             hot 0.027 ms, 0.70 of cold  enqueue 0.015 ms, 0.39 of cold
    error per row: median 95.4 %, mean 95.9 %, p90 98.9 %, 5 rows

  kind           rows  time us  share %   pred us  error %
  --------------------------------------------------------
  conv              1   15.245     39.6  0.434       -97.2
  softmax           1    8.329     21.6  0.000340   -100.0
  relu              1    8.091     21.0  0.373       -95.4
  inner_product     1    3.763      9.8  0.185       -95.1
  max_pool          1    3.096      8.0  0.247       -92.0
  bound by (predicted): compute 40 %, memory 60 %

  layer    kind           pass     MFLOP      kB   pred us  share %  cold us  +-% run  hot us  enqueue us  error %   GFLOP/s  GB/s  % peak  bound    algorithm
  ----------------------------------------------------------------------------------------------------------------------------------------------------------------
  conv1    conv           fwd   2.35      199     0.434        39.6   15.245      0.0  10.672         3.0    -97.2  154.1     13.0       2  compute  known_factors
  conv1    relu           fwd   0.0461    369     0.373        21.0    8.091      0.0   5.663         3.0    -95.4    5.70    45.6       5  memory   known_factors
  pool1    max_pool       fwd   0.0461    242     0.247         8.0    3.096      0.0   2.167         3.0    -92.0   14.9     78.1       8  memory   known_factors
  fc2      inner_product  fwd   0.230     161     0.185         9.8    3.763      0.0   2.634         3.0    -95.1   61.2     42.9       4  memory   known_factors
  softmax  softmax        fwd   0.000200   0.320  0.000340     21.6    8.329      0.0   5.830         3.0   -100.0    0.0240   0.0       0  memory   known_factors

  15 times measured in TIME s (5 ops in 3 modes), 0 unsupported, 0 failed
  records: some.jsonl
  To calibrate: paleo-calibrate --device fake

The mode that was left out is added, what is there stays; predictions face the first mode:

  $ paleo-profile --device fake --mode hot,weights-cold,cold,enqueue --pass fwd --resume --output some.jsonl \
  > 	--format csv "$small" 2>notes |
  > 	columns layer,kind,mode,measured_s,cold_s,hot_s,weights_cold_s,enqueue_s,status | short
  layer,kind,mode,measured_s,cold_s,hot_s,weights_cold_s,enqueue_s,status
  conv1,conv,hot,1.0671e-05,1.5245e-05,1.0671e-05,1.2958e-05,3e-06,
  conv1,relu,hot,5.6634e-06,8.0905e-06,5.6634e-06,6.8769e-06,3e-06,
  pool1,max_pool,hot,2.1669e-06,3.0957e-06,2.1669e-06,2.6313e-06,3e-06,
  fc2,inner_product,hot,2.6343e-06,3.7632e-06,2.6343e-06,3.1987e-06,3e-06,
  softmax,softmax,hot,5.8299e-06,8.3285e-06,5.8299e-06,7.0792e-06,3e-06,
  $ grep -E '^resumed|measured in' notes | short
  resumed: 15 of 20 times measured before
  5 times measured in TIME s (5 ops in 4 modes), 0 unsupported, 0 failed

The first one has its own unit:

  $ paleo-profile --device fake --mode enqueue,cold --pass fwd --output units.jsonl "$small" | sed -n '/enqueue us/p; /^conv1/p'
  layer    kind           pass     MFLOP      kB   pred us  share %  enqueue us  +-% run  cold us  error %   GFLOP/s   GB/s  % peak  bound    algorithm
  conv1    conv           fwd   2.35      199     0.434        20.0         3.0      0.0   15.245    -85.5  783.4      66.3       8  compute  known_factors
  conv1    relu           fwd   0.0461    369     0.373        20.0         3.0      0.0    8.091    -87.6   15.4     122.9      12  memory   known_factors

One mode that is not cold stands in the heading:

  $ paleo-profile --device fake --mode hot --pass fwd --output hot.jsonl "$small" | sed -n '/^small,/p'
  small, batch 4 instead of the file's 32, f32, nchw, hot, 29,330 parameters

What fails in one mode costs that mode's time, not the others', and stays until it is retried:

  $ for option in --output --resume --retry-failed; do
  > 	echo "$option"
  > 	[ "$option" = --retry-failed ] || PALEO_FAKE=still,fail=hot
  > 	[ "$option" = --output ] && option=
  > 	say paleo-profile --device fake --mode cold,hot --pass fwd $option --output faults.jsonl "$small" |
  > 		sed -n '/cold us/{s/  */ /g; p}; /^pool1/{s/  */ /g; p}; /rows hot /p; /^  forward  *hot /p; s/measured in [0-9.]* s/measured in TIME s/p; /^resumed/p; /^->/p'
  > 	PALEO_FAKE=still
  > done
  --output
    5 rows hot failed: the fake library failed, as asked for
  layer kind pass MFLOP kB pred us share % cold us +-% run error % GFLOP/s GB/s % peak bound algorithm
  pool1 max_pool fwd 0.0461 242 0.247 8.0 3.096 0.0 -92.0 14.9 78.1 8 memory known_factors
  5 times measured in TIME s (5 ops in 2 modes), 0 unsupported, 5 failed
  -> 1
  --resume
  resumed: 10 of 10 times measured before, 5 of them failed (--retry-failed measures them again)
    5 rows hot failed: the fake library failed, as asked for
  layer kind pass MFLOP kB pred us share % cold us +-% run error % GFLOP/s GB/s % peak bound algorithm
  pool1 max_pool fwd 0.0461 242 0.247 8.0 3.096 0.0 -92.0 14.9 78.1 8 memory known_factors
  0 times measured in TIME s (5 ops in 2 modes), 0 unsupported, 0 failed
  -> 1
  --retry-failed
  resumed: 5 of 10 times measured before
    forward             hot 0.027 ms, 0.70 of cold
  layer kind pass MFLOP kB pred us share % cold us +-% run hot us error % GFLOP/s GB/s % peak bound algorithm
  pool1 max_pool fwd 0.0461 242 0.247 8.0 3.096 0.0 2.167 -92.0 14.9 78.1 8 memory known_factors
  5 times measured in TIME s (5 ops in 2 modes), 0 unsupported, 0 failed
  -> 0

  $ for wrong in cold,warm cold,cold '' 'cold,'; do
  > 	say paleo-profile --device fake --mode "$wrong" "$small"
  > done
  paleo-profile: --mode has 'warm', expected one or more of cold, hot, weights-cold, enqueue, comma-separated
  -> 2
  paleo-profile: --mode has 'cold' twice
  -> 2
  paleo-profile: --mode has '', expected one or more of cold, hot, weights-cold, enqueue, comma-separated
  -> 2
  paleo-profile: --mode has '', expected one or more of cold, hot, weights-cold, enqueue, comma-separated
  -> 2

A fit, and what judges it, see one mode of the file:

  $ paleo-profile --device fake --mode cold --output cold.jsonl "$small" >/dev/null
  $ paleo-profile --device fake --mode cold,hot,weights-cold,enqueue --output all.jsonl "$small" >/dev/null
  $ paleo-profile --device fake --mode hot --output hot.jsonl "$small" >/dev/null
  $ dated() {
  > 	sed 's/"created_utc":"[^"]*"/"created_utc":"DATE"/; s/"created_utc": "[^"]*"/"created_utc": "DATE"/' "$1"
  > }
  $ for mode in cold hot; do
  > 	for file in "$mode" all; do
  > 		paleo-calibrate --mode $mode --from $file.jsonl --output $file-$mode.json | grep -E '^fitted'
  > 		dated $file-$mode.json >$file-$mode.dated
  > 		paleo-validate --mode $mode $file.jsonl | tail -n +2 >$file-$mode.validated
  > 	done
  > 	cmp $mode-$mode.dated all-$mode.dated && echo "$mode: one calibration"
  > 	cmp $mode-$mode.validated all-$mode.validated && echo "$mode: one judgement"
  > 	paleo-validate --calibration all-$mode.json all.jsonl >judged-all
  > 	paleo-validate --calibration all-$mode.json $mode.jsonl >judged-one
  > 	sed 1d judged-all >a && sed 1d judged-one >b && cmp a b && echo "$mode: judges its own"
  > done
  fitted to 13 records
  fitted to 13 records, 39 in another cache state
  cold: one calibration
  cold: one judgement
  cold: judges its own
  fitted to 13 records
  fitted to 13 records, 39 in another cache state
  hot: one calibration
  hot: one judgement
  hot: judges its own
  $ cmp -s cold-cold.dated hot-hot.dated || echo "cold is not hot"
  cold is not hot
  $ paleo-profile --device fake --mode hot,cold --calibration cold-cold.json --pass fwd --output hot.jsonl "$small" |
  > 	grep '^it predicts'
  it predicts cold times, printed next to hot ones
