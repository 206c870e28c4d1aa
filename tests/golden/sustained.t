Times under load: behind a second of the same op, in files of their own, told from bursts.

medians FILE - of its records, in the order of their ops

  $ medians() {
  > 	sed -n 's/.*"op":"\([^"]*\)".*"regime":"\([a-z]*\)".*"median_s":\([^,]*\),.*/\1|\2|\3/p' "$1" | sort
  > }

slower FILE FILE - how many ops are how many times slower in the second file

  $ slower() {
  > 	medians "$1" >a
  > 	medians "$2" >b
  > 	paste -d '|' a b | awk -F '|' '{ printf "%s, then %s: %.2f times as long\n", $2, $5, $6 / $3 }' | sort | uniq -c
  > }

refused COMMAND... - its exit code and its last line

  $ refused() {
  > 	code=0
  > 	"$@" >text 2>&1 || code=$?
  > 	echo "$code: $(tail -n 1 text)"
  > }

After half a second of the same op the fake device takes a quarter longer.

  $ export PALEO_FAKE=still,throttle=0.5
  $ paleo-profile --device fake --output burst.jsonl "$small" >text
  $ grep -c sustained text
  0
  [1]
  $ paleo-profile --device fake --sustained --output sustained.jsonl "$small" | grep sustained:
  sustained: each op runs for 1 s before it is timed
  $ slower burst.jsonl sustained.jsonl
       13 burst, then sustained: 1.25 times as long

A limit that the second does not reach is not seen.

  $ PALEO_FAKE=still,throttle=5 paleo-profile --device fake --sustained --output cool.jsonl "$small" >text
  $ slower burst.jsonl cool.jsonl
       13 burst, then sustained: 1.00 times as long

A file has one regime:

  $ paleo-compare burst.jsonl sustained.jsonl | grep '^differs'
  differs: regime burst -> sustained
  $ refused paleo-profile --device fake --resume --output sustained.jsonl "$small"
  2: paleo-profile: sustained.jsonl: holds sustained times, and burst ones are asked for; choose another file
  $ refused paleo-calibrate --device fake --from burst.jsonl --from sustained.jsonl
  2: paleo-calibrate: sustained.jsonl: has sustained times, earlier files burst ones: incompatible
  $ refused paleo-compare burst.jsonl burst.jsonl,sustained.jsonl
  2: paleo-compare: run 2 of a side has sustained times, the first burst ones: incompatible
  $ paleo-profile --device fake --sustained "$small" | grep '^records'
  records: paleo-results/fake/small-b4-f32-sustained.jsonl

A key that a record of before lacks:

  $ sed 's/"regime":"burst",//' burst.jsonl >before.jsonl
  $ paleo-compare before.jsonl sustained.jsonl | grep '^differs'
  differs: regime burst -> sustained

Each record says it:

  $ paleo-fullpass --device fake --sustained --pass fwd --output pass.jsonl "$small" | grep sustained:
  sustained: each op runs for 1 s before it is timed
  $ grep '"type":"graph_run"' pass.jsonl | grep -o '"regime":"[a-z]*"'
  "regime":"sustained"
  $ paleo-calibrate --device fake --sustained --time-budget 1s --records design.jsonl --output c.json >text
  $ grep -o '"regime": *"[a-z]*"' design.jsonl c.json | sort -u
  c.json:"regime": "sustained"
  design.jsonl:"regime":"sustained"
  $ paleo-profile --device fake --calibration c.json --output again.jsonl "$small" | grep '^it predicts'
  it predicts sustained times, printed next to burst ones

Ceilings: without what is no load, and in a file of their own:

  $ paleo-check --device fake --format csv 2>/dev/null | grep -v ' fwd ' | cut -d , -f 1-3,5
  name,value,unit,regime
  gemm_f32,10000000000000,FLOP/s,burst
  gemm_tf32,20000000000000,FLOP/s,burst
  gemm_f16,40000000000000,FLOP/s,burst
  gemm_bf16,40000000000000,FLOP/s,burst
  gemm_fp8,80000000000000,FLOP/s,burst
  copy,1000000000000,B/s,burst
  launch_stream,3e-06,s,burst
  $ paleo-check --device fake --sustained --format csv 2>/dev/null | grep -v ' fwd ' | cut -d , -f 1-3,5
  name,value,unit,regime
  gemm_f32,8000000000000,FLOP/s,sustained
  gemm_tf32,16000000000000,FLOP/s,sustained
  gemm_f16,32000000000000,FLOP/s,sustained
  gemm_bf16,32000000000000,FLOP/s,sustained
  gemm_fp8,64000000000000,FLOP/s,sustained
  copy,1000000000000,B/s,sustained
  $ ls paleo-results/fake
  ceilings-sustained.jsonl
  ceilings.jsonl
  small-b4-f32-sustained.jsonl
  $ grep -h '"type":"ceiling","name":"copy"' paleo-results/fake/ceilings*.jsonl | grep -o '"regime":"[a-z]*"'
  "regime":"sustained"
  "regime":"burst"
