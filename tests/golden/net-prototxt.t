Every command reads Caffe's prototxt.

  $ cat >small.prototxt <<END
  > name: "small"
  > layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } } }
  > layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 } }
  > layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" inner_product_param { num_output: 10 } }
  > END
  $ sed 's/kernel_size/kernal_size/' small.prototxt >wrong.prototxt
  $ paleo summary small.prototxt
  small, batch 2, 3 layers, 1,562 parameters
  layer  type          details            output   parameters  output kB  fwd MFLOP  bwd MFLOP
  --------------------------------------------------------------------------------------------
  data   Input         -                  2x8x8x3           0      0        0.0         0.0
  conv   Convolution   3x3 s1 valid 3->4  2x6x6x4         112     1.15      0.0158      0.0158
  fc     InnerProduct  144->10            2x10           1450     0.0800    0.00578     0.0115
  --------------------------------------------------------------------------------------------
  sum    -             -                  -              1562     1.23      0.0216      0.0274
  $ paleo predict --device t4 --pass fwd --format csv small.prototxt 2>/dev/null | cut -d, -f1-4
  net,batch,layer,kind
  small.prototxt,2,conv,conv
  small.prototxt,2,fc,inner_product
  $ paleo predict --device t4 --cost-model paleo2017 small.prototxt | wc -l
  19
  $ paleo profile --device fake --pass fwd small.prototxt | grep -c small
  2
  $ paleo fullpass --device fake --format csv small.prototxt 2>/dev/null | grep -c small
  3
  $ paleo simulate --device t4 --workers 2 --scaling weak --format csv small.prototxt 2>/dev/null | cut -d, -f1-3
  net,dtype,layout
  small.prototxt,f32,nchw
  $ paleo simulate --search --device t4 --workers 1 --batch 8 --format csv small.prototxt 2>/dev/null | cut -d, -f1-6
  device,strategy,all_reduce,link,workers,batch
  t4,data,,,1,8
  $ for command in summary 'predict --device t4' 'profile --device fake' 'fullpass --device fake' \
  > 	'simulate --device t4' 'simulate --search --device t4'; do
  > 	paleo $command wrong.prototxt 2>&1 >/dev/null | tail -n 1
  > done
  paleo-summary: wrong.prototxt:3:103: layer 'conv': convolution_param.kernal_size: unknown field (did you mean 'kernel_size'?)
  paleo-predict: wrong.prototxt:3:103: layer 'conv': convolution_param.kernal_size: unknown field (did you mean 'kernel_size'?)
  paleo-profile: wrong.prototxt:3:103: layer 'conv': convolution_param.kernal_size: unknown field (did you mean 'kernel_size'?)
  paleo-fullpass: wrong.prototxt:3:103: layer 'conv': convolution_param.kernal_size: unknown field (did you mean 'kernel_size'?)
  paleo-simulate: wrong.prototxt:3:103: layer 'conv': convolution_param.kernal_size: unknown field (did you mean 'kernel_size'?)
  paleo-simulate: wrong.prototxt:3:103: layer 'conv': convolution_param.kernal_size: unknown field (did you mean 'kernel_size'?)
