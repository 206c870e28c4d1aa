/* test_host_kernel.c - batch norms and our own loops on a CPU, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/host_kernel.h"
#include "tests/unit/given.h"

/* 1 GB/s, a cache of 1 MB, two threads. */
static const struct paleo_tile_device device = {
	.mem_bytes_per_s = 1e9, .cache_bytes = 1e6, .sm_count = 2};

static void near(double a, double b)
{
	if (!(fabs(a - b) < 1e-9 * b))
		fail_msg("%.12g, expected %.12g", a, b);
}

static struct paleo_parts norm(const char *key)
{
	const struct paleo_host_norm p = {.lanes = 16,
					  .launch_us = 5,
					  .row_ns = 100,
					  .element_ns = 1,
					  .wide = 0.5,
					  .half = 0.25,
					  .quarter = 1,
					  .odd = 3,
					  .ppp_memory = 0.5,
					  .cache_share = 2};
	struct paleo_parts t;
	struct paleo_op w = given_op(key);

	assert_true(paleo_host_is_norm(&w));
	paleo_host_norm_time(&p, &device, &w, &t);
	return t;
}

/* 2 images of 32 x 8 x 8: 4 rows of 100 ns, 4096 elements of 1 + 0.5 32/256 ns, two threads; of 512
 * channels 64 rows and 65536 elements of 1.5 ns. */
static void norm_counts_rows_and_elements(void **state)
{
	(void)state;
	struct paleo_parts few = norm("norm fwd f32 mode=batch n=2 c=32 h=8 w=8");
	struct paleo_parts many = norm("norm fwd f32 mode=batch n=2 c=512 h=8 w=8");

	near(few.overhead_s, 5e-6);
	near(few.compute_s, (4 * 100 + 4096 * 1.0625) * 1e-9 / 2);
	near(many.compute_s, (64 * 100 + 65536 * 1.5) * 1e-9 / 2);
}

/* Blocks of 8 take 1.25, of 4 twice, others four times as long for an element; each has 3 rows. */
static void norm_wants_whole_blocks(void **state)
{
	(void)state;
	struct paleo_parts eights = norm("norm fwd f32 mode=batch n=1 c=40 h=10 w=10");
	struct paleo_parts fours = norm("norm fwd f32 mode=batch n=1 c=36 h=10 w=10");
	struct paleo_parts odd = norm("norm fwd f32 mode=batch n=1 c=35 h=10 w=10");

	near(eights.compute_s, (300 + 4000 * (1 + 20.0 / 256) * 1.25) * 1e-9 / 2);
	near(fours.compute_s, (300 + 3600 * (1 + 18.0 / 256) * 2) * 1e-9 / 2);
	near(odd.compute_s, (300 + 3500 * (1 + 17.5 / 256) * 4) * 1e-9 / 2);
}

/* 2.05 MB, where 2 are kept, are half missed, and come at half of 1 GB/s. */
static void norm_misses_what_the_cache_does_not_hold(void **state)
{
	(void)state;
	struct paleo_op w = given_op("norm fwd f32 mode=batch n=1 c=250 h=32 w=32");
	double bytes = w.read_bytes + w.write_bytes, share = 2e6 / bytes;
	struct paleo_parts t = norm("norm fwd f32 mode=batch n=1 c=250 h=32 w=32");

	assert_true(fabs(bytes / 2.048e6 - 1) < 0.01);
	near(t.memory_s, bytes * 2e-9 / (1 + share * share));
}

/* 12 bytes an element: one thread at 0.25 GB/s, 1 us before; all at 0.5 GB/s, 3 us more before. */
static void loops_take_threads_when_large(void **state)
{
	const struct paleo_host_loop p = {
		.start_us = 1, .ppp_alone = 0.25, .fork_us = 3, .ppp_memory = 0.5};
	struct paleo_op small = given_op("update update f32 rule=sgd count=32767");
	struct paleo_op large = given_op("update update f32 rule=sgd count=32768");
	struct paleo_parts t;

	(void)state;
	paleo_host_loop_time(&p, &device, &small, &t);
	near(t.overhead_s, 1e-6);
	near(t.memory_s, 32767 * 12 * 4e-9);
	paleo_host_loop_time(&p, &device, &large, &t);
	near(t.overhead_s, 4e-6);
	near(t.memory_s, 32768 * 12 * 2e-9);
}

/* 6 parts of rows: 600 ns of one thread, 300 ns of two. An update has none. */
static void copies_start_at_each_part(void **state)
{
	const struct paleo_host_loop p = {.ppp_alone = 1, .ppp_memory = 1, .part_ns = 100};
	struct paleo_op small = given_op("copy fwd f32 rows=2 cols=16383 parts=3");
	struct paleo_op large = given_op("copy fwd f32 rows=2 cols=16384 parts=3");
	struct paleo_op none = given_op("update update f32 rule=sgd count=6");
	struct paleo_parts t;

	(void)state;
	paleo_host_loop_time(&p, &device, &small, &t);
	near(t.compute_s, 600e-9);
	paleo_host_loop_time(&p, &device, &large, &t);
	near(t.compute_s, 300e-9);
	paleo_host_loop_time(&p, &device, &none, &t);
	assert_true(t.compute_s == 0);
}

static void only_our_own_are_loops(void **state)
{
	(void)state;
	struct paleo_op ours[] = {given_op("copy fwd f32 rows=2 cols=64 parts=2"),
				  given_op("eltwise fwd f32 op=dropout count=64"),
				  given_op("eltwise bwd_data f32 op=max inputs=2 count=64"),
				  given_op("eltwise bwd_data f32 op=mul inputs=2 count=64")};
	struct paleo_op others[] = {given_op("eltwise fwd f32 op=max inputs=2 count=64"),
				    given_op("eltwise bwd_data f32 op=relu count=64"),
				    given_op("eltwise fwd f32 op=mul inputs=2 count=64"),
				    given_op("norm fwd f32 mode=batch n=1 c=8 h=4 w=4")};

	for (int i = 0; i < 4; i++) {
		assert_true(paleo_host_is_loop(&ours[i]));
		assert_false(paleo_host_is_loop(&others[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(norm_counts_rows_and_elements),
		cmocka_unit_test(norm_wants_whole_blocks),
		cmocka_unit_test(norm_misses_what_the_cache_does_not_hold),
		cmocka_unit_test(loops_take_threads_when_large),
		cmocka_unit_test(copies_start_at_each_part),
		cmocka_unit_test(only_our_own_are_loops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
