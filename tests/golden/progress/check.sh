#!/bin/sh
# check.sh - what takes long tells on a terminal how far it is, leaves nothing of it, and is silent elsewhere.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

awk 'BEGIN {
	print "gpu,op,dtype,m,n,k,time_ms"
	for (i = 0; i < 24; i++) {
		m = 512 * (1 + i % 2); n = 128 * (1 + int(i / 2) % 4); k = 256 * (1 + int(i / 8))
		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, 0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3
	}
}' >try.csv
escape=$(printf '\033')
export PALEO_FAKE=still NO_COLOR=1 COLUMNS=100

# lines COMMAND - what stood in its line of progress, the count and the seconds apart.
lines() {
	script -qec "$1" /dev/null </dev/null | tr '\r' '\n' | sed -n "s/^$escape\[K\(..*\)/\1/p"
}

# shown WHAT COMMAND - whether it says that on a terminal; nothing with --quiet, nor in a pipe.
shown() {
	if lines "$2" | grep -Eq "^([0-9]+/[0-9]+  )?[0-9]+ s( left)?  $1"; then
		echo "${2%% --*}: $1"
	else
		echo "${2%% --*}: nothing of '$1' in"
		lines "$2"
	fi
	lines "$2 --quiet"
	script -qec "$2" /dev/null </dev/null | tail -1 | grep "$escape\[K..*$" || :
	$2 >log 2>&1
	grep "$escape" log || :
}

shown '[a-z_]+ [a-z_]+ f32' "paleo-profile --device fake --rounds 1 --output p.jsonl --force $small"
shown 'small, batch 4, fwd' "paleo-fullpass --device fake $small"
shown 'measuring the ceilings' "paleo-ceilings --device fake --output c.jsonl --force"
shown 'conv fwd f32' "paleo-algorithms --device fake $small"
shown 'fitting' "paleo-calibrate --from try.csv --output c.json --force"
shown 'held out in turn' "paleo-validate try.csv"
shown 'gemm f32, held out' "paleo-study try.csv"
shown 'choices simulated' "paleo-explore --devices t4,l4 --law datasheet --strategies data --workers 1,2 $small"
