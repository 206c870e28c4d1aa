/* test_fill.c - inputs are uniform, scaled, rounded as the header says, and reproducible. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_help.h"

static void uniform_in_range(void **state)
{
	struct paleo_op w = given_op("eltwise fwd f32 op=relu count=100000");
	double sum = 0, squares = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		double v = paleo_fill_value(&w, PALEO_X, 0, i);
		assert_true(v >= -1 && v < 1);
		sum += v;
		squares += v * v;
	}
	/* mean 0 and variance 1/3; five standard errors are 5 sqrt(1/3/1e5) and 5 sqrt(4/45/1e5) */
	assert_true(fabs(sum / 1e5) < 0.0092);
	assert_true(fabs(squares / 1e5 - 1.0 / 3) < 0.0048);
}

/* Tensors are different from one another, and from themselves one element on. */
static void streams_differ(void **state)
{
	struct paleo_op w = given_op("eltwise fwd f32 op=add inputs=2 count=10000");
	double product[3] = {0};

	(void)state;
	for (int i = 0; i < 10000; i++) {
		double v = paleo_fill_value(&w, PALEO_X, 0, i);
		product[0] += v * paleo_fill_value(&w, PALEO_X, 1, i);
		product[1] += v * paleo_fill_value(&w, PALEO_DY, 0, i);
		product[2] += v * paleo_fill_value(&w, PALEO_X, 0, i + 1);
	}
	/* independent: each mean is 0 with standard error 1/3 / 100 */
	for (int i = 0; i < 3; i++)
		assert_true(fabs(product[i] / 1e4) < 5.0 / 300);
}

static void fill_is_value(void **state)
{
	struct paleo_op w = given_op("update update bf16 rule=adam count=100");
	float out[40];

	(void)state;
	paleo_fill(&w, PALEO_STATE2, 3, 1e12, 40, out);
	for (int i = 0; i < 40; i++) {
		float v = paleo_fill_value(&w, PALEO_STATE2, 3, 1e12 + i);
		assert_true(v == out[i]);
		assert_true(v > 0);
		v = paleo_fill_value(&w, PALEO_DY, 3, 1e12 + i);
		assert_true(v == paleo_round_to(v, PALEO_BF16));
	}
}

/* Of f32 and tf32 all but masks and second moments are uniform, rounded numbers are not. */
static void uniform_is_uniform(void **state)
{
	static const char *const keys[] = {
		"conv fwd f32 n=1 c=64 h=8 w=8 k=16 r=3 s=3 bias=1", /* w is scaled */
		"conv bwd_filter f32 n=4 c=64 h=6 w=6 k=16 r=3 s=3", /* dy is */
		"eltwise bwd_data f32 op=dropout count=10000",
		"update update f32 rule=adam count=1000",
	};

	(void)state;
	for (int i = 0; i < 4 * PALEO_DTYPES * PALEO_ROLES; i++) {
		struct paleo_op w = given_op(keys[i % 4]);
		enum paleo_role role = (enum paleo_role)(i / 4 % PALEO_ROLES);
		w.dtype = (enum paleo_dtype)(i / 4 / PALEO_ROLES);
		struct paleo_filler f = paleo_filler_of(&w, role, 1);
		enum paleo_dtype own = paleo_operand_dtype(&w, role);
		int is_wide = own == PALEO_F32 || own == PALEO_TF32;
		assert_int_equal(paleo_filler_is_uniform(&f), is_wide && role != PALEO_MASK &&
								      role != PALEO_STATE2 &&
								      role != PALEO_INDEX);
		for (uint64_t at = 0; paleo_filler_is_uniform(&f) && at < 100; at++)
			assert_true(paleo_filler_at(&f, at) ==
				    paleo_fill_uniform(paleo_fill_stream(role, 1), at) *
					    (float)paleo_fill_scale(&w, role));
	}
}

