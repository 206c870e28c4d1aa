/* test_design.c - the designed set of ops is balanced, affordable and reproducible. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/design.h"
#include "tests/unit/unit.h"

static const struct paleo_device device = {
	.name = "unit",
	.flop_per_s = {[PALEO_F32] = 3e11, [PALEO_BF16] = 6e11, [PALEO_FP8] = 1.2e12},
	.mem_bytes_per_s = 2e10,
	.mem_bytes = 16e9};

static struct paleo_design make(struct paleo_design_options o)
{
	struct paleo_design d;
	struct paleo_error err;

	o.device = &device;
	if (paleo_design(&o, &d, &err))
		fail_msg("%s", err.text);
	return d;
}

/* How many of the first `n` ops are of this class, pass and dtype. */
static int count(const struct paleo_design *d, int n, const char *class_name, enum paleo_pass pass,
		 enum paleo_dtype dtype)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		found += d->ops[i].pass == pass && d->ops[i].dtype == dtype &&
			 strcmp(paleo_op_class(&d->ops[i]), class_name) == 0;
	return found;
}

static const struct {
	const char *class_name;
	enum paleo_pass pass;
	int least; /* of a whole design */
} wanted[] = {
	{"conv", PALEO_FWD, 25},
	{"conv", PALEO_BWD_DATA, 25},
	{"conv", PALEO_BWD_FILTER, 25},
	{"conv.dense", PALEO_FWD, 8},
	{"conv.grouped", PALEO_FWD, 4},
	{"conv.depthwise", PALEO_BWD_FILTER, 4},
	{"gemm", PALEO_FWD, 15},
	{"gemm", PALEO_BWD_DATA, 15},
	{"gemm", PALEO_BWD_FILTER, 15},
	{"gemm.batched", PALEO_FWD, 3},
	{"attention", PALEO_FWD, 3},
	{"attention.full", PALEO_BWD_DATA, 3},
	{"reduce.sum", PALEO_FWD, 3},
	{"pool.max", PALEO_FWD, 8},
	{"pool.avg", PALEO_BWD_DATA, 8},
	{"eltwise.relu", PALEO_FWD, 8},
	{"eltwise.relu", PALEO_BWD_DATA, 8},
	{"eltwise.add", PALEO_FWD, 8},
	{"eltwise.dropout", PALEO_BWD_DATA, 6},
	{"eltwise.sigmoid", PALEO_FWD, 3},
	{"norm.batch", PALEO_FWD, 8},
	{"norm.batch", PALEO_BWD_DATA, 8},
	{"lrn", PALEO_FWD, 6},
	{"softmax", PALEO_BWD_DATA, 6},
	{"copy", PALEO_FWD, 6},
	{"upsample.nearest", PALEO_FWD, 3},
	{"update.sgd", PALEO_PASS_UPDATE, 8},
};

enum {
	WANTED = sizeof(wanted) / sizeof(wanted[0])
};

static void covers_every_class(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){.budget_s = 0});

	for (int i = 0; i < WANTED; i++) {
		int n = count(&d, d.count, wanted[i].class_name, wanted[i].pass, PALEO_F32);
		if (n < wanted[i].least)
			fail_msg("%d ops of %s %s", n, wanted[i].class_name,
				 paleo_pass_name(wanted[i].pass));
	}
	paleo_design_release(&d);
	paleo_design_release(NULL);
}

/* 7, 14 ... 224, to which nets halve their images: half of all draws, and a few of the others. */
static void half_of_the_images_have_usual_sizes(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){.budget_s = 0});
	int usual = 0, images = 0;

	for (int i = 0; i < d.count; i++) {
		if (strcmp(paleo_op_class(&d.ops[i]), "conv") != 0)
			continue;
		images++;
		for (int side = 7; side <= 224; side *= 2)
			usual += d.ops[i].geom.conv.h == side;
	}
	assert_true(images > 400);
	assert_in_range(100 * usual, 45 * images, 65 * images);
	paleo_design_release(&d);
}

