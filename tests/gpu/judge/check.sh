#!/bin/sh
# check.sh - marks that have a judge, with hand-made inputs: that pass, that fail, that are not there.
# SPDX-License-Identifier: Apache-2.0
#
# check.sh [SCRATCH]
set -eu
judges=$(cd "$(dirname "$0")" && pwd)
scratch=${1:-$(mktemp -d)}
mkdir -p "$scratch"
cd "$scratch"
failures=0 cases=0

# judge NAME ARGUMENTS... - its verdicts go to the file `verdicts`.
judge() {
	name=$1
	shift
	awk -f "$judges/lib.awk" -f "$judges/$name.awk" -v details=details "$@" >verdicts
}

# expect MARK VERDICT WORDS - what the last judge says of the mark.
expect() {
	cases=$((cases + 1))
	line=$(grep "^$1	" verdicts || :)
	case $line in
	"$1	$2	"*"$3"*) return ;;
	esac
	echo "WRONG: $name: expected '$1 $2 ...$3...', found '$line'"
	failures=$((failures + 1))
}

# record WORK MEDIAN [KEYS [STATUS]] - a line of a results file.
record() {
	printf '{"type":"record","op":"%s","status":"%s","reason":"","algorithm":"cudnn eng1","mode":"cold",%s"timing":{"median_s":%s,"samples":10}}\n' \
		"$1" "${4:-ok}" "${3:-}" "$2"
}
: >empty

# rows: a crash is lost, what is unsupported is not; a cold row above its ceiling fails, a hot one has no mark
{
	record "conv fwd f32 n=1" 1e-3
	record "pool fwd f32 n=1" 1e-3 '' unsupported
} >good
judge rows good
expect rows pass "2 rows, 1 right, 1 unsupported"
expect ceiling pass "0 of 1"
{
	cat good
	record "gemm fwd f32 m=1" 1e-3 '' crash
	record "gemm fwd f32 m=2" 1e-3 '"tags":"drift above_ceiling",'
	record "gemm fwd f32 m=3" 1e-3 '"tags":"above_ceiling",' | sed 's/cold/hot/'
} >bad
judge rows bad
expect rows FAIL "1 lost"
expect ceiling FAIL "1 of 2"
for status in timeout incorrect failed; do
	{
		cat good
		record "gemm fwd f32 m=1" 1e-3 '' $status
	} >bad
	judge rows bad
	expect rows FAIL "1 lost"
done
# works without a row: not every row is known to be right, but what is lost is lost
judge rows -v wanted=2 -v whole=2 good
expect rows pass "2 rows, 1 right"
judge rows -v wanted=2 -v whole=1 good
expect rows none "1 of 2 profiles whole"
judge rows -v wanted=2 -v whole=1 bad
expect rows FAIL "1 of 2 profiles whole, 1 lost"
judge rows empty
expect rows none "no row"
expect ceiling none "no row"
record "pool fwd f32 n=1" 1e-3 '' unsupported >none
judge rows none
expect rows none "0 right"
expect ceiling none "no cold row"
# what rows answer: 1e6 elements of 4 bytes, read and written in 4 us, are 2e12 B/s, half of the copy's 4e12
{
	record "eltwise fwd f32 op=relu count=1000000" 4e-6 '"state":{"sm_mhz":1900,"clock_ratio":0.95},'
	record "norm fwd f32 mode=batch n=1" 1e-3 '"behaviour":"runtime_compilation",'
} >info
judge rows -v copy=4e12 info
expect open.kernels info "0.50 of the copy"
expect open.batch_norm info "1 rows by cuDNN, 0 by our kernels"
expect open.capture info "1 rows, 0 of them not captured"
expect open.warm_up info "first row at 0.950"

