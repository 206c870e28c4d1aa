#!/bin/sh
# frameworks.sh TIMM.csv [FORMAT] - whole nets as PyTorch ran them, and predicted; frameworks.csv.
# SPDX-License-Identifier: Apache-2.0
#
# TIMM.csv is described in README.md. Rows of a second release on a card would count a net twice: one
# release counts for each card and phase. PALEO is the program, build/bin/paleo by default.
set -eu
paleo=${PALEO:-build/bin/paleo}
nets=$(dirname "$0")/../../nets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
	{ run = $at["device"] " " $at["phase"] " " $at["torch"] }
	run == "RTX_3090 infer 2.4.0" || run == "RTX_3090 train 1.12" || run == "RTX_4090 infer 2.4.0"
' "$1" >"$work/timm.csv"
python3 "$nets/make.py" "$work" --measured "$work/timm.csv"
"$paleo" validate --optimizer momentum --format "${2:-csv}" "$work/timm.csv" "$work" >"$work/rows"
if [ "${2:-csv}" != csv ]; then
	cat "$work/rows"
	exit
fi
echo "framework,phase,layout,device,net,image,batch,measured_ms,works_ms,factor,predicted_ms,error_percent,inside"
sed 1d "$work/rows" | awk -F, -v OFS=, '{
	print $1, $2, $3, $4, $5, $6, $7, sprintf("%.3f,%.3f,%.3f,%.3f,%.1f", 1e3 * $8, 1e3 * $9, $10, 1e3 * $11, 100 * $12), $13
}' | sort -s -t, -k1,3
