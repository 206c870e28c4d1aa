Ops that would fill the time with noise: some of it is kept for going back to them.

  $ PALEO_FAKE=slow,noisy paleo-profile --device fake --pass fwd --time-budget 5s --output out.jsonl "$small" >text
  $ grep -q '^[1-9][0-9]* times* an op with a wide spread' text && echo "measured again"
  measured again
