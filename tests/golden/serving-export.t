A model's layers as the input of other programs.

  $ cd "$source/tests/golden/serving"
  $ on="--cost-model datasheet --device h100-sxm"
  $ export_as() { format=$1; shift; paleo serving $on --export "$format" "$@" 2>/dev/null; }

LLMServingSim's table of layers by tokens, in microseconds, at its sizes.

  $ paleo serving $on --chunk 70 --export llmservingsim_dense llama >"$work/dense.csv"
  2> NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  $ sed -n 1,10p "$work/dense.csv"
  layer,tokens,time_us
  embedding,1,0.004891940298507463
  layernorm,1,0.014620595506397665
  qkv_proj,1,15.081356849470055
  rotary_emb,1,0
  o_proj,1,10.055053024024813
  gate_up_proj,1,70.37069892936772
  act_fn,1,0.025748865858699226
  down_proj,1,35.18657215125102
  final_layernorm,1,0.014697078102513509
  $ columns tokens <"$work/dense.csv" | uniq | tr '\n' ' '
  tokens 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20 24 28 32 36 40 44 48 52 56 60 64 70\x20 (esc) (no-eol)

By sequences; of attention, by its four sizes and the queries of an answer; of experts.

  $ export_as llmservingsim_per_sequence --max-concurrency 3 llama
  layer,sequences,time_us
  lm_head,1,314.77472244164255
  sampler,1,0
  lm_head,2,315.9156681668673
  sampler,2,0
  lm_head,3,317.05661389209195
  sampler,3,0
  $ export_as llmservingsim_attention --chunk 32 --max-concurrency 2 llama >"$work/attention.csv"
  $ sed -n 1,3p "$work/attention.csv"
  layer,prefill_chunk,prefill_key,n_decode,kv_decode,decode_q_len,time_us
  attention,0,0,1,16,1,0.027351726027231946
  attention,0,0,1,32,1,0.047182251025044586
  $ grep -E '^attention,(0|32),(0|16),(0|2),(0|64),' "$work/attention.csv"
  attention,0,0,2,64,1,0.1735337662204442
  attention,32,16,0,0,1,0.24897217056017668
  attention,32,16,2,64,1,0.42250593678062087
  $ wc -l <"$work/attention.csv"
  783
  $ export_as llmservingsim_moe --chunk 2 experts.json
  ep,tokens,activated_experts,time_us
  1,1,8,7.544407028170246
  1,2,8,15.083923310071835

Together they are what predict says of a step of 4 answers.

  $ predicted() { paleo predict $on --format csv "llama:$1" 2>/dev/null | columns predicted_s | awk '{ s += $1 } END { print s * 1e6 }'; }
  $ export_as llmservingsim_per_sequence --max-concurrency 4 llama >"$work/per_sequence.csv"
  $ export_as llmservingsim_attention --chunk 32 --max-concurrency 4 llama >"$work/attention.csv"
  $ step() {
  > 	awk -F, -v tokens=$1 -v sequences=$2 -v attention="$3" '
  > 		FILENAME ~ /dense/ && $2 == tokens {
  > 			s += $3 * ($1 == "layernorm" ? 64 : $1 ~ /embedding|final/ ? 1 : 32)
  > 		}
  > 		FILENAME ~ /per_sequence/ && $2 == sequences { s += $3 }
  > 		FILENAME ~ /attention/ && index($0, attention) == 1 { s += $7 * 32 }
  > 		END { print s }' "$work/dense.csv" "$work/per_sequence.csv" "$work/attention.csv"
  > }
  $ step 4 4 attention,0,0,4,1024,1, && predicted decode,batch=4,past=1024
  4716.27
  4716.27

Prompts have the key length that their tokens see in the mean: 2 of 32 tokens 16, and one of 32 behind 48 others 64.

  $ export_as llmservingsim_attention --chunk 64 --max-concurrency 2 llama >"$work/attention.csv"
  $ attention() { paleo predict $on --filter attention --format csv "llama:$1" 2>/dev/null | columns predicted_s | awk '{ s += $1 } END { print s * 1e6 / 32 }'; }
  $ awk -F, '/^attention,(64,16|32,64),0,/ { print $7 + 0 }' "$work/attention.csv"
  0.333345
  0.493054
  $ attention prefill,batch=2,seq=32 && attention prefill,seq=32,past=48
  0.493054
  0.333345

Qwen3 has norms of queries and keys. A worker of two has half of most layers.

  $ export_as llmservingsim_dense --chunk 1 qwen3-8b | columns layer | tr '\n' ' '
  layer embedding layernorm qkv_proj qk_norm rotary_emb o_proj gate_up_proj act_fn down_proj final_layernorm\x20 (esc) (no-eol)
  $ export_as llmservingsim_dense --tp 2 --chunk 1 llama
  layer,tokens,time_us
  embedding,1,0.004891940298507463
  layernorm,1,0.014620595506397665
  qkv_proj,1,7.541901111302192
  rotary_emb,1,0
  o_proj,1,5.028749198579571
  gate_up_proj,1,35.18657215125102
  act_fn,1,0.012874432929349613
  down_proj,1,17.594508762192675
  final_layernorm,1,0.014697078102513509

