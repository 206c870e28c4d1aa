#!/bin/sh
# same.sh ROWS PALEO WORK - libpaleo's numbers are those of the program, to the last digit.
# SPDX-License-Identifier: Apache-2.0
set -eu

rows=$1 paleo=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
wrong=0

# columns FILE NAME... prints these columns of a table of csv, by their names, without its head.
columns() {
	file=$1
	shift
	awk -F, -v names="$*" '
		NR == 1 {
			count = split(names, want, " ")
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		{
			for (i = 1; i <= count; i++)
				printf "%s%s", $(at[want[i]]), i < count ? "," : "\n"
		}' "$file"
}

# same WHAT - compares the two files; there must be something in them.
same() {
	if [ -s "$work/theirs" ] && cmp -s "$work/ours" "$work/theirs"; then
		echo "$1: $(wc -l <"$work/ours") lines are the same"
	else
		wrong=1
		echo "$1: libpaleo (<) and the program (>) differ:"
		diff "$work/ours" "$work/theirs" | head -6
	fi
}

# predict NET BATCH DEVICE LAW DTYPE [PASSES LAYOUT FUSE]
predict() {
	"$rows" predict "$@" >"$work/ours"
	"$paleo" predict "$1" --batch "$2" --device "$3" --cost-model "$4" --dtype "$5" \
		--pass "${6:-all}" --layout "${7:-nchw}" ${8:+--fuse} --format csv \
		>"$work/csv" 2>"$work/notes"
	columns "$work/csv" net batch layer kind pass dtype flops bytes predicted_s predicted_low_s \
		predicted_high_s predicted_low50_s predicted_high50_s bound op source >"$work/theirs"
	same "predict $*"
}

# totals NET BATCH DEVICE: the intervals of the sums below the program's table of text.
totals() {
	"$rows" totals "$1" "$2" "$3" auto f32 >"$work/ours"
	"$paleo" predict "$1" --batch "$2" --device "$3" >"$work/text"
	awk '/  predicted .* 90 %:/ {
		split(substr($0, index($0, "90 %:")), part, " ")
		sub(/^ */, "")
		sub(/ *predicted .*/, "")
		print $0, part[3], part[5]
	}' "$work/text" >"$work/theirs"
	same "totals $*"
}

# simulate NET BATCH DEVICE LAW DTYPE
simulate() {
	"$rows" simulate "$@" >"$work/ours"
	"$paleo" simulate "$1" --batch "$2" --device "$3" --cost-model "$4" --dtype "$5" --overlap \
		--link ethernet-100g --workers 1,8,64 --scaling weak --format csv \
		>"$work/csv" 2>"$work/notes"
	columns "$work/csv" workers forward_s backward_s update_s comm_s exposed_comm_s step_s speedup \
		images_per_s memory_bytes | sed 's/$/,/' >"$work/theirs"
	same "simulate $*"
}

all() {
	predict vgg16 64 t4 auto f32
	predict resnet50 32 h100-sxm auto bf16
	predict resnet50 32 h100-sxm presets-excluding-self f16 fwd nhwc 1
	predict nin 16 titan-x datasheet f32 bwd
	predict vgg16 4 cpu-amd-epyc calibrated f32
	predict gpt2 1 a100-80-sxm presets bf16 update
	totals vgg16 64 t4
	totals vgg16 4 cpu-amd-epyc
	simulate resnet50 32 t4 auto f32
}

all
# A caller whose language has commas in numbers: German, where this machine can make it.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
	export LOCPATH="$work" LC_ALL=de_DE.UTF-8
	all
else
	echo "no German: localedef cannot make it"
fi
exit $wrong
