/* test_speed.c - a device at another speed: which ops follow which of its two ratios. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/predict/predict.h"
#include "model/predict/smooth.h"
#include "tests/unit/unit.h"

static const struct paleo_rates usual = {4e11, 6e10};

static struct paleo_op parsed(const char *key)
{
	struct paleo_op w;
	struct paleo_error err;

	if (paleo_op_parse(key, &w, &err))
		fail_msg("%s", err.text);
	return w;
}

/* 2e11 and 9e10 over 4e11 and 6e10 are 0.5 and 1.5. */
static void is_two_ratios(void **state)
{
	const struct paleo_rates now = {2e11, 9e10}, half = {2e11, 0}, none = {0, 0};

	(void)state;
	struct paleo_speed s = paleo_speed_over(&now, &usual);
	assert_true(s.products == 0.5 && s.memory == 1.5);
	s = paleo_speed_over(&half, &usual);
	assert_true(s.products == 0.5 && s.memory == 0);
	s = paleo_speed_over(&now, &none);
	assert_true(s.products == 0 && s.memory == 0);
}

/* ln 0.5 = -0.693147, times 1 - 0.04/0.480453 = 0.916745, is the logarithm of 0.529703. */
static void a_probe_counts_beyond_its_spread(void **state)
{
	const struct paleo_speed half = {0.5, 0.5}, near = {0.85, 1.1}, usual_one = {1, 0};
	const struct paleo_speed sd = {0.2, 0.2}, no_sd = {0, 0};

	(void)state;
	struct paleo_speed s = paleo_speed_shrunk(&half, &sd);
	assert_true(fabs(s.products - 0.529703) < 1e-6 && s.memory == s.products);
	s = paleo_speed_shrunk(&near, &sd); /* within the spread */
	assert_true(s.products == 1 && s.memory == 1);
	s = paleo_speed_shrunk(&half, &no_sd);
	assert_true(fabs(s.products - 0.5) < 1e-15);
	s = paleo_speed_shrunk(&usual_one, &sd); /* 0: not known */
	assert_true(s.products == 1 && s.memory == 0);
}

/* A relu reads and writes 4 bytes for each element: 124999 are 999992 bytes, 125000 are 1e6. */
static void each_kind_follows_its_own(void **state)
{
	const struct paleo_speed s = {0.5, 1.5}, unknown = {0, 0};
	static const struct {
		const char *key;
		double follows;
	} ops[] = {
		{"gemm fwd f32 m=64 n=64 k=64", 0.5},
		{"eltwise fwd f32 op=relu count=125000", 1.5},
		{"eltwise fwd f32 op=relu count=124999", 1},
		{"update update f32 rule=sgd count=1000000", 1.5},
		{"softmax fwd f32 rows=1000 cols=1000", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const struct paleo_op w = parsed(ops[i].key);
		assert_true(paleo_speed_of(&s, &w) == ops[i].follows);
		assert_true(paleo_speed_of(&unknown, &w) == 1);
	}
}

/* At half the speed all parts of a product take twice as long, and so do their intervals; a
 * calibration's own device is at its own speed. */
static void scales_the_rates_of_the_device(void **state)
{
	struct paleo_device d = {.name = "x", .mem_bytes_per_s = 6e10};
	struct paleo_calibration c;
	struct paleo_prediction own, slow;
	struct paleo_error err;
	const struct paleo_op w = parsed("gemm fwd f32 m=64 n=64 k=64");

	(void)state;
	d.flop_per_s[PALEO_F32] = 4e11;
	assert_int_equal(paleo_calibration_datasheet(&d, 0.5, 0.5, &c, &err), 0);
	c.models[0].overhead_s = 1e-6;
	assert_int_equal(paleo_predict_op(&c, &w, &own, &err), 0);
	d.speed = (struct paleo_speed){0.5, 1.5};
	assert_int_equal(paleo_predict_on(&c, &d, &w, &slow, &err), 0);
	assert_true(slow.parts.total_s == 2 * own.parts.total_s &&
		    slow.parts.compute_s == 2 * own.parts.compute_s);
	assert_true(slow.parts.memory_s == 2 * own.parts.memory_s && slow.parts.overhead_s == 2e-6);
	assert_true(slow.bound == own.bound);
	paleo_calibration_release(&c);
}

/* Of 10 % down and up, with a speed known to 20 %: sqrt(10^2 + 32.9^2) % of an op. Ops err
 * independently, but have the speed in common: of two, sqrt(2 * 10^2 + (2 * 32.9)^2) %. */
static void is_an_error_of_all_ops(void **state)
{
	struct paleo_device d = {.name = "x", .mem_bytes_per_s = 6e10};
	struct paleo_calibration c;
	struct paleo_prediction p[2];
	struct paleo_prediction_sum sum;
	struct paleo_error err;
	const struct paleo_op w[2] = {parsed("gemm fwd f32 m=64 n=64 k=64"),
				      parsed("gemm fwd f32 m=65 n=64 k=64")};
	const double speed = PALEO_NORMAL_90 * 0.2;

	(void)state;
	d.flop_per_s[PALEO_F32] = 4e11;
	assert_int_equal(paleo_calibration_datasheet(&d, 0.5, 0.5, &c, &err), 0);
	struct paleo_class_model *f = &c.models[0];
	*f = (struct paleo_class_model){.pass = PALEO_FWD,
					.dtype = PALEO_F32,
					.ppp_compute = 0.5,
					.ppp_memory = 0.5,
					.overlap = 1,
					.ratio_low = 0.9,
					.ratio_high = 1.1,
					.correlation = 1e-9};
	snprintf(f->class_name, sizeof(f->class_name), "%s", paleo_op_class(&w[0]));
	d.speed_sd.products = 0.2;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(paleo_predict_on(&c, &d, &w[i], &p[i], &err), 0);
		double half = p[i].interval.high / p[i].parts.total_s - 1;
		assert_true(fabs(half - hypot(0.1, speed)) < 1e-12);
	}
	assert_int_equal(paleo_prediction_add_up(p, 2, &sum, &err), 0);
	double own_s = 0.1 * hypot(p[0].parts.total_s, p[1].parts.total_s);
	double half_s = sum.interval.high - sum.parts.total_s;
	assert_true(fabs(half_s / hypot(own_s, speed * sum.parts.total_s) - 1) < 1e-6);
	d.speed.products = 1;
	paleo_speed_known(&d);
	assert_int_equal(paleo_predict_on(&c, &d, &w[0], &p[0], &err), 0);
	assert_true(fabs(p[0].interval.high / p[0].parts.total_s - 1.1) < 1e-12);
	paleo_calibration_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_two_ratios),
		cmocka_unit_test(a_probe_counts_beyond_its_spread),
		cmocka_unit_test(each_kind_follows_its_own),
		cmocka_unit_test(scales_the_rates_of_the_device),
		cmocka_unit_test(is_an_error_of_all_ops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
