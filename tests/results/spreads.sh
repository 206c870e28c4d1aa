#!/bin/sh
# spreads.sh PALEO PRESETS - what is stored of the presets' errors on one another is what comes out today.
# SPDX-License-Identifier: Apache-2.0
#
# And each preset is of the device that its file is named after. Numbers may differ in their last digits, as other machines compute logarithms otherwise.
set -eu
paleo=$1 presets=$2

for file in "$presets"/*.json; do
	device=$(basename "$file" .json)
	grep -q "^    \"name\": \"${device%%_*}\",$" "$file" || {
		echo "$file: expected a preset of the device ${device%%_*}"
		exit 1
	}
done

PALEO_DATA_DIR=$presets/../.. "$paleo" validate --cost-model presets --format csv | paste -d , "$presets/spreads.csv" - | awk -F, '
	NR > 1 && ($1 != $6 || $2 != $7 || $3 != $8 || $5 != $10 || ($4 == "") != ($9 == "") ||
		($4 - $9) ^ 2 > (1e-9 * $9) ^ 2) {
		print "spreads.csv has " $1 "," $2 "," $3 "," $4 "," $5 ", now it is " $6 "," $7 "," $8 "," $9 "," $10
		bad = 1
	}
	END {
		if (NR != 25) {
			print "expected 25 lines, found " NR
			bad = 1
		}
		if (bad)
			print "make it again: paleo validate --cost-model presets --format csv >results/presets/spreads.csv"
		exit bad
	}'
