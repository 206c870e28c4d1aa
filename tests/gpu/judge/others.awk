# others.awk - are our times those of PyTorch on the same shapes?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f others.awk stage=1 LAYERS.jsonl stage=2 TORCH.tsv
stage == 1 && is_time($0, "cold") { ours[text($0, "work")] = number($0, "median_s") }
stage == 2 && split($0, field, "\t") == 2 && (field[1] in ours) && field[2] + 0 > 0 {
	count++
	ratio = ours[field[1]] / field[2]
	off = size(ratio - 1) > 0.1
	explain += off
	values[count] = ratio
	detail(sprintf("%s: ours %.4g us, PyTorch %.4g us, ratio %.3f%s", field[1], ours[field[1]] * 1e6,
		field[2] * 1e6, ratio, off ? ", to be explained" : ""))
}
END {
	if (!count) {
		nothing("torch", "PyTorch is not here, or none of its shapes was measured")
		exit
	}
	sort(values, count)
	verdict("torch", explain == 0, sprintf("%d of %d to be explained; ratios %.3f to %.3f", explain, count,
		values[1], values[count]))
}
