Algorithms measured against one another: the fastest right one stands for the work.


Products and convolutions have three: the first takes t, the second 0.8 t, the third 1.5 t. So the
library's choice, the first, costs 1 / 0.8 - 1 = 25 %.

  $ wanted=layer,kind,pass,algorithm,rank,candidates,regret,status
  $ still() {
  > 	PALEO_FAKE=still,${faults:-} paleo-profile --device fake --pass fwd --format csv "$@" "$small" \
  > 		2>notes | columns $wanted | sed 's/0\.2499999[0-9]*/0.25/; s/0\.2500000[0-9]*/0.25/'
  > 	sed -n '/tried/p; s/in [0-9.]* s/in TIME s/p; /could not list/p' notes
  > }

--algorithm all:

  $ still --algorithm all --output all.jsonl
  layer,kind,pass,algorithm,rank,candidates,regret,status
  conv1,conv,fwd,better_factors,1,3,0.25,
  conv1,relu,fwd,known_factors,,,,
  pool1,max_pool,fwd,known_factors,,,,
  fc2,inner_product,fwd,better_factors,1,3,0.25,
  softmax,softmax,fwd,known_factors,,,,
  5 ops measured in TIME s, 0 unsupported, 0 failed
  9 algorithms tried, 0 without a time
  $ PALEO_FAKE=still paleo-profile --device fake --algorithm all --output text.jsonl --pass fwd "$small" |
  > 	sed -E -n '/regret of/{s/[0-9.]+ ms/TIME ms/g; s/^  regret of/regret of/; s/: [0-9.]+ %/: SOME %/; p}'
  regret of the library's choices: SOME % of the net's time; 25.0 % in the 2 rows with several algorithms (TIME ms, the fastest TIME ms), at most 25.0 % (fc2 fwd)
  $ sed -n 's/.*"algorithm":"\([^"]*\)","mode":"cold",\(.*\),"verify_error.*/\1 \2/p' all.jsonl | sort -u
  better_factors "regime":"burst","rank":1,"engine":"11","knobs":"factor=1","workspace_bytes":1000
  known_factors "regime":"burst","engine":"10","knobs":"factor=0","workspace_bytes":0
  worse_factors "regime":"burst","rank":2,"engine":"12","knobs":"factor=2","is_fallback":1,"workspace_bytes":2000

Each of best:2, of the heuristic:

  $ still --algorithm best:2 --output best.jsonl | head -2
  layer,kind,pass,algorithm,rank,candidates,regret,status
  conv1,conv,fwd,better_factors,1,2,0.25,
  $ still --algorithm heuristic --output first.jsonl | head -2
  layer,kind,pass,algorithm,rank,candidates,regret,status
  conv1,conv,fwd,known_factors,,,,

One is wrong, one crashes, one does not fit: the first is what is left:

  $ faults=wrong=gemm\ fwd\ f32\ m=4\ n=10\ k=2880\ trans_b=1\ bias=1\ rank=1,crash=rank=2
  $ still --algorithm all --output faults.jsonl
  layer,kind,pass,algorithm,rank,candidates,regret,status
  conv1,conv,fwd,better_factors,1,3,0.25,
  conv1,relu,fwd,known_factors,,,,
  pool1,max_pool,fwd,known_factors,,,,
  fc2,inner_product,fwd,known_factors,0,3,0,
  softmax,softmax,fwd,known_factors,,,,
  5 ops measured in TIME s, 0 unsupported, 0 failed
  9 algorithms tried, 3 without a time
  $ faults=oom=rank=1,fail=rank=2
  $ still --algorithm all --output faults.jsonl | sed -n 2p
  conv1,conv,fwd,known_factors,0,3,0,

The first crashes: the second stands for it, the regret is not known:

  $ faults=crash=rank=0
  $ still --algorithm best:2 --output faults.jsonl
  layer,kind,pass,algorithm,rank,candidates,regret,status
  conv1,conv,fwd,better_factors,1,2,,
  conv1,relu,fwd,,,,,crash
  pool1,max_pool,fwd,,,,,crash
  fc2,inner_product,fwd,better_factors,1,2,,
  softmax,softmax,fwd,,,,,crash
  2 ops measured in TIME s, 0 unsupported, 3 failed
  7 algorithms tried, 5 without a time
  $ sed -n 's/.*"op":"\([a-z]*\) .*"status":"\([a-z]*\)".*"algorithm":"\([^"]*\)","mode":"cold",\(.*\),"verify_error.*/\1 \2 \3 \4/p' faults.jsonl
  conv crash known_factors "regime":"burst","engine":"10","knobs":"factor=0","workspace_bytes":0
  conv ok better_factors "regime":"burst","rank":1,"engine":"11","knobs":"factor=1","workspace_bytes":1000
  eltwise crash  "regime":"burst","workspace_bytes":0
  pool crash  "regime":"burst","workspace_bytes":0
  gemm crash known_factors "regime":"burst","engine":"10","knobs":"factor=0","workspace_bytes":0
  gemm ok better_factors "regime":"burst","rank":1,"engine":"11","knobs":"factor=1","workspace_bytes":1000
  softmax crash  "regime":"burst","workspace_bytes":0

