# table.awk - what plan_sweep found, as results/plans/ has it.
# SPDX-License-Identifier: Apache-2.0
#
# -v part=plans   device, key, verdict, engine, bytes of workspace, why not
# -v part=sample  of each kind, pass, type, layout and verdict one work, on one of the devices in turn;
#                 but compiling is slow: normalisations in one layout a type, and only convolutions in tf32:
#                 device, verdict, key
# -v part=readme  README.md; also wants -v version, as 91900, -v date, -v intro, a file with what comes first
BEGIN {
	FS = OFS = "\t"
	split("a100 h200 b200", devices, " ")
	split("f32 tf32 f16 bf16", types, " ")
}

# Why there is no engine, in short; "" for a plan.
function why(text) {
	if (text ~ /^cudnn has no normalisation /)
		return substr(text, length("cudnn has no normalisation ") + 1)
	if (text !~ /^cudnn offers no engine/)
		return text
	if (text !~ /: 0 use tensor cores/)
		return "all engines use tensor cores"
	if (text !~ /, 0 take more than/)
		return "too much workspace"
	sub(/.*Reason: /, "", text)
	return text
}

{
	verdict = $7
	short = verdict == "planned" || verdict == "described" ? "" : why($11)
	# an engine that our rules pass over
	if (verdict == "refused" && short ~ /^(all engines use tensor cores|too much workspace)$/)
		verdict = "passed over"
}

part == "plans" {
	print $1, $6, verdict, $8, $10, short
}

part == "sample" && ($2 == "conv" || $4 != "tf32") && ($2 != "norm" || ($4 == "f16") == ($5 == "nhwc")) {
	group = $2 FS $3 FS $4 FS $5 FS verdict FS ($8 ~ / rtc/)
	if (!(group in turn))
		turn[group] = ++groups % 3 + 1
	if ($1 == devices[turn[group]] && !(group in taken)) {
		taken[group] = 1
		print $1, $7, $6
	}
}

part == "readme" {
	n[$1, $2, verdict]++
	n[$1, $2, "works"]++
	if ($8 ~ / rtc/)
		n[$1, $2, "rtc"]++
	if ($8 ~ / fallback/)
		n[$1, $2, "fallback"]++
	if ($2 == "conv") {
		convs[$1, $4]++
		casts[$1, $4] += $8 ~ / cast/
	}
	if (short != "") {
		cause = $2 " | " $3 " | " verdict " | " short
		causes[cause, $1]++
		all[cause]++
		seen[cause, $4 " " toupper($5)]++
	}
	if (verdict ~ /crash|timeout|fault/)
		bad[++bads] = "- " verdict ": " $1 ": `" $6 "`: " $11
	total++
	if (!($6 in seen_key)) {
		seen_key[$6] = 1
		different++
	}
}

# One line of a table: works and verdicts.
function line(head, row,   i, text) {
	text = head " | " n[row, "works"]
	for (i = 1; i <= columns; i++)
		text = text " | " n[row, column[i]] + 0
	print "| " text " |"
}

function head(first,   i, text, rule) {
	text = first " | works"
	rule = first
	gsub(/[^|]+/, " --- ", rule)
	rule = rule "| ---:"
	for (i = 1; i <= columns; i++) {
		text = text " | " title[i]
		rule = rule " | ---:"
	}
	print "| " text " |"
	print "|" rule " |"
}

# The number types and layouts in which a cause was seen, "all" where it was in all of them.
function where(cause,   t, l, text, count) {
	for (t = 1; t <= 4; t++)
		for (l = 1; l <= 2; l++)
			if ((cause, types[t] " " (l == 1 ? "NCHW" : "NHWC")) in seen) {
				text = text (text ? ", " : "") types[t] " " (l == 1 ? "NCHW" : "NHWC")
				count++
			}
	return count == 8 ? "all" : text
}

function readme(   d, k, t, kinds, cause, i, count) {
	columns = split("planned rtc fallback described refused passed@over not@asked fault crash timeout", \
		column, " ")
	split("planned of@them@compiled of@them@fallback described refused passed@over not@asked fault crash timeout", \
		title, " ")
	for (i = 1; i <= columns; i++) {
		gsub(/@/, " ", column[i])
		gsub(/@/, " ", title[i])
	}
	count = split("conv norm pool softmax lrn", kinds, " ")
	while ((getline text < intro) > 0) {
		gsub(/@version/, int(version / 10000) "." int(version / 100) % 100 "." version % 100, text)
		gsub(/@date/, date, text)
		gsub(/@works/, different, text)
		gsub(/@answers/, total, text)
		print text
	}
	print "\n## By device and kind\n"
	head("device | kind")
	for (d = 1; d <= 3; d++)
		for (k = 1; k <= count; k++)
			if (n[devices[d], kinds[k], "works"])
				line(devices[d] " | " kinds[k], devices[d] SUBSEP kinds[k])
	print "\n## Crashes, timeouts, faults\n"
	if (!bads)
		print "None."
	for (i = 1; i <= bads; i++)
		print bad[i]
	print "\n## Why there is no plan\n"
	print "| kind | pass | verdict | why | a100 | h200 | b200 | types and layouts |"
	print "| --- | --- | --- | --- | ---: | ---: | ---: | --- |"
	fflush()
	for (cause in all) {
		text = "| " cause
		for (d = 1; d <= 3; d++)
			text = text " | " causes[cause, devices[d]] + 0
		print text " | " where(cause) " |" | "LC_ALL=C sort"
	}
	close("LC_ALL=C sort")
	print "\n## First choices that round their inputs\n"
	print "Convolutions whose first choice has cuDNN's note `DOWN_CONVERT_INPUTS` (`cast`): they would lose it if that"
	print "note were forbidden in every type. In f32 it is.\n"
	print "| device | f32 | tf32 | f16 | bf16 |\n| --- | ---: | ---: | ---: | ---: |"
	for (d = 1; d <= 3; d++) {
		text = "| " devices[d]
		for (t = 1; t <= 4; t++)
			text = text " | " casts[devices[d], types[t]] + 0 " of " convs[devices[d], types[t]] + 0
		print text " |"
	}
	print "\nCounts by pass and number type:\n"
	print "```sh\nzcat plans.tsv.gz | cut -f 1-3 | sed 's/ n=[^\t]*//; s/ rows=[^\t]*//' | sort | uniq -c\n```"
}

END {
	if (part == "readme")
		readme()
}
