The points that explore finds, by hand.

The net and the link of simulate-table: a step of 8 images is 768 FLOP forward, 1024 backward, 96 of
update, all but without memory traffic, in 1216 bytes. Two workers hold 800 bytes each and exchange
in 2 (0.01 + 96/1000) = 0.212 s, zero1 as data, and zero1 updates only half of the weights each.
An epoch is 100 steps. USD per second: quick 0.01, large 0.0025.
  device  workers  strategy  epoch s                          USD     bytes
  quick   1        both                                               1216: more than 900
  quick   2        data      38.4 + 51.2 + 9.6 + 21.2 = 120.4   2.408   800
  quick   2        zero1     38.4 + 51.2 + 4.8 + 21.2 = 115.6   2.312   800
  large   1        both      153.6 + 204.8 + 19.2 = 377.6       0.944  1216
  large   2        data      76.8 + 102.4 + 19.2 + 21.2 = 219.6 1.098   800
  large   2        zero1     76.8 + 102.4 + 9.6 + 21.2 = 210.0  1.050   800
8 points, 2 too large. Of the rest three are beaten by none; for 2 USD two, for 1 USD one; by time
and memory alone one.

  $ explore() {
  > 	paleo simulate --search $source/tests/golden/simulate-table/net.json --device-file $here/devices.json \
  > 		--link-file $source/tests/golden/simulate-table/links.json --link slow \
  > 		--device quick,large --batch 8 --workers 1,2 --strategy data,zero1 \
  > 		--epoch-size 800 "$@" 2>&1 | grep -v 'configurations/s'
  > }
  $ price='--price quick=36 --price large=9'
  $ explore $price
  quick: not calibrated: the quick's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  large: not calibrated: the large's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  in f32, nchw
  8 configurations, 3 Pareto-optimal; excluded: 2 that exceed the memory
  cheapest is large: 847.5 images per USD, an epoch for 0.94 USD (data, 1 worker, batch 8)
  then quick: 346 images per USD, an epoch for 2.31 USD (zero1, 2 workers, batch 8)
  device  strategy  all-reduce  link  workers  batch  worker batch   step ms  exposed ms  images/s  epoch min  cost USD  memory kB
  --------------------------------------------------------------------------------------------------------------------------------
  quick   zero1     ring        slow        2      8             4  1156.000     212.000       6.9       1.93      2.31      0.800
  large   zero1     ring        slow        2      8             4  2100.000     212.000       3.8       3.50      1.05      0.800
  large   data      -           -           1      8             8  3776.000       0.000       2.1       6.29      0.94      1.22
  $ explore $price --format csv | grep -v ': '
  in f32, nchw
  device,strategy,all_reduce,link,workers,batch,worker_batch,step_s,exposed_comm_s,images_per_s,epoch_s,cost_usd,memory_bytes,source,tokens_per_s,mfu,mfu_masked
  quick,zero1,ring,slow,2,8,4,1.156000001888,0.21200000028799998,6.920415213610949,115.6000001888,2.312000003776,800,datasheet,,,
  large,zero1,ring,slow,2,8,4,2.100000001888,0.21200000028799998,3.809523806098866,210.00000018880002,1.050000000944,800,datasheet,,,
  large,data,,,1,8,8,3.776000002752,0,2.1186440662525134,377.60000027520005,0.944000000688,1216,datasheet,,,
  $ explore $price --format jsonl --budget 2 | grep -v ': not'
  in f32, nchw
  8 configurations, 2 Pareto-optimal; excluded: 2 that exceed the memory, 2 that exceed the budget
  cheapest is large: 847.5 images per USD, an epoch for 0.94 USD (data, 1 worker, batch 8)
  {"device":"large","strategy":"zero1","all_reduce":"ring","link":"slow","workers":2,"batch":8,"worker_batch":4,"step_s":2.100000001888,"exposed_comm_s":0.21200000028799998,"images_per_s":3.809523806098866,"epoch_s":210.00000018880002,"cost_usd":1.050000000944,"memory_bytes":800,"source":"datasheet","tokens_per_s":null,"mfu":null,"mfu_masked":null}
  {"device":"large","strategy":"data","all_reduce":null,"link":null,"workers":1,"batch":8,"worker_batch":8,"step_s":3.776000002752,"exposed_comm_s":0,"images_per_s":2.1186440662525134,"epoch_s":377.60000027520005,"cost_usd":0.944000000688,"memory_bytes":1216,"source":"datasheet","tokens_per_s":null,"mfu":null,"mfu_masked":null}
  $ explore $price --budget 1
  quick: not calibrated: the quick's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  large: not calibrated: the large's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  in f32, nchw
  8 configurations, 1 Pareto-optimal; excluded: 2 that exceed the memory, 4 that exceed the budget
  cheapest is large: 847.5 images per USD, an epoch for 0.94 USD (data, 1 worker, batch 8)
  device  strategy  workers  batch  worker batch   step ms  exposed ms  images/s  epoch min  cost USD  memory kB
  --------------------------------------------------------------------------------------------------------------
  large   data            1      8             8  3776.000       0.000       2.1       6.29      0.94       1.22
  $ explore
  quick: not calibrated: the quick's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  large: not calibrated: the large's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  in f32, nchw
  8 configurations, 1 Pareto-optimal; excluded: 2 that exceed the memory
  No --price: sorted by time, not by cost
  device  strategy  all-reduce  link  workers  batch  worker batch   step ms  exposed ms  images/s  epoch min  memory kB
  ----------------------------------------------------------------------------------------------------------------------
  quick   zero1     ring        slow        2      8             4  1156.000     212.000       6.9       1.93      0.800
  $ explore $price --budget 0.5
  quick: not calibrated: the quick's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  large: not calibrated: the large's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  in f32, nchw
  8 configurations, none left; excluded: 2 that exceed the memory, 6 that exceed the budget
  paleo-simulate: none of 8 configurations is left

Devices whose intervals overlap the cheapest one's may be the cheapest:

  $ paleo simulate --search resnet50 --device t4,l4,h100-sxm --dtype f16 --workers 1 --strategy data --batch 32 \
  > 	--price t4=0.35 --price l4=0.7 --price h100-sxm=30 2>/dev/null | grep USD | head -3
  cheapest is t4: 3.561 million images per USD (90 %: 1.796 million to 5.466 million), an epoch for 0.28 USD (data, 1 worker, batch 32)
  or l4: 2.343 million images per USD (90 %: 1.187 million to 3.622 million), an epoch for 0.43 USD (data, 1 worker, batch 32)
  then h100-sxm: 473,281 images per USD (90 %: 241,119 to 722,619), an epoch for 2.11 USD (data, 1 worker, batch 32)