Resumed: what crashed stays; it is measured when that is asked for, and only that:

  $ faults=
  $ still --algorithm best:2 --resume --output faults.jsonl | sed -n '/conv1,conv/p; /tried/p'
  conv1,conv,fwd,better_factors,1,2,,
  0 algorithms tried, 0 without a time
  $ still --algorithm best:2 --retry-failed --output faults.jsonl | sed -n '/conv1,conv/p; /tried/p'
  conv1,conv,fwd,better_factors,1,2,0.25,
  5 algorithms tried, 0 without a time
  $ still --algorithm all --resume --output faults.jsonl | sed -n '/conv1,conv/p; /tried/p'
  conv1,conv,fwd,better_factors,1,3,0.25,
  2 algorithms tried, 0 without a time

The planner crashes: the library's choice is measured:

  $ faults=planner-crash
  $ still --algorithm all --output planner.jsonl | sed -n '/conv1,conv/p; /listed no/p'
  conv1,conv,fwd,known_factors,,,,

  $ for wrong in best best: best:0 best:33 best:2x fastest ''; do
  > 	say paleo-profile --device fake --algorithm "$wrong" "$small"
  > done
  paleo-profile: --algorithm is 'best', expected heuristic, best:K with K from 1 to 32, or all
  -> 2
  paleo-profile: --algorithm is 'best:', expected heuristic, best:K with K from 1 to 32, or all
  -> 2
  paleo-profile: --algorithm is 'best:0', expected heuristic, best:K with K from 1 to 32, or all
  -> 2
  paleo-profile: --algorithm is 'best:33', expected heuristic, best:K with K from 1 to 32, or all
  -> 2
  paleo-profile: --algorithm is 'best:2x', expected heuristic, best:K with K from 1 to 32, or all
  -> 2
  paleo-profile: --algorithm is 'fastest', expected heuristic, best:K with K from 1 to 32, or all
  -> 2
  paleo-profile: --algorithm is empty, expected heuristic|best:K|all
  -> 2
  $ paleo-profile --device fake --workspace-limit 4 "$small"
  2> paleo-profile: --workspace-limit is '4', expected a number from 1024 to 1e+15 bytes (65536, 64K, 16M, 1.5G)
  [2]
  $ paleo algorithms --device fake --top 3 --format csv --pass fwd "$small"
  device,library,net,batch,layer,layers,kind,pass,dtype,rank,engine,bias,act,list,workspace_bytes,notes,behaviour,knobs,status,reason,op
  fake,fake 1,small,32,conv1,1,conv,fwd,f32,0,10,,,,0,,,factor=0,,,conv fwd f32 n=32 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  fake,fake 1,small,32,conv1,1,conv,fwd,f32,1,11,,,,1000,,,factor=1,,,conv fwd f32 n=32 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  fake,fake 1,small,32,conv1,1,conv,fwd,f32,2,12,,,fallback,2000,,,factor=2,,,conv fwd f32 n=32 c=1 h=28 w=28 k=20 r=5 s=5 bias=1
  fake,fake 1,small,32,conv1,1,relu,fwd,f32,,,,,,,,,,unsupported,the fake library has one algorithm for this,eltwise fwd f32 op=relu count=368640
  fake,fake 1,small,32,pool1,1,max_pool,fwd,f32,,,,,,,,,,unsupported,the fake library has one algorithm for this,pool fwd f32 mode=max n=32 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2
  fake,fake 1,small,32,fc2,1,inner_product,fwd,f32,0,10,,,,0,,,factor=0,,,gemm fwd f32 m=32 n=10 k=2880 trans_b=1 bias=1
  fake,fake 1,small,32,fc2,1,inner_product,fwd,f32,1,11,,,,1000,,,factor=1,,,gemm fwd f32 m=32 n=10 k=2880 trans_b=1 bias=1
  fake,fake 1,small,32,fc2,1,inner_product,fwd,f32,2,12,,,fallback,2000,,,factor=2,,,gemm fwd f32 m=32 n=10 k=2880 trans_b=1 bias=1
  fake,fake 1,small,32,softmax,1,softmax,fwd,f32,,,,,,,,,,unsupported,the fake library has one algorithm for this,softmax fwd f32 rows=32 cols=10
