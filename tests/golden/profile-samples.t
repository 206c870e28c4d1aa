Each sample of a profile as a line: --samples FILE.

  $ profile() {
  > 	paleo-profile --device fake --force --rounds 2 --pass fwd --output records.jsonl "$@" "$small" >/dev/null
  > }
  $ profile --samples s.csv; head -n 1 s.csv
  op,mode,rank,round,visit,sample,reps,seconds
  $ awk -F, 'NR > 1 && NF != 8' s.csv | wc -l
  0

Every op has samples, in each of both rounds; each measurement has a number of its own, `visit`.

  $ awk -F, 'NR > 1 { print $1 }' s.csv | sort -u | wc -l
  5
  $ awk -F, 'NR > 1 { ops[$4 "," $1]; samples[$5] = $6 }
  > 	END {
  > 		for (o in ops)
  > 			count[substr(o, 1, 1)]++
  > 		print count[1], count[2], (samples[1] > 1), (samples[6] > 1)
  > 	}' s.csv
  5 5 1 1

The median of an op's samples is the record's time where there is one round.

  $ profile --rounds 1 --filter conv1 --samples s.jsonl; head -n 1 s.jsonl | sed 's/:[0-9.e-]*[,}]/:N,/g'
  {"op":"conv fwd f32 n=4 c=1 h=28 w=28 k=20 r=5 s=5 bias=1","mode":"cold","rank":N,"round":N,"visit":N,"sample":N,"reps":N,"seconds":N,
  $ median() { sort -g | awk '{ t[NR] = $1 } END { print (NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2) }'; }
  $ samples=$(sed -n '/"op":"conv fwd.*"visit":1,/ s/.*"seconds":\([^}]*\)}/\1/p' s.jsonl | median)
  $ record=$(sed -n '/"op":"conv fwd/ { s/.*"median_s":\([^,]*\),.*/\1/p; q; }' records.jsonl)
  $ echo "$samples $record" | awk '{ print ($1 / $2 > 0.99 && $1 / $2 < 1.01) }'
  1

Of one op:

  $ key='gemm fwd f32 m=64 n=64 k=64'
  $ paleo-profile --device fake --op "$key" --rounds 1 --output op.jsonl --force --samples op.csv >/dev/null
  $ cut -d, -f1 op.csv | sort -u
  gemm fwd f32 m=64 n=64 k=64
  op

A file that cannot be written ends the run before anything is measured.

  $ profile --samples none/s.csv
  2> paleo-profile: none/s.csv: cannot be written: No such file or directory
  [2]
  $ profile --samples s.txt
  2> paleo-profile: --samples is 's.txt', expected a file name that ends in .csv or .jsonl
  [2]
  $ echo 'mine' >mine.csv; paleo-profile --device fake --output other.jsonl --samples mine.csv "$small"; cat mine.csv
  mine
  2> paleo-profile: mine.csv: does not hold samples as CSV and would be overwritten: choose another file, or replace it with --force
  $ [ -e other.jsonl ] || echo "no file"
  no file
  $ paleo-profile --device fake,fake1 --samples s.csv "$small"
  2> paleo-profile: --samples names one file for 2 devices; profile one at a time
  [2]
