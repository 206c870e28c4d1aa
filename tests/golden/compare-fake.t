A change of 2 % in some ops is found, in no others, and ends a build that asks for it.

Without noise, so that every number is known; how many samples there are depends on the clock, and with
them whether a time has an interval: both are put in place.

  $ profile() {
  > 	PALEO_FAKE=still$2 paleo-profile --device fake --force --output made.jsonl "$small" >/dev/null 2>&1
  > 	sed 's/"median_s":\([^,]*\),"ci_low_s":[^,]*,"ci_high_s":[^,]*,/"median_s":\1,"ci_low_s":\1,"ci_high_s":\1,/
  > 		s/"samples":[0-9]*/"samples":20/' made.jsonl >"$1.jsonl"
  > }
  $ undated() {
  > 	sed 's/20[0-9-]*T[0-9:]*Z/DATE/'
  > }
  $ profile a ''
  $ profile same ''
  $ profile conv ,slower=conv
  $ profile all ,slower

  $ say paleo compare a.jsonl same.jsonl --fail-slower 0% --fail-layer 0% | undated
  A  a.jsonl: fake device with known factors, for tests, fake 1, DATE
  B  same.jsonl: fake device with known factors, for tests, fake 1, DATE
  Same device, libraries, threads, version and machine
  13 rows of the same network, batch size and dtype in common

  small, batch 4, f32: SAME, +0.0 % (95 %: +0.0 to +0.0 %), from 89.333 to 89.333 us
  13 different ops: 0 SLOWER, 0 FASTER, 13 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %

  verdict  layer    kind           pass          A us    B us  change %  low %  high %  B - A us
  ----------------------------------------------------------------------------------------------
  SAME     conv1    conv           fwd         15.245  15.245       0.0    0.0     0.0     0.000
  SAME     conv1    relu           fwd          8.091   8.091       0.0    0.0     0.0     0.000
  SAME     pool1    max_pool       fwd          3.096   3.096       0.0    0.0     0.0     0.000
  SAME     fc2      inner_product  fwd          3.763   3.763       0.0    0.0     0.0     0.000
  SAME     softmax  softmax        fwd          8.329   8.329       0.0    0.0     0.0     0.000
  SAME     softmax  softmax        bwd_data     8.048   8.048       0.0    0.0     0.0     0.000
  SAME     fc2      inner_product  bwd_filter   4.337   4.337       0.0    0.0     0.0     0.000
  SAME     fc2      inner_product  bwd_data     3.356   3.356       0.0    0.0     0.0     0.000
  SAME     pool1    max_pool       bwd_data     2.698   2.698       0.0    0.0     0.0     0.000
  SAME     conv1    relu           bwd_data     8.791   8.791       0.0    0.0     0.0     0.000
  3 more rows: --all
  -> 0
  $ say paleo compare a.jsonl conv.jsonl --fail-layer 1% | undated
  A  a.jsonl: fake device with known factors, for tests, fake 1, DATE
  B  conv.jsonl: fake device with known factors, for tests, fake 1, DATE
  Same device, libraries, threads, version and machine
  13 rows of the same network, batch size and dtype in common

  small, batch 4, f32: SAME, +0.7 % (95 %: +0.7 to +0.7 %), from 89.333 to 89.951 us
  13 different ops: 2 SLOWER, 0 FASTER, 11 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %

  verdict  layer    kind           pass          A us    B us  change %  low %  high %  B - A us
  ----------------------------------------------------------------------------------------------
  SLOWER   conv1    conv           bwd_filter  15.631  15.943       2.0    2.0     2.0     0.313
  SLOWER   conv1    conv           fwd         15.245  15.550       2.0    2.0     2.0     0.305
  SAME     conv1    relu           fwd          8.091   8.091       0.0    0.0     0.0     0.000
  SAME     pool1    max_pool       fwd          3.096   3.096       0.0    0.0     0.0     0.000
  SAME     fc2      inner_product  fwd          3.763   3.763       0.0    0.0     0.0     0.000
  SAME     softmax  softmax        fwd          8.329   8.329       0.0    0.0     0.0     0.000
  SAME     softmax  softmax        bwd_data     8.048   8.048       0.0    0.0     0.0     0.000
  SAME     fc2      inner_product  bwd_filter   4.337   4.337       0.0    0.0     0.0     0.000
  SAME     fc2      inner_product  bwd_data     3.356   3.356       0.0    0.0     0.0     0.000
  SAME     pool1    max_pool       bwd_data     2.698   2.698       0.0    0.0     0.0     0.000
  3 more rows: --all
  -> 6
  $ say paleo compare --format md --top 3 a.jsonl all.jsonl --fail-slower 5 | undated
  A  a.jsonl: fake device with known factors, for tests, fake 1, DATE
  B  all.jsonl: fake device with known factors, for tests, fake 1, DATE
  Same device, libraries, threads, version and machine
  13 rows of the same network, batch size and dtype in common

  small, batch 4, f32: SLOWER, +2.0 % (95 %: +2.0 to +2.0 %), from 89.333 to 91.120 us
  13 different ops: 13 SLOWER, 0 FASTER, 0 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %


  | verdict | layer | kind | pass | A us | B us | change % | low % | high % | B - A us |
  | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
  | SLOWER | conv1 | conv | bwd_filter | 15.631 | 15.943 | 2.0 | 2.0 | 2.0 | 0.313 |
  | SLOWER | conv1 | conv | fwd | 15.245 | 15.550 | 2.0 | 2.0 | 2.0 | 0.305 |
  | SLOWER | conv1 | relu | bwd_data | 8.791 | 8.967 | 2.0 | 2.0 | 2.0 | 0.176 |

  10 more rows: --all
  -> 0
  $ paleo compare --format csv --fail-slower 1.5% a.jsonl all.jsonl 2>/dev/null >table
  [6]
  $ columns verdict,net,batch,layer,pass <table | head -3
  verdict,net,batch,layer,pass
  SLOWER,small,4,conv1,fwd
  SLOWER,small,4,conv1,fwd

