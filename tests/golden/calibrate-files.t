Records and outputs of calibrate that are not what they should be.

  $ : >empty.jsonl
  $ mkdir folder
  $ paleo-calibrate --from empty.jsonl
  2> paleo-calibrate: empty.jsonl: has no complete line, expected a 'meta' line first
  [2]
  $ paleo-calibrate --from "$small"
  2> paleo-calibrate: $source/tests/golden/small.json:1:2: expected a key in double quotes, found the end of the text
  [2]
  $ paleo-calibrate --from folder
  2> paleo-calibrate: folder: is a directory, expected records, a table or a trace
  [2]
  $ paleo-calibrate --from missing.jsonl
  2> paleo-calibrate: missing.jsonl: cannot open: No such file or directory
  [2]
  $ paleo-calibrate --device fake --output empty.jsonl/calibration.json
  2> paleo-calibrate: empty.jsonl: cannot make this folder: File exists
  [2]
  $ paleo-calibrate --device fake --records folder
  fake: fake device with known factors, for tests, fake 1
  2> paleo-calibrate: folder: is a directory, expected a file
  [2]
  $ [ ! -e paleo-results ] && echo "nothing was measured"
  nothing was measured

  $ paleo-profile --device fake --output records.jsonl alex_v2 >/dev/null
  $ sed 's/"name":"fake"/"name":"h200"/' records.jsonl >other.jsonl
  $ paleo-calibrate --from records.jsonl --from other.jsonl
  2> paleo-calibrate: other.jsonl: has records of fake h200 with 0 threads, earlier files of fake fake with 0: incompatible
  [2]
  $ head -1 records.jsonl >none.jsonl
  $ paleo-calibrate --from none.jsonl
  0 records of fake device with known factors, for tests: fake 1
  2> none.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  2> paleo-calibrate: there are no records to fit
  [2]

Not /dev/stdout itself: what is no file must be written to, never replaced

  $ mkfifo pipe
  $ cat pipe >piped &
  $ paleo-calibrate --from records.jsonl --output pipe >/dev/null && wait && tail -1 piped
  }
  $ [ -p pipe ] && echo "a pipe is still a pipe"
  a pipe is still a pipe
  $ paleo-calibrate --from records.jsonl --output calibration.json >/dev/null
  $ grep '"schema"' calibration.json piped
  calibration.json:  "schema": "paleo-calibration/4",
  piped:  "schema": "paleo-calibration/4",
  $ say paleo-calibrate --from records.jsonl --output /dev/full 2>&1 | tail -2
  paleo-calibrate: /dev/full: cannot be written: No space left on device
  -> 2
  $ say paleo-predict --calibration calibration.json --format csv "$small" 2>&1 | tail -1
  -> 0

A limit on the size of files:

  $ limited() {
  > 	ulimit -f 0
  > 	say paleo-calibrate --from records.jsonl --output limited.json | tail -2
  > 	paleo-predict --device t4 --format csv "$small" >limited.csv
  > 	echo "-> $?"
  > }
  $ limited 2>&1 | cat
  paleo-calibrate: limited.json: cannot be written: File too large
  -> 2
  NVIDIA Tesla T4: published benchmarks, nothing measured here: t4 (2000 rows of neusight torch-p2.1.0/cudnn-8902/cu121); for the rest the median over all GPUs
  paleo-predict: the table could not be written completely
  -> 2
