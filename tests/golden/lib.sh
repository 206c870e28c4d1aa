# lib.sh - what the scripts of golden cases have in common; they get the folders of sources and build.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh

# shellcheck disable=SC2034 # for the scripts
source=$1 build=$2 small=$1/tests/golden/small.json

# say COMMAND... - runs it, and prints what it says on both streams and then its exit code.
say() {
	code=0
	"$@" 2>&1 || code=$?
	echo "-> $code"
}

# sanitized - whether the program has the address sanitizer, which takes terabytes of address space.
sanitized() {
	grep -q __asan_init "$build/bin/paleo"
}

# bounded SECONDS MEGABYTES COMMAND... - runs it within so much time (else 124) and address space.
bounded() {
	seconds=$1 megabytes=$2
	shift 2
	(
		# shellcheck disable=SC3045 # dash and bash both have it
		sanitized || ulimit -v $((megabytes * 1024))
		timeout -k 1 "$seconds" "$@"
	)
}

# columns A,B... - of CSV on standard input those of these names; no cell of ours has a comma in it.
columns() {
	awk -F, -v names="$1" '
		NR == 1 {
			wanted = split(names, name, ",")
			for (i = 1; i <= NF; i++)
				place[$i] = i
		}
		{
			line = ""
			for (i = 1; i <= wanted; i++)
				line = line (i > 1 ? "," : "") $place[name[i]]
			print line
		}'
}

# soon COMMAND... - waits until it succeeds, 30 s at most.
soon() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || {
			echo "waited in vain: $*"
			return 1
		}
		sleep 0.05
	done
}

# used - hundredths of a second that all processors have worked so far, and our own commands of these.
used() {
	awk -v hz="$(getconf CLK_TCK)" '/^cpu / { print 100 / hz * ($2 + $3 + $4 + $7 + $8 + $9) }' /proc/stat
	awk -v hz="$(getconf CLK_TCK)" '{ print 100 / hz * ($14 + $15 + $16 + $17) }' "/proc/$$/stat"
	awk '{ print 100 * $1 }' /proc/uptime
}

# watch_others - from here on it is watched how much others use this machine.
watch_others() {
	began=$(used)
}

# others_came - whether they took a tenth of a processor or more since: only then may a time be disturbed.
others_came() {
	echo "$began $(used)" | xargs | awk '{ exit !(($4 - $1) - ($5 - $2) >= 0.1 * ($6 - $3)) }'
}

# has_records N FILE - whether a results file holds so many.
has_records() {
	[ "$(grep -sc '"type":"record"' "$2")" -ge "$1" ] 2>/dev/null
}

# measured FILE - the keys of the works in a results file, sorted.
measured() {
	sed -n 's/.*"op":"\([^"]*\)","status".*/\1/p' "$1" | sort
}
