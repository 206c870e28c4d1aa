Whole passes that cannot be run, and mistakes of the user.

  $ paleo-fullpass
  2> paleo-fullpass: no network was given, for example vgg16 (see --help)
  [2]
  $ paleo-fullpass --device fake --resume vgg16
  2> paleo-fullpass: --resume needs --output
  [2]
  $ paleo-fullpass --device fake --pass bwd vgg16
  2> paleo-fullpass: --pass is 'bwd', expected one of all, fwd, fwd+bwd, step (did you mean 'fwd'?)
  [2]
  $ paleo-fullpass --device fake no-such-net
  2> paleo-fullpass: no net 'no-such-net' here, in ./nets or among the shipped ones, which nets/README.md lists
  [2]
  $ paleo-fullpass --device fake --from no-such-file vgg16
  2> paleo-fullpass: no-such-file: cannot open: No such file or directory
  [2]
  $ paleo-fullpass --device fake --fuse vgg16
  2> paleo-fullpass: --fuse needs --pass fwd (inference)
  [2]
  $ paleo-fullpass --device fake --pass fwd --output kept.jsonl "$small" >/dev/null 2>&1
  $ cp kept.jsonl before.jsonl
  $ paleo-fullpass --device fake --dtype fp8 --output kept.jsonl "$small"
  2> paleo-fullpass: full passes do not run in fp8: use bf16
  [1]
  $ cmp kept.jsonl before.jsonl && echo "the records are as before"
  the records are as before
  $ export PALEO_FAKE=crash=softmax
  $ say paleo-fullpass --device fake --pass fwd vgg16 | sed 's/(Segmentation fault[^)]*)/(SIGNAL)/'
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  vgg16, fwd: crash: the worker was killed by signal 11 (SIGNAL)

  net    batch  type  pass  pred ms  status
  -----------------------------------------
  vgg16      4  f32   fwd    13.868  crash
  -> 1
  $ export PALEO_FAKE=nan=softmax
  $ paleo-fullpass --device fake --format csv --pass fwd vgg16
  net,batch,dtype,pass,layout,fused,optimizer,how,full_s,within_run_low_s,within_run_high_s,in_network_s,in_network_of_full,layout_change_s,isolated_s,isolated_of_full,predicted_s,predicted_of_full,predicted_whole_s,predicted_whole_of_full,samples,memory_bytes,memory_predicted_bytes,status,reason
  vgg16,4,f32,fwd,nchw,0,sgd,fake,,,,,,,,,0.01386835392,,,,,,,incorrect,"the net's result is nan at position 7, expected a number"
  2> fake: fake device with known factors, for tests, fake 1
  2> not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> vgg16, fwd: incorrect: the net's result is nan at position 7, expected a number
  [1]
  $ paleo-fullpass --device fake --pass fwd --output bad.jsonl vgg16 >/dev/null 2>&1
  [1]
  $ paleo-validate bad.jsonl
  1 full pass of fake device with known factors, for tests, no ops: fake 1
  2> paleo-validate: no full pass has a time
  [2]

Interrupted, and resumed:

  $ has_pass() {
  > 	grep -q '"type":"graph_run"' i.jsonl 2>/dev/null
  > }
  $ PALEO_FAKE=slow paleo-fullpass --device fake --output i.jsonl "$small" >out 2>&1 &
  $ pid=$!
  $ soon has_pass
  $ kill -TERM $pid
  $ wait $pid
  [130]
  $ grep -i interrupted out
  Interrupted: stops after the current op; again stops at once
  paleo-fullpass: interrupted; --resume continues
  $ [ "$(grep -c '"type":"graph_run"' i.jsonl)" -lt 3 ] && echo "before the last pass"
  before the last pass
  $ grep -c '"type":"end"' i.jsonl
  0
  [1]
  $ PALEO_FAKE='' paleo-fullpass --device fake --output i.jsonl --resume "$small" >/dev/null 2>&1
  $ grep -c '"type":"graph_run"' i.jsonl
  3
  $ grep -c '"type":"end"' i.jsonl
  1
