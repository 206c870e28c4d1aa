predict by the original's law.

  $ paleo predict vgg16 --cost-model paleo2017 --device K80 --ppp-compute 0.62 --batch 128 --pass fwd --format csv --filter '^(conv1-1|pool1|dropout6|fc8)$' 2>/dev/null
  net,batch,layer,type,pass,compute_ms,memory_ms,total_ms
  vgg16,128,conv1-1,conv2d,fwd,6.392931096774195,5.390864386353441,11.783795483127637
  vgg16,128,pool1,pool2d,fwd,0.23677522580645163,6.431661626344086,6.6684368521505375
  vgg16,128,dropout6,dropout,fwd,0.00015100460829493088,0.013125840053763441,0.013276844662058373
  vgg16,128,fc8,conv2d,fwd,0.30200921658986174,0.059438008134083085,0.3614472247239448
  $ paleo predict vgg16 --cost-model paleo2017 --device K80 --ppp-compute 0.62 --batch 128 --pass bwd --format csv --filter '^(conv1-1|pool1|dropout6|fc8)$' 2>/dev/null
  net,batch,layer,type,pass,compute_ms,memory_ms,total_ms
  vgg16,128,conv1-1,conv2d,bwd_data,0,0,0
  vgg16,128,pool1,pool2d,bwd_data,0.23677522580645163,6.431661626344086,6.6684368521505375
  vgg16,128,dropout6,dropout,bwd_data,0.00015100460829493088,0.013125840053763441,0.013276844662058373
  vgg16,128,fc8,conv2d,bwd_data,0.30200921658986174,0.059438008134083085,0.3614472247239448
  vgg16,128,conv1-1,conv2d,bwd_filter,6.392931096774195,5.390864386353442,11.783795483127637
  vgg16,128,pool1,pool2d,bwd_filter,0,0,0
  vgg16,128,dropout6,dropout,bwd_filter,0,0,0
  vgg16,128,fc8,conv2d,bwd_filter,0.30200921658986174,0.059438008134083085,0.3614472247239448
