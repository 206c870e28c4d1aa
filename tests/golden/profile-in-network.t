Beside a profile, what its rows take inside of the whole net.


Inside of a pass of the fake device a step takes its time alone, or 0.8 of it where the step before
has just written what it reads, and 2 us more. So relu, whose input the convolution wrote, takes
0.8 * 8.0905 + 2 = 8.4724 us.

  $ export PALEO_FAKE=still

  $ profile() {
  > 	paleo-profile --device fake --output profile.jsonl "$@"
  > }
  $ beside() {
  > 	columns layer,kind,pass,cold_s,in_network_s | sed -E 's/([0-9]\.[0-9]{4})[0-9]*e/\1e/g'
  > }

  $ paleo-fullpass --device fake --output passes.jsonl "$small" >/dev/null
  $ profile --passes passes.jsonl --format csv "$small" 2>notes | beside
  layer,kind,pass,cold_s,in_network_s
  conv1,conv,fwd,1.5245e-05,1.7245e-05
  conv1,relu,fwd,8.0905e-06,8.4724e-06
  pool1,max_pool,fwd,3.0957e-06,4.4765e-06
  fc2,inner_product,fwd,3.7632e-06,5.0106e-06
  softmax,softmax,fwd,8.3285e-06,8.6628e-06
  softmax,softmax,bwd_data,8.0480e-06,8.4384e-06
  fc2,inner_product,bwd_filter,4.3374e-06,5.4699e-06
  fc2,inner_product,bwd_data,3.3561e-06,5.3561e-06
  pool1,max_pool,bwd_data,2.6977e-06,4.1582e-06
  conv1,relu,bwd_data,8.7909e-06,9.0327e-06
  conv1,conv,bwd_filter,1.5630e-05,1.4504e-05
  conv1,update,update,3.7654e-06,1.0770e-05
  fc2,update,update,4.1831e-06,1.1940e-05
  $ grep in-network notes
  in-network: 13 of 13 rows of small, within its pass step
  $ profile --passes passes.jsonl "$small" | grep 'in-network' | sed -E 's/[0-9]+\.[0-9]+ ms/TIME ms/g; s/  +/  /g'
  in-network: 13 of 13 rows of small, within its pass step
    forward  in-network TIME ms, 1.14 of cold
    backward  in-network TIME ms, 1.10 of cold
    forward + backward  in-network TIME ms, 1.12 of cold
    update  in-network TIME ms, 2.86 of cold
    training step  in-network TIME ms, 1.27 of cold
  layer  kind  pass  MFLOP  kB  pred us  share %  meas us  +-% run  in-network us  error %  GFLOP/s  GB/s  % peak  bound  algorithm

Of several passes with these rows the shortest; without these rows none:

  $ profile --passes passes.jsonl --pass fwd "$small" | grep '^in-network'
  in-network: 5 of 5 rows of small, within its pass fwd
  $ paleo-fullpass --device fake --pass fwd --output fwd.jsonl "$small" >/dev/null
  $ profile --passes fwd.jsonl "$small" | grep '^in-network'
  in-network: 5 of 13 rows of small, within its pass fwd
  $ profile --passes passes.jsonl --pass fwd --batch 2 "$small" | grep 'in-network'
  in-network: --passes has no pass with these rows of small, batch 2
  $ paleo-fullpass --device fake --pass step --optimizer adam --output adam.jsonl "$small" >/dev/null
  $ profile --passes adam.jsonl "$small" | grep '^in-network'
  in-network: 11 of 13 rows of small, within its pass step

No run with clocks was quiet:

  $ sed 's/"in_network_samples":[0-9]*/"in_network_samples":0/' fwd.jsonl >loud.jsonl
  $ profile --passes loud.jsonl "$small" | grep '^in-network'
  in-network: 5 of 13 rows of small, within its pass fwd, disturbed

Wrong files:

  $ sed 's/"device":{"name":"fake"/"device":{"name":"other"/' passes.jsonl >other.jsonl
  $ say profile --passes other.jsonl "$small" | tail -n 2
  paleo-profile: --passes: 'other.jsonl' holds passes of other, not of fake
  -> 2
  $ profile --passes none.jsonl "$small"
  2> paleo-profile: none.jsonl: cannot open: No such file or directory
  [2]
