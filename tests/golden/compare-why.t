What got slower, and why: algorithms, clocks and libraries that differ, with their shares of the change.

Without noise, as in compare-fake.t.

  $ PALEO_FAKE=still,slower paleo-profile --device fake --output made.jsonl "$small" >/dev/null 2>&1
  $ sed 's/"median_s":\([^,]*\),"ci_low_s":[^,]*,"ci_high_s":[^,]*,/"median_s":\1,"ci_low_s":\1,"ci_high_s":\1,/
  > 	s/"samples":[0-9]*/"samples":20/' made.jsonl >b.jsonl
  $ PALEO_FAKE=still paleo-profile --device fake --force --output made.jsonl "$small" >/dev/null 2>&1
  $ sed 's/"median_s":\([^,]*\),"ci_low_s":[^,]*,"ci_high_s":[^,]*,/"median_s":\1,"ci_low_s":\1,"ci_high_s":\1,/
  > 	s/"samples":[0-9]*/"samples":20/' made.jsonl >a.jsonl

An update that takes another engine for convolutions and a lower clock elsewhere: both are named, with their shares.

  $ sed '/"op":"conv/ s/"engine":"10"/"engine":"57"/; /"op":"pool/ s/"sm_mhz":900/"sm_mhz":450/
  > 	s/"versions":"fake 1"/"versions":"fake 2, driver 580.1"/' b.jsonl >new.jsonl
  $ paleo compare --top 4 a.jsonl new.jsonl | sed '/^[AB] /d'
  differs: fake 1 -> 2; driver - -> 580.1
  13 rows of the same network, batch size and dtype in common

  small, batch 4, f32: SLOWER, +2.0 % (95 %: +2.0 to +2.0 %), from 89.333 to 91.120 us
    +0.7 points: 2 rows with another algorithm, engine 10 -> 57
    +0.1 points: 2 rows with another clock, 900 -> 450 MHz
    +1.2 points: the rest; differs: fake 1 -> 2; driver - -> 580.1
  13 different ops: 13 SLOWER, 0 FASTER, 0 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %

  verdict  layer    kind     pass          A us    B us  change %  low %  high %  B - A us  why
  ---------------------------------------------------------------------------------------------------------
  SLOWER   conv1    conv     bwd_filter  15.631  15.943       2.0    2.0     2.0     0.313  engine 10 -> 57
  SLOWER   conv1    conv     fwd         15.245  15.550       2.0    2.0     2.0     0.305  engine 10 -> 57
  SLOWER   conv1    relu     bwd_data     8.791   8.967       2.0    2.0     2.0     0.176  -
  SLOWER   softmax  softmax  fwd          8.329   8.495       2.0    2.0     2.0     0.167  -
  9 more rows: --all
  $ paleo compare --format csv a.jsonl new.jsonl 2>/dev/null >table
  $ columns layer,pass,engine_a,engine_b,clock_mhz_a,clock_mhz_b,why <table | grep -e engine -e clock
  layer,pass,engine_a,engine_b,clock_mhz_a,clock_mhz_b,why
  conv1,fwd,10,57,900,900,engine 10 -> 57
  pool1,fwd,10,10,900,450,clock 900 -> 450 MHz
  pool1,bwd_data,10,10,900,450,clock 900 -> 450 MHz
  conv1,bwd_filter,10,57,900,900,engine 10 -> 57

The shares are the difference: none of the sums differs by more than rounding.

  $ columns difference_s,by_algorithm_s,by_clock_s,by_rest_s <table | awk -F, '
  > 	NR > 1 { apart += $1; sum += $2 + $3 + $4; algorithm += $2; clock += $3 }
  > 	END {
  > 		print (sqrt((apart - sum) ^ 2) < 1e-9 * apart)
  > 		printf "%.3f us, %.3f by algorithm, %.3f by clock\n", 1e6 * apart, 1e6 * algorithm, 1e6 * clock
  > 	}'
  1
  1.787 us, 0.618 by algorithm, 0.116 by clock
  $ columns run <table | sort -u
  fake 1 -> 2; driver - -> 580.1
  run

