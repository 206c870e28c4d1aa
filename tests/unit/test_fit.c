/* test_fit.c - a fit finds the factors that made the times, and knows what it cannot know. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "calib/fit_rows.h"
#include "model/device/backends.h"
#include "tests/unit/unit.h"

/* The middle 24 bits of a linear congruential generator (Knuth's MMIX); uniform in (0, 1). */
static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*seed >> 40) + 0.5) / 16777216.0;
}

static double normal(uint64_t *seed) /* Box and Muller */
{
	double radius = sqrt(-2 * log(uniform(seed)));

	return radius * cos(6.283185307179586 * uniform(seed));
}

static int log_uniform(uint64_t *seed, double low, double high)
{
	return (int)(low * pow(high / low, uniform(seed)));
}

static struct paleo_results make_results(void)
{
	return (struct paleo_results){
		.meta = {.backend = "fake",
			 .device = {.name = "unit",
				    .flop_per_s = {[PALEO_F32] = 3e11, [PALEO_BF16] = 6e11},
				    .mem_bytes_per_s = 2e10}}};
}

/* Adds a record that took what `truth` says, times `disturbance`. */
static void add(struct paleo_results *r, const struct paleo_op *op,
		const struct paleo_class_model *truth, double disturbance)
{
	struct paleo_record record = {.op = *op, .mode = "cold"};
	struct paleo_cost_model_terms terms;
	struct paleo_cost_model_time time;
	struct paleo_error err;

	if (paleo_op_finish(&record.op, &err))
		fail_msg("%s", err.text);
	assert_int_equal(paleo_cost_model_terms(&r->meta.device, &record.op, &terms, &err),
			 PALEO_OK);
	paleo_cost_model_time(&terms, truth, &time);
	record.timing.median_s = time.parts.total_s * disturbance;
	assert_int_equal(paleo_results_add(r, &record, &err), PALEO_OK);
}

/* Noise of `sd`; one in twenty takes up to four times as long. */
static double noise(uint64_t *seed, double sd)
{
	double factor = exp(sd * normal(seed));

	return uniform(seed) < 0.05 ? factor * (1 + 3 * uniform(seed)) : factor;
}

static struct paleo_op random_gemm(uint64_t *seed)
{
	struct paleo_op w = {.kind = PALEO_GEMM};

	w.geom.gemm.m = log_uniform(seed, 1, 512);
	w.geom.gemm.n = log_uniform(seed, 4, 2048);
	w.geom.gemm.k = log_uniform(seed, 4, 2048);
	return w;
}

static struct paleo_op random_relu(uint64_t *seed)
{
	struct paleo_op w = {.kind = PALEO_ELTWISE};

	w.geom.eltwise.op = PALEO_RELU;
	w.geom.eltwise.count = log_uniform(seed, 1e3, 1e7);
	return w;
}

static const struct paleo_class_model *find(const struct paleo_calibration *c,
					    const char *class_name, enum paleo_pass pass)
{
	for (int i = 0; i < c->count; i++)
		if (strcmp(c->models[i].class_name, class_name) == 0 && c->models[i].pass == pass)
			return &c->models[i];
	fail_msg("no factor of %s", class_name);
	return NULL;
}

static void is_near(const char *what, double found, double truth, double tolerance)
{
	if (!(fabs(found / truth - 1) <= tolerance))
		fail_msg("%s is %g, not %g", what, found, truth);
}

static const struct paleo_class_model gemm_truth = {
	.ppp_compute = 0.8, .ppp_memory = 0.55, .overhead_s = 7e-6, .overlap = 1};
static const struct paleo_class_model relu_truth = {
	.ppp_compute = 0.5, .ppp_memory = 0.9, .overhead_s = 3e-6, .overlap = 4};

static void fit(const struct paleo_results *r, struct paleo_calibration *c)
{
	const struct paleo_fit_options o = {.created_utc = "2026-01-01T00:00:00Z"};
	struct paleo_error err;

	if (paleo_fit(r, &o, c, NULL, &err))
		fail_msg("%s", err.text);
}

