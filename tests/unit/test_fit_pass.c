/* test_fit_pass.c - corrections of whole passes: by hand, and in a calibration's file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "model/predict/calibration_file.h"
#include "tests/unit/unit.h"

/* A pass of one row. */
static struct paleo_graph_record pass_of(const char *net, enum paleo_extent extent, double whole_s,
					 struct paleo_graph_record_row *row)
{
	struct paleo_graph_record f = {.extent = extent, .rows = row, .count = 1};

	strncpy(f.net, net, sizeof(f.net) - 1);
	f.timing.median_s = whole_s;
	return f;
}

/*
 * Wholes of 1, 1 and 4 to a row of 2: logs -ln 2, -ln 2, ln 2. Three points and half a net that
 * says 0: the mean is -ln 2 / 3.5, the factor 2^(-1/3.5). The points' own mean is -ln 2 / 3, and
 * the squares of the differences, in units of ln 2: 4/9, 4/9, 16/9: 24/9 / 2 = 4/3. Without b, both
 * of whose batches go: one point, 2^(-1/1.5), and no spread.
 */
static void a_factor_is_a_mean_of_logs(void **state)
{
	struct paleo_graph_record_row row = {.isolated_s = 2}, unknown = {.isolated_s = NAN};
	struct paleo_graph_record passes[] = {
		pass_of("a", PALEO_EXTENT_FWD, 1, &row),
		pass_of("b", PALEO_EXTENT_FWD, 1, &row),
		pass_of("b", PALEO_EXTENT_FWD, 4, &row),
		pass_of("c", PALEO_EXTENT_FWD, 9, &unknown),
		pass_of("d", PALEO_EXTENT_FWD, 9, &row),
	};
	struct paleo_pass_correction list[PALEO_PASS_CORRECTIONS_MAX];

	(void)state;
	passes[4].status = PALEO_RECORD_OOM;
	assert_int_equal(paleo_fit_passes(passes, 5, NULL, list), 1);
	assert_int_equal(list[0].extent, PALEO_EXTENT_FWD);
	assert_int_equal(list[0].nets, 2);
	assert_true(fabs(list[0].factor - pow(2, -1 / 3.5)) < 1e-12);
	assert_true(fabs(list[0].spread - log(2) * sqrt(4.0 / 3)) < 1e-12);
	assert_int_equal(paleo_fit_passes(passes, 5, "b", list), 1);
	assert_true(fabs(list[0].factor - pow(2, -1 / 1.5)) < 1e-12);
	assert_true(isnan(list[0].spread));
	assert_int_equal(paleo_fit_passes(passes, 1, "a", list), 0);
}

/*
 * Steps that take their layers once and their updates three times: 1 + 3 x 1 = 4, and
 * 10 + 3 x 1 = 13. The priors pull a little: by 0.001 of the two residuals' weight.
 */
static void a_step_has_a_factor_for_its_updates(void **state)
{
	struct paleo_graph_record_row rows[2][2] = {
		{{.isolated_s = 1}, {.row.pass = PALEO_PASS_UPDATE, .isolated_s = 1}},
		{{.isolated_s = 10}, {.row.pass = PALEO_PASS_UPDATE, .isolated_s = 1}},
	};
	struct paleo_graph_record passes[] = {
		pass_of("a", PALEO_EXTENT_STEP, 4, rows[0]),
		pass_of("b", PALEO_EXTENT_STEP, 13, rows[1]),
	};
	struct paleo_pass_correction list[PALEO_PASS_CORRECTIONS_MAX];

	(void)state;
	passes[0].count = passes[1].count = 2;
	assert_int_equal(paleo_fit_passes(passes, 2, NULL, list), 1);
	assert_int_equal(list[0].nets, 2);
	assert_true(fabs(list[0].factor - 1) < 0.01);
	assert_true(fabs(list[0].update_factor - 3) < 0.03);
	assert_true(list[0].spread < 0.01);
	double whole = paleo_pass_time(&list[0], 10, 1);
	assert_true(fabs(whole - 13) < 0.1);
	list[0].update_factor = 0;
	list[0].factor = 0.5;
	assert_true(paleo_pass_time(&list[0], 10, 2) == 6);
}

static void a_calibration_keeps_them(void **state)
{
	const struct paleo_device d = {
		.name = "x", .flop_per_s = {[PALEO_F32] = 1e12}, .mem_bytes_per_s = 1e11};
	struct paleo_calibration c, again;
	struct paleo_error err = {0};
	char *text = NULL;

	(void)state;
	assert_int_equal(paleo_calibration_datasheet(&d, 1, 1, &c, &err), PALEO_OK);
	c.pass_count = 2;
	c.passes[0] = (struct paleo_pass_correction){
		.extent = PALEO_EXTENT_FWD, .factor = 0.75, .spread = NAN, .nets = 1};
	c.passes[1] = (struct paleo_pass_correction){.extent = PALEO_EXTENT_STEP,
						     .dtype = PALEO_BF16,
						     .layout = PALEO_NHWC,
						     .fused = 1,
						     .factor = 1.25,
						     .update_factor = 3,
						     .spread = 0.5,
						     .nets = 4};
	assert_int_equal(paleo_calibration_text(&c, &text, &err), PALEO_OK);
	if (paleo_calibration_parse("x", text, strlen(text), &again, &err))
		fail_msg("%s", err.text);
	assert_int_equal(again.pass_count, 2);
	struct paleo_pass_correction like = {.extent = PALEO_EXTENT_STEP};
	assert_null(paleo_calibration_pass(&again, &like));
	like.dtype = PALEO_BF16;
	like.layout = PALEO_NHWC;
	assert_null(paleo_calibration_pass(&again, &like));
	like.fused = 1;
	const struct paleo_pass_correction *p = paleo_calibration_pass(&again, &like);
	assert_non_null(p);
	assert_true(p->factor == 1.25 && p->update_factor == 3 && p->spread == 0.5 && p->nets == 4);
	like = (struct paleo_pass_correction){.extent = PALEO_EXTENT_FWD};
	p = paleo_calibration_pass(&again, &like);
	assert_true(p && p->factor == 0.75 && isnan(p->spread));
	paleo_calibration_release(&again);

	/* a layout that there is not; the same pass twice */
	char *word = strstr(text, "\"nhwc\"");
	assert_non_null(word);
	memcpy(word, "\"nchw\"", 6);
	assert_int_equal(paleo_calibration_parse("x", text, strlen(text), &again, &err),
			 PALEO_EINPUT);
	assert_non_null(strstr(err.text, "unknown layout 'nchw', expected 'nhwc' or no key"));
	word = strstr(text, "\"layout\"");
	memset(word, ' ', (size_t)(strchr(word, ',') + 1 - word));
	word = strstr(text, "\"fused\": 1");
	assert_non_null(word);
	word[9] = '0';
	char *second = strstr(text, "\"step\"");
	assert_non_null(second);
	memcpy(second, "\"fwd\" ", 6);
	second = strstr(second, "\"bf16\"");
	assert_non_null(second);
	memcpy(second, "\"f32\" ", 6);
	assert_int_equal(paleo_calibration_parse("x", text, strlen(text), &again, &err),
			 PALEO_EINPUT);
	assert_non_null(strstr(err.text, "a second correction of 'fwd' in f32"));
	free(text);
	paleo_calibration_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_factor_is_a_mean_of_logs),
		cmocka_unit_test(a_step_has_a_factor_for_its_updates),
		cmocka_unit_test(a_calibration_keeps_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
