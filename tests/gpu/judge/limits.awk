# limits.awk - are product and copy what the chip was seen to do? What else was measured of its limits.
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f limits.awk -v peak=FLOP_PER_S -v bandwidth=BYTES_PER_S stage=1 chips.tsv stage=2 CEILINGS.jsonl
# peak and bandwidth: of the datasheet, for chips that none was seen of; 0: not known.
BEGIN { FS = "\t" }
stage == 1 && !/^#/ {
	low[$1, $2] = $3
	high[$1, $2] = $4
}
stage != 2 { next }
/"type":"meta"/ && match($0, /"device":\{"name":"[^"]*"/) { device = substr($0, RSTART + 18, RLENGTH - 19) }
/"type":"ceiling"/ { value[text($0, "name")] = number($0, "value") }

# Where nothing was seen: what is plausible of the datasheet's.
function judge(name, sheet, part, seen, a, b, from) {
	if (!(name in value)) {
		nothing(name, "no such ceiling")
		return
	}
	seen = sprintf("%.4g", value[name])
	if ((device, name) in low) {
		a = low[device, name] + 0
		b = high[device, name] + 0
		from = "seen of " device
	} else if (sheet > 0) {
		a = part * sheet
		b = sheet
		from = "of the datasheet of " device
	} else {
		nothing(name, seen "; nothing is known of " device)
		return
	}
	verdict(name, value[name] >= a && value[name] <= b, sprintf("%s; %.4g to %.4g, %s", seen, a, b, from))
}

function told(mark, names, scale, unit, list, n, i, seen) {
	n = split(names, list, " ")
	for (i = 1; i <= n; i++)
		if (list[i] in value)
			seen = seen (seen ? ", " : "") sprintf("%s %.4g", list[i], value[list[i]] * scale)
	if (seen)
		tell(mark, seen " " unit)
}

END {
	judge("gemm_bf16", peak + 0, 0.6)
	judge("copy", bandwidth + 0, 0.75)
	told("open.read_write", "read write", 1e-9, "GB/s")
	told("open.l2", "read_l2", 1e-9, "GB/s")
	told("open.launch", "launch_graph launch_stream enqueue event_floor", 1e6, "us")
	told("open.pcie", "h2d d2h h2d_d2h", 1e-9, "GB/s")
}
