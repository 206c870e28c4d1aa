/* test_kernels.c - the plug-in's kernels, as its plans launch them, against the reference. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/kernels.h"
#include "bench/backends/cuda/plans.h"
#include "bench/backends/cuda/product.h"
#include "bench/fill.h"
#include "bench/reference.h"
#include "host_kernels.h"
#include "host_library.h"
#include "kernel_works.h"
#include "model/work/weight_type.h"
#include "tests/unit/unit.h"

/*
 * The plans are the plug-in's own: which kernel, how many blocks, which geometry. Only
 * the launch is another: it runs the same text of the kernel on the CPU. What remains
 * untested is the device's compiler and the device.
 */
struct call {
	int number;
	unsigned blocks;
	struct paleo_frame frame;
};

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	const struct call *c = step->state;
	struct paleo_frame f = c->frame;
	struct paleo_parts parts;

	(void)err;
	paleo_frame_bind(&f, j, copy);
	paleo_parts_bind(&parts, j, copy);
	host_kernel_run(c->number, c->blocks, &f, &parts);
	return PALEO_OK;
}

static void release(struct paleo_step *step)
{
	free(step->state);
}

int paleo_kernel_add(struct paleo_job *j, enum paleo_phase phase, const char *name, double blocks,
		     const struct paleo_frame *f, struct paleo_error *err)
{
	struct call *c = malloc(sizeof(*c));
	struct paleo_step step = {.state = c, .launch = launch, .release = release};

	assert_non_null(c);
	*c = (struct call){host_kernel_find(name), (unsigned)blocks, *f};
	if (c->number < 0)
		fail_msg("no kernel is called '%s'", name);
	return paleo_job_add(j, phase, &step, err);
}

/* The kernels of a number type are a program. */
static const char *dtype_word(void)
{
	return host_element_bytes() == 4 ? "f32" : "bf16";
}

/* An element of an operand, in its own number type. */
static float value_at(const struct paleo_operand *o, const void *tensor, long long at)
{
	if (o->elem_bytes == 1)
		return (float)((const unsigned char *)tensor)[at];
	if (o->role == PALEO_INDEX)
		return (float)((const int *)tensor)[at];
	if (o->elem_bytes == sizeof(float))
		return ((const float *)tensor)[at];
	return host_element(tensor, at);
}

static void plan(struct paleo_job *j)
{
	struct paleo_error err;
	int rc = PALEO_EUNSUPPORTED;

	switch ((int)j->work.kind) {
	case PALEO_ELTWISE:
		rc = paleo_plan_eltwise(j, &err);
		break;
	case PALEO_UPDATE:
		rc = paleo_plan_update(j, &err);
		break;
	case PALEO_UPSAMPLE:
		rc = paleo_plan_upsample(j, &err);
		break;
	case PALEO_POOL:
		rc = paleo_plan_pool_kernels(j, &err);
		break;
	case PALEO_NORM:
		rc = paleo_plan_norm_kernels(j, &err);
		break;
	case PALEO_CONV: /* of these, the bias alone */
	case PALEO_GEMM:
		rc = j->work.pass == PALEO_FWD ? paleo_plan_bias(j, &err)
					       : paleo_plan_bias_gradient(j, &err);
		break;
	case PALEO_REDUCE:
		rc = paleo_plan_reduce(j, &err);
		break;
	case PALEO_COPY:
		rc = paleo_plan_copy(j, &err);
		break;
	case PALEO_ATTENTION: /* of this, the cache alone */
		rc = paleo_plan_cache(j, &err);
		break;
	case PALEO_CAUSAL_CONV:
		rc = paleo_plan_causal_conv(j, &err);
		break;
	case PALEO_SCAN:
		rc = paleo_plan_scan(j, &err);
		break;
	case PALEO_MOE:
		rc = paleo_plan_moe(j, &err);
		break;
	case PALEO_EMBEDDING:
		rc = paleo_plan_embedding(j, &err);
		break;
	case PALEO_ROPE:
		rc = paleo_plan_rope(j, &err);
		break;
	case PALEO_CROSS_ENTROPY:
		rc = paleo_plan_cross_entropy(j, &err);
		break;
	default:
		snprintf(err.text, sizeof(err.text), "no kernel does this");
		break;
	}
	if (rc)
		fail_msg("%s", err.text);
}

