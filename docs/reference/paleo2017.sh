#!/bin/sh
# paleo2017.sh - the tables of paleo2017.md: the cost models paleo2017 and datasheet on the reference networks.
# SPDX-License-Identifier: Apache-2.0
#
# sh docs/reference/paleo2017.sh    wants `paleo` in the path, and runs in the project's root
set -eu

# Both cost models of a network as "model group pass compute memory" in ms; the device has 6.144 TFLOP/s, 336.5 GB/s.
rows() {
	paleo predict "$1" --cost-model paleo2017 --device TITAN_X --batch 128 --format csv 2>/dev/null |
		awk -F, 'NR > 1 {
			group = "free"
			if ($4 ~ /^(conv2d|innerproduct)$/) group = "conv"
			if ($4 ~ /^(pool2d|dropout)$/) group = "pool"
			if ($5 == "update") group = "update"
			print "old", group, $5, $6, $7
		}'
	paleo predict "$1" --cost-model datasheet --device TITAN_X --batch 128 --format csv 2>/dev/null |
		awk -F, 'NR > 1 {
			group = "free"
			if ($4 ~ /^(conv|inner_product)$/) group = "conv"
			if ($4 ~ /^(max_pool|avg_pool|dropout)$/) group = "pool"
			if ($5 == "update") group = "update"
			print "new", group, $5, $7 / 6.144e9, $8 / 336.5e6
		}'
}

# One line of each table.
lines() {
	rows "$2" | awk -v net="$1" '
		{
			pass = $3 == "fwd" || $3 == "update" ? $3 : "bwd"
			total[$1, pass] += $4 + $5
			step[$1] += $4 + $5
			memory[$1] += $5
			c[$1, $2, $3 == "bwd_data"] += $4
			m[$1, $2] += $5
		}
		END {
			unit = 2 ^ 30 / 1e9
			printf "T | `%s` | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", net,
				total["old", "fwd"], total["new", "fwd"], total["old", "bwd"],
				total["new", "bwd"], total["old", "update"], total["new", "update"]
			gradient = c["new", "conv", 1] - c["old", "conv", 1]
			bytes = (unit - 1) * memory["old"]
			padding = m["new", "conv"] - unit * m["old", "conv"]
			free = c["new", "free", 0] + c["new", "free", 1] + m["new", "free"]
			pool = c["new", "pool", 0] + c["new", "pool", 1] + m["new", "pool"] - \
				c["old", "pool", 0] - c["old", "pool", 1] - unit * m["old", "pool"]
			bias = c["new", "conv", 0] - c["old", "conv", 0]
			printf "E | `%s` | %+.2f | %+.2f | %+.2f | %+.2f | %+.2f | %+.2f | %+.2f |\n", net,
				gradient, bytes, padding, free, pool, bias, step["new"] - step["old"]
		}'
}

all() {
	for net in alex_v2 nin overfeat vgg16 inception_v3 resnet50; do
		lines $net nets/$net.json
	done
}

table=$(all)
echo '| net | forward, 2017 | paleo | backward, 2017 | paleo | update, 2017 | paleo |'
echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
printf '%s\n' "$table" | sed -n 's/^T //p'
echo
echo '| net | gradients | bytes | padding | free layers | pooling | bias | in all |'
echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
printf '%s\n' "$table" | sed -n 's/^E //p'
