simulate with a device and a link of a file, by hand.

  $ cd $here
  $ paleo simulate net.json --device-file device.json --device round --link-file links.json --link slow --workers 1,2 --batch 8 --epoch-size 800 --format csv
  net,dtype,layout,seq,strategy,scaling,all_reduce,workers,batch,worker_batch,forward_s,backward_s,update_s,comm_s,exposed_comm_s,bubble_s,lower_bound_s,upper_bound_s,step_s,step_low_s,step_high_s,speedup,efficiency,images_per_s,epoch_s,weights_bytes,gradients_bytes,optimizer_bytes,activations_bytes,workspace_bytes,memory_bytes,fits,source,tokens_per_s,tokens_per_s_per_worker,mfu,mfu_masked,hfu
  net,f32,nchw,,data,weak,ring,1,8,8,0.768000000896,1.0240000012800001,0.096000000576,0,0,,,,1.888000002752,,,1,1,4.237288129416834,188.8000002752,192,192,0,448,384,1216,no,datasheet,,,,,
  net,f32,nchw,,data,weak,ring,2,16,8,0.768000000896,1.0240000012800001,0.096000000576,0.21200000028799998,0.21200000028799998,,,,2.10000000304,,,1.7980952381132338,0.8990476190566169,7.619047608018141,105.000000152,192,192,0,448,384,1216,no,datasheet,,,,,
  net,f32,nchw,,data,strong,ring,1,8,8,0.768000000896,1.0240000012800001,0.096000000576,0,0,,,,1.888000002752,,,1,1,4.237288129416834,188.8000002752,192,192,0,448,384,1216,no,datasheet,,,,,
  net,f32,nchw,,data,strong,ring,2,8,4,0.384000000544,0.512000000768,0.096000000576,0.21200000028799998,0.21200000028799998,,,,1.204000002176,,,1.5681063117440206,0.7840531558720103,6.644518260416552,120.4000002176,192,192,0,224,192,800,yes,datasheet,,,,,
  2> Round numbers, f32, over Slow link (1e-06 GB/s, 1e+04 us): not calibrated: the round's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  $ paleo simulate net.json --device-file device.json --device round --link-file links.json --link slow --workers 2 --scaling strong --batch 8 --epoch-size 800
  Round numbers, f32, over Slow link (1e-06 GB/s, 1e+04 us): not calibrated: the round's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  net  strategy  scaling  all-reduce  workers  batch  worker batch   fwd ms   bwd ms  upd ms  comm ms  exposed ms   step ms  speedup  eff %  images/s  epoch min  memory kB  fits
  -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  net  data      strong   ring              2      8             4  384.000  512.000  96.000  212.000     212.000  1204.000     1.57   78.4       6.6        2.0      0.800  yes
