What `reproduce` prints is what is committed and what the original printed.

  $ paleo simulate --case all | diff "$source/results/cases/cases.txt" -
  $ paleo simulate --case all --format csv >cases.csv
  $ diff "$source/results/cases/cases.csv" cases.csv

The original's own output: "net strategy scaling device batch workers scheme ms". Of data parallelism a
row is workers, batch, 1, fwd, bwd, apply, comp and four schemes; hybrid has two rows, that add up.

  $ sed 's/^  //' "$source/tests/golden/simulate-2017-cases.t" | awk '
  > 	/^nets\// {
  > 		net = substr($1, 6)
  > 		sub(/[.]json$/, "", net)
  > 	}
  > 	/ scaling$/ { scaling = $1 }
  > 	/^Hybrid parallel/ { first = 0 }
  > 	/^Profiling/ { device = $4 }
  > 	/^[0-9]/ && NF == 11 {
  > 		split("one-to-all tree butterfly", name, " ")
  > 		for (i = 1; i <= 3; i++)
  > 			printf "%s data %s %s %d %d %s %.6f\n", net, scaling, device, $2, $1, name[i], $7 + $(7 + i)
  > 	}
  > 	/^[0-9]/ && NF == 6 {
  > 		if (!first)
  > 			first = $3 + $4 + $5 + $6
  > 		else
  > 			printf "%s hybrid weak %s %d %d tree %.6f\n", net, device, $2, $1, first + $3 + $4 + $5 + $6
  > 	}' | sort -u >original

  $ columns case,net,strategy,scaling,device,batch,workers,all_reduce,paleo2017_step_s <cases.csv |
  > 	awk -F, 'NR > 1 && $1 != "dcgan" {
  > 		printf "%s %s %s %s %d %d %s %.6f\n", $2, $3, $4, $5, $6, $7, $8, $9 * 1000
  > 	}' | sort -u >ours

Steps that the original did not print:

  $ comm -13 original ours
  $ echo "steps that it did: $(comm -12 original ours | wc -l)"
  steps that it did: 143

By hand, from the original's output: NiN at 1024 on 128 workers 7681.262 / (61.951 + 86.802) = 51.64;
AlexNet, hybrid, 413.590 on 1 worker, n x 413.590 / 425.646, 436.525 and 493.304 on n = 2, 4, 8.

Known speedups:

  $ columns case,strategy,batch,workers,reported_speedup,paleo2017_speedup <cases.csv |
  > 	awk -F, '($1 == "firecaffe" && $3 == 1024 && $4 == 128) || $2 == "hybrid" {
  > 		printf "%s %s %d %s %.2f\n", $1, $2, $4, $5 == "" ? "-" : $5, $6
  > 	}'
  firecaffe data 128 38 51.64
  one-weird-trick hybrid 1 - 1.00
  one-weird-trick hybrid 2 - 1.94
  one-weird-trick hybrid 4 - 3.79
  one-weird-trick hybrid 8 - 6.71

A case by its name, alone.

  $ echo "rows of dcgan: $(paleo simulate --case dcgan --format jsonl | wc -l)"
  rows of dcgan: 14
