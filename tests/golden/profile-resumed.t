A run that is interrupted and resumed loses no op and repeats none.

  $ paleo-profile --device fake --output whole.jsonl alex_v2 >/dev/null
  $ measured whole.jsonl >whole

  $ PALEO_FAKE=slow paleo-profile --device fake --output resumed.jsonl alex_v2 >out 2>&1 &
  $ pid=$!
  $ soon has_records 2 resumed.jsonl
  $ kill -TERM $pid
  $ wait $pid
  [130]
  $ sed -E -n 's/[0-9]+ ops measured in [0-9.]+ s, (.*), [0-9]+ left/SOME ops measured in TIME s, \1, OTHERS left/p; /--resume/p' out
  SOME ops measured in TIME s, 0 unsupported, 0 failed, OTHERS left when it was interrupted
  To continue: --resume
  $ measured resumed.jsonl >before
  $ grep -c '"type":"end"' resumed.jsonl
  0
  [1]

As if the power had failed within a line

  $ printf '{"type":"record","op":"eltwi' >>resumed.jsonl
  $ paleo-profile --device fake --resume --output resumed.jsonl alex_v2 >out
  $ grep -q "resumed: $(wc -l <before) of 51 ops measured before" out && echo "it says of how many"
  it says of how many
  $ measured resumed.jsonl | cmp - whole && echo "every op once"
  every op once
  $ grep -c '"type":"end"' resumed.jsonl
  1

  $ paleo-profile --device fake --resume --output resumed.jsonl alex_v2 | grep -E '^(resumed|0 ops)' |
  > 	sed 's/in [0-9.]* s/in TIME s/'
  resumed: 51 of 51 ops measured before
  0 ops measured in TIME s, 0 unsupported, 0 failed
  $ measured resumed.jsonl | cmp - whole && echo "nothing was measured again"
  nothing was measured again
