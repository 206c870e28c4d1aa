A shipped file that is cut, empty, overwritten with zeros or missing ends a prediction with one sentence that names it.

  $ mkdir data data/results
  $ cp -r "$source/results/presets" "$source/results/power" "$source/results/cpu-amd-epyc" data/results; cp -r "$source/nets" data
  $ export PALEO_DATA_DIR=data
  $ presets=data/results/presets
  $ restore() { cp "$source/results/presets/$1" $presets; }
  $ zeros() { size=$(wc -c <"$1"); truncate -s 0 "$1"; truncate -s "$size" "$1"; }
  $ predict() { paleo predict --format csv "$@" vgg16 >rows; }

A preset, for its own device and for one of its family.

  $ truncate -s 30000 $presets/t4.json; predict --device t4
  2> paleo-predict: data/results/presets/t4.json:402:2061: a string has no closing quote in its line
  [2]
  $ predict --device rtx-2080-ti
  2> paleo-predict: data/results/presets/t4.json:402:2061: a string has no closing quote in its line
  [2]
  $ head -n 200 "$source/results/presets/t4.json" >$presets/t4.json; predict --device t4
  2> paleo-predict: data/results/presets/t4.json:201:1: expected a key in double quotes, found the end of the text
  [2]
  $ zeros $presets/t4.json; predict --device t4
  2> paleo-predict: data/results/presets/t4.json:1:1: expected a value, found the byte 0x00
  [2]
  $ truncate -s 0 $presets/t4.json; predict --device t4
  2> paleo-predict: data/results/presets/t4.json:1:1: expected a JSON value, found nothing
  [2]

A tree of as many characters, which is none; it is read where its op is predicted.

  $ restore t4.json; sed -i 's/"trees": \["[0-9]/"trees": ["x/' $presets/t4.json; predict --device t4
  2> paleo-predict: data/results/presets/t4.json:402:19: factors[1].correction.trees[0]: expected a tree such as "3<5.125 -12 40": features below 15, leaves within 30000, at most 4 limits deep
  [2]
  $ head -n 100 "$source/results/presets/t4.json" >$presets/t4.json

Other devices' presets are not read, unless all count; that they are complete is seen by their sizes.

  $ predict --device m40
  2> paleo-predict: data/results/presets/spreads.csv: does not match the presets in its folder: reinstall paleo, or remake it by 'paleo validate --cost-model presets --format csv'
  [2]
  $ restore t4.json; zeros $presets/t4.json; predict --device m40 && wc -l <rows
  110
  2> NVIDIA Tesla M40 12 GB: published benchmarks, nothing measured here: m40 (420 rows of deepbench_train cuda-7.5.18/cudnn-5); for the rest the median over all GPUs
  $ head -n 100 "$source/results/presets/t4.json" >$presets/t4.json
  $ predict --device m40 --cost-model presets-excluding-self
  2> paleo-predict: data/results/presets/t4.json:101:1: expected a key in double quotes, found the end of the text
  [2]

All commands that predict say it.

  $ paleo simulate --device t4 --workers 2 vgg16
  2> paleo-simulate: data/results/presets/t4.json:101:1: expected a key in double quotes, found the end of the text
  [2]
  $ paleo simulate --search --device t4 --workers 2 vgg16
  2> paleo-simulate: data/results/presets/t4.json:101:1: expected a key in double quotes, found the end of the text
  [2]
  $ truncate -s 30000 $presets/h100-sxm.json; paleo serving --device h100-sxm "$source/tests/golden/serving/llama"
  2> paleo-serving: data/results/presets/h100-sxm.json:318:6637: a string has no closing quote in its line
  [2]
  $ paleo validate --cost-model presets
  2> paleo-validate: data/results/presets/h100-sxm.json:318:6637: a string has no closing quote in its line
  [2]
  $ restore t4.json; restore h100-sxm.json

The errors of presets on one another.

  $ head -n 5 "$source/results/presets/spreads.csv" >$presets/spreads.csv; predict --device t4
  2> paleo-predict: data/results/presets/spreads.csv:6: expected the line of 'GEMMs' and 'family': make the file again (paleo validate --cost-model presets --format csv)
  [2]
  $ truncate -s 0 $presets/spreads.csv; predict --device t4
  2> paleo-predict: data/results/presets/spreads.csv:2: expected the line of 'GEMMs' and 'own': make the file again (paleo validate --cost-model presets --format csv)
  [2]
  $ restore spreads.csv; zeros $presets/spreads.csv; predict --device t4
  2> paleo-predict: data/results/presets/spreads.csv:2: expected the line of 'GEMMs' and 'own': make the file again (paleo validate --cost-model presets --format csv)
  [2]
  $ rm $presets/spreads.csv; predict --device t4
  2> paleo-predict: data/results/presets/spreads.csv: cannot open: No such file or directory
  [2]

A preset that is missing, and all of them.

  $ restore spreads.csv; rm $presets/t4.json; predict --device t4
  2> paleo-predict: data/results/presets/spreads.csv: does not match the presets in its folder: reinstall paleo, or remake it by 'paleo validate --cost-model presets --format csv'
  [2]
  $ restore t4.json; predict --device t4 && wc -l <rows
  110
  2> NVIDIA Tesla T4: published benchmarks, nothing measured here: t4 (2000 rows of neusight torch-p2.1.0/cudnn-8902/cu121); for the rest the median over all GPUs
  $ rm -r $presets; predict --device t4
  2> paleo-predict: data/results/presets/spreads.csv: cannot open: No such file or directory
  [2]
  $ PALEO_DATA_DIR=none paleo predict --device t4 "$source/nets/nin.json"
  2> paleo-predict: none/results/presets/spreads.csv: cannot open: No such file or directory
  [2]

The calibration of a CPU.

  $ calibration=data/results/cpu-amd-epyc/calibration.json
  $ predict --device cpu-amd-epyc && wc -l <rows
  110
  2> AMD EPYC: calibrated by data/results/cpu-amd-epyc/calibration.json (5653 records of cpu-amd-epyc, 2026-11-29T17:45:18Z); at its machine speed, which varied by +-8 %
  $ head -n 200 "$source/results/cpu-amd-epyc/calibration.json" >$calibration; predict --device cpu-amd-epyc
  2> paleo-predict: data/results/cpu-amd-epyc/calibration.json:201:1: expected a key in double quotes, found the end of the text
  [2]
  $ zeros $calibration; predict --device cpu-amd-epyc
  2> paleo-predict: data/results/cpu-amd-epyc/calibration.json:1:1: expected a value, found the byte 0x00
  [2]
  $ truncate -s 0 $calibration; predict --device cpu-amd-epyc
  2> paleo-predict: data/results/cpu-amd-epyc/calibration.json:1:1: expected a JSON value, found nothing
  [2]
