#!/bin/sh
# check.sh - three rounds: what stands for a work is written behind its first time, and says of how many it is.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

works() {
	sed -n 's/.*"type":"record","work":"\([^"]*\)".*/\1/p' "$1" | sort | uniq -c | awk '{ n[$1]++ } END { for (k in n) print n[k] " works, " k " records each" }'
}

paleo-profile --device fake --rounds 3 --output three.jsonl "$small" >text
sed -n 's/ more than the shortest.*//; s/[0-9.]* %$/SO MANY %/; /several moments/p' text
works three.jsonl
echo "$(grep -c '"repetitions":3' three.jsonl) are of three moments"

# a hundred rounds of 13 works that take 50 ms each at least are 65 s
PALEO_FAKE=work-delay=0.05 paleo-profile --device fake --rounds 100 --time-budget 6s --output cut.jsonl "$small" |
	sed -n 's/round [0-9]* of 100/round R of 100/; s/measured [0-9]* times*$/measured N times/; /budget ended/p'

echo "one round"
paleo-profile --device fake --output one.jsonl "$small" >text
grep 'several moments' text || works one.jsonl

echo "what failed has no second turn"
PALEO_FAKE=oom=pool paleo-profile --device fake --rounds 3 --output failed.jsonl "$small" >/dev/null || echo "-> $?"
works failed.jsonl
say paleo-profile --device fake --rounds 3 --algo best:2 "$small"

echo "resumed"
paleo-profile --device fake --rounds 3 --resume --output three.jsonl "$small" | sed -n 's/ in [0-9.]* s.*//; /resumed/p; /^0 works/p'
