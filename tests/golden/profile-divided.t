profile and calibrate: ops divided over equal devices; a slow one is found, and no fit takes what it measured.

  $ shown() {
  > 	sed -E "s/$(uname -n)/NODE/g; s/ +/ /g; s/-{4,}/----/; s/in [0-9.]+ s/in TIME s/"
  > }
  $ divided() {
  > 	paleo "$@" >out 2>err
  > 	echo "exit $?"
  > 	shown <out | grep -A 9 -E '^Ops divided' | sed '/^$/d; /^ResNet/,$d; /^fitted/,$d'
  > 	shown <out | grep -E '^(resumed|[0-9]+ ops measured|fitted)'
  > 	grep '^paleo' err >&2
  > 	:
  > }
  $ four="--device fake+fake1+fake2+fake3" net="resnet50 --pass fwd"
  $ export PALEO_FAKE=still,seed=1,differs=0.01,clock2=0.8
  $ divided profile $four --output four.jsonl $net
  exit 6
  Ops divided over 4 devices, 9 ops timed on all: compared with the others' median
  device verdict ops common slower % low % high % limit %
  ----
  NODE fake-0 equal 20 9 -0.6 -1.6 1.3 7.7
  NODE fake-1 equal 17 9 -0.1 -1.6 1.6 7.7
  NODE fake-2 DIFFERS 20 9 25.8 24.1 26.3 7.7
  NODE fake-3 equal 13 9 -1.3 -1.8 0.1 7.8
  1 device differs more than equal ones do: records with the tag 'differs', which no fit uses
  43 ops measured in TIME s, 0 unsupported, 0 failed

Each op is measured, nine by all; the record that stands for these is the last.

  $ sed -n 's/.*"op":"\([^"]*\)".*"device":"\([^"]*\)".*/\1/p' four.jsonl | sort | uniq -c | awk '{ print $1 > 3 ? "by all" : "by one" }' | sort | uniq -c
  $ sed -n 's/.*"op":"\([^"]*\)","status".*/\1/p' four.jsonl | sort -u >keys
  $ PALEO_FAKE=still paleo profile --device fake --output one.jsonl $net >/dev/null
  $ measured one.jsonl | sort -u | cmp - keys
  $ grep '"tags":"[^"]*differs' four.jsonl | grep -c fake-2
  20
  $ grep 'fake-2' four.jsonl | grep -vc differs
  0
  [1]

Equal devices give what one gives.

  $ export PALEO_FAKE=still
  $ divided profile --device fake+fake1 --output two.jsonl $net
  exit 0
  Ops divided over 2 devices, 9 ops timed on all: compared with the others' median
  device verdict ops common slower % low % high % limit %
  ----
  NODE fake-0 equal 31 9 0.0 0.0 0.0 8.5
  NODE fake-1 equal 21 9 0.0 0.0 0.0 8.5
  43 ops measured in TIME s, 0 unsupported, 0 failed
  $ total() { sed -n 's/.*"op":"\([^"]*\)","status".*"median_s":\([^,]*\),.*/\1 \2/p' "$1" | sort -u; }
  $ total two.jsonl >two && total one.jsonl | cmp - two

A device that is not there leaves its ops, which --resume measures.

  $ PALEO_FAKE=still,nodevice1 divided profile --device fake+fake1 --output gone.jsonl $net
  exit 1
  Ops divided over 2 devices, 9 ops timed on all: compared with the others' median
  device verdict ops why
  ----
  NODE fake-0 not judged 31 -
  NODE fake1, rank 1 MISSING 0 there is no fake device 1
  31 ops measured in TIME s, 0 unsupported, 0 failed, 12 left to devices that are missing
  $ divided profile --device fake+fake1 --output gone.jsonl --resume $net
  exit 0
  Ops divided over 2 devices, 9 ops timed on all: compared with the others' median
  device verdict ops common slower % low % high % limit %
  ----
  NODE fake-0 equal 9 9 0.0 0.0 0.0 8.5
  NODE fake-1 equal 12 9 0.0 0.0 0.0 8.5
  resumed: 31 of 43 ops measured before
  12 ops measured in TIME s, 0 unsupported, 0 failed
  $ divided profile --device fake+fake1 --output gone.jsonl --resume $net
  exit 0
  resumed: 43 of 43 ops measured before
  0 ops measured in TIME s, 0 unsupported, 0 failed

No fit takes what a slow device measured; of two that differ none is right.

  $ paleo calibrate --from four.jsonl --output c.json | grep '^fitted'
  fitted to 32 records, 11 of devices that differ
  $ grep -v '"type":"end"' two.jsonl | sed '/"type":"record"/s/"workspace_bytes"/"tags":"differs","workspace_bytes"/' >both.jsonl
  $ paleo calibrate --from both.jsonl --output d.json
  43 records of fake device with known factors, for tests: fake 1
  2> both.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  2> paleo-calibrate: no record can be used for a fit in mode 'cold': of 43, 0 are not ok, 0 in another mode, 43 of devices that differ, 0 of dtypes for which device 'fake' has no peak, 0 left out
  [2]

A calibration over both devices; how many ops there are depends on the clock.

  $ paleo calibrate --device fake+fake1 --time-budget 3s --output e.json "$small" >/dev/null
  $ test -s e.json && for i in 0 1; do grep -c "\"device\":\"[^\"]* fake-$i" paleo-results/fake/design-f32.jsonl | sed 's/[1-9][0-9]*/some/'; done
  some
  some

What does not go together:

  $ paleo profile --device fake+fake1 --batch 1,2 "$small"
  2> paleo-profile: ops are divided of one combination of batch, dtype, layout and length, without --samples (see --help)
  [2]
  $ paleo profile --device fake+fake "$small"
  2> paleo-profile: --device has 'fake' twice
  [2]
  $ paleo calibrate --device fake+fake1 --full-pass "$small"
  2> paleo-calibrate: --full-pass runs whole networks, which several devices do not divide
  [2]
