#!/bin/sh
# check.sh - a long table is answered first: sums, where the time goes, the longest rows; a terminal's width.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

predict() {
	paleo predict --device t4 --law datasheet "$@"
}

net=$source/nets/resnet50.json

predict "$net" | sed 's/[0-9][0-9.,]*/N/g; s/  */ /g; s/--*/-/' | head -20
rows() {
	sed -n '/^layer/,$p' | sed 1,2d | awk '{ print $1, $2, $3 }'
}
echo "by time, by name, all"
predict --top 3 "$net" | rows
predict --top 2 --sort name --pass fwd "$net" | rows
echo "$(predict --all "$net" | rows | wc -l) rows"
echo "$(predict --format csv "$net" 2>/dev/null | wc -l) lines of CSV, $(predict --format csv --top 5 "$net" 2>/dev/null | wc -l) of --top 5"
echo "the sums alone"
predict --quiet "$small" | cut -c 1-40
echo "as Markdown"
predict --format md --top 1 "$small" | grep '^|' | sed 's/[0-9][0-9.,]*/N/g'
say predict --sort size "$small"

echo "one work"
key='gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1'
PALEO_FAKE=still say paleo profile --device fake:0 --work "$key"
PALEO_FAKE=still paleo profile --device fake --work "$key" --mode hot --format csv 2>/dev/null | columns mode,status,work
say paleo profile --device fake --work 'gemm fwd'
say paleo profile --device fake --work "$key" "$small"
say paleo profile --device h100-sxm "$small"
