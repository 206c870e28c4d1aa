A user's devices and calibration, factors by hand, filters.

Worked out by hand; FLOPs and bytes of conv1 as in predict-small, its ReLU has 11,520 FLOP and
reads and writes 11,520 elements: 92,160 bytes. The device x1 does 1e12 FLOP/s and 1e10 bytes/s.

datasheet  conv  587,520 / 1e12 + 51,296 / 1e10 = 5.8752e-7 + 5.1296e-6 = 5.71712e-6 s
           relu  11,520 / 1e12 + 92,160 / 1e10 = 1.152e-8 + 9.216e-6 = 9.22752e-6 s
by hand    conv  5.8752e-7 / 0.5 + 5.1296e-6 / 0.25 = 1.17504e-6 + 2.05184e-5 = 2.169344e-5 s
           relu  2.304e-8 + 3.6864e-5 = 3.688704e-5 s
calibrated conv  1e-5 more for the overhead: 3.169344e-5 s; 0.9 and 1.1 times that: 2.8524096e-5 and
                 3.4862784e-5 s
           relu  has no factor of its own and takes the convolution's, without an interval:
                 4.688704e-5 s

  $ predict="paleo-predict --batch 1 --format csv --pass fwd --filter ^conv1"
  $ wanted=layer,kind,predicted_s,predicted_low_s,predicted_high_s,bound
  $ $predict --device x1 --device-file "$here/devices.json" "$small" | columns $wanted
  layer,kind,predicted_s,predicted_low_s,predicted_high_s,bound
  conv1,conv,5.7171199999999996e-06,,,memory
  conv1,relu,9.227519999999999e-06,,,memory
  2> x1: not calibrated: the x1's datasheet peaks at PPP 1 compute, 1 memory (real times are usually longer)
  $ $predict --device x1 --device-file "$here/devices.json" --ppp-compute 0.5 --ppp-memory 0.25 \
  > 	"$small" | columns $wanted
  layer,kind,predicted_s,predicted_low_s,predicted_high_s,bound
  conv1,conv,2.169344e-05,,,memory
  conv1,relu,3.6887040000000004e-05,,,memory
  2> x1: not calibrated: the x1's datasheet peaks at PPP 0.5 compute, 0.25 memory
  $ $predict --calibration "$here/calibration.json" "$small" | columns $wanted
  layer,kind,predicted_s,predicted_low_s,predicted_high_s,bound
  conv1,conv,3.169344e-05,2.8524096e-05,3.4862784000000004e-05,memory
  conv1,relu,4.688704e-05,,,memory
  2> x1: calibrated by $here/calibration.json (5 records of x1, 2026-01-02T03:04:05Z)
  $ $predict --calibration "$here/calibration.json" --ppp-memory 0.5 "$small"
  2> paleo-predict: a calibration cannot be combined with fractions of peak (PPP)
  [2]
  $ $predict --ppp-memory 2.5 "$small"
  2> paleo-predict: --ppp-memory is '2.5', expected a number from 0.001 to 2
  [2]
  $ $predict --device h100-sxn "$small"
  2> paleo-predict: unknown device 'h100-sxn' (did you mean 'h100-sxm'? 'paleo devices' lists all)
  [2]
  $ $predict --device x1 "$small"
  2> paleo-predict: unknown device 'x1' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  [2]
  $ $predict --device-file "$here/calibration.json" --device x1 "$small"
  2> paleo-predict: $here/calibration.json:2:3: unknown key 'schema' (expected one of: 'devices')
  [2]
  $ $predict --calibration "$here/devices.json" "$small"
  2> paleo-predict: $here/devices.json:1:1: the key 'schema' is missing
  [2]
  $ $predict --calibration missing.json "$small"
  2> paleo-predict: missing.json: cannot open: No such file or directory
  [2]
  $ $predict "$small"
  2> paleo-predict: no device and no calibration given: use --device NAME ('paleo devices' lists them; cpu or 0 for this machine) or --calibration FILE
  [2]
  $ paleo-predict --device h100-sxm --filter '^(pool|fc)' --format csv "$small" | columns layer,kind,pass
  layer,kind,pass
  pool1,max_pool,fwd
  fc2,inner_product,fwd
  fc2,inner_product,bwd_filter
  fc2,inner_product,bwd_data
  pool1,max_pool,bwd_data
  fc2,update,update
  2> NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs
  $ paleo-predict --device h100-sxm --filter 'pool2' "$small"
  2> paleo-predict: --filter 'pool2' matches no layer with an op in this pass
  [2]
  $ paleo-predict --device h100-sxm --pass update llama3-8b
  2> paleo-predict: no layer has an op in this pass; networks for inference have forward ones alone
  [2]
  $ paleo-predict --device h100-sxm --pass fwd --fuse --layout nhwc --format csv "$small" |
  > 	columns layer,kind,op
  layer,kind,op
  conv1,conv + act,conv fwd f32 n=32 c=1 h=28 w=28 k=20 r=5 s=5 bias=1 act=relu layout=nhwc
  pool1,max_pool,pool fwd f32 mode=max n=32 c=20 h=24 w=24 r=2 s=2 stride_h=2 stride_w=2 layout=nhwc
  fc2,inner_product,gemm fwd f32 m=32 n=10 k=2880 trans_b=1 bias=1
  softmax,softmax,softmax fwd f32 rows=32 cols=10
  2> NVIDIA H100 SXM 80 GB: published benchmarks, nothing measured here: the median over all GPUs
  2> --layout nhwc changes no time: datasheets have no layouts, presets only those of tensor cores; use --algorithm-file or a calibration
  $ paleo-predict --device h100-sxm --fuse "$small"
  2> paleo-predict: --fuse needs --pass fwd (inference)
  [2]
  $ paleo-predict --device h100-sxm --filter '[' "$small" 2>&1 |
  > 	sed "s/'\[': .*/'[': what the C library says/"
  paleo-predict: --filter '[': what the C library says
  $ sed 's/"class": "conv"/"class": "conv.nhwc"/' "$here/calibration.json" >innermost.json
  $ for calibration in "$here/calibration.json" innermost.json; do
  > 	paleo-predict --calibration "$calibration" --layout nhwc --pass fwd --batch 1 "$small" 2>&1 | grep '^--layout' ||
  > 		echo "it knows the layout"
  > done
  --layout nhwc: the calibration has no nhwc ops, so convolution, pooling and normalization use the times of nchw (paleo calibrate --layout nhwc)
  it knows the layout

Without ops of that layout a Concatenate differs with it, and nothing else.

  $ for layout in nchw nhwc; do
  > 	paleo-predict --calibration "$source/results/cpu-amd-epyc-avx2/calibration.json" --layout $layout --batch 4 \
  > 		--format csv "$source/nets/densenet.json" 2>$layout.notes |
  > 		columns layer,kind,pass,predicted_s >$layout.csv
  > done
  $ grep '^--layout' nhwc.notes
  --layout nhwc: the calibration has no nhwc ops, so convolution, pooling and normalization use the times of nchw (paleo calibrate --layout nhwc)
  $ diff nchw.csv nhwc.csv | sed -n 's/^> *//p' | cut -d, -f2 | sort -u
  concat

A processor of which there is a calibration alone.

  $ paleo-predict --device cpu-amd-epyc-avx2 --cost-model presets "$small"
  2> paleo-predict: 'cpu-amd-epyc-avx2' is a CPU, and presets exist only for GPUs: use the cost model 'datasheet' or a calibration
  [2]
