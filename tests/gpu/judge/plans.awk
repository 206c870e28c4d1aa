# plans.awk - does cuDNN choose the same engines with a GPU and for its description?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f plans.awk stage=1 HERE.jsonl stage=2 ITS_OWN.jsonl stage=3 OURS.jsonl
#
# Each is what `paleo algorithms --format jsonl` says; convolutions alone are compared.
/"op":"conv / {
	op = text($0, "op")
	choice = text($0, "status")
	if (match($0, /"engine":[0-9-]+/))
		choice = substr($0, RSTART + 9, RLENGTH - 9) " " text($0, "knobs")
	first[stage, op] = choice
	if (stage == 1)
		order[++count] = op
}

# How many ops have another choice in that stage.
function differ(stage, name, i, n, off) {
	for (i = 1; i <= count; i++) {
		if (!((stage, order[i]) in first))
			continue
		n++
		if (first[stage, order[i]] == first[1, order[i]])
			continue
		off++
		detail(sprintf("%s: %s here, %s by %s", order[i], first[1, order[i]], first[stage, order[i]], name))
	}
	compared += n
	return n ? sprintf("%d of %d the same by %s", n - off, n, name) : "none by " name
}

END {
	if (!count) {
		nothing("heuristics", "no convolution was asked for")
		exit
	}
	seen = differ(2, "its own description") "; " differ(3, "ours")
	if (compared)
		report("heuristics", seen)
	else
		nothing("heuristics", seen)
}
