/* test_kernels.c - the plug-in's kernels, as its plans launch them, against the reference. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/plans/product.h"
#include "bench/fill.h"
#include "bench/reference.h"
#include "host_jobs.h"
#include "host_kernels.h"
#include "kernel_ops.h"
#include "model/op/dtype.h"
#include "tests/unit/unit.h"

static int act_of(const struct paleo_op *w)
{
	return w->kind == PALEO_CONV ? w->geom.conv.act : w->geom.gemm.act;
}

static void agree_with_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; kernel_ops[i]; i++)
		host_job_check(kernel_ops[i]);
}

/* What has pictures, again. */
static void agree_with_channels_innermost(void **state)
{
	static const char *const kinds[] = {"pool", "upsample", "norm", "conv"};
	char key[PALEO_OP_KEY_MAX];

	(void)state;
	for (size_t i = 0; kernel_ops[i]; i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			if (strncmp(kernel_ops[i], kinds[k], strlen(kinds[k])) != 0)
				continue;
			snprintf(key, sizeof(key), "%s layout=nhwc", kernel_ops[i]);
			host_job_check(key);
		}
	}
}

/* 2 images of 3 channels of 2 x 2 pixels. Channel 1, pixel 2 of image 1: as planes it is number
 * 12 + 4 + 2 = 18; as pixels 12 + 2 * 3 + 1 = 19. A filter is laid out alike, a bias is not. */
static void know_where_an_element_lies(void **state)
{
	struct paleo_job j =
		host_job_open("conv bwd_filter # n=2 c=3 h=2 w=2 k=2 r=2 s=2 bias=1 layout=nhwc");

	(void)state;
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_X), 18) == 19);
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_DW), 18) == 19);
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_DBIAS), 1) == 1);
	host_job_close(&j);
	j = host_job_open("conv bwd_filter # n=2 c=3 h=2 w=2 k=2 r=2 s=2 bias=1");
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_X), 18) == 18);
	host_job_close(&j);
}

/* y is -1, 0, 1, ... by position before, so that y + bias is known. */
static void check_bias(const char *key, long long plane, long long channels)
{
	struct paleo_job j = host_job_open(key);
	const struct paleo_operand *o = paleo_job_operand(&j, PALEO_Y);
	struct paleo_frame f = paleo_frame_of(&j.op);
	long long count = (long long)paleo_operand_count(o);

	host_job_fill_inputs(&j);
	/* y gets the values of another input of the same length: the hash of role y. */
	f.x = paleo_job_address(&j, PALEO_Y, 0, 0);
	f.count = count;
	f.stream = paleo_fill_stream(PALEO_Y, 0);
	f.factor = 1;
	host_kernel_run(host_kernel_find("fill"), 1, &f, NULL);
	host_job_launch(&j, PALEO_TIMED, 0);
	for (long long i = 0; i < count; i++) { /* by its place: y was filled in memory's order */
		float before = paleo_fill_value(&j.op, PALEO_Y, 0, (double)i);
		float bias = paleo_fill_value(&j.op, PALEO_BIAS, 0, (double)(i / plane % channels));
		float expected = paleo_round_to(before + bias, j.op.dtype);
		assert_true(host_element(f.x, i) == expected);
	}
	host_job_close(&j);
}

static void add_the_bias_of_the_channel(void **state)
{
	(void)state;
	/* 4 x 5 outputs of each of 3 channels; 7 columns of one pixel. */
	check_bias("conv fwd # n=2 c=2 h=6 w=6 k=3 r=3 s=2 bias=1", 20, 3);
	check_bias("conv fwd # n=3 c=2 h=1 w=1 k=5 r=1 s=1 bias=1", 1, 5);
	check_bias("gemm fwd # m=9 n=7 k=3 bias=1", 1, 7);
	/* 3 channels at each pixel */
	check_bias("conv fwd # n=2 c=2 h=6 w=6 k=3 r=3 s=2 bias=1 layout=nhwc", 1, 3);
}

