A few rows are no reason to predict worse than by the shipped presets: here eight times of GEMMs, by turns 10 % above and
below what an H100 takes. Times twice as long throughout replace the presets'.

  $ table() {
  > 	awk -v up="$1" -v down="$2" 'BEGIN {
  > 		print "gpu,op,dtype,m,n,k,time_us"
  > 		split("64 512 2048 4096 256 1024 128 8192", m)
  > 		split("4096 4096 4096 8192 8192 1024 12288 4096", n)
  > 		split("4096 4096 4096 4096 1024 8192 4096 1024", k)
  > 		split("15.81 25.96 90.24 363.29 10.81 33.28 42.75 98.87", us)
  > 		for (i = 1; i <= 8; i++)
  > 			printf "H100_SXM,gemm,bf16,%d,%d,%d,%.3f\n", m[i], n[i], k[i], us[i] * (i % 2 ? up : down)
  > 	}'
  > }
  $ table 1.1 0.9 >odd.csv
  $ paleo calibrate --from odd.csv --output odd.json | grep "presets' parameters"
  1 kernel model of at most 100 rows: the presets' parameters stay, as the fit is not clearly better on rows held out
  $ table 2 2 >slow.csv
  $ paleo calibrate --from slow.csv --output slow.json | grep "presets' parameters"
  [1]

Commands pass over a calibration that errs by more than 30 % on held-out rows, and calibrate says so.

  $ table 5 0.2 >noise.csv
  $ paleo calibrate --from noise.csv --output noise.json | grep 'is above'
  Its median held-out error of 80 % is above 30 %: commands use it only with --calibration
