#!/bin/sh
# check.sh - algorithms measured against one another: the fastest right one stands for the work.
# SPDX-License-Identifier: Apache-2.0
#
# Products and convolutions have three: the first takes t, the second 0.8 t, the third 1.5 t. So the
# library's choice, the first, costs 1 / 0.8 - 1 = 25 %.
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

wanted=layer,kind,pass,algorithm,rank,candidates,regret,status
still() {
	PALEO_FAKE=still,${faults:-} paleo-profile --device fake --pass fwd --format csv "$@" "$small" \
		2>notes | columns $wanted | sed 's/0\.2499999[0-9]*/0.25/; s/0\.2500000[0-9]*/0.25/'
	sed -n '/tried/p; s/in [0-9.]* s/in TIME s/p; /could not list/p' notes
}

echo "--algo all"
still --algo all --output all.jsonl
PALEO_FAKE=still paleo-profile --device fake --algo all --output text.jsonl --pass fwd "$small" |
	sed -E -n '/regret of/{s/[0-9.]+ ms/TIME ms/g; s/^  regret of/regret of/; s/: [0-9.]+ %/: SOME %/; p}'
sed -n 's/.*"algorithm":"\([^"]*\)","mode":"cold",\(.*\),"verify_error.*/\1 \2/p' all.jsonl | sort -u
echo "each of best:2, of the heuristic"
still --algo best:2 --output best.jsonl | head -2
still --algo heuristic --output first.jsonl | head -2

echo "one is wrong, one crashes, one does not fit: the first is what is left"
faults=wrong=gemm\ fwd\ f32\ m=4\ n=10\ k=2880\ trans_b=1\ bias=1\ rank=1,crash=rank=2
still --algo all --output faults.jsonl
faults=oom=rank=1,fail=rank=2
still --algo all --output faults.jsonl | sed -n 2p
echo "the first crashes: the second stands for it, the regret is not known"
faults=crash=rank=0
still --algo best:2 --output faults.jsonl
sed -n 's/.*"work":"\([a-z]*\) .*"status":"\([a-z]*\)".*"algorithm":"\([^"]*\)","mode":"cold",\(.*\),"verify_error.*/\1 \2 \3 \4/p' faults.jsonl
echo "resumed: what crashed stays; it is measured when that is asked for, and only that"
faults=
still --algo best:2 --resume --output faults.jsonl | sed -n '/conv1,conv/p; /tried/p'
still --algo best:2 --retry-failed --output faults.jsonl | sed -n '/conv1,conv/p; /tried/p'
still --algo all --resume --output faults.jsonl | sed -n '/conv1,conv/p; /tried/p'
echo "the planner crashes: the library's choice is measured"
faults=planner-crash
still --algo all --output planner.jsonl | sed -n '/conv1,conv/p; /could not/p'

for wrong in best best: best:0 best:33 best:2x fastest ''; do
	say paleo-profile --device fake --algo "$wrong" "$small"
done
say paleo-profile --device fake --workspace-limit 4 "$small"
say paleo algorithms --device fake --top 3 --format csv --pass fwd "$small"
