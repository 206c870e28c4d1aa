# products.sh - the cases of faults.sh that are of GEMMs: fp8, experts, scales of blocks, and what is refused.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154 # of the file that reads this one

# Products in fp8 are right, with what quantises their activations: all three algorithms of two, and
# the bf16 around them. Rows that are not whole 16 bytes, and an older device, are refused in words.
test_fp8() {
	net=fp8.json
	PALEO_CUDA_LIBDIR="$libraries/bf16:$libraries"
	profile "" fp8.jsonl --dtype fp8 --algorithm all --pass fwd
	expect_code 0 "3 ops measured"
	expect_rows ok 7
	expect_rows unsupported 1
	[ "$(grep -c '"op":"gemm fwd fp8 .*"status":"ok".*kernel quantise + cublasLt' "$records")" \
		-eq 6 ] || wrong "not six algorithms quantise and multiply: $(cat "$records")"
	grep -q 'k=64 should be a multiple of 16, n=20 of 8' "$records" ||
		wrong "odd rows are not told: $(cat "$records")"
	[ "$(grep -c '"op":"gemm fwd fp8 .*"status":"ok".*"notes":"fast_accumulation"' "$records")" -eq 6 ] ||
		wrong "not six are accumulated fast, and say so: $(cat "$records")"
	[ "$(grep -c fast_accumulation "$records")" -eq 6 ] || wrong "others are: $(cat "$records")"
	profile fast-refused slow.jsonl --dtype fp8 --pass all
	expect_rows unsupported 3
	grep '"status":"unsupported"' "$records" | grep -vq '"op":"gemm fwd fp8 ' &&
		wrong "gradients are accumulated fast: $(cat "$records")"
	profile old-device old.jsonl --dtype fp8 --pass fwd
	expect_rows ok 1
	grep -q 'fp8 needs compute capability 8.9, this device has 8.0' "$records" ||
		wrong "the old device is not told: $(cat "$records")"
}

# Experts and both gradients of them, in f32 by products of cublasLt, are as the reference has them.
test_experts() {
	net=experts.json
	profile "" experts.jsonl --dtype f32 --pass all
	expect_code 0 " 0 failed"
	for pass in fwd bwd_data bwd_filter; do
		[ "$(grep -c "\"op\":\"moe $pass f32 .*\"status\":\"ok\"" "$records")" -eq 1 ] ||
			wrong "moe $pass is not measured: $(cat "$records")"
	done
	[ "$(grep -c '"op":"moe .*kernels of experts + cublasLt .* + cublasLt ' "$records")" -eq 3 ] ||
		wrong "not all have two products: $(cat "$records")"
}

# What no library computes is not measured: the row says why and what to do, and the prediction stands beside it.
test_refused() {
	net=refused.json
	PALEO_CUDA_LIBDIR="$libraries/bf16:$libraries"
	profile "" refused.jsonl --dtype bf16 --pass fwd
	expect_code 0 " 0 failed"
	expect_rows ok 1
	expect_rows unsupported 4 # the stand-in has no softmax either
	for words in "'causal_conv' is not measured with CUDA: no NVIDIA library has it; predict it, or measure it on a CPU" \
		"'scan' is not measured with CUDA: no NVIDIA library has it; predict it, or measure it on a CPU" \
		"experts with weights in 'mxfp4' are not measured with CUDA: neither cuDNN nor cuBLASLt has their GEMMs; predict them"; do
		grep -qF "$words" "$records" || wrong "'$words' is not told: $(cat "$records")"
	done
	rm -f "$scratch/predicted.jsonl"
	"$paleo" predict --device h100-sxm --dtype bf16 --pass fwd --format jsonl "$net" >"$scratch/predicted.jsonl" 2>&1
	for kind in causal_conv scan moe; do
		grep "\"op\":\"$kind fwd" "$scratch/predicted.jsonl" | grep -q '"predicted_s":[0-9]' ||
			wrong "$kind is not predicted: $(cat "$scratch/predicted.jsonl")"
	done
}

# Products of numbers with scales of blocks are as the reference has them, on the generations that
# have them; the others say which have.
test_blocks() {
	net=blocks.json
	PALEO_CUDA_LIBDIR="$libraries/bf16:$libraries"
	profile "" hopper.jsonl --dtype fp8 --pass fwd
	expect_code 0 " 0 failed"
	expect_rows ok 1
	expect_rows unsupported 3
	grep -q fast_accumulation "$records" && wrong "scales of blocks are accumulated fast: $(cat "$records")"
	for words in "'mxfp8' need compute capability 10.0, this device has 9.0" \
		"'nvfp4' need compute capability 10.0, this device has 9.0" \
		"'mxfp4' are not measured with CUDA: cuBLASLt has none; predict them"; do
		grep -qF "$words" "$records" || wrong "'$words' is not told: $(cat "$records")"
	done
	profile new-device blackwell.jsonl --dtype fp8 --pass fwd
	expect_code 0 " 0 failed"
	expect_rows ok 2
	grep -qF "'fp8_block' only on compute capability 9.0, this device has 10.0" "$records" ||
		wrong "blocks of 128 x 128 are not refused: $(cat "$records")"
}
