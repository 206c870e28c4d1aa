# others.awk - are our times those of PyTorch on the same shapes?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f others.awk stage=1 LAYERS.jsonl stage=2 TORCH.tsv
#
# A line of TORCH.tsv is an op and PyTorch's time; of an op with bias its time with the bias, which may be a
# kernel of its own there and part of the product here, and without it. Ours should lie between the two then.
stage == 1 && is_time($0, "cold") { ours[text($0, "op")] = number($0, "median_s") }
stage == 2 && (n = split($0, field, "\t")) >= 2 && (field[1] in ours) && field[2] + 0 > 0 {
	count++
	biased += n > 2
	high = field[2]
	low = n > 2 && field[3] < high ? field[3] : high
	time = ours[field[1]]
	ratio = time < low ? time / low : time > high ? time / high : 1
	off = size(ratio - 1) > 0.1
	explain += off
	values[count] = ratio
	theirs = sprintf("%.4g", high * 1e6)
	if (n > 2)
		theirs = theirs " with bias, " sprintf("%.4g", field[3] * 1e6) " without"
	detail(sprintf("%s: ours %.4g us, PyTorch %s us, ratio %.3f%s", field[1], time * 1e6, theirs, ratio,
		off ? ", to be explained" : ""))
}
END {
	if (!count) {
		nothing("torch", "PyTorch is not here, or none of its shapes was measured")
		exit
	}
	sort(values, count)
	verdict("torch", explain == 0, sprintf("%d of %d to be explained (%d with a bias, between PyTorch's times " \
		"without it and with it); ratios %.3f to %.3f", explain, count, biased, values[1], values[count]))
}