/* An op costs 0.2 s at least: 150 at most in 30 s, and yet some of each. */
static void is_balanced_within_a_budget(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){.budget_s = 30});

	assert_true(d.cost_s <= 30 && d.cost_s > 28);
	assert_in_range(d.count, 60, 150);
	for (int i = 0; i < WANTED; i++)
		if (!count(&d, d.count, wanted[i].class_name, wanted[i].pass, PALEO_F32))
			fail_msg("no %s %s", wanted[i].class_name, paleo_pass_name(wanted[i].pass));
	assert_true(count(&d, d.count, "conv", PALEO_FWD, PALEO_F32) >= 3);
	paleo_design_release(&d);
}

static void is_the_same_again(void **state)
{
	(void)state;
	struct paleo_design a = make((struct paleo_design_options){.seed = 7});
	struct paleo_design b = make((struct paleo_design_options){.seed = 7});
	struct paleo_design c = make((struct paleo_design_options){.seed = 8});
	int same = 0;

	assert_int_equal(a.count, b.count);
	for (int i = 0; i < a.count; i++)
		assert_true(paleo_op_equal(&a.ops[i], &b.ops[i]));
	for (int i = 0; i < a.count && i < c.count; i++)
		same += paleo_op_equal(&a.ops[i], &c.ops[i]);
	assert_true(same < a.count / 20);
	paleo_design_release(&a);
	paleo_design_release(&b);
	paleo_design_release(&c);
}

/* By hand: the fastest time of each op, its place in memory, and that none comes twice. */
static void keeps_its_limits(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){.memory_bytes = 1e8});
	int in_range = 0, small_images = 0, first_layers = 0;

	for (int i = 0; i < d.count; i++) {
		const struct paleo_op *w = &d.ops[i];
		double time_s = fmax(w->flops / 3e11, (w->read_bytes + w->write_bytes) / 2e10);
		int tiny = w->kind == PALEO_ELTWISE || w->kind == PALEO_UPDATE ||
			   w->kind == PALEO_SOFTMAX;
		in_range += time_s > (tiny ? 8e-8 : 3e-6) && time_s < 160e-3;
		assert_true(w->read_bytes + w->write_bytes <= 1e8);
		if (w->kind == PALEO_CONV) {
			small_images += w->geom.conv.h < 20;
			first_layers += w->geom.conv.c == 3;
		}
		for (int j = 0; j < i; j++)
			assert_false(paleo_op_equal(w, &d.ops[j]));
	}
	assert_true(in_range >= 0.97 * d.count);
	assert_true(small_images >= 10 && first_layers >= 5);
	paleo_design_release(&d);
}

/* Rows of one sample and of thousands of tokens, inputs and outputs of any ratio, 768 and the like.
 */
static void gemms_are_those_of_transformers_too(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){.batch_max = 16});

	for (int pass = PALEO_FWD; pass <= PALEO_BWD_FILTER; pass++) {
		int few = 0, many = 0, wide = 0, deep = 0, usual = 0, all = 0;
		for (int i = 0; i < d.count; i++) {
			const struct paleo_gemm_geom *g = &d.ops[i].geom.gemm;
			if (d.ops[i].kind != PALEO_GEMM || (int)d.ops[i].pass != pass ||
			    g->batch > 1)
				continue;
			int filter = pass == PALEO_BWD_FILTER;
			int rows = filter ? g->k : g->m, side = filter ? g->m : g->k;
			assert_in_range(rows, 1, 8192);
			all++;
			few += rows <= 16;
			many += rows > 1024;
			wide += g->n > 4 * side;
			deep += side > 4 * g->n;
			usual += g->n % 128 == 0;
		}
		assert_true(all > 90 && few > all / 5 && many > all / 10 && wide > all / 5 &&
			    deep > all / 5 && usual > all / 5);
	}
	paleo_design_release(&d);
}

