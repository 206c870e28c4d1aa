convert of a config.json for training has a loss, for prompts none.

  $ for phase in train prefill; do
  > 	paleo convert --phase $phase $source/tests/golden/predict-fit/config.json | grep -oE 'inference|CrossEntropy'
  > done
  CrossEntropy
  inference
