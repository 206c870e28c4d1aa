#!/bin/sh
# sass.sh - the kernels' machine code: nothing in local memory, and 16 bytes at once where data streams.
# SPDX-License-Identifier: Apache-2.0
# sass.sh CUOBJDUMP WRITE_CUBINS COMPUTE_CAPABILITY FOLDER
set -eu

cuobjdump=$1
write_cubins=$2
capability=$3
folder=$4
kernels=$(grep -c '^[A-Z]*(' "$(dirname "$0")/kernels.def")

if [ ! -x "$cuobjdump" ]; then
	echo "skipped: no cuobjdump, which comes with a CUDA toolkit"
	exit 77
fi
if [ ! -x "$(dirname "$cuobjdump")/nvdisasm" ] && ! command -v nvdisasm >/dev/null; then
	echo "skipped: no nvdisasm, which cuobjdump calls"
	exit 77
fi
mkdir -p "$folder"
rm -f "$folder"/*.cubin
"$write_cubins" "$capability" "$folder"

# Kernels, and how many loads and stores of 16 bytes each has at least: one of each tensor that it goes
# through; of rows that are held in registers, and in read_all, one of each of 4 packs.
wanted='relu_fwd 1 1
relu_bwd 2 1
gelu_fwd 1 1
gelu_bwd 2 1
dropout_fwd 1 1
dropout_bwd 1 1
add_fwd 2 1
mul_fwd 2 1
mul_bwd 3 2
max_fwd 2 1
max_bwd 3 2
bias_add 1 1
bias_plane_sums 1 0
bias_column_sums 1 0
stats_plane_sums 1 0
stats_column_sums 1 0
grad_plane_sums 2 0
grad_column_sums 2 0
batch_fwd 1 1
batch_infer 1 1
batch_bwd 2 1
pack_row_stats 4 0
pack_row_fwd 8 8
pack_row_bwd 12 4
sum_bwd 0 1
sgd 2 1
momentum 3 2
adam 4 3
largest_parts 1 0
quantise 1 0
join 1 1
split 1 1
read_all 4 0'
# Of what f32 does not have.
wanted_of_16_bits='stored_product 4 0
restore 0 1'

wrong=0
for cubin in "$folder"/*.cubin; do
	name="sm_$capability $(basename "$cubin" .cubin)"
	"$cuobjdump" -res-usage "$cubin" >"$folder/usage"
	"$cuobjdump" -sass "$cubin" >"$folder/sass"
	awk -v name="$name" -v kernels="$kernels" '
		/Function/ { kernel = $2; sub(/:.*/, "", kernel) }
		/STACK:/ {
			seen++
			if (/STACK:0 / && /LOCAL:0 /)
				next
			printf "%s: %s uses local memory: %s\n", name, kernel, $0
			bad = 1
		}
		END {
			if (seen != kernels) {
				printf "%s: %d kernels, expected %d\n", name, seen, kernels
				bad = 1
			}
			exit bad
		}' "$folder/usage" || wrong=1
	{
		echo "$wanted"
		[ "$(basename "$cubin" .cubin)" = f32 ] || echo "$wanted_of_16_bits"
	} | awk -v name="$name" '
		FILENAME == "-" { loads[$1] = $2; stores[$1] = $3; next }
		/Function :/ { kernel = $NF }
		/[ \t]LDG[.A-Z0-9]*\.128/ { loads[kernel]--; all++ }
		/[ \t]STG[.A-Z0-9]*\.128/ { stores[kernel]--; all++ }
		END {
			for (k in loads) {
				if (loads[k] <= 0 && stores[k] <= 0)
					continue
				printf "%s: %s lacks accesses of 16 bytes: %d loads, %d stores\n",
					name, k, loads[k], stores[k]
				bad = 1
			}
			printf "%s: %d accesses of 16 bytes\n", name, all
			exit bad
		}' - "$folder/sass" || wrong=1
done
exit $wrong
