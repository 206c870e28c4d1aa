The order of ops: predicted longest first.

order FILE: the ops of its records, in their order; one that was measured twice counts once

  $ order() {
  > 	sed -n 's/.*"type":"record","op":"\([^"]*\)".*/\1/p' "$1" | awk '!seen[$0]++'
  > }

  $ paleo-profile --device fake --pass fwd --output usual.jsonl "$small" >/dev/null
  $ order usual.jsonl
  conv fwd f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  eltwise fwd f32 op=relu count=46080
  pool fwd f32 mode=max n=4 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2
  gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1
  softmax fwd f32 rows=4 cols=10
