/* test_loop.c - designed ops are measured on the fake device; the fit finds its factors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/backends/fake/fake_truth.h"
#include "bench/worker.h"
#include "calib/design.h"
#include "calib/fit.h"
#include "model/predict/calibration_file.h"
#include "tests/unit/unit.h"

static void check(int rc, const struct paleo_error *err)
{
	if (rc)
		fail_msg("%s", err->text);
}

static void write_meta(const struct paleo_device_info *info, FILE *f)
{
	struct paleo_record_meta meta = {.backend = "fake", .device = info->device};
	struct paleo_error err;

	check(paleo_record_meta_write(&meta, f, &err), &err);
}

/* Measures the whole design in a worker, into a results file. */
static void measure(const char *path)
{
	const struct paleo_worker_config config = {.backend = "fake"};
	struct paleo_measure_policy policy;
	struct paleo_worker *worker = NULL;
	struct paleo_device_info info;
	struct paleo_design design;
	struct paleo_record record;
	struct paleo_error err;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	check(paleo_worker_open(&config, &worker, &info, &err), &err);
	write_meta(&info, f);
	paleo_measure_defaults(&policy);
	policy.verify_samples = 0; /* its results are not what is tried here */
	const struct paleo_design_options o = {.device = &info.device, .budget_s = 0};
	check(paleo_design(&o, &design, &err), &err);
	assert_true(design.count > 400);
	for (int i = 0; i < design.count; i++) {
		check(paleo_worker_measure(worker, &design.ops[i], NULL, &policy, &record, &err),
		      &err);
		assert_int_equal(record.status, PALEO_RECORD_OK);
		check(paleo_record_write(&record, f, &err), &err);
	}
	check(paleo_record_end_write(NULL, 0, f, &err), &err);
	assert_int_equal(fclose(f), 0);
	paleo_design_release(&design);
	paleo_worker_close(worker);
}

/* From records to a file and back, as the commands do. */
static void calibrate(const char *records, const char *path, struct paleo_calibration *out)
{
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_calibration c;
	struct paleo_save *to = NULL;
	struct paleo_results r;
	struct paleo_error err;

	check(paleo_results_load(records, &r, &err), &err);
	assert_true(r.complete);
	check(paleo_fit(&r, &o, &c, NULL, &err), &err);
	check(paleo_save_begin(path, &paleo_calibration_kind, 0, &to, &err), &err);
	check(paleo_calibration_save(&c, to, &err), &err);
	paleo_save_end(to);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
	check(paleo_calibration_load(path, out, &err), &err);
}

/*
 * A factor that is said to be known to 1 % must be within 2 % of the truth, one
 * that is known less within three standard errors (and 2 %). NaN says that the
 * records do not tell it: nothing to compare. Returns how many were compared.
 */
static int compare(const struct paleo_class_model *f, const char *what, double found, double truth,
		   double se)
{
	double off = fabs(log(found / truth));

	if (isnan(se))
		return 0;
	if (!(off <= 0.02 || (se > 0.01 && off <= 3 * se)))
		fail_msg("%s %s: %s is %g, the truth is %g, standard error %g", f->class_name,
			 paleo_pass_name(f->pass), what, found, truth, se);
	return 1;
}

/* The classes that nets live by have ops enough to tell all within 2 %. */
static int is_main(const char *class_name)
{
	return strcmp(class_name, "conv") == 0 || strcmp(class_name, "gemm") == 0;
}

static void finds_the_factors(const struct paleo_calibration *c)
{
	int told = 0, main_classes = 0;

	assert_true(c->count >= 60);
	for (int i = 0; i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		struct paleo_class_model truth =
			paleo_fake_factor(f->class_name, f->pass, f->dtype);
		told += compare(f, "ppp_compute", f->ppp_compute, truth.ppp_compute,
				f->se_ppp_compute);
		told += compare(f, "ppp_memory", f->ppp_memory, truth.ppp_memory, f->se_ppp_memory);
		told += compare(f, "overhead", f->overhead_s, truth.overhead_s, f->se_overhead);
		if (!is_main(f->class_name))
			continue;
		main_classes++;
		assert_true(fabs(f->ppp_compute / truth.ppp_compute - 1) <= 0.02);
		assert_true(fabs(f->ppp_memory / truth.ppp_memory - 1) <= 0.02);
		assert_true(fabs(f->overhead_s / truth.overhead_s - 1) <= 0.02);
		assert_true(f->overlap == truth.overlap);
		assert_true(f->half_depth == 0 && f->half_width == 0);
		assert_true(f->heldout_p90 < 0.02);
	}
	assert_int_equal(main_classes, 6);
	assert_true(told >= 2 * c->count);
}

/* AlexNet-like ops that were not measured, against the true times. */
static void predicts_what_it_has_not_seen(const struct paleo_calibration *c)
{
	static const char *const keys[] = {
		"conv fwd f32 n=128 c=64 h=27 w=27 k=192 r=5 s=5 pad_t=2 pad_l=2 pad_b=2 pad_r=2",
		"conv bwd_data f32 n=128 c=192 h=13 w=13 k=384 r=3 s=3",
		"conv bwd_filter f32 n=128 c=3 h=224 w=224 k=64 r=11 s=11 stride_h=4 stride_w=4",
		"gemm fwd f32 m=128 n=4096 k=9216 trans_b=1 bias=1",
		"gemm bwd_filter f32 m=4096 n=9216 k=128 trans_a=1",
		"pool fwd f32 mode=max n=128 c=64 h=55 w=55 r=3 s=3 stride_h=2 stride_w=2",
		"eltwise bwd_data f32 op=relu count=23887872",
		"update update f32 rule=sgd count=37748736",
	};
	struct paleo_prediction p;
	struct paleo_error err;
	struct paleo_op w;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		check(paleo_op_parse(keys[i], &w, &err), &err);
		check(paleo_predict_op(c, &w, &p, &err), &err);
		assert_true(p.exact);
		double truth = paleo_fake_time(&w);
		if (!(fabs(p.parts.total_s / truth - 1) <= 0.02))
			fail_msg("%s: %g s, the truth is %g s", keys[i], p.parts.total_s, truth);
	}
}

static void closes(void **state)
{
	(void)state;
	char folder[] = "/tmp/paleo-loop-XXXXXX";
	char records[64], path[64];
	struct paleo_calibration c;

	assert_non_null(mkdtemp(folder));
	snprintf(records, sizeof(records), "%s/records.jsonl", folder);
	snprintf(path, sizeof(path), "%s/calibration.json", folder);
	measure(records);
	calibrate(records, path, &c);
	finds_the_factors(&c);
	predicts_what_it_has_not_seen(&c);
	paleo_calibration_release(&c);
	unlink(records);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(closes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
