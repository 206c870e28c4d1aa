What serving refuses.

  $ cd $source/tests/golden/serving
  $ try() { paleo serving "$@"; }
  $ try
  2> paleo-serving: no model was given, for example llama-3.1-8b/config.json (see --help)
  [2]
  $ try llama
  2> paleo-serving: no device and no calibration given: use --device NAME ('paleo devices' lists them; cpu or 0 for this machine) or --calibration FILE
  [2]
  $ try --device h100-sxm absent.json
  2> paleo-serving: no net 'absent.json' here, in ./nets or among the shipped ones, which nets/README.md lists
  [2]
  $ try --device h100-sxm $source/nets/alex_v2.json
  2> paleo-serving: $source/nets/alex_v2.json: not a config.json of a model: only these have a KV cache and can be served
  [2]
  $ try --device h100-sxm --max-concurrency 1,two llama
  2> paleo-serving: --max-concurrency has 'two', expected whole numbers from 1 to 1048576, as in 1,2,4
  [2]
  $ try --device h100-sxm --max-concurrency '' llama
  2> paleo-serving: --max-concurrency is empty, expected N,...
  [2]
  $ try --device h100-sxm --osl 0 llama
  2> paleo-serving: --osl has '0', expected whole numbers from 1 to 4194304, as in 1,2,4
  [2]
  $ try --device h100-sxm --batching dynamic llama
  2> paleo-serving: --batching has 'dynamic', expected one or more of continuous, static, disaggregated, comma-separated
  [2]
  $ try --device h100-sxm --tp 3 llama
  2> paleo-serving: tp 3 does not divide 32 heads
  [2]
  $ try --device h100-sxm --dp 2 llama
  2> paleo-serving: dp 2 is for models with experts: for others, several copies are separate servers
  [2]
  $ try --device h100-sxm --ep 2 --tp 2 llama
  2> paleo-serving: ep 2 needs a model with experts
  [2]
  $ try --device h100-sxm --ep 4 --tp 2 experts.json
  2> paleo-serving: ep 4 does not divide the 2 GPUs of tp x dp
  [2]
  $ try --device mi250x --tp 2 llama
  2> paleo-serving: no known link within a node of 'mi250x': give --link, for example pcie4-x16
  [2]
  $ try --device h100-sxm --tp 2 --link nvlnk4 llama
  2> paleo-serving: unknown link 'nvlnk4' (did you mean 'nvlink4'?)
  [2]
  $ try --device h100-sxm --weights int3 llama
  2> paleo-serving: llama/config.json:weights=int3: unknown dtype 'int3', expected f32, tf32, f16, bf16 or fp8, fp8_block, mxfp4, nvfp4, int4, int4_g16, int4_g32, int4_g64, int4_g128, int4_g32_zero, int4_g64_zero, int4_g128_zero, int8, int8_g16, int8_g32, int8_g64, int8_g128, int8_g32_zero, int8_g64_zero, int8_g128_zero, w8a8, mxfp8
  [2]
  $ try --device h100-sxm llama:vocab=3
  2> paleo-serving: llama/config.json:vocab=3: unknown word 'vocab=3', expected prefill, decode, train or ignore-keys, or batch=, seq=, source=, past=, tp=, pp=, ep=, etp=, weights=, kv= with a value
  [2]
  $ try --device h100-sxm llama:decode,past=7
  2> paleo-serving: llama:decode,past=7: batch=, seq= and past= do not apply to serving: use --max-concurrency, --isl and --osl
  [2]
  $ try --device h100-sxm --tpot-ms 10 --max-concurrency 8 llama
  2> paleo-serving: --ttft-ms and --tpot-ms find the concurrency: leave out --max-concurrency and files of cases
  [2]
  $ try --device h100-sxm --drafts 3 llama
  2> paleo-serving: unknown option '--drafts': use --speculative N,F
  [2]
  $ try --device h100-sxm --speculative 2,2.5 llama
  2> paleo-serving: --speculative is '2,2.5', expected N,F: draft tokens, from 1 to 1024, and how many are accepted, from 0 to N
  [2]
  $ try --device h100-sxm --accepted 1 llama
  2> paleo-serving: unknown option '--accepted': use --speculative N,F
  [2]
  $ try --device h100-sxm --prefix-cached 1024 llama
  2> paleo-serving: of a prompt of 1024 tokens, 1024 cannot be cached: at least one is new
  [2]
  $ try absent.jsonl
  2> paleo-serving: absent.jsonl: cannot open: No such file or directory
  [2]
  $ echo '{"net": "llama", "device": "h200", "isl": 8, "osl": 8}' >$work/cases
  $ try $work/cases
  2> paleo-serving: $work/cases: not a config.json of a model: only these have a KV cache and can be served
  [2]
  $ echo '{"net": "llama", "device": "h200", "isl": 8, "osl": 8, "concurrency": 0}' >$work/cases
  $ try $work/cases
  2> paleo-serving: $work/cases: not a config.json of a model: only these have a KV cache and can be served
  [2]
  $ echo '{"net": "llama", "isl": 8, "osl": 8, "concurrency": 1, "batching": "both"}' >$work/cases
  $ try $work/cases
  2> paleo-serving: $work/cases: not a config.json of a model: only these have a KV cache and can be served
  [2]
  $ echo '{"net": "llama", "isl": 8, "osl": 8, "concurrency": 1, "beams": 4}' >$work/cases
  $ try $work/cases
  2> paleo-serving: $work/cases: not a config.json of a model: only these have a KV cache and can be served
  [2]
