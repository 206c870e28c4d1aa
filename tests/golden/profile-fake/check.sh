#!/bin/sh
# check.sh - a profile of a device with known times.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# How many samples are taken depends on the clock, so only the shape of measured numbers is fixed.
paleo-profile --device fake --output text.jsonl "$small" |
	sed -E '/drifted by more/d; s/measured in [0-9.]+ s/measured in TIME s/; s/[0-9]+(\.[0-9]+)/9\1/g; s/\.[0-9]+/.9/g; s/  +/  /g; s/--+/--/; s/  [0-9]+  (compute|memory|overhead)/  9  \1/'
paleo profile --device fake --format csv --output csv.jsonl "$small" 2>notes |
	columns net,batch,layer,kind,pass,dtype,flops,bytes,predicted_s,bound,algorithm,status,reason,work
sed -E '/drifted by more/d; s/measured in [0-9.]+ s/measured in TIME s/' notes
paleo-profile --device fake --format jsonl --output jsonl.jsonl "$small" 2>/dev/null | head -1 |
	sed -E 's/("(measured[a-z_]*|cold_s|error|flop_per_s|bytes_per_s|of_peak)":)-?[0-9.e-]+/\1NUMBER/g; s/"tags":("drift"|null)/"tags":TAGS/'
