Ops of nets measured beside the drawn ones.

in_order FILE N - the keys of its first N records.

  $ in_order() {
  > 	sed -n 's/.*"op":"\([^"]*\)","status".*/\1/p' "$1" | head -"$2"
  > }

nets OPTION... - what a calibration says of its nets.

  $ nets() {
  > 	paleo-calibrate --device fake "$@" | grep "the networks' ops"
  > }

Every second work is one of the net's 13, however often it is named: 26 ops.

  $ nets --time-budget 10s "$small" "$small" --records both.jsonl
  13 of them are the networks' ops, 0 measured before, 0 left for --resume
  $ in_order both.jsonl 26
  conv fwd f32 n=4 c=320 h=34 w=34 k=240 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1 bias=1
  softmax fwd f32 rows=4 cols=10
  conv bwd_data f32 n=13 c=288 h=7 w=7 k=896 r=1 s=1
  softmax bwd_data f32 rows=4 cols=10
  conv bwd_filter f32 n=18 c=1040 h=14 w=14 k=10 r=7 s=1 pad_t=3 pad_b=3 bias=1
  update update f32 rule=sgd count=520
  conv fwd f32 n=9 c=320 h=5 w=5 k=2912 r=5 s=5 bias=1
  gemm bwd_data f32 m=4 n=2880 k=10
  conv bwd_data f32 n=6 c=160 h=7 w=7 k=2424 r=7 s=7
  gemm fwd f32 m=4 n=10 k=2880 trans_b=1 bias=1
  conv bwd_filter f32 n=83 c=384 h=3 w=3 k=3064 r=3 s=3
  gemm bwd_filter f32 m=10 n=2880 k=4 trans_a=1 bias=1
  gemm fwd f32 m=807 n=12288 k=8192 trans_b=1 bias=1
  pool fwd f32 mode=max n=4 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2
  gemm bwd_data f32 m=20 n=568 k=61300
  pool bwd_data f32 mode=max n=4 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2
  gemm bwd_filter f32 m=3584 n=10240 k=128 trans_a=1 bias=1
  update update f32 rule=sgd count=28810
  conv fwd f32 n=44 c=220 h=89 w=89 k=220 r=5 s=5 pad_t=2 pad_l=2 pad_b=2 pad_r=2 groups=220
  eltwise fwd f32 op=relu count=46080
  conv bwd_data f32 n=18 c=496 h=91 w=91 k=496 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1 groups=496
  conv fwd f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  conv bwd_filter f32 n=1 c=192 h=56 w=56 k=192 r=5 s=5 pad_t=2 pad_l=2 pad_b=2 pad_r=2 groups=192
  conv bwd_filter f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  conv fwd f32 n=103 c=312 h=59 w=59 k=312 r=3 s=3 groups=8 bias=1
  eltwise bwd_data f32 op=relu count=46080
  $ nets --time-budget 1s "$small" --records both.jsonl --resume
  0 of them are the networks' ops, 13 measured before, 0 left for --resume

  $ paleo-profile --device fake --output known.jsonl "$small" >/dev/null
  $ nets --time-budget 1s "$small" --records known.jsonl --resume
  0 of them are the networks' ops, 13 measured before, 0 left for --resume

  $ nets --time-budget 1s "$small" --batch 8 --records batch.jsonl >/dev/null
  $ in_order batch.jsonl 4
  conv fwd f32 n=4 c=320 h=34 w=34 k=240 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1 bias=1
  softmax fwd f32 rows=8 cols=10
  conv bwd_data f32 n=13 c=288 h=7 w=7 k=896 r=1 s=1
  softmax bwd_data f32 rows=8 cols=10

The second of these ops is the first that is drawn: it is measured once.

  $ cat >drawn.json <<'NET'
  > {"name": "drawn", "layers": {
  > 	"data": {"parents": [], "type": "Input", "tensor": [12, 34, 34, 216]},
  > 	"conv": {"parents": ["data"], "type": "Convolution", "filter": [3, 3, 216, 120],
  > 		"padding": "SAME", "strides": [1, 1, 1, 1], "activation_fn": null}
  > }}
  > NET
  $ nets --time-budget 5s drawn.json --batch 12 --records drawn.jsonl
  3 of them are the networks' ops, 0 measured before, 0 left for --resume
  $ measured drawn.jsonl | grep 'conv fwd.* c=216 h=34 w=34 k=120'
  conv fwd f32 n=12 c=216 h=34 w=34 k=120 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1 bias=1

  $ paleo-calibrate --device fake missing-net
  2> paleo-calibrate: no net 'missing-net' here, in ./nets or among the shipped ones, which nets/README.md lists
  [2]
  $ paleo-calibrate --device fake "$small" --from known.jsonl
  2> paleo-calibrate: networks are measured, but --from measures nothing: leave one of them out
  [2]
  $ paleo-calibrate --device fake --batch 4
  2> paleo-calibrate: --full-pass and --batch need networks to measure
  [2]
