What algorithms refuses, and that it needs a GPU's plug-in.

  $ paleo algorithms vgg16
  2> paleo-algorithms: --device was not given, for example h200 (see --help)
  [2]
  $ paleo algorithms --device h200
  2> paleo-algorithms: no network was given, for example vgg16 (see --help)
  [2]
  $ paleo algorithms --device h20 vgg16
  2> paleo-algorithms: no description of 'h20' for cudnn (did you mean 'h200'?); known are t4, a100, l4, rtx4090, h100, h200, b200, and files of your own
  [2]
  $ paleo algorithms --device none.json vgg16
  2> paleo-algorithms: none.json: cannot open: No such file or directory
  [2]
  $ paleo algorithms --device h200 --dtype f32,f8 vgg16
  2> paleo-algorithms: --dtype has 'f8', expected one or more of f32, tf32, f16, bf16, fp8, comma-separated (did you mean 'fp8'?)
  [2]
  $ paleo algorithms --device h200 --dtype f16,f16 vgg16
  2> paleo-algorithms: --dtype has 'f16' twice
  [2]
  $ paleo algorithms --device h200 --dtype f16, vgg16
  2> paleo-algorithms: --dtype has '', expected one or more of f32, tf32, f16, bf16, fp8, comma-separated
  [2]
  $ paleo algorithms --device h200 --layout nwhc vgg16
  2> paleo-algorithms: --layout is 'nwhc', expected one of nchw, nhwc (did you mean 'nhwc'?)
  [2]
  $ paleo algorithms --device h200 --top 33 vgg16
  2> paleo-algorithms: --top is 33, expected at most 32
  [2]
  $ paleo algorithms --device h200 --dtype bf16,fp8 vgg16
  2> paleo-algorithms: --dtype fp8 needs a device of this machine, not 'h200': descriptions cover convolutions only, which have no fp8 (use bf16)
  [2]
  $ mkdir empty; PALEO_PLUGIN_DIR=empty paleo algorithms --device rtx-4090 vgg16
  2> paleo-algorithms: plug-in 'cuda' was not built or not installed: no 'empty/libpaleo-cuda.so' (set PALEO_PLUGIN_DIR if it is elsewhere)
  [3]
