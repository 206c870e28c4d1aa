Published training steps of a shipped table, each priced by the command line that is in it.

  $ mkdir -p data/results/cases
  $ ln -s $source/results/presets data/results/presets
  $ ln -s $source/results/cases/models data/results/cases/models
  $ ln -s $source/nets data/nets
  $ head -1 $source/results/cases/training.csv >data/results/cases/training.csv
  $ grep -E '^(nemo|automodel|DeepLearningExamples,resnet50_v15,,a100-80-sxm,f16,8)' $source/results/cases/training.csv >>data/results/cases/training.csv
  $ PALEO_DATA_DIR=data paleo simulate --case training
  model          words     type  strategy                     framework  device       workers  batch  published s  predicted s  error %  source
  -----------------------------------------------------------------------------------------------------------------------------------------------------------
  resnet50_v15             f16   data                                    a100-80-sxm        8   2048        0.123        0.100    -19.0  DeepLearningExamples
  qwen3-30b-a3b  seq=4096  bf16  ep8+fsdp+mb4                            h100-sxm           8    512       21.773       20.451     -6.1  automodel
  llama3-70b     seq=8192  fp8   tp4+sp+cp2+pp4+v5+zero1+mb1             h100-sxm          64    128       10.688       10.700      0.1  nemo 24.07
  llama3-8b      seq=8192  fp8   cp2+zero1+mb1                           h100-sxm           8    128       10.890        9.607    -11.8  nemo 24.07

The table has 504 steps of eleven devices, and each of its models is there.

  $ awk -F, 'NR > 1 && NF >= 16 { n++; gpus[$4] } END { for (g in gpus) count++; print n, count }' $source/results/cases/training.csv
  504 11
  $ awk -F, 'NR > 1 && $3 != "" { print $2 }' $source/results/cases/training.csv | sort -u |
  > 	while read -r model; do
  > 		test -f "$source/nets/llm/$model.json" || test -f "$source/results/cases/models/$model.json" || echo "$model"
  > 	done

A line that says too little is named; the table has columns of its own.

  $ echo 'me,llama3-8b' >>data/results/cases/training.csv
  $ PALEO_DATA_DIR=data paleo simulate --case training
  2> paleo-simulate: data/results/cases/training.csv:6: expected 16 fields
  [2]
  $ paleo simulate --case training,cloud
  2> paleo-simulate: the tables of megatron, recompute and llama3, of training and of the other cases have different columns: name the cases of one
  [2]
