# repeat.awk - do times repeat in two other processes?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f repeat.awk stage=1 FIRST.jsonl stage=2 AGAIN.jsonl stage=3 THIRD.jsonl
is_time($0, "cold") {
	op = text($0, "op")
	seconds[stage, op] = number($0, "median_s")
	if (stage == 1)
		order[++count] = op
}

# The largest difference among ops of a range.
function judge(mark, low, high, most, i, first, off, n, worst, worst_op) {
	for (i = 1; i <= count; i++) {
		first = seconds[1, order[i]]
		if (!((2, order[i]) in seconds) || first < low || first >= high || done[mark, order[i]]++)
			continue
		n++
		off = seconds[2, order[i]] / first - 1
		detail(sprintf("%s: %.4g us, again %s", order[i], first * 1e6, percent(off)))
		if (size(off) >= size(worst)) {
			worst = off
			worst_op = order[i]
		}
	}
	if (n)
		verdict(mark, size(worst) <= most, sprintf("%d ops, worst %s: %s", n, percent(worst), worst_op))
	else
		nothing(mark, "no such op was measured twice")
}

END {
	judge("repeat_long", 50e-6, 1e9, 0.01)
	judge("repeat_short", 5e-6, 50e-6, 0.03)
	for (i = 1; i <= count; i++) {
		first = seconds[1, order[i]]
		if (!((3, order[i]) in seconds) || first < 5e-6 || turned[order[i]]++)
			continue
		shift[++n] = seconds[3, order[i]] / first - 1
		detail(sprintf("%s: third run %s", order[i], percent(shift[n])))
	}
	if (n < 5) {
		nothing("repeat_order", n + 0 " ops over 5 us, 5 are needed")
		exit
	}
	m = median(shift, n)
	verdict("repeat_order", size(m) <= 0.005, sprintf("median %s of %d ops", percent(m), n))
}