The same machine twice: nothing is named, and a clock counts only where a time changed.

  $ paleo compare a.jsonl a.jsonl | sed -n '/^Same/p; /^small/,/^13/p'
  Same device, libraries, threads, version and machine
  small, batch 4, f32: SAME, +0.0 % (95 %: +0.0 to +0.0 %), from 89.333 to 89.333 us
  13 different ops: 0 SLOWER, 0 FASTER, 13 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %
  $ sed 's/"sm_mhz":900/"sm_mhz":800/' a.jsonl >clock.jsonl
  $ paleo compare a.jsonl clock.jsonl | sed -n '/^small/,/^13/p'
  small, batch 4, f32: SAME, +0.0 % (95 %: +0.0 to +0.0 %), from 89.333 to 89.333 us
  13 different ops: 0 SLOWER, 0 FASTER, 13 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %

Of another engine the knobs that differ, of a clock what limits it:

  $ sed '/"op":"conv fwd/ s/"knobs":"[^"]*"/"knobs":"tile_size=4 stages=2"/' a.jsonl >tiled.jsonl
  $ sed '/"op":"conv fwd/ s/"knobs":"[^"]*"/"knobs":"tile_size=2 split_k=3 stages=2"/; s/"reasons":""/"reasons":"power_cap"/
  > 	s/"reasons":null/"reasons":"power_cap"/' b.jsonl >capped.jsonl
  $ paleo compare --format csv tiled.jsonl capped.jsonl 2>/dev/null | columns layer,pass,why | head -n 3
  layer,pass,why
  conv1,fwd,tile code 4 -> 2; split-K - -> 3; clock limit - -> power_cap
  conv1,fwd,clock limit - -> power_cap

What notes say of engines, and numbers that cublasLt documents, is said in words; unknown ones stay numbers.

  $ sed '/"op":"conv fwd/ s/"knobs"/"notes":"tensor_core","knobs"/
  > 	/"op":"gemm fwd/ s/"knobs":"[^"]*"/"knobs":"tile=20 stages=35 split_k=1 cluster=3"/' a.jsonl >words.jsonl
  $ sed '/"op":"conv fwd/ { s/"engine":"10"/"engine":"57"/; s/"knobs"/"notes":"winograd winograd_4x4 new","knobs"/; }
  > 	/"op":"gemm fwd/ s/"knobs":"[^"]*"/"knobs":"tile=24 stages=99 split_k=4 cluster=3"/' b.jsonl >other.jsonl
  $ paleo compare --format jsonl words.jsonl other.jsonl 2>/dev/null |
  > 	sed -n 's/.*"layer":"\([^"]*\)".*"pass":"fwd".*"why":"\([^"]*\)".*/\1: \2/p'
  conv1: engine 10: tensor cores -> 57: Winograd, 4x4 tiles, new
  fc2: tile 128x128 -> 256x128; stages 64xauto -> 99; split-K 1 -> 4

A row that carries both has the clock's share first, at most what the clock changes; another engine has the rest.

  $ sed '/"op":"conv/ { s/"engine":"10"/"engine":"57"/; s/"sm_mhz":900/"sm_mhz":890/; }' b.jsonl >both.jsonl
  $ paleo compare a.jsonl both.jsonl | grep points
    +0.7 points: 2 rows with another algorithm, engine 10 -> 57
    +1.3 points: the rest
  $ sed '/"op":"conv/ { s/"engine":"10"/"engine":"57"/; s/"sm_mhz":900/"sm_mhz":880/; }' b.jsonl >both.jsonl
  $ paleo compare a.jsonl both.jsonl | grep points
    +0.0 points: 2 rows with another algorithm, engine 10 -> 57
    +0.7 points: 2 rows with another clock, 900 -> 880 MHz
    +1.3 points: the rest

Runs of a side that differ among themselves say so.

  $ paleo compare --all a.jsonl,both.jsonl both.jsonl,both.jsonl | grep -o 'engine.*' | sort -u
  engine 10 or 57 -> 57
