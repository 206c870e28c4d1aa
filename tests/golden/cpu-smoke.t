The real CPU, shortly: every row has a time or says why not.

  $ test -e $build/lib/paleo/libpaleo-cpu.so || skip "there is no CPU plug-in"

  $ watch_others
  $ bounded 60 16000 paleo-profile --device cpu --time-budget 5s --format csv --output cpu.jsonl "$small" \
  > 	>rows 2>notes || [ $? = 7 ] || cat notes
  $ wc -l <rows
  14
  $ columns measured_s,status <rows | tail -n +2 | grep -vE '^[0-9.e-]+,$|^[0-9.e-]+,above ceiling$' >left; true
  $ grep -vE '^,(disturbed|not run)$' left || echo "all have a time or were left"
  all have a time or were left
  $ [ ! -s left ] || others_came || echo "disturbed by nobody"
  $ sed -n 's/^cpu: .* thread.*, oneDNN [0-9.]* .*/cpu: NAME, THREADS, oneDNN VERSION/p' notes
  cpu: NAME, THREADS, oneDNN VERSION

So many threads are told everywhere, peaks included; more than there are cores is a mistake.

  $ paleo-profile --device cpu --threads 1 --time-budget 1s --pass fwd --output one.jsonl "$small" >text 2>&1; true
  $ sed -n 's/^cpu: .*, 1 thread, oneDNN.*/1 thread/p' text
  1 thread
  $ head -n 1 one.jsonl | grep -o '"threads":1,'
  "threads":1,
  $ head -n 1 one.jsonl | grep -o ', 1 threads"' | sort -u
  , 1 threads"
  $ paleo-calibrate --device cpu --threads 1 --time-budget 1s --output one.json >text 2>&1; true
  $ sed -n 's,^records: paleo-results/[^/]*/,,p' text
  design-f32-t1.jsonl
  $ paleo-profile --device cpu --threads 1000 "$small" >text 2>&1
  [2]
  $ sed 's/use [0-9]* cores\{0,1\}/use N cores/' text
  opening the CPU
  paleo-profile: 1000 threads, but this process may use N cores: threads sharing a core would distort the measurement
