/* test_op.c - FLOPs, bytes, keys and ranges of ops, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/op/op.h"
#include "model/op/operand.h"
#include "tests/unit/given.h"

/* Each key is written back as it was read, and counts what the comment works out. */
static const struct {
	const char *key;
	double flops, read_bytes, write_bytes;
	const char *class_name;
} cases[] = {
	/* VGG-16 conv1-2: 2*9*64 * 64*64*224*224 FLOPs; 64*64*224*224*4 = 822,083,584 bytes of x
	 * and of y, 64*64*9*4 = 147,456 of filter */
	{"conv fwd f32 n=64 c=64 h=224 w=224 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
	 236760072192, 822231040, 822083584, "conv"},
	/* output (5+0+1-3)/2+1 = 2 by (6-3)/1+1 = 4, 2 images, 4 filters: 64 outputs of 2*3*3*3
	 * FLOPs and a bias; x 2*6*5*6 = 360, filter 4*3*9 = 108, bias 4, y 64 elements */
	{"conv fwd f32 n=2 c=6 h=5 w=6 k=4 r=3 s=3 stride_h=2 pad_b=1 groups=2 bias=1",
	 64 * 54 + 64, 4 * (360 + 108 + 4), 4 * 64, "conv.grouped"},
	/* the same numbers with channels innermost, only in another order */
	{"conv fwd f32 n=2 c=6 h=5 w=6 k=4 r=3 s=3 stride_h=2 pad_b=1 groups=2 bias=1 layout=nhwc",
	 64 * 54 + 64, 4 * (360 + 108 + 4), 4 * 64, "conv.grouped.nhwc"},
	{"pool fwd f32 mode=max n=1 c=1 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2 layout=nhwc", 16, 64,
	 16 + 4, "pool.max.nhwc"},
	{"lrn fwd f32 n=1 c=2 h=3 w=4 size=5 layout=nhwc", 24 * 14, 96, 96, "lrn.nhwc"},
	/* the whole image under one filter: 3 outputs of 2*2*4 FLOPs; x 8, filter 3*8 */
	{"conv fwd f32 n=1 c=2 h=2 w=2 k=3 r=2 s=2", 48, 4 * 32, 4 * 3, "conv.dense"},
	/* 641 * 6,700,417 = 2^32 + 1 outputs (Euler 1732), of which 32 bits keep the 1 */
	{"conv fwd f32 n=1 c=1 h=641 w=6700417 k=1 r=1 s=1", 2 * 4294967297.0,
	 4 * (4294967297.0 + 1), 4 * 4294967297.0, "conv"},
	/* the gradients move the same three tensors; two bytes an element */
	{"conv bwd_data bf16 n=1 c=4 h=4 w=4 k=4 r=1 s=1 groups=4", 2 * 64, 2 * (64 + 4), 2 * 64,
	 "conv.depthwise"},
	/* 16 x 24 products and sums for each of 48 outputs; x, dy and dw with 2 bytes an element */
	{"conv bwd_filter f16 n=1 c=48 h=4 w=4 k=48 r=1 s=1 groups=2 layout=nhwc", 36864, 3072,
	 2304, "conv.direct.nhwc"},
	/* 32 groups of 4 have a kernel; of 64 channels, or of 3, have none */
	{"conv bwd_filter f16 n=1 c=128 h=4 w=4 k=128 r=1 s=1 groups=32 layout=nhwc", 16384, 8192,
	 1024, "conv.grouped.nhwc"},
	{"conv bwd_filter bf16 n=1 c=96 h=4 w=4 k=96 r=1 s=1 groups=32 layout=nhwc", 9216, 6144,
	 576, "conv.direct.nhwc"},
	/* neither forward, nor with images as they lie, nor in f32 */
	{"conv fwd f16 n=1 c=48 h=4 w=4 k=48 r=1 s=1 groups=2 layout=nhwc", 36864, 1536 + 2304,
	 1536, "conv.grouped.nhwc"},
	{"conv bwd_filter f16 n=1 c=48 h=4 w=4 k=48 r=1 s=1 groups=2", 36864, 3072, 2304,
	 "conv.grouped"},
	{"conv bwd_filter f32 n=1 c=48 h=4 w=4 k=48 r=1 s=1 groups=2 layout=nhwc", 36864, 6144,
	 4608, "conv.grouped.nhwc"},
	/* the second input has 4 elements, which go with 8 twice */
	{"eltwise fwd f32 op=mul inputs=2 count=8 small=4", 8, 4 * (8 + 4), 4 * 8, "eltwise.mul"},
	/* 3x4 times 4x5 */
	{"gemm fwd tf32 m=3 n=5 k=4 trans_b=1 bias=1", 120 + 15, 4 * (12 + 20 + 5), 4 * 15, "gemm"},
	/* 64 outputs more of one comparison each; a sigmoid is three, on 15 outputs */
	{"conv fwd f32 n=2 c=6 h=5 w=6 k=4 r=3 s=3 stride_h=2 pad_b=1 groups=2 bias=1 act=relu",
	 64 * 54 + 64 + 64, 4 * (360 + 108 + 4), 4 * 64, "conv.grouped"},
	{"gemm fwd tf32 m=3 n=5 k=4 trans_b=1 act=sigmoid", 120 + 45, 4 * (12 + 20), 4 * 15,
	 "gemm"},
	/* bias gradient: 3 sums over 4 */
	{"gemm bwd_filter f32 m=3 n=5 k=4 trans_a=1 bias=1", 120 + 12, 4 * (12 + 20), 4 * (15 + 3),
	 "gemm"},
	{"gemm fwd f16 m=3 n=5 k=4 batch=7", 7 * 120, 7 * 2 * 32, 7 * 2 * 15, "gemm.batched"},
	/* 2x2 of a 4x4: 4 windows of 4; the mask is a byte an output */
	{"pool fwd f32 mode=max n=1 c=1 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2", 16, 64, 16 + 4,
	 "pool.max"},
	{"pool bwd_data f32 mode=avg n=1 c=1 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2", 16, 16, 64,
	 "pool.avg"},
	/* 2 x 3 results of 5 products and sums and a bias; in: 10 elements of bf16, 15 of e4m3, 3
	 * of bf16; out: 6 of bf16 */
	{"gemm fwd fp8 m=2 n=3 k=5 trans_b=1 bias=1", 2 * 30 + 6, 2 * 10 + 15 + 2 * 3, 12, "gemm"},
	{"eltwise fwd f32 op=relu count=10", 10, 40, 40, "eltwise.relu"},
	{"eltwise bwd_data f32 op=relu count=10", 20, 80, 40, "eltwise.relu"},
	{"eltwise fwd f32 op=add inputs=3 count=10", 20, 120, 40, "eltwise.add"},
	{"eltwise bwd_data f32 op=mul inputs=2 count=10", 20, 120, 80, "eltwise.mul"},
	{"eltwise fwd f32 op=dropout count=10", 20, 40, 50, "eltwise.dropout"},
	{"eltwise bwd_data f32 op=dropout count=10", 20, 50, 40, "eltwise.dropout"},
	/* 24 elements; 6 of statistics and normalising, 2 of scale and shift */
	{"norm fwd f32 mode=batch n=2 c=3 h=2 w=2 scale=1 shift=1", 24 * 8, 4 * (24 + 6), 4 * 24,
	 "norm.batch"},
	{"norm bwd_data f32 mode=batch n=2 c=3 h=2 w=2 scale=1 shift=1", 24 * 10, 4 * (48 + 3),
	 4 * (24 + 6), "norm.batch"},
	/* in 16 bits scale, shift and their gradients are f32; RMS: squares 2, normalise 2, scale
	 */
	{"norm bwd_data bf16 mode=batch n=2 c=3 h=2 w=2 scale=1 shift=1", 24 * 10, 2 * 48 + 4 * 3,
	 2 * 24 + 4 * 6, "norm.batch"},
	{"norm fwd f16 mode=rms n=2 c=3 h=2 w=2 scale=1", 24 * 5, 2 * 24 + 4 * 3, 2 * 24,
	 "norm.rms"},
	{"norm fwd bf16 mode=batch_inference n=2 c=3 h=2 w=2 scale=1 shift=1", 24 * 4,
	 2 * 24 + 4 * 12, 2 * 24, "norm.batch_inference"},
	/* normalise 2, scale, shift; mean and variance are read, too */
	{"norm fwd f32 mode=batch_inference n=2 c=3 h=2 w=2 scale=1 shift=1", 24 * 4, 4 * (24 + 12),
	 4 * 24, "norm.batch_inference"},
	{"lrn fwd f32 n=1 c=2 h=3 w=4 size=5", 24 * 14, 96, 96, "lrn"},
	{"softmax bwd_data f32 rows=3 cols=4", 48, 96, 48, "softmax"},
	/* 3 rows of 3 additions, of 3 and a division, of 3 comparisons; 12 elements in, 3 out. The
	 * gradient of a sum is copied, of a mean divided once a row. */
	{"reduce fwd f32 op=sum rows=3 cols=4", 9, 48, 12, "reduce.sum"},
	{"reduce fwd bf16 op=mean rows=3 cols=4", 12, 24, 6, "reduce.mean"},
	{"reduce fwd f32 op=max rows=3 cols=4", 9, 48, 12, "reduce.max"},
	{"reduce bwd_data f32 op=sum rows=3 cols=4", 0, 12, 48, "reduce.sum"},
	{"reduce bwd_data f32 op=mean rows=3 cols=4", 3, 12, 48, "reduce.mean"},
	{"copy fwd f32 rows=2 cols=7 parts=3", 0, 56, 56, "copy"},
	{"upsample fwd f32 mode=bilinear n=1 c=1 h=2 w=2 scale_h=2 scale_w=3", 7 * 24, 16, 96,
	 "upsample.bilinear"},
	/* what one pixel was copied to is summed up */
	{"upsample bwd_data f32 mode=nearest n=1 c=1 h=2 w=2 scale_h=2 scale_w=3", 24, 96, 16,
	 "upsample.nearest"},
	{"gemm fwd f32 m=3 n=5 k=4 batch=2", 240, 4 * 2 * (12 + 20), 4 * 2 * 15, "gemm.batched"},
	/* a row of results is no single one */
	{"conv fwd f32 n=1 c=1 h=1 w=3 k=1 r=1 s=1", 6, 4 * (3 + 1), 4 * 3, "conv"},
	/* weights and two moments are read and written, the gradient is read */
	{"update update f32 rule=adam count=5", 70, 80, 60, "update.adam"},
	{"update update f32 rule=sgd count=5", 10, 40, 20, "update.sgd"},
	/* in 16 bits f32 masters and moments are read and written: 28 bytes a weight, 20, 12 */
	{"update update bf16 rule=adam count=5", 70, 5 * 14, 5 * 14, "update.adam"},
	{"update update f16 rule=momentum count=5", 20, 5 * 10, 5 * 10, "update.momentum"},
	{"update update bf16 rule=sgd count=5", 10, 5 * 6, 5 * 6, "update.sgd"},
	/* silu is four operations, its product one; the gradients of both inputs eleven */
	{"eltwise fwd f32 op=silu_mul inputs=2 count=10", 50, 80, 40, "eltwise.silu_mul"},
	{"eltwise bwd_data f32 op=silu_mul inputs=2 count=10", 110, 120, 80, "eltwise.silu_mul"},
	/* one addition more of 24 elements; two tensors in, two out; backward a second dy in */
	{"norm fwd bf16 mode=rms n=2 c=3 h=2 w=2 scale=1 add=1", 24 * 6, 2 * 48 + 4 * 3, 2 * 48,
	 "norm.rms_add"},
	{"norm bwd_data bf16 mode=rms n=2 c=3 h=2 w=2 scale=1 add=1", 24 * 9, 2 * 72 + 4 * 3,
	 2 * 24 + 4 * 3, "norm.rms_add"},
	/* 3 queries behind 2 keys see 3 + 4 + 5 = 12 of them, in 2 sequences of 4 heads: 96 pairs
	 * of 2*8 + 2*6 + 5; in: q 2*3*4*8 = 192, k 2*5*2*8 = 160, v 2*5*2*6 = 120; out: 2*3*4*6 */
	{"attention fwd bf16 batch=2 q=3 keys=5 heads=4 kv_heads=2 qk=8 v=6 causal=1", 96 * 33,
	 2 * (192 + 160 + 120), 2 * 144, "attention.expanded"},
	/* a window of 2 keys: 2 + 2 + 2; the first of the 5 keys is seen by none */
	{"attention fwd bf16 batch=2 q=3 keys=5 heads=4 kv_heads=2 qk=8 v=6 causal=1 window=2",
	 48 * 33, 2 * (192 + 128 + 96), 2 * 144, "attention.expanded"},
	/* of 4: 3 + 4 + 4 */
	{"attention fwd bf16 batch=2 q=3 keys=5 heads=4 kv_heads=2 qk=8 v=6 causal=1 window=4",
	 88 * 33, 2 * (192 + 160 + 120), 2 * 144, "attention.expanded"},
	/* 96 pairs of five products, 3*2*8 + 2*2*6, and 4; 24 rows of 2*6; y and dy besides */
	{"attention bwd_data bf16 batch=2 q=3 keys=5 heads=4 kv_heads=2 qk=8 v=6 causal=1",
	 96 * 76 + 24 * 12, 2 * (192 + 160 + 120 + 144 + 144), 2 * (192 + 160 + 120),
	 "attention.expanded"},
	/* a window on both sides: 2 + 3 + 3 + 2 pairs; as wide as all: 3 * 3 */
	{"attention fwd f32 batch=1 q=4 keys=4 heads=1 kv_heads=1 qk=2 v=2 window=3", 10 * 13,
	 4 * 24, 4 * 8, "attention.full"},
	{"attention fwd f32 batch=1 q=3 keys=3 heads=1 kv_heads=1 qk=2 v=2 window=9", 9 * 13,
	 4 * 18, 4 * 6, "attention.full"},
	{"attention fwd f32 batch=1 q=2 keys=3 heads=1 kv_heads=1 qk=2 v=2", 6 * 13, 4 * 16, 4 * 4,
	 "attention.full"},
	/* decoding: 5 keys, 8 heads, 2*8 + 2*8 + 5, and 2 tokens of 4 + 2 heads are rotated, 3*8
	 * each; in: q 2*64, 4 old keys and values of a byte 2*128, new ones 2*64, angles 4*8;
	 * appended 64 bytes, y 2*64 */
	{"attention fwd bf16 batch=2 q=1 keys=5 heads=4 kv_heads=2 qk=8 v=8 causal=1 cache=1 "
	 "rope=8 "
	 "kv=fp8",
	 40 * 37 + 2 * 6 * 24, 128 + 256 + 128 + 32, 64 + 128, "attention.decode"},
	/* latent: 12 pairs of 2*6 + 2*4 + 5; 24 of q, 2 old keys of 6 and a new one, no values */
	{"attention fwd bf16 batch=1 q=1 keys=3 heads=4 kv_heads=1 qk=6 v=4 causal=1 latent=1 "
	 "cache=1",
	 12 * 25, 2 * (24 + 12 + 6), 2 * (6 + 16), "attention.latent"},
	/* 3 of 5 rows, 4 numbers each, and their own numbers; of 7 tokens all 5 rows once */
	{"embedding fwd bf16 tokens=3 vocab=5 dim=4", 0, 12 + 24, 24, "embedding"},
	{"embedding fwd bf16 tokens=7 vocab=5 dim=4", 0, 28 + 40, 56, "embedding"},
	{"embedding bwd_filter f32 tokens=3 vocab=5 dim=4", 12, 12 + 48, 80, "embedding"},
	/* 24 numbers of two products and a sum; 3 rows of 4 cosines and sines in f32 */
	{"rope fwd bf16 rows=3 heads=2 dim=4", 72, 48 + 48, 48, "rope"},
	/* 30 numbers of 4 products and sums, bias, silu; x 30, w 20, bias 5 of 2 bytes */
	{"causal_conv fwd bf16 batch=2 tokens=3 channels=5 taps=4 bias=1 act=1", 30 * 13, 110, 60,
	 "causal_conv"},
	/* a step: x 10, w 20, and of 2 sequences 3 tokens of 5 numbers in and out */
	{"causal_conv fwd bf16 batch=2 tokens=1 channels=5 taps=4 cache=1", 80, 20 + 40 + 60,
	 60 + 20, "causal_conv.step"},
	/* 8 for x, 8 for w, 1 for the bias, 9 anew and 8 of silu's gradient; dy besides */
	{"causal_conv bwd_data bf16 batch=2 tokens=3 channels=5 taps=4 bias=1 act=1", 30 * 34, 170,
	 110, "causal_conv"},
	/* 3 tokens, 2 heads: 5 for 4 x 5 of the state, 3 for 5 values, 6 of d and decay; a token
	 * brings 2 x 4 of q and k, 2 x 5 values, 2 gates; 3 numbers of a head are learned */
	{"scan fwd bf16 rule=ssd batch=1 tokens=3 heads=2 groups=1 qk=4 v=5", 6 * 121, 120 + 24, 60,
	 "scan.ssd"},
	/* twice that; dy besides, and gradients of all that goes in */
	{"scan bwd_data f32 rule=ssd batch=1 tokens=3 heads=2 groups=1 qk=4 v=5", 12 * 121,
	 240 + 24 + 120, 240 + 24, "scan.ssd"},
	/* 7 x 20, 2 x 5, 9 of each head; 4 and 7 x 4 of the lengths of q and k; 22 numbers come,
	 * 2 x 2 are learned, a state of 2 x 20 in and out */
	{"scan fwd bf16 rule=delta batch=1 tokens=1 heads=2 groups=1 qk=4 v=5 cache=1 kv=bf16",
	 2 * 159 + 32, 44 + 16 + 80, 80 + 20, "scan.delta_step"},
	/* decays of 4 numbers: 6 x 4 and 3 of each head's gates; 5 gates, 5 numbers learned */
	{"scan fwd bf16 rule=kda batch=1 tokens=1 heads=2 groups=2 qk=4 v=5", 2 * 177 + 2 * 32,
	 72 + 40, 20, "scan.kda"},
	/* channels are heads of one value: 7 x 4, 3, 4; 8 of q and k and 3 x 2; 6 learned */
	{"scan fwd f32 rule=selective batch=1 tokens=2 heads=3 groups=1 qk=4 v=1", 6 * 35, 112 + 72,
	 24, "scan.selective"},
	/* 4 tokens, 2 experts each, half of which are here: 4 pairs of 6*6*5, 5*5, 2*6; 8 numbers
	 * of experts and gates; 4 experts of 3*6*5 */
	{"moe fwd bf16 tokens=4 hidden=6 inter=5 experts=8 local=4 topk=2 gated=1", 4 * 217,
	 2 * (24 + 240 + 120) + 64, 2 * 24, "moe"},
	/* one pair: one of the experts */
	{"moe fwd bf16 tokens=1 hidden=6 inter=5 experts=8 local=4 topk=2 gated=1", 217,
	 2 * (6 + 60 + 30) + 16, 2 * 6, "moe"},
	/* 4 pairs of 6*6*5 for the tokens, 11*5 of silu and product, 4*6; dy, numbers and gates,
	 * experts, of each pair 10 numbers from the first products; their gradients and dx */
	{"moe bwd_data bf16 tokens=4 hidden=6 inter=5 experts=8 local=4 topk=2 gated=1", 4 * 259,
	 2 * (24 + 360 + 40) + 64, 2 * (40 + 24), "moe"},
	/* as many for the experts, 5*5 anew and 6 of the gate; x and dy, both of each pair */
	{"moe bwd_filter bf16 tokens=4 hidden=6 inter=5 experts=8 local=4 topk=2 gated=1", 4 * 211,
	 2 * (48 + 80) + 64, 2 * 360, "moe"},
	/* two products and a squared maximum; experts are a byte a number */
	{"moe fwd fp8 tokens=4 hidden=6 inter=5 experts=8 local=4 topk=2", 4 * (120 + 10 + 12),
	 48 + 64 + 240, 48, "moe"},
	/* of 3 x 64 weights: 4 bits and a byte for 32 of them; a byte and 4 for 128 x 128; of 360
	 * of experts 4 bits and a byte for 16 */
	{"gemm fwd bf16 m=2 n=3 k=64 trans_b=1 stored=mxfp4", 768, 256 + 96 + 6, 12,
	 "gemm.weight_only"},
	{"gemm fwd bf16 m=2 n=3 k=64 trans_b=1 stored=nvfp4", 768, 256 + 96 + 12, 12, "gemm.fp4"},
	{"gemm fwd bf16 m=2 n=3 k=128 stored=int4_g128", 1536, 512 + 192 + 3 * 2, 12,
	 "gemm.weight_only"},
	{"gemm fwd bf16 m=2 n=3 k=128 stored=int4_g128_zero", 1536, 512 + 192 + 3 * 2.5, 12,
	 "gemm.weight_only"},
	{"gemm fwd fp8 m=2 n=3 k=64 trans_b=1 stored=fp8_block", 768, 256 + 192 + 192.0 / 4096, 12,
	 "gemm.block"},
	/* a byte and one for 32 */
	{"gemm fwd fp8 m=2 n=3 k=64 trans_b=1 stored=mxfp8", 768, 256 + 192 + 6, 12, "gemm.block"},
	{"moe fwd bf16 tokens=4 hidden=6 inter=5 experts=8 local=4 topk=2 gated=1 stored=nvfp4",
	 4 * 217, 48 + 180 + 22.5 + 64, 2 * 24, "moe.fp4"},
	/* 2 rows of 4*5 + 3; losses are f32 */
	{"cross_entropy fwd bf16 rows=2 cols=5", 46, 20 + 8, 8, "cross_entropy"},
	{"cross_entropy bwd_data bf16 rows=2 cols=5", 62, 20 + 8, 20, "cross_entropy"},
};

