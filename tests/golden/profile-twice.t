Two profiles into one file at once: the second is refused, the first is whole.

The first never ends by itself:

  $ PALEO_FAKE='hang=softmax fwd' paleo-profile --device fake --op-timeout 1000 --filter softmax \
  > 	--output records.jsonl "$small" >/dev/null 2>&1 &
  $ pid=$!
  $ soon has_records 1 records.jsonl
  $ paleo-profile --device fake --output records.jsonl "$small"
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: records.jsonl: another paleo is writing to this file; wait, or choose another
  [2]
  $ paleo-profile --device fake --resume --output records.jsonl "$small"
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: records.jsonl: another paleo is writing to this file; wait, or choose another
  [2]
  $ kill -KILL $pid
  $ wait $pid 2>/dev/null || echo "killed -> $?"
  killed -> 137
  $ grep -c '"type":"meta"' records.jsonl
  1
  $ third() {
  > 	paleo-profile --device fake --resume --output records.jsonl "$small" >/dev/null 2>&1
  > }
  $ soon third && echo "then it may"
  then it may
