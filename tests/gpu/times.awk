# times.awk - "op<TAB>seconds" of the right records of a results file, of the library's own choice.
# SPDX-License-Identifier: Apache-2.0
/"type":"record"/ && /"status":"ok"/ && !/"rank":[1-9]/ {
	if (match($0, /"op":"[^"]*"/))
		work = substr($0, RSTART + 8, RLENGTH - 9)
	if (match($0, /"median_s":[0-9.e+-]+/))
		print work "\t" substr($0, RSTART + 11, RLENGTH - 11)
}
