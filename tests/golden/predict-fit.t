predict says what does not fit into memory.

  $ cd $here
  $ fit() { paleo predict "$@" --cost-model datasheet | grep -c -A1 'Does not fit'; paleo predict "$@" --cost-model datasheet | grep 'Does not fit'; }
  $ fit $source/nets/vgg16.json --device t4 --batch 64
  0
  [1]
  $ fit $source/nets/vgg16.json --device t4 --batch 512
  1
  Does not fit: weights, gradients, optimizer, activations and workspace need 46.3 GB, t4 has 16.1 GB
  $ fit $source/nets/vgg16.json --device t4 --batch 8192 --pass fwd
  1
  Does not fit: weights and a layer's tensors need 211.0 GB, t4 has 16.1 GB
  $ fit config.json --device h100-sxm --dtype bf16 --phase train --batch 512
  1
  Does not fit: weights, gradients, optimizer, activations and workspace need 193.8 GB, h100-sxm has 85.9 GB