static void counts_what_a_op_costs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		assert_true(w.flops == cases[i].flops);
		assert_true(w.read_bytes == cases[i].read_bytes);
		assert_true(w.write_bytes == cases[i].write_bytes);
		assert_string_equal(paleo_op_class(&w), cases[i].class_name);
	}
}

static void writes_the_key_it_read(void **state)
{
	char key[PALEO_OP_KEY_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		paleo_op_key(&w, key, sizeof(key));
		assert_string_equal(key, cases[i].key);
		struct paleo_op again = given_op(key);
		assert_true(paleo_op_equal(&w, &again));
	}
}

static void leaves_defaults_out_of_the_key(void **state)
{
	char key[PALEO_OP_KEY_MAX];

	(void)state;
	struct paleo_op w = given_op("conv fwd f32 n=1 c=2 h=4 w=4 k=3 r=3 s=3 pad_t=0 dil_h=1");
	paleo_op_key(&w, key, sizeof(key));
	assert_string_equal(key, "conv fwd f32 n=1 c=2 h=4 w=4 k=3 r=3 s=3");
}

static void the_longest_key_fits(void **state)
{
	char key[PALEO_OP_KEY_MAX];

	(void)state;
	struct paleo_op w = given_op(
		"conv bwd_filter tf32 n=16777216 c=16777216 h=16777216 w=16777216 k=16777216 "
		"r=16777216 s=16777216 stride_h=1048576 stride_w=1048576 pad_t=65536 pad_l=65536 "
		"pad_b=65536 pad_r=65536 bias=1");
	paleo_op_key(&w, key, sizeof(key));
	assert_true(strlen(key) < sizeof(key));
}