Vidur's tables, in milliseconds.

  $ export_as vidur_mlp --chunk 8 llama
  time_stats.input_layernorm.median,time_stats.attn_pre_proj.median,time_stats.attn_rope.median,time_stats.attn_post_proj.median,time_stats.post_attention_layernorm.median,time_stats.mlp_up_proj.median,time_stats.mlp_act.median,time_stats.mlp_down_proj.median,time_stats.add.median,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,num_tokens,num_tensor_parallel_workers
  1.4544112910281822e-05,0.015081356849470054,0,0.010055053024024813,1.4697078102513508e-05,0.07037069892936772,2.5748865858699225e-05,0.035186572151251025,0,32,8,4096,14336,128256,True,1,1
  2.4197479551906932e-05,0.015138341161626673,0,0.010093857689840668,2.4503409936370303e-05,0.07062765935127274,5.149773171739845e-05,0.035316275048770704,0,32,8,4096,14336,128256,True,2,1
  4.350421283515715e-05,0.015252309785939918,0,0.010171467021472383,4.411607360408389e-05,0.07114158019508281,0.0001029954634347969,0.03557568084381006,0,32,8,4096,14336,128256,True,4,1
  8.211767940165756e-05,0.015480247034566404,0,0.010326685684735812,8.334140093951106e-05,0.07216942188270292,0.0002059909268695938,0.03609449243388878,0,32,8,4096,14336,128256,True,8,1
  $ export_as vidur_attention --chunk 64 --max-concurrency 2 llama >"$work/vidur.csv"
  $ sed -n 1,2p "$work/vidur.csv"
  time_stats.attn_prefill.median,time_stats.attn_decode.median,time_stats.attn_kv_cache_save.median,n_embd,n_q_head,n_kv_head,block_size,num_tensor_parallel_workers,batch_size,prefill_chunk_size,kv_cache_size
  0.0005150668962042425,,0,4096,32,8,16,1,1,64,0
  $ tail -1 "$work/vidur.csv"
  ,0.040627804761758216,0,4096,32,8,16,1,2,0,16384
  $ wc -l <"$work/vidur.csv"
  513

With steps of 32 tokens there is no chunk of a prompt at its sizes, which begin with 64.

  $ export_as vidur_attention --chunk 32 --max-concurrency 1 llama | columns prefill_chunk_size | sort | uniq -c | sed "s/^ *//"
  128 0
  1 prefill_chunk_size

What the others have no layer for, and options that no table has.

  $ try() { paleo serving --device h100-sxm --export "$@" >/dev/null; }
  $ try llmservingsim llama
  2> paleo-serving: --export is 'llmservingsim', expected one of llmservingsim_dense, llmservingsim_per_sequence, llmservingsim_attention, llmservingsim_moe, vidur_mlp, vidur_attention (did you mean 'llmservingsim_moe'?)
  [2]
  $ try llmservingsim_dense gemma4-26b-a4b 2>&1 | tail -1
  paleo-serving: gemma4-26b-a4b cannot be exported to LLMServingSim, which has no layer for its 'v_norm'
  $ try vidur_mlp experts.json 2>&1 | tail -1
  paleo-serving: experts cannot be exported to Vidur, which has no layer for its 'router'
  $ try llmservingsim_moe llama 2>&1 | tail -1
  paleo-serving: llama has no experts to export
  $ try llmservingsim_moe --tp 2 experts.json 2>&1 | tail -1
  paleo-serving: LLMServingSim looks experts up at tp 1: leave --tp out
  $ try llmservingsim_dense --tp 1,2 llama
  2> paleo-serving: --export takes one model, one device, one number of --tp and one of --max-concurrency
  [2]
  $ try llmservingsim_dense llama qwen3-8b
  2> paleo-serving: --export takes one model, one device, one number of --tp and one of --max-concurrency
  [2]
  $ try llmservingsim_dense --isl 8 llama
  2> paleo-serving: --export takes --tp, --chunk, --max-concurrency, --weights and --kv, but no other load, split or format
  [2]
  $ try llmservingsim_dense --pp 2 llama
  2> paleo-serving: --export takes --tp, --chunk, --max-concurrency, --weights and --kv, but no other load, split or format
  [2]
  $ try llmservingsim_dense --format csv llama
  2> paleo-serving: --export takes --tp, --chunk, --max-concurrency, --weights and --kv, but no other load, split or format
  [2]
