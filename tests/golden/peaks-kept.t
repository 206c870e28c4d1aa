Peaks of a processor are measured once a boot, and never kept where others disturbed it.

  $ kept=paleo-results/fake/peaks-t0.jsonl

profile WORDS - what is told of the peaks, and what they predict: at half of them it takes twice as long.

  $ profile() {
  > 	PALEO_FAKE=still,$1 paleo-profile --device fake --force --output x.jsonl "$small" >text ||
  > 		echo "-> $?"
  > 	sed -E '/^peaks|^paleo-results/!d; s/measured [0-9]+ s ago/measured N s ago/
  > 		s/[0-9]{4}-[0-9-]*T[0-9:]*Z/DATE/g' text
  > 	sed -n '/^  forward  /s/  measured.*//p' text
  > }

Others disturb the first:

  $ profile boot=first,doubt
  peaks: measured now; arithmetic and memory may be too low: 0 of 60 tries were undisturbed, as asked for
    forward             predicted      2.477 us
  $ ls paleo-results 2>/dev/null || echo "nothing is kept"
  nothing is kept

Measured, and remembered:

  $ profile boot=first
  peaks: measured now
    forward             predicted      1.239 us
  $ profile boot=first,doubt
  peaks: measured N s ago (paleo-results/fake/peaks-t0.jsonl)
    forward             predicted      1.239 us
  $ grep -o '"boot":"[a-z]*"' $kept
  "boot":"first"

After another boot:

  $ cp $kept before
  $ profile boot=second,doubt
  peaks: arithmetic and memory stored on DATE (paleo-results/fake/peaks-t0.jsonl); not measured now: 0 of 60 tries were undisturbed, as asked for
    forward             predicted      1.239 us
  $ cmp $kept before && echo "the same is kept"
  the same is kept
  $ profile boot=second
  peaks: measured now
    forward             predicted      1.239 us
  $ grep -o '"boot":"[a-z]*"' $kept
  "boot":"second"

Ops are faster than they: told is what has risen, but for what no digit would show:

  $ sed -i 's/"f32":10000000000000/"f32":1000000000/; s/\(bytes_per_s":\)1000000000000/\1999900000000/' $kept
  $ profile boot=second
  peaks: measured N s ago (paleo-results/fake/peaks-t0.jsonl)
  peaks: measured again, as some ops were faster; f32 10000.0, not 1.0 GFLOP/s (+999900.0 %)
    forward             predicted      1.239 us
  $ grep -o '"f32":[0-9]*' $kept
  "f32":10000000000000
  $ grep -o '"[a-z_]*bytes_per_s":[0-9]*' $kept
  "mem_bytes_per_s":1000000000000

A broken file:

  $ echo '{"type":"meta"' >$kept
  $ profile boot=second
  paleo-results/fake/peaks-t0.jsonl:1:15: expected ',' or '}' for the one opened at 1:1, found the end of the text: ignored; peaks: measured now
    forward             predicted      1.239 us
  $ head -c 30 $kept
  {"type":"meta","schema":"paleo (no-eol)

Of a calibration:

  $ rm $kept
  $ sed -n '/"type":"meta"/p; /"type":"record"/p' x.jsonl >records.jsonl
  $ paleo-calibrate --from records.jsonl --output all.json >/dev/null
  2> records.jsonl: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ sed 's/"heldout_median": *[0-9.e-]*/"heldout_median": 0.1/' all.json >paleo-results/fake/calibration.json
  $ profile boot=third,doubt
  peaks: arithmetic and memory of the calibration of DATE (paleo-results/fake/calibration.json); not measured now: 0 of 60 tries were undisturbed, as asked for
    forward             predicted     38.519 us
