/* test_correlated.c - which parameters records cannot tell from one another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_parts.h"
#include "model/predict/stream.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 120
};

/*
 * Variances 4, 1, 9, 1, 0 and covariances c01 = 1.96, c12 = 2.7, c13 = -0.96: correlations 1.96/2 =
 * 0.98, 2.7/3 = 0.9, -0.96. 0, 1 and 3 are a group, though 0 and 3 are not correlated; what has no
 * error is in none.
 */
static void groups_by_hand(void **state)
{
	(void)state;
	const double c[5][5] = {{4, 1.96, 0, 0, 0},
				{1.96, 1, 2.7, -0.96, 0},
				{0, 2.7, 9, 0, 0},
				{0, -0.96, 0, 1, 0},
				{0, 0, 0, 0, 0}};
	const unsigned char without_1[5] = {0, 1, 0, 0, 0};
	unsigned char g[5];

	paleo_correlated_groups(&c[0][0], 5, 5, NULL, g);
	assert_true(g[0] == 1 && g[1] == 1 && g[2] == 0 && g[3] == 1 && g[4] == 0);
	paleo_correlated_groups(&c[0][0], 5, 5, without_1, g);
	assert_true(!g[0] && !g[1] && !g[2] && !g[3]);
	/* two groups are numbered by their first members; 0.95 itself is none */
	const double two[4][4] = {
		{1, 0, 0, 0.96}, {0, 1, -0.99, 0}, {0, -0.99, 1, 0}, {0.96, 0, 0, 1}};
	paleo_correlated_groups(&two[0][0], 4, 4, NULL, g);
	assert_true(g[0] == 1 && g[1] == 2 && g[2] == 2 && g[3] == 1);
	const double just[2][2] = {{1, 0.95}, {0.95, 1}};
	paleo_correlated_groups(&just[0][0], 2, 2, NULL, g);
	assert_true(g[0] == 0 && g[1] == 0);
}

static const struct paleo_device device = {.name = "unit",
					   .flop_per_s = {[PALEO_F32] = 1e13},
					   .mem_bytes_per_s = 9e11,
					   .cache_bytes = 6e6,
					   .clock_hz = 1.4e9,
					   .sm_count = 80};

/* Softmaxes of rows of `cols`, or of lengths from 16 to 4096 in turn where it is 0, timed by a form
 * whose rows lose half of the rate at 20 elements; fitted without a cache. Every second time counts
 * by `weight`, and is three times too long where that is not 1. */
static struct paleo_fitted_kernel fitted(int cols, double weight)
{
	static struct paleo_op ops[ROWS];
	static struct paleo_fit_row rows[ROWS];
	struct paleo_fitted_kernel truth, m;
	struct paleo_tile_device d;
	struct paleo_error err;

	paleo_kernel_model_init(paleo_kernel_model_find("stream_rows"), PALEO_F32, &truth);
	((struct paleo_stream_params *)(void *)truth.params)->half_cols = 20;
	assert_int_equal(paleo_kernel_model_device(truth.kernel, &device, PALEO_F32, 0, &d, &err),
			 0);
	for (int i = 0; i < ROWS; i++) {
		ops[i] = (struct paleo_op){.kind = PALEO_SOFTMAX};
		ops[i].geom.softmax.cols = cols ? cols : 16 << i % 9;
		ops[i].geom.softmax.rows = (int)(100 * pow(1000, i / (double)ROWS));
		assert_int_equal(paleo_op_finish(&ops[i], &err), 0);
		rows[i] = (struct paleo_fit_row){.op = &ops[i], .weight = 1};
		rows[i].log_s = log(paleo_kernel_model_time(&truth, &d, &ops[i]));
		if (i % 2 == 0 && weight != 1) {
			rows[i].weight = weight;
			rows[i].log_s += log(3);
		}
	}
	assert_int_equal(paleo_fit_form(truth.kernel, &device, rows, ROWS, 0, &m, &err), 0);
	return m;
}

static int number_of(const struct paleo_fitted_kernel *m, const char *name)
{
	for (int i = 0; i < m->kernel->count; i++)
		if (!strcmp(m->kernel->parameters[i].name, name))
			return m->together[i];
	fail_msg("no parameter %s", name);
	return 0;
}

/*
 * Data take bytes/(ppp_memory bandwidth) (cols + half_cols)/cols: of one length of rows only
 * (1 + half_cols/64)/ppp_memory is told. Rows of many lengths tell the two apart.
 */
static void one_length_of_rows_hides_two_parameters(void **state)
{
	(void)state;
	struct paleo_fitted_kernel m = fitted(64, 1);

	assert_true(number_of(&m, "ppp_memory") > 0);
	assert_int_equal(number_of(&m, "ppp_memory"), number_of(&m, "half_cols"));
	assert_int_not_equal(number_of(&m, "launch_us"), number_of(&m, "ppp_memory"));
	m = fitted(0, 1);
	assert_true(number_of(&m, "half_cols") == 0 ||
		    number_of(&m, "half_cols") != number_of(&m, "ppp_memory"));
}

/* Rows of no weight change nothing, and tell nothing. */
static void counts_rows_by_their_weights(void **state)
{
	struct paleo_fitted_kernel all = fitted(0, 1), half = fitted(0, 1e-6);
	const struct paleo_stream_params *a = (const void *)all.params,
					 *b = (const void *)half.params;

	(void)state;
	assert_true(fabs(log(b->ppp_memory / a->ppp_memory)) < 0.05);
	assert_true(fabs(log(b->launch_us / a->launch_us)) < 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_by_hand),
		cmocka_unit_test(one_length_of_rows_hides_two_parameters),
		cmocka_unit_test(counts_rows_by_their_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