/* The activation that ends a product works on y in place: y is filled, then put through. */
static void check_act(const char *key)
{
	struct paleo_job j = host_job_begin(key);
	struct paleo_error err;
	struct paleo_frame f = paleo_frame_of(&j.op);

	assert_int_equal(paleo_plan_act(&j, act_of(&j.op), &err), PALEO_OK);
	host_job_take_memory(&j);
	f.x = paleo_job_address(&j, PALEO_Y, 0, 0);
	f.count = (long long)paleo_operand_count(paleo_job_operand(&j, PALEO_Y));
	f.stream = paleo_fill_stream(PALEO_Y, 0);
	f.factor = 1;
	host_kernel_run(host_kernel_find("fill"), 1, &f, NULL);
	host_job_launch(&j, PALEO_TIMED, 0);
	for (long long i = 0; i < f.count; i++) {
		float before = paleo_fill_value(&j.op, PALEO_Y, 0, (double)i);
		assert_true(host_element(f.x, i) == (before > 0 ? before : 0));
	}
	host_job_close(&j);
}

static void end_a_product_with_an_activation(void **state)
{
	(void)state;
	check_act("conv fwd # n=2 c=2 h=6 w=6 k=3 r=3 s=2 bias=1 act=relu");
	check_act("gemm fwd # m=9 n=7 k=3 bias=1 act=relu");
}

/* Codes and scales lie where cublasLt's documentation has them, which host_library.c reads it by:
 * the product is that of the reference. Rows and blocks that fill no tile; 2 tiles of both; a last
 * row of blocks that is not whole. */
static void quantise_in_blocks(void **state)
{
	static const char *const keys[] = {
		"gemm fwd fp8 m=12 n=136 k=640 trans_b=1 stored=fp8_block",
		"gemm fwd fp8 m=4 n=264 k=128 trans_b=1 stored=fp8_block",
		"gemm fwd fp8 m=5 n=136 k=160 trans_b=1 stored=mxfp8",
		"gemm fwd fp8 m=131 n=8 k=32 trans_b=1 stored=mxfp8",
		"gemm fwd # m=5 n=136 k=96 trans_b=1 stored=nvfp4",
		"gemm fwd # m=131 n=8 k=32 trans_b=1 stored=nvfp4",
		"gemm fwd fp8 m=5 n=136 k=96 trans_b=1 stored=nvfp4",
	};

	(void)state;
	for (size_t i = 0; host_element_bytes() == 2 && i < sizeof(keys) / sizeof(*keys); i++) {
		struct paleo_job j = host_job_begin(keys[i]);
		const struct paleo_gemm_geom *g = &j.op.geom.gemm;
		const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
		const struct paleo_product p = {.x.role = PALEO_MASK,
						.w.role = PALEO_W,
						.y.role = PALEO_Y,
						.m = g->m,
						.n = g->n,
						.k = g->k,
						.batch = 1,
						.trans_b = 1,
						.dtype = j.op.dtype,
						.scaling = PALEO_BLOCK_SCALED,
						.stored = g->stored,
						.factor = (float)paleo_fill_scale(&j.op, PALEO_W) /
							  paleo_block_span(b)};
		struct paleo_error err;
		assert_int_equal(paleo_plan_quantise_blocks(&j, &err), PALEO_OK);
		assert_int_equal(paleo_product_add(&j, &p, 0, NULL, &err), PALEO_OK);
		host_job_take_memory(&j);
		memset(j.layout.base, 0xff, j.layout.total_bytes);
		host_job_fill(&j, paleo_job_operand(&j, PALEO_X), 0);
		host_job_launch(&j, PALEO_SETUP, 0);
		host_job_launch(&j, PALEO_TIMED, 0);
		assert_int_equal(host_job_compare(&j, paleo_job_operand(&j, PALEO_Y), 0, 0),
				 g->m * g->n);
		host_job_close(&j);
	}
}

/* Rows of experts in e4m3: codes that two scales go with, one after the other. */
static void quantise_the_rows_of_experts(void **state)
{
	(void)state;
	if (host_element_bytes() != 2)
		return;
	host_job_check("moe fwd fp8 tokens=7 hidden=32 inter=16 experts=8 local=8 topk=2 gated=1");
	host_job_check("moe fwd fp8 tokens=5 hidden=16 inter=48 experts=8 local=3 topk=3");
}

