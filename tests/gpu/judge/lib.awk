# lib.awk - what the judges have in common: fields of our JSON lines, medians, verdicts.
# SPDX-License-Identifier: Apache-2.0
#
# A judge reads what a run left and prints lines "mark<TAB>verdict<TAB>seen", which table.awk lays out.
# A verdict is pass, FAIL, info (a fact that has no mark), or none: then the mark is not measured. What it
# finds of single ops goes to the file `details`.
BEGIN {
	if (!details)
		details = "/dev/null"
}

# The text of a key, the first in the line; "" where there is none.
function text(line, key, at) {
	if (!match(line, "\"" key "\":\"[^\"]*\""))
		return ""
	at = length(key) + 4
	return substr(line, RSTART + at, RLENGTH - at - 1)
}

# The number of a key; "" where there is none, or null.
function number(line, key, at) {
	if (!match(line, "\"" key "\":-?[0-9][0-9.e+-]*"))
		return ""
	at = length(key) + 3
	return substr(line, RSTART + at, RLENGTH - at) + 0
}

# 1 if the line is a right time of the library's own choice, in this mode.
function is_time(line, mode) {
	return line ~ /"type":"record"/ && text(line, "status") == "ok" && number(line, "rank") + 0 == 0 &&
		text(line, "mode") == mode
}

function verdict(mark, is_good, seen) {
	printf "%s\t%s\t%s\n", mark, is_good ? "pass" : "FAIL", seen
}

function report(mark, seen) {
	printf "%s\tinfo\t%s\n", mark, seen
}

# Why there is nothing to judge.
function nothing(mark, why) {
	printf "%s\tnone\t%s\n", mark, why
}

function detail(line) {
	print line >details
}

function size(x) {
	return x < 0 ? -x : x
}

# "+1.25 %"
function percent(x) {
	return sprintf("%+.2f %%", 100 * x)
}

# Sorts x[1 .. n] (Shell 1959).
function sort(x, n, gap, i, k, v) {
	for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++) {
			v = x[i]
			for (k = i; k > gap && x[k - gap] > v; k -= gap)
				x[k] = x[k - gap]
			x[k] = v
		}
}

# Of x[1 .. n], which it sorts.
function median(x, n) {
	sort(x, n)
	return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
}
