#!/bin/sh
# verdicts.sh - a planner that dies or never ends costs one op of a sweep its plan, and no other.
# SPDX-License-Identifier: Apache-2.0
#
# verdicts.sh PLAN_SWEEP LIBRARIES ROOT   LIBRARIES: the folder of the stand-ins with faults, of which cuDNN's offers
#                                         no engine; ROOT: the project's
set -u
sweep=$1
root=$3
export LD_LIBRARY_PATH="$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
failures=0

# check FAULT WANTED: the verdicts of a convolution, a maximum pooling and a convolution.
check() {
	found=$(PALEO_FAULT=$1 "$sweep" plan 2 "$root/bench/backends/cuda/devices/h200.json" <<-END | cut -f 7 | tr '\n' ' '
		conv fwd f32 n=2 c=3 h=9 w=11 k=5 r=3 s=3
		pool fwd f32 mode=max n=2 c=3 h=4 w=5 r=2 s=2
		conv fwd f32 n=2 c=3 h=9 w=11 k=6 r=3 s=3
	END
	)
	if [ "$found" != "$2" ]; then
		echo "WRONG: with the fault '$1' the verdicts are '$found', expected '$2'"
		failures=1
	fi
}

check '' 'refused not asked refused '
check planner-crash 'crash not asked crash '
check planner-hang 'timeout not asked timeout '
exit $failures
