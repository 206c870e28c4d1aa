The ceilings of a device with known peaks, and what profile takes from them.

  $ node=$(uname -n)
  $ paleo-check --device fake | sed "s/$node/NODE/"
  fake: fake device with known factors, for tests, fake 1

  name                   measured  unit     spread %  how
  --------------------------------------------------------------------------------------------------------------------------------------------------------
  gemm_f32               10000.00  GFLOP/s         -  made up
  gemm_tf32              20000.00  GFLOP/s         -  made up
  gemm_f16               40000.00  GFLOP/s         -  made up
  gemm_bf16              40000.00  GFLOP/s         -  made up
  gemm_fp8               80000.00  GFLOP/s         -  made up
  copy                    1000.00  GB/s          1.5  made up
  launch_stream              3.00  us              -  made up
  gemm fwd bf16          16222.38  us              -  gemm fwd bf16 m=4096 n=50257 k=768 trans_b=1
  softmax fwd bf16         943.26  us              -  softmax fwd bf16 rows=4096 cols=50257
  attention fwd bf16       417.32  us              -  attention fwd bf16 batch=4 q=1024 keys=1024 heads=12 kv_heads=12 qk=64 v=64 causal=1
  eltwise.gelu fwd bf16    107.34  us              -  eltwise fwd bf16 op=gelu count=12582912
  conv fwd bf16             76.06  us              -  conv fwd bf16 n=4 c=3 h=224 w=224 k=64 r=7 s=7 stride_h=2 stride_w=2 pad_t=3 pad_l=3 pad_b=3 pad_r=3
  gemm fwd bf16            991.10  us              -  gemm fwd bf16 m=4096 n=3072 k=768 trans_b=1 bias=1
  conv fwd bf16             69.59  us              -  conv fwd bf16 n=4 c=256 h=56 w=56 k=512 r=1 s=1 stride_h=2 stride_w=2
  gemm fwd bf16            993.12  us              -  gemm fwd bf16 m=4096 n=768 k=3072 trans_b=1 bias=1
  conv fwd bf16             74.25  us              -  conv fwd bf16 n=4 c=512 h=7 w=7 k=512 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1
  gemm fwd bf16            250.69  us              -  gemm fwd bf16 m=4096 n=768 k=768 trans_b=1 bias=1

  power limit 300 of 300 W, PCIe generation 5 of 5, 16 of 16 PCIe lanes, ECC on, 0 uncorrected errors
  not judged: NODE fake-0: nothing to compare it with: neither its kind, siblings nor earlier checks
  records: paleo-results/fake/ceilings.jsonl
  $ paleo-check --device fake --format csv --output other.jsonl 2>notes | grep -v ' fwd ' | sed "s/$node/NODE/"
  name,value,unit,spread,regime,of_datasheet,kind_s,slower_than_kind,slower_than_siblings,slower_than_past,slower_than_peaks,how,node,unit_id,verdict,why
  gemm_f32,10000000000000,FLOP/s,,burst,,,,,0,,made up,NODE,fake-0,good,
  gemm_tf32,20000000000000,FLOP/s,,burst,,,,,0,,made up,NODE,fake-0,good,
  gemm_f16,40000000000000,FLOP/s,,burst,,,,,0,,made up,NODE,fake-0,good,
  gemm_bf16,40000000000000,FLOP/s,,burst,,,,,0,,made up,NODE,fake-0,good,
  gemm_fp8,80000000000000,FLOP/s,,burst,,,,,0,,made up,NODE,fake-0,good,
  copy,1000000000000,B/s,0.015228426395939087,burst,,,,,0,,made up,NODE,fake-0,good,
  launch_stream,3e-06,s,,burst,,,,,0,,made up,NODE,fake-0,good,
  $ sed "s/$node/NODE/" notes
  fake: fake device with known factors, for tests, fake 1

  power limit 300 of 300 W, PCIe generation 5 of 5, 16 of 16 PCIe lanes, ECC on, 0 uncorrected errors
  good: NODE fake-0: 0.0 % slower than its past (median part)
  records: other.jsonl
  $ paleo-check --device fake --format jsonl --output other.jsonl 2>/dev/null | sed "s/$node/NODE/; 1q"
  {"name":"gemm_f32","value":10000000000000,"unit":"FLOP/s","spread":null,"regime":"burst","of_datasheet":null,"kind_s":null,"slower_than_kind":null,"slower_than_siblings":null,"slower_than_past":0,"slower_than_peaks":null,"how":"made up","node":"NODE","unit_id":"fake-0","verdict":"good","why":null}
  $ grep -c '"type":"ceiling"' paleo-results/fake/ceilings.jsonl
  7

