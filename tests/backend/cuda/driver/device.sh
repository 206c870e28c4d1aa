#!/bin/sh
# device.sh - the driver's stand-in has no device, and the program says so.
# SPDX-License-Identifier: Apache-2.0
#
# device.sh PALEO STAND_IN SCRATCH   STAND_IN: the folder of the driver's stand-in
set -u
paleo=$1
scratch=$3
export LD_LIBRARY_PATH="$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset PALEO_CUDA_LIBDIR
mkdir -p "$scratch"
cd "$scratch" || exit 1

# says COMMAND...: it ends with 4 and names the driver that is pretended.
says() {
	rm -f none.jsonl
	"$@" >text 2>&1
	code=$?
	if [ "$code" -eq 3 ]; then
		echo "skipped: the CUDA plug-in cannot be used: $(cat text)"
		exit 77
	fi
	if [ "$code" -ne 4 ] || ! grep -q 'no CUDA device: driver for CUDA 13.0: no CUDA-capable' text; then
		echo "'$*' ended with $code, expected 4 and no device: $(cat text)"
		exit 1
	fi
}

says "$paleo" profile --device 0 --output none.jsonl alex_v2
says "$paleo" check --device 0
says "$paleo" algorithms --device 0 alex_v2
