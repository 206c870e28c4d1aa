/* test_power.c - the power of ops: a known law is found again, and kept in a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "model/predict/calibration_file.h"
#include "model/predict/power.h"
#include "tests/unit/unit.h"

static const struct paleo_power truth = {
	.idle = 0.3, .compute = 0.6, .compute_power = 0.8, .memory = 0.4, .memory_power = 1};

static struct paleo_device device(void)
{
	struct paleo_device d = {.name = "made",
				 .tdp_w = 500,
				 .mem_bytes_per_s = 2e12,
				 .cache_bytes = 5e7,
				 .clock_hz = 1.5e9,
				 .sm_count = 100,
				 .compute_capability = 90};

	d.flop_per_s[PALEO_BF16] = 5e14;
	return d;
}

/* GEMMs of many layers at half of the peaks, with the energy that the law gives them. */
static void fill(struct paleo_results *r)
{
	struct paleo_error err;

	r->meta.device = device();
	snprintf(r->meta.backend, sizeof(r->meta.backend), "table");
	for (int i = 0; i < 120; i++) {
		struct paleo_record one = {.mode = "cold", .timing = {.samples = 1}};
		one.op.kind = PALEO_GEMM;
		one.op.dtype = PALEO_BF16;
		one.op.geom.gemm.m = 16 << i % 10;
		one.op.geom.gemm.n = 256 * (1 + i % 7);
		one.op.geom.gemm.k = 256 * (1 + i / 7);
		one.op.geom.gemm.batch = 1;
		assert_int_equal(paleo_op_finish(&one.op, &err), PALEO_OK);
		double s = 2 * fmax(one.op.flops / 5e14,
				    (one.op.read_bytes + one.op.write_bytes) / 2e12);
		one.timing.median_s = s;
		one.state.energy_s = 3;
		one.state.energy_runs = 3 / s;
		one.state.energy_j = 3 * 500 * paleo_power_law(&truth, &r->meta.device, &one.op, s);
		assert_int_equal(paleo_results_add(r, &one, &err), PALEO_OK);
	}
}

static void test_law_is_found_again(void **state)
{
	const struct paleo_fit_options o = {.mode = "cold"};
	struct paleo_results r = {.count = 0};
	struct paleo_power p;
	struct paleo_watts w;
	struct paleo_error err;

	(void)state;
	fill(&r);
	assert_int_equal(paleo_fit_power(&r, &o, &p, &err), PALEO_OK);
	assert_int_equal(p.count, 1);
	assert_true(p.classes[0].heldout_mean < 0.02);
	for (int i = 0; i < r.count; i++) {
		const struct paleo_result *one = &r.records[i];
		assert_int_equal(paleo_power_predict(&p, &r.meta.device, &r.meta.device, &one->op,
						     one->timing.median_s, &w, &err),
				 PALEO_OK);
		assert_true(fabs(w.mean_w / paleo_state_watts(&one->state) - 1) < 0.03);
		assert_true(w.by == &p.classes[0] && w.low_w <= w.high_w);
	}
	/* another device has the law alone, of its own TDP */
	struct paleo_device other = r.meta.device;
	snprintf(other.name, sizeof(other.name), "other");
	other.tdp_w = 250;
	const struct paleo_result *one = &r.records[0];
	assert_int_equal(paleo_power_predict(&p, &r.meta.device, &other, &one->op,
					     one->timing.median_s, &w, &err),
			 PALEO_OK);
	assert_true(!w.by && w.mean_w < 250);
	other.tdp_w = 0;
	assert_int_equal(paleo_power_predict(&p, &r.meta.device, &other, &one->op,
					     one->timing.median_s, &w, &err),
			 PALEO_EUNSUPPORTED);
	paleo_power_release(&p);
	paleo_results_release(&r);
}

static void test_records_without_energy_give_none(void **state)
{
	const struct paleo_fit_options o = {.mode = "cold"};
	struct paleo_results r = {.count = 0};
	struct paleo_power p;
	struct paleo_error err;

	(void)state;
	fill(&r);
	for (int i = 39; i < r.count; i++)
		r.records[i].state.energy_s = 0;
	assert_int_equal(paleo_fit_power(&r, &o, &p, &err), PALEO_OK);
	assert_true(p.idle == 0 && p.count == 0);
	paleo_results_release(&r);
}

static void test_file_keeps_it(void **state)
{
	const struct paleo_device d = device();
	struct paleo_calibration c = {.count = 0}, back;
	struct paleo_power_class class = {.class_name = "gemm",
					  .dtype = PALEO_BF16,
					  .records = 50,
					  .ratio_low = 0.9,
					  .ratio_high = 1.2};
	struct paleo_error err;
	char *text = NULL;

	(void)state;
	assert_int_equal(paleo_calibration_datasheet(&d, 1, 1, &c, &err), PALEO_OK);
	c.power = truth;
	c.power.ratio_low = 0.5;
	c.power.ratio_high = 2;
	c.power.classes = malloc(sizeof(class));
	c.power.classes[0] = class;
	c.power.count = 1;
	assert_int_equal(paleo_calibration_text(&c, &text, &err), PALEO_OK);
	assert_int_equal(paleo_calibration_parse("c", text, strlen(text), &back, &err), PALEO_OK);
	assert_true(back.power.idle == 0.3 && back.power.count == 1);
	assert_true(back.power.classes[0].ratio_high == 1.2);
	paleo_calibration_release(&back);
	char *at = strstr(text, "\"idle\"");
	memcpy(at, "\"idly\"", 6);
	assert_int_equal(paleo_calibration_parse("c", text, strlen(text), &back, &err),
			 PALEO_EINPUT);
	free(text);
	paleo_calibration_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_law_is_found_again),
		cmocka_unit_test(test_records_without_energy_give_none),
		cmocka_unit_test(test_file_keeps_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
