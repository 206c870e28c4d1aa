#!/bin/sh
# check.sh - what files and arguments hold reaches no terminal as it is.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# ESC, BEL, DEL, U+009B (what ESC [ is), U+202E and U+2066 (they turn the line), a byte that is no UTF-8
escape=$(printf '\033') c1=$(printf '\302\233') turn=$(printf '\342\200\256')
evil="${escape}[31m$(printf '\177')${c1}2J${turn}gnp.$(printf '\341')"

# shown COMMAND... - what it says; and that nothing of it steers anything.
shown() {
	say "$@" >said
	LC_ALL=C grep -q "$escape\\|$c1\\|$turn\\|$(printf '\341')\\|$(printf '\177')" said &&
		echo "RAW:"
	head -n 3 said
}

shown paleo "$evil"
shown paleo-predict --device h200 "$evil"
shown paleo-predict --device h200 "./$evil"
shown paleo-predict --device "$evil" "$small"
shown paleo-predict "--$evil" "$small"
shown paleo-predict --batch "$evil" "$small"
shown paleo-profile --device "$evil" "$small"
shown paleo-profile --device fake --filter "$evil" "$small"
shown paleo-profile --device fake --output "$evil/a/b" "$small" | tail -n 1
shown paleo-calibrate "$evil"
shown paleo-calibrate --from "$evil"
shown paleo-validate "$evil"
shown paleo-summary "$evil"
shown paleo-convert "$evil"
shown paleo-ceilings "$evil"
shown paleo-devices "$evil"
shown paleo-simulate --device h200 --network "$evil" --num-workers 2 "$small"
shown paleo-simulate --law paleo2017 --device K20 --format paleo --separator "$evil" "$small"

# In JSON all of it may stand. Tables show it, JSON escapes it, and what is read back is exact.
text='\\u001b[31m\\u007f\\u009b2J\\u202egnp\\u2066=1' # for sed
sed "s/\"name\": *\"small\"/\"name\": \"small $text\"/; s/\"conv1\"/\"$text\"/g" "$small" >net.json
shown paleo-summary net.json
shown paleo-predict --device h200 net.json
paleo-predict --device h200 --format csv net.json 2>/dev/null | columns layer | sort -u
paleo-predict --device h200 --format jsonl net.json 2>/dev/null | grep -o '"layer":"[^"]*"' | sort -u
shown paleo-profile --device fake --output records.jsonl net.json
shown paleo-profile --device fake --output records.jsonl --resume net.json | head -n 1
LC_ALL=C grep -c "$escape\\|$c1\\|$turn" records.jsonl || :
[ "$(grep -c 'u001b\[31m.u007f.u009b2J.u202egnp.u2066=1' records.jsonl)" -gt 0 ] && echo "escaped"
