/* test_blocks.c - numbers that share scales in blocks: codes and scales, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/fill.h"
#include "bench/reference.h"
#include "tests/unit/unit.h"

static const struct paleo_blocks *blocks_of(const char *name)
{
	struct paleo_weight_type t;
	struct paleo_error err;

	assert_int_equal(paleo_weight_type_parse(name, &t, &err), PALEO_OK);
	return paleo_stored_blocks(t.stored);
}

static void e2m1_is_rounded_to_even(void **state)
{
	static const float cases[][2] = {{0, 0},         {0.25f, 0}, {0.26f, 0.5f}, {0.75f, 1},
					 {1.25f, 1},     {1.75f, 2}, {2.5f, 2},     {2.51f, 3},
					 {3.5f, 4},      {5, 4},     {5.1f, 6},     {100, 6},
					 {-1.3f, -1.5f}, {-7, -6}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_true(paleo_round_e2m1(cases[i][0]) == cases[i][1]);
}

/* 0.7/448 = 2^-9.32, so 2^-9; 0.7/6 = 0.11667, in e4m3 steps of 2^-7: 14.93 of them, so 15/128. */
static void scales_are_what_cublaslt_has(void **state)
{
	(void)state;
	assert_true(paleo_block_scale(blocks_of("fp8_block"), 0.7f) == 0.7f / 448);
	assert_true(paleo_block_scale(blocks_of("mxfp8"), 0.7f) == 0x1p-9f);
	assert_true(paleo_block_scale(blocks_of("mxfp8"), 448) == 1); /* a power stays */
	assert_true(paleo_block_scale(blocks_of("nvfp4"), 0.7f) == 15.0f / 128);
	assert_true(paleo_block_scale(blocks_of("nvfp4"), 1e-9f) == 0x1p-9f);
	assert_true(paleo_block_scale(blocks_of("mxfp8"), 0) == 1);
}

/* 0.3 by the scale 15/128 is 2.56, so 3; by 2^-9 it is 153.6, next to which e4m3 has 144 and 160.
 */
static void values_come_back_by_their_scale(void **state)
{
	(void)state;
	assert_true(paleo_block_value(blocks_of("nvfp4"), 0.3f, 15.0f / 128) == 45.0 / 128);
	assert_true(paleo_block_value(blocks_of("mxfp8"), 0.3f, 0x1p-9f) == 160.0 / 512);
}

/* Eighths from -8 to 7, halves to even; 128ths; e2m1 of four times as much: 2.8 is 3. */
static void codes_use_their_span(void **state)
{
	(void)state;
	assert_true(paleo_block_code(blocks_of("int4_g32"), 0.99f) == 7.0f / 8);
	assert_true(paleo_block_code(blocks_of("int4_g128"), -1) == -1);
	assert_true(paleo_block_code(blocks_of("int4_g64"), 0.3125f) == 2.0f / 8);
	assert_true(paleo_block_code(blocks_of("int8"), 0.9999f) == 127.0f / 128);
	assert_true(paleo_block_code(blocks_of("int8"), -0.25f) == -32.0f / 128);
	assert_true(paleo_block_code(blocks_of("mxfp4"), 0.7f) == 3.0f / 4);
}

/* With weights that alone are stored activations stay as they are. Of experts both weights have
 * such values. */
static void weights_alone_are_stored(void **state)
{
	struct paleo_op w;
	struct paleo_error err;
	double sum = 0, value, magnitude;

	(void)state;
	assert_int_equal(
		paleo_op_parse("gemm fwd bf16 m=3 n=8 k=32 trans_b=1 stored=int8", &w, &err),
		PALEO_OK);
	for (int l = 0; l < 32; l++)
		sum += (double)paleo_fill_value(&w, PALEO_X, 0, 2 * 32 + l) *
		       (double)paleo_fill_value(&w, PALEO_W, 0, 5 * 32 + l);
	assert_int_equal(paleo_reference_value(&w, PALEO_Y, 0, 2 * 8 + 5, &value, &magnitude, &err),
			 PALEO_OK);
	assert_true(fabs(value - sum) < 1e-12);
	assert_int_equal(paleo_op_parse("moe fwd bf16 tokens=4 hidden=32 inter=64 experts=2 "
					"local=2 topk=1 stored=mxfp4",
					&w, &err),
			 PALEO_OK);
	/* scales are powers of two, so without them and its own all are halves of e2m1 */
	for (int i = 0; i < 64; i++) {
		float code = 4 * 8 * paleo_fill_value(&w, PALEO_W2, 0, i); /* 1/sqrt(64) */
		int power = (int)(paleo_fill_hash(paleo_fill_stream(PALEO_W2, 0) + 1,
						  (uint64_t)(i / 32)) %
				  3) -
			    1;
		code = ldexpf(code, -power);
		assert_true(paleo_round_e2m1(code) == code);
	}
}

/* A product of two blocks is the sum of what both are quantised to: by the parts, which are tested
 * above, and the values of fill.h. */
static void products_are_of_quantised_rows(void **state)
{
	const struct paleo_blocks *b = blocks_of("nvfp4");
	struct paleo_op w;
	struct paleo_error err;
	double sum = 0, value, magnitude;

	(void)state;
	assert_int_equal(
		paleo_op_parse("gemm fwd bf16 m=3 n=8 k=32 trans_b=1 stored=nvfp4", &w, &err),
		PALEO_OK);
	for (int block = 0; block < 2; block++) {
		float most = 0;
		for (int l = 16 * block; l < 16 * block + 16; l++)
			most = fmaxf(most, fabsf(paleo_fill_value(&w, PALEO_X, 0, 2 * 32 + l)));
		float scale = paleo_block_scale(b, most);
		for (int l = 16 * block; l < 16 * block + 16; l++)
			sum += paleo_block_value(b, paleo_fill_value(&w, PALEO_X, 0, 2 * 32 + l),
						 scale) *
			       (double)paleo_fill_value(&w, PALEO_W, 0, 5 * 32 + l);
	}
	assert_int_equal(paleo_reference_value(&w, PALEO_Y, 0, 2 * 8 + 5, &value, &magnitude, &err),
			 PALEO_OK);
	assert_true(fabs(value - sum) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(e2m1_is_rounded_to_even),
		cmocka_unit_test(scales_are_what_cublaslt_has),
		cmocka_unit_test(values_come_back_by_their_scale),
		cmocka_unit_test(codes_use_their_span),
		cmocka_unit_test(weights_alone_are_stored),
		cmocka_unit_test(products_are_of_quantised_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
