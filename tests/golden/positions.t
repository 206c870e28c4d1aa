More tokens than a model has positions: rotary ones can be computed, so that a line says it; a table of learned ones ends there.

  $ llama=$source/tests/golden/serving/llama on="--device h100-sxm --cost-model datasheet"
  $ paleo predict $on --quiet "$llama:seq=131072" | sed -n '3,5p'
  llama, batch 1, 131072 tokens each, bf16, 8,030,261,248 parameters
  weights 16.061 GB, 7,504,924,672 of them active; cache 131,072 bytes per token, 17.180 GB in all
  weights and KV cache: 33.2 GB, h100-sxm has 85.9 GB
  $ paleo predict $on --quiet "$llama:seq=131073" | sed -n '3,6p'
  llama, batch 1, 131073 tokens each, bf16, 8,030,261,248 parameters
  weights 16.061 GB, 7,504,924,672 of them active; cache 131,072 bytes per token, 17.180 GB in all
  weights and KV cache: 33.2 GB, h100-sxm has 85.9 GB
  131073 tokens are more than the model's 131072 positions
  $ paleo predict $on --quiet "$llama:phase=decode,past=131072" | sed -n '3,6p'
  llama, batch 1, 1 token each after 131072 cached, bf16, 8,030,261,248 parameters
  weights 16.061 GB, 7,504,924,672 of them active; cache 131,072 bytes per token, 17.180 GB in all
  weights and KV cache: 33.2 GB, h100-sxm has 85.9 GB
  131073 tokens are more than the model's 131072 positions
  $ paleo predict $on --format csv --seq 1000000 "$llama" >out
  2> NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> llama: 1000000 tokens are more than the model's 131072 positions
  $ paleo predict $on --seq 1024,200000 "$llama" >out
  2> llama: 200000 tokens are more than the model's 131072 positions
  $ paleo predict $on --quiet --seq 200000 "$llama:tp=2" | sed -n '5,6p'
  weights and KV cache: 21.1 GB, h100-sxm has 85.9 GB
  200000 tokens are more than the model's 131072 positions; one worker of tp 2, pp 1, ep 1; not in its times: 64 all-reduces of 1638400000 bytes
  $ paleo summary "$llama:seq=200000" | grep positions
  200000 tokens are more than the model's 131072 positions
  $ paleo simulate $on --workers 2 --batch 1 --seq 200000 "$llama" >out
  2> llama: 200000 tokens are more than the model's 131072 positions
  $ paleo simulate --search $on --workers 2 --batch 2 "$llama:seq=200000" 2>&1 | grep positions
  llama: 200000 tokens are more than the model's 131072 positions
  $ paleo serving $on --max-concurrency 1 --isl 1024,130000 --osl 1000,2000 "$llama" | grep positions
  llama: 132000 tokens are more than the model's 131072 positions
  $ paleo serving $on --max-concurrency 1 --isl 130000 --osl 1072 "$llama" | grep -c positions
  0
  [1]
  $ echo '{"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024}' >config.json
  $ paleo predict $on --seq 1025 config.json
  2> paleo-predict: 1025 tokens exceed the model's 1024 positions
  [2]
