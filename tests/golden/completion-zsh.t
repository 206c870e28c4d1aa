Completion in zsh.

  $ command -v zsh >/dev/null || skip "there is no zsh"

  $ zsh $here/check.zsh $build
  offered: simulate simulate distributed training
  offered: --dtype dtypes
  offered: bf16 tf32
  offered: weights-cold
  offered: h100-nvl h100-sxm
