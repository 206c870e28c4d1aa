predict reads ONNX.

  $ paleo predict --device h100-sxm --cost-model datasheet --pass fwd --batch 4 $source/tests/fuzz/corpus/onnx/picture.onnx
  NVIDIA H100 SXM 80 GB: not calibrated: the h100-sxm's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)

  picture, batch 4, f32, nchw, 1,914 parameters
    forward             predicted     0.0244 us  164067278.5 images/s   13.946 TFLOP/s

  kind           rows  time us  share %
  -------------------------------------
  conv              1  0.00871     35.7
  batch_norm        1  0.00515     21.1
  relu              1  0.00492     20.2
  max_pool          1  0.00324     13.3
  inner_product     1  0.00235      9.7
  bound by (predicted): compute 36 %, memory 64 %

  layer                 kind           pass    MFLOP     kB  pred us  share %  bound
  ------------------------------------------------------------------------------------
  Conv_0                conv           fwd   0.309    13.7   0.00871     35.7  compute
  BatchNormalization_1  batch_norm     fwd   0.0164   16.4   0.00515     21.1  memory
  Relu_2                relu           fwd   0.00205  16.4   0.00492     20.2  memory
  MaxPool_3             max_pool       fwd   0.00205  10.8   0.00324     13.3  memory
  Gemm_5                inner_product  fwd   0.0103    7.37  0.00235      9.7  memory
