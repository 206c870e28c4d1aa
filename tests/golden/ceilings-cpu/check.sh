#!/bin/sh
# check.sh - the ceilings of the real CPU: every number is positive, and what others disturbed is told.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

watch_others
paleo-ceilings --device cpu --format csv --output cpu.jsonl >rows 2>notes
missing=0
for name in fma_f32 gemm_f32 gemm_f32_zeros read write copy add fork_join dispatch; do
	columns name,value <rows | grep -E "^$name,[0-9]" | grep -qvE ',0(\.0*)?$' || missing=$((missing + 1))
done
told=$(sed -n 's/^\([0-9]*\) could not be measured, the first .*: other processes disturbed all of .*/\1/p' notes)
[ "$missing" -le "${told:-0}" ] && echo "measured, or disturbed"
[ "${told:-0}" = 0 ] || others_came || echo "disturbed by nobody"
columns name,value <rows | grep -E ',(0(\.0*)?|-.*|nan)?$' || echo "all positive"
tail -n 1 cpu.jsonl
