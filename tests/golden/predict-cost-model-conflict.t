Options of predict that do not go together.

  $ paleo predict vgg16 --cost-model paleo2017 --ppp-memory 0.5
  2> paleo-predict: --cost-model paleo2017 is f32, nchw: leave out --calibration, --algorithm-file, --ppp-memory (--ppp-compute scales both), --fuse, --framework, --separate-attention, --trace
  [2]
  $ paleo predict vgg16 --cost-model datasheet --device h200 --calibration x.json
  2> paleo-predict: the cost model 'datasheet' cannot be combined with a calibration
  [2]
  $ paleo predict vgg16 --cost-model datasheet --device h200 --algorithm fft
  2> paleo-predict: --algorithm needs --cost-model paleo2017
  [2]
  $ paleo predict vgg16 --cost-model calibrated --device t4 --ppp-compute 0.5
  2> paleo-predict: the cost model 'calibrated' cannot be combined with fractions of peak (PPP)
  [2]
  $ paleo predict vgg16 --device h200 --calibration $source/results/cpu-amd-epyc/calibration.json
  2> paleo-predict: the device is 'h200', but '$source/results/cpu-amd-epyc/calibration.json' was made on 'cpu-amd-epyc'
  [2]
  $ paleo predict vgg16 --device t4 --dtype bf16
  2> paleo-predict: device 't4' has no peak FLOP/s for bf16: choose another dtype
  [2]
  $ paleo predict vgg16 --device a100-80-sxm --dtype fp8
  2> paleo-predict: device 'a100-80-sxm' has no peak FLOP/s for fp8: choose another dtype, or for a config.json weights=int8, which compute in the network's dtype
  [2]
  $ paleo predict vgg16 --device t4 --dtype bf16 --cost-model presets
  2> paleo-predict: device 't4' has no peak FLOP/s for bf16: choose another dtype
  [2]
  $ paleo predict vgg16 --device cpu-i7 --cost-model presets
  2> paleo-predict: 'cpu-i7' is a CPU, and presets exist only for GPUs: use the cost model 'datasheet' or a calibration
  [2]
