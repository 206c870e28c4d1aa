A study says what of a table it leaves out, and does the rest.

On T4: twenty sizes of an addition in f32, three softmaxes, a product in half, an all-reduce, a
convolution's gradient that nothing is said of.

  $ awk 'BEGIN {
  > 	print "gpu,op,dtype,algo,note,rows,cols,m,n,k,bytes,ranks,time_ms"
  > 	for (i = 1; i <= 20; i++)
  > 		printf "T4,elementwise,fp32,add,nin=2,%d,65536,,,,,,%.6f\n", i, 0.01 + i * 0.0033
  > 	for (i = 1; i <= 3; i++)
  > 		printf "T4,softmax,float32,,,%d,1000,,,,,,0.01\n", i
  > 	print "T4,gemm,half,,,,,64,64,64,,,0.01"
  > 	print "T4,allreduce,fp32,,,,,,,,1024,2,0.01"
  > 	print "T4,conv2d,fp32,,,,,,,,,,1"
  > }' >table.csv

  $ paleo-validate table.csv 2>&1 | sed -E 's/^(t4 +[^ ]+ +f32 +[a-z]+) .*/\1/; /^(device|-)/d'
  table.csv:27: 1 row refused from this line on: there is no column 'c' (docs/reference/tables.md lists them)
  table.csv: left out: softmax fwd in f32: 3 rows are too few for 5 folds
  table.csv: left out: gemm fwd in f16: 1 row is too few for 5 folds
  table.csv: 1 row left out: too few collective operations of their kind
  t4      eltwise.add  f32   tiles
  t4      eltwise.add  f32   paleo
  $ say paleo-validate --dtype f16 table.csv 2>&1
  table.csv:27: 1 row refused from this line on: there is no column 'c' (docs/reference/tables.md lists them)
  table.csv: 23 rows left out: other dtypes
  table.csv: left out: gemm fwd in f16: 1 row is too few for 5 folds
  table.csv: 1 row left out: too few collective operations of their kind
  paleo-validate: table.csv: no rows to validate on
  -> 2

A K80 is two dies; a program has one. One that nobody knows does not stop the study of the other.

  $ sed 's/^T4/K80/' table.csv >two_dies.csv
  $ sed 's/^T4/XYZZY/' table.csv >unknown.csv
  $ { paleo-validate unknown.csv two_dies.csv 2>/dev/null || echo "-> $?" >code; } | sed -nE 's/^(k80[^ ]*) .* tiles .*/\1/p'
  k80-die
  $ cat code
  -> 2

Where a table is no table, its line stands there once.

  $ printf 'gpu,op,dtype,time_ms\nT4,gemm\n' >short.csv
  $ paleo-validate short.csv
  2> paleo-validate: short.csv:2: 2 fields, expected 4 as in line 1
  [2]

What `predict` answers without measurements is judged on a table, too.

  $ awk 'BEGIN {
  > 	print "gpu,op,dtype,m,n,k,time_ms"
  > 	for (i = 0; i < 24; i++)
  > 		printf "V100_PCIE,gemm,fp32,%d,1024,4096,%.6f\n", 256 * (i + 1), 0.003 + 2 * 256 * (i + 1) * 1024 * 4096 / 12e12 * 1e3
  > }' >known.csv
  $ paleo-validate --cost-model presets --device v100-pcie-32 known.csv 2>&1 | sed -n '1s/([^)]*)/ROWS/; 1p; /^gemm/s/ \{2,\}.*//p'
  validated: published benchmarks, nothing measured here: v100-pcie-32 ROWS; for the rest the median over all GPUs
  gemm
  $ paleo-validate --cost-model datasheet known.csv 2>&1 | sed 1q
  paleo-validate: tables take --cost-model auto, calibrated, presets or presets-excluding-self (see --help)
