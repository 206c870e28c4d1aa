Layers that the original knows and we do not, and ours.

  $ paleo summary --cost-model paleo2017 $here/net.json
  joints that overlap, batch 2, 5 layers, 148 parameters
  layer  type          details           output   parameters  output kB  fwd MFLOP
  --------------------------------------------------------------------------------
  data   input         -                 2x8x8x4           0       2.05     0.0
  a      generic_ReLU  -                 2x8x8x4           0       2.05     0.0
  b      conv2d        3x3 s1 same 4->4  2x8x8x4         148       2.05     0.0369
  c      generic_Tanh  -                 2x8x8x4           0       2.05     0.0
  a+b    elementwise   add of 2          2x8x8x4           0       2.05     0.0
  --------------------------------------------------------------------------------
  sum    -             -                 -               148      10.2      0.0369
  2> paleo-summary: net: the original omits 2 of 7 layers: 'a+b+c', 'fc'; --cost-model auto counts them
  $ paleo summary $here/net.json
  joints that overlap, batch 2, 7 layers, 2,718 parameters
  layer  type          details           output   parameters  output kB  fwd MFLOP  bwd MFLOP
  -------------------------------------------------------------------------------------------
  data   Input         -                 2x8x8x4           0      0       0.0          0.0
  a      ReLU          -                 2x8x8x4           0     2.05     0.000512     0.0
  b      Convolution   3x3 s1 same 4->4  2x8x8x4         148     2.05     0.0374       0.0374
  c      Tanh          -                 2x8x8x4           0     2.05     0.000512     0.0
  a+b    Elementwise   add of 2          2x8x8x4           0     2.05     0.000512     0.0
  a+b+c  Elementwise   add of 2          2x8x8x4           0     2.05     0.000512     0.0
  fc     InnerProduct  256->10           2x10           2570     0.0800   0.0103       0.0205
  -------------------------------------------------------------------------------------------
  sum    -             -                 -              2718    10.3      0.0497       0.0579
