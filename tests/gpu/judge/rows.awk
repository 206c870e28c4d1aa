# rows.awk - does every row have a right time, and is none above its ceiling? What the rows answer.
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f rows.awk -v copy=BYTES_PER_S -v wanted=FILES -v whole=FILES LAYERS.jsonl
#
# wanted: profiles that make up LAYERS.jsonl; whole: those that came to their end. Ops that a budget left over
# have no row.
!/"type":"record"/ { next }
{
	status = text($0, "status")
	work = text($0, "op")
	count++
	of[status]++
	if (status != "ok") {
		if (status != "unsupported" && status != "oom") {
			lost++
			detail(status ": " work ": " text($0, "reason"))
		}
		next
	}
	is_norm = work ~ /^norm / && work ~ /mode=batch( |$)/
	algorithm = text($0, "algorithm")
	if (is_norm && algorithm ~ /cudnn/)
		norms++
	else if (is_norm)
		norms_by_us++
	if (text($0, "behaviour") ~ /runtime_compilation/ || algorithm ~ / rtc/) {
		compiled++
		if (algorithm ~ /not captured/)
			uncaptured++
	}
	clock = number($0, "sm_mhz")
	if (clock != "") {
		clocks++
		ratio[clocks] = number($0, "clock_ratio")
	}
	if (text($0, "tags") ~ /drift/)
		drifting++
}
is_time($0, "cold") {
	cold++
	if (text($0, "tags") ~ /above_ceiling/) {
		above++
		detail("above a ceiling: " work)
	}
	# a ReLU reads and writes each element once
	if (work ~ /^eltwise fwd (f32|tf32|bf16|f16) op=relu count=/) {
		elements = substr(work, index(work, "count=") + 6) + 0
		bytes = 2 * elements * (work ~ / b?f16 /  ? 2 : 4)
		if (bytes > largest) {
			largest = bytes
			speed = bytes / number($0, "median_s")
		}
	}
}
END {
	if (!count) {
		nothing("rows", "no row")
		nothing("ceiling", "no row")
		exit
	}
	seen = sprintf("%d rows, %d right, %d unsupported, %d too large", count, of["ok"], of["unsupported"],
		of["oom"])
	if (whole + 0 < wanted + 0)
		seen = seen sprintf("; %d of %d profiles whole", whole, wanted)
	if (!of["ok"] || (!lost && whole + 0 < wanted + 0))
		nothing("rows", seen)
	else
		verdict("rows", lost == 0, seen (lost ? ", " lost " lost" : ""))
	if (cold)
		verdict("ceiling", above == 0, sprintf("%d of %d above it", above, cold))
	else
		nothing("ceiling", "no cold row")
	if (norms + norms_by_us)
		report("open.batch_norm", sprintf("%d rows by cuDNN, %d by our kernels", norms, norms_by_us))
	if (compiled)
		report("open.capture", sprintf("%d rows, %d of them not captured", compiled, uncaptured))
	if (clocks) {
		first = ratio[1]
		report("open.warm_up", sprintf("first row at %.3f of the highest clock, median %.3f; %d of %d rows drift",
			first, median(ratio, clocks), drifting, of["ok"]))
	}
	if (largest && copy + 0 > 0)
		report("open.kernels", sprintf("the largest ReLU, %.0f MB: %.2f of the copy", largest / 1e6,
			speed / copy))
}
