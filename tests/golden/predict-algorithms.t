Predictions with the algorithms that a library would choose on a GPU that is not here.


conv1-2 forward on a T4 (8.1e12 FLOP/s in f32, 3.2e11 B/s), at its peaks: Winograd divides its
2.36966e11 FLOPs by 2.25, 0.0130022 s; its 1.64431e9 bytes and twice 409856 of workspace take
0.0051410 s. The law without a calibration adds them: 0.0181432 s.

  $ files=$source/results/algorithms

  $ predict() {
  > 	paleo predict --cost-model datasheet --pass fwd --filter '^conv1-2$' --format jsonl "$@" vgg16 2>notes |
  > 		sed -n '/"kind":"conv"/s/.*"layer":"\([^"]*\)".*"predicted_s":\([0-9.e-]*\),.*"algorithm":\("[^"]*"\|null\).*/\1 \2 \3/p'
  > 	grep algorithms notes || :
  > }
  $ predict --device t4
  conv1-2 0.03439349549234568 null
  $ predict --device t4 --algorithm-file "$files/t4-vgg16-f32.jsonl.gz"
  conv1-2 0.01814327292993141 "eng15 winograd, FLOPs / 2.25, + 0.82 MB"
  algorithms of t4 (cudnn 9.19.0, no driver) for 1 of 1 different convolutions
  $ predict --device h200 --dtype f16 --algorithm-file "$files/h200-vgg16-f16.jsonl.gz"
  conv1-2 0.0007533527469989388 "eng41 transposed, + 1644.31 MB"
  algorithms of h200 (cudnn 9.19.0, no driver) for 1 of 1 different convolutions

Under a law that has the algorithms: presets, and a calibration; few rows keep the form:

  $ presets() {
  > 	paleo predict --cost-model presets --device t4 --pass fwd --filter '^conv(1|5)-1$' "$@" vgg16 |
  > 		sed -n 's/^\(conv[15]-1  conv.*\)/\1/p; /^algorithms/p'
  > }
  $ presets
  conv1-1  conv  fwd   11.3       861     5.507  4.539     6.681     31.8  memory   preset of t4
  conv5-1  conv  fwd   59.2       60.8    5.022  4.732     5.330     29.0  compute  preset of t4
  $ presets --algorithm-file "$files/t4-vgg16-f32.jsonl.gz"
  algorithms of t4 (cudnn 9.19.0, no driver) for 2 of 2 different convolutions
  conv1-1  conv  fwd   11.3       861     5.507  4.539     6.681     31.8  memory   eng18 implicit, by the cost model           preset of t4
  conv5-1  conv  fwd   59.2       60.8    5.022  4.732     5.330     29.0  compute  eng15 winograd in steps, by the cost model  preset of t4
  $ gzip -dc "$files/t4-vgg16-f32.jsonl.gz" | sed 's/"notes":"[^"]*"/"notes":"fft"/' >fft.jsonl
  $ presets --algorithm-file fft.jsonl
  algorithms of t4 (cudnn 9.19.0, no driver) for 2 of 2 different convolutions
  conv1-1  conv  fwd   11.3       861     5.507  4.539     6.681     13.9  memory   eng18 implicit, by the cost model  preset of t4
  conv5-1  conv  fwd   59.2       60.8   27.438       -        -     69.0  compute  eng15 fft, by the cost model       preset of t4

An engine without tensor cores sums on CUDA cores. For fc6, 7x7 with one result, cuDNN has no other on Hopper: 128 blocks
of 128x32 products take 512 7 7 steps of 32 clocks, at 1.98 GHz 0.41 ms at the peak. An H200 took 3.48 ms.

  $ fc6() {
  > 	paleo predict --cost-model presets --device h200 --dtype bf16 --layout nhwc --pass fwd --filter '^fc6$' "$@" vgg16 2>/dev/null |
  > 		sed -n 's/^\(fc6  *conv.*\)/\1/p'
  > }
  $ fc6
  fc6    conv  fwd   13.2       209     61.077  32.694  114.099     95.3  memory    presets of all GPUs as conv
  $ fc6 --algorithm-file "$files/h200-vgg16-bf16-nhwc.jsonl.gz"
  fc6    conv  fwd   13.2       209    1.362           -        -     99.8  memory    eng1 explicit, by the cost model  presets of all GPUs as conv

times_of COUNT - 2.5 TFLOP/s and 20 us

  $ times_of() {
  > 	awk -v rows="$1" 'BEGIN {
  > 		print "gpu,op,dtype,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,dil,groups,time_ms"
  > 		for (i = 0; i < rows; i++) {
  > 			n = 1 + i % 8; c = 32 * (1 + i % 7); k = 64 * (1 + i % 3); h = 14 + 7 * (i % 4)
  > 			printf "T4,conv2d,fp32,%d,%d,%d,%d,%d,3,3,1,1,1,1,1,1,%.6f\n", n, c, h, h, k,
  > 				0.02 + 2 * n * h * h * c * k * 9 / 2.5e12 * 1e3
  > 		}
  > 	}'
  > }
  $ times_of 15 >table.csv
  $ paleo calibrate --from table.csv --output c.json >/dev/null
  $ grep -o '"kernel_model": *"[a-z]*"' c.json
  "kernel_model": "conv"
  $ paleo predict --calibration c.json --pass fwd --filter '^conv5-1$' --format jsonl --algorithm-file fft.jsonl vgg16 2>/dev/null |
  > 	sed -n '/"kind":"conv"/s/.*"predicted_low_s":\([^,]*\),.*"algorithm":\("[^"]*"\|null\).*/\1 \2/p'
  null "eng15 fft, by the cost model"
  $ times_of 60 >table.csv
  $ paleo calibrate --from table.csv --output c.json >/dev/null
  $ paleo predict --calibration c.json --algorithm-file fft.jsonl vgg16
  2> paleo-predict: --algorithm-file needs --cost-model datasheet or presets, or a calibration with the kernel model 'conv'
  [2]

Another batch size: no answer, predicted without:

  $ predict --device t4 --batch 2 --algorithm-file "$files/t4-vgg16-f32.jsonl.gz"
  conv1-2 0.0010752439091358025 null
  algorithms of t4 (cudnn 9.19.0, no driver) for 0 of 1 different convolutions

What is refused:

  $ paleo predict --device h200 --cost-model datasheet --algorithm-file "$files/t4-vgg16-f32.jsonl.gz" vgg16
  2> paleo-predict: $source/results/algorithms/t4-vgg16-f32.jsonl.gz: is of device 't4', not of 'h200'
  [2]
  $ paleo predict --cost-model paleo2017 --algorithm-file "$files/t4-vgg16-f32.jsonl.gz" vgg16
  2> paleo-predict: --cost-model paleo2017 is f32, nchw: leave out --calibration, --algorithm-file, --ppp-memory (--ppp-compute scales both), --fuse, --framework, --separate-attention, --trace
  [2]
  $ paleo predict --device t4 --cost-model datasheet --algorithm-file "$small" vgg16
  2> paleo-predict: $source/tests/golden/small.json:1:2: expected a key in double quotes, found the end of the text
  [2]