static void finds_known_factors(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	uint64_t seed = 1;

	for (int i = 0; i < 80; i++) {
		struct paleo_op w = random_gemm(&seed);
		add(&r, &w, &gemm_truth, noise(&seed, 0.01));
	}
	for (int i = 0; i < 30; i++) {
		struct paleo_op w = random_relu(&seed);
		add(&r, &w, &relu_truth, noise(&seed, 0.01));
	}
	fit(&r, &c);
	const struct paleo_class_model *f = find(&c, "gemm", PALEO_FWD);
	is_near("ppp_compute", f->ppp_compute, 0.8, 0.02);
	is_near("ppp_memory", f->ppp_memory, 0.55, 0.02);
	is_near("overhead", f->overhead_s, 7e-6, 0.02);
	assert_true(f->overlap == 1 && f->half_depth == 0 && f->half_width == 0);
	assert_true(f->se_ppp_compute < 0.02 && f->se_ppp_memory < 0.02);
	assert_true(f->heldout_median < 0.02);
	f = find(&c, "eltwise.relu", PALEO_FWD);
	is_near("ppp_memory", f->ppp_memory, 0.9, 0.02);
	is_near("overhead", f->overhead_s, 3e-6, 0.02);
	assert_true(isnan(f->se_ppp_compute)); /* one FLOP for 8 bytes: never seen */
	assert_int_equal(c.records, r.count);
	assert_true(paleo_calibration_saw(&c, &r.records[3].op));
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* Ten classes that err alike, one of them three times as long: each is predicted by another, and
 * one in ten is off. */
static void knows_how_other_classes_err(void **state)
{
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct paleo_op w = random_relu(&seed);
		w.geom.eltwise.op = i % 10; /* from PALEO_RELU on, of one input each */
		add(&r, &w, &relu_truth, i % 10 == PALEO_TANH ? 3 : 1);
	}
	fit(&r, &c);
	is_near("5 %", c.others.low, 1, 0.05);
	assert_true(c.others.low <= c.others.low50 && c.others.high50 < 1.05);
	is_near("95 %", c.others.high, 3, 0.05);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

static void finds_the_loss_of_thin_products(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	struct paleo_class_model truth = gemm_truth;
	uint64_t seed = 5;

	truth.half_depth = 40;
	truth.overlap = 4;
	for (int i = 0; i < 80; i++) {
		struct paleo_op w = random_gemm(&seed);
		w.geom.gemm.m += 64; /* so that memory does not hide it */
		add(&r, &w, &truth, noise(&seed, 0.01));
	}
	fit(&r, &c);
	const struct paleo_class_model *f = find(&c, "gemm", PALEO_FWD);
	is_near("half_depth", f->half_depth, 40, 0.05);
	is_near("ppp_compute", f->ppp_compute, 0.8, 0.02);
	assert_true(f->overlap == 4 && f->half_width == 0);
	assert_true(f->se_half_depth > 0 && f->se_half_depth < 0.1);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* Times that only 1.5 times the peak explains: of a datasheet's that is what is found, a measured
 * one is exceeded by no more than a ceiling may be, 1.05, and another model stands in. */
static void no_product_beats_a_measured_peak(void **state)
{
	struct paleo_class_model truth = gemm_truth;

	(void)state;
	truth.ppp_compute = 1.5;
	for (int measured = 0; measured < 2; measured++) {
		struct paleo_results r = make_results();
		struct paleo_calibration c;
		uint64_t seed = 7;
		r.meta.device.measured = measured;
		for (int i = 0; i < 80; i++) {
			struct paleo_op w = random_gemm(&seed);
			w.geom.gemm.m += 64;
			add(&r, &w, &truth, noise(&seed, 0.01));
		}
		fit(&r, &c);
		const struct paleo_class_model *f = find(&c, "gemm", PALEO_FWD);
		if (!measured)
			is_near("ppp_compute", f->ppp_compute, 1.5, 0.02);
		assert_true(!measured || f->ppp_compute <= 1 + 1e-9);
		paleo_calibration_release(&c);
		paleo_results_release(&r);
	}
}

/* Every other product is measured at half the speed of the others, and takes twice as long. The
 * usual speed is the median of 1 and 0.5, 0.75: there ppp_compute 0.8 and ppp_memory 0.55 are 0.6
 * and 0.4125, and 7 us are 9.33. */
static void takes_times_as_at_the_usual_speed(void **state)
{
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 80; i++) {
		double speed = i % 2 ? 1 : 0.5;
		struct paleo_op w = random_gemm(&seed);
		add(&r, &w, &gemm_truth, 1 / speed);
		r.records[i].timing.speed = (struct paleo_rates){speed * 1e11, 1e10};
	}
	fit(&r, &c);
	const struct paleo_class_model *f = find(&c, "gemm", PALEO_FWD);
	assert_true(c.speed.flop_per_s == 0.75e11 && c.speed.bytes_per_s == 1e10);
	is_near("ppp_compute", f->ppp_compute, 0.6, 0.01);
	is_near("ppp_memory", f->ppp_memory, 0.4125, 0.01);
	is_near("overhead", f->overhead_s, 7e-6 / 0.75, 0.01);
	assert_true(f->heldout_median < 0.01);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* Two records of one class beside many of another stay near what is common to the kind where they
 * agree with it. Two that take twice as long outweigh it: the prior is 0.7 wide, the errors 0.1. */
static void borrows_for_small_groups(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	uint64_t seed = 2;

	for (int i = 0; i < 34; i++) {
		struct paleo_op w = random_relu(&seed);
		if (i >= 30) {
			w.geom.eltwise.op = i < 32 ? PALEO_SIGMOID : PALEO_TANH;
			w.geom.eltwise.count = 1000000 * i;
		}
		add(&r, &w, &relu_truth, i < 32 ? 1 : 2);
	}
	fit(&r, &c);
	const struct paleo_class_model *f = find(&c, "eltwise.sigmoid", PALEO_FWD);
	is_near("ppp_memory", f->ppp_memory, 0.9, 0.02);
	assert_int_equal(f->records, 2);
	is_near("slow ppp_memory", find(&c, "eltwise.tanh", PALEO_FWD)->ppp_memory, 0.45, 0.1);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* Two short ops forward do not show the bandwidth: it is the class's backward, not the kind's. */
static void few_rows_lean_on_other_passes(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	struct paleo_class_model slow = relu_truth;
	uint64_t seed = 3;

	slow.ppp_memory = 0.3;
	for (int i = 0; i < 52; i++) {
		struct paleo_op w = random_relu(&seed);
		w.geom.eltwise.op = i < 30 ? PALEO_RELU : PALEO_TANH;
		if (i >= 50)
			w.geom.eltwise.count = 64 * (i - 49);
		w.pass = i >= 30 && i < 50 ? PALEO_BWD_DATA : PALEO_FWD;
		add(&r, &w, i < 30 ? &relu_truth : &slow, noise(&seed, 0.01));
	}
	fit(&r, &c);
	is_near("memory", find(&c, "eltwise.tanh", PALEO_FWD)->ppp_memory, 0.3, 0.1);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

static void leaves_out_what_is_no_time(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	struct paleo_fit_report report;
	struct paleo_error err;
	unsigned char skip[24] = {0};
	const struct paleo_fit_options o = {.skip = skip};
	uint64_t seed = 3;

	for (int i = 0; i < 24; i++) {
		struct paleo_op w = random_relu(&seed);
		add(&r, &w, &relu_truth, i < 8 ? 100 : 1);
	}
	assert_int_equal(r.count, 24);
	r.records[0].status = r.records[1].status = PALEO_RECORD_INCORRECT;
	r.records[2].mode = "hot";
	r.records[3].status = r.records[4].status = PALEO_RECORD_DISTURBED;
	skip[5] = skip[6] = skip[7] = 1;
	assert_int_equal(paleo_fit(&r, &o, &c, &report, &err), PALEO_OK);
	assert_int_equal(report.used, 16);
	assert_int_equal(report.not_ok, 2);
	assert_int_equal(report.mode, 1);
	assert_int_equal(report.disturbed, 2);
	assert_int_equal(report.skipped, 3);
	is_near("ppp_memory", find(&c, "eltwise.relu", PALEO_FWD)->ppp_memory, 0.9, 0.02);
	paleo_calibration_release(&c);
	memset(skip, 1, sizeof(skip));
	assert_int_equal(paleo_fit(&r, &o, &c, NULL, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "no record can be used for a fit in mode 'cold': of 24"));
	paleo_results_release(&r);
}

/* Of two algorithms for each op the faster one is a row, in whichever order they come. */
static void takes_the_fastest_algorithm(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	struct paleo_fit_report report;
	struct paleo_error err;
	uint64_t seed = 6;

	for (int i = 0; i < 24; i++) {
		struct paleo_op w = random_relu(&seed);
		add(&r, &w, &relu_truth, i % 2 ? 50 : 1);
		struct paleo_record other = paleo_result_record(&r.records[r.count - 1]);
		other.rank = 1;
		other.timing.median_s *= i % 2 ? 1 / 50.0 : 50;
		assert_int_equal(paleo_results_add(&r, &other, &err), PALEO_OK);
	}
	assert_int_equal(r.count, 48);
	assert_int_equal(paleo_fit(&r, &(struct paleo_fit_options){0}, &c, &report, &err),
			 PALEO_OK);
	assert_int_equal(report.used, 24);
	is_near("ppp_memory", find(&c, "eltwise.relu", PALEO_FWD)->ppp_memory, 0.9, 0.02);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

/* With 5 % noise the held-out errors are those of the noise: |normal| has its median at 0.674 sd,
 * its mean at 0.798 sd, and nine in ten below 1.645 sd. */
static void judges_by_what_it_held_out(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration c;
	const struct paleo_fit_options o = {.folds = 5};
	struct paleo_error err;
	uint64_t seed = 4;

	for (int i = 0; i < 300; i++) {
		struct paleo_op w = random_gemm(&seed);
		add(&r, &w, &gemm_truth, exp(0.05 * normal(&seed)));
	}
	struct paleo_heldout *held = calloc((size_t)r.count, sizeof(*held));
	assert_non_null(held);
	fit(&r, &c);
	const struct paleo_class_model *f = find(&c, "gemm", PALEO_FWD);
	is_near("median", f->heldout_median, 0.0337, 0.15);
	is_near("mean", f->heldout_mean, 0.0399, 0.15);
	is_near("p90", f->heldout_p90, 0.0822, 0.15);
	is_near("low", f->ratio_low, 1 - 0.0789, 0.02);
	is_near("high", f->ratio_high, 1 + 0.0857, 0.02);
	assert_int_equal(paleo_fit_heldout(&r, &o, 1, held, &err), PALEO_OK);
	int inside = 0;
	for (int i = 0; i < r.count; i++) {
		double s = r.records[i].timing.median_s;
		inside += held[i].interval.low <= s && s <= held[i].interval.high;
	}
	/* 90 % of 300 are 270; the standard deviation of that count is 5. */
	assert_in_range(inside, 255, 285);
	free(held);
	paleo_calibration_release(&c);
	paleo_results_release(&r);
}

static void gives_the_same_bits(void **state)
{
	(void)state;
	struct paleo_results r = make_results();
	struct paleo_calibration a, b;
	uint64_t seed = 6;

	for (int i = 0; i < 40; i++) {
		struct paleo_op w = random_gemm(&seed);
		add(&r, &w, &gemm_truth, noise(&seed, 0.05));
	}
	fit(&r, &a);
	fit(&r, &b);
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.models, b.models, (size_t)a.count * sizeof(*a.models));
	paleo_calibration_release(&a);
	paleo_calibration_release(&b);
	paleo_results_release(&r);
}

static void keeps_a_layer_together(void **state)
{
	(void)state;
	static const char *const same[][2] = {
		{"conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3",
		 "conv bwd_filter f32 n=4 c=8 h=20 w=8 k=8 r=3 s=3"},
		{"gemm fwd f32 m=7 n=10 k=50 trans_b=1",
		 "gemm bwd_filter f32 m=10 n=50 k=7 trans_a=1"},
		{"gemm bwd_data f32 m=7 n=50 k=10", "gemm bwd_filter f32 m=10 n=50 k=3 trans_a=1"},
	};
	struct paleo_op a, b;
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_equal(paleo_op_parse(same[i][0], &a, &err), PALEO_OK);
		assert_int_equal(paleo_op_parse(same[i][1], &b, &err), PALEO_OK);
		assert_true(paleo_fit_shape(&a) == paleo_fit_shape(&b));
	}
	assert_int_equal(paleo_op_parse("conv fwd f32 n=1 c=8 h=8 w=8 k=9 r=3 s=3", &a, &err),
			 PALEO_OK);
	assert_int_equal(paleo_op_parse(same[0][0], &b, &err), PALEO_OK);
	assert_true(paleo_fit_shape(&a) != paleo_fit_shape(&b));
}

/*
 * The paper's one percentage beside each kernel model: times are (FLOPs/peak + bytes/bandwidth)
 * over 0.5, 0.25 and 0.75 in turn, so its median is 0.5. Three rows of a GPU keep the model.
 */
static void forms_have_a_ppp(void **state)
{
	(void)state;
	static const char *const keys[][2] = {{"gemm fwd f32 m=", " n=512 k=512"},
					      {"conv fwd f32 n=", " c=64 h=28 w=28 k=64 r=3 s=3"},
					      {"eltwise fwd f32 op=relu count=", "000"},
					      {"softmax fwd f32 rows=", " cols=1000"}};
	static const double ppps[] = {0.5, 0.25, 0.75};

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		struct paleo_results r = {.meta = {.backend = PALEO_BACKEND_TABLE,
						   .device = *paleo_device_find("v100-pcie")}};
		const struct paleo_fit_options o = {.mode = "hot"};
		struct paleo_calibration c;
		struct paleo_error err;
		for (int i = 0; i < 3; i++) {
			struct paleo_record record = {.mode = "hot"};
			struct paleo_cost_model_terms t;
			char key[PALEO_OP_KEY_MAX];
			snprintf(key, sizeof(key), "%s%d%s", keys[k][0], 64 << i, keys[k][1]);
			assert_int_equal(paleo_op_parse(key, &record.op, &err), PALEO_OK);
			assert_int_equal(
				paleo_cost_model_terms(&r.meta.device, &record.op, &t, &err), 0);
			record.timing.median_s = (t.compute_s + t.memory_s) / ppps[i];
			assert_int_equal(paleo_results_add(&r, &record, &err), PALEO_OK);
		}
		assert_int_equal(paleo_fit(&r, &o, &c, NULL, &err), PALEO_OK);
		assert_int_equal(c.count, 1);
		assert_non_null(c.models[0].model);
		is_near("ppp", c.models[0].ppp, 0.5, 1e-12);
		paleo_calibration_release(&c);
		paleo_results_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_known_factors),
		cmocka_unit_test(knows_how_other_classes_err),
		cmocka_unit_test(finds_the_loss_of_thin_products),
		cmocka_unit_test(no_product_beats_a_measured_peak),
		cmocka_unit_test(takes_times_as_at_the_usual_speed),
		cmocka_unit_test(borrows_for_small_groups),
		cmocka_unit_test(few_rows_lean_on_other_passes),
		cmocka_unit_test(leaves_out_what_is_no_time),
		cmocka_unit_test(takes_the_fastest_algorithm),
		cmocka_unit_test(judges_by_what_it_held_out),
		cmocka_unit_test(gives_the_same_bits),
		cmocka_unit_test(keeps_a_layer_together),
		cmocka_unit_test(forms_have_a_ppp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
