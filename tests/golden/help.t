What --help says.

  $ for command in profile predict calibrate validate devices
  > do
  > 	paleo-$command --help
  > 	echo
  > done
  usage: paleo-profile [OPTION]... NET...

  Times every layer of the networks on the device: forward, backward and update (identical ops
  once). Each row has the predicted and measured time, the error, the achieved speed and what
  bounds it.
  --mode cold,hot,enqueue measures each op in each of these cache states and prints the times in
  columns.
  --algorithm best:K also times the library's other algorithms of each op: totals use the fastest;
  regret is the time lost by the library's own choices.
  NET is a shipped network (vgg16), or a file: a network, ONNX, Caffe or config.json. --resume
  continues an interrupted run; failed ops stay failed, unless --retry-failed measures them again.
  Several batch sizes, dtypes, layouts or sequence lengths are profiled one by one, each with its
  own records file and the full time budget; a summary table comes last.
  --device 0,1 profiles GPUs one by one, each with its own worker, folder
  (paleo-results/DEVICE-N/) and full time budget. --device 0+1 divides the ops over equal GPUs,
  mpirun and srun over those of the ranks; some ops are measured on all of them, to compare the
  devices.
  Exit status: 0 success, 1 some rows failed, 2 wrong options or files, 3 unusable vendor
  libraries, 4 no such device, 5 out of time: some rows have neither a measured nor a predicted
  time, 6 devices that divide the ops differ, 7 less than half of the predicted time was measured
  undisturbed, 130 interrupted.

  options:
    --device auto|N|cuda:N|cpu
                              GPU number N, the CPU, or the first usable one (default auto); 0,1
                              are profiled one by one, 0+1 divide the ops
    --batch N,...             batch sizes (default: the network file's; on a CPU at most 4)
    --dtype TYPE,...          dtypes: f32, tf32, f16, bf16, fp8 (default: the networks' own, else
                              f32)
    --layout L,...            memory layouts of images: nchw, nhwc (channels_last) (default nchw)
    --seq N,...               of a config.json: new tokens of each sequence (default 1024; decode
                              1)
    --fuse                    fuse as inference engines do: batch normalization and activation
                              into the preceding GEMM or convolution (with --pass fwd);
                              predictions also fuse chains of elementwise ops
    --separate-attention      unfused attention (no FlashAttention): GEMMs, copies and a softmax,
                              as before PyTorch 2; with --framework scores are also scaled and
                              cast to f32 and back
    --pass PASS               passes: all, fwd, bwd, update (default all)
    --mode MODE,...           cache states: cold (operands not cached), hot (cached), weights-cold
                              (only weights not cached); enqueue: launch time on the CPU; the
                              first is compared with the prediction (default cold)
    --algorithm heuristic|best:K|all
                              library algorithms to time: the library's own choice, the first K of
                              its list, or all; the fastest correct one counts (default heuristic)
    --workspace-limit BYTES   skip algorithms that need more workspace, as 512M or 2G (default 4G)
    --time-budget TIME        stop measuring after this time, with the peaks, from when the device
                              is open (default per mode: 60s on a CPU, 2m on a GPU, plus 1s per op
                              with --sustained)
    --sustained               time each op after running it back to back for 1s, at the clocks
                              power and heat allow (default: in bursts)
    --energy                  also measure each op's energy: run it for 3s or more, between steps
                              of the device's energy counter
    --rounds N                times to measure each op (default 3 to 8, as time allows; 1 with
                              several algorithms and with --sustained)
    --op-timeout TIME         give up on an op after this time (default: 30s to 60s plus its share
                              of the budget)
    --no-cudnn-norm           on a GPU: run normalization and average pooling with paleo's own
                              kernels, never cuDNN
    --threads N               CPU threads (default and maximum: one per core)
    --calibration FILE        calibration to predict with (default: the device's own, if any)
    --ppp-compute F           without a calibration: platform percent of peak (PPP) of compute,
                              the fraction of peak FLOP/s reached (default 1)
    --ppp-memory F            without a calibration: PPP of memory, the fraction of peak bandwidth
                              reached (default 1)
    --passes FILE             measured full passes to read (paleo-fullpass --output); repeatable:
                              print the in-network time of each row
    --output FILE             records file (default paleo-results/DEVICE/NET-bBATCH-DTYPE.jsonl,
                              with the layout and the options that change what is measured
                              appended to DTYPE); an existing file is kept as FILE.1
    --trace FILE.json         also write a timeline for ui.perfetto.dev or chrome://tracing
    --samples FILE            write every sample to this file, one per line: .csv or .jsonl
    --resume                  keep what the output file has and measure the rest
    --retry-failed            like --resume, but measure failed, crashed and timed-out ops again
    --force                   overwrite output files of any kind, and follow symbolic links
    --verbose                 print more detail: where the wall time went
    --format F                output format: text, csv, jsonl, md (Markdown) (default text)
    --filter REGEX            only layers whose name matches
    --op KEY                  measure this op instead of a network, by its key from column op of
                              --format csv; repeatable
    --top N                   show the first N rows, slowest first (default: 10 if there are more
                              than 30)
    --sort BY                 order rows by time, error or name (default: network order; by time
                              if not all are shown)
    --all                     show all rows
    --quiet                   print only totals, and no progress line on a terminal
    --help                    print this help
    --version                 print the version

  examples:
    paleo-profile --batch 4 vgg16 resnet50
    paleo-profile --op 'gemm fwd f32 m=512 n=512 k=512'
    paleo-profile --device 0 --dtype f16 --layout nhwc --batch 64 resnet50
    paleo-profile --mode cold,hot --time-budget 2m --format csv my-net.json

  usage: paleo-predict [OPTION]... NET...

  Predicts the time of every layer and pass from a calibration, or from published benchmarks of
  the device or similar GPUs. Needs no device.
  NET is a shipped network (vgg16, llama3-8b), or a file: a network, ONNX, Caffe or config.json.
  The first line says what the predictions are based on, column source per row. Low and high bound
  the 90 % interval. --cost-model datasheet adds compute and memory time, each at peak speed:
  usually too short; --ppp-compute and --ppp-memory scale them.
  Totals come first, then where the time goes, then the ten slowest rows (--top, --sort, --all).
  Several batch sizes, dtypes, layouts, sequence lengths or devices make one table with a row for
  each combination.
  --cost-model paleo2017 prints the original Paleo's times in milliseconds; --device also takes
  its devices (TITAN_X, the default, K80 ...).
  Exit status: 0 success, 1 nothing to predict from or out of memory, 2 wrong options or files.

  options:
    --device NAME             device to predict: a name from 'paleo devices', one with a
                              calibration in paleo-results/NAME/, or this machine's cpu or 0 (GPU)
                              (default: the calibration's device); a comma-separated list gives a
                              row for each
    --device-file FILE        JSON file that describes more devices
    --cost-model MODEL        auto (default): calibrated, else presets, else datasheet;
                              calibrated: the device's calibration; presets: published benchmarks
                              of this GPU, else of its chip, its family, all GPUs;
                              presets-excluding-self: presets without its own chip; datasheet:
                              fractions of its peaks; paleo2017: the formulas of the original
                              Paleo
    --stack S                 serving stack whose published benchmarks are preferred: auto,
                              trtllm, vllm, sglang (default auto: the one with the most for the
                              device)
    --batch N,...             batch sizes (default: the network file's)
    --dtype TYPE,...          dtypes: f32, tf32, f16, bf16, fp8 (default: the networks' own, else
                              f32); in fp8 only forward GEMMs, everything else in bf16
    --layout L,...            memory layouts of images: nchw, nhwc (channels_last) (default nchw)
    --fuse                    fuse as inference engines do: batch normalization and activation
                              into the preceding GEMM or convolution (with --pass fwd);
                              predictions also fuse chains of elementwise ops
    --framework F             model a framework's kernels: none; eager, PyTorch with autocast in
                              16 bits; compiled, torch.compile (default none)
    --launch-us US            with --framework: CPU launch overhead per kernel, in microseconds: a
                              lower bound on the time of a pass (default 5)
    --separate-attention      unfused attention (no FlashAttention): GEMMs, copies and a softmax,
                              as before PyTorch 2; with --framework scores are also scaled and
                              cast to f32 and back
    --optimizer NAME          with --framework: optimizer step: sgd, momentum, adam (default sgd)
    --pass PASS               passes: all, fwd, bwd, update (default all)
    --calibration FILE        calibration to predict with (default: the device's own, if any)
    --algorithm-file FILE     library algorithms of convolutions: output of 'paleo algorithms
                              --format jsonl', or a file of results/algorithms/
    --ppp-compute F           without a calibration: platform percent of peak (PPP) of compute,
                              the fraction of peak FLOP/s reached (default 1)
    --ppp-memory F            without a calibration: PPP of memory, the fraction of peak bandwidth
                              reached (default 1)
    --algorithm NAME          with --cost-model paleo2017: convolution algorithm: gemm, precomp,
                              fft, fft_tiling (default gemm)
    --format F                output format: text, csv, jsonl, md (Markdown) (default text)
    --filter REGEX            only layers whose name matches
    --top N                   show the first N rows, slowest first (default: 10 if there are more
                              than 30)
    --sort BY                 order rows by time, error or name (default: network order; by time
                              if not all are shown)
    --all                     show all rows
    --quiet                   print only totals, and no progress line on a terminal
    --trace FILE.json         also write a timeline for ui.perfetto.dev or chrome://tracing
    --force                   overwrite output files of any kind, and follow symbolic links
    --seq N,...               of a config.json: new tokens of each sequence (default 1024; decode
                              1)
    --phase P                 of a config.json: prefill, decode or train (default prefill)
    --past N                  of a config.json: tokens already in the KV cache (default 0; decode
                              1024)
    --tp N                    of a config.json: tensor-parallel workers; times are those of one
                              worker (default 1)
    --pp N                    of a config.json: pipeline stages; times are those of the last
                              (default 1)
    --ep N                    of a config.json: expert-parallel workers, each with its own batch
                              (default 1)
    --weights TYPE            of a config.json: dtype of GEMM weights (default: the file's)
    --kv TYPE                 of a config.json: dtype of the KV cache (default: the network's)
    --ignore-keys             of a config.json: ignore unknown keys, as if they changed no time,
                              instead of refusing the file
    --help                    print this help
    --version                 print the version

  examples:
    paleo-predict --device h100-sxm --dtype bf16 --batch 64 resnet50
    paleo-predict --device t4,l4 --dtype f16,f32 --batch 1,8,64 resnet50
    paleo-predict --calibration paleo-results/t4/calibration.json --format csv my-net.json

  usage: paleo-calibrate [OPTION]... [NET...] | --link NAME [FILE...]

  Measures ops of many shapes on the device, and those of the networks given, within a time
  budget. Fits to them, per kind of op, pass and dtype, the platform percent of peak (PPP) of
  compute and memory, and the overhead; some kinds have kernel models
  (docs/reference/cost-model.md). --from fits records, published tables of times or traces
  instead.
  Prints a row for each kind of op: the range of PPP, and the held-out error on ops that the fit
  has not seen. --verbose and --format csv print each factor with its standard error, '-' where
  the records do not determine it. paleo-validate prints the error on whole networks.
  --device 0+1 divides the ops over equal GPUs, mpirun and srun over those of the ranks; a device
  that differs is left out.
  --link calibrates an interconnect instead. It reads logs of nccl-tests (all_reduce_perf and its
  siblings) or their JSON (-J), or measures: through MPI under 'mpirun -np N paleo calibrate
  --link NAME', through NCCL on all GPUs of this node by --transport nccl. It fits latency and
  bandwidth by ranges of size, with standard errors, or a curve, or interpolates between sizes:
  the form with the smallest cross-validated error. 'paleo simulate --link-file FILE' reads its
  output.
  Exit status: 0 success, 1 not measured or fitted, or out of memory, 2 wrong options or files, 3
  unusable vendor libraries, MPI or NCCL, 4 no such device, or too few, 6 devices that divide the
  ops differ, 130 interrupted.

  options:
    --device auto|N|cuda:N|cpu
                              GPU number N, the CPU, or the first usable one (default auto); 0+1
                              divide the ops; of tables, the name of the device they were measured
                              on
    --device-file FILE        JSON file that describes more devices
    --from FILE               fit these records (.jsonl), published tables of times (.csv) or
                              traces of torch.profiler, plain or gzipped, instead of measuring;
                              repeatable
    --passes FILE             measured full passes to read (paleo-fullpass --output); repeatable:
                              correct whole networks by them
    --operand-sets N          of tables: the timing rotated through copies of the weights, as many
                              as fill the cache, at most N (default 1)
    --timed-by WAY            of tables: how they were timed: host (single calls, each waited
                              for), events (loops of calls) or graph (replayed graphs, traces of
                              kernels); in networks, launches timed by the first two count without
                              the CPU's dispatch (default: their column timed_by, else unknown)
    --time-budget TIME        stop measuring after this time, counted from when the device is open
                              (default 60s)
    --full-pass               also time full passes of the networks, in a quarter of the time, and
                              correct whole networks by them
    --batch N                 batch size of the networks (default: the network file's; on a CPU at
                              most 4)
    --dtype TYPE              dtype: f32, tf32, f16, bf16, fp8 (default: the networks' own, else
                              f32); in fp8 only forward GEMMs, everything else in bf16
    --layout L                memory layout of images: nchw, or nhwc (channels_last) (default
                              nchw)
    --mode MODE               cache state: cold rotates all operands, hot reuses them,
                              weights-cold rotates weights only; enqueue times the launch on the
                              CPU (default cold)
    --sustained               time each op after running it back to back for 1s, at the clocks
                              power and heat allow (default: in bursts)
    --threads N               CPU threads (default and maximum: one per core)
    --output FILE             calibration file (default paleo-results/DEVICE/calibration.json)
    --records FILE            file for the records of what is measured (default
                              paleo-results/DEVICE/design-DTYPE.jsonl, with the layout, --threads
                              and --sustained appended to DTYPE)
    --resume                  keep what the records file has and measure the rest
    --retry-failed            like --resume, but measure failed, crashed and timed-out ops again
    --force                   overwrite output files of any kind, and follow symbolic links
    --verbose                 print every factor and its parameters, and where the wall time of
                              measuring went
    --format F                output format: text, csv, jsonl, md (Markdown) (default text)
    --quiet                   no progress line on a terminal
    --link NAME               calibrate a link of this name instead of a device, by collective
                              operations; --records takes the measured times, in columns of
                              nccl-tests
    --transport NAME          with --link: measure now, by mpi (every process a rank; the default
                              under mpirun), by nccl (every GPU here)
    --collective NAME         with --link: collective operation: all-reduce, all-gather,
                              reduce-scatter (default all-reduce)
    --workers N               with --link: number of workers (default: the file's; measuring: all
                              there are)
    --rounds N                with --link: times to measure each size; medians are used (default
                              25)
    --help                    print this help
    --version                 print the version

  examples:
    paleo-calibrate --time-budget 60s
    paleo-calibrate --from times.csv --device l4 --output l4.json
    mpirun -np 2 paleo-calibrate --link my-net --output my-net.json

  usage: paleo-validate [OPTION]... RECORDS.jsonl[.gz]... | TABLE.csv[.gz]... [FOLDER] | TRACE... | PROFILE NET [LAYERS]

  Records are cross-validated: a part is held out of the fit and predicted, by shape (in all
  passes), then by network (all its ops). PALEO % is the original's cost model, fitted to the same
  rows with one percentage of peak per class, pass and dtype. With --calibration, that calibration
  is validated, and the records it was fitted to are counted; errors on those prove nothing.
  On published timing tables, one GPU each (columns: docs/reference/tables.md), the cost models of
  each kind of op and pass, and PALEO's, are cross-validated. All batch sizes of a layer are held
  out together. 'corrected' adjusts the first cost model by its error on similar rows, where that
  helps on the fitted rows. Intervals come from a nested hold-out within each fit. Rows above the
  device's peak or bandwidth are refused; stderr has their number and the reason.
  Of tables of whole networks timed in a framework, with the FOLDER of network files
  (MODEL-IMAGE.json or MODEL.json), each is predicted as the sum of its ops times a factor fitted
  to other networks of the same mode, phase and layout. Networks with the same title are held out
  together. Data formats print every row.
  A trace of torch.profiler (record_shapes=True) is printed op by op, measured next to predicted;
  Nsight Systems' JSON lines or trtexec's profile as time by name. With the NET that a trtexec
  PROFILE is of, and LAYERS (trtexec --exportLayerInfo), it is printed layer by layer, next to
  predictions.
  Errors are |predicted / measured - 1| in percent: median, mean, 90th percentile; signed:
  geometric mean (bias) and the error of the sum; then the coverage of the 90 % and 50 %
  intervals, and the width of the 90 % interval. For an op in several files, the last file counts.
  --format csv has more columns.
  Exit status: 0 success, 1 out of memory, 2 wrong options or files.

  options:
    --calibration FILE        validate this calibration (default: fit anew with each part held
                              out)
    --mode MODE               cache state of the records to use: cold, hot, weights-cold, enqueue
                              (default cold)
    --device NAME             device on which tables were measured (default: the one they name)
    --device-file FILE        JSON file that describes more devices
    --cost-model MODEL        of tables: auto cross-validates the cost models of each kind of op;
                              calibrated fits all kinds as paleo-calibrate does; presets judges
                              what paleo-predict answers without measurements;
                              presets-excluding-self the same by presets of other GPUs; without
                              tables, presets prints their transfer error (default auto)
    --stack S                 serving stack whose published benchmarks are preferred: auto,
                              trtllm, vllm, sglang (default auto: the one with the most for the
                              device); with --cost-model presets
    --dtype TYPE              of tables: rows of this dtype only: f32, tf32, f16, bf16, fp8
                              (default: each); with a profile's network: its dtype (default: its
                              own)
    --hold-out G              of tables: what is held out together: layers; channels (convolutions
                              of similar channels); images (of one image size); rows, each alone
                              (default layers)
    --rows N                  fit to at most N rows of each class, pass and dtype (default 1000)
    --draws N                 of tables: draw the fitted rows N times; prints errors over all
                              draws and of the worst (default 1)
    --operand-sets N          of tables: the timing rotated through copies of the weights, as many
                              as fill the cache, at most N (default 1)
    --optimizer NAME          of whole networks in training: optimizer step: sgd, momentum, adam
                              (default sgd)
    --format F                output format: text, csv, jsonl, md (Markdown) (default text)
    --top N                   show the first N lines of each table (default: 10 if there are more
                              than 30)
    --sort BY                 order lines by rows, error or name (default: as fitted; by rows if
                              not all are shown)
    --all                     show all rows
    --quiet                   print only the verdict, and no progress line on a terminal
    --help                    print this help
    --version                 print the version

  examples:
    paleo-validate paleo-results/cpu-amd-epyc/*.jsonl
    paleo-validate --calibration l4.json times.csv
    paleo-validate --rows 20 --draws 5 times.csv.gz
    paleo-validate --optimizer momentum whole-nets.csv my-nets
    paleo-validate --cost-model presets

  usage: paleo-devices [OPTION]... [NAME...]

  Prints datasheets: dense peak per dtype (f32 on the cores; all others on tensor cores with f32
  accumulation), bandwidth, memory, cache, multiprocessors, boost clock, power and compute
  capability.
  With names, in any spelling, only these, and the sources of the numbers; csv and jsonl always
  have them. docs/reference/devices.md explains how to add a device.
  --export writes what paleo-predict says of one device for other programs: docs/guide/export.md.
  Exit status: 0 success, 1 out of memory or nothing to predict from, 2 wrong options or files.

  options:
    --device-file FILE        JSON file that describes more devices
    --format F                output format: text, csv, jsonl, md (Markdown) (default text)
    --export FORMAT           write predictions of one device as another program's input:
                              aiconfigurator, aiconfigurator_context, aiconfigurator_generation,
                              calculon
    --help                    print this help
    --version                 print the version

  examples:
    paleo-devices
    paleo-devices h200
    paleo-devices h100-sxm --export aiconfigurator
   (esc)
  $ paleo --help | sed '/^  [a-z]/d'
  usage: paleo COMMAND [OPTION]... (or paleo-COMMAND [OPTION]...)

  Predict and measure the time of neural networks, layer by layer.

  commands:

  'paleo help COMMAND' or 'paleo COMMAND --help' prints options and examples, 'paleo --version' the version.
  $ paleo help >again && paleo --help | cmp - again
  $ paleo help predict >again && paleo predict -h | cmp - again
  $ for command in $(paleo --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
  > do
  > 	paleo-$command --help | head -1 | grep -q "^usage: paleo-$command " || echo "no help of $command"
  > done
  $ for command in predict simulate report
  > do
  > 	paleo-$command --help | tr -s '\n ' '  ' | grep -o 'presets[: a-z]* published [A-Za-z ]*'
  > done
  presets: published benchmarks of this GPU
  presets: published benchmarks of this GPU
  presets: published benchmarks of this GPU

Former options and commands name the new ones.

  $ sed -n 's/^FORMER_OPTION("\([^"]*\)".*/\1/p' "$source/tools/cli/former.def" | while read -r name
  > do
  > 	paleo predict "--$name" x vgg16 2>&1 | grep -q "^paleo-predict: unknown option '--$name': use " || echo "no word of --$name"
  > done
  $ paleo simulate --num_workers=2 vgg16
  2> paleo-simulate: unknown option '--num-workers': use --workers
  [2]
  $ paleo profile --algo all vgg16
  2> paleo-profile: unknown option '--algo': use --algorithm
  [2]
  $ paleo explore --device t4 vgg16
  2> paleo: 'explore' is now 'paleo simulate --search'
  [2]
  $ sed -n 's/^FORMER_COMMAND("\([^"]*\)".*/\1/p' "$source/tools/cli/former.def" | while read -r name
  > do
  > 	paleo "$name" --help
  > done
  2> paleo: 'explore' is now 'paleo simulate --search'
  2> paleo: 'reproduce' is now 'paleo simulate --case NAME (--case all for every one)'
  2> paleo: 'calibrate-comm' is now 'paleo calibrate --link NAME'
  2> paleo: 'study' is now 'paleo validate TABLE.csv'
  2> paleo: 'ceilings' is now 'paleo check'
  [2]

A word is in options.def once for each meaning: at most 102.

  $ for command in $(paleo --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
  > do
  > 	paleo "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'
  > done | sort -u | awk 'END { print (NR <= 102 ? "few enough" : NR " option words") }'
  few enough
