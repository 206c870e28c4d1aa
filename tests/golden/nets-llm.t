The shipped language models, by name, with the parameters of their published checkpoints (language model alone).

  $ for net in "$source"/nets/llm/*.json; do
  > 	paleo summary "$(basename "$net" .json)" | sed -n '1s/ layers, / /; 1s/, batch 1,//; 1s/ [0-9]* / /; 1p'
  > done
  deepseek-v2-lite 15,706,484,224 parameters
  deepseek-v3 671,026,419,200 parameters
  gemma4-26b-a4b 25,233,141,760 parameters
  glm-5 743,911,218,432 parameters
  gpt-oss-120b 116,829,156,672 parameters
  kimi-k2 1,026,408,232,448 parameters
  llama2-7b 6,738,415,616 parameters
  llama3-70b 70,553,706,496 parameters
  llama3-8b 8,030,261,248 parameters
  llama31-405b 405,853,388,800 parameters
  llama4-scout 107,769,861,120 parameters
  minimax-m2.5 228,689,764,864 parameters
  mistral-nemo-12b 12,247,782,400 parameters
  mixtral-8x7b 46,702,792,704 parameters
  nemotron3-nano 31,577,937,344 parameters
  nemotron3-super 120,668,687,360 parameters
  qwen2.5-7b 7,615,616,512 parameters
  qwen3-0.6b 596,049,920 parameters
  qwen3-235b-a22b 235,093,634,560 parameters
  qwen3-30b-a3b 30,532,122,624 parameters
  qwen3-32b 32,762,123,264 parameters
  qwen3-8b 8,190,735,360 parameters
  qwen3.5-27b 26,895,998,464 parameters
  qwen3.5-397b-a17b 396,346,350,336 parameters
  $ paleo summary lama3-8b
  2> paleo-summary: no net 'lama3-8b' here, in ./nets or among the shipped ones (did you mean 'llama3-8b'?)
  [2]
