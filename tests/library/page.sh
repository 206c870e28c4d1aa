#!/bin/sh
# page.sh PAGE WEB_ANSWER WORK - runs page.js where there are node and a page (cmake --build build --target web).
# SPDX-License-Identifier: Apache-2.0
set -eu
page=$1 answer=$2 work=$3


command -v node >/dev/null || {
	echo "skipped: there is no node"
	exit 77
}
[ -e "$page/data.js" ] || {
	echo "skipped: the page is not built (cmake --build build --target web)"
	exit 77
}
mkdir -p "$work"
cp nets/vgg16.json "$work/mine.json"
cp tests/fuzz/corpus/onnx/picture.onnx "$work/"
printf '{' >"$work/broken.json"
printf '%s\n' '{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 512, "intermediate_size": 1024,' \
	'"num_attention_heads": 8, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 32000,' \
	'"max_position_embeddings": 2048, "hidden_act": "silu", "rms_norm_eps": 1e-5}' >"$work/llama.json"
node tests/library/page.js "$page" "$answer" "$work/mine.json" "$work/picture.onnx" "$work/broken.json" \
	"$work/llama.json" "$work/llama.json:decode"
