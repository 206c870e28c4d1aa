A case that does not exist.

  $ paleo simulate --case fire-cafe
  2> paleo-simulate: --case has 'fire-cafe', expected one or more of all, firecaffe, inception, one-weird-trick, cloud, mxnet, dcgan, megatron, recompute, llama3, training, comma-separated (did you mean 'firecaffe'?)
  [2]
