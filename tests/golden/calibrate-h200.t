What 60 s of designed ops on an H200 say of layers that they do not have: convolutions of ResNet-50 and VGG-16.

  $ paleo calibrate --from $source/results/h200/design.jsonl --output c.json >/dev/null 2>&1
  $ judge() {
  > 	paleo validate --calibration c.json --format csv --all "$source/results/h200/$1" 2>/dev/null | awk -F, -v net="$2" '
  > 		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  > 		$1 == "class" && $at["name"] == "conv.nhwc" { printf "%s: median %.0f %%\n", $at["pass"], 100 * $at["median"] }
  > 		$1 == "net" && $at["name"] ~ net {
  > 			printf "%s: forward %+.0f %%, all %+.0f %%\n", net, 100 * $at["error_fwd"], 100 * $at["error"]
  > 		}'
  > }
  $ judge layers.jsonl resnet50
  fwd: median 10 %
  bwd_data: median 16 %
  bwd_filter: median 16 %
  resnet50: forward +2 %, all +5 %
  $ judge vgg16-b32-bf16-nhwc.jsonl none
  fwd: median 9 %