/* 2^-round(log2(terms)/2): 576 terms, root 24 -> 1/32 (log2 24 = 4.58); 64 -> 1/8. */
static void scales(void **state)
{
	static const struct {
		const char *key;
		enum paleo_role role;
		double terms, scale;
	} cases[] = {
		{"conv fwd f32 n=1 c=64 h=8 w=8 k=16 r=3 s=3", PALEO_W, 576, 0x1p-5},
		{"conv fwd f32 n=1 c=64 h=8 w=8 k=16 r=3 s=3", PALEO_X, 576, 1},
		{"conv fwd f32 n=1 c=64 h=8 w=8 k=16 r=3 s=3 bias=1", PALEO_BIAS, 576, 1},
		/* stride 2 spreads 3x3 taps: about 2x2 of them meet an input pixel */
		{"conv bwd_data f32 n=1 c=64 h=8 w=8 k=16 r=3 s=3 stride_h=2 stride_w=2", PALEO_W,
		 64, 0x1p-3},
		/* 4 images of 4x4 outputs */
		{"conv bwd_filter f32 n=4 c=64 h=6 w=6 k=16 r=3 s=3", PALEO_DY, 64, 0x1p-3},
		{"conv bwd_filter f32 n=4 c=64 h=6 w=6 k=16 r=3 s=3", PALEO_X, 64, 1},
		{"conv fwd f32 n=1 c=64 h=8 w=8 k=64 r=3 s=3 groups=16", PALEO_W, 36, 0x1p-3},
		{"gemm fwd f32 m=2 n=3 k=1024", PALEO_W, 1024, 0x1p-5},
		{"gemm bwd_filter f32 m=2 n=3 k=1024", PALEO_X, 1024, 0x1p-5},
		{"gemm bwd_filter f32 m=2 n=3 k=1024", PALEO_W, 1024, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		assert_true(paleo_fill_terms(&w) == cases[i].terms);
		assert_true(paleo_fill_scale(&w, cases[i].role) == cases[i].scale);
	}
}

static void rounding(void **state)
{
	(void)state;
	/* f16 has 10 bits behind the one: the step at 1 is 2^-10, halves go to even */
	assert_true(paleo_round_to(1 + 0x1p-11f, PALEO_F16) == 1);
	assert_true(paleo_round_to(1 + 3 * 0x1p-11f, PALEO_F16) == 1 + 2 * 0x1p-10f);
	assert_true(paleo_round_to(1 + 0x1.8p-11f, PALEO_F16) == 1 + 0x1p-10f);
	/* a carry out of the mantissa */
	assert_true(paleo_round_to(2 - 0x1p-12f, PALEO_F16) == 2);
	/* below 2^-14 the step stays 2^-24 */
	assert_true(paleo_round_to(0x1.8p-24f, PALEO_F16) == 0x1p-23f);
	assert_true(paleo_round_to(0x1p-25f, PALEO_F16) == 0);
	assert_true(paleo_round_to(-0x1.4p-24f, PALEO_F16) == -0x1p-24f);
	/* the largest is 65504 */
	assert_true(paleo_round_to(65519, PALEO_F16) == 65504);
	assert_true(isinf(paleo_round_to(-65520, PALEO_F16)));
	/* bf16 has 7 bits */
	assert_true(paleo_round_to(1 + 0x1p-8f, PALEO_BF16) == 1);
	assert_true(paleo_round_to(-1 - 3 * 0x1p-8f, PALEO_BF16) == -1 - 2 * 0x1p-7f);
	/* e4m3 has 3 bits down to 2^-6, then steps of 2^-9; its largest number is 448 */
	assert_true(paleo_round_to(1 + 0x1p-4f, PALEO_FP8) == 1);
	assert_true(paleo_round_to(1 + 3 * 0x1p-4f, PALEO_FP8) == 1.25f);
	assert_true(paleo_round_to(-17, PALEO_FP8) == -16);
	assert_true(paleo_round_to(0x1.8p-9f, PALEO_FP8) == 0x1p-8f);
	assert_true(paleo_round_to(0x1p-10f, PALEO_FP8) == 0);
	assert_true(paleo_round_to(0x1.fp-7f, PALEO_FP8) == 0x1p-6f);
	assert_true(paleo_round_to(447, PALEO_FP8) == 448);
	assert_true(paleo_round_to(-1e6f, PALEO_FP8) == -448);
	assert_true(paleo_round_to(INFINITY, PALEO_FP8) == 448);
	assert_true(isnan(paleo_round_to(NAN, PALEO_FP8)));
	assert_true(isnan(paleo_round_to(NAN, PALEO_BF16)));
	assert_true(isinf(paleo_round_to(INFINITY, PALEO_F16)));
	/* and these are left alone */
	assert_true(paleo_round_to(1 + 0x1p-23f, PALEO_F32) == 1 + 0x1p-23f);
	assert_true(paleo_round_to(1 + 0x1p-23f, PALEO_TF32) == 1 + 0x1p-23f);
}

/* In 16 bits what a normalisation has learned keeps all its bits: 24 of them, of which bf16 has 8.
 */
static void parameters_are_not_rounded(void **state)
{
	struct paleo_op w = given_op("norm fwd bf16 mode=batch n=2 c=3 h=4 w=5 scale=1 shift=1");
	float v = paleo_fill_uniform(paleo_fill_stream(PALEO_SHIFT, 0), 1);

	(void)state;
	assert_true(paleo_round_to(v, PALEO_BF16) != v);
	assert_true(paleo_fill_value(&w, PALEO_SHIFT, 0, 1) == v);
	v = paleo_fill_uniform(paleo_fill_stream(PALEO_X, 0), 1);
	assert_true(paleo_fill_value(&w, PALEO_X, 0, 1) == paleo_round_to(v, PALEO_BF16));
	assert_int_equal(paleo_operand_dtype(&w, PALEO_DSCALE), PALEO_F32);
	assert_int_equal(paleo_operand_dtype(&w, PALEO_DX), PALEO_BF16);
}

static void dropout_keeps_half(void **state)
{
	struct paleo_op w = given_op("eltwise bwd_data f32 op=dropout count=10000");
	int kept = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		kept += paleo_fill_keep(i);
		assert_true(paleo_fill_value(&w, PALEO_MASK, 0, i) == (float)paleo_fill_keep(i));
	}
	assert_true(abs(kept - 5000) < 250); /* five standard errors of 50 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uniform_in_range),   cmocka_unit_test(streams_differ),
		cmocka_unit_test(fill_is_value),      cmocka_unit_test(scales),
		cmocka_unit_test(rounding),           cmocka_unit_test(dropout_keeps_half),
		cmocka_unit_test(uniform_is_uniform), cmocka_unit_test(parameters_are_not_rounded),
	};

	return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