# limits: within what was seen of the chip; of another one, within what its datasheet makes plausible
limit() {
	printf '{"type":"ceiling","name":"%s","unit":"B/s","value":%s,"spread":0.01,"regime":"%s"}\n' "$1" "$2" "${3:-burst}"
}
cat >chips <<'END'
# device	name	regime	low	high	nobody
h200	gemm_bf16	burst	730e12	838e12	x
h200	copy	burst	4.085e12	4.515e12	x
h200	read	burst	4.3e12	4.8e12	x
h200	gemm_fp8	sustained	1.2e15	1.4e15	x
END
{
	echo '{"type":"meta","device":{"name":"h200","title":"x"}}'
	limit gemm_bf16 790e12
	limit copy 4.3e12
	limit read 4.1e12
} >good
judge limits stage=1 chips stage=2 good
expect gemm_bf16 pass "7.9e+14; 7.3e+14 to 8.38e+14, seen of h200, burst"
expect copy pass "4.3e+12"
expect open.others info "read 4.1e+12 (4.3e+12 to 4.8e+12 seen, burst)"
sed 's/790e12/720e12/; s/4.3e12/4.6e12/' good >bad
judge limits stage=1 chips stage=2 bad
expect gemm_bf16 FAIL "7.2e+14"
expect copy FAIL "4.6e+12"
sed 's/h200/other/; s/790e12/50e12/; s/4.3e12/0.9e12/' good >other
judge limits -v peak=70e12 -v bandwidth=1e12 stage=1 chips stage=2 other
expect gemm_bf16 pass "4.2e+13 to 7e+13, of the datasheet of other"
expect copy pass "7.5e+11 to 1e+12"
judge limits -v peak=100e12 -v bandwidth=0.8e12 stage=1 chips stage=2 other
expect gemm_bf16 FAIL "6e+13 to 1e+14"
expect copy FAIL "9e+11"
judge limits stage=1 chips stage=2 other
expect gemm_bf16 none "nothing is known of other, burst"
expect open.others none "nothing is known of other"
# a sustained ceiling is not held against what a burst did; one of before, without the word, is a burst
{
	head -n 1 good
	limit gemm_bf16 700e12 sustained
	limit gemm_fp8 1.3e15 sustained
	limit read 4.4e12 sustained
} >slow
judge limits stage=1 chips stage=2 slow
expect gemm_bf16 none "nothing is known of h200, sustained"
expect open.others info "gemm_fp8 1.3e+15 (1.2e+15 to 1.4e+15 seen, sustained)"
judge limits -v peak=990e12 stage=1 chips stage=2 slow
expect gemm_bf16 pass "7e+14; 5.94e+14 to 9.9e+14, of the datasheet of h200"
sed 's/,"regime":"burst"//' good >before
judge limits stage=1 chips stage=2 before
expect gemm_bf16 pass "seen of h200, burst"
judge limits stage=1 chips stage=2 empty
expect gemm_bf16 none "no such ceiling"
expect copy none "no such ceiling"

# passes: layers of 2 and 1 ms with 0.05 ms of layout changes in a pass of 3 ms are 3.05 / 3 = +1.67 %;
# alone they took 2.4 and 1 ms: 3.4 / 3 = 1.133
pass() {
	printf '{"type":"graph_run","net":"n","batch":1,"how":"graph","dtype":"f32","extent":"%s","status":"%s","reason":"","timing":{"median_s":%s},"rows":[{"layer":"a","op":"conv fwd f32 n=1","in_network_s":0.002,"change_s":5e-05,"isolated_s":null},{"layer":"b","op":"pool fwd f32 n=1","in_network_s":0.001,"change_s":0,"isolated_s":null}]}\n' \
		"$1" "$2" "$3"
}
{
	record "conv fwd f32 n=1" 2.4e-3
	record "pool fwd f32 n=1" 1e-3
	record "conv fwd f32 n=1" 0.1e-3 '"rank":1,' # another algorithm than the pass runs
} >alone
pass fwd ok 0.003 >good
judge passes stage=1 alone stage=2 good
expect insitu pass "1 of 1; worst +1.67 % n 1 f32 fwd"
expect isolated info "1.133 to 1.133 of 1"
pass fwd ok 0.002958 >events # 92 us more than the pass, of which two events may take 4: 88 are 2.97 %
judge passes stage=1 alone stage=2 events
expect insitu pass "1 of 1; worst +3.11 % n 1 f32 fwd"
{
	cat good
	pass step ok 0.0032 # 3.05 / 3.2 = -4.69 %
} >bad
judge passes stage=1 alone stage=2 bad
expect insitu FAIL "1 of 2; worst -4.69 % n 1 f32 step"
{
	cat good
	pass step oom 0.0032
} >bad
judge passes stage=1 alone stage=2 bad
expect insitu FAIL "1 have no time"
judge passes stage=1 empty stage=2 good
expect isolated none "no pass has all"
judge passes stage=1 alone stage=2 empty
expect insitu none "no full pass"

# repeat: five ops from 10 to 200 us; a second run differs by 0.5 %, a third one by 0.2 %
ops() {
	for us in 10 20 60 100 200; do
		record "w$us" "$(awk -v us=$us -v by="$1" 'BEGIN { print us * 1e-6 * (1 + by) }')"
	done
}
ops 0 >first
ops 0.005 >again
ops -0.002 >turned
judge repeat stage=1 first stage=2 again stage=3 turned
expect repeat_long pass "3 ops, worst +0.50 %"
expect repeat_short pass "2 ops, worst +0.50 %"
expect repeat_order pass "median -0.20 % of 5"
ops 0.02 >again # too much for long ops, not for short ones
ops -0.008 >turned
judge repeat stage=1 first stage=2 again stage=3 turned
expect repeat_long FAIL "worst +2.00 %"
expect repeat_short pass "worst +2.00 %"
expect repeat_order FAIL "median -0.80 %"
ops -0.04 >again
judge repeat stage=1 first stage=2 again stage=3 turned
expect repeat_short FAIL "worst -4.00 %"
judge repeat stage=1 first stage=2 empty stage=3 empty
expect repeat_long none "no such op"
expect repeat_short none "no such op"
expect repeat_order none "0 ops"

