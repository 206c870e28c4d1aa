# table.awk - the final table: every mark with what is wanted, what was seen, and the verdict.
# SPDX-License-Identifier: Apache-2.0
# awk -f table.awk -v dry=0|1 stage=1 marks.tsv stage=2 VERDICTS.tsv
#
# Ends with 0 if all marks were reached; 1 if one was not; 3 if none was missed, but some were not measured,
# which is no pass. dry: a device that measures nothing, so that what it shows stands in brackets.
BEGIN { FS = "\t" }
stage == 1 && !/^#/ && NF >= 3 {
	mark[++count] = $1
	what[$1] = $2
	wanted[$1] = $3
}
# the worse of two verdicts of one mark stands
stage == 2 && NF >= 2 {
	if (!($1 in what)) {
		print "no such mark: " $1
		unknown++
		next
	}
	if ($2 == "none" && ($1 in verdict))
		next
	if (verdict[$1] != "FAIL") {
		verdict[$1] = $2
		seen[$1] = $3
	}
}
END {
	printf "%-12s  %-52s  %-42s  %s\n", "verdict", "mark", "wanted", "seen"
	for (i = 1; i <= count; i++) {
		m = mark[i]
		v = (m in verdict) ? verdict[m] : "none"
		if (v != "pass" && v != "FAIL" && v != "info")
			v = "not measured"
		of[v]++
		if (v == "not measured" && seen[m] == "")
			seen[m] = "no step reported it"
		if ((v == "pass" || v == "info") && dry + 0)
			v = "(" v ")"
		unanswered += m ~ /^open\./ && v == "not measured"
		printf "%-12s  %-52s  %-42s  %s\n", v, what[m], wanted[m], seen[m]
	}
	printf "%d pass, %d FAIL, %d info, %d not measured (%d of them questions)%s\n", of["pass"], of["FAIL"],
		of["info"], of["not measured"], unanswered, dry + 0 ? "; a dry run: no time was measured" : ""
	if (unknown)
		exit 2
	if (of["FAIL"])
		exit 1
	exit of["not measured"] ? 3 : 0
}