Several runs of a side:

  $ say paleo compare a.jsonl,same.jsonl conv.jsonl,all.jsonl --top 2 | undated
  A  a.jsonl,same.jsonl: fake device with known factors, for tests, fake 1, DATE (the last run)
  B  conv.jsonl,all.jsonl: fake device with known factors, for tests, fake 1, DATE (the last run)
  Same device, libraries, threads, version and machine
  13 rows of the same network, batch size and dtype in common

  small, batch 4, f32: UNCLEAR, +1.3 % (95 %: -10.6 to +14.9 %), from 89.333 to 90.532 us
  13 different ops: 0 SLOWER, 0 FASTER, 0 SAME within 1 %, 13 UNCLEAR; median uncertainty of an op's change: +-12.7 %

  verdict  layer  kind  pass          A us    B us  change %  low %  high %  B - A us
  -----------------------------------------------------------------------------------
  UNCLEAR  conv1  conv  bwd_filter  15.631  15.943       2.0  -10.1    15.7     0.313
  UNCLEAR  conv1  conv  fwd         15.245  15.550       2.0  -10.1    15.7     0.305
  11 more rows: --all
  -> 0

Rows as JSON lines:

  $ paleo predict --device t4 --cost-model datasheet --format jsonl "$small" >t4.jsonl 2>/dev/null
  $ paleo predict --device l4 --cost-model datasheet --format jsonl --batch 8 "$small" >l4.jsonl 2>/dev/null
  $ paleo compare t4.jsonl l4.jsonl --top 2
  A  t4.jsonl: rows that were predicted
  B  l4.jsonl: rows that were predicted
  13 layers of the same name, of any batch size and dtype in common
  batch sizes differ: times are those of one image

  small, batch 32 and 8, f32: UNCLEAR, +11.3 % (a time has no interval), from 1.757 to 1.955 us an image
  13 different ops: 0 SLOWER, 0 FASTER, 0 SAME within 1 %, 13 UNCLEAR

  verdict  layer  kind    pass      A us   B us  change %  B - A us
  -----------------------------------------------------------------
  UNCLEAR  fc2    update  update  0.0340  0.144     324.6    0.110
  UNCLEAR  conv1  conv    fwd     0.227   0.184     -18.6   -0.0422
  11 more rows: --all
  $ say paleo compare a.jsonl t4.jsonl --top 1 | undated
  A  a.jsonl: fake device with known factors, for tests, fake 1, DATE
  B  t4.jsonl: rows that were predicted
  13 layers of the same name, of any batch size and dtype in common
  batch sizes differ: times are those of one image

  small, batch 4 and 32, f32: UNCLEAR, -92.1 % (a time has no interval), from 22.333 to 1.757 us an image
  13 different ops: 0 SLOWER, 0 FASTER, 0 SAME within 1 %, 13 UNCLEAR

  verdict  layer  kind  pass         A us   B us  change %  B - A us
  ------------------------------------------------------------------
  UNCLEAR  conv1  conv  bwd_filter  3.908  0.227     -94.2    -3.681
  12 more rows: --all
  -> 0

