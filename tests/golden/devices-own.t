Devices of a file beside our own.

  $ paleo devices --device-file $here/mine.json --format csv H200 other
  name,title,flop_per_s_f32,flop_per_s_tf32,flop_per_s_f16,flop_per_s_bf16,flop_per_s_fp8,fp4_flop_per_s,int8_flop_per_s,mem_bytes_per_s,mem_bytes,cache_bytes,sm_count,clock_hz,tdp_w,compute_capability,match,source
  h200,h200,50000000000000,,,,,,,4000000000000,,,,,,,,mine
  other,"Other, 8 GB",10000000000000,,,40000000000000,,200000000000000,,300000000000,8589934592,,,,,,,
