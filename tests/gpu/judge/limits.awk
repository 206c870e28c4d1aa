# limits.awk - are product and copy what the chip was seen to do?
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f limits.awk -v peak=FLOP_PER_S -v bandwidth=BYTES_PER_S stage=1 chips.tsv stage=2 CEILINGS.jsonl
# peak and bandwidth: of the datasheet, for chips that none was seen of in this regime; 0: not known.
BEGIN { FS = "\t" }
stage == 1 && !/^#/ {
	low[$1, $2, $3] = $4 + 0
	high[$1, $2, $3] = $5 + 0
	if (!named[$2]++)
		names[++name_count] = $2
}
stage != 2 { next }
/"type":"meta"/ && match($0, /"device":\{"name":"[^"]*"/) { device = substr($0, RSTART + 18, RLENGTH - 19) }
/"type":"ceiling"/ {
	value[text($0, "name")] = number($0, "value")
	regime[text($0, "name")] = text($0, "regime") == "" ? "burst" : text($0, "regime")
}

# Where nothing was seen: what is plausible of the datasheet's.
function judge(name, sheet, part, seen, a, b, from) {
	judged[name] = 1
	if (!(name in value)) {
		nothing(name, "no such ceiling")
		return
	}
	seen = sprintf("%.4g", value[name])
	if ((device, name, regime[name]) in low) {
		a = low[device, name, regime[name]]
		b = high[device, name, regime[name]]
		from = "seen of " device ", " regime[name]
	} else if (sheet > 0) {
		a = part * sheet
		b = sheet
		from = "of the datasheet of " device
	} else {
		nothing(name, seen "; nothing is known of " device ", " regime[name])
		return
	}
	verdict(name, value[name] >= a && value[name] <= b, sprintf("%s; %.4g to %.4g, %s", seen, a, b, from))
}

# Programs measure these in too many ways for a mark.
function beside(mark, i, name, seen) {
	for (i = 1; i <= name_count; i++) {
		name = names[i]
		if (name in judged || !((device, name, regime[name]) in low))
			continue
		seen = seen (seen ? ", " : "") sprintf("%s %.4g (%.4g to %.4g seen, %s)", name, value[name],
			low[device, name, regime[name]], high[device, name, regime[name]], regime[name])
	}
	if (seen)
		report(mark, seen)
	else
		nothing(mark, "nothing is known of " device)
}

END {
	judge("gemm_bf16", peak + 0, 0.6)
	judge("copy", bandwidth + 0, 0.75)
	beside("open.others")
}
