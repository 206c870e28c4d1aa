Whole passes of a device with known times: tables, records, resuming.

  $ paleo-fullpass --device fake --output passes.jsonl "$small"
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  net    batch  type  pass     full us  +-% run  in-network us  /full  layout us  pred us  /full
  ----------------------------------------------------------------------------------------------
  small      4  f32   fwd       48.868      0.0         48.868  1.000      5.000    1.239  0.025
  small      4  f32   fwd+bwd  105.828      0.0        105.828  1.000     15.000    2.851  0.027
  small      4  f32   step     128.539      0.0        128.539  1.000     15.000    3.209  0.025

  memory, MB  pass     weights  gradients  optimizer  input  activations  lower bound  workspace  total  lower bound
  ------------------------------------------------------------------------------------------------------------------
  small       fwd          0.1        0.0        0.0    0.0          0.4          0.4        1.0    1.5          0.5
  small       fwd+bwd      0.1        0.1        0.0    0.0          0.6          0.6        1.0    1.8          0.8
  small       step         0.1        0.1        0.0    0.0          0.6          0.6        1.0    1.8          0.8
  $ paleo-fullpass --device fake --pass step --optimizer adam --all "$small"
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)

  small, batch 4, step
  layer    kind           pass        in-network us  layout us   pred us
  ----------------------------------------------------------------------
  conv1    conv           fwd                17.245          -  0.434
  conv1    relu           fwd                 8.472          -  0.373
  pool1    max_pool       fwd                 4.477          -  0.247
  fc2      inner_product  fwd                 5.011      5.000  0.185
  softmax  softmax        fwd                 8.663          -  0.000340
  softmax  softmax        bwd_data            8.438          -  0.000496
  fc2      inner_product  bwd_filter          5.470      5.000  0.185
  fc2      inner_product  bwd_data            5.356      5.000  0.184
  pool1    max_pool       bwd_data            4.158          -  0.247
  conv1    relu           bwd_data            9.033          -  0.562
  conv1    conv           bwd_filter         14.505          -  0.434
  conv1    update         update             18.764          -  0.0153
  fc2      update         update             22.188          -  0.847
  $ paleo-fullpass --device fake --format csv --pass fwd "$small" 2>/dev/null
  net,batch,dtype,pass,layout,fused,optimizer,how,full_s,within_run_low_s,within_run_high_s,in_network_s,in_network_of_full,layout_change_s,isolated_s,isolated_of_full,predicted_s,predicted_of_full,predicted_whole_s,predicted_whole_of_full,samples,memory_bytes,memory_predicted_bytes,status,reason
  small,4,f32,fwd,nchw,0,sgd,fake,4.886788156321242e-05,4.886788156321242e-05,4.886788156321242e-05,4.886788156321242e-05,1,5e-06,,,1.238592e-06,0.025345727303481228,,,20,1498504,498504,,
  $ paleo-fullpass --device fake --format jsonl --all --pass fwd "$small" 2>/dev/null | head -1
  {"net":"small","batch":4,"full_pass":"fwd","layer":"conv1","kind":"conv","pass":"fwd","in_network_s":1.7245412534815043e-05,"layout_change_s":null,"isolated_s":null,"in_network_of_isolated":null,"predicted_s":4.3395200000000005e-07,"op":"conv fwd f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1"}

Resumed: nothing is measured again, the adam step is:

  $ before=$(wc -l <passes.jsonl)
  $ paleo-fullpass --device fake --resume --output passes.jsonl "$small" >/dev/null
  $ again=$(wc -l <passes.jsonl)
  $ paleo-fullpass --device fake --resume --output passes.jsonl --optimizer adam "$small" >/dev/null
  $ echo "$((again - before)) $(($(wc -l <passes.jsonl) - again))"
  0 2

A profile's ops are summed beside it:

  $ paleo-profile --device fake --output profile.jsonl "$small" >/dev/null
  $ paleo-fullpass --device fake --from profile.jsonl --format csv "$small" 2>/dev/null |
  > 	columns pass,isolated_of_full | sed -E 's/(0\.[0-9])[0-9]*/\1/'
  pass,isolated_of_full
  fwd,0.7
  fwd+bwd,0.7
  step,0.6

A whole pass of the fake is below the sum of its ops alone: most steps find their input warm.

A calibration takes them over, predictions use it, and it is judged on other nets:

  $ paleo-fullpass --device fake --from profile.jsonl --output whole.jsonl "$small" >/dev/null
  $ paleo-calibrate --from profile.jsonl --passes whole.jsonl --output cal.json |
  > 	grep 'full pass,' | sed -E 's/[0-9]\.[0-9]+/FACTOR/g'
  full pass, fwd f32: FACTOR of the sum of its ops (1 net)
  full pass, fwd+bwd f32: FACTOR of the sum of its ops (1 net)
  full pass, step f32: FACTOR of the sum of its ops, FACTOR of its optimizer updates (1 net)
  $ paleo-predict --calibration cal.json --batch 4 "$small" |
  > 	grep 'full pass:' | sed -E 's/ +[0-9]+\.[0-9]+/ N/g'
    fwd                 predicted N us as a full pass: N of the sum, as on 1 network
    fwd+bwd             predicted N us as a full pass: N of the sum, as on 1 network
    step                predicted N us as a full pass: N of the sum, as on 1 network
  $ paleo-validate --calibration cal.json profile.jsonl whole.jsonl |
  > 	sed -n '/^Full passes/,$p' | sed -E 's/ +-?[0-9]+\.[0-9]+/ N/g; s/--+/--/; s/  +/  /g'
  Full passes, corrected by the other networks' factor (leave one network out):
  whole net  batch  type  pass  full us  meas sum %  pred sum %  by its own factor %
  --
  small  4  f32  fwd N N N N
  small  4  f32  fwd+bwd N N N N
  small  4  f32  step N N N N

