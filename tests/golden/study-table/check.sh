#!/bin/sh
# check.sh - a study says what of a table it leaves out, and does the rest.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

# On T4: twenty sizes of an addition in f32, three softmaxes, a product in half, an all-reduce, a
# convolution's gradient that nothing is said of.
awk 'BEGIN {
	print "gpu,op,dtype,algo,note,rows,cols,m,n,k,bytes,ranks,time_ms"
	for (i = 1; i <= 20; i++)
		printf "T4,elementwise,fp32,add,nin=2,%d,65536,,,,,,%.6f\n", i, 0.01 + i * 0.0033
	for (i = 1; i <= 3; i++)
		printf "T4,softmax,float32,,,%d,1000,,,,,,0.01\n", i
	print "T4,gemm,half,,,,,64,64,64,,,0.01"
	print "T4,allreduce,fp32,,,,,,,,1024,2,0.01"
	print "T4,conv2d,fp32,,,,,,,,,,1"
}' >table.csv

paleo-study table.csv 2>&1 | sed -E 's/^(t4 +[^ ]+ +f32 +[a-z]+) .*/\1/; /^(device|-)/d'
say paleo-study --dtype f16 table.csv 2>&1

# A K80 is two dies; a program has one. One that nobody knows does not stop the study of the other.
sed 's/^T4/K80/' table.csv >two_dies.csv
sed 's/^T4/XYZZY/' table.csv >unknown.csv
{ paleo-study unknown.csv two_dies.csv 2>/dev/null || echo "-> $?" >code; } | sed -nE 's/^(k80[^ ]*) .* tiles .*/\1/p'
cat code

# Where a table is no table, its line stands there once.
printf 'gpu,op,dtype,time_ms\nT4,gemm\n' >short.csv
say paleo-study short.csv
