/* test_validate.c - errors are of what was held out, and say so when nothing was. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/validate.h"
#include "model/predict/smooth.h"
#include "tests/unit/unit.h"

static const struct paleo_class_model truth = {
	.ppp_compute = 0.8, .ppp_memory = 0.5, .overhead_s = 5e-6, .overlap = 2};

/* A spread of sizes without chance: i-th op of 40. */
static struct paleo_op gemm(int i, enum paleo_pass pass)
{
	struct paleo_op w = {.kind = PALEO_GEMM, .pass = pass};
	struct paleo_error err;

	w.geom.gemm.m = 1 + (i * 37) % 200;
	w.geom.gemm.n = 16 + (i * 101) % 900;
	w.geom.gemm.k = 16 + (i * 53) % 700;
	if (paleo_op_finish(&w, &err))
		fail_msg("%s", err.text);
	return w;
}

static void add(struct paleo_results *r, const struct paleo_op *w, double slower)
{
	struct paleo_record record = {.op = *w, .mode = "cold"};
	struct paleo_cost_model_terms terms;
	struct paleo_cost_model_time time;
	struct paleo_error err;

	assert_int_equal(paleo_cost_model_terms(&r->meta.device, w, &terms, &err), PALEO_OK);
	paleo_cost_model_time(&terms, &truth, &time);
	record.timing.median_s = time.parts.total_s * slower;
	assert_int_equal(paleo_results_add(r, &record, &err), PALEO_OK);
}

/* 40 ops forward and backward, and a net of five others that take `slower` times as long; its
 * last row stands twice, and one row was never measured. */
static struct paleo_results make_results(double slower)
{
	struct paleo_results r = {.meta = {.device = {.name = "unit",
						      .flop_per_s = {[PALEO_F32] = 3e11},
						      .mem_bytes_per_s = 2e10}}};
	struct paleo_net_row rows[7];
	struct paleo_net_rows net = {.net = "five", .batch = 8, .rows = rows, .count = 7};
	struct paleo_error err;

	for (int i = 0; i < 80; i++) {
		struct paleo_op w = gemm(i, i % 2 ? PALEO_FWD : PALEO_BWD_DATA);
		add(&r, &w, 1);
	}
	for (int i = 0; i < 5; i++) {
		enum paleo_pass pass = i < 3 ? PALEO_FWD : PALEO_BWD_DATA;
		rows[i] = (struct paleo_net_row){.pass = pass, .op = gemm(100 + i, pass)};
		add(&r, &rows[i].op, slower);
	}
	rows[5] = rows[4];
	rows[6] = (struct paleo_net_row){.pass = PALEO_FWD, .op = gemm(120, PALEO_FWD)};
	assert_int_equal(paleo_results_add_net(&r, &net, &err), PALEO_OK);
	return r;
}

static void near(double a, double b, double tolerance)
{
	if (!(fabs(a / b - 1) <= tolerance))
		fail_msg("%g is not %g", a, b);
}

static void finds_no_error_where_there_is_none(void **state)
{
	(void)state;
	struct paleo_results r = make_results(1);
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_validation v;
	struct paleo_error err;
	double fwd = 0, all = 0;

	if (paleo_validate(&r, &o, &v, &err))
		fail_msg("%s", err.text);
	assert_int_equal(v.group_count, 2);
	assert_int_equal(v.all.count, 85);
	assert_true(v.all.p90 < 0.005 && fabs(v.all.bias) < 0.005);
	assert_int_equal(v.net_count, 1);
	assert_int_equal(v.nets[0].rows, 7);
	assert_int_equal(v.nets[0].missing, 1);
	assert_int_equal(v.nets[0].errors.count, 6);
	assert_int_equal(v.nets[0].fitted, 80);
	assert_int_equal(v.nets[0].seen, 0);
	/* The sums by hand: three forward rows; two backward ones, the last of them twice. */
	for (int i = 0; i < 6; i++) {
		double s = r.records[80 + (i < 5 ? i : 4)].timing.median_s;
		fwd += i < 3 ? s : 0;
		all += s;
	}
	near(v.nets[0].measured_fwd_s, fwd, 1e-12);
	near(v.nets[0].measured_s, all, 1e-12);
	near(v.nets[0].predicted_fwd_s, fwd, 0.005);
	near(v.nets[0].predicted_s, all, 0.005);
	paleo_validation_release(&v);
	paleo_validation_release(NULL);
	paleo_results_release(&r);
}

