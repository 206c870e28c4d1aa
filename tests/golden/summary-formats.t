Formats of summary.

  $ paleo summary --batch 3 --format csv $source/tests/golden/summary-dropped/net.json
  net,batch,layer,type,details,output,weights,output_bytes,forward_flops,backward_flops
  net,3,data,Input,,3x8x8x4,0,0,0,0
  net,3,a,ReLU,,3x8x8x4,0,3072,768,0
  net,3,b,Convolution,3x3 s1 same 4->4,3x8x8x4,148,3072,56064,56064
  net,3,c,Tanh,,3x8x8x4,0,3072,768,0
  net,3,a+b,Elementwise,add of 2,3x8x8x4,0,3072,768,0
  net,3,a+b+c,Elementwise,add of 2,3x8x8x4,0,3072,768,0
  net,3,fc,InnerProduct,256->10,3x10,2570,120,15390,30750
  $ paleo summary --format paleo $source/tests/golden/summary-dropped/net.json
  A summary of static characteristics of network.
    LAYER	OUTPUTS
    data	[2, 8, 8, 4] \x20 (esc)
    a	[2, 8, 8, 4] \x20 (esc)
    b	[2, 8, 8, 4]  3x3 s1 same 4->4
    c	[2, 8, 8, 4] \x20 (esc)
    a+b	[2, 8, 8, 4]  add of 2
    a+b+c	[2, 8, 8, 4]  add of 2
    fc	[2, 10]  256->10
  Number of params: 2,718 (10,872 Bytes)
  Activation: 10,320 Bytes