static void ops_differ_by_any_field(void **state)
{
	(void)state;
	struct paleo_op a = given_op("gemm fwd f32 m=3 n=5 k=4");
	struct paleo_op b = given_op("gemm fwd f32 m=3 n=5 k=4 trans_a=1");
	struct paleo_op c = given_op("gemm fwd tf32 m=3 n=5 k=4");
	struct paleo_op d = given_op("gemm bwd_data f32 m=3 n=5 k=4");

	assert_true(paleo_op_equal(&a, &a));
	assert_false(paleo_op_equal(&a, &b));
	assert_false(paleo_op_equal(&a, &c));
	assert_false(paleo_op_equal(&a, &d));
}

/* Keys that must be refused, and a part of the sentence. */
static const struct {
	const char *key, *says;
} bad[] = {
	{"", "the kind of op is missing"},
	{"conv", "the pass is missing"},
	{"konv fwd f32", "unknown kind of op 'konv'"},
	{"conv forward f32", "unknown pass 'forward'"},
	{"conv fwd f31", "unknown dtype 'f31'"},
	{"conv update f32 n=1", "'conv' has no pass 'update'"},
	{"eltwise bwd_data f32 op=add inputs=2 count=3", "no op in its backward pass"},
	{"reduce bwd_data f32 op=max rows=2 cols=3", "the maximum of a row has no backward pass"},
	{"reduce fwd f32 op=min rows=2 cols=3", "unknown op 'min'"},
	{"reduce fwd f32 op=sum rows=2", "'cols' is 0"},
	{"gemm fwd f32 m=3 n=5", "'k' is 0"},
	{"gemm fwd f32 n=5 m=3 k=2", "out of order"},
	{"gemm fwd f32 m=3 m=3 n=5 k=2", "twice"},
	{"gemm fwd f32 m=3 n=5 k=2 z=1", "not a field of 'gemm'"},
	{"gemm fwd f32 m=-3 n=5 k=2", "expected an integer"},
	{"gemm fwd f32 m=3.5 n=5 k=2", "expected an integer"},
	{"gemm fwd f32 m= n=5 k=2", "expected an integer"},
	{"gemm fwd f32 m=16777217 n=5 k=2", "expected at most 16777216"},
	{"gemm fwd f32 m=3 n=5 k=2 trans_a=2", "'trans_a' is 2"},
	{"gemm bwd_data f32 m=3 n=5 k=2 bias=1", "a bias requires"},
	{"gemm bwd_data fp8 m=3 n=5 k=2", "'gemm bwd_data' does not run in fp8"},
	{"gemm fwd fp8 m=3 n=5 k=2 batch=2", "of batch 1, attention and experts; use bf16"},
	{"eltwise fwd fp8 op=relu count=3", "'eltwise fwd' does not run in fp8"},
	{"attention fwd f32 batch=1 q=2 keys=3 heads=3 kv_heads=2 qk=2 v=2",
	 "3 heads cannot share 2 evenly"},
	{"attention fwd f32 batch=1 q=4 keys=3 heads=1 kv_heads=1 qk=2 v=2 causal=1",
	 "4 queries have more than their 3 keys"},
	{"attention fwd f32 batch=1 q=2 keys=3 heads=1 kv_heads=1 qk=2 v=2 window=2",
	 "a non-causal window needs an odd size"},
	{"attention bwd_data f32 batch=1 q=2 keys=3 heads=1 kv_heads=1 qk=2 v=2 cache=1",
	 "has no backward pass"},
	{"attention fwd f32 batch=1 q=2 keys=3 heads=1 kv_heads=1 qk=4 v=2 rope=2", "with a cache"},
	{"moe bwd_data bf16 tokens=4 hidden=6 inter=5 experts=8 local=4 topk=2 stored=mxfp4",
	 "require a forward pass"},
	{"moe fwd f32 tokens=4 hidden=6 inter=5 experts=8 local=9 topk=2", "cannot have 9"},
	{"gemm bwd_data bf16 m=2 n=3 k=64 stored=mxfp4", "require a forward pass of batch 1"},
	{"gemm fwd bf16 m=2 n=3 k=64 stored=fp4", "unknown stored 'fp4'"},
	{"scan fwd f32 rule=ssd batch=1 tokens=1 heads=3 groups=2 qk=4 v=4", "cannot share 2"},
	{"scan fwd f32 rule=ssd batch=1 tokens=1 heads=2 groups=2 qk=4 v=4 kv=bf16",
	 "requires a cache"},
	{"scan bwd_data f32 rule=ssd batch=1 tokens=1 heads=2 groups=2 qk=4 v=4 cache=1",
	 "has no backward pass"},
	{"causal_conv bwd_data f32 batch=1 tokens=1 channels=2 taps=4 cache=1",
	 "has no backward pass"},
	{"rope fwd f32 rows=1 heads=1 dim=3", "cannot be divided into pairs"},
	{"norm fwd f32 mode=layer n=1 c=1 h=1 w=1 add=1", "requires an RMS normalisation"},
	{"conv fwd f32 n=1 c=1 h=3 w=3 k=1 r=4 s=1", "does not fit into input 3x3"},
	{"conv fwd f32 n=1 c=6 h=3 w=3 k=4 r=1 s=1 groups=4",
	 "groups 4 do not divide 6 input and 4 output channels"},
	{"pool fwd f32 mode=max n=1 c=1 h=4 w=4 r=2 s=2 pad_t=2", "padding reaches past"},
	{"pool fwd f32 mode=mux n=1 c=1 h=4 w=4 r=2 s=2", "unknown mode 'mux'"},
	{"lrn fwd f32 n=1 c=2 h=3 w=4 size=4", "size must be odd"},
	{"copy fwd f32 rows=1 cols=2 parts=3", "2 columns cannot be divided into 3 parts"},
	/* 2^24 rows twice over no longer are an int's */
	{"upsample fwd f32 mode=nearest n=1 c=1 h=16777216 w=1 scale_h=16777216",
	 "an output of 281474976710656x1 is too large"},
	{"eltwise fwd f32 op=relu inputs=2 count=3", "'relu' takes 1 to 1 inputs"},
};

