/* test_paced.c - predictions are made for the pace that records tell of. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tools/paced.h"

enum {
	WORKS = 3
};

static struct plan_time times[WORKS];
static struct plan_work works[WORKS];
static struct plan plan;

/* To the digits that are given. */
static void near(double a, double b)
{
	if (!(fabs(a - b) < 1e-6 * b))
		fail_msg("%.9g, expected %.9g", a, b);
}

/* Predicted to take 8 us each; the first two are measured, at half and at twice the usual pace. */
static void fill(void)
{
	static const double pace[WORKS] = {0.5, 2, 0};
	struct paleo_error err;

	plan = (struct plan){.modes.count = 1, .works = works, .work_count = WORKS};
	for (int i = 0; i < WORKS; i++) {
		memset(&works[i], 0, sizeof(works[i]));
		memset(&times[i], 0, sizeof(times[i]));
		assert_int_equal(
			paleo_work_parse("gemm fwd f32 m=64 n=64 k=64", &works[i].work, &err), 0);
		works[i].times = &times[i];
		works[i].prediction = (struct paleo_prediction){.compute_s = 4e-6,
								.overhead_s = 1e-6,
								.total_s = 8e-6,
								.low_s = 6e-6,
								.high_s = 10e-6};
		times[i].measured = pace[i] > 0;
		times[i].record.work = works[i].work;
		times[i].record.status = PALEO_RECORD_OK;
		times[i].record.timing.pace_flop_per_s = pace[i] * 1e11;
		times[i].record.timing.pace_bytes_per_s = pace[i] * 1e10;
	}
}

static void follows_each_record_and_their_middle(void **state)
{
	const struct paleo_calibration c = {.pace_flop_per_s = 1e11, .pace_bytes_per_s = 1e10};
	struct paleo_law_rates pace;
	struct paleo_error err;

	(void)state;
	fill();
	assert_int_equal(paced_predict(&plan, &c, &pace, &err), 0);
	/* the middle of 0.5 and 2 is 1.25 */
	assert_true(pace.flop_per_s == 1.25e11 && pace.bytes_per_s == 1.25e10);
	/* The loops would take 10.2 us, so that works of 8 follow them wholly. Half as fast: x = ln
	 * 2 = 0.6931472 leaves x^3/(x^2 + 0.0004) = 0.6925706 (docs/cpu.md), 1.9988471 times as
	 * long; twice as fast the inverse. At 1.25, ln 0.8 = -0.2231436 leaves -0.2213653, which is
	 * a factor of 0.8014239. */
	near(works[0].prediction.total_s, 15.990777e-6);
	near(works[0].prediction.compute_s, 7.9953885e-6);
	near(works[0].prediction.overhead_s, 1.9988471e-6);
	near(works[0].prediction.low_s, 11.993083e-6);
	near(works[0].prediction.high_s, 19.988471e-6);
	near(works[1].prediction.total_s, 4.0023071e-6);
	near(works[2].prediction.total_s, 6.4113911e-6);
}

static void leaves_what_has_no_pace(void **state)
{
	struct paleo_calibration c = {.pace_flop_per_s = 0};
	struct paleo_law_rates pace;
	struct paleo_error err;

	(void)state;
	fill(); /* an old calibration */
	assert_int_equal(paced_predict(&plan, &c, &pace, &err), 0);
	assert_true(pace.flop_per_s == 0 && works[0].prediction.total_s == 8e-6);
	fill(); /* nothing is measured */
	c.pace_flop_per_s = 1e11;
	c.pace_bytes_per_s = 1e10;
	plan.modes.count = 0;
	assert_int_equal(paced_predict(&plan, &c, &pace, &err), 0);
	assert_true(pace.flop_per_s == 0 && works[0].prediction.total_s == 8e-6);
}

static void says_what_it_predicts_for(void **state)
{
	const struct paleo_calibration c = {.pace_flop_per_s = 1e11, .pace_bytes_per_s = 1e10};
	const struct paleo_law_rates none = {0, 0, 0}, half = {0.5e11, 0.5e10, 0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	paced_print(&none, &c, out);
	fflush(out);
	assert_int_equal(size, 0);
	paced_print(&half, &c, out);
	fclose(out);
	assert_non_null(strstr(text, "50 GFLOP/s and 5.0 GB/s"));
	assert_non_null(strstr(text, "the calibration's was 100 and 10.0"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_each_record_and_their_middle),
		cmocka_unit_test(leaves_what_has_no_pace),
		cmocka_unit_test(says_what_it_predicts_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
