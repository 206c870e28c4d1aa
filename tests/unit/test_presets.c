/* test_presets.c - presets on a datasheet: what they price, and what they say of themselves. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/source/presets.h"
#include "tests/unit/unit.h"

static struct paleo_prediction predict(const struct paleo_calibration *c, const char *key)
{
	struct paleo_prediction p = {0};
	struct paleo_op w;
	struct paleo_error err;

	if (paleo_op_parse(key, &w, &err) || paleo_predict_op(c, &w, &p, &err))
		fail_msg("%s", err.text);
	assert_non_null(p.factor);
	if (!p.factor) /* never: for analysers, which do not know that the line above leaves */
		abort();
	return p;
}

/* A product of 4096 at least takes its 2 * 4096^3 FLOP at 1.6 times the peak, and no more than ten
 * times what the peak gives: 137 GFLOP at 14 TFLOP/s are 9.8 ms. */
static void prices_every_kind(void **state)
{
	static const char *const keys[] = {"conv bwd_filter f32 n=8 c=64 h=56 w=56 k=64 r=3 s=3",
					   "pool bwd_data f32 mode=avg n=8 c=64 h=56 w=56 r=2 s=2",
					   "eltwise fwd f32 op=tanh count=1000000",
					   "softmax bwd_data f32 rows=1000 cols=1000",
					   "lrn fwd f32 n=8 c=64 h=56 w=56 size=5"};
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	const struct paleo_presets_for of = {.device = paleo_device_find("v100-pcie"),
					     .dtype = PALEO_F32};
	assert_int_equal(paleo_calibration_presets(&of, &c, &err), PALEO_OK);
	assert_string_equal(c.method, "presets");
	struct paleo_prediction p = predict(&c, "gemm fwd f32 m=4096 n=4096 k=4096");
	assert_string_equal(p.factor->model->kernel->name, "tile");
	assert_true(p.parts.total_s > 9.8e-3 / 1.6 && p.parts.total_s < 98e-3);
	assert_true(isnan(p.interval.low) && isnan(p.interval.low50));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		p = predict(&c, keys[i]);
		assert_true(p.parts.total_s > 0 && isfinite(p.parts.total_s) &&
			    isnan(p.interval.low));
	}
	paleo_calibration_release(&c);
}

/* In fp8 the products are of their own, and all around them is bf16's. */
static void has_both_types_for_fp8(void **state)
{
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	struct paleo_presets_for of = {.device = paleo_device_find("h200"), .dtype = PALEO_FP8};
	assert_int_equal(paleo_calibration_presets(&of, &c, &err), PALEO_OK);
	struct paleo_prediction p = predict(&c, "gemm fwd fp8 m=4096 n=4096 k=4096 trans_b=1");
	assert_true(p.exact && p.factor->dtype == PALEO_FP8);
	/* no faster than 1.6 times the peak, and faster than bf16, whose peak is the half */
	assert_true(p.parts.total_s > 2 * pow(4096, 3) / (1.6 * 1978.9e12));
	assert_true(p.parts.total_s <
		    predict(&c, "gemm fwd bf16 m=4096 n=4096 k=4096 trans_b=1").parts.total_s);
	p = predict(&c, "gemm bwd_data bf16 m=4096 n=4096 k=4096");
	assert_true(p.exact && p.factor->dtype == PALEO_BF16);
	p = predict(&c, "eltwise fwd bf16 op=relu count=1000000");
	assert_true(p.exact && p.factor->dtype == PALEO_BF16);
	paleo_calibration_release(&c);
	of.device = paleo_device_find("a100-80-sxm");
	assert_int_equal(paleo_calibration_presets(&of, &c, &err), PALEO_EUNSUPPORTED);
	assert_string_equal(err.text, "device 'a100-80-sxm' has no peak for fp8");
}

static void wants_a_gpu(void **state)
{
	struct paleo_calibration c = {.count = -7};
	struct paleo_error err;

	(void)state;
	const struct paleo_presets_for of = {.device = paleo_device_find("k80"),
					     .dtype = PALEO_BF16};
	assert_int_equal(paleo_calibration_presets(&of, &c, &err), PALEO_EUNSUPPORTED);
	assert_int_equal(c.count, -7);
}

