# passes.awk - do the layers, timed within the net, add up to the whole pass? And timed alone?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f passes.awk stage=1 LAYERS.jsonl stage=2 NET.jsonl
stage == 1 && is_time($0, "cold") { alone[text($0, "op")] = number($0, "median_s") }
stage != 2 || !/"type":"graph_run"/ { next }
{
	name = sprintf("%s %d %s %s", text($0, "net"), number($0, "batch"), text($0, "dtype"), text($0, "extent"))
	passes++
	if (text($0, "status") != "ok") {
		lost++
		detail(name ": " text($0, "status") ": " text($0, "reason"))
		next
	}
	full = number($0, "median_s")
	n = split(substr($0, index($0, "\"rows\":[")), row, /},\{/)
	inside = sum = unknown = 0
	for (i = 1; i <= n; i++) {
		inside += number(row[i], "in_network_s") + number(row[i], "change_s")
		work = text(row[i], "op")
		if (work in alone)
			sum += alone[work]
		else
			unknown++
	}
	off = inside / full - 1
	# in the net each step has an event behind it, which takes the stream a microsecond or two
	good += size(inside - full) <= 0.03 * full + 2e-6 * n
	if (size(off) >= size(worst)) {
		worst = off
		worst_name = name
	}
	if (!unknown) {
		known++
		ratio[known] = sum / full
	}
	detail(sprintf("%s, %s: full %.4g ms, layers in it %s, layers alone %s", name, text($0, "how"), full * 1e3,
		percent(off), unknown ? unknown " not measured" : sprintf("%.3f of it", sum / full)))
}
END {
	if (!passes)
		nothing("insitu", "no full pass")
	else
		verdict("insitu", good == passes, sprintf("%d of %d; worst %s %s%s", good, passes, percent(worst),
			worst_name, lost ? ", " lost " have no time" : ""))
	if (known) {
		sort(ratio, known)
		report("isolated", sprintf("%.3f to %.3f of %d passes", ratio[1], ratio[known], known))
	} else {
		nothing("isolated", "no pass has all of its layers measured alone")
	}
}
