Coverage of intervals, and what few measurements would do, of a table, by the studies' script.

A V100 at 14 TFLOP/s: products at 0.8 of it and 20 us of launch, up to a fifth longer or shorter.

  $ awk 'BEGIN {
  > 	print "gpu,op,dtype,m,n,k,time_ms"
  > 	for (i = 0; i < 48; i++) {
  > 		m = 512 * (1 + i % 2); n = 128 * (1 + int(i / 2) % 4); k = 256 * (1 + int(i / 8))
  > 		err = exp((i * 37 % 48 / 23.5 - 1) * 0.18)
  > 		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, err * (0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3)
  > 	}
  > }' >try.csv

90 and 50 % of 48 rows, to within three standard errors: 13 and 22 points.

  $ PALEO="$build/bin/paleo" sh "$source/results/studies/intervals.sh" try.csv 2>notes >intervals.csv
  $ cat notes
  48 records of NVIDIA Tesla V100 PCIe 16 GB: published tables
  Cross-validated: each op by a fit without its shape, each network by a fit without its ops
  48 ops: median error 9.6 %, mean 10.1 %, p90 18.2 %; PALEO's cost model: median 22.9 %

  verdict: good for gemm
  (good: median error <= 10 %, p90 <= 30 %; rough: median <= 25 %; from 10 held-out ops)
  $ head -1 intervals.csv
  table,what,name,pass,dtype,rows,median,mean,p90,bias,sum,coverage,coverage50,width,paleo_median,paleo_mean
  $ columns table,what,name,rows,coverage,coverage50 <intervals.csv | sed 1d |
  > 	awk -F, '{ print $1, $2, $3, $4, ($5 == "" ? "no interval" : $5 > 0.77 && $6 > 0.28 && $6 < 0.72) }'
  try class gemm 48 1
  try all all 48 1
  try measurements 0 48 no interval
  try measurements 5 48 no interval
  try measurements 20 48 1
  $ paleo-validate try.csv | sed -n 1p
  device     op    type  cost model  rows  fitted  median %  mean %  p90 %  bias %  sum %  in 90 % interval  in 50 %  width %  table
  $ paleo-validate try.csv --format csv | columns cost_model,coverage,coverage50,width | sed 1d |
  > 	awk -F, '{ print $1, ($2 > 0.77 && $3 > 0.28 && $3 < 0.72), ($4 > 0) }'
  tiles 1 1
  paleo 1 1
  $ env PALEO="$build/bin/paleo" sh "$source/results/studies/intervals.sh" absent.csv
  table,what,name,pass,dtype,rows,median,mean,p90,bias,sum,coverage,coverage50,width,paleo_median,paleo_mean
  2> paleo-validate: absent.csv: cannot open: No such file or directory
  [2]

A device's peaks alone are enough; but presets of others, with no measurement, want to know more.

  $ echo '{"devices": [{"name": "v100-pcie", "flop_per_s": {"f32": 14e12}, "mem_bytes_per_s": 900e9}]}' >own.json
  $ paleo-validate --cost-model calibrated --device-file own.json --format csv try.csv 2>notes >own.csv || cat notes
  $ columns by,name <own.csv | grep '^measurements'
  measurements,5
  measurements,20

One row leaves none to fit.

  $ sed 2q try.csv >one.csv
  $ paleo-validate --cost-model calibrated one.csv
  2> paleo-validate: 1 record is too few to hold some out
  [2]

A net of which nothing was measured has no sums, and counts neither as hit nor as miss.

  $ device=cpu-amd-epyc-avx2
  $ records=$source/tests/data/cpu/$device
  $ calibration=$source/results/$device/calibration.json
  $ {
  > 	gzip -dc "$records/nin-b2-f32.jsonl.gz" | grep -v '"type":"record"'
  > 	gzip -dc "$records/alex_v2-b2-f32.jsonl.gz" | grep -m 1 '"type":"record"'
  > } >nothing.jsonl
  $ paleo-validate --calibration "$calibration" nothing.jsonl 2>&1 | sed -n 's,/.*/results,results,; /^validated:/p; /records* of/p; /^Whole/,$p'
  1 record of AMD EPYC: oneDNN 2.6.3 avx2
  validated: results/cpu-amd-epyc-avx2/calibration.json, fitted to 0 of these records
  Whole networks: totals of the measured rows, predicted and measured, and whether the interval of forward
  and backward contains the measured total
  judged  batch  type  rows  not measured
  ---------------------------------------
  nin         2  f32      0            83
  not validated: nin, batch 2: no op of its forward and backward pass was measured

  Ops, predicted at the machine speed probed with each; before %: at the calibration's speed, as before measuring
  judged      pass      type  rows  median %  before %  mean %  p90 %  bias %  sum %  in 90 %  in 50 %  width %  PALEO %
  ----------------------------------------------------------------------------------------------------------------------
  conv.dense  bwd_data  f32      1       7.0       7.5     7.0    7.0     7.0    7.0    100.0    100.0       55      5.6
  ----------------------------------------------------------------------------------------------------------------------
  all         -         -        1       7.0       7.5     7.0    7.0     7.0    7.0    100.0    100.0       55      5.6
  $ paleo-validate --calibration "$calibration" --format csv nothing.jsonl 2>/dev/null |
  > 	columns what,name,count,predicted_s,measured_s,error,low_s,high50_s | grep '^[wn]'
  what,name,count,predicted_s,measured_s,error,low_s,high50_s
  net,nin,0,,,,,
