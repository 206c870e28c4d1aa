/* test_onednn_gemm.c - GEMMs of oneDNN on a CPU, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/onednn_gemm.h"
#include "tests/unit/given.h"

/* 1 GFLOP/s, 1 GB/s, two threads. */
static const struct paleo_tile_device device = {
	.flop_per_s = 1e9, .mem_bytes_per_s = 1e9, .sm_count = 2};

static const struct paleo_onednn_gemm avx2 = {.lanes = 8,
					      .launch_us = 5,
					      .fork_us = 3,
					      .overlap = 1,
					      .ppp_compute = 0.5,
					      .load = 1,
					      .spill = 4,
					      .stride = 8,
					      .pack = 2,
					      .ppp_weights = 0.25,
					      .unaligned = 0.5,
					      .ppp_memory = 0.5,
					      .ppp_vector = 0.8};

static void near(double a, double b)
{
	if (!(fabs(a - b) < 1e-9 * b))
		fail_msg("%.12g, expected %.12g", a, b);
}

static struct paleo_parts gemm(const struct paleo_onednn_gemm *p, const char *key)
{
	struct paleo_parts t;
	struct paleo_op w = given_op(key);

	assert_true(paleo_onednn_gemm_applies(&w));
	paleo_onednn_gemm_time(p, &device, &w, &t);
	near(t.total_s, t.overhead_s + t.compute_s + t.memory_s);
	return t;
}

/* 12 rows are 2 tiles, each with the time of a row for its loads; of 31 columns 32 are computed; a
 * depth of 512 is two blocks. The weights have 31 x 512 elements, in half as much time again for
 * rows that cross cache lines, the rest 12 x 512 + 12 x 31. */
static void counts_tiles_and_blocks(void **state)
{
	(void)state;
	struct paleo_parts t = gemm(&avx2, "gemm fwd f32 m=12 n=31 k=512 trans_b=1");

	near(t.overhead_s, 8e-6);
	near(t.compute_s, 2 * (12 + 2 * (1 + 8 / 1024.0)) * 32 * (512 + 4 * 2) / 0.5 * 1e-9);
	near(t.memory_s, 4 * (31 * 512 * 1.5 / 0.25 + (12 * 512 + 12 * 31) / 0.5) * 1e-9);
}

/* Rows of 1024 elements cost their whole stride, rows of 1536 half of it, rows of 384 an eighth: n
 * and k of a GEMM differ. With 16 lanes they do not. */
static void rows_of_whole_pages_are_slow(void **state)
{
	(void)state;
	struct paleo_onednn_gemm avx512 = avx2;
	const double blocks = 2 * 12 / 0.5 * 1e-9;

	avx512.lanes = 16;
	near(gemm(&avx2, "gemm fwd f32 m=12 n=1024 k=256 trans_b=1").compute_s,
	     blocks * (1 + (1 + 8) / 6.0) * 1024 * 260);
	near(gemm(&avx2, "gemm fwd f32 m=12 n=1536 k=384 trans_b=1").compute_s,
	     blocks * (1 + (1 + 4) / 6.0) * 1536 * 392);
	near(gemm(&avx2, "gemm fwd f32 m=12 n=384 k=1536 trans_b=1").compute_s,
	     blocks * (1 + (1 + 1) / 6.0) * 384 * 1560);
	near(gemm(&avx512, "gemm fwd f32 m=12 n=1024 k=256 trans_b=1").compute_s,
	     blocks * (1 + 1 / 6.0) * 1024 * 260);
}

/* The gradient of 1024 x 24 weights: A has the long rows; blocks are of 96. C is the weights. */
static void gradients_of_weights_write_them(void **state)
{
	(void)state;
	struct paleo_parts t = gemm(&avx2, "gemm bwd_filter f32 m=1024 n=24 k=192 trans_a=1");

	near(t.compute_s,
	     2 * (1024 + 171 * 9) * 24 * (192 + 4 * 2) / 0.5 * 1e-9); /* 171 tiles of 6 rows */
	near(t.memory_s, 4 * (1024 * 24 / 0.25 + (1024 + 24) * 192 / 0.5) * 1e-9);
}

/* Of 1024 x 1024: 256 tiles of 4 rows, two blocks of 192, and both operands copied. */
static void large_products_are_packed(void **state)
{
	(void)state;
	struct paleo_parts t = gemm(&avx2, "gemm fwd f32 m=1024 n=1024 k=384 trans_b=1");

	near(t.compute_s,
	     2 * 1280.0 * 1024 * (384 + 4 * 2) / 0.5 * 1e-9 + 2 * 4 * 2 * 1024 * 384 * 1e-9);
}

/* 6 x 16 x 8 does not pay for the second thread, which does nothing meanwhile. */
static void small_products_have_one_thread(void **state)
{
	(void)state;
	struct paleo_parts t = gemm(&avx2, "gemm fwd f32 m=6 n=16 k=8 trans_b=1");

	near(t.overhead_s, 5e-6);
	near(t.compute_s, 2 * 2 * (6 + 1 + 8 * 8 / 256.0 * 16 / 1024) * 16 * (8 + 4) / 0.5 * 1e-9);
}

static void one_row_is_a_vector(void **state)
{
	(void)state;

	near(gemm(&avx2, "gemm fwd f32 m=1 n=512 k=512 trans_b=1").memory_s,
	     4 * (512 * 512 / 0.8 + (512 + 512) / 0.5) * 1e-9);
}

static void batches_have_another_model(void **state)
{
	struct paleo_op batch = given_op("gemm fwd f32 m=8 n=8 k=8 batch=2");
	struct paleo_op pool = given_op("pool fwd f32 mode=max n=1 c=8 h=8 w=8 r=2 s=2");

	(void)state;
	assert_false(paleo_onednn_gemm_applies(&batch));
	assert_false(paleo_onednn_gemm_applies(&pool));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_tiles_and_blocks),
		cmocka_unit_test(rows_of_whole_pages_are_slow),
		cmocka_unit_test(gradients_of_weights_write_them),
		cmocka_unit_test(large_products_are_packed),
		cmocka_unit_test(small_products_have_one_thread),
		cmocka_unit_test(one_row_is_a_vector),
		cmocka_unit_test(batches_have_another_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
