#!/bin/sh
# check.sh - the ceilings of the real CPU: every number is there and positive.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

paleo-ceilings --device cpu --format csv --output cpu.jsonl >rows 2>notes
for name in fma_f32 gemm_f32 gemm_f32_zeros read write copy add fork_join dispatch; do
	columns name,value <rows | grep -E "^$name,[0-9]" | grep -vE ',0(\.0*)?$' | sed 's/,.*/: measured/'
done
tail -n 1 cpu.jsonl
