# sass.awk - counts what kernels.def asks of the machine code: accesses of 16 bytes, loads that are on their way together.
# SPDX-License-Identifier: Apache-2.0
# awk -f sass.awk -v name=WORDS kernels.def USAGE SASS   (cuobjdump -res-usage, -sass)
#
# A load is on its way until an instruction reads a register that it writes. Instructions are taken in their
# order, so what a loop's next round does with a load counts for nothing.
function fail(words) {
	print name ": " words
	bad = 1
}
FNR == 1 { file++ }
file == 1 && match($0, /^[A-Z]+\([^)]*\)/) {
	split(substr($0, index($0, "(") + 1, RLENGTH - index($0, "(") - 1), field, ", *")
	kernel = field[1]
	loads[kernel] = field[2]
	stores[kernel] = field[3]
	together[kernel] = field[4]
	next
}
file == 2 && /Function/ {
	kernel = $2
	sub(/:.*/, "", kernel)
	seen[kernel] = 1
	if (!(kernel in loads))
		fail(kernel " is not in kernels.def")
	next
}
file == 2 && /STACK:/ && !(/STACK:0 / && /LOCAL:0 /) { fail(kernel " uses local memory: " $0) }
file == 3 && /Function :/ {
	kernel = $NF
	split("", load_of)
	on_their_way = 0
	next
}
file == 3 && /^[ \t]+\/\*[0-9a-f]+\*\// {
	text = $0
	sub(/^[ \t]+\/\*[0-9a-f]+\*\//, "", text)
	sub(/;.*/, "", text)
	gsub(/UR[0-9]+/, "", text) # registers of a whole warp hold no loaded data
	is_load = text ~ /[ \t]LDG[.A-Z0-9]*\.128/
	found_stores[kernel] += text ~ /[ \t]STG[.A-Z0-9]*\.128/
	read = text
	first = ""
	if (match(read, /R[0-9]+/))
		first = substr(read, RSTART + 1, RLENGTH - 1) + 0
	if (read !~ /[ \t]ST[GSL]/) # all but stores write the first one
		sub(/R[0-9]+/, "", read)
	while (match(read, /R[0-9]+/)) {
		number = substr(read, RSTART + 1, RLENGTH - 1) + 0
		read = substr(read, RSTART + RLENGTH)
		if (!(number in load_of))
			continue
		arrived = load_of[number]
		for (r in load_of)
			if (load_of[r] == arrived)
				delete load_of[r]
		on_their_way--
	}
	if (is_load) {
		count = ++found_loads[kernel]
		for (r = 0; r < 4; r++)
			load_of[first + r] = count
		if (++on_their_way > found_together[kernel] + 0)
			found_together[kernel] = on_their_way
	}
}
END {
	for (kernel in loads) {
		l = found_loads[kernel] + 0
		s = found_stores[kernel] + 0
		t = found_together[kernel] + 0
		all += l + s
		if (!(kernel in seen))
			fail(kernel " is not there")
		else if (loads[kernel] + stores[kernel] == 0 && l + s > 0)
			fail(kernel " streams, and kernels.def says nothing of it: " l " loads, " s " stores of 16 bytes, " t " together")
		else if (l < loads[kernel] || s < stores[kernel] || t < together[kernel])
			fail(sprintf("%s has %d loads and %d stores of 16 bytes, %d loads together; at least %d, %d, %d expected",
				kernel, l, s, t, loads[kernel], stores[kernel], together[kernel]))
	}
	printf "%s: %d accesses of 16 bytes\n", name, all
	exit bad
}
