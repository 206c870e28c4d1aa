#!/bin/sh
# memory.sh FOLDER - held-out errors on published times of what moves data; prints memory.txt.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names. PALEO is the program, build/bin/paleo by default.
set -eu
tables=$1
paleo=${PALEO:-build/bin/paleo}

for gpu in P100_PCIE V100_PCIE; do
	"$paleo" validate "$tables/neusight_vec_$gpu.csv.gz"
done
echo "Fitted to 20 rows:"
for gpu in P100_PCIE V100_PCIE; do
	"$paleo" validate --rows 20 "$tables/neusight_vec_$gpu.csv.gz"
done
