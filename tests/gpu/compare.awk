# compare.awk - by how many percent the times of the same works in two files differ, largest last; -1: none is in the range.
# SPDX-License-Identifier: Apache-2.0
# awk -f compare.awk -v low=SECONDS -v high=SECONDS A.tsv B.tsv: of ops whose first time is in there.
BEGIN { FS = "\t" }
FNR == NR { first[$1] = $2; next }
$1 in first && first[$1] >= low && first[$1] < high {
	difference = 100 * ($2 / first[$1] - 1)
	printf "%s\t%.9g\t%.9g\t%+.2f %%\n", $1, first[$1], $2, difference
	if (difference < 0)
		difference = -difference
	if (difference > largest)
		largest = difference
	count++
}
END { if (!count) largest = -1; printf "largest %.2f %% of %d ops\n", largest, count }
