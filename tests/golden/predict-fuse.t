What is folded and merged is never slower than apart; a framework's lines.

ResNet-50 by eager PyTorch in f16, inference: 53 convolutions, each with a cast of its weights and a
normalisation, are 159 kernels; the picture is cast, 1; 33 of them end with a ReLU, 33; 16 sums with a ReLU, 32;
two poolings, 2; the last product with its cast, 2; softmax with the cast to f32, 2: 231.
231 kernels of 50 us are 11.55 ms, more than they compute.

sum_s OPTIONS... prints the sum of the forward ops, in seconds.

  $ sum_s() {
  > 	paleo-predict --format csv --pass fwd --batch 16 "$@" 2>/dev/null |
  > 		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "predicted_s") at = i; next }
  > 			{ sum += $at } END { print sum }'
  > }

compare NET DEVICE DTYPE prints a line where it is slower.

  $ compare() {
  > 	apart=$(sum_s --device "$2" --dtype "$3" "$1")
  > 	fused=$(sum_s --device "$2" --dtype "$3" --fuse "$1")
  > 	awk -v a="$apart" -v f="$fused" -v what="$1 $2 $3" \
  > 		'BEGIN { if (!(f > 0 && f <= a * (1 + 1e-9))) print what ": " f " fused, " a " apart" }'
  > }

  $ for net in vgg16 resnet50 resnet18 mobilenet_v2 efficientnet_v2_s convnext_tiny vit_b_16 densenet; do
  > 	for device in h100-sxm v100-pcie-32 rtx-4090; do
  > 		compare "$source/nets/$net.json" $device f32
  > 		compare "$source/nets/$net.json" $device f16
  > 	done
  > done

A picture at a time the host is what limits; without a factor nothing is fitted.

  $ paleo-predict --device h100-sxm --dtype f16 --pass fwd --batch 1 --framework eager --launch-us 50 \
  > 	"$source/nets/resnet50_v15.json" | grep -o 'eager, inference: [0-9]* kernels\|bound by launch overhead.*'
  eager, inference: 231 kernels
  bound by launch overhead: 11.550 ms
  $ paleo-predict --device h100-sxm --framework eager --fuse --pass fwd "$small"
  2> paleo-predict: --framework decides what is fused: leave out --fuse
  [2]
  $ paleo-predict --cost-model paleo2017 --framework eager "$small"
  2> paleo-predict: --cost-model paleo2017 is f32, nchw: leave out --calibration, --algorithm-file, --ppp-memory (--ppp-compute scales both), --fuse, --framework, --separate-attention, --trace
  [2]

What a framework takes as it runs is printed with --quiet, and the rows of other programs add up to it:

  $ paleo predict --device a100-80-sxm --framework eager --dtype f16 --batch 8 --quiet resnet50 | grep -o 'as it runs .* 90'
  as it runs          predicted      4.875 ms    1641.1 images/s  90
  $ paleo predict --device a100-80-sxm --framework eager --dtype f16 --batch 8 --format csv resnet50 2>/dev/null |
  > 	columns as_it_runs_s,as_it_runs_low_s,as_it_runs_high_s |
  > 	awk -F, 'NR > 1 { s += $1; l += $2; h += $3 } END { printf "%.3f %.3f %.3f ms\n", 1e3 * s, 1e3 * l, 1e3 * h }'
  4.875 4.212 8.052 ms
  $ paleo predict --device a100-80-sxm --framework eager --dtype f16 --batch 1,8 --format csv resnet50 | columns batch,as_it_runs_s
  batch,as_it_runs_s
  1,0.0027767494982311202
  8,0.00487480905032705
