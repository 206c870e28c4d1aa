/* test_onednn_grouped_conv.c - convolutions of groups on a CPU, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_model.h"
#include "model/predict/onednn_conv.h"
#include "tests/unit/given.h"

/* 1 GFLOP/s, 1 GB/s, two threads. */
static const struct paleo_tile_device device = {
	.flop_per_s = 1e9, .mem_bytes_per_s = 1e9, .sm_count = 2};

static const struct paleo_onednn_grouped groups = {.lanes = 8,
						   .launch_us = 10,
						   .ppp_compute = 0.5,
						   .ppp_memory = 0.5,
						   .overlap = 1,
						   .call_us = 3,
						   .patch_ns = 2,
						   .ppp_product = 0.25};

static void takes(const char *key, double us)
{
	struct paleo_op w = given_op(key);
	struct paleo_parts t;

	paleo_onednn_grouped_time(&groups, &device, &w, &t);
	if (!(fabs(t.total_s * 1e6 - us) < 1e-9 * us))
		fail_msg("%s: %.12g us, expected %.12g", key, t.total_s * 1e6, us);
}

static void prices_depthwise(void **state)
{
	(void)state;
	/* 5 channels fill 8: 2*8*2*4*9 = 1152 FLOPs at 0.5 GFLOP/s; 2*5*16 numbers are read, 2*5*4
	 * written, and 45 of the filter: 245*4 bytes at 0.5 GB/s */
	takes("conv fwd f32 n=2 c=5 h=4 w=4 k=5 r=3 s=3 groups=5", 10 + 2.304 + 1.96);
}

/* The same 2.304 us of arithmetic and 1.96 us of traffic, which hide each other by squares. */
static void overlaps_arithmetic_and_traffic(void **state)
{
	struct paleo_op w = given_op("conv fwd f32 n=2 c=5 h=4 w=4 k=5 r=3 s=3 groups=5");
	struct paleo_onednn_grouped squares = groups;
	struct paleo_parts t;

	(void)state;
	squares.overlap = 2;
	paleo_onednn_grouped_time(&squares, &device, &w, &t);
	assert_true(fabs(t.total_s * 1e6 - (10 + sqrt(2.304 * 2.304 + 1.96 * 1.96))) < 1e-9);
	assert_true(fabs(t.compute_s * 1e6 - 2.304) < 1e-9);
	assert_true(fabs(t.memory_s * 1e6 - 1.96) < 1e-9);
	assert_true(fabs(t.overhead_s * 1e6 - 10) < 1e-9);
}

static void prices_one_by_one(void **state)
{
	(void)state;
	/* Three groups by two threads: two turns of 3 us; each has 2*3*3*2*2 = 72 elements of
	 * patches, 2 ns each, and 2*72*5 FLOPs at half of 0.25 GFLOP/s */
	takes("conv fwd f32 n=1 c=6 h=4 w=4 k=15 r=3 s=3 groups=3", 10 + 2 * (3 + 0.144 + 5.76));
	/* the gradient of a depthwise filter wider than three: 5 channels of 2 images, 5 turns */
	takes("conv bwd_filter f32 n=2 c=5 h=5 w=5 k=5 r=5 s=5 groups=5",
	      10 + 5 * (3 + 0.05 + 0.4));
}

static void knows_its_ops(void **state)
{
	static const struct {
		const char *key, *kernel;
	} cases[] = {
		{"conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=7 s=7 groups=8", "onednn_grouped_conv"},
		{"conv fwd f32 n=1 c=8 h=8 w=8 k=16 r=3 s=3 groups=2", "onednn_grouped_conv"},
		{"conv fwd f32 n=1 c=8 h=8 w=8 k=16 r=3 s=3", "onednn_conv"},
		{"conv fwd f32 n=1 c=16 h=8 w=8 k=16 r=3 s=3 groups=2", "onednn_conv"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		assert_string_equal(paleo_kernel_model_for(&w, 1)->name, cases[i].kernel);
	}
}

/* At the starts of the parameters. */
static double computes(const char *key)
{
	struct paleo_op w = given_op(key);
	struct paleo_fitted_kernel m;
	struct paleo_parts t;

	paleo_kernel_model_init(paleo_kernel_model_for(&w, 1), PALEO_F32, &m);
	assert_string_equal(m.kernel->name, "onednn_conv");
	m.kernel->price(&m, &device, &w, &t);
	return t.compute_s;
}

/* A group of whole blocks takes as long to compute as an image of its channels. */
static void groups_of_whole_blocks_are_images(void **state)
{
	static const char *const pairs[][2] = {
		{"conv fwd f32 n=1 c=16 h=8 w=8 k=48 r=3 s=3 groups=2",
		 "conv fwd f32 n=2 c=8 h=8 w=8 k=24 r=3 s=3"},
		{"conv bwd_data f32 n=3 c=16 h=8 w=8 k=48 r=3 s=3 groups=2",
		 "conv bwd_data f32 n=6 c=8 h=8 w=8 k=24 r=3 s=3"},
		{"conv fwd f32 n=1 c=16 h=8 w=8 k=48 r=1 s=1 groups=2",
		 "conv fwd f32 n=2 c=8 h=8 w=8 k=24 r=1 s=1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_true(computes(pairs[i][0]) == computes(pairs[i][1]));
	assert_true(computes("conv bwd_filter f32 n=1 c=16 h=8 w=8 k=16 r=3 s=3 groups=2") ==
		    2 * computes("conv bwd_filter f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3"));
}

/* The parameters of the other way have no slope. */
static void names_what_it_uses(void **state)
{
	struct paleo_op direct =
		given_op("conv bwd_filter f32 n=1 c=5 h=5 w=5 k=5 r=3 s=3 groups=5");
	struct paleo_op single =
		given_op("conv bwd_filter f32 n=1 c=5 h=5 w=5 k=5 r=5 s=5 groups=5");

	(void)state;
	assert_true(paleo_onednn_grouped_uses(&direct) == 0x1f);
	assert_true(paleo_onednn_grouped_uses(&single) == 0xe3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prices_depthwise),
		cmocka_unit_test(overlaps_arithmetic_and_traffic),
		cmocka_unit_test(prices_one_by_one),
		cmocka_unit_test(knows_its_ops),
		cmocka_unit_test(groups_of_whole_blocks_are_images),
		cmocka_unit_test(names_what_it_uses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
