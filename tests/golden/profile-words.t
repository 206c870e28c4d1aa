What the library tells of an engine is told in words; programs get the record's name.

  $ paleo-profile --device fake --pass fwd --output made.jsonl "$small" >/dev/null 2>&1
  $ sed '/"op":"conv fwd/ s/"knobs"/"notes":"tensor_core","knobs"/
  > 	/"op":"gemm fwd/ s/"knobs":"[^"]*"/"knobs":"tile=20 stages=0 cluster=3"/' made.jsonl >words.jsonl
  $ profile() { paleo-profile --device fake --pass fwd --resume --output words.jsonl "$@" "$small" 2>/dev/null; }
  $ profile | grep -o 'known_factors [ae].*[^ ]'
  known_factors engine 10: tensor cores
  known_factors algorithm 10: tile 128x128, cluster 2x1x1
  $ profile --format csv | columns layer,kind,algorithm | head -n 2
  layer,kind,algorithm
  conv1,conv,known_factors
