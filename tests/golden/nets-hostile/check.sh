#!/bin/sh
# check.sh - files that are no nets, within 10 s and 500 MB.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

: >empty.json
mkdir folder.json
truncate -s 1G large.json
mkfifo pipe.json
ln -s loop.json loop.json
printf '\177ELF\002\001\001\000\377\376' >binary.json
printf '{"name": "a\377", "layers": {}}' >latin.json
head -c 1000000 /dev/zero | tr '\0' '[' >deep.json
name=$(printf '\351t\351.json') # Latin 1
for net in empty.json folder.json large.json pipe.json /dev/zero loop.json binary.json latin.json \
	deep.json "$name"; do
	say bounded 10 500 paleo-predict --device h200 "$net"
	say bounded 10 500 paleo-profile --device fake --output never.jsonl "$net"
done
name=$(head -c 10000 /dev/zero | tr '\0' n)
say bounded 10 500 paleo-predict --device h200 "$name"
cp "$small" "$(printf 'l\351t.json')"
bounded 10 500 paleo-predict --device h200 --format csv "$(printf 'l\351t.json')" 2>/dev/null |
	columns layer | sort -u | wc -l
[ ! -e never.jsonl ] && echo "nothing was measured"
