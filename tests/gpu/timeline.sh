#!/bin/sh
# timeline.sh - what the runs on a lent GPU have left when they are cut off after 60, 300 and 570 s.
# SPDX-License-Identifier: Apache-2.0
#
# timeline.sh SCRATCH [first | acceptance | campaign]...
#
# Runs them side by side on the device `fake`, with their own nets, as if opening the device took 20 s, an op
# 0.25 s, a step of a whole net 0.03 s to plan, the ceilings 33 s and PyTorch 20 s; prints tables of
# what lies in $OUT at these moments, which is what a kill would leave. Takes ten minutes; the campaign is called until
# it ends. Finds the program as they do.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1
shift
[ $# -gt 0 ] || set -- first acceptance campaign
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
export PALEO_FAKE=open-delay=20,op-delay=0.25,step-delay=0.03,ceilings-delay=33 PALEO_TORCH_S=20

# count PATTERN FILE
count() {
	grep -cE -- "$1" "$2" || :
}

# look FOLDER MOMENT - a row of the table for each file.
look() {
	for file in "$1"/*; do
		[ -e "$file" ] || continue
		lines=$(wc -l <"$file")
		case $file in
		*/ceilings.jsonl) what="$(count '"type":"ceiling"' "$file") ceilings" ;;
		*/net.jsonl) what="$(count '"type":"graph_run".*"status":"ok"' "$file") passes" ;;
		*.jsonl) what="$(rows "$file"), $(count '^[^{]|[^}]$' "$file") lines cut" ;;
		*/check.txt) what="$(count '^step .*: code' "$file") steps$(marks "$file")" ;;
		*/campaign.tar.gz) lines=- what=$(unpacked "$file") ;;
		*/raw.tar.gz) lines=- what="all outputs" ;;
		*) what= ;;
		esac
		echo "| $2 | \`$(basename "$file")\` | $lines | $what |"
	done
}

# rows FILE - ops measured, and how many of the profiles in it came to their end.
rows() {
	echo "$(count '"type":"record".*"status":"ok"' "$1") rows, $(count '"type":"end"' "$1") of $(count '"type":"meta"' "$1") profiles whole"
}

# marks FILE - how many of marks.tsv are judged, and which.
marks() {
	judged=$(sed -nE 's/^(pass|FAIL|info): ([a-z0-9_.]+): .*/\2/p' "$1" | sort -u)
	[ -n "$judged" ] || return 0
	hard=$(echo "$judged" | grep -cv '^open\.' || :)
	echo ", $hard marks judged, $(($(echo "$judged" | wc -l) - hard)) questions answered: $(echo "$judged" | tr '\n' ' ')"
}

# unpacked ARCHIVE - what the campaign has.
unpacked() {
	rm -rf "$scratch/unpacked"
	mkdir "$scratch/unpacked"
	tar -C "$scratch/unpacked" -xzf "$1"
	find "$scratch/unpacked" -name '*-b[0-9]*.jsonl' ! -name 'fullpass-*' -exec cat {} + >"$scratch/nets"
	find "$scratch/unpacked" -name 'design-*' -exec cat {} + >"$scratch/designed"
	find "$scratch/unpacked" -name 'fullpass-*' -exec cat {} + >"$scratch/passes"
	echo "nets: $(rows "$scratch/nets"); $(count '"status":"ok"' "$scratch/designed") designed ops;" \
		"$(count '"type":"graph_run".*"status":"ok"' "$scratch/passes") passes;" \
		"$(find "$scratch/unpacked" -name 'calibration*' | wc -l) calibrations," \
		"$(find "$scratch/unpacked" -name 'validation*' | wc -l) validation"
}

# watch SCRIPT - its rows go to SCRIPT.rows.
watch() {
	folder=$scratch/$1
	rm -rf "$folder" "$scratch/$1-results"
	mkdir -p "$folder"
	: >"$scratch/$1.rows"
	argument=$folder
	[ "$1" = campaign ] && argument=$scratch/$1-results
	begin=$(date +%s)
	OUT=$folder setsid "$here/$1.sh" --rehearse "$argument" >"$scratch/$1.log" 2>&1 &
	session=$!
	for moment in 60 300 570; do
		while [ $(($(date +%s) - begin)) -lt "$moment" ] && kill -0 "$session" 2>/dev/null; do
			sleep 1
		done
		took=$(($(date +%s) - begin))
		[ "$took" -ge "$moment" ] && took="$moment s" || took="its end, $took s"
		cp -R "$folder" "$scratch/look-$1"
		look "$scratch/look-$1" "$took" >>"$scratch/$1.rows"
		rm -rf "$scratch/look-$1"
		kill -0 "$session" 2>/dev/null || break
	done
	pkill -KILL -s "$session" || :
	code=0
	wait "$session" || code=$?
	[ "$1" = campaign ] && [ "$code" -eq 5 ] && again
	echo "$code" >"$scratch/$1.code"
}

# The campaign's other calls.
again() {
	while [ "$code" -eq 5 ]; do
		code=0
		begin=$(date +%s)
		OUT=$folder "$here/campaign.sh" --rehearse "$argument" >>"$scratch/campaign.log" 2>&1 || code=$?
		look "$folder" "next call, $(($(date +%s) - begin)) s" >>"$scratch/campaign.rows"
	done
}

for script; do
	watch "$script" &
done
wait
for script; do
	echo
	echo "## $script.sh: ends with $(cat "$scratch/$script.code")"
	echo
	echo "| cut off after | file | lines | what |"
	echo "| --- | --- | ---: | --- |"
	cat "$scratch/$script.rows"
done
