Records without a clean sample are no times.

  $ paleo-profile --device fake --output small.jsonl "$small" >/dev/null
  $ sed -E '/"op":"(conv|gemm) fwd/{s/"status":"ok"/"status":"disturbed"/; s/,"timing":.*/}/}' small.jsonl >old.jsonl

They are measured again:

  $ cp old.jsonl again.jsonl
  $ paleo-profile --device fake --resume --output again.jsonl "$small" | grep -E '^resumed|ops measured' |
  > 	sed 's/in [0-9.]* s/in TIME s/'
  resumed: 11 of 13 ops measured before
  2 ops measured in TIME s, 0 unsupported, 0 failed
  $ tail -n 4 again.jsonl | grep -o '"op":"[a-z]* [a-z]*\|"status":"ok"'
  "op":"conv fwd
  "status":"ok"
  "op":"gemm fwd
  "status":"ok"

No fit takes them:

  $ paleo-calibrate --from old.jsonl --output calibration.json | grep '^fitted'
  fitted to 11 records, 2 disturbed
  $ paleo-calibrate --from again.jsonl --output calibration.json | grep '^fitted'
  fitted to 13 records

Every total and share is of the whole net. A disturbed op keeps its least sample, of low confidence:

  $ sums() { sed -nE '/^  (forward|backward|update|training step) /{s/predicted +[0-9.]+ us//; s/total +[0-9.]+ us/total/; s/  +90 %.*//; s/  +[0-9.]+ images.*//; s/ error [^ ]* %/ error/; p;}' text; }
  $ profile() { paleo-profile --device fake --output "$@" "$small" >text || echo "-> $?"; sums; grep -E '^Only|^bound' text; }
  $ PALEO_FAKE=still,disturbed=eltwise profile some.jsonl
    forward               total: 79 % measured, 21 % low confidence (4 of 5 rows measured, error)
    backward              total: 79 % measured, 21 % low confidence (5 of 6 rows measured, error)
    forward + backward    total: 79 % measured, 21 % low confidence (9 of 11 rows measured, error)
    update                measured      7.949 us +-0.0 % within this run  error  -95.5 %
    training step         total: 81 % measured, 19 % low confidence (11 of 13 rows measured, error)
  bound by (predicted): compute 35 %, memory 65 %
  $ grep -c '"least_s":' some.jsonl
  4
  $ grep -E ' relu |^kind|^conv |^relu ' text | sed -E 's/  +/ /g'
  kind rows time us share % measured % pred us error %
  conv 2 30.876 34.6 100 0.868 -97.2
  relu 2 16.882 18.9 0 0.935 -
  conv1 relu fwd 0.0461 369 0.373 9.1 8.091 - - - - - memory - disturbed
  conv1 relu bwd_data 0.0922 553 0.562 9.8 8.791 - - - - - memory - disturbed

Less than half of the predicted time is measured:

  $ PALEO_FAKE=still,disturbed= profile none.jsonl
  -> 7
    forward               total: 100 % low confidence (0 of 5 rows measured)
    backward              total: 100 % low confidence (0 of 6 rows measured)
    forward + backward    total: 100 % low confidence (0 of 11 rows measured)
    update                total: 100 % low confidence (0 of 2 rows measured)
    training step         total: 100 % low confidence (0 of 13 rows measured)
  bound by (predicted): compute 35 %, memory 65 %
  Only 0 % of the predicted time was measured undisturbed: totals and shares use disturbed times and predictions

  $ PALEO_FAKE=disturbed= paleo-profile --device fake --op 'gemm fwd f32 m=64 n=64 k=64' >/dev/null
  [7]

No comparison judges by them, and the report shows them apart:

  $ PALEO_FAKE=still profile clean.jsonl
    forward               measured     38.523 us +-0.0 % within this run  error  -96.8 %
    backward              measured     42.861 us +-0.0 % within this run  error  -96.2 %
    forward + backward    measured     81.385 us +-0.0 % within this run  error  -96.5 %
    update                measured      7.949 us +-0.0 % within this run  error  -95.5 %
    training step         measured     89.333 us +-0.0 % within this run  error  -96.4 %
  bound by (predicted): compute 35 %, memory 65 %
  $ paleo compare clean.jsonl some.jsonl | sed -n 4p
  11 rows of the same network, batch size and dtype in common; 2 only in A and 0 only in B
  $ paleo report --output page.html some.jsonl && grep -c '"least_s":' page.html
  report: page.html
  1
