/* test_plan_speed.c - predictions are made for the speed that records tell of. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tools/session/plan.h"

enum {
	OPS = 3
};

static struct plan_time times[OPS];
static struct plan_op ops[OPS];
static struct plan plan;
static struct paleo_calibration calibration;

/* To the digits that are given. */
static void near(double a, double b)
{
	if (!(fabs(a - b) < 1e-9 * b))
		fail_msg("%.12g, expected %.12g", a, b);
}

/* Products of 2 * 64^3 = 524288 FLOPs, 5.24288 us at 1e11 FLOP/s, and 3 * 64 * 64 * 4 = 49152
 * bytes, 4.9152 us at 1e10: 10.15808 us. The first two are measured, at half and at twice the
 * usual speed. */
static void fill(void)
{
	static const double speed[OPS] = {0.5, 2, 0};
	struct paleo_device d = {.name = "x", .mem_bytes_per_s = 1e10};
	struct paleo_error err;

	d.flop_per_s[PALEO_F32] = 1e11;
	assert_int_equal(paleo_calibration_datasheet(&d, 1, 1, &calibration, &err), 0);
	calibration.speed = (struct paleo_rates){1e11, 1e10};
	plan = (struct plan){.modes.count = 1, .ops = ops, .op_count = OPS};
	for (int i = 0; i < OPS; i++) {
		memset(&ops[i], 0, sizeof(ops[i]));
		memset(&times[i], 0, sizeof(times[i]));
		assert_int_equal(paleo_op_parse("gemm fwd f32 m=64 n=64 k=64", &ops[i].op, &err),
				 0);
		ops[i].times = &times[i];
		ops[i].predicted = 1;
		ops[i].before_s = ops[i].prediction.parts.total_s = 8e-6; /* by something else */
		times[i].measured = speed[i] > 0;
		times[i].record.op = ops[i].op;
		times[i].record.status = PALEO_RECORD_OK;
		times[i].record.timing.speed.flop_per_s = speed[i] * 1e11;
		times[i].record.timing.speed.bytes_per_s = speed[i] * 1e10;
	}
}

/* The middle of 0.5 and 2 is 1.25. */
static void follows_each_record_and_their_middle(void **state)
{
	struct paleo_rates seen;
	struct paleo_error err;

	(void)state;
	fill();
	assert_int_equal(plan_speed_predict(&plan, &calibration, &seen, &err), 0);
	assert_true(seen.flop_per_s == 1.25e11 && seen.bytes_per_s == 1.25e10);
	assert_true(plan.is_at_speed);
	near(ops[0].prediction.parts.total_s, 20.31616e-6);
	near(ops[1].prediction.parts.total_s, 5.07904e-6);
	near(ops[2].prediction.parts.total_s, 8.126464e-6);
	for (int i = 0; i < OPS; i++)
		assert_true(ops[i].before_s == 8e-6);
	paleo_calibration_release(&calibration);
}

static void check_unchanged(void)
{
	struct paleo_rates seen;
	struct paleo_error err;

	assert_int_equal(plan_speed_predict(&plan, &calibration, &seen, &err), 0);
	assert_true(seen.flop_per_s == 0 && ops[0].prediction.parts.total_s == 8e-6);
	assert_false(plan.is_at_speed);
	paleo_calibration_release(&calibration);
}

static void leaves_what_has_no_speed(void **state)
{
	(void)state;
	fill();
	calibration.speed = (struct paleo_rates){0, 0}; /* an old one */
	check_unchanged();
	fill();
	plan.modes.count = 0; /* nothing is measured */
	check_unchanged();
}

static void says_what_it_predicts_for(void **state)
{
	const struct paleo_calibration c = {.speed = {1e11, 1e10}};
	const struct paleo_rates none = {0, 0}, half = {0.5e11, 0.5e10};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	plan_speed_print(&none, &c, out);
	fflush(out);
	assert_int_equal(size, 0);
	plan_speed_print(&half, &c, out);
	fclose(out);
	assert_non_null(strstr(text, "50 GFLOP/s, 5.0 GB/s"));
	assert_non_null(strstr(text, "the calibration's (100, 10.0)"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_each_record_and_their_middle),
		cmocka_unit_test(leaves_what_has_no_speed),
		cmocka_unit_test(says_what_it_predicts_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
