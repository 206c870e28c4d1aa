What files and arguments hold reaches no terminal as it is.

ESC, BEL, DEL, U+009B (what ESC [ is), U+202E and U+2066 (they turn the line), a byte that is no UTF-8

  $ escape=$(printf '\033') c1=$(printf '\302\233') turn=$(printf '\342\200\256')
  $ evil="${escape}[31m$(printf '\177')${c1}2J${turn}gnp.$(printf '\341')"

shown COMMAND... - what it says; and that nothing of it steers anything.

  $ shown() {
  > 	say "$@" >said
  > 	LC_ALL=C grep -q "$escape\\|$c1\\|$turn\\|$(printf '\341')\\|$(printf '\177')" said &&
  > 		echo "RAW:"
  > 	head -n 3 said
  > }

  $ shown paleo "$evil"
  paleo: unknown command '\x1b[31m\x7f\u009b2J\u202egnp.\xe1' (see paleo --help)
  -> 2
  $ shown paleo-predict --device h200 "$evil"
  paleo-predict: no net '\x1b[31m\x7f\u009b2J\u202egnp.\xe1' here, in ./nets or among the shipped ones, which nets/README.md lists
  -> 2
  $ shown paleo-predict --device h200 "./$evil"
  paleo-predict: ./\x1b[31m\x7f\u009b2J\u202egnp.\xe1: No such file or directory
  -> 2
  $ shown paleo-predict --device "$evil" "$small"
  paleo-predict: unknown device '\x1b[31m\x7f\u009b2J\u202egnp.\xe1' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  -> 2
  $ shown paleo-predict "--$evil" "$small"
  paleo-predict: unknown option '--\x1b[31m\x7f\u009b2J\u202egnp.\xe1' (see --help)
  -> 2
  $ shown paleo-predict --batch "$evil" "$small"
  paleo-predict: --batch is '\x1b[31m\x7f\u009b2J\u202egnp.\xe1', expected a whole number from 1 to 1048576
  -> 2
  $ shown paleo-profile --device "$evil" "$small"
  paleo-profile: --device is '\x1b[31m\x7f\u009b2J\u202egnp.\xe1', expected auto|N|cuda:N|cpu: GPU number N, the CPU, or the first usable one (default auto)
  -> 2
  $ shown paleo-profile --device fake --filter "$evil" "$small"
  paleo-profile: --filter '\x1b[31m\x7f\u009b2J\u202egnp.\xe1': Unmatched [, [^, [:, [., or [=
  -> 2
  $ shown paleo-profile --device fake --output "$evil/a/b" "$small" | tail -n 1
   (esc)
  $ shown paleo-calibrate "$evil"
  paleo-calibrate: \x1b[31m\x7f\u009b2J\u202egnp.\xe1: is a folder without a config.json, expected a net's file or a model's folder
  -> 2
  $ shown paleo-calibrate --from "$evil"
  paleo-calibrate: \x1b[31m\x7f\u009b2J\u202egnp.\xe1: is a directory, expected records, a table or a trace
  -> 2
  $ shown paleo-validate "$evil"
  paleo-validate: \x1b[31m\x7f\u009b2J\u202egnp.\xe1: the folder of networks follows tables of them
  -> 2
  $ shown paleo-summary "$evil"
  paleo-summary: \x1b[31m\x7f\u009b2J\u202egnp.\xe1: is a folder without a config.json, expected a net's file or a model's folder
  -> 2
  $ shown paleo-convert "$evil"
  paleo-convert: \x1b[31m\x7f\u009b2J\u202egnp.\xe1: is a folder without a config.json, expected a net's file or a model's folder
  -> 2
  $ shown paleo-check "$evil"
  paleo-check: unexpected argument '\x1b[31m\x7f\u009b2J\u202egnp.\xe1' (see --help)
  -> 2
  $ shown paleo-devices "$evil"
  paleo-devices: unknown device '\x1b[31m\x7f\u009b2J\u202egnp.\xe1' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  -> 2
  $ shown paleo-simulate --device h200 --link "$evil" --workers 2 "$small"
  paleo-simulate: unknown link '\x1b[31m\x7f\u009b2J\u202egnp.\xe1', expected one of a file of your own, or of aws, ethernet, ethernet20, infiniband, pcie2, pcie3, pcie2-x16, pcie3-x16, pcie4-x16, pcie5-x16, nvlink2, nvlink3, nvlink3-8, nvlink4, nvlink4-8, nvlink5, xgmi3, ethernet-10g, ethernet-25g, ethernet-100g, ethernet-200g, ethernet-400g, infiniband-edr, infiniband-hdr, infiniband-ndr
  -> 2
  $ shown paleo-simulate --cost-model paleo2017 --device K20 --format paleo "$small"
  $source/tests/golden/small.json
  ==========
  weak scaling

In JSON all of it may stand. Tables show it, JSON escapes it, and what is read back is exact.

  $ text='\\u001b[31m\\u007f\\u009b2J\\u202egnp\\u2066=1' # for sed
  $ sed "s/\"name\": *\"small\"/\"name\": \"small $text\"/; s/\"conv1\"/\"$text\"/g" "$small" >net.json
  $ shown paleo-summary net.json
  small \x1b[31m\x7f\u009b2J\u202egnp\u2066=1, batch 32, 5 layers, 29,330 parameters
  layer                                  type          details             output       parameters  output MB  fwd MFLOP  bwd MFLOP
  ---------------------------------------------------------------------------------------------------------------------------------
  $ shown paleo-predict --device h200 net.json
  NVIDIA H200 SXM 141 GB: published benchmarks, nothing measured here: the median over all GPUs

  small \x1b[31m\x7f\u009b2J\u202egnp\u2066=1, batch 32, f32, nchw, 29,330 parameters
  $ paleo-predict --device h200 --format csv net.json 2>/dev/null | columns layer | sort -u
  \x1b[31m\x7f\u009b2J\u202egnp\u2066=1
  fc2
  layer
  pool1
  softmax
  $ paleo-predict --device h200 --format jsonl net.json 2>/dev/null | grep -o '"layer":"[^"]*"' | sort -u
  "layer":"\u001b[31m\u007f\u009b2J\u202egnp\u2066=1"
  "layer":"fc2"
  "layer":"pool1"
  "layer":"softmax"
  $ shown paleo-profile --device fake --output records.jsonl net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
   (esc)
  $ shown paleo-profile --device fake --output records.jsonl --resume net.json | head -n 1
  fake: fake device with known factors, for tests, fake 1
  $ LC_ALL=C grep -c "$escape\\|$c1\\|$turn" records.jsonl
  0
  [1]
  $ [ "$(grep -c 'u001b\[31m.u007f.u009b2J.u202egnp.u2066=1' records.jsonl)" -gt 0 ] && echo "escaped"
  escaped