static void keeps_to_passes_and_types(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){
		.passes = 1u << PALEO_FWD, .dtypes = 1u << PALEO_F32 | 1u << PALEO_BF16});
	struct paleo_design none;
	struct paleo_error err;

	for (int i = 0; i < d.count; i++)
		assert_int_equal(d.ops[i].pass, PALEO_FWD);
	assert_true(count(&d, d.count, "conv", PALEO_FWD, PALEO_F32) > 20);
	assert_true(count(&d, d.count, "conv", PALEO_FWD, PALEO_BF16) > 20);
	paleo_design_release(&d);
	const struct paleo_design_options o = {.device = &device, .dtypes = 1u << PALEO_F16};
	assert_int_equal(paleo_design(&o, &none, &err), PALEO_EUNSUPPORTED);
	assert_string_equal(err.text, "device 'unit' has no peak FLOP/s for f16");
}

/* Rows of whole 16 bytes, as libraries want them; what does not exist in fp8 is not drawn. */
static void fp8_has_forward_products(void **state)
{
	(void)state;
	struct paleo_design d = make((struct paleo_design_options){.dtypes = 1u << PALEO_FP8});

	assert_true(d.count > 15);
	assert_int_equal(count(&d, d.count, "gemm", PALEO_FWD, PALEO_FP8), d.count);
	for (int i = 0; i < d.count; i++) {
		assert_int_equal(d.ops[i].geom.gemm.n % 16, 0);
		assert_int_equal(d.ops[i].geom.gemm.k % 16, 0);
		assert_true(d.ops[i].geom.gemm.trans_b);
	}
	paleo_design_release(&d);
}

static struct paleo_class_model factor(const char *class_name, double width)
{
	struct paleo_class_model f = {.ppp_compute = 0.5,
				      .ppp_memory = 0.5,
				      .overlap = 1,
				      .ratio_low = exp(-width / 2),
				      .ratio_high = exp(width / 2)};

	snprintf(f.class_name, sizeof(f.class_name), "%s", class_name);
	return f;
}

/*
 * Widths are 0.1 for relu, 0.3 for gemm; softmax has no factor. The mean of the five that have one
 * is (3 * 0.1 + 2 * 0.3) / 5 = 0.18, so relu comes 1/1.8 times as soon, gemm 1/0.6, softmax 4.
 * Places: relu 1, 2, 3 become 1.8, 3.6, 5.4, gemm 4, 5 become 2.4, 3, softmax 6 becomes 1.5.
 */
static void prefers_what_is_least_known(void **state)
{
	(void)state;
	static const char *const keys[] = {
		"eltwise fwd f32 op=relu count=1000", "eltwise fwd f32 op=relu count=2000",
		"eltwise fwd f32 op=relu count=3000", "gemm fwd f32 m=64 n=64 k=64",
		"gemm fwd f32 m=128 n=64 k=64",       "softmax fwd f32 rows=64 cols=10"};
	static const int expected[] = {5, 0, 3, 4, 1, 2};
	struct paleo_class_model factors[] = {factor("eltwise.relu", 0.1), factor("gemm", 0.3)};
	const struct paleo_calibration prior = {.device = device, .models = factors, .count = 2};
	struct paleo_op ops[6], wanted_op;
	struct paleo_design d = {.ops = ops, .count = 6};
	struct paleo_error err;

	for (int i = 0; i < 6; i++)
		assert_int_equal(paleo_op_parse(keys[i], &ops[i], &err), PALEO_OK);
	assert_int_equal(paleo_design_prefer(&d, &prior, &err), PALEO_OK);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(paleo_op_parse(keys[expected[i]], &wanted_op, &err), PALEO_OK);
		assert_true(paleo_op_equal(&ops[i], &wanted_op));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covers_every_class),
		cmocka_unit_test(half_of_the_images_have_usual_sizes),
		cmocka_unit_test(is_balanced_within_a_budget),
		cmocka_unit_test(is_the_same_again),
		cmocka_unit_test(keeps_its_limits),
		cmocka_unit_test(gemms_are_those_of_transformers_too),
		cmocka_unit_test(keeps_to_passes_and_types),
		cmocka_unit_test(fp8_has_forward_products),
		cmocka_unit_test(prefers_what_is_least_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
