Standard streams that are closed, full, or read by nobody.

  $ profile="paleo-profile --device fake"
  $ $profile --output stdin.jsonl "$small" <&- >/dev/null
  $ $profile --output stdout.jsonl "$small" >&-
  2> paleo-profile: the table could not be written completely
  [2]
  $ $profile --output all.jsonl "$small" <&- >&- 2>&-
  [2]
  $ for file in stdin stdout all; do
  > 	[ "$(measured $file.jsonl | wc -l)" = 13 ] && ! grep -v '^{.*}$' $file.jsonl &&
  > 		echo "$file.jsonl holds records alone"
  > done
  stdin.jsonl holds records alone
  stdout.jsonl holds records alone
  all.jsonl holds records alone
  $ for format in text csv jsonl; do
  > 	$profile --output full.jsonl --format $format "$small" 2>&1 >/dev/full | grep '^paleo'
  > done
  paleo-profile: the table could not be written completely
  paleo-profile: the table could not be written completely
  paleo-profile: the table could not be written completely
  $ [ "$(measured full.jsonl | wc -l)" = 13 ] && echo "the records are whole"
  the records are whole
  $ for command in "paleo --help" "paleo --version" "paleo-predict --help" "paleo-devices" \
  > 	"paleo-predict --device h200 $small"; do
  > 	$command >/dev/full 2>/dev/null
  > 	echo "$command, disk full -> $?"
  > done
  paleo --help, disk full -> 2
  paleo --version, disk full -> 2
  paleo-predict --help, disk full -> 2
  paleo-devices, disk full -> 2
  paleo-predict --device h200 $source/tests/golden/small.json, disk full -> 2

  $ paleo-profile --device fake --output head.jsonl alex_v2 2>err | head -1
  fake: fake device with known factors, for tests, fake 1

A caller that ignores SIGPIPE lets the program say so.

  $ grep -v "could not be written to its end" err
  [1]
  $ [ "$(measured head.jsonl | wc -l)" = 51 ] && echo "nobody reads: the records are whole"
  nobody reads: the records are whole
  $ paleo-predict --device h200 inception_v3 vgg16 resnet50 2>&1 | head -1
  NVIDIA H200 SXM 141 GB: published benchmarks, nothing measured here: the median over all GPUs