A pass of batch 8 takes longer than one of batch 4, and per image it is faster:

  $ PALEO_FAKE=still paleo-profile --device fake --force --batch 8 --output eight.jsonl "$small" >/dev/null 2>&1
  $ say paleo compare a.jsonl eight.jsonl --top 2 | undated
  A  a.jsonl: fake device with known factors, for tests, fake 1, DATE
  B  eight.jsonl: fake device with known factors, for tests, fake 1, DATE
  Same device, libraries, threads, version and machine
  13 layers of the same name, of any batch size and dtype in common
  batch sizes differ: times are those of one image

  small, batch 4 and 8, f32: FASTER, -47.6 % (95 %: -47.6 to -47.6 %), from 22.333 to 11.710 us an image
  13 different ops: 0 SLOWER, 13 FASTER, 0 SAME within 1 %, 0 UNCLEAR; median uncertainty of an op's change: +-0.0 %

  verdict  layer  kind  pass         A us   B us  change %  low %  high %  B - A us
  ---------------------------------------------------------------------------------
  FASTER   conv1  conv  bwd_filter  3.908  2.040     -47.8  -47.8   -47.8    -1.867
  FASTER   conv1  conv  fwd         3.811  2.023     -46.9  -46.9   -46.9    -1.789
  11 more rows: --all
  -> 0

Faults:

  $ paleo compare a.jsonl
  2> paleo-compare: expected two sides, A and B, for example before.jsonl after.jsonl; or what differs, and networks: threads=1,2 vgg16 (see --help)
  [2]
  $ paleo compare a.jsonl absent.jsonl
  2> paleo-compare: absent.jsonl: cannot open: No such file or directory
  [2]
  $ paleo compare a.jsonl ,
  2> paleo-compare: ',': expected a file, or up to 64, comma-separated
  [2]
  $ paleo compare --mode hot a.jsonl same.jsonl
  2> paleo-compare: a.jsonl: has no time of an op in mode 'hot'
  [2]
  $ paleo compare --fail-slower some a.jsonl same.jsonl
  2> paleo-compare: --fail-slower is 'some', expected a number from 0 to 1000000 percent (5, 5%)
  [2]
  $ paleo compare --same 101% a.jsonl same.jsonl
  2> paleo-compare: --same is '101%', expected a number from 0 to 100 percent (5, 5%)
  [2]
  $ echo '{"layer":"a","predicted_s":1}' >bad.jsonl
  $ paleo compare a.jsonl bad.jsonl
  2> paleo-compare: bad.jsonl:1:1: has no "op"; rows of predict and profile have one
  [2]
  $ echo '{"layer":"a","op":"none","predicted_s":-1}' >bad.jsonl
  $ paleo compare a.jsonl bad.jsonl
  2> paleo-compare: bad.jsonl:1:40: predicted_s: expected a number from 1e-15 to 1000000000000000, found -1
  [2]
  $ echo '{"layer":"a","op":"none","predicted_s":1}' >bad.jsonl
  $ paleo compare a.jsonl bad.jsonl
  2> paleo-compare: A and B have no row and no op with a time in common
  [2]