The file's peaks are taken; here the memory's is a hundredth of the true one, so that works are above.

  $ sed -i 's/"name":"copy","unit":"B\/s","value":1000000000000/"name":"copy","unit":"B\/s","value":10000000000/' \
  > 	paleo-results/fake/ceilings.jsonl
  $ paleo-profile --device fake --pass fwd --output out.jsonl "$small" >text
  $ sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p' text
  peaks by paleo-results/fake/ceilings.jsonl (TIME)
  $ grep -c 'above ceiling$' text
  4
  $ grep -o '^[0-9]* above ceiling' text
  4 above ceiling
  $ grep -c '"tags":"[a-z ]*above_ceiling' out.jsonl
  4

Then none are measured when a device is opened, which here would fail.

  $ PALEO_FAKE=peaks paleo-profile --device fake --pass fwd --output out.jsonl "$small" | grep -c known_factors
  5
  $ for command in profile fullpass; do
  > 	PALEO_FAKE=peaks paleo-$command --device fake --pass fwd "$small" | grep -c '^peaks by paleo-results'
  > done
  1
  1
  $ PALEO_FAKE=peaks paleo-calibrate --device fake --time-budget 1s --output c.json | grep -c '^peaks by paleo-results'
  1

A type that is missing there is measured where it is wanted, and it alone; another device's file tells
nothing; where measuring fails, the datasheet's stand.

  $ cp paleo-results/fake/ceilings.jsonl whole
  $ sed -i /gemm_tf32/d paleo-results/fake/ceilings.jsonl
  $ PALEO_FAKE=peaks paleo-profile --device fake --output out.jsonl "$small" |
  > 	sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p'
  peaks by paleo-results/fake/ceilings.jsonl (TIME)
  $ PALEO_FAKE=peaks paleo-profile --device fake --dtype tf32 --output out.jsonl "$small" |
  > 	sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p'
  peaks by paleo-results/fake/ceilings.jsonl (TIME); tf32 measured now; peaks: datasheet, as none could be measured: the fake peaks cannot be measured, as asked for
  $ paleo-profile --device fake --dtype tf32 --pass fwd --output out.jsonl "$small" |
  > 	sed -nE 's/\([0-9-]+T[0-9:]+Z\)/(TIME)/; /^peaks by/p'
  peaks by paleo-results/fake/ceilings.jsonl (TIME); tf32 measured now
  $ sed 's/"device":{"name":"fake"/"device":{"name":"other"/' whole >paleo-results/fake/ceilings.jsonl
  $ PALEO_FAKE=peaks-crash paleo-profile --device fake --output out.jsonl "$small" |
  > 	grep 'another device'
  paleo-results/fake/ceilings.jsonl is for another device: peaks measured now; peaks: datasheet, as none could be measured: measuring the peaks of 'fake': the worker was killed by signal 11 (Segmentation fault)
  $ paleo-profile --device fake --pass fwd --output out.jsonl "$small" | grep 'another device'
  paleo-results/fake/ceilings.jsonl is for another device: peaks measured now

Nor do those of a check whose ops other processes disturbed.

  $ PALEO_FAKE=disturbed paleo check --device fake --force --quiet | tail -n 1
  records: paleo-results/fake/ceilings.jsonl
  $ paleo-profile --device fake --pass fwd --output out.jsonl "$small" | grep busy
  paleo-results/fake/ceilings.jsonl is for a machine that other processes kept busy: peaks measured now
  $ cp whole paleo-results/fake/ceilings.jsonl

Those of other libraries are left aside; a broken file is no file.

  $ sed -i 's/fake 1/fake 2/' paleo-results/fake/ceilings.jsonl
  $ paleo-profile --device fake --pass fwd --output out.jsonl "$small" >text
  $ grep 'other library versions' text
  paleo-results/fake/ceilings.jsonl is for another number of threads or other library versions: peaks measured now
  $ grep 'above ceiling' text
  [1]
  $ sed -i 's/"unit":"B.s"/"unit":7/' paleo-results/fake/ceilings.jsonl
  $ paleo-profile --device fake --output out.jsonl "$small"
  2> paleo-profile: paleo-results/fake/ceilings.jsonl:8:40: unit: expected a string, found a number
  [2]
  $ paleo-check --device fake vgg16
  2> paleo-check: unexpected argument 'vgg16' (see --help)
  [2]
  $ paleo-check --device fake --output /dev/null/x
  fake: fake device with known factors, for tests, fake 1
  2> paleo-check: /dev/null: cannot make this folder: File exists
  [2]