# kernels: `a` is two kernels of 98 us in all, 10 runs a launch, and 99 us by events: +1.02 %, where 2 % are
# allowed; `b` is one of 5 us, by events 6.4 us: +1.4 us, where 1.5 us are
{
	record a 99e-6
	record b 6.4e-6
} >clean
{
	record a 120e-6
	record b 9e-6
	record c 9e-6 | sed 's/cudnn eng1/softmax + not captured/'
} >traced
cupti() {
	printf '1\t2\t%s\t1e-4\tk\n1\t20\t%s\t%s\tk\n1\t20\t%s\t%s\tk\n' 98e-6 980e-6 990e-6 980e-6 995e-6
	printf '2\t1\t5e-6\t5e-6\tk\n2\t50\t250e-6\t300e-6\tk\n'
}
cupti >tsv
judge kernels stage=1 clean stage=2 traced stage=3 tsv
expect cupti pass "2 of 2"
sed 's/99e-6/100.1e-6/' clean >late # 2.1 us over 98 us: more than 1.96 us
judge kernels stage=1 late stage=2 traced stage=3 tsv
expect cupti FAIL "1 of 2 ops; worst +2.10 us, +2.14 %: a"
sed 's/6.4e-6/6.6e-6/' clean >late
judge kernels stage=1 late stage=2 traced stage=3 tsv
expect cupti FAIL "1 of 2 ops; worst +1.60 us"
judge kernels stage=1 clean stage=2 traced stage=3 empty
expect cupti none "reported nothing"
judge kernels stage=1 empty stage=2 traced stage=3 tsv
expect cupti none "no op was both"

# selftest: all right; one wrong; a kind that crashed; one whose time was up, or that never began; no device
{
	echo 'ok    gemm fwd f32 m=17 bias=1: error 0'
	echo 'ok    upsample fwd f32 n=2: error 0'
	echo '2 right, 0 wrong, 0 unsupported'
} >lines
printf 'gemm: 0 next  gemm fwd f32 m=17 bias=1\nupsample: 0 next  x\n' >codes
judge selftest -v kinds='gemm: upsample:' stage=1 codes stage=2 lines
expect selftest pass "2 right, 0 wrong"
judge selftest -v kinds='gemm: upsample: norm:' stage=1 codes stage=2 lines
expect selftest none "2 right, 0 wrong; the time was up in norm:"
echo 'norm: 124 next  norm fwd f32 n=6' >>codes
judge selftest -v kinds='gemm: upsample: norm:' stage=1 codes stage=2 lines
expect selftest none "the time was up in norm:"
echo 'WRONG gemm fwd f32 m=1: error 1' >>lines
judge selftest -v kinds='gemm: upsample: norm:' stage=1 codes stage=2 lines
expect selftest FAIL "2 right, 1 wrong; the time was up in norm:"
sed -i '/WRONG/d' lines
echo 'conv:fwd 139 next  conv fwd bf16 n=2' >>codes
judge selftest -v kinds='gemm: upsample: conv:fwd' stage=1 codes stage=2 lines
expect selftest FAIL "2 right, 0 wrong; ended early: conv:fwd"
grep -qx 'selftest conv:fwd: code 139, last begun: conv fwd bf16 n=2' details || {
	echo "WRONG: selftest does not say what it died of"
	failures=$((failures + 1))
}
echo 'gemm: 77 ' >codes
judge selftest -v kinds='gemm:' stage=1 codes stage=2 empty
expect selftest none "0 right, 0 wrong; no device"

# sums: of a profile, of passes with a column more, of two nets that are judged; the last word on an op counts
sums() {
	name=sums
	awk -f "$judges/lib.awk" -f "$judges/sums.awk" stage=1 "$1" stage=2 "$2" >verdicts
}
{
	record a 1e-3 '' crash
	record a 1e-3
	record b 1e-3 '' oom
	record c 1e-3 '' unsupported
} >records
printf '  forward + backward  predicted      1.500 ms  measured      3.000 ms  error  -50.0 %%\n' >output
sums records output
expect 1 1 0.500
printf '  forward + backward  predicted    500.000 us  measured      1.000 ms  error  -50.0 %%\n' >output
sums records output
expect 1 1 0.500
printf 'net  batch  type  pass         full ms  isolated ms  pred ms  /full\n%s\n%s\n' \
	'a        2  f32   fwd            4.000        5.000    3.000  0.750' \
	'a b      2  bf16  step, nhwc     8.000        5.000    2.000  0.250' >output
