#!/bin/sh
# check.sh - standard streams that are closed, full, or read by nobody.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

profile="paleo-profile --device fake"
# shellcheck disable=SC2086 # a list of words
{
	code=0
	$profile --output stdin.jsonl "$small" <&- >/dev/null || code=$?
	echo "stdin closed -> $code"
	code=0
	$profile --output stdout.jsonl "$small" >&- || code=$?
	echo "stdout closed -> $code"
	code=0
	$profile --output all.jsonl "$small" <&- >&- 2>&- || code=$?
	echo "all closed -> $code"
	for file in stdin stdout all; do
		[ "$(measured $file.jsonl | wc -l)" = 13 ] && ! grep -v '^{.*}$' $file.jsonl &&
			echo "$file.jsonl holds records alone"
	done
	for format in text csv jsonl; do
		code=0
		$profile --output full.jsonl --format $format "$small" 2>&1 >/dev/full |
			grep '^paleo' || code=$?
	done
	[ "$(measured full.jsonl | wc -l)" = 13 ] && echo "the records are whole"
}
for command in "paleo --help" "paleo --version" "paleo-predict --help" "paleo-devices" \
	"paleo-predict --device h200 $small"; do
	code=0
	$command >/dev/full 2>/dev/null || code=$?
	echo "$command, disk full -> $code" | sed "s|$source|SOURCE|"
done

paleo-profile --device fake --output head.jsonl alex_v2 2>err | head -1
# a caller that ignores SIGPIPE lets the program say so
grep -v "could not be written to its end" err || :
[ "$(measured head.jsonl | wc -l)" = 51 ] && echo "nobody reads: the records are whole"
paleo-predict --device h200 inception_v3 vgg16 resnet50 2>&1 | head -1