/* Fills a tensor by the kernel, and looks whether it did as fill.h says. */
static void fill_tensor(struct paleo_job *j, const struct paleo_operand *o, int tensor)
{
	struct paleo_frame f = paleo_frame_of_fill(j, o, tensor);
	int is_e4m3 = paleo_dtype_is_narrow(paleo_operand_dtype(&j->work, o->role));
	const char *name = o->role == PALEO_MASK    ? "fill_mask"
			   : o->role == PALEO_INDEX ? "fill_index"
			   : is_e4m3                ? "fill_e4m3"
						    : "fill";
	const void *to = paleo_job_address(j, o->role, tensor, 0);

	host_kernel_run(host_kernel_find(name), 3, &f, NULL);
	for (long long i = 0; i < f.count && !is_e4m3; i++) { /* codes: test_quantise.c */
		float expected = paleo_fill_value(&j->work, o->role, tensor, (double)i);
		long long at = (long long)paleo_job_place(j, o, (double)i);
		assert_true(value_at(o, to, at) == expected);
	}
}

static void fill_inputs(struct paleo_job *j)
{
	memset(j->layout.base, 0xff, j->layout.total_bytes);
	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		int comes_from_setup = o->role == PALEO_MASK && j->work.kind == PALEO_POOL;
		if (comes_from_setup || !((o->access & PALEO_READ) || o->role == PALEO_X))
			continue;
		for (int t = 0; t < o->copies; t++)
			fill_tensor(j, o, t);
	}
}

static void launch_all(struct paleo_job *j, enum paleo_phase phase, int copy)
{
	struct paleo_error err;

	for (int i = 0; i < j->step_count[phase]; i++)
		assert_int_equal(j->steps[phase][i].launch(&j->steps[phase][i], j, copy, &err),
				 PALEO_OK);
}

/* Compares a result with the reference: every element, or where the reference takes many terms, one
 * of so many that it takes 2e7. Returns how many were compared. */
static int compare(struct paleo_job *j, const struct paleo_operand *o, int tensor, int copy)
{
	const void *found = paleo_job_address(j, o->role, tensor, copy);
	double tolerance = paleo_reference_tolerance(&j->work);
	int count = (int)paleo_job_tensor_count(j, o, tensor);
	int step = 1 | (int)(count * paleo_reference_terms(&j->work, o->role) / 2e7), compared = 0;
	char key[PALEO_WORK_KEY_MAX];

	paleo_work_key(&j->work, key, sizeof(key));
	for (int i = 0; i < count; i += step, compared++) {
		struct paleo_error err;
		double expected, magnitude;
		long long at = (long long)paleo_job_place(j, o, i);
		float v = value_at(o, found, at);
		int rc = paleo_reference_value(&j->work, o->role, tensor, i, &expected, &magnitude,
					       &err);
		if (rc == PALEO_EUNSUPPORTED && o->role == PALEO_MASK)
			return 0;
		assert_int_equal(rc, PALEO_OK);
		double error = fabs(v - expected);
		if (!(error == 0 || error / fmax(magnitude, 1e-30) <= tolerance))
			fail_msg("%s: %s %d at %d is %.9g, not %.9g (magnitude %.3g)", key,
				 paleo_role_name(o->role), tensor, i, (double)v, expected,
				 magnitude);
	}
	return compared;
}

static int compare_results(struct paleo_job *j, int copy)
{
	int compared = 0;

	for (int i = 0; i < j->operand_count; i++) {
		const struct paleo_operand *o = &j->operands[i];
		/* Of a convolution's and a product's gradients, the kernels give the bias' alone.
		 */
		if (!(o->access & PALEO_WRITE) ||
		    (o->role == PALEO_DW && j->work.kind == PALEO_CONV) ||
		    (o->role == PALEO_Y &&
		     (j->work.kind == PALEO_GEMM || j->work.kind == PALEO_ATTENTION)))
			continue;
		for (int t = 0; t < o->copies; t++)
			compared += compare(j, o, t, copy);
	}
	return compared;
}

