#!/bin/sh
# check.sh - two devices in one run: each has its worker and its folder, and its faults are its own.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

two() {
	say paleo-profile --device fake,fake1 "$@" "$small" |
		sed -n '/^device/p; /^paleo-profile/p; /^records/p; /^->/p; /^resumed/p; s/in [0-9.]* s/in TIME s/p'
}

two
find paleo-results -type f | sort
for folder in fake-fake fake-fake1; do
	measured paleo-results/$folder/small-b4-f32.jsonl >$folder
done
cmp fake-fake fake-fake1 && wc -l <fake-fake
echo "again"
two --resume
echo "one device is not there"
rm -r paleo-results
PALEO_FAKE=nodevice two
find paleo-results -type f | sort
PALEO_FAKE=nodevice1 two
echo "wrong lists"
for list in fake,fake 'fake,' ',fake' fake,2x fake,0123456789012345678901234567890123; do
	say paleo-profile --device "$list" "$small" | tail -2
done
say paleo-profile --device fake,fake1 --output a.jsonl "$small"
say paleo-profile --device fake,fake1 --format csv "$small"
