Completion in fish.

  $ command -v fish >/dev/null || skip "there is no fish"

  $ fish $here/check.fish $build
  paleo pre: predict
  paleo predict --dt: --dtype
  paleo-predict --dtype=b: --dtype=bf16
  paleo-profile --mode cold,h: cold,hot
  paleo predict --device a100-80-: a100-80-pcie a100-80-sxm
  paleo-serving --device h100-sxm,l40: h100-sxm,l40 h100-sxm,l40s
  paleo-profile --resume n: net.json
  paleo-profile --batch :
