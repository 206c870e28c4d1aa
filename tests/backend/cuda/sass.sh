#!/bin/sh
# sass.sh - the kernels' machine code: nothing in local memory, and what kernels.def says of accesses.
# SPDX-License-Identifier: Apache-2.0
# sass.sh CUOBJDUMP IMAGES COMPUTE_CAPABILITY FOLDER   IMAGES: what the build has compiled
set -eu

cuobjdump=$1
images=$2
capability=$3
folder=$4
here=$(dirname "$0")

if [ ! -x "$cuobjdump" ]; then
	echo "skipped: no cuobjdump, which comes with a CUDA toolkit"
	exit 77
fi
if [ ! -x "$(dirname "$cuobjdump")/nvdisasm" ] && ! command -v nvdisasm >/dev/null; then
	echo "skipped: no nvdisasm, which cuobjdump calls"
	exit 77
fi
mkdir -p "$folder"
rm -f "$folder"/*.cubin
for dtype in f32 f16 bf16; do
	cp "$images/sm_${capability}_$dtype.cubin" "$folder/$dtype.cubin"
done

wrong=0
for cubin in "$folder"/*.cubin; do
	"$cuobjdump" -res-usage "$cubin" >"$folder/usage"
	"$cuobjdump" -sass "$cubin" >"$folder/sass"
	awk -f "$here/sass.awk" -v name="sm_$capability $(basename "$cubin" .cubin)" \
		"$here/kernels.def" "$folder/usage" "$folder/sass" || wrong=1
done
exit $wrong
