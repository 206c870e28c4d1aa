#!/bin/sh
# check.sh - what is folded and merged is never slower than apart; a framework's lines.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# sum_s OPTIONS... prints the sum of the forward works, in seconds.
sum_s() {
	paleo-predict --format csv --pass fwd --batch 16 "$@" 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_s") at = i; next }
			{ sum += $at } END { print sum }'
}

# compare NET DEVICE DTYPE prints a line where it is slower.
compare() {
	apart=$(sum_s --device "$2" --dtype "$3" "$1")
	fused=$(sum_s --device "$2" --dtype "$3" --fuse "$1")
	awk -v a="$apart" -v f="$fused" -v what="$1 $2 $3" \
		'BEGIN { if (!(f > 0 && f <= a * (1 + 1e-9))) print what ": " f " fused, " a " apart" }'
}

for net in vgg16 resnet50 resnet18 mobilenet_v2 efficientnet_v2_s convnext_tiny vit_b_16 densenet; do
	for device in h100-sxm v100-pcie-32 rtx-4090; do
		compare "$1/nets/$net.json" $device f32
		compare "$1/nets/$net.json" $device f16
	done
done
echo compared
# A picture at a time the host is what limits; without a factor nothing is fitted.
paleo-predict --device h100-sxm --dtype f16 --pass fwd --batch 1 --framework eager --no-factor --dispatch-us 50 \
	"$1/nets/resnet50_v15.json" | grep -o 'eager, inference: [0-9]* kernels\|the host.s dispatch makes it.*\|without a.*'
say paleo-predict --device h100-sxm --framework eager --fuse --pass fwd "$small"
say paleo-predict --law paleo2017 --framework eager "$small"
