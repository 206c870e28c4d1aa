The first signal ends a run between two ops, the second at once; before, one is enough.

gone PID - whether the process has ended.

  $ gone() {
  > 	! kill -0 "$1" 2>/dev/null
  > }

began PID - it is the program by now; the shell and env before it do not answer the signal.

  $ began() {
  > 	[ "$(basename "$(readlink "/proc/$1/exe")")" = paleo ]
  > }

left PID... - how many of them are still there.

  $ left() {
  > 	n=0
  > 	for child in "$@"; do
  > 		gone "$child" || n=$((n + 1))
  > 	done
  > 	echo $n
  > }

  $ none_left() {
  > 	[ "$(left "$@")" = 0 ]
  > }

told - whether the first signal was answered.

  $ told() {
  > 	grep -q 'again stops' err || gone "$pid"
  > }

attempt SIGNAL - both come within an op that never ends; fails if the first came before it began.
A shell has those that it starts behind it ignore SIGINT, so env gives it back.

  $ attempt() {
  > 	rm -f records.jsonl
  > 	PALEO_FAKE='hang=softmax fwd' env --default-signal=INT paleo-profile --device fake \
  > 		--filter softmax --op-timeout 1000 --output records.jsonl "$small" >out 2>err &
  > 	pid=$!
  > 	soon has_records 1 records.jsonl
  > 	children=$(cat "/proc/$pid/task/$pid/children")
  > 	kill -"$1" $pid
  > 	soon told
  > 	sleep 0.2
  > 	gone $pid && return 1
  > 	kill -"$1" $pid
  > 	soon gone $pid
  > 	code=0
  > 	wait $pid || code=$?
  > }

  $ for signal in INT TERM; do
  > 	soon attempt $signal
  > 	echo "$signal twice -> $code"
  > 	soon none_left $children && echo "nothing of it is left"
  > 	grep -i interrupted err
  > done
  INT twice -> 130
  nothing of it is left
  Interrupted: stops after the current op; again stops at once
  TERM twice -> 143
  nothing of it is left
  Interrupted: stops after the current op; again stops at once

At any moment of the beginning: it ends, and says 130 or is ended by the signal, which is 130, too.

  $ for i in 1 2 3 4 5 6; do
  > 	PALEO_FAKE=slow env --default-signal=INT paleo-profile --device fake --output first.jsonl \
  > 		alex_v2 >out 2>err &
  > 	pid=$!
  > 	soon began $pid
  > 	sleep "0.0$((i * 2))"
  > 	kill -INT $pid
  > 	soon gone $pid
  > 	code=0
  > 	wait $pid || code=$?
  > 	[ $code = 130 ] || echo "run $i -> $code"
  > done
