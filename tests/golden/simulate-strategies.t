Every strategy of simulate.

  $ paleo simulate alex_v2_4gpu --device h100-sxm --link infiniband-ndr --node-link nvlink4 --workers-per-node 4 --workers 1,8 --scaling strong --strategy data,model,hybrid,tensor,pipeline,zero1,zero2,zero3 --all-reduce hierarchical --optimizer adam --overlap
  NVIDIA H100 SXM 80 GB, f32, over NVLink 4, 18 links (H100) (450 GB/s, 3.4 us) in nodes of 4 and InfiniBand NDR 4x (50 GB/s, 14 us): published benchmarks, nothing measured here: the median over all GPUs
  alex_v2_4gpu, fastest: 21271.2 images/s with 4 workers, model, batch 128; speedup 1.37; 811 MB each
  net           strategy  scaling  all-reduce    workers  batch  worker batch  fwd ms  bwd ms  upd ms  comm ms  exposed ms  bubble ms  lower ms  upper ms  step ms  speedup  eff %  images/s  memory MB  fits
  -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
  alex_v2_4gpu  data      strong   hierarchical        1    128           128   3.359   4.361  0.528     0.000       0.000          -         -         -    8.248     1.00  100.0   15518.3       1337  yes
  alex_v2_4gpu  data      strong   hierarchical        8    128            16   2.082   1.470  0.528     5.431       4.091          -         -         -    8.172     1.01   12.6   15663.3        861  yes
  alex_v2_4gpu  model     -        -                   4    128           128   2.220   3.617  0.181     0.201           -          -     5.788     7.921    6.018     1.37   34.3   21271.2        811  yes
  alex_v2_4gpu  hybrid    strong   hierarchical        1    128           128   3.359   4.361  0.528     0.000       0.000          -         -         -    8.248     1.00  100.0   15518.3       1337  yes
  alex_v2_4gpu  hybrid    strong   hierarchical        8    128            16   3.823   2.414  0.181     3.210       0.725          -         -         -    7.142     1.15   14.4   17921.5        347  yes
  alex_v2_4gpu  tensor    strong   hierarchical        1    128           128   3.359   4.361  0.528     0.000       0.000          -         -         -    8.248     1.00  100.0   15518.3       1337  yes
  alex_v2_4gpu  tensor    strong   hierarchical        8    128           128   2.183   1.793  0.0557    4.823       4.823          -         -         -    8.855     0.93   11.6   14455.2        511  yes
  alex_v2_4gpu  pipeline  strong   -                   1    128            32   8.839   7.454  0.528     0.000       0.000          -         -         -   16.821     0.49   49.0    7609.5        929  yes
  alex_v2_4gpu  pipeline  strong   -                   8    128             4   8.993   6.842  0.0904    8.364       2.028      2.807         -         -   20.761     0.40    5.0    6165.3        139  yes
  alex_v2_4gpu  zero1     strong   hierarchical        1    128           128   3.359   4.361  0.528     0.000       0.000          -         -         -    8.248     1.00  100.0   15518.3       1337  yes
  alex_v2_4gpu  zero1     strong   hierarchical        8    128            16   2.082   1.470  0.0660    5.220       3.880          -         -         -    7.498     1.10   13.7   17070.1        514  yes
  alex_v2_4gpu  zero2     strong   hierarchical        1    128           128   3.359   4.361  0.528     0.000       0.000          -         -         -    8.248     1.00  100.0   15518.3       1337  yes
  alex_v2_4gpu  zero2     strong   hierarchical        8    128            16   2.082   1.470  0.0660    5.220       3.880          -         -         -    7.498     1.10   13.7   17070.1        341  yes
  alex_v2_4gpu  zero3     strong   hierarchical        1    128           128   3.359   4.361  0.528     0.000       0.000          -         -         -    8.248     1.00  100.0   15518.3       1337  yes
  alex_v2_4gpu  zero3     strong   hierarchical        8    128            16   2.082   1.470  0.0660    8.635       5.366          -         -         -    8.984     0.92   11.5   14247.1        246  yes