sums good output
expect 1 0 '0.750, 0.250'
printf 'net  batch  type  pass         full us  isolated us  pred us  /full\n%s\n' \
	'a        2  f32   fwd            4.000        5.000    3.000  0.750' >output
sums good output
expect 1 0 0.750
printf 'Whole networks: so and so\n%s\n%s\n' \
	'a       64  f32     57       0.5    1.25      1.25      0.6        3.00      2.00     50.0     -9.3  50 %' \
	'b nhwc  64  bf16    57       0.5    1.25      1.25      0.6        1.00      4.00    -75.0     -9.3' >output
sums empty output
expect - - 'a 1.500, b 0.250'

# others: 10 % is allowed, faster or slower
printf 'torch 2.0 cudnn 9\na\t95e-6\nb\t6e-6\nunknown\t1\n' >torch
judge others stage=1 clean stage=2 torch
expect torch pass "0 of 2 to be explained (0 with a bias"
printf 'a\t85e-6\nb\t6e-6\n' >torch
judge others stage=1 clean stage=2 torch
expect torch FAIL "1 of 2 to be explained"
# `a` has a bias, which PyTorch adds in a kernel of its own: ours may be as fast as without it, or as slow as with it
printf 'a\t120e-6\t90e-6\nb\t6e-6\n' >torch
judge others stage=1 clean stage=2 torch
expect torch pass "0 of 2 to be explained (1 with a bias, between PyTorch's times without it and with it); ratios 1.000 to 1.067"
printf 'a\t89e-6\t60e-6\nb\t6e-6\n' >torch # 99 us are 11 % slower than with it
judge others stage=1 clean stage=2 torch
expect torch FAIL "1 of 2 to be explained (1 with a bias, between PyTorch's times without it and with it); ratios 1.067 to 1.112"
printf 'a\t150e-6\t111e-6\nb\t6e-6\n' >torch # 99 us are 11 % faster than without it
judge others stage=1 clean stage=2 torch
expect torch FAIL "1 of 2 to be explained"
judge others stage=1 clean stage=2 empty
expect torch none "PyTorch is not here"

# plans: any answer is reported; what differs is counted
plan() {
	printf '{"op":"conv fwd f32 n=%s","layer":"x","layers":1,"algorithms":[{"engine":%s,"workspace_bytes":0,"knobs":"%s"}]}\n' \
		"$1" "$2" "$3"
}
{
	plan 1 62 t=1
	plan 2 10 t=2
	echo '{"op":"conv fwd f32 n=3","layer":"x","layers":1,"status":"unsupported","reason":"none"}'
} >here
{
	plan 1 62 t=1
	plan 2 10 t=3
	echo '{"op":"conv fwd f32 n=3","layer":"x","layers":1,"status":"unsupported","reason":"none"}'
} >ours
judge plans stage=1 here stage=2 here stage=3 ours
expect heuristics info "3 of 3 the same by its own description; 2 of 3 the same by ours"
judge plans stage=1 here stage=2 empty stage=3 empty
expect heuristics none "none by"
judge plans stage=1 empty stage=2 here stage=3 ours
expect heuristics none "no convolution"

# the table: what no one judged is not measured, and that is no pass
name=table
table() {
	code=0
	awk -f "$judges/table.awk" stage=1 marks stage=2 found >verdicts || code=$?
	cases=$((cases + 1))
	[ "$code" = "$1" ] || {
		echo "WRONG: table ended with $code, expected $1"
		failures=$((failures + 1))
	}
}
says() {
	cases=$((cases + 1))
	grep -qE "$1" verdicts || {
		echo "WRONG: the table does not say '$1':"
		cat verdicts
		failures=$((failures + 1))
	}
}
printf 'a\tfirst\tx\nopen.b\tsecond\tinfo\n' >marks
printf 'a\tpass\tgood\nopen.b\tinfo\t1\n' >found
table 0
says '^1 pass, 0 FAIL, 1 info, 0 not measured'
printf 'a\tpass\tgood\na\tFAIL\tbad\na\tpass\tgood\nopen.b\tinfo\t1\n' >found
table 1
says '^FAIL +first +x +bad'
printf 'a\tpass\tgood\n' >found
table 3
says '^not measured +second +info +no step reported it'
says '1 not measured \(1 of them questions\)'
printf 'a\tnone\tno time\nopen.b\tinfo\t1\n' >found
table 3
says '^not measured +first +x +no time'
printf 'c\tpass\tx\n' >found
table 2

echo "$cases cases, $failures wrong"
[ "$failures" -eq 0 ]