/* The net's ops take twice the cost model's time: a fit that has seen them would come nearer than
 * half.
 */
static void holds_the_net_out(void **state)
{
	(void)state;
	struct paleo_results r = make_results(2);
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_validation v;
	struct paleo_error err;

	if (paleo_validate(&r, &o, &v, &err))
		fail_msg("%s", err.text);
	near(v.nets[0].predicted_s, v.nets[0].measured_s / 2, 0.005);
	near(v.nets[0].errors.median, 0.5, 0.01);
	near(v.nets[0].errors.bias, -0.5, 0.01);
	paleo_validation_release(&v);
	paleo_results_release(&r);
}

/* Another batch size of the same net has nearly the same ops: they are held out with it. */
static void holds_out_all_batch_sizes(void **state)
{
	(void)state;
	struct paleo_results r = make_results(1);
	struct paleo_net_row row = {.pass = PALEO_FWD, .op = gemm(1, PALEO_FWD)};
	struct paleo_net_rows other = {.net = "five", .batch = 16, .rows = &row, .count = 1};
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_validation v;
	struct paleo_error err;

	assert_int_equal(paleo_results_add_net(&r, &other, &err), PALEO_OK);
	if (paleo_validate(&r, &o, &v, &err))
		fail_msg("%s", err.text);
	assert_int_equal(v.net_count, 2);
	/* 85 records less the five and the one. */
	assert_int_equal(v.nets[0].fitted, 79);
	assert_int_equal(v.nets[1].fitted, 79);
	paleo_validation_release(&v);
	paleo_results_release(&r);
}

static void does_not_judge_a_net_by_itself(void **state)
{
	(void)state;
	struct paleo_results r = make_results(1);
	struct paleo_validation v;
	struct paleo_error err;
	unsigned char skip[85];
	const struct paleo_fit_options o = {.folds = 5, .skip = skip};

	memset(skip, 1, 80); /* all but the net's */
	memset(skip + 80, 0, 5);
	if (paleo_validate(&r, &o, &v, &err))
		fail_msg("%s", err.text);
	assert_int_equal(v.nets[0].fitted, 0);
	assert_int_equal(v.nets[0].errors.count, 0);
	assert_true(isnan(v.nets[0].errors.median));
	paleo_validation_release(&v);
	paleo_results_release(&r);
}