/* What an expert makes of a row of inner, in double: silu(a) b, or max(a, 0)^2. */
static double between(const struct paleo_op *w, uint64_t row, int i)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	double first = (double)row * g->inter * (g->gated ? 2 : 1) + i;
	double a = paleo_fill_value(w, PALEO_INNER, 0, first);

	if (!g->gated)
		return a > 0 ? a * a : 0;
	return a / (1 + exp(-a)) * (double)paleo_fill_value(w, PALEO_INNER, 0, first + g->inter);
}

/* y[t] = sum of gate e(x[t]), so a gate's gradient is the product of dy[t] and w2 times what is
 * between. No operand of the op has it. */
static void check_gates(const char *key)
{
	struct paleo_job j = host_job_open(key);
	const struct paleo_op *w = &j.op;
	const struct paleo_moe_geom *g = &w->geom.moe;
	double tolerance = paleo_reference_tolerance(w);

	host_job_fill_inputs(&j);
	host_job_launch(&j, PALEO_SETUP, 0);
	host_job_launch(&j, PALEO_TIMED, 0);
	const float *found = paleo_job_address(&j, PALEO_DSCALE, 0, 0);
	for (uint64_t row = 0; row < (uint64_t)paleo_fill_expert_rows(g); row++) {
		uint64_t pair = paleo_fill_expert_pair(g, row);
		uint64_t token = pair / (uint64_t)g->topk;
		double sum = 0, squares = 0;
		double expert = paleo_fill_value(w, PALEO_INDEX, 0, (double)pair);
		for (int k = 0; k < g->hidden * g->inter; k++) {
			int c = k / g->inter, i = k % g->inter;
			double dy = paleo_fill_value(w, PALEO_DY, 0, (double)token * g->hidden + c);
			double at = (expert * g->hidden + c) * g->inter + i;
			double term = dy * (double)paleo_fill_value(w, PALEO_W2, 0, at) *
				      between(w, row, i);
			sum += term;
			squares += term * term;
		}
		if (!(fabs((double)found[pair] - sum) <= tolerance * sqrt(squares)))
			fail_msg("%s: the gradient of gate %d is %.9g, not %.9g", key, (int)pair,
				 (double)found[pair], sum);
	}
	host_job_close(&j);
}

/* Some experts elsewhere, rows of whole packs and of others; with a gate inside and without. */
static void give_the_gradients_of_gates(void **state)
{
	(void)state;
	check_gates("moe bwd_data # tokens=8 hidden=24 inter=16 experts=8 local=4 topk=2 gated=1");
	check_gates("moe bwd_data # tokens=7 hidden=13 inter=11 experts=4 local=4 topk=3");
}

/* More elements than 32 bits can number, a window that a byte cannot number: said, not done. */
static void refuse_what_they_cannot_do(void **state)
{
	static const struct {
		const char *key, *says;
	} cases[] = {
		{"pool fwd f32 mode=max n=1 c=1 h=17 w=17 r=17 s=17", "17 x 17 pixels"},
		{"pool fwd f32 mode=avg n=4096 c=4096 h=16 w=16 r=1 s=1", "2^32"},
		{"norm fwd f32 mode=batch n=65536 c=65536 h=1 w=1 scale=1 shift=1", "2^32"},
	};
	const struct paleo_bench_options options = {.mode = PALEO_COLD};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct paleo_error err;
		struct paleo_op w;
		struct paleo_job j;
		assert_int_equal(paleo_op_parse(cases[i].key, &w, &err), PALEO_OK);
		paleo_job_begin(&j, &w, &options);
		int rc = w.kind == PALEO_POOL ? paleo_plan_pool(&j, &err)
					      : paleo_plan_norm_kernels(&j, &err);
		assert_int_equal(rc, PALEO_EUNSUPPORTED);
		if (!strstr(err.text, cases[i].says))
			fail_msg("'%s' said: %s", cases[i].key, err.text);
		paleo_job_clear(&j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agree_with_the_reference),
		cmocka_unit_test(agree_with_channels_innermost),
		cmocka_unit_test(know_where_an_element_lies),
		cmocka_unit_test(add_the_bias_of_the_channel),
		cmocka_unit_test(end_a_product_with_an_activation),
		cmocka_unit_test(quantise_in_blocks),
		cmocka_unit_test(quantise_the_rows_of_experts),
		cmocka_unit_test(give_the_gradients_of_gates),
		cmocka_unit_test(refuse_what_they_cannot_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
