Completion in fish.

  $ command -v fish >/dev/null || skip "there is no fish"

  $ fish $here/check.fish $build
  paleo pre: predict
  paleo predict --dt: --dtype
  paleo-predict --dtype=b: --dtype=bf16
  paleo-profile --mode cold,h: cold,hot
  paleo-profile --resume n: net.json
  paleo-profile --batch :
