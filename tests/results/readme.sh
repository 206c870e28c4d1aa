#!/bin/sh
# readme.sh PALEO ROOT - the accuracy in README.md is what results/tables.sh writes.
# SPDX-License-Identifier: Apache-2.0
#
# Their words are compared, not their numbers: these change with the cost models, and tables.sh --write follows.
set -eu
paleo=$1 root=$2

# words - without numbers, and with one blank where columns are padded.
words() {
	sed 's/[0-9][0-9.,]*/N/g; s/  */ /g'
}

now=$("$root/results/tables.sh" "$paleo" accuracy | words)
was=$(sed -n "/^<!-- accuracy: tables.sh -->\$/,/^<!-- end -->\$/p" "$root/README.md" | sed '1d;$d' | words)
[ "$now" = "$was" ] || {
	printf 'README.md has\n%s\nresults/tables.sh accuracy writes\n%s\n' "$was" "$now"
	exit 1
}
