#!/bin/sh
# frameworks.sh FOLDER [BUILD] - by hand: results/studies/frameworks.csv is what timm's own table gives.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER has timm.csv, timm's tables in one (results/studies/README.md). golden.validate-networks-timm takes only the rows that
# the study keeps.
set -eu
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
PALEO=${2:-build}/bin/paleo sh results/studies/frameworks.sh "$folder/timm.csv" |
	diff results/studies/frameworks.csv - && echo "frameworks.csv is what timm.csv gives"
