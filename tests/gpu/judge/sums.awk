# sums.awk - one line of what a step brought: rows measured and failed, and sums predicted over sums measured.
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f sums.awk stage=1 RECORDS.jsonl stage=2 OUTPUT.txt
#
# The output is that of profile (forward and backward counts), of fullpass or of validate (its nets). Printed are
# the three with tabs between; "-" where there is none.
stage == 1 && /"type":"record"/ { last[text($0, "op")] = text($0, "status") }
stage == 1 && /"type":"graph_run"/ { last[text($0, "net") text($0, "extent")] = text($0, "status") }
stage == 1 && /"type":"ceiling"/ { last[text($0, "name")] = "ok" }

function add(name, predicted, measured) {
	if (measured + 0 > 0)
		sums = sums (sums ? ", " : "") (name ? name " " : "") sprintf("%.3f", predicted / measured)
}

function seconds(count, unit) {
	return count * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1)
}

# The column where a heading ends.
function end_of(heading) {
	match($0, heading)
	return RSTART + RLENGTH - 1
}

# The number that ends in this column.
function ending_at(column, words) {
	return words[split(substr($0, 1, column), words, " ")]
}

stage != 2 { next }
/^ *forward \+ backward +predicted/ { add("", seconds($5, $6), seconds($8, $9)) }
# a table's times have one unit
/^net .* full [mu]?s .* pred [mu]?s/ {
	full = end_of("full [mu]?s")
	predicted = end_of("pred [mu]?s")
}
/^Whole networks/ { nets = 1 }
!NF { nets = 0 } # the ops follow
# net (perhaps with its layout), batch, type; then a pass, or rows, median, and predicted, measured and error,
# forward and in all
{
	for (i = 3; i <= NF && $i !~ /^(t?f32|b?f16|fp8)$/; i++)
		;
	if (nets)
		add($1, $(i + 6), $(i + 7))
	else if (full && $(i + 1) ~ /^(fwd|fwd\+bwd|step),?$/)
		add("", ending_at(predicted), ending_at(full))
}
END {
	for (row in last) {
		good += last[row] == "ok"
		bad += last[row] != "ok" && last[row] != "unsupported"
		rows++
	}
	printf "%s\t%s\t%s\n", rows ? good + 0 : "-", rows ? bad + 0 : "-", sums ? sums : "-"
}