masked - what is measured in text tables becomes N.

  $ masked() {
  > 	sed -E 's/ +-?[0-9]+\.[0-9]+/ N/g; s/--+/--/; s/  +/  /g'
  > }

Layout and fusion are a pass of their own, beside rows of the same kind:

  $ paleo-fullpass --device fake --resume --output passes.jsonl --layout nhwc --pass fwd "$small" |
  > 	grep 'small  ' | masked
  small  4  f32  fwd, nhwc N N N N N N N
  small  fwd, nhwc N N N N N N N N N
  $ paleo-fullpass --device fake --resume --output passes.jsonl --fuse --pass fwd "$small" |
  > 	grep 'small  ' | masked
  small  4  f32  fwd, fused N N N N N N N
  small  fwd, fused N N N N N N N N N
  $ paleo-fullpass --device fake --resume --output passes.jsonl --format csv --layout nhwc --fuse \
  > 	--pass fwd "$small" 2>/dev/null | columns pass,layout,fused,status
  pass,layout,fused,status
  fwd,nhwc,1,
  $ for word in nhwc fused; do
  > 	grep "\"$word\"" passes.jsonl | grep -o 'act=relu\|batch_inference\|layout=nhwc' | sort |
  > 		uniq -c | sed 's/^ *//'
  > done
  1 act=relu
  4 layout=nhwc
  2 act=relu
  2 layout=nhwc
  $ paleo-profile --device fake --fuse --pass fwd --output fused.jsonl "$small" >/dev/null
  $ paleo-fullpass --device fake --fuse --pass fwd --from fused.jsonl --output whole.jsonl --resume \
  > 	"$small" >/dev/null
  $ paleo-calibrate --from profile.jsonl --passes whole.jsonl --output both.json |
  > 	grep 'full pass,' | sed -E 's/[0-9]\.[0-9]+/FACTOR/g'
  full pass, fwd f32: FACTOR of the sum of its ops (1 net)
  full pass, fwd+bwd f32: FACTOR of the sum of its ops (1 net)
  full pass, step f32: FACTOR of the sum of its ops, FACTOR of its optimizer updates (1 net)
  full pass, fwd, fused f32: FACTOR of the sum of its ops (1 net)
  $ paleo-predict --calibration both.json --batch 4 --fuse --pass fwd "$small" |
  > 	grep 'full pass:' | sed -E 's/ +[0-9]+\.[0-9]+/ N/g'
    fwd                 predicted N us as a full pass: N of the sum, as on 1 network

Rows that the calibration does not have:

  $ paleo-fullpass --device fake --calibration both.json --layout nhwc --fuse --pass fwd "$small" |
  > 	grep 'use the nearest'
  small, fwd, nhwc, fused: 2 of 4 rows use the nearest parameters, as the calibration lacks their kind, layout, pass or dtype: errors may be tens of percent
  $ paleo-fullpass --device fake --calibration both.json --pass fwd "$small" |
  > 	grep 'use the nearest' || echo "it has all"
  it has all

Passes without ops beside them:

  $ paleo-validate --calibration both.json whole.jsonl | masked
  4 full passes of fake device with known factors, for tests, no ops: fake 1

  Full passes, corrected by the other networks' factor (leave one network out):
  whole net  batch  type  pass  full us  meas sum %  pred sum %  by its own factor %
  --
  small  4  f32  fwd N N N N
  small  4  f32  fwd+bwd N N N N
  small  4  f32  step N N N N
  small  4  f32  fwd, fused N N N N
  $ paleo-validate --format csv whole.jsonl 2>/dev/null | columns net,pass,layout,fused,factor
  net,pass,layout,fused,factor
  small,fwd,nchw,0,
  small,fwd+bwd,nchw,0,
  small,step,nchw,0,
  small,fwd,nchw,1,

Resumed after the net was edited: the pass of other rows is measured again:

  $ cp "$small" small.json
  $ paleo-fullpass --device fake --pass fwd --output edited.jsonl small.json >/dev/null
  $ sed -i 's/"num_outputs": 10/"num_outputs": 20/' small.json
  $ for try in edited again; do
  > 	paleo-fullpass --device fake --pass fwd --output edited.jsonl --resume small.json >/dev/null
  > 	echo "$try: $(grep '"graph_run"' edited.jsonl | grep -c 'k=2880.*n=20\|n=20.*k=2880')" \
  > 		"of $(grep -c '"graph_run"' edited.jsonl) passes are of the new rows"
  > done
  edited: 1 of 2 passes are of the new rows
  again: 1 of 2 passes are of the new rows
