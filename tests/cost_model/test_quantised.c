/* test_quantised.c - products whose activations are quantised first, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "model/predict/kernel_model.h"
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
	struct paleo_op w;
	struct paleo_parts parts;

	(void)state;
	assert_int_equal(paleo_op_parse("gemm fwd fp8 m=1000 n=500 k=2000 trans_b=1", &w, &err),
			 PALEO_OK);
	struct paleo_tile_product p = paleo_tile_product_of_op(&w, NULL);
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
	/* what is left where they come quantised: the GEMM, one of three kernels that are launched,
	 * which reads 2 MB of A */
	w.geom.gemm.codes = 1;
	assert_int_equal(paleo_op_finish(&w, &err), PALEO_OK);
	assert_true(w.read_bytes == 3e6); /* with 1 MB of B */
	m.kernel->price(&m, &d, &w, &parts);
	assert_true(fabs(parts.total_s - 1e-6 - kernel_s) < 1e-12 && parts.memory_s < 15e-6);
	w.dtype = PALEO_BF16;
	assert_int_equal(paleo_op_finish(&w, &err), PALEO_EINPUT);
	assert_string_equal(err.text,
			    "gemm: codes=1 requires a forward pass that quantises its activations: "
			    "fp8, or weights stored as nvfp4, fp8_block, mxfp8 or w8a8");
	w.geom.gemm.codes = 0;
	assert_int_equal(paleo_op_finish(&w, &err), PALEO_OK);
	assert_string_equal(paleo_kernel_model_for(&w, 0)->name, "tile");
	assert_true(paleo_tile_product_of_op(&w, NULL).quantise_bytes == 0);
}

/*
 * A of 1000 x 3200, W of 500 x 3200, C of 1000 x 500 in bf16, 1 MB; A is read as bf16 and written
 * as codes. e2m1 with a byte for 16 of them: 9/16 of a byte, A has 1.8 MB, W 0.9. Whole numbers of
 * 8 bits: 3.2 and 1.6. Weights alone of 4 or 8 bits are multiplied as bf16.
 */
static void codes_have_cores_of_their_own(void **state)
{
	static const struct {
		const char *stored, *class_name, *kernel;
		double element, bytes, quantise, peak;
	} cases[] = {
		{"nvfp4", "gemm.fp4", "quantised_fp4", 0.5625, 3.7e6, 8.2e6, 4e14},
		{"w8a8", "gemm.int8", "quantised_int8", 1, 5.8e6, 9.6e6, 2e14},
		{"int4_g128", "gemm.weight_only", "tile", 2, 0, 0, 1e14},
		{"int8", "gemm.weight_only", "tile", 2, 0, 0, 1e14},
	};
	const struct paleo_device both = {.name = "x",
					  .flop_per_s = {[PALEO_BF16] = 1e14, [PALEO_F32] = 1e13},
					  .fp4_flop_per_s = 4e14,
					  .int8_flop_per_s = 2e14,
					  .mem_bytes_per_s = 1e12,
					  .cache_bytes = 1e7,
					  .clock_hz = 1e9,
					  .sm_count = 100};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_device gpu = both;
		struct paleo_tile_device d;
		struct paleo_error err;
		struct paleo_op w;
		char key[96];
		snprintf(key, sizeof(key), "gemm fwd bf16 m=1000 n=500 k=3200 trans_b=1 stored=%s",
			 cases[i].stored);
		assert_int_equal(paleo_op_parse(key, &w, &err), PALEO_OK);
		assert_string_equal(paleo_op_class(&w), cases[i].class_name);
		const struct paleo_kernel_model *kernel = paleo_kernel_model_for(&w, 0);
		assert_string_equal(kernel->name, cases[i].kernel);
		struct paleo_tile_product p = paleo_tile_product_of_op(&w, kernel);
		assert_true(p.element_bytes == cases[i].element && p.result_bytes == 2);
		assert_true(p.quantise_bytes == cases[i].quantise);
		if (cases[i].bytes > 0)
			assert_true(p.bytes == cases[i].bytes && p.foot_bytes == cases[i].bytes);
		assert_int_equal(paleo_kernel_model_device(kernel, &gpu, w.dtype, 1, &d, &err),
				 PALEO_OK);
		assert_true(d.flop_per_s == cases[i].peak);
		assert_true(paleo_device_peak(&gpu, &w) == cases[i].peak);
		gpu.fp4_flop_per_s = gpu.int8_flop_per_s =
			0; /* unpacked, and multiplied as all else */
		assert_int_equal(paleo_kernel_model_device(kernel, &gpu, w.dtype, 1, &d, &err),
				 PALEO_OK);
		assert_true(d.flop_per_s == 1e14 && paleo_device_peak(&gpu, &w) == 1e14);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantised_activations),
		cmocka_unit_test(codes_have_cores_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
