A table of other people's times becomes a calibration that predicts.

A V100 at 14 TFLOP/s: products at 0.8 of it and 20 us of launch; one row at ten times the peak, one
of no time.

  $ awk 'BEGIN {
  > 	print "gpu,op,dtype,m,n,k,time_ms"
  > 	for (i = 0; i < 60; i++) {
  > 		m = 128 * (1 + i % 5); n = 128 * (1 + int(i / 5) % 4); k = 256 * (1 + i % 7 + int(i / 20))
  > 		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, 0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3
  > 	}
  > 	print "V100_PCIE,gemm,fp32,4096,4096,4096,1"
  > 	print "V100_PCIE,gemm,fp32,64,64,64,0"
  > }' >table.csv
  $ : >records.jsonl

  $ paleo-calibrate --from table.csv --output c.json | grep -E 'refused|repeat|^[0-9].*records|fitted to'
  table.csv:63: 1 row refused from this line on: a time outside (0, 1 hour]
  table.csv:62: 1 row refused from this line on: above the device's peak FLOP/s
  table.csv: 34 rows repeat an op: medians used
  26 records of NVIDIA Tesla V100 PCIe 16 GB: published tables
  fitted to 26 records
  $ paleo-predict --calibration c.json vgg16 | sed -n '1s/, 2[^)]*)/, DATE)/p'
  NVIDIA Tesla V100 PCIe 16 GB: calibrated by c.json (26 records of v100-pcie, DATE); missing ops from published benchmarks: v100-pcie-32 (9000 rows of neusight torch-p2.1.0/cudnn-8902/cu121); for the rest the median over all GPUs
  $ paleo-predict --calibration c.json "$small" >rows
  $ awk '$2 == "pred" || /low us/ { print } /inner_product +fwd/ { print $(NF - 4) <= $(NF - 5) && $(NF - 5) <= $(NF - 3) }' rows
  layer    kind           pass           MFLOP       MB  pred us  low us  high us  share %  bound     source
  1
  $ grep "training step" rows
    training step       predicted    181.909 us  175911.9 images/s  247.575 GFLOP/s  90 %: 144.371 to 257.552 us
  $ paleo-calibrate --from table.csv --from records.jsonl
  2> paleo-calibrate: tables (.csv), or traces, and records (.jsonl) cannot be combined
  [2]
  $ paleo-calibrate --from table.csv --device xyzzy
  2> paleo-calibrate: table.csv: unknown device 'xyzzy' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  [2]
  $ sed 's/V100_PCIE/XYZZY/' table.csv >unknown.csv
  $ paleo-calibrate --from unknown.csv
  2> paleo-calibrate: unknown.csv: unknown device 'XYZZY' ('paleo devices' lists all, docs/reference/devices.md describes how to add one)
  [2]
  $ printf '\000gpu,op\n' >zero.csv
  $ paleo-calibrate --from zero.csv
  2> paleo-calibrate: zero.csv:1: a NUL byte, expected text
  [2]
