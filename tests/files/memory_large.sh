#!/bin/sh
# memory_large.sh - as memory.sh, for the commands that read what was measured of GPUs, or many records.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"
needs_shim

paleo-profile --device fake --output records "$small" >/dev/null
# Products of 16 shapes, at a tenth of the peak.
awk 'BEGIN {
	print "gpu,op,dtype,m,n,k,time_ms"
	for (i = 0; i < 16; i++)
		printf "T4,gemm,fp32,%d,%d,%d,%g\n", m = 64 * (1 + i % 4), n = 128 * (1 + int(i / 4)),
			512, 2 * m * n * 512 / 8.1e8 + 0.01
}' >table.csv
every_allocation 20 paleo-predict --device h200 "$small"
every_allocation 10 paleo-predict --device h100-sxm --cost-model presets --format jsonl "$small"
every_allocation 10 paleo-simulate --device h200 --link nvlink4 --workers 2 "$small"
every_allocation 10 paleo-simulate --search --device h200 --workers 1,2 --batch 8 --strategy data \
	--link nvlink4 --threads 1 "$small"
every_allocation 8 paleo-simulate --case all
every_allocation 30 paleo-validate table.csv
every_allocation 20 paleo-validate records
# shellcheck disable=SC2034 # for every_allocation
complete=same_end
every_allocation 10 paleo-calibrate --device fake --time-budget 1s --force --records design \
	--output calibration
finish "memory may run out anywhere"
