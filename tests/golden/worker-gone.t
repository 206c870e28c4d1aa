No worker outlives the program, however it ends.

  $ for how in INT KILL HUP; do
  > 	rm -f records.jsonl
  > 	PALEO_FAKE=slow paleo-profile --device fake --time-budget 2s --output records.jsonl alex_v2 >/dev/null 2>&1 &
  > 	pid=$!
  > 	soon has_records 1 records.jsonl
  > 	child=$(cat /proc/$pid/task/$pid/children)
  > 	[ -n "$child" ] || echo "no worker was seen"
  > 	kill -$how $pid
  > 	wait $pid 2>/dev/null || :
  > 	soon [ ! -e "/proc/${child% }" ] && echo "$how: the worker is gone"
  > done
  INT: the worker is gone
  KILL: the worker is gone
  HUP: the worker is gone
