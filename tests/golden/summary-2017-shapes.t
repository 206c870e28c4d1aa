Paddings and a deconvolution in the original's format.

Paddings that are written down, and a deconvolution, in the original's words. Weights, and a bias for each
of the last number of the filter, as the original counts: 3 * 3 * 8 * 6 + 6 = 438, 5 * 5 * 4 * 6 + 6 = 606.

  $ paleo summary --cost-model paleo2017 --format paleo $here/net.json
  A summary of static characteristics of network.
    LAYER	OUTPUTS
    data	[2, 4, 4, 8] \x20 (esc)
    conv	[2, 4, 4, 6]  Filters: [3, 3, 8, 6]  Pad: [1, 1] (1, 1) Stride: 1, 1 Params: 438
    up	[2, 8, 8, 4]  Filters: [5, 5, 4, 6]  Params: 606
  Number of params: 1,044 (4,176 Bytes)
  Activation: 3,840 Bytes