static void refuses_what_is_no_op(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct paleo_op w = {.flops = -1};
		struct paleo_error err = {0};
		assert_true(paleo_op_parse(bad[i].key, &w, &err) < 0);
		if (!strstr(err.text, bad[i].says))
			fail_msg("'%s' said: %s", bad[i].key, err.text);
		assert_true(w.flops == -1); /* untouched on failure */
	}
}

static void tells_the_parts_of_a_copy(void **state)
{
	/* 7 columns in 3 parts: 3, 2, 2 */
	const struct paleo_copy_geom g = {.rows = 1, .cols = 7, .parts = 3};
	int start;

	(void)state;
	assert_int_equal(paleo_copy_part(&g, 0, &start), 3);
	assert_int_equal(start, 0);
	assert_int_equal(paleo_copy_part(&g, 1, &start), 2);
	assert_int_equal(start, 3);
	assert_int_equal(paleo_copy_part(&g, 2, &start), 2);
	assert_int_equal(start, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_a_op_costs),
		cmocka_unit_test(writes_the_key_it_read),
		cmocka_unit_test(leaves_defaults_out_of_the_key),
		cmocka_unit_test(the_longest_key_fits),
		cmocka_unit_test(ops_differ_by_any_field),
		cmocka_unit_test(refuses_what_is_no_op),
		cmocka_unit_test(tells_the_parts_of_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
