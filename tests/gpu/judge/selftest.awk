# selftest.awk - is every small work right? A kind that crashed is wrong; one whose time was up is not judged.
# SPDX-License-Identifier: Apache-2.0
# awk -f lib.awk -f selftest.awk -v kinds="KIND ..." stage=1 CODES stage=2 LINES
#
# A line of CODES is a kind, the exit code of its call, and what it began last; LINES are those of all calls.
stage == 1 {
	ended[$1] = $2
	if ($2 == 0)
		next
	kind = $1
	code = $2
	sub(/^[^ ]+ [^ ]+ (next +)?/, "")
	detail("selftest " kind ": code " code ", last begun: " $0)
}
stage == 2 && /^ok / {
	right++
}
stage == 2 && /^WRONG / { wrong++ }
END {
	n = split(kinds, kind_of, " ")
	for (i = 1; i <= n; i++) {
		kind = kind_of[i]
		code = (kind in ended) ? ended[kind] : 124
		if (code == 124)
			late = late " " kind
		else if (code == 77)
			absent = absent " " kind
		else if (code > 1)
			broken = broken " " kind
	}
	seen = sprintf("%d right, %d wrong", right, wrong)
	if (broken)
		seen = seen "; ended early:" broken
	if (late)
		seen = seen "; the time was up in" late
	if (absent)
		seen = seen "; no device"
	if (wrong || broken)
		verdict("selftest", 0, seen)
	else if (late || absent || !right)
		nothing("selftest", seen)
	else
		verdict("selftest", 1, seen)
}
