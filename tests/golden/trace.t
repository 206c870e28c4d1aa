A trace of PyTorch's profiler: its ops with those of ours, predicted beside measured.

  $ device="--device t4 --cost-model datasheet"
  $ event() { # name, start, microseconds, number, dims, types, values, strides
  > 	printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s,"args":{"External id":%s,' "$1" "$2" "$3" "$4"
  > 	printf '"Input Dims":%s,"Input type":%s,"Concrete Inputs":%s,"Input Strides":%s}}' "$5" "$6" "$7" "$8"
  > }
  $ floats='["float","float","float","","","",""]'
  $ conv='["","","","[2, 2]","[1, 1]","[1, 1]","1"]'
  $ rows() { columns name,pass,dtype,calls,measured_s,flops | sed 1d; }

A convolution with those within it is one op of 300 us, 2 n k p q c r s = 2 * 2 * 4 * 4 * 4 * 3 * 3 * 3 = 6912 FLOPs
and a bias. Of what a converting autocast calls the inner op counts, 2 * 4 * 8 * 16 FLOPs in f16. An empty one has none.

  $ {
  > 	printf '{"schemaVersion":1,"deviceProperties":[],"traceEvents":['
  > 	event aten::conv2d 0 300 1 '[[2,3,8,8],[4,3,3,3],[4],[],[],[],[]]' "$floats" "$conv" '[]'; echo ,
  > 	event aten::convolution 10 280 2 '[[2,3,8,8],[4,3,3,3],[4],[],[],[],[]]' "$floats" "$conv" '[]'; echo ,
  > 	event aten::linear 400 90 3 '[[4,16],[8,16],[8]]' '["float","float","float"]' '[]' '[]'; echo ,
  > 	event aten::linear 420 50 4 '[[4,16],[8,16],[8]]' '["c10::Half","c10::Half","c10::Half"]' '[]' '[]'; echo ,
  > 	event aten::empty 500 10 5 '[[]]' '["ScalarList"]' '["[4]"]' '[[]]'; echo ,
  > 	event aten::conv2d 600 500 6 '[[2,3,8,8],[4,3,3,3],[4],[],[],[],[]]' "$floats" "$conv" '[]'
  > 	echo ']}'
  > } >cpu.json
  $ paleo-validate $device --format csv cpu.json 2>notes | rows
  aten::conv2d n=2 c=3 h=8 w=8 k=4 r=3 s=3 stride_h=2 stride_w=2 pad_,fwd,f32,2,0.00039999999999999996,7040
  aten::linear m=4 n=8 k=16 trans_b=1 bias=1,fwd,f16,1,5e-05,1056
  $ cat notes
  cpu.json: PyTorch trace, 1 step of 0.900 ms in ops, 94.4 % of it in 2 matched ones
    not matched: 4.4 %, 1 call of aten::linear
    not matched: 1.1 %, 1 call of aten::empty
  predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched ops of a step: measured 0.850 ms, predicted 0.000 ms (-100.0 %), 0 % of the peaks; 0.00 GFLOPs, 0.00 in GEMMs and convolutions

A kernel's time is that of the op that started it: by its number, else by the launch. Of both gradients in one op wgrad
in a kernel's name tells which is which. mm of a turned first operand, called by autograd, is a gradient of weights.

  $ kernel() { # name, microseconds, external id, correlation
  > 	printf '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":9000,"dur":%s,"args":{"External id":%s,"correlation":%s}}' "$@"
  > }
  $ node() {
  > 	printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":2,"ts":%s,"dur":%s,"args":{"External id":%s}},' "$@"
  > }
  $ {
  > 	printf '{"deviceProperties":[{"id":0,"name":"Tesla T4"}],"traceEvents":['
  > 	node ConvolutionBackward0 0 100 20
  > 	event aten::convolution_backward 10 80 1 '[[2,4,4,4],[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[],[]]' "$floats" \
  > 		'["","","","[0]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1","[True, True, False]"]' '[]'; echo ,
  > 	node AddmmBackward0 200 100 21
  > 	event aten::mm 210 10 2 '[[8,4],[4,16]]' "$floats" '[]' '[[1,8],[16,1]]'; echo ,
  > 	event aten::mm 230 10 3 '[[4,8],[8,16]]' "$floats" '[]' '[[8,1],[16,1]]'; echo ,
  > 	printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":235,"dur":2,"args":{"correlation":77}},'
  > 	kernel sm75_dgrad 30 1 70; echo ,
  > 	kernel sm75_wgrad 10 1 71; echo ,
  > 	kernel gemm_a 5 2 72; echo ,
  > 	kernel gemm_tf32f32 7 0 77; echo ,
  > 	kernel graph_kernel 4 0 99
  > 	echo ']}'
  > } | sed 's/"pid":1,"tid":2/"pid":1,"tid":1/' >gpu.json
  $ paleo-validate --cost-model datasheet --format csv gpu.json 2>notes | rows
  aten::convolution_backward n=2 c=3 h=8 w=8 k=4 r=3 s=3 stride_h=2 stride_w=2 pad_,bwd_data,f32,1,3e-05,6912
  aten::convolution_backward n=2 c=3 h=8 w=8 k=4 r=3 s=3 stride_h=2 stride_w=2 pad_,bwd_filter,f32,1,1e-05,6912
  aten::mm m=4 n=16 k=8,bwd_data,tf32,1,7e-06,1024
  aten::mm m=8 n=16 k=4 trans_a=1,bwd_filter,f32,1,5e-06,1024
  $ cat notes
  gpu.json: PyTorch trace, 1 step of 0.056 ms in ops, 92.9 % of it in 4 matched ones
    not matched: 7.1 %, 1 call of graph_kernel: no op started it
  predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched ops of a step: measured 0.052 ms, predicted 0.000 ms (-100.0 %), 0 % of the peaks; 0.00 GFLOPs, 0.00 in GEMMs and convolutions

Optimizers are one op of their weights: 5 + 7 here. Steps are as many as are marked. Lists have the dtype of the largest op.

  $ mark() { printf '{"ph":"X","cat":"user_annotation","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s,"args":{"External id":9}},' "$@"; }
  $ {
  > 	printf '['
  > 	for at in 0 1000; do
  > 		mark "ProfilerStep#$at" $at 900
  > 		event aten::cat $((at + 10)) 20 $((at + 1)) '[[[3,4],[3,8]],[]]' '["TensorList","Scalar"]' '["","1"]' '[]'; echo ,
  > 		event aten::mm $((at + 40)) 20 $((at + 2)) '[[8,64],[64,16]]' '["c10::BFloat16","c10::BFloat16"]' '["",""]' '[[64,1],[16,1]]'; echo ,
  > 		mark Optimizer.step#AdamW.step $((at + 100)) 60
  > 		event aten::_foreach_addcdiv_ $((at + 120)) 20 $((at + 3)) '[[[5],[7]],[[5],[7]]]' '["TensorList","TensorList"]' '["",""]' '[]'
  > 		[ $at -eq 1000 ] || echo ,
  > 	done
  > 	echo ']'
  > } >steps.json
  $ paleo-validate $device --format csv steps.json 2>notes | rows
  step#AdamW.step rule=adam count=12,update,f32,1,6e-05,168
  aten::cat rows=3 cols=12 parts=2,fwd,bf16,1,2e-05,0
  aten::mm m=8 n=16 k=64,fwd,bf16,1,2e-05,16384
  $ cat notes
  steps.json: PyTorch trace, 2 steps of 0.100 ms in ops, 100.0 % of it in 3 matched ones
  predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched ops of a step: measured 0.100 ms, predicted 0.000 ms (-100.0 %), 0 % of the peaks; 0.00 GFLOPs, 0.00 in GEMMs and convolutions

People see the same.

  $ paleo-validate $device gpu.json 2>/dev/null | sed 's/^predicted: .*/predicted: .../'
  predicted: ...
  matched ops of a step: measured 0.052 ms, predicted 0.000 ms (-100.0 %), 0 % of the peaks; 0.00 GFLOPs, 0.00 in GEMMs and convolutions
  op                                                               pass        type  calls    MFLOP  meas us  share %  pred us  error %  % peak  bound
  -----------------------------------------------------------------------------------------------------------------------------------------------------
  aten::convolution_backward n=2 c=3 h=8 w=8 k=4 r=3 s=3 stride_h  bwd_data    f32       1  0.00691   30.000     57.7  0.00860   -100.0       0  memory
  aten::convolution_backward n=2 c=3 h=8 w=8 k=4 r=3 s=3 stride_h  bwd_filter  f32       1  0.00691   10.000     19.2  0.00860    -99.9       0  memory
  aten::mm m=4 n=16 k=8                                            bwd_data    tf32      1  0.00102    7.000     13.5        -        -       0  -
  aten::mm m=8 n=16 k=4 trans_a=1                                  bwd_filter  f32       1  0.00102    5.000      9.6  0.00293    -99.9       0  memory

The other commands read traces and tables, too; packed ones as well.

  $ gzip -c gpu.json >packed.gz
  $ paleo-compare gpu.json packed.gz 2>/dev/null | sed -n '/^verdict/,$p' | awk '{ print $1, $2, $3 }'
  verdict layer kind
  ------------------------------------------------------------------------------------------------------------------------------------------------ \x20 (esc)
  UNCLEAR aten::convolution_backward n=2
  UNCLEAR aten::convolution_backward n=2
  UNCLEAR aten::mm m=8
  UNCLEAR aten::mm m=4
  $ paleo-report gpu.json 2>/dev/null && grep -c 'aten::convolution_backward' report.html
  report: report.html
  1
  $ paleo-calibrate --from gpu.json --output c.json 2>&1 | sed -n '/records of/p; /^calibration/p'
  4 records of NVIDIA Tesla T4: PyTorch trace
  calibration: c.json
  $ echo "{}" >records.jsonl && paleo-validate gpu.json records.jsonl
  2> paleo-validate: tables (.csv), or traces, and records (.jsonl) cannot be combined
  [2]

What is wrong with a trace is told.

  $ paleo-validate cpu.json
  2> paleo-validate: cpu.json: does not say which device it is of: --device NAME ('paleo devices' lists names; cpu is this machine's)
  [2]
  $ head -c 700 cpu.json >cut.json && say paleo-validate $device cut.json
  paleo-validate: cut.json:3: ends within a value that begins here, at byte 700: the file is truncated
  -> 2
  $ head -n 3 cpu.json >cut.json && say paleo-validate $device cut.json
  paleo-validate: cut.json:4: ends within a value, at byte 858: the file is truncated
  -> 2
  $ gzip -c cpu.json | head -c 300 >cut.gz && say paleo-validate $device cut.gz
  paleo-validate: cut.gz: the gzip file is broken or cut short
  -> 2
  $ sed 's/"Input Dims"/"dims"/' cpu.json >shapeless.json && say paleo-validate $device shapeless.json
  paleo-validate: shapeless.json: ops have no 'Input Dims': record it with torch.profiler.profile(record_shapes=True)
  -> 2
  $ sed 's/"dur":300/"dur":-3/' cpu.json >negative.json && say paleo-validate $device negative.json
  paleo-validate: negative.json:1:1: dur is -3, expected microseconds from 0 to 1e12
  -> 2
  $ echo '{"traceEvents":[]}' >empty.json && say paleo-validate $device empty.json
  paleo-validate: empty.json: has no op of PyTorch, expected a trace of torch.profiler
  -> 2
  $ sed 's/"ts":0/"ts":0 0/' cpu.json >broken.json && say paleo-validate $device broken.json
  paleo-validate: broken.json:1:71: expected ',' or '}' for the one opened at 1:1, found '0'
  -> 2

Nsight Systems knows names and times: kernels by name, and by the innermost NVTX range that launched them.

  $ cat >nsys.jsonl <<'END'
  > {"data":["?","cutlass_80_tensorop_gemm","elementwise_kernel","block 1","block 1, mlp"]}
  > {"Type":59,"NvtxEvent":{"Timestamp":"1000","EndTimestamp":"9000","TextId":"3","GlobalTid":"7"}}
  > {"Type":59,"NvtxEvent":{"Timestamp":"4000","EndTimestamp":"8000","Text":"block 1, mlp","GlobalTid":"7"}}
  > {"Type":48,"TraceProcessEvent":{"startNs":"2000","endNs":"2500","correlationId":5,"globalTid":"7"}}
  > {"Type":48,"TraceProcessEvent":{"startNs":"5000","endNs":"5500","correlationId":6,"globalTid":"7"}}
  > {"Type":79,"CudaEvent":{"startNs":"20000","endNs":"50000","correlationId":5,"kernel":{"shortName":"1","demangledName":"1"}}}
  > {"Type":79,"CudaEvent":{"startNs":"60000","endNs":"70000","correlationId":6,"kernel":{"shortName":"2"}}}
  > {"Type":80,"CudaEvent":{"startNs":"80000","endNs":"90000","correlationId":9,"memcpy":{"sizebytes":"4"}}}
  > END
  $ paleo-validate nsys.jsonl
  nsys.jsonl: Nsight Systems export, 0.050 ms in 6 names; it has no sizes, so none of it is predicted
  name                      what         calls  all us  each us  share %
  ----------------------------------------------------------------------
  cutlass_80_tensorop_gemm  GEMM             1  30.000   30.000     60.0
  range block 1             NVTX range       1  30.000   30.000     60.0
  elementwise_kernel        elementwise      1  10.000   10.000     20.0
  in no range               NVTX range       1  10.000   10.000     20.0
  memcpy                    copy             1  10.000   10.000     20.0
  range block 1, mlp        NVTX range       1  10.000   10.000     20.0
  $ paleo-calibrate --from nsys.jsonl --device t4
  2> paleo-calibrate: nsys.jsonl: has no op whose kind and sizes are known (Nsight Systems export): torch.profiler needs record_shapes=True; names without sizes are printed by 'paleo validate'
  [2]

Nor does a trace of PyTorch that was recorded without shapes, or has ops of one's own alone.

  $ {
  > 	printf '{"traceEvents":['; event my::op 0 300 1 '[[2,3]]' '["float"]' '[]' '[]'; echo ']}'
  > } >own.json
  $ paleo-validate own.json $device
  2> paleo-validate: own.json: has no op whose kind and sizes are known (PyTorch trace): torch.profiler needs record_shapes=True; names without sizes are printed by 'paleo validate'
  [2]

  $ head -c 700 nsys.jsonl >cut.jsonl && say paleo-validate cut.jsonl
  paleo-validate: cut.jsonl:7: ends within a value that begins here, at byte 700: the file is truncated
  -> 2

So does TensorRT's profile.

  $ cat >profile.json <<'END'
  > [
  > { "count" : 345 }
  > , { "name" : "conv1 + relu1", "timeMs" : 25.5, "averageMs" : 0.0739, "medianMs" : 0.0737, "percentage" : 9.1 }
  > , { "name" : "pool1", "timeMs" : 6.1, "averageMs" : 0.0177, "percentage" : 2.1 }
  > ]
  > END
  $ paleo-validate profile.json
  profile.json: TensorRT profile, 0.091 ms in 2 names; it has no sizes, so none of it is predicted
  name           what   calls  all us  each us  share %
  -----------------------------------------------------
  conv1 + relu1  layer      1  73.700   73.700     80.6
  pool1          layer      1  17.700   17.700     19.4
  $ head -n 3 profile.json >cut.json && say paleo-validate cut.json
  paleo-validate: cut.json:4: ends within an array, at byte 131: the file is truncated
  -> 2

With the network it was built from its layers are predicted, by the ops that their names have: a folded normalisation
and an activation are part of a convolution. A copy to another layout is none of the network's.

  $ cat >engine.json <<'END'
  > [
  > { "count" : 345 }
  > , { "name" : "Reformatting CopyNode for Input Tensor 0 to Conv_0", "averageMs" : 0.004, "percentage" : 3.8 }
  > , { "name" : "Conv_0 + BatchNormalization_1 + PWN(Relu_2)", "averageMs" : 0.074, "medianMs" : 0.073, "percentage" : 69.9 }
  > , { "name" : "MaxPool_3", "averageMs" : 0.018, "percentage" : 16.8 }
  > , { "name" : "__myl_FC_myl0_1", "averageMs" : 0.006, "percentage" : 5.5 }
  > , { "name" : "__myl_FC_myl0_2", "averageMs" : 0.004, "percentage" : 4 }
  > ]
  > END
  $ picture=$source/tests/fuzz/corpus/onnx/picture.onnx
  $ paleo-validate $device engine.json $picture
  engine.json: TensorRT profile, 0.105 ms in 5 layers, 86.7 % of it in 2 matched ones of picture.onnx
    not matched: 5.7 %, __myl_FC_myl0_1: no such layer in the network
    not matched: 3.8 %, Reformatting CopyNode for Input Tensor 0 to Conv_0: a copy to another layout
    not matched: 3.8 %, __myl_FC_myl0_2: no such layer in the network
    in no layer: 1 op of the network (inner_product), predicted 0.000 ms, the first of Gemm_5
  predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched layers: measured 0.091 ms, predicted 0.000 ms (-99.9 %)
  layer                                        ops           MFLOP  meas us  share %  pred us  error %  % peak  bound
  --------------------------------------------------------------------------------------------------------------------
  Conv_0 + BatchNormalization_1 + PWN(Relu_2)  conv + act  0.156     73.000     69.5   0.0444    -99.9       0  memory
  MaxPool_3                                    max_pool    0.00102   18.000     17.1   0.0169    -99.9       0  memory

--exportLayerInfo says what generated names stand for; kernels of one layer are added up, and what lies between two
layers of one kernel is part of it.

  $ cat >info.json <<'END'
  > {"Layers": [
  > {"Name": "Conv_0 + BatchNormalization_1 + PWN(Relu_2)", "Metadata": "[ONNX Layer: Conv_0]\u001f[ONNX Layer: Relu_2]"},
  > {"Name": "__myl_FC_myl0_1", "LayerType": "gemm", "Metadata": "[ONNX Layer: Gemm_5]"},
  > {"Name": "__myl_FC_myl0_2", "LayerType": "gemm", "Metadata": "[ONNX Layer: Gemm_5]"},
  > "MaxPool_3"],
  > "Bindings": ["x", "y"]}
  > END
  $ paleo-validate $device --format csv engine.json $picture info.json 2>notes | columns layer,ops,kernels,flops,measured_s
  layer,ops,kernels,flops,measured_s
  Conv_0 + BatchNormalization_1 + PWN(Relu_2),conv + act,1,155648,7.3e-05
  MaxPool_3,max_pool,1,1024,1.8e-05
  __myl_FC_myl0_1,inner_product,2,5140,9.999999999999999e-06
  $ cat notes
  engine.json: TensorRT profile, 0.105 ms in 4 layers, 96.2 % of it in 3 matched ones of picture.onnx
    not matched: 3.8 %, Reformatting CopyNode for Input Tensor 0 to Conv_0: a copy to another layout
  predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched layers: measured 0.101 ms, predicted 0.000 ms (-99.9 %)

Names of ONNX nodes end with their type, which the network's do not; of a range all layers count that lie in it. The
first convolution has 2 * 2 * 8 * 8 * 4 * 4 * 9 FLOPs and a bias.

  $ cat >block.json <<'END'
  > {"name": "block", "layers": {
  > "data": {"parents": [], "type": "Input", "tensor": [2, 8, 8, 4]},
  > "layer1/conv1": {"parents": ["data"], "type": "Convolution", "filter": [3, 3, 4, 4], "strides": [1, 1, 1, 1], "padding": "SAME"},
  > "layer1": {"parents": ["layer1/conv1", "data"], "type": "Elementwise"},
  > "layer1_2": {"parents": ["layer1"], "type": "ReLU"},
  > "layer2/conv1": {"parents": ["layer1_2"], "type": "Convolution", "filter": [1, 1, 4, 8], "strides": [1, 1, 1, 1], "padding": "SAME"},
  > "layer2/relu": {"parents": ["layer2/conv1"], "type": "Sigmoid"},
  > "fc": {"parents": ["layer2/relu"], "type": "InnerProduct", "num_outputs": 10}}}
  > END
  $ slash=/
  $ cat >block-profile.json <<END
  > [ { "count" : 9 }
  > , { "name" : "${slash}layer1/conv1/Conv || ${slash}none/Conv", "averageMs" : 0.03, "percentage" : 30 }
  > , { "name" : "PWN(${slash}layer1/Add, PWN(${slash}layer1/Relu))", "averageMs" : 0.02, "percentage" : 20 }
  > , { "name" : "{ForeignNode[${slash}layer2/conv1/Conv...${slash}fc/Gemm]}", "averageMs" : 0.05, "percentage" : 50 } ]
  > END
  $ paleo-validate $device block-profile.json block.json | sed 's,/\([lnf]\),=\1,g'
  block-profile.json: TensorRT profile, 0.100 ms in 3 layers, 100.0 % of it in 3 matched ones of block
  predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched layers: measured 0.100 ms, predicted 0.000 ms (-99.9 %)
  layer                                         ops                           MFLOP  meas us  share %  pred us  error %  % peak  bound
  -------------------------------------------------------------------------------------------------------------------------------------
  {ForeignNode[=layer2/conv1/Conv...=fc/Gemm]}  conv + act, inner_product  0.0328     50.000     50.0   0.101     -99.8       0  memory
  =layer1/conv1/Conv || =none/Conv              conv                       0.0374     30.000     30.0   0.0193    -99.9       0  memory
  PWN(=layer1/Add, PWN(=layer1/Relu))           add                        0.000512   20.000     20.0   0.0193    -99.9       0  memory

Two profiles are compared by name, and a report shows one.

  $ sed 's/0.073/0.083/' engine.json >later.json
  $ paleo-compare engine.json later.json
  A  engine.json: rows that were measured
  B  later.json: rows that were measured
  5 ops of the same key in common

  all ops: UNCLEAR, +9.5 % (a time has no interval), from 105.000 to 115.000 us
  5 different ops: 0 SLOWER, 0 FASTER, 0 SAME within 1 %, 5 UNCLEAR

  verdict  layer                                                 A us    B us  change %  B - A us
  -----------------------------------------------------------------------------------------------
  UNCLEAR  Conv_0 + BatchNormalization_1 + PWN(Relu_2)         73.000  83.000      13.7    10.000
  UNCLEAR  MaxPool_3                                           18.000  18.000       0.0     0.000
  UNCLEAR  Reformatting CopyNode for Input Tensor 0 to Conv_0   4.000   4.000       0.0     0.000
  UNCLEAR  __myl_FC_myl0_1                                      6.000   6.000       0.0     0.000
  UNCLEAR  __myl_FC_myl0_2                                      4.000   4.000       0.0     0.000
  $ paleo report $device engine.json $picture info.json
  report: report.html
  2> engine.json: TensorRT profile, 0.105 ms in 4 layers, 96.2 % of it in 3 matched ones of picture.onnx
  2>   not matched: 3.8 %, Reformatting CopyNode for Input Tensor 0 to Conv_0: a copy to another layout
  2> predicted: not calibrated: the t4's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  $ grep -o '"layer":"MaxPool_3","kind":"max_pool"[^}]*"measured_s":[0-9e.-]*' report.html
  "layer":"MaxPool_3","kind":"max_pool","pass":"fwd","dtype":"f32","flops":1024,"bytes":5376,"s":1.692641975308642e-08,"bound":"memory","measured_s":1.8e-05
  $ paleo-validate engine.json $picture
  2> paleo-validate: a profile of layers does not say which device it is of: --device NAME ('paleo devices' lists names)
  [2]
  $ head -c 300 info.json >cut.json && say paleo-validate $device engine.json $picture cut.json
  paleo-validate: cut.json:4: ends within a value that begins here, at byte 300: the file is truncated
  -> 2
  $ echo '{"Layers": []}' >none.json && say paleo-validate $device engine.json $picture none.json
  paleo-validate: none.json: has no 'Layers', expected what trtexec --exportLayerInfo writes
  -> 2
  $ say paleo-validate $device engine.json $picture info.json info.json
  paleo-validate: a profile of layers and its network are judged by themselves (see --help)
  -> 2
  $ say paleo-validate $device engine.json none.onnx
  paleo-validate: no net 'none.onnx' here, in ./nets or among the shipped ones (did you mean 'nin'?)
  -> 2

oneDNN's benchdnn prints a problem with its mean time: 2 * 16 * 64 * 112 * 112 * 3 * 7 * 7 FLOPs and a bias are the first
convolution's. Its own defaults are a bias, strides of 1 and, where sizes say so, pads.

  $ cat >bench.log <<'END'
  > Output template: perf,%engine%,%impl%,%name%,%prb%,%Gops%,%Ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%
  > perf,cpu,jit:avx512_core,"resnet:conv1",--mode=P --conv --dir=FWD_B mb16ic3ih224oc64oh112kh7sh2ph3n"resnet:conv1",3.77,0,1.5,2513,2.0,1888
  > perf,cpu,brg:avx512_core,,--mode=P --matmul --dt=bf16:bf16:f32 --bia_dt=f32 --attr-post-ops=relu 128x512:512x1024,0.13,0,0.1,1300,0.2,650
  > perf,cpu,jit:avx512_core,,--mode=P --conv --dir=BWD_WB --dt=f32 g2mb4ic8ih10iw12oc16oh10ow12kh3kw3ph1pw1n"a,b",0.1,0,0.1,1,0.3,1
  > perf,cpu,brg:avx512_core,,--mode=P --ip --dir=BWD_D mb112oc1000ic2048,0.4,0,0.5,1,0.6,1
  > perf,cpu,jit:uni,,--mode=P --eltwise --alg=relu 16x64x56x56,0.1,0,0.1,1,0.2,1
  > perf,cpu,brg:avx512_core,,--mode=P --matmul --dt=u8:s8:f32 10x30:30x20,0.1,0,0.1,1,0.2,1
  > tests:6 passed:6 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:0
  > END
  $ oneDNN="--device cpu-amd-epyc --cost-model datasheet"
  $ paleo-validate $oneDNN --format csv bench.log 2>notes | rows
  conv n=16 c=3 h=224 w=224 k=64 r=7 s=7 stride_h=2 stride_w=,fwd,f32,1,0.002,3789291520
  conv n=4 c=8 h=10 w=12 k=16 r=3 s=3 pad_t=1 pad_l=1 pad_b=1,bwd_filter,f32,1,0.0003,560640
  matmul m=128 n=1024 k=512 bias=1 act=relu,fwd,bf16,1,0.0002,134479872
  $ cat notes
  bench.log: oneDNN log, 1 step of 3.500 ms in ops, 88.6 % of it in 4 matched ones
    not matched: 5.7 %, 1 call of eltwise
    not matched: 5.7 %, 1 call of matmul: mixed or integer types
  bench.log:0: 1 row refused from this line on: above the device's peak FLOP/s
  predicted: not calibrated: the cpu-amd-epyc's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  matched ops of a step: measured 2.500 ms, predicted 8.306 ms (+232.2 %), 303 % of the peaks; 3.92 GFLOPs, 3.92 in GEMMs and convolutions

Of ONEDNN_VERBOSE primitives count that were executed, and each call is a sample.

  $ cat >verbose.log <<'END'
  > onednn_verbose,v1,info,oneDNN v3.4.0 (commit abc)
  > onednn_verbose,v1,primitive,info,template:operation,engine,primitive,implementation,prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,exec_time
  > onednn_verbose,v1,primitive,create:cache_miss,cpu,convolution,jit:avx512_core,forward_training,src_f32:a:blocked:aBcd16b::f0 wei_f32:a:blocked:ABcd16b16a::f0 bia_f32:a:blocked:a::f0 dst_f32:a:blocked:aBcd16b::f0,,alg:convolution_direct,mb2_ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2,0.709961
  > onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd::f0 dst_f32::blocked:ABcd16b16a::f0,,,16x16x5x5,0.5
  > onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx512_core,forward_training,src_f32:a:blocked:aBcd16b::f0 wei_f32:a:blocked:ABcd16b16a::f0 bia_f32:a:blocked:a::f0 dst_f32:a:blocked:aBcd16b::f0,attr-post-ops:eltwise_relu,alg:convolution_direct,mb2_ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2,0.25
  > onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx512_core,forward_training,src_f32:a:blocked:aBcd16b::f0 wei_f32:a:blocked:ABcd16b16a::f0 bia_f32:a:blocked:a::f0 dst_f32:a:blocked:aBcd16b::f0,attr-post-ops:eltwise_relu,alg:convolution_direct,mb2_ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2,0.75
  > onednn_verbose,v1,primitive,exec,cpu,matmul,brg:avx512_core,undef,src_bf16::blocked:abc::f0 wei_bf16::blocked:abc::f0 dst_bf16::blocked:abc::f0,attr-scratchpad:user,,8x64x32:8x32x64,0.1
  > END
  $ paleo-validate $oneDNN --format csv verbose.log 2>notes | rows
  convolution n=2 c=16 h=7 w=7 k=16 r=5 s=5 pad_t=2 pad_l=2 pad_b=2 ,fwd,f32,2,0.0005,1257536
  matmul m=64 n=64 k=32 batch=8,fwd,bf16,1,0.0001,2097152
  $ sed -n 1,2p notes
  verbose.log: oneDNN log, 1 step of 1.600 ms in ops, 68.8 % of it in 2 matched ones
    not matched: 31.2 %, 1 call of reorder
  $ head -n 4 bench.log >cut.log && say paleo-validate $oneDNN cut.log
  paleo-validate: cut.log:4: the file is truncated: benchdnn's last line begins with 'tests:'
  -> 2
  $ head -c 900 verbose.log >cut.log && say paleo-validate $oneDNN cut.log
  paleo-validate: cut.log:5: the file is truncated: its last line has no end
  -> 2
  $ sed 1d bench.log >cut.log && say paleo-validate $oneDNN cut.log
  paleo-validate: cut.log:1: a line 'perf' before 'Output template:', which says what its fields are
  -> 2
  $ sed 's/%prb%/%desc%/' bench.log >other.log && say paleo-validate $oneDNN other.log
  paleo-validate: other.log:1: the template lacks %prb% or %0time% after it: run benchdnn with its own --perf-template=def
  -> 2
  $ cat verbose.log bench.log >both.log && say paleo-validate $oneDNN both.log
  paleo-validate: both.log: has each time twice: run benchdnn without ONEDNN_VERBOSE
  -> 2
  $ head -n 3 verbose.log >none.log && say paleo-validate $oneDNN none.log
  paleo-validate: none.log: has no time of a primitive, expected lines 'perf,' of benchdnn --mode=P or ',exec,' of ONEDNN_VERBOSE=profile_exec
  -> 2
  $ sed 's/,0.25$/,fast/' verbose.log >word.log && say paleo-validate $oneDNN word.log
  paleo-validate: word.log:5: its time is no number of milliseconds below an hour
  -> 2

A table without a column of the device or the dtype takes the options'; all that is missing is named at once.

  $ { echo op,m,n,k,time_ms && for i in 1 2 3 4 5 6; do echo "gemm,256,256,$((256 * i)),0.0$i"; done; } >table.csv
  $ paleo-calibrate --from table.csv --device t4
  2> paleo-calibrate: table.csv:1: there is no column 'dtype' (or --dtype) (commas separate columns, and docs/reference/tables.md lists them)
  [2]
  $ paleo-calibrate --from table.csv --device t4 --dtype f32 --output t.json --force 2>&1 | sed -n 1p
  6 records of NVIDIA Tesla T4: published tables

Real traces (tests/by-hand/traces.py): FLOPs of convolutions and GEMMs are those of the network, at batch 2,
but for the gradient of the last layer's bias, 2 * 1000, which is a sum of its own in the trace.

  $ products() { columns "$1" | awk -F, '$1 ~ /^(conv|gemm) / { sum += $2 * (NF > 2 ? $3 : 1) } END { printf "%.0f\n", sum }'; }
  $ traces=$source/tests/data/traces
  $ for pass in infer train; do
  > 	paleo-validate $device --format csv $traces/resnet50-$pass.json.gz 2>notes | products op,flops,calls
  > 	sed -n 's/.*ops, \(9[5-9]\|100\)[.].*/over 95 % matched/p' notes
  > done
  15431894992
  over 95 % matched
  45823625168
  over 95 % matched
  $ for pass in fwd all; do
  > 	paleo-predict $device --batch 2 --pass $pass --format csv resnet50 2>/dev/null | products op,flops
  > done
  15431894992
  45823627168
Forward, GEMMs of the GPT are 4 layers' 2 * 512 * 512 * 6144 + 512 * 4608 (biases), and 2 * 512 * 512 * 8192 of the
head: 17189306368; training is three times the products, and the biases.

  $ for pass in infer train; do
  > 	paleo-validate $device --format csv $traces/gpt-$pass.json.gz 2>notes | products op,flops,calls
  > 	sed -n 's/.*ops, \(9[5-9]\|100\)[.].*/over 95 % matched/p' notes
  > done
  17189306368
  over 95 % matched
  51549044736
  over 95 % matched

A log of nccl-tests is for another command.

  $ paleo validate --device h100-sxm "$source/tests/data/comm/nccl_4.log"
  2> paleo-validate: $source/tests/data/comm/nccl_4.log: is a log of nccl-tests, expected records, a table or a trace; 'paleo calibrate --link NAME FILE' reads it
  [2]
