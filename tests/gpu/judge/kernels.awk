# kernels.awk - do the events' times agree with CUPTI's times of the kernels?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f kernels.awk stage=1 CLEAN.jsonl stage=2 TRACED.jsonl stage=3 CUPTI.tsv
#
# CUPTI slows a run down, so the events' times are those of a clean run. A line of CUPTI.tsv is one launch of
# a graph: segment, kernels, sum of their times, time from the first to the last, name of the first. The
# segments are the ops of the traced run, in its order. The first launch of each is one run of the op;
# the launches of the most kernels are the samples.
stage == 1 && is_time($0, "cold") { clean[text($0, "op")] = number($0, "median_s") }
# another candidate, or an op that is launched one by one, has a segment or none: not judged
stage == 2 && /"type":"record"/ && text($0, "status") == "ok" && text($0, "algorithm") !~ /not captured/ {
	work[++ops] = text($0, "op")
}
stage == 3 && split($0, field, "\t") >= 4 {
	if (field[1] != segment) {
		segment = field[1]
		segments++
		one[segments] = field[2]
	}
	if (field[2] > most[segments] + 0) {
		most[segments] = field[2] + 0
		launches[segments] = 0
	}
	if (field[2] == most[segments]) {
		n = ++launches[segments]
		sum[segments, n] = field[3]
		span[segments, n] = field[4]
	}
}
END {
	if (!segments) {
		nothing("cupti", "CUPTI reported nothing")
		exit
	}
	for (i = 1; i <= ops && i <= segments; i++) {
		runs = most[i] / one[i]
		if (!(work[i] in clean) || runs != int(runs))
			continue
		for (k = 1; k <= launches[i]; k++) {
			a[k] = sum[i, k] / runs
			b[k] = span[i, k] / runs
		}
		kernels = median(a, launches[i])
		whole = median(b, launches[i])
		events = clean[work[i]]
		off = events - kernels
		allowed = 0.02 * kernels > 1.5e-6 ? 0.02 * kernels : 1.5e-6
		judged++
		good += size(off) <= allowed
		if (size(off) / allowed >= worst) {
			worst = size(off) / allowed
			worst_words = sprintf("%+.2f us, %s: %s", off * 1e6, percent(off / kernels), work[i])
		}
		detail(sprintf("%s: events %.3f us, kernels %.3f us, first to last %.3f us, %d a run%s", work[i],
			events * 1e6, kernels * 1e6, whole * 1e6, one[i], size(off) <= allowed ? "" : ", OFF"))
	}
	if (!judged)
		nothing("cupti", "no op was both traced and timed")
	else
		verdict("cupti", good == judged, sprintf("%d of %d ops; worst %s", good, judged, worst_words))
}
