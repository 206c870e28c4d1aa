#!/bin/sh
# check.sh - outputs that cannot be written, or hold what must not be lost.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

profile="paleo-profile --device fake"
cp "$small" net.json
mkdir folder
# shellcheck disable=SC2086 # lists of words
{
	say $profile --output net.json net.json
	cmp net.json "$small" && echo "the net is still there"
	say $profile --output folder net.json
	say $profile --output net.json/records.jsonl net.json
	say $profile --output /dev/full net.json
	say $profile --filter xyzzy --output never.jsonl net.json
	[ ! -e never.jsonl ] && echo "no file for nothing"

	$profile --output old.jsonl net.json >/dev/null
	sed 's/"name":"fake"/"name":"h200"/' old.jsonl >other.jsonl
	cp other.jsonl copy.jsonl
	say $profile --resume --output other.jsonl net.json
	cmp other.jsonl copy.jsonl && echo "they are as they were"
	say $profile --resume --output net.json net.json

	cp old.jsonl first.jsonl
	$profile --output old.jsonl net.json | grep earlier
	[ "$(grep -c '"type":"meta"' old.jsonl)" = 1 ] && echo "records are replaced by new ones"
	cmp first.jsonl old.jsonl.1 && echo "and kept"
	mkfifo pipe
	cat pipe >piped &
	$profile --output pipe net.json >/dev/null && wait && [ "$(measured piped | wc -l)" = 13 ] &&
		echo "a pipe is written to"
}
