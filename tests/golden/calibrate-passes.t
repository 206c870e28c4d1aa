Whole passes measured in a calibration's time, and what they correct.

passes OPTION... - what a calibration says of nets and whole passes.

  $ passes() {
  > 	paleo-calibrate --output c.json "$@" 2>&1 |
  > 		grep -E "the networks' ops|full pass|whole|paleo-calibrate:" | sed -E 's/[0-9]\.[0-9]{3}/FACTOR/g'
  > }

One net, all its ops beside drawn ones, and three passes:

  $ passes --device fake --time-budget 8s --full-pass "$small" --records r.jsonl
  13 of them are the networks' ops, 0 measured before, 0 left for --resume
  full pass, fwd f32: FACTOR of the sum of its ops (1 net)
  full pass, fwd+bwd f32: FACTOR of the sum of its ops (1 net)
  full pass, step f32: FACTOR of the sum of its ops, FACTOR of its optimizer updates (1 net)
  $ [ "$(grep -c '"type":"graph_run"' r.jsonl)" -eq 3 ]
  $ before=$(wc -l <r.jsonl)

Resumed: no pass is measured again:

  $ passes --device fake --time-budget 1s --full-pass "$small" --records r.jsonl --resume | grep "full pass,"
  full pass, fwd f32: FACTOR of the sum of its ops (1 net)
  full pass, fwd+bwd f32: FACTOR of the sum of its ops (1 net)
  full pass, step f32: FACTOR of the sum of its ops, FACTOR of its optimizer updates (1 net)
  $ [ "$(grep -c '"type":"graph_run"' r.jsonl)" -eq 3 ] && [ "$(wc -l <r.jsonl)" -ge "$before" ]

The records hold them, for later fits, too:

  $ passes --from r.jsonl
  full pass, fwd f32: FACTOR of the sum of its ops (1 net)
  full pass, fwd+bwd f32: FACTOR of the sum of its ops (1 net)
  full pass, step f32: FACTOR of the sum of its ops, FACTOR of its optimizer updates (1 net)
  $ paleo-fullpass --device fake --pass fwd --output alone.jsonl "$small" >/dev/null
  $ grep -v graph_run r.jsonl >ops.jsonl
  $ passes --from ops.jsonl --from alone.jsonl
  No correction of whole networks: no pass has all of its ops measured in isolation.
  $ passes --from ops.jsonl --passes alone.jsonl
  paleo-calibrate: --passes: no full pass in 'alone.jsonl' with all ops measured in isolation; use paleo-fullpass --from PROFILE --output FILE

  $ paleo-calibrate --device fake --full-pass missing-net
  2> paleo-calibrate: no net 'missing-net' here, in ./nets or among the shipped ones, which nets/README.md lists
  [2]
  $ paleo-calibrate --full-pass "$small" --from r.jsonl
  2> paleo-calibrate: networks are measured, but --from measures nothing: leave one of them out
  [2]
  $ paleo-calibrate --device fake --full-pass "$small" --mode hot
  2> paleo-calibrate: --full-pass needs --mode cold: passes are compared with ops measured alone, cold
  [2]

What cannot be run is refused at once, without a file:

  $ paleo-calibrate --device fake --full-pass "$small" --dtype fp8 --records none.jsonl --output none.json
  2> paleo-calibrate: full passes do not run in fp8: use bf16
  [1]
  $ ls none.* 2>/dev/null || echo "no file"
  no file

Sums of other times are not corrected:

  $ paleo-profile --device fake --mode hot,cold --output modes.jsonl "$small" >/dev/null
  $ grep graph_run r.jsonl >>modes.jsonl
  $ passes --from modes.jsonl
  full pass, fwd f32: FACTOR of the sum of its ops (1 net)
  full pass, fwd+bwd f32: FACTOR of the sum of its ops (1 net)
  full pass, step f32: FACTOR of the sum of its ops, FACTOR of its optimizer updates (1 net)
  $ passes --from modes.jsonl --mode hot
  No correction of whole networks: the 3 passes need --mode cold.
  $ grep '"passes"' c.json || echo "none in the calibration"
  none in the calibration
  $ paleo-calibrate --from modes.jsonl --mode hot --passes alone.jsonl
  2> paleo-calibrate: --passes needs --mode cold: passes are compared with ops measured alone, cold
  [2]

Interrupted within the passes:

  $ has_passes() {
  > 	[ "$(grep -sc '"type":"graph_run"' "$2")" -ge "$1" ] 2>/dev/null
  > }
  $ PALEO_FAKE=slow paleo-calibrate --device fake --time-budget 6s --full-pass "$small" --records i.jsonl \
  > 	--output i.json >out 2>&1 &
  $ pid=$!
  $ soon has_passes 1 i.jsonl
  $ kill -TERM $pid
  $ wait $pid
  [130]
  $ grep -i interrupted out
  Interrupted: stops after the current op; again stops at once
  paleo-calibrate: interrupted; --resume continues
  $ [ "$(grep -c '"type":"graph_run"' i.jsonl)" -lt 3 ] && echo "before the last pass"
  before the last pass
  $ grep -c '"type":"end"' i.jsonl
  0
  [1]
