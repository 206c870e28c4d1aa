#!/bin/sh
# check.sh - the real CPU, shortly: every row has a time or says why not.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

watch_others
code=0
bounded 60 16000 paleo-profile --device cpu --time-budget 5s --format csv --output cpu.jsonl "$small" \
	>rows 2>notes || code=$?
[ $code = 0 ] || {
	echo "code $code"
	cat notes
}
wc -l <rows
columns measured_s,status <rows | tail -n +2 | grep -vE '^[0-9.e-]+,$|^[0-9.e-]+,above ceiling$' >left || :
grep -vE '^,(disturbed|not run)$' left || echo "all have a time or were left"
[ ! -s left ] || others_came || echo "disturbed by nobody"
sed -n 's/^cpu: .* thread.*, oneDNN [0-9.]* .*/cpu: NAME, THREADS, oneDNN VERSION/p' notes

# So many threads are told everywhere, peaks included; more than there are cores is a mistake.
paleo-profile --device cpu --threads 1 --time-budget 1s --pass fwd --output one.jsonl "$small" >text 2>&1 || :
sed -n 's/^cpu: .*, 1 thread, oneDNN.*/1 thread/p' text
head -n 1 one.jsonl | grep -o '"threads":1,'
head -n 1 one.jsonl | grep -o ', 1 threads"' | sort -u
paleo-calibrate --device cpu --threads 1 --time-budget 1s --output one.json >text 2>&1 || :
sed -n 's,^records: paleo-results/[^/]*/,,p' text
paleo-profile --device cpu --threads 1000 "$small" >text 2>&1 || echo "code $?"
sed 's/use [0-9]* cores\{0,1\}/use N cores/' text
