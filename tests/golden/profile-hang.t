An op that hangs is ended after its limit, and costs a row.

An op that is given 0.4 s in all; the rest is measured:

  $ PALEO_FAKE=hang=pool paleo-profile --device fake --time-budget 1s --op-timeout 0.4 --pass fwd \
  > 	--output short.jsonl "$small" >text
  [1]
  $ grep 'no answer within 0.4 s' text
    1 row timeout: no answer within 0.4 s
  $ sed -n '/^pool1/s/  */ /gp' text
  pool1 max_pool fwd 0.0461 242 0.247 0.7 - - - - - - memory - timeout
  $ grep -c '"status":"ok"' short.jsonl
  4