/* Two sets of operands, the second a copy of the first, on which the work then runs. */
static void take_memory(struct paleo_job *j)
{
	paleo_job_lay_out(j, 2);
	j->layout.base = aligned_alloc(256, j->layout.total_bytes);
	assert_non_null(j->layout.base);
}

static int act_of(const struct paleo_work *w)
{
	return w->kind == PALEO_CONV ? w->geom.conv.act : w->geom.gemm.act;
}

/* `#` in a key is the number type of the program. */
static struct paleo_job opened_without_plan(const char *key)
{
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	char whole[PALEO_WORK_KEY_MAX];
	struct paleo_error err;
	struct paleo_work w;
	struct paleo_job j;
	int length = (int)strcspn(key, "#");

	snprintf(whole, sizeof(whole), "%.*s%s%s", length, key, key[length] ? dtype_word() : "",
		 key + length + (key[length] != 0));
	if (paleo_work_parse(whole, &w, &err))
		fail_msg("%s: %s", whole, err.text);
	paleo_job_begin(&j, &w, &options);
	return j;
}

static struct paleo_job opened(const char *key)
{
	struct paleo_job j = opened_without_plan(key);

	plan(&j);
	take_memory(&j);
	return j;
}

static void close_job(struct paleo_job *j)
{
	paleo_job_clear(j);
	free(j->layout.base);
}

static void check(const char *key)
{
	struct paleo_job j = opened(key);

	fill_inputs(&j);
	launch_all(&j, PALEO_SETUP, 0);
	memcpy(j.layout.base + j.layout.set_bytes, j.layout.base, j.layout.set_bytes);
	launch_all(&j, PALEO_TIMED, 1);
	if (j.work.kind == PALEO_ATTENTION)
		library_attends(&j);
	if (!compare_results(&j, 1))
		fail_msg("%s: nothing was compared", key);
	close_job(&j);
}

static void agree_with_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; kernel_works[i]; i++)
		check(kernel_works[i]);
}

/* What has pictures, again. */
static void agree_with_channels_innermost(void **state)
{
	static const char *const kinds[] = {"pool", "upsample", "norm", "conv"};
	char key[PALEO_WORK_KEY_MAX];

	(void)state;
	for (size_t i = 0; kernel_works[i]; i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			if (strncmp(kernel_works[i], kinds[k], strlen(kinds[k])) != 0)
				continue;
			snprintf(key, sizeof(key), "%s layout=nhwc", kernel_works[i]);
			check(key);
		}
	}
}

/* 2 images of 3 channels of 2 x 2 pixels. Channel 1, pixel 2 of image 1: as planes it is number
 * 12 + 4 + 2 = 18; as pixels 12 + 2 * 3 + 1 = 19. A filter is laid out alike, a bias is not. */
static void know_where_an_element_lies(void **state)
{
	struct paleo_job j =
		opened("conv bwd_filter # n=2 c=3 h=2 w=2 k=2 r=2 s=2 bias=1 layout=nhwc");

	(void)state;
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_X), 18) == 19);
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_DW), 18) == 19);
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_DBIAS), 1) == 1);
	close_job(&j);
	j = opened("conv bwd_filter # n=2 c=3 h=2 w=2 k=2 r=2 s=2 bias=1");
	assert_true(paleo_job_place(&j, paleo_job_operand(&j, PALEO_X), 18) == 18);
	close_job(&j);
}

