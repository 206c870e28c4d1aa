What a calibration says of more time, and where it does not.

said OPTION... - the lines between the table and the calibration's path; the numbers are the clock's.

  $ said() {
  > 	paleo-calibrate --device fake --records records.jsonl "$@" |
  > 		sed -n '/held-out error\|needs at least\|ime would/p' |
  > 		sed -E 's/[0-9]+\.[0-9]/9.9/g; s/[0-9]+ records/N records/; s/ with [0-9]+/ with N/g' |
  > 		sed -E 's/^(Twice the time would give|More time would not lower).*/(&)/; s/^\(.*/extrapolated/'
  > }

  $ said --time-budget 12s
  Learning curve: median held-out error 9.9 % with N records, 9.9 % with N, 9.9 % with N
  extrapolated

Measured again, what is least known comes first.

  $ paleo-calibrate --device fake --records records.jsonl --resume --time-budget 1s |
  > 	sed -nE 's/[0-9]+ existing/N existing/p'
  Design: widest predicted intervals first, by N existing records
  $ head -20 records.jsonl >few.jsonl
  $ paleo-calibrate --device fake --from few.jsonl | grep -c 'held-out error\|would\|needs at least' || echo "not asked for"
  0
  not asked for
  2> few.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo-calibrate --device fake --records csv.jsonl --time-budget 1s --format csv 2>&1 |
  > 	grep -c 'held-out error\|would\|needs at least' || echo "not in csv"
  0
  not in csv
