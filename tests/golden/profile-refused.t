Outputs that cannot be written, or hold what must not be lost.

  $ profile="paleo-profile --device fake"
  $ cp "$small" net.json
  $ mkdir folder
  $ $profile --output net.json net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: net.json: does not hold records of paleo and would be overwritten: choose another file, or replace it with --force
  [2]
  $ cmp net.json "$small" && echo "the net is still there"
  the net is still there
  $ $profile --output folder net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: folder: is a directory, expected a file
  [2]
  $ $profile --output net.json/records.jsonl net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: net.json: cannot make this folder: File exists
  [2]
  $ $profile --output /dev/full net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: /dev/full: cannot be written: No space left on device
  [2]
  $ $profile --filter xyzzy --output never.jsonl net.json
  2> paleo-profile: --filter 'xyzzy' matches no layer with an op in this pass
  [2]
  $ [ ! -e never.jsonl ] && echo "no file for nothing"
  no file for nothing

  $ $profile --output old.jsonl net.json >/dev/null
  $ sed 's/"name":"fake"/"name":"h200"/' old.jsonl >other.jsonl
  $ cp other.jsonl copy.jsonl
  $ $profile --resume --output other.jsonl net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: other.jsonl: holds records of fake h200 (fake 1, 0 threads), not of this device; choose another file
  [2]
  $ cmp other.jsonl copy.jsonl && echo "they are as they were"
  they are as they were
  $ $profile --resume --output net.json net.json
  fake: fake device with known factors, for tests, fake 1
  not calibrated: the fake's measured peaks at PPP 1 compute, 1 memory (real times are usually longer)
  2> paleo-profile: net.json: does not hold records of paleo and would be overwritten: choose another file, or replace it with --force
  [2]

  $ cp old.jsonl first.jsonl
  $ $profile --output old.jsonl net.json | grep earlier
  earlier records: old.jsonl.1, until you remove them
  $ [ "$(grep -c '"type":"meta"' old.jsonl)" = 1 ] && echo "records are replaced by new ones"
  records are replaced by new ones
  $ cmp first.jsonl old.jsonl.1 && echo "and kept"
  and kept
  $ mkfifo pipe
  $ cat pipe >piped &
  $ $profile --output pipe net.json >/dev/null && wait && [ "$(measured piped | wc -l)" = 13 ] &&
  > 	echo "a pipe is written to"
  a pipe is written to
