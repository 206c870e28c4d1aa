/* test_quantised.c - products whose activations are quantised first, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/kernel_models.h"
#include "model/predict/tile.h"
#include "tests/unit/unit.h"

/* 1000 x 2000 activations: 4 MB of bf16 read and 2 MB of e4m3 written at 0.4 of 1 TB/s take 15 us;
 * the product has 2 MB of A, 2000 x 500 bytes of B and 1000 x 500 x 2 of its result. In bf16 there
 * is no such stage. */
static void quantised_activations(void **state)
{
	const struct paleo_tile_device d = {.flop_per_s = 1e15,
					    .mem_bytes_per_s = 1e12,
					    .cache_bytes = 4e7,
					    .clock_hz = 1e9,
					    .sm_count = 100};
	struct paleo_fitted_kernel m;
	struct paleo_error err;
	struct paleo_work w;
	struct paleo_parts parts;

	(void)state;
	assert_int_equal(paleo_work_parse("gemm fwd fp8 m=1000 n=500 k=2000 trans_b=1", &w, &err),
			 PALEO_OK);
	struct paleo_tile_product p = paleo_tile_product_of_work(&w, 0);
	assert_true(p.element_bytes == 1 && p.result_bytes == 2);
	assert_true(p.bytes == 4e6 && p.foot_bytes == 4e6 && p.quantise_bytes == 6e6);
	assert_string_equal(paleo_kernel_model_for(&w, 0)->name, "quantised");
	paleo_kernel_model_init(paleo_kernel_model_for(&w, 0), w.dtype, &m);
	assert_true(fabs(paleo_tile_quantise_s((const void *)m.params, &d, &p) - 15e-6) < 1e-12);
	double kernel_s = paleo_tile_kernel_s((const void *)m.params, &d, &p, m.sets[0],
					      PALEO_TILE_SPLIT_MAX, NULL);
	m.operand_sets = 1;
	m.kernel->price(&m, &d, &w, &parts);
	/* a launch of 3 us */
	assert_true(fabs(parts.total_s - 18e-6 - kernel_s) < 1e-12 && parts.memory_s >= 15e-6);
	w.dtype = PALEO_BF16;
	assert_int_equal(paleo_work_finish(&w, &err), PALEO_OK);
	assert_string_equal(paleo_kernel_model_for(&w, 0)->name, "tile");
	assert_true(paleo_tile_product_of_work(&w, 0).quantise_bytes == 0);
}

/*
 * e2m1 with a byte for 16 of them: 9/16 of a byte. A of 1000 x 3200 has 1.8 MB then, W of 500 x
 * 3200 0.9, C of 1000 x 500 in bf16 1 MB; A is read as bf16 and written, 2 9/16 bytes a number.
 */
static void e2m1_has_cores_of_its_own(void **state)
{
	struct paleo_device gpu = {.name = "x",
				   .flop_per_s = {[PALEO_BF16] = 1e14, [PALEO_F32] = 1e13},
				   .fp4_flop_per_s = 4e14,
				   .mem_bytes_per_s = 1e12,
				   .cache_bytes = 1e7,
				   .clock_hz = 1e9,
				   .sm_count = 100};
	struct paleo_tile_device d;
	struct paleo_error err;
	struct paleo_work w;

	(void)state;
	assert_int_equal(
		paleo_work_parse("gemm fwd bf16 m=1000 n=500 k=3200 trans_b=1 stored=nvfp4", &w,
				 &err),
		PALEO_OK);
	assert_string_equal(paleo_work_class(&w), "gemm.fp4");
	struct paleo_tile_product p = paleo_tile_product_of_work(&w, 1);
	assert_true(p.element_bytes == 0.5625 && p.result_bytes == 2);
	assert_true(p.bytes == 3.7e6 && p.foot_bytes == 3.7e6 && p.quantise_bytes == 8.2e6);
	const struct paleo_kernel_model *kernel = paleo_kernel_model_for(&w, 0);
	assert_string_equal(kernel->name, "quantised_fp4");
	assert_int_equal(paleo_kernel_model_device(kernel, &gpu, w.dtype, 1, &d, &err), PALEO_OK);
	assert_true(d.flop_per_s == 4e14 && paleo_device_peak(&gpu, &w) == 4e14);
	gpu.fp4_flop_per_s = 0; /* none: unpacked, and multiplied as all else */
	assert_int_equal(paleo_kernel_model_device(kernel, &gpu, w.dtype, 1, &d, &err), PALEO_OK);
	assert_true(d.flop_per_s == 1e14 && paleo_device_peak(&gpu, &w) == 1e14);
	assert_int_equal(
		paleo_work_parse("gemm fwd bf16 m=1000 n=500 k=3200 stored=int4_g128", &w, &err),
		PALEO_OK);
	assert_string_equal(paleo_work_class(&w), "gemm.weight_only");
	assert_string_equal(paleo_kernel_model_for(&w, 0)->name, "tile");
}

/*
 * Whole numbers of 8 bits, a byte each: A of 1000 x 3200 has 3.2 MB, W 1.6, C in bf16 1 MB; A is
 * read as bf16 and written, 3 bytes a number. Weights alone of 8 bits are multiplied as bf16.
 */
static void whole_numbers_have_cores_of_their_own(void **state)
{
	struct paleo_device gpu = {.name = "x",
				   .flop_per_s = {[PALEO_BF16] = 1e14, [PALEO_F32] = 1e13},
				   .int8_flop_per_s = 2e14,
				   .mem_bytes_per_s = 1e12,
				   .cache_bytes = 1e7,
				   .clock_hz = 1e9,
				   .sm_count = 100};
	struct paleo_tile_device d;
	struct paleo_error err;
	struct paleo_work w;

	(void)state;
	assert_int_equal(paleo_work_parse("gemm fwd bf16 m=1000 n=500 k=3200 trans_b=1 stored=w8a8",
					  &w, &err),
			 PALEO_OK);
	assert_string_equal(paleo_work_class(&w), "gemm.int8");
	struct paleo_tile_product p = paleo_tile_product_of_work(&w, 1);
	assert_true(p.element_bytes == 1 && p.result_bytes == 2);
	assert_true(p.bytes == 5.8e6 && p.foot_bytes == 5.8e6 && p.quantise_bytes == 9.6e6);
	const struct paleo_kernel_model *kernel = paleo_kernel_model_for(&w, 0);
	assert_string_equal(kernel->name, "quantised_int8");
	assert_int_equal(paleo_kernel_model_device(kernel, &gpu, w.dtype, 1, &d, &err), PALEO_OK);
	assert_true(d.flop_per_s == 2e14 && paleo_device_peak(&gpu, &w) == 2e14);
	gpu.int8_flop_per_s = 0;
	assert_true(paleo_device_peak(&gpu, &w) == 1e14);
	assert_int_equal(
		paleo_work_parse("gemm fwd bf16 m=1000 n=500 k=3200 stored=int8", &w, &err),
		PALEO_OK);
	assert_string_equal(paleo_work_class(&w), "gemm.weight_only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantised_activations),
		cmocka_unit_test(e2m1_has_cores_of_its_own),
		cmocka_unit_test(whole_numbers_have_cores_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
