/* test_speed.c - a device at another speed: which works follow which of its two ratios. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/predict/predict.h"
#include "model/predict/smooth.h"
#include "tests/unit/unit.h"

static const struct paleo_rates usual = {4e11, 6e10};

static struct paleo_work parsed(const char *key)
{
	struct paleo_work w;
	struct paleo_error err;

	if (paleo_work_parse(key, &w, &err))
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

/* A relu reads and writes 4 bytes for each element: 124999 are 999992 bytes, 125000 are 1e6. */
static void each_kind_follows_its_own(void **state)
{
	const struct paleo_speed s = {0.5, 1.5}, unknown = {0, 0};
	static const struct {
		const char *key;
		double follows;
	} works[] = {
		{"gemm fwd f32 m=64 n=64 k=64", 0.5},
		{"eltwise fwd f32 op=relu count=125000", 1.5},
		{"eltwise fwd f32 op=relu count=124999", 1},
		{"update update f32 rule=sgd count=1000000", 1.5},
		{"softmax fwd f32 rows=1000 cols=1000", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		const struct paleo_work w = parsed(works[i].key);
		assert_true(paleo_speed_of(&s, &w) == works[i].follows);
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
	const struct paleo_work w = parsed("gemm fwd f32 m=64 n=64 k=64");

	(void)state;
	d.flop_per_s[PALEO_F32] = 4e11;
	assert_int_equal(paleo_calibration_datasheet(&d, 0.5, 0.5, &c, &err), 0);
	c.models[0].overhead_s = 1e-6;
	assert_int_equal(paleo_predict_work(&c, &w, &own, &err), 0);
	d.speed = (struct paleo_speed){0.5, 1.5};
	assert_int_equal(paleo_predict_on(&c, &d, &w, &slow, &err), 0);
	assert_true(slow.parts.total_s == 2 * own.parts.total_s &&
		    slow.parts.compute_s == 2 * own.parts.compute_s);
	assert_true(slow.parts.memory_s == 2 * own.parts.memory_s && slow.parts.overhead_s == 2e-6);
	assert_true(slow.bound == own.bound);
	paleo_calibration_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_two_ratios),
		cmocka_unit_test(each_kind_follows_its_own),
		cmocka_unit_test(scales_the_rates_of_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