/* y is -1, 0, 1, ... by position before, so that y + bias is known. */
static void check_bias(const char *key, long long plane, long long channels)
{
	struct paleo_job j = opened(key);
	const struct paleo_operand *o = paleo_job_operand(&j, PALEO_Y);
	struct paleo_frame f = paleo_frame_of(&j.work);
	long long count = (long long)paleo_operand_count(o);

	fill_inputs(&j);
	/* y gets the values of another input of the same length: the hash of role y. */
	f.x = paleo_job_address(&j, PALEO_Y, 0, 0);
	f.count = count;
	f.stream = paleo_fill_stream(PALEO_Y, 0);
	f.factor = 1;
	host_kernel_run(host_kernel_find("fill"), 1, &f, NULL);
	launch_all(&j, PALEO_TIMED, 0);
	for (long long i = 0; i < count; i++) { /* by its place: y was filled in memory's order */
		float before = paleo_fill_value(&j.work, PALEO_Y, 0, (double)i);
		float bias =
			paleo_fill_value(&j.work, PALEO_BIAS, 0, (double)(i / plane % channels));
		float expected = paleo_round_to(before + bias, j.work.dtype);
		assert_true(host_element(f.x, i) == expected);
	}
	close_job(&j);
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
	struct paleo_job j = opened_without_plan(key);
	struct paleo_error err;
	struct paleo_frame f = paleo_frame_of(&j.work);

	assert_int_equal(paleo_plan_act(&j, act_of(&j.work), &err), PALEO_OK);
	take_memory(&j);
	f.x = paleo_job_address(&j, PALEO_Y, 0, 0);
	f.count = (long long)paleo_operand_count(paleo_job_operand(&j, PALEO_Y));
	f.stream = paleo_fill_stream(PALEO_Y, 0);
	f.factor = 1;
	host_kernel_run(host_kernel_find("fill"), 1, &f, NULL);
	launch_all(&j, PALEO_TIMED, 0);
	for (long long i = 0; i < f.count; i++) {
		float before = paleo_fill_value(&j.work, PALEO_Y, 0, (double)i);
		assert_true(host_element(f.x, i) == (before > 0 ? before : 0));
	}
	close_job(&j);
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
		struct paleo_job j = opened_without_plan(keys[i]);
		const struct paleo_gemm_geom *g = &j.work.geom.gemm;
		const struct paleo_blocks *b = paleo_stored_blocks(g->stored);
		const struct paleo_product p = {.x.role = PALEO_MASK,
						.w.role = PALEO_W,
						.y.role = PALEO_Y,
						.m = g->m,
						.n = g->n,
						.k = g->k,
						.batch = 1,
						.trans_b = 1,
						.dtype = j.work.dtype,
						.scaling = PALEO_BLOCK_SCALED,
						.stored = g->stored,
						.factor =
							(float)paleo_fill_scale(&j.work, PALEO_W) /
							(b->code_bits == 4 ? 4 : 1)};
		struct paleo_error err;
		assert_int_equal(paleo_plan_quantise_blocks(&j, &err), PALEO_OK);
		assert_int_equal(paleo_product_add(&j, &p, 0, NULL, &err), PALEO_OK);
		take_memory(&j);
		memset(j.layout.base, 0xff, j.layout.total_bytes);
		fill_tensor(&j, paleo_job_operand(&j, PALEO_X), 0);
		launch_all(&j, PALEO_SETUP, 0);
		launch_all(&j, PALEO_TIMED, 0);
		assert_int_equal(compare(&j, paleo_job_operand(&j, PALEO_Y), 0, 0), g->m * g->n);
		close_job(&j);
	}
}

/* Rows of experts in e4m3: codes that two scales go with, one after the other. */
static void quantise_the_rows_of_experts(void **state)
{
	(void)state;
	if (host_element_bytes() != 2)
		return;
	check("moe fwd fp8 tokens=7 hidden=32 inter=16 experts=8 local=8 topk=2 gated=1");
	check("moe fwd fp8 tokens=5 hidden=16 inter=48 experts=8 local=3 topk=3");
}

/* A scan's state in the work's type, which is stored and read again. */
static void keep_a_narrow_state(void **state)
{
	(void)state;
	if (host_element_bytes() == 2)
		check("scan fwd bf16 rule=ssd batch=1 tokens=3 heads=2 groups=1 qk=9 v=8 cache=1 "
		      "kv=bf16");
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
		struct paleo_work w;
		struct paleo_job j;
		assert_int_equal(paleo_work_parse(cases[i].key, &w, &err), PALEO_OK);
		paleo_job_begin(&j, &w, &options);
		int rc = w.kind == PALEO_POOL ? paleo_plan_pool_kernels(&j, &err)
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
		cmocka_unit_test(keep_a_narrow_state),
		cmocka_unit_test(refuse_what_they_cannot_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
