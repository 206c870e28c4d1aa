100,000 layers: predicted and profiled in seconds, in bounded memory.

  $ awk 'BEGIN {
  > 	print "{\"name\": \"long\", \"layers\": {"
  > 	print "\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [1, 8, 8, 4]}"
  > 	parent = "data"
  > 	for (i = 1; i <= 100000; i++) {
  > 		printf ",\"l%d\": {\"type\": \"Convolution\", \"parents\": [\"%s\"],", i, parent
  > 		printf "\"filter\": [1, 1, -1, %d],", 1 + i % 500
  > 		print "\"strides\": [1, 1, 1, 1], \"padding\": \"VALID\"}"
  > 		parent = "l" i
  > 	}
  > 	print "}}"
  > }' >long.json

  $ bounded 100 2000 paleo-predict --device h200 --pass fwd --all long.json >text
  $ wc -l <text
  100008
  $ grep "^  forward " text | sed "s/ predicted .*//"
    forward           \x20 (esc)

501 different ops: few are done in a second, all others are left, and no row is lost

  $ PALEO_FAKE=slow bounded 100 2000 paleo-profile --device fake --pass fwd --time-budget 1s --format csv \
  > 	--output slow.jsonl long.json 2>notes >rows
  [7]
  $ wc -l <rows
  100001
  $ columns status <rows | sort -u

  not run
  status
  $ grep -o 'left when the time budget ended' notes
  left when the time budget ended

  $ PALEO_FAKE=unsupported bounded 100 2000 paleo-profile --device fake --pass fwd --output none.jsonl \
  > 	long.json >text
  $ grep ' rows unsupported: ' text
    100000 rows unsupported: not supported, as asked for
