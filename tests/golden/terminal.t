Progress is shown on a terminal and nowhere else.

  $ command -v script >/dev/null || skip "there is no script"

  $ profile="paleo-profile --device fake --output records.jsonl $small"
  $ escape=$(printf '\033')

  $ script -qec "$profile" /dev/null </dev/null >terminal
  $ grep -Eq "$escape\[K[0-9]*/13  " terminal && echo "progress on a terminal"
  progress on a terminal
  $ tr '\r' '\n' <terminal | sed "s/^$escape\[K//" | awk 'length > 79 && /^[0-9]*\/13/' | grep . ||
  > 	echo "within 79 columns"
  within 79 columns
  $ tail -5 terminal | grep -q "$escape" || echo "none of it is left"
  none of it is left

  $ NO_COLOR=1 script -qec "$profile 2>log" /dev/null </dev/null >terminal
  $ grep -q "$escape" terminal log || echo "none in a log, and no colour"
  none in a log, and no colour
  $ $profile >log 2>&1
  $ grep -q "$escape" log || echo "none in a pipe"
  none in a pipe

Titles are bold where there are colours:

  $ predict="paleo-predict --device t4 --cost-model datasheet $small"
  $ export TERM=xterm
  $ script -qec "$predict" /dev/null </dev/null | grep -c "$escape\[1mlayer"
  1
  $ $predict | grep "$escape" || echo "none in a pipe"
  none in a pipe

As wide as the terminal:

  $ for columns in 200 70 50; do
  > 	COLUMNS=$columns NO_COLOR=1 script -qec "$predict" /dev/null </dev/null | tr -d '\r' |
  > 		sed -n '/^layer/,$p' | awk -v most=$columns 'length > most { wide++ } END { print NR, "lines,", wide + 0, "too wide" }'
  > done
  15 lines, 0 too wide
  16 lines, 0 too wide
  16 lines, 15 too wide
  $ COLUMNS=70 NO_COLOR=1 script -qec "$predict" /dev/null </dev/null | tr -d '\r' | grep '^layer\|hidden'
  layer    kind           pass         pred us  share %  bound
  2 columns hidden: terminal too narrow
