#!/bin/sh
# newer-cudnn.sh SCRATCH [VERSION [DEVICE]] - prints which convolutions get another engine from PyPI's cuDNN, as CSV.
# SPDX-License-Identifier: Apache-2.0
#
# SCRATCH keeps the wheel of nvidia-cudnn-cu13 (about 500 MB, the newest one unless VERSION is named). DEVICE is a
# described one (h200); neither GPU nor driver is needed. PALEO_BUILD is the folder of the build (build). From 9.27 on
# cuDNN needs libcuda.so.1: both versions get the tests' stand-in for the driver, so that engines which are compiled at
# run time are listed, too. PALEO_LIBCUDA is the folder of another one.
set -eu
scratch=${1:?newer-cudnn.sh SCRATCH [VERSION [DEVICE]]}
version=${2:-}
device=${3:-h200}
build=$(realpath "${PALEO_BUILD:-build}")
export LC_ALL=C LD_LIBRARY_PATH="${PALEO_LIBCUDA:-$build/tests/backend/cuda/driver/lib}"
unset NVIDIA_TF32_OVERRIDE PALEO_CUDA_LIBDIR

mkdir -p "$scratch/libraries"
scratch=$(cd "$scratch" && pwd)
if [ ! -d "$scratch/libraries/nvidia" ]; then
	python3 -m pip download --quiet --no-deps --dest "$scratch" "nvidia-cudnn-cu13${version:+==$version}"
	python3 -m zipfile -e "$scratch"/nvidia_cudnn_cu13-*.whl "$scratch/libraries"
fi

# compare LAYOUT TYPE... - rows of ops whose engine differs; what is said of all goes to stderr
compare() {
	layout=$1
	shift
	for dtype; do
		echo "$dtype, $layout" >&2
		"$build/bin/paleo" algorithms --quiet --device "$device" --dtype "$dtype" --layout "$layout" --format csv \
			--against "$scratch/libraries/nvidia/cudnn/lib" alex_v2 vgg16 resnet50 inception_v3 nin overfeat |
			awk -F, -v OFS=, -v layout="$layout" '
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				$at["differs"] == "engine" {
					print $at["net"], $at["layer"], $at["layers"], $at["pass"], $at["dtype"], layout,
						$at["engine_a"], $at["engine_b"], sprintf("%.4f", $at["share"])
				}'
	done
}

echo "net,layer,layers,pass,dtype,layout,engine_a,engine_b,share"
compare nchw f32 tf32 bf16
compare nhwc bf16
