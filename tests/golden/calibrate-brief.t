The rows by kind of op that calibrate prints are those of the factors, which --verbose prints.

  $ records=$source/tests/data/cpu/cpu-amd-epyc-avx2/design-f32.jsonl.gz

  $ paleo-calibrate --from "$records" --output brief.json | awk '/^---/ { inside = 1; next } NF == 0 { inside = 0 } inside' >brief
  2> $source/tests/data/cpu/cpu-amd-epyc-avx2/design-f32.jsonl.gz: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo-calibrate --from "$records" --output verbose.json --verbose >verbose
  2> $source/tests/data/cpu/cpu-amd-epyc-avx2/design-f32.jsonl.gz: has no 'end' line, as the run was not finished or the file is truncated; used what it has
  $ paleo-calibrate --from "$records" --output csv.json --format csv 2>notes |
  > 	columns class,records,ppp,heldout_median,heldout_mean >factors
  $ grep '^Parameters of the kernel models' verbose
  Parameters of the kernel models ('-': not identifiable from the records, stays at its prior):
  $ for file in verbose csv; do
  > 	sed 's/"created_utc": "[^"]*"//' $file.json >$file
  > 	sed 's/"created_utc": "[^"]*"//' brief.json | cmp - $file && echo "$file: the same calibration"
  > done
  verbose: the same calibration
  csv: the same calibration

Each factor once for its kind and once for all; sorted by its median, for the median of medians.

  $ sed 1d factors | awk -F, '{ split($1, kind, "."); print kind[1], $2, $3, $4, $5; print "all", $2, $3, $4, $5 }' |
  > 	sort -g -k 4 | awk '
  > 	{
  > 		n[$1]++; records[$1] += $2; sum[$1] += $2 * $5; worst[$1] = $4
  > 		low[$1] = n[$1] == 1 || $3 < low[$1] ? $3 : low[$1]
  > 		high[$1] = n[$1] == 1 || $3 > high[$1] ? $3 : high[$1]
  > 		at[$1, n[$1]] = $4; share[$1, n[$1]] = $2
  > 	}
  > 	END {
  > 		for (kind in n) {
  > 			counted = 0
  > 			for (i = 1; counted < records[kind] / 2; i++)
  > 				counted += share[kind, i]
  > 			print kind, n[kind], records[kind], low[kind], high[kind], 100 * at[kind, i - 1],
  > 				100 * sum[kind] / records[kind], 100 * worst[kind]
  > 		}
  > 	}' >expected
  $ awk '
  > 	function off(a, b, by) { return (a - b) ^ 2 > by ^ 2 }
  > 	NR == FNR { line[$1] = $0; next }
  > 	{
  > 		found++
  > 		bad = split(line[$1], want, " ") != NF - 1 || $3 != want[2] || $4 != want[3] ||
  > 			off($5, want[4], 0.00051) || off($6, want[5], 0.00051) || off($7, want[6], 0.051) ||
  > 			off($8, want[7], 0.051) || off($9, want[8], 0.051)
  > 		if (bad)
  > 			print "printed: " $0 "\nfactors: " line[$1]
  > 	}
  > 	END { print found " rows" }' expected brief
  11 rows
