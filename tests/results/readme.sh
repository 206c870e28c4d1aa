#!/bin/sh
# readme.sh PALEO ROOT - results/tables.sh finds a table for each committed calibration, with all of its nets.
# SPDX-License-Identifier: Apache-2.0
#
# Whether the tables in README.md and results/README.md are of today is not asserted: tables.sh writes them.
set -eu
paleo=$1 root=$2
tables=$("$root/results/tables.sh" "$paleo")
for calibration in "$root"/results/*/calibration.json; do
	folder=$(basename "$(dirname "$calibration")")
	nets=$(find "$root/results/$folder" -name '*-b?-f32.jsonl' | wc -l)
	found=$(echo "$tables" | awk -v name="== $folder" '/^== / { mine = $0 == name } mine' |
		grep -c '^| [a-z0-9_]*, [0-9]* | [0-9]* | [0-9.]* | [0-9.]* | [+-][0-9.]* % | [+-][0-9.]* % |')
	if [ "$nets" -eq 0 ] || [ "$found" -ne "$nets" ]; then
		echo "results/tables.sh has $found of the $nets nets of $folder"
		exit 1
	fi
done
echo "$tables" | awk '
	/^== / { mine = $2 }
	mine == "example" && /^  training step  *predicted/ { step = 1 }
	mine == "accuracy" && /^[|] a CPU.* % median before measuring/ { cpu = 1 }
	END { exit !(step && cpu) }'
