Three rounds: what stands for an op is written behind its first time, and says of how many it is.

  $ ops() {
  > 	sed -n 's/.*"type":"record","op":"\([^"]*\)".*/\1/p' "$1" | sort | uniq -c | awk '{ n[$1]++ } END { for (k in n) print n[k] " ops, " k " records each" }'
  > }

  $ paleo-profile --device fake --rounds 3 --output three.jsonl "$small" >text
  $ sed -n '/several times/s/[0-9.]* %/SO MANY %/p' text
  13 measured several times, with the mean at one machine speed; longest over shortest time: +SO MANY % (median op)
  $ ops three.jsonl
  13 ops, 2 records each
  $ echo "$(grep -c '"repetitions":[3-9]' three.jsonl) are of three moments or more"
  13 are of three moments or more

A hundred rounds of 13 ops that take 50 ms each at least are 65 s

  $ PALEO_FAKE=op-delay=0.05 paleo-profile --device fake --rounds 100 --time-budget 6s --output cut.jsonl "$small" |
  > 	sed -n 's/round [0-9]* of 100/round R of 100/; s/measured [0-9]* times*$/measured N times/; /budget ended/p'
  time budget ended in round R of 100: the other ops were measured N times

One round:

  $ paleo-profile --device fake --output one.jsonl "$small" >text
  $ grep 'several times' text || ops one.jsonl
  13 ops, 1 records each

What failed has no second turn:

  $ PALEO_FAKE=oom=pool paleo-profile --device fake --rounds 3 --output failed.jsonl "$small" >/dev/null
  [1]
  $ ops failed.jsonl
  11 ops, 2 records each
  2 ops, 1 records each
  $ paleo-profile --device fake --rounds 3 --algorithm best:2 "$small"
  2> paleo-profile: --rounds 3: several algorithms (--algorithm best:2) are measured once each; leave one of the two out
  [2]

Resumed:

  $ paleo-profile --device fake --rounds 3 --resume --output three.jsonl "$small" | sed -n 's/ in [0-9.]* s.*//; /resumed/p; /^0 ops/p'
  resumed: 13 of 13 ops measured before
  0 ops measured
