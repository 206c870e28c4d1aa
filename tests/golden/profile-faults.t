Each fault costs its own rows, and the codes are those of the help.

  $ wanted=layer,kind,pass,status
  $ export PALEO_FAKE="crash=gemm fwd,oom=pool fwd,wrong=softmax fwd,unsupported=eltwise fwd"
  $ PALEO_FAKE="$PALEO_FAKE,fail=conv fwd,nan=softmax bwd_data,still"
  $ paleo-profile --device fake --output faults.jsonl --format csv "$small" >rows 2>notes
  [1]
  $ columns $wanted <rows
  layer,kind,pass,status
  conv1,conv,fwd,failed
  conv1,relu,fwd,unsupported
  pool1,max_pool,fwd,oom
  fc2,inner_product,fwd,crash
  softmax,softmax,fwd,incorrect
  softmax,softmax,bwd_data,incorrect
  fc2,inner_product,bwd_filter,
  fc2,inner_product,bwd_data,
  pool1,max_pool,bwd_data,
  conv1,relu,bwd_data,
  conv1,conv,bwd_filter,
  conv1,update,update,
  fc2,update,update,
  $ sed 's/in [0-9.]* s/in TIME s/' notes
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  7 ops measured in TIME s, 1 unsupported, 5 failed
  records: faults.jsonl
  To calibrate: paleo-calibrate --device fake
  $ paleo-profile --device fake --output faults.jsonl "$small" | sed -n '/ rows* [a-z]*: /p'
    1 row unsupported: not supported, as asked for
    1 row oom: the fake memory is full, as asked for
    1 row crash: the worker was killed by signal 11 (Segmentation fault)
    1 row incorrect: 'dx' 0 is nan at position 0, expected -0.295553995: error nan, at most 1e-05 is rounding
    1 row incorrect: 'y' 0 is 1.03114522 at position 2, expected 0.0311451848: error 32, at most 1e-05 is rounding
    1 row failed: the fake library failed, as asked for

Only unsupported:

  $ PALEO_FAKE=unsupported=gemm,still paleo-profile --device fake --output unsupported.jsonl "$small" >text
  $ sed -n '/ rows* [a-z]*: /p; s/measured in [0-9.]* s/measured in TIME s/p' text
    3 rows unsupported: not supported, as asked for
  10 ops measured in TIME s, 3 unsupported, 0 failed

The time budget ends:

  $ PALEO_FAKE=slow paleo-profile --device fake --time-budget 0.5s --output budget.jsonl "$small" >text
  $ sed -E -n 's/^[0-9]+ ops measured in [0-9.]+ s(.*), [0-9]+ left/SOME ops measured in TIME s\1, OTHERS left/p; /^To continue/p' text
  SOME ops measured in TIME s, 0 unsupported, 0 failed, OTHERS left when the time budget ended
  To continue: --resume or a larger --time-budget

The device does not open:

  $ for fault in nodevice library die; do
  > 	PALEO_FAKE=$fault say paleo-profile --device fake --output never.jsonl "$small"
  > done
  paleo-profile: there is no fake device 0
  -> 4
  paleo-profile: the fake library is broken, as asked for
  -> 3
  paleo-profile: opening 'fake': the worker was killed by signal 11 (Segmentation fault)
  -> 3
