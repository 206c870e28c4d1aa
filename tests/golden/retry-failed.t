What failed stays as it is with --resume, and is measured again with --retry-failed.

statuses FILE - how often each status stands in a results file.

  $ statuses() {
  > 	sed -n 's/.*"type":"\(record\|graph_run\)".*"status":"\([a-z]*\)".*/\2/p' "$1" | sort | uniq -c |
  > 		sed 's/^ *//'
  > }

Profile:

  $ faults=crash=conv,oom=pool,unsupported=softmax,wrong=gemm
  $ PALEO_FAKE=$faults paleo-profile --device fake --pass fwd --output p.jsonl "$small" >/dev/null
  [1]
  $ statuses p.jsonl
  1 crash
  1 incorrect
  1 ok
  1 oom
  1 unsupported
  $ for option in --resume --retry-failed --resume; do
  > 	echo "$option"
  > 	say paleo-profile --device fake --pass fwd --output p.jsonl $option "$small" |
  > 		sed -n '/^resumed/p; s/measured in [0-9.]* s/measured in TIME s/p; /^->/p; /^  [0-9]* row/p'
  > 	statuses p.jsonl
  > done
  --resume
  resumed: 5 of 5 ops measured before, 3 of them failed (--retry-failed measures them again)
    1 row unsupported: not supported, as asked for
    1 row oom: the fake memory is full, as asked for
    1 row crash: the worker was killed by signal 11 (Segmentation fault)
    1 row incorrect: 'y' 0 is 0.921922565 at position 2, expected -0.0780774058: error 3.5, at most 1.6e-05 is rounding
  0 ops measured in TIME s, 0 unsupported, 0 failed
  -> 1
  1 crash
  1 incorrect
  1 ok
  1 oom
  1 unsupported
  --retry-failed
  resumed: 2 of 5 ops measured before
    1 row unsupported: not supported, as asked for
  3 ops measured in TIME s, 0 unsupported, 0 failed
  -> 0
  1 crash
  1 incorrect
  4 ok
  1 oom
  1 unsupported
  --resume
  resumed: 5 of 5 ops measured before
    1 row unsupported: not supported, as asked for
  0 ops measured in TIME s, 0 unsupported, 0 failed
  -> 0
  1 crash
  1 incorrect
  4 ok
  1 oom
  1 unsupported

Calibrate:

  $ calibrate() {
  > 	paleo-calibrate --device fake --records c.jsonl --output c.json "$@" >/dev/null
  > }

again WHEN - how many of the ops that crashed have a time by now.

  $ again() {
  > 	sed -n 's/.*"op":"\([^"]*\)","status":"crash".*/\1/p' c.jsonl | sort -u >lost
  > 	sed -n 's/.*"op":"\([^"]*\)","status":"ok".*/\1/p' c.jsonl | sort -u >good
  > 	[ -s lost ] || echo "nothing crashed"
  > 	comm -12 lost good | cmp -s - lost && echo "$1: all are measured"
  > 	comm -12 lost good | cmp -s - /dev/null && echo "$1: none is measured"
  > 	return 0
  > }
  $ PALEO_FAKE="crash=conv fwd" calibrate --time-budget 1s
  $ again "at first"
  at first: none is measured
  $ calibrate --time-budget 1s --resume
  $ again "--resume"
  --resume: none is measured
  $ calibrate --time-budget 5s --retry-failed
  $ again "--retry-failed"
  --retry-failed: all are measured

Fullpass:

  $ PALEO_FAKE=crash=conv paleo-fullpass --device fake --pass fwd --output f.jsonl "$small" >/dev/null
  [1]
  $ for option in --resume --retry-failed --resume; do
  > 	echo "$option"
  > 	say paleo-fullpass --device fake --pass fwd --output f.jsonl $option "$small" |
  > 		sed -n '/^small,.*crash/p; /^->/p'
  > 	statuses f.jsonl
  > done
  --resume
  small, fwd: crash: the worker was killed by signal 11 (Segmentation fault)
  -> 1
  1 crash
  --retry-failed
  -> 0
  1 crash
  1 ok
  --resume
  -> 0
  1 crash
  1 ok
  $ paleo-fullpass --device fake --retry-failed "$small"
  2> paleo-fullpass: --retry-failed needs --output
  [2]
