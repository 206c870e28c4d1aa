Completion in bash.

  $ command -v bash >/dev/null || skip "there is no bash"

  $ bash $here/check.bash $build
  paleo pre: predict
  paleo help va: validate
  paleo predict --dt: --dtype
  paleo-predict --dtype f: f32 f16 fp8
  paleo-predict --dtype = bf: bf16
  paleo-profile --mode cold,h: cold,hot
  paleo predict --device a100-8: a100-80-pcie a100-80-sxm
  paleo serving --device h100-sxm,l40: h100-sxm,l40 h100-sxm,l40s
  paleo-profile --batch :\x20 (esc)
  paleo-profile --filter = n: net.json
  paleo-profile --resume n: net.json
  complete -F _paleo paleo
  complete -F _paleo paleo-predict
