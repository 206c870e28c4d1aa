A filter that takes long is refused.

  $ paleo predict --device h100-sxm --filter '(x{1,200}){1,200}' vgg16
  2> paleo-predict: --filter '(x{1,200}){1,200}' repeats up to 40000 times, expected at most 1000: use * or +
  [2]
  $ paleo predict --device h100-sxm --filter '(c|co)*\1' vgg16
  2> paleo-predict: --filter '(c|co)*\1': back-references (\1) are not supported: write out the text
  [2]
  $ paleo predict --device h100-sxm --cost-model presets --pass fwd --batch 1 --filter '^fc{1,2}8' vgg16
  NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs

  VGG-16, batch 1, f32, nchw, 138,357,544 parameters
    forward             predicted    181.138 us    5520.7 images/s   45.231 GFLOP/s  90 %: 96.962 to 338.388 us
  bound by (predicted): memory 100 %

  layer  kind  pass  MFLOP    MB  pred us  low us  high us  share %  bound   source
  ------------------------------------------------------------------------------------------------------
  fc8    conv  fwd    8.19  16.4  181.138  96.962  338.388    100.0  memory  presets of all GPUs as conv