static void says_what_a_calibration_has_seen(void **state)
{
	(void)state;
	struct paleo_results r = make_results(1);
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_calibration c;
	struct paleo_validation v;
	struct paleo_error err;

	assert_int_equal(paleo_fit(&r, &o, &c, NULL, &err), PALEO_OK);
	assert_int_equal(paleo_validate_calibration(&c, &r, &v, &err), PALEO_OK);
	assert_int_equal(v.seen, 85);
	assert_true(v.seen_known);
	assert_int_equal(v.nets[0].seen, 6);
	assert_int_equal(v.nets[0].borrowed, 0);
	/* Each factor comes with an interval; all times are the cost model's own. */
	assert_true(v.all.coverage > 0.8);
	paleo_validation_release(&v);
	c.seen_count = 0;
	assert_int_equal(paleo_validate_calibration(&c, &r, &v, &err), PALEO_OK);
	assert_false(v.seen_known);
	paleo_validation_release(&v);
	strcpy(c.device.name, "other");
	assert_int_equal(paleo_validate_calibration(&c, &r, &v, &err), PALEO_EINPUT);
	assert_string_equal(err.text,
			    "the calibration is of device 'other', the records are of 'unit'");
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* One op of two nets in two files, the second time three times as slow: each net has its own. The
 * first net's backward op was measured in the second file alone. */
static void judges_a_net_by_its_own_file(void **state)
{
	(void)state;
	struct paleo_results r = make_results(1);
	const struct paleo_fit_options o = {.folds = 5};
	const enum paleo_pass passes[] = {PALEO_FWD, PALEO_BWD_DATA};
	struct paleo_net_row rows[2];
	struct paleo_calibration c;
	struct paleo_validation v;
	struct paleo_error err;

	for (int i = 0; i < 2; i++)
		rows[i] = (struct paleo_net_row){.pass = passes[i], .op = gemm(9, passes[i])};
	assert_int_equal(paleo_fit(&r, &o, &c, NULL, &err), PALEO_OK);
	for (int file = 0; file < 2; file++) {
		struct paleo_results part = {.meta = r.meta};
		struct paleo_net_rows net = {
			.net = "two", .batch = 1 + file, .rows = rows, .count = 2};
		for (int i = 0; i <= file; i++)
			add(&part, &rows[i].op, file ? 3 : 1);
		assert_int_equal(paleo_results_add_net(&part, &net, &err), PALEO_OK);
		assert_int_equal(paleo_results_join(&r, &part, &err), PALEO_OK);
		assert_int_equal(part.count, 0);
	}
	if (paleo_validate_calibration(&c, &r, &v, &err))
		fail_msg("%s", err.text);
	assert_int_equal(v.net_count, 3);
	assert_int_equal(v.nets[1].missing, 0);
	near(v.nets[1].predicted_fwd_s, v.nets[1].measured_fwd_s, 0.005);
	near(v.nets[2].measured_fwd_s, 3 * v.nets[1].measured_fwd_s, 1e-12);
	near(3 * v.nets[2].predicted_s, v.nets[2].measured_s, 0.005);
	/* a file that holds the net again takes its place */
	struct paleo_results again = {.meta = r.meta};
	struct paleo_net_rows net = {.net = "two", .batch = 1, .rows = rows, .count = 2};
	add(&again, &rows[0].op, 5);
	assert_int_equal(paleo_results_add_net(&again, &net, &err), PALEO_OK);
	assert_int_equal(paleo_results_join(&r, &again, &err), PALEO_OK);
	double before = v.nets[1].measured_fwd_s;
	paleo_validation_release(&v);
	assert_int_equal(paleo_validate_calibration(&c, &r, &v, &err), PALEO_OK);
	assert_int_equal(v.net_count, 3);
	near(v.nets[1].measured_fwd_s, 5 * before, 1e-12);
	paleo_validation_release(&v);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* A net's row failed in its own file, the later one: its time is that of the file before. */
static void what_failed_hides_no_time(void **state)
{
	(void)state;
	struct paleo_results r = make_results(1);
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_net_row row = {.pass = PALEO_FWD, .op = gemm(9, PALEO_FWD)};
	const struct paleo_net_rows net = {.net = "one", .batch = 1, .rows = &row, .count = 1};
	const struct paleo_record failed = {
		.op = row.op, .mode = "cold", .status = PALEO_RECORD_OOM};
	struct paleo_results before = {.meta = r.meta}, own = {.meta = r.meta};
	struct paleo_calibration c;
	struct paleo_validation v;
	struct paleo_error err;

	assert_int_equal(paleo_fit(&r, &o, &c, NULL, &err), PALEO_OK);
	add(&before, &row.op, 3);
	const double time_s = before.records[0].timing.median_s;
	assert_int_equal(paleo_results_join(&r, &before, &err), PALEO_OK);
	assert_int_equal(paleo_results_add(&own, &failed, &err), PALEO_OK);
	assert_int_equal(paleo_results_add_net(&own, &net, &err), PALEO_OK);
	assert_int_equal(paleo_results_join(&r, &own, &err), PALEO_OK);
	if (paleo_validate_calibration(&c, &r, &v, &err))
		fail_msg("%s", err.text);
	assert_int_equal(v.net_count, 2);
	assert_int_equal(v.nets[1].missing, 0);
	near(v.nets[1].measured_s, time_s, 1e-12);
	paleo_validation_release(&v);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_no_error_where_there_is_none),
		cmocka_unit_test(holds_the_net_out),
		cmocka_unit_test(holds_out_all_batch_sizes),
		cmocka_unit_test(does_not_judge_a_net_by_itself),
		cmocka_unit_test(says_what_a_calibration_has_seen),
		cmocka_unit_test(judges_a_net_by_its_own_file),
		cmocka_unit_test(what_failed_hides_no_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
