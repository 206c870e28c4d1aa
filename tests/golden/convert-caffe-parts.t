Caffe's layers of parts, orders and learned slopes become layers of the net.

448 of c1; 16 slopes; 32 of b; 4 x 8 + 8 and 12 x 8 + 8 behind the parts: 640.

  $ input='layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }'
  $ c1='layer { name: "c1" type: "Convolution" bottom: "data" top: "c1" convolution_param { num_output: 16 kernel_size: 3 pad: 1 } }'
  $ cat > net.prototxt <<END
  > $input $c1
  > layer { name: "r" type: "PReLU" bottom: "c1" top: "c1" }
  > layer { name: "b" type: "BN" bottom: "c1" top: "c1" bn_param { shift_filler { type: "constant" value: 0 } } }
  > layer { name: "s" type: "Slice" bottom: "c1" top: "x" top: "y" slice_param { slice_point: 4 } }
  > layer { name: "c2" type: "Convolution" bottom: "x" top: "c2" convolution_param { num_output: 8 kernel_size: 1 } }
  > layer { name: "c3" type: "Convolution" bottom: "y" top: "c3" convolution_param { num_output: 8 kernel_size: 1 } }
  > layer { name: "e" type: "Eltwise" bottom: "c2" bottom: "c3" top: "e" }
  > layer { name: "w" type: "Power" bottom: "e" top: "e" power_param { scale: 2 } }
  > layer { name: "h" type: "ShuffleChannel" bottom: "e" top: "h" shuffle_channel_param { group: 4 } }
  > layer { name: "p" type: "Permute" bottom: "h" top: "p" permute_param { order: 0 order: 2 order: 3 order: 1 } }
  > layer { name: "f" type: "Flatten" bottom: "p" top: "f" }
  > END
  $ paleo summary net.prototxt | head -1
  net, batch 1, 13 layers, 640 parameters
  $ paleo summary --format csv net.prototxt | cut -d, -f3-4,6 | grep -v '^c1'
  layer,type,output
  data,Input,1x32x32x3
  r,Scale,1x32x32x16
  b,BatchNorm,1x32x32x16
  s,Slice,1x32x32x4
  s_2,Slice,1x32x32x12
  c2,Convolution,1x32x32x8
  c3,Convolution,1x32x32x8
  e,Elementwise,1x32x32x8
  w,Activation,1x32x32x8
  h,Permute,1x32x32x8
  p,Permute,1x32x8x32
  f,Reshape,1x8192

Four-sided pads, a grouped transposed convolution with a dilation, a Crop to the data; weights that are frozen in a
net without a loss.

  $ cat > net.prototxt <<END
  > $input
  > layer { name: "c1" type: "Convolution" bottom: "data" top: "c1" param { lr_mult: 0 }
  >   convolution_param { num_output: 16 kernel_size: 3 stride: 2 pad_t: 0 pad_b: 1 pad_l: 0 pad_r: 1 } }
  > layer { name: "d" type: "Deconvolution" bottom: "c1" top: "d"
  >   convolution_param { num_output: 4 kernel_size: 3 stride: 2 dilation: 2 group: 4 bias_term: false } }
  > layer { name: "k" type: "Crop" bottom: "d" bottom: "data" top: "k" crop_param { axis: 2 offset: 1 } }
  > END
  $ paleo summary net.prototxt | head -1
  net, batch 1, 5 layers, 592 parameters
  $ paleo summary --format csv net.prototxt | cut -d, -f3-4,6 | grep -v '^c1'
  layer,type,output
  data,Input,1x32x32x3
  d,Deconvolution,1x35x35x4
  k,Slice,1x32x35x4
  k_2,Slice,1x32x32x4
