A calibration is found where it was written, and passed over where versions, threads or peaks differ, or its held-out
error is large.

  $ paleo calibrate --device fake --time-budget 1 >calibrate.txt
  $ source_of() { paleo profile --device fake --filter softmax --pass fwd alex_v2 | sed -n 2p | sed 's/([0-9]* records of fake, [^)]*)/(RECORDS)/'; }
  $ source_of
  calibrated by paleo-results/fake/calibration.json (RECORDS)
  $ file=paleo-results/fake/calibration.json; cp $file kept
  $ sed 's/"versions": *"[^"]*"/"versions": "fake 0"/' kept >$file; source_of
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer); passed over: paleo-results/fake/calibration.json (of fake 0, here fake 1)
  $ sed 's/"threads": *0/"threads": 3/' kept >$file; source_of
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer); passed over: paleo-results/fake/calibration.json (of 3 threads, here 0)
  $ sed 's/"f32": *10000000000000/"f32": 5000000000000/' kept >$file; source_of
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer); passed over: paleo-results/fake/calibration.json (of 5000 GFLOP/s in f32, measured here 10000)
  $ sed 's/"heldout_median": *[0-9.e-]*/"heldout_median": 0.51/' kept >$file; source_of
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer); passed over: paleo-results/fake/calibration.json (median held-out error 51 %)
  $ paleo profile --device fake --filter softmax --pass fwd --calibration $file alex_v2 | sed -n '2s/([^)]*)/(RECORDS)/p'
  calibrated by paleo-results/fake/calibration.json (RECORDS); median held-out error 51 %
  $ paleo predict --device fake --calibration $file --pass fwd --filter softmax alex_v2 | sed -n '1s/([^)]*)/(RECORDS)/p'
  fake device with known factors, for tests: calibrated by paleo-results/fake/calibration.json (RECORDS); median held-out error 51 %
  $ paleo predict --device fake --pass fwd --filter softmax alex_v2 2>&1 | sed -n 1p
  paleo-predict: 'fake' has no calibration that can be used; passed over: paleo-results/fake/calibration.json (median held-out error 51 %); name one by --calibration, or make one (paleo calibrate)
  $ cp kept $file; predict() { paleo predict --pass fwd --filter softmax "$@" alex_v2 2>&1 | sed '1s/([0-9]* records of fake, [^)]*)/(RECORDS)/; q'; }
  $ predict --device fake
  fake device with known factors, for tests: calibrated by paleo-results/fake/calibration.json (RECORDS)
  $ predict --device fake1
  fake device with known factors, for tests: calibrated by paleo-results/fake/calibration.json (RECORDS)
  $ predict --device fake --cost-model datasheet
  fake device with known factors, for tests: not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  $ predict --device fake --ppp-compute 0.5
  fake device with known factors, for tests: not calibrated: the fake's measured peaks at PPP 0.5 compute, 1 memory

A named one has to be of the device, also where that is one of this machine:

  $ paleo profile --device fake --calibration $build/share/paleo/results/cpu-amd-epyc/calibration.json --filter softmax alex_v2 >/dev/null
  2> paleo-profile: the device is 'fake', but '$build/share/paleo/results/cpu-amd-epyc/calibration.json' was made on 'cpu-amd-epyc'
  [2]

Of a CPU known by one name and shipped for several instruction sets, the one for its own is found:

  $ gzip -dc "$source/tests/data/cpu/cpu-amd-epyc-avx2/alex_v2-b2-f32.jsonl.gz" | sed 's/cpu-amd-epyc-avx2/cpu-amd-epyc/' >avx2.jsonl
  $ grep -o '"versions":"[^"]*"' avx2.jsonl
  "versions":"oneDNN 2.6.3 avx2"
  $ paleo report --output avx2.html avx2.jsonl && grep -o 'calibrated by[^"]*' avx2.html | sed 's/ of cpu-amd-epyc-avx2, [^)]*//'
  report: avx2.html
  calibrated by $build/share/paleo/results/cpu-amd-epyc-avx2/calibration.json (1315 records); at its machine speed, which varied by +-2 %; passed over: $build/share/paleo/results/cpu-amd-epyc/calibration.json (of oneDNN 2.6.3 avx512_core_bf16, here oneDNN 2.6.3 avx2)
  $ named() { paleo report --calibration "$1" --output named.html avx2.jsonl >named.txt; sed -n 's/.*"calibrated by[^;]*\(; [^"]*\)".*/\1/p' named.html; }
  $ named "$build/share/paleo/results/cpu-amd-epyc/calibration.json"
  ; of oneDNN 2.6.3 avx512_core_bf16, here oneDNN 2.6.3 avx2, so that intervals are by how 2 CPUs differ; at its machine speed, which varied by +-8 %
  $ sed 's/"threads":2/"threads":3/' avx2.jsonl >three.jsonl
  $ paleo report --output three.html three.jsonl && grep -o 'not calibrated: [^"]*' three.html
  report: three.html
  not calibrated: factors of cpu-amd-epyc-avx2 (1315 records) at the peaks measured here, with intervals by how 2 CPUs differ; passed over: $build/share/paleo/results/cpu-amd-epyc/calibration.json (of oneDNN 2.6.3 avx512_core_bf16, here oneDNN 2.6.3 avx2); $build/share/paleo/results/cpu-amd-epyc-avx2/calibration.json (of 2 threads, here 3)

A calibration in a folder of another device's name is passed over.

  $ mkdir paleo-results/t4 paleo-results/mine; cp kept paleo-results/t4/calibration.json; cp kept paleo-results/mine/calibration.json
  $ small=$source/tests/golden/small.json
  $ paleo predict --device t4 "$small" | sed 's/:.*; passed over/: ...; passed over/; q'
  NVIDIA Tesla T4: ...; passed over: paleo-results/t4/calibration.json (made on 'fake')
  $ paleo simulate --device 'Tesla T4' --workers 2 "$small" | grep -o 'passed over.*'
  passed over: paleo-results/t4/calibration.json (made on 'fake')
  $ paleo predict --device mine "$small"
  2> paleo-predict: 'mine' has no calibration that can be used; passed over: paleo-results/mine/calibration.json (made on 'fake'); name one by --calibration, or make one (paleo calibrate)
  [2]
  $ paleo predict --device mine --cost-model datasheet "$small"
  2> paleo-predict: 'mine' has no calibration that can be used; passed over: paleo-results/mine/calibration.json (made on 'fake'); name one by --calibration, or make one (paleo calibrate)
  [2]
  $ paleo predict --device t4 --cost-model presets --format csv "$small" 2>/dev/null | wc -l
  14
  $ sed 's/"name": *"fake"/"name": "fake9"/' kept >$file; source_of
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer); passed over: paleo-results/fake/calibration.json (made on 'fake9')
