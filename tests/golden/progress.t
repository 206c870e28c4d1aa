What takes long tells on a terminal how far it is, leaves nothing of it, and is silent elsewhere.

  $ command -v script >/dev/null || skip "there is no script"

  $ awk 'BEGIN {
  > 	print "gpu,op,dtype,m,n,k,time_ms"
  > 	for (i = 0; i < 24; i++) {
  > 		m = 512 * (1 + i % 2); n = 128 * (1 + int(i / 2) % 4); k = 256 * (1 + int(i / 8))
  > 		printf "V100_PCIE,gemm,fp32,%d,%d,%d,%.6f\n", m, n, k, 0.02 + 2 * m * n * k / (0.8 * 14e12) * 1e3
  > 	}
  > }' >try.csv
  $ escape=$(printf '\033')
  $ export PALEO_FAKE=still NO_COLOR=1 COLUMNS=100

lines COMMAND - what stood in its line of progress, the count and the seconds apart.

  $ lines() {
  > 	script -qec "$1" /dev/null </dev/null | tr '\r' '\n' | sed -n "s/^$escape\[K\(..*\)/\1/p"
  > }

shown WHAT COMMAND - whether it says that on a terminal; nothing with --quiet, nor in a pipe.

  $ shown() {
  > 	if lines "$2" | grep -Eq "^([0-9]+/[0-9]+  )?[0-9]+ s( left)?  $1"; then
  > 		echo "${2%% --*}: $1"
  > 	else
  > 		echo "${2%% --*}: nothing of '$1' in"
  > 		lines "$2"
  > 	fi
  > 	lines "$2 --quiet"
  > 	script -qec "$2" /dev/null </dev/null | tail -1 | grep "$escape\[K..*$" || :
  > 	$2 >log 2>&1
  > 	grep "$escape" log || :
  > }

  $ shown '[a-z_]+ [a-z_]+ f32' "paleo-profile --device fake --rounds 1 --output p.jsonl --force $small"
  paleo-profile: [a-z_]+ [a-z_]+ f32
  $ shown 'small, batch 4, fwd' "paleo-fullpass --device fake $small"
  paleo-fullpass: small, batch 4, fwd
  $ shown 'measuring peaks' "paleo-check --device fake --output c.jsonl --force"
  paleo-check: measuring peaks
  $ shown 'conv fwd f32' "paleo-algorithms --device fake $small"
  paleo-algorithms: conv fwd f32
  $ shown 'fitting' "paleo-calibrate --from try.csv --output c.json --force"
  paleo-calibrate: fitting
  $ shown 'cross-validating: parts' "paleo-validate --cost-model calibrated try.csv"
  paleo-validate: cross-validating: parts
  $ shown 'gemm f32, cross-validating' "paleo-validate try.csv"
  paleo-validate try.csv: gemm f32, cross-validating
  $ shown 'configurations simulated' "paleo-simulate --search --device t4,l4 --cost-model datasheet --strategy data --workers 1,2 $small"
  paleo-simulate: configurations simulated

Each work leaves a line when it is measured, no wider than the terminal.

  $ COLUMNS=80 script -qec "paleo-profile --device fake --rounds 1 --pass fwd --output p.jsonl --force $small" /dev/null </dev/null |
  > 	tr '\r' '\n' | sed -n "s/^$escape\[K\(measured\)/\1/p" >lines
  $ sed 's/ [a-z]*=.*//' lines
  measured 15.2 us   predicted 0.434 us  conv fwd f32
  measured 8.09 us   predicted 0.373 us  eltwise fwd f32
  measured 3.1 us    predicted 0.247 us  pool fwd f32
  measured 3.76 us   predicted 0.185 us  gemm fwd f32
  measured 8.33 us   predicted 0.00034 us softmax fwd f32
  $ awk 'length($0) > 79 { print "too long: " $0 }' lines

The budget begins with the first work: opening takes as long as it.

  $ PALEO_FAKE=open-delay=5,op-delay=0.3 paleo-profile --device fake --time-budget 6s --output p.jsonl --force "$small" |
  > 	grep -o '^[0-9]* ops measured\|[0-9]* left when the time budget ended'
  13 ops measured