/* Without those of its own chip the middle of the presets lies elsewhere. */
static void leaves_its_own_out(void **state)
{
	struct paleo_calibration own, others;
	struct paleo_presets_for of = {.device = paleo_device_find("v100-pcie"),
				       .dtype = PALEO_F32};
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_calibration_presets(&of, &own, &err), PALEO_OK);
	of.except_self = 1;
	assert_int_equal(paleo_calibration_presets(&of, &others, &err), PALEO_OK);
	const char *key = "gemm fwd f32 m=4096 n=4096 k=4096";
	assert_true(fabs(predict(&own, key).parts.total_s / predict(&others, key).parts.total_s -
			 1) > 0.001);
	paleo_calibration_release(&own);
	paleo_calibration_release(&others);
}

/* Each channel a group of its own, in f16 on a T4: 8.1 TFLOP/s in f32, not the tensor cores' 65,
 * and 320 GB/s. The 64 x 64 x 112 x 112 outputs are 51,380,224: 49 taps are 5.0353 GFLOP, at a
 * fifth of the peak 3.1082 ms, and 3 us of launch; 9 taps are 0.9248 GFLOP, 0.5709 ms, so that the
 * bytes, 106,463,232 + 1,152 + 102,760,448, take longer: 0.6538 ms. */
static void prices_depthwise_by_vector_units(void **state)
{
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	const struct paleo_presets_for of = {.device = paleo_device_find("t4"), .dtype = PALEO_F16};
	assert_int_equal(paleo_calibration_presets(&of, &c, &err), PALEO_OK);
	struct paleo_prediction p =
		predict(&c, "conv fwd f16 n=64 c=64 h=118 w=118 k=64 r=7 s=7 groups=64");
	assert_string_equal(p.factor->class_name, "conv.depthwise");
	assert_true(fabs(p.parts.total_s - 3.1112e-3) < 1e-6 &&
		    p.parts.compute_s > p.parts.memory_s);
	p = predict(&c, "conv fwd f16 n=64 c=64 h=114 w=114 k=64 r=3 s=3 groups=64");
	assert_true(fabs(p.parts.total_s - 0.6568e-3) < 1e-6 && p.bound == PALEO_BOUND_MEMORY);
	/* Gradients, at 0.17 of the bandwidth: 0.6538 / 0.17 = 3.8461 ms; at a twentieth of the
	 * peak 9 taps take 2.2836 ms. */
	p = predict(&c, "conv bwd_data f16 n=64 c=64 h=114 w=114 k=64 r=3 s=3 groups=64");
	assert_true(fabs(p.parts.total_s - 3.8491e-3) < 1e-6 &&
		    fabs(p.parts.compute_s - 2.2836e-3) < 1e-6);
	/* Two groups of 24 channels: 64 x 48 x 28 x 28 outputs of 24 x 9 products and sums are
	 * 1.0404 GFLOP, at a twentieth of the peak 2.5690 ms. 32 groups of 4 go by tensor cores. */
	p = predict(&c, "conv bwd_data f16 n=64 c=48 h=30 w=30 k=48 r=3 s=3 groups=2 layout=nhwc");
	assert_string_equal(p.factor->class_name, "conv.direct.nhwc");
	assert_true(fabs(p.parts.total_s - 2.5720e-3) < 1e-6);
	p = predict(&c,
		    "conv bwd_data f16 n=64 c=128 h=30 w=30 k=128 r=3 s=3 groups=32 layout=nhwc");
	assert_string_equal(p.factor->model->kernel->name, "conv");
	paleo_calibration_release(&c);
}

/* A 1x1 convolution is the GEMM of its pixels, here 64 x 56 x 56 by 64 inputs and 256 outputs: 128
 * MB and 6.6 GFLOP, which take a H200's memory 27 us at 4.8 TB/s, and its tensor cores 7 us. */
static void prices_convolutions_as_gemms(void **state)
{
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	const struct paleo_presets_for of = {.device = paleo_device_find("h200"),
					     .dtype = PALEO_BF16};
	assert_int_equal(paleo_calibration_presets(&of, &c, &err), PALEO_OK);
	double s = predict(&c, "conv fwd bf16 n=64 c=64 h=56 w=56 k=256 r=1 s=1 layout=nhwc")
			   .parts.total_s;
	double gemm_s = predict(&c, "gemm fwd bf16 m=200704 n=256 k=64 trans_b=1").parts.total_s;
	assert_true(fabs(s / gemm_s - 1) < 0.05);
	paleo_calibration_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prices_every_kind),
		cmocka_unit_test(has_both_types_for_fp8),
		cmocka_unit_test(wants_a_gpu),
		cmocka_unit_test(leaves_its_own_out),
		cmocka_unit_test(prices_depthwise_by_vector_units),
		cmocka_unit_test(prices_convolutions_as_gemms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
