Attention is one kernel, and with --separate-attention several ops, in each command.

  $ mkdir gpt2
  $ cp "$source/tests/golden/separate-attention/config.json" gpt2
  $ model=gpt2:train,seq=32

kinds COMMAND... - of the ops of attention's layers, each once, in their order.

  $ kinds() {
  > 	"$@" --format csv 2>/dev/null | columns layer,kind | sed -n 's/^\(block\|l\)1_attention,//p' | awk '!seen[$0]++' | paste -sd ' '
  > }

step_s OPTIONS... - of a training step on two workers.

  $ step_s() {
  > 	paleo simulate --device h100-sxm --cost-model datasheet --dtype bf16 --workers 2 --scaling weak --batch 4 --format csv "$@" 2>/dev/null |
  > 		columns step_s | sed -n 2p
  > }

  $ for net in "$source/nets/gpt2.json" "$source/nets/vit_b_16.json" $model; do
  > 	basename "$net"
  > 	for option in "" --separate-attention; do
  > 		{
  > 			echo "  predict: $(kinds paleo predict --device h100-sxm --dtype bf16 --batch 1 $option "$net")"
  > 			echo "  profile: $(kinds paleo profile --device fake --batch 1 --time-budget 1s --pass fwd --filter '1_attention$' --force $option "$net")"
  > 		}
  > 	done
  > 	trained=$(echo "$net" | sed 's/train,//')
  > 	for parallel in data tensor; do
  > 		awk "BEGIN { exit !($(step_s --strategy $parallel --separate-attention "$trained") > $(step_s --strategy $parallel "$trained")) }" &&
  > 			echo "  simulate $parallel: a step takes longer"
  > 	done
  > done
  gpt2.json
    predict: attention
    profile: attention
    predict: split heads scores softmax context join heads
    profile: split heads scores softmax context join heads
    simulate data: a step takes longer
    simulate tensor: a step takes longer
  vit_b_16.json
    predict: attention
    profile: attention
    predict: split heads scores softmax context join heads
    profile: split heads scores softmax context join heads
    simulate data: a step takes longer
    simulate tensor: a step takes longer
  gpt2:train,seq=32
    predict: attention
    profile: attention
    predict: split heads scores softmax context join heads
    profile: split heads scores softmax context join heads
    simulate data: a step takes longer
    simulate tensor: a step takes longer
  $ for option in "" --separate-attention; do
  > 	echo "fullpass bert_base: $(kinds paleo fullpass --device fake --batch 1 --time-budget 1s --pass fwd --all $option bert_base)"
  > done
  fullpass bert_base: attention
  fullpass bert_base: split heads scores softmax context join heads
  $ for record in paleo-results/fake/*.jsonl; do
  > 	basename "${record%%-fwd*}"
  > done
  gpt2-b1-bf16
  gpt2-b1-bf16-separate
  gpt2-b1-f32
  gpt2-b1-f32-separate
  vit_b_16-b1-f32
  vit_b_16-b1-f32-separate
  $ paleo predict --cost-model paleo2017 --separate-attention "$small"
  2> paleo-predict: --cost-model paleo2017 is f32, nchw: leave out --calibration, --algorithm-file, --ppp-memory (--ppp-compute scales both), --fuse, --framework, --separate-attention, --trace
  [2]

A config.json trains with its dropout, which in a framework is a kernel also of the scores where attention is separate;
inference drops nothing:

  $ mkdir bert && cat >bert/config.json <<'END'
  > {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 64, "intermediate_size": 128,
  >  "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 100, "max_position_embeddings": 64,
  >  "hidden_act": "gelu", "attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.1}
  > END
  $ dropped() {
  > 	paleo predict --device h100-sxm --seq 64 --format csv "$@" bert 2>/dev/null | grep -c ,dropout,
  > }
  $ dropped --phase train
  6
  $ dropped --phase train --framework eager
  6
  $ dropped --phase train --framework eager --separate-attention
  8
  $ dropped
  0
  [1]
