/* test_fit_conv.c - the fit of convolutions finds a cost model that made the times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_conv.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 150
};

static const struct paleo_tile_device device = {.flop_per_s = 14e12,
						.vector_flop_per_s = 14e12,
						.mem_bytes_per_s = 900e9,
						.cache_bytes = 6e6,
						.clock_hz = 1.38e9,
						.sm_count = 80};

/* A cost model unlike the start: launch 9 instead of 2 us, the algorithms at other shares of the
 * peak. */
static struct paleo_conv_model truth(void)
{
	struct paleo_conv_model m = {.params = paleo_conv_params_init(),
				     .sets = {.implicit_tiles = 1U << paleo_tile_find("64x64"),
					      .nonfused_tiles = 1U << paleo_tile_find("128x64"),
					      .winograd_blocks = 1}};

	m.params.launch_us = 9;
	m.params.kernels[PALEO_CONV_PRECOMP].ppp_compute = 0.7;
	m.params.kernels[PALEO_CONV_WINOGRAD].ppp_compute = 0.6;
	return m;
}

/* Sizes spread over low .. high by steps of the golden ratio and the like. */
static int size_of(int i, double step, double low, double high)
{
	double x = i * step;

	return (int)(low * pow(high / low, x - floor(x)));
}

static struct paleo_op ops[2 * ROWS];
static struct paleo_conv_row rows[2 * ROWS];

/* 1x1 and 3x3 in turn; the second half is not fitted. */
static void make_rows(enum paleo_pass pass)
{
	const struct paleo_conv_model m = truth();
	struct paleo_error err;

	for (int i = 0; i < 2 * ROWS; i++) {
		int side = size_of(i, 0.618034, 7, 112), filter = i % 2 ? 3 : 1;
		enum paleo_conv_algorithm which;
		ops[i] = (struct paleo_op){.kind = PALEO_CONV, .pass = pass};
		ops[i].geom.conv = (struct paleo_conv_geom){.n = size_of(i, 0.414214, 1, 64),
							    .c = size_of(i, 0.732051, 16, 512),
							    .h = side,
							    .w = side,
							    .k = size_of(i, 0.236068, 16, 512),
							    .r = filter,
							    .s = filter,
							    .stride_h = 1,
							    .stride_w = 1,
							    .pad_t = filter / 2,
							    .pad_l = filter / 2,
							    .pad_b = filter / 2,
							    .pad_r = filter / 2,
							    .dil_h = 1,
							    .dil_w = 1,
							    .groups = 1};
		assert_int_equal(paleo_op_finish(&ops[i], &err), 0);
		rows[i].op = &ops[i];
		rows[i].time_s = paleo_conv_fastest_s(&m.params, &device, &ops[i], &m.sets, &which);
		rows[i].algorithm = (int)which;
		rows[i].weight = 1;
	}
}

static double mean_error(const struct paleo_conv_model *m)
{
	double sum = 0;

	for (int i = ROWS; i < 2 * ROWS; i++)
		sum += fabs(paleo_conv_fastest_s(&m->params, &device, rows[i].op, &m->sets, NULL) /
				    rows[i].time_s -
			    1);
	return sum / ROWS;
}

static void finds_what_made_the_times(void **state)
{
	(void)state;
	struct paleo_conv_fit fit, again;
	struct paleo_error err;

	make_rows(PALEO_FWD);
	assert_int_equal(paleo_fit_conv(&device, PALEO_FWD, rows, ROWS, NULL, &fit, &err), 0);
	assert_true(mean_error(&fit.model) < 0.03);
	assert_int_equal(paleo_fit_conv(&device, PALEO_FWD, rows, ROWS, NULL, &again, &err), 0);
	assert_memory_equal(&fit.model.params, &again.model.params, sizeof(fit.model.params));
	assert_memory_equal(&fit.model.sets, &again.model.sets, sizeof(fit.model.sets));
}

/* Which algorithm was taken is not needed. */
static void finds_it_without_names(void **state)
{
	(void)state;
	struct paleo_conv_fit fit;
	struct paleo_error err;

	make_rows(PALEO_BWD_FILTER);
	for (int i = 0; i < 2 * ROWS; i++)
		rows[i].algorithm = -1;
	assert_int_equal(paleo_fit_conv(&device, PALEO_BWD_FILTER, rows, ROWS, NULL, &fit, &err),
			 0);
	assert_true(mean_error(&fit.model) < 0.05);
}

/* Every second filter of each size takes three times too long: of no weight, these change nothing.
 */
static void counts_rows_by_their_weights(void **state)
{
	(void)state;
	struct paleo_conv_fit fit;
	struct paleo_error err;

	make_rows(PALEO_FWD);
	for (int i = 0; i < ROWS; i++) {
		if (i % 4 > 1)
			continue;
		rows[i].time_s *= 3;
		rows[i].weight = 1e-6;
	}
	assert_int_equal(paleo_fit_conv(&device, PALEO_FWD, rows, ROWS, NULL, &fit, &err), 0);
	assert_true(mean_error(&fit.model) < 0.05);
}

/* No rows: a model that prices, within the table's bounds. */
static void has_an_answer_without_rows(void **state)
{
	(void)state;
	struct paleo_conv_fit fit;
	struct paleo_error err;

	make_rows(PALEO_FWD);
	assert_int_equal(paleo_fit_conv(&device, PALEO_FWD, NULL, 0, NULL, &fit, &err), 0);
	for (const struct paleo_parameter *q = paleo_conv_parameters; q->name; q++) {
		double x = paleo_parameter_get(q, &fit.model.params);
		assert_true(q->low <= x && x <= q->high);
	}
	assert_true(mean_error(&fit.model) < 1);
}

/* On tensor cores the implicit GEMM is as a GEMM of them, but for its blocks and as much slower as
 * on CUDA cores: there are no presets of tf32, whose convolutions are those of f32. */
static void guesses_tensor_cores_by_gemms(void **state)
{
	(void)state;
	const struct paleo_device *h200 = paleo_device_find("h200");
	struct paleo_tile_device on_cuda, on_tensor, tf32;
	struct paleo_tile_model f32, bf16;
	struct paleo_error err;

	assert_int_equal(paleo_tile_device_of(h200, PALEO_F32, &on_cuda, &err), 0);
	assert_int_equal(paleo_tile_device_of(h200, PALEO_BF16, &on_tensor, &err), 0);
	assert_int_equal(paleo_tile_device_of(h200, PALEO_TF32, &tf32, &err), 0);
	paleo_tile_guess(&on_cuda, PALEO_F32, 0, NULL, &f32);
	paleo_tile_guess(&on_tensor, PALEO_BF16, 0, NULL, &bf16);
	const struct paleo_conv_model a = paleo_conv_guess(&on_cuda, PALEO_FWD, NULL),
				      b = paleo_conv_guess(&on_tensor, PALEO_FWD, NULL),
				      c = paleo_conv_guess(&tf32, PALEO_FWD, NULL);
	const struct paleo_conv_kernel *slow = &a.params.kernels[PALEO_CONV_PRECOMP],
				       *fast = &b.params.kernels[PALEO_CONV_PRECOMP];
	assert_true(b.params.ppp_memory == bf16.params.ppp_memory &&
		    b.params.ppp_memory > 1.2 * a.params.ppp_memory);
	assert_true(fast->split_us == bf16.params.split_us && slow->split_us > 100);
	assert_true(fabs(fast->ppp_compute / slow->ppp_compute /
				 (bf16.params.ppp_compute / f32.params.ppp_compute) -
			 1) < 1e-12);
	assert_int_equal(b.sets.implicit_tiles, a.sets.implicit_tiles);
	assert_true(b.params.stride_share == 1 && a.params.stride_share < 0.5);
	assert_true(c.params.ppp_memory == a.params.ppp_memory);
	for (const struct paleo_parameter *q = paleo_conv_parameters; q->name; q++) {
		double x = paleo_parameter_get(q, &b.params);
		assert_true(q->low <= x && x <= q->high);
	}
}

static void presets_are_sane(void **state)
{
	(void)state;
	int count;
	const struct paleo_conv_preset *presets = paleo_conv_presets(&count);

	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		const struct paleo_conv_sets *s = &presets[i].model.sets;
		assert_true(s->implicit_tiles && s->nonfused_tiles && s->winograd_blocks);
		assert_false(s->implicit_tiles & ~(unsigned)PALEO_TILES_ALL);
		assert_false(s->winograd_blocks >> PALEO_CONV_BLOCKS);
		for (const struct paleo_parameter *q = paleo_conv_parameters; q->name; q++) {
			double x = paleo_parameter_get(q, &presets[i].model.params);
			assert_true(q->low <= x && x <= q->high);
		}
	}
}

/* What is remembered, and priced until it is sure, is what is priced. */
static void remembers_times(void **state)
{
	(void)state;
	struct paleo_conv_model m = truth();
	struct paleo_conv_times times;
	struct paleo_error err;

	make_rows(PALEO_FWD);
	assert_int_equal(paleo_conv_times_make(&device, rows, ROWS, &times, &err), 0);
	for (int step = 0; step < 12; step++) {
		m.params.kernels[PALEO_CONV_WINOGRAD].ppp_compute = 0.5 + 0.1 * (step % 4);
		m.params.kernels[PALEO_CONV_NONFUSED].ppp_compute = step % 3 ? 0.2 : 0.9;
		m.params.launch_us = step < 4 ? 9 : 10;
		paleo_conv_times_turn(&times, &m);
		for (int i = 0; i < ROWS; i++) {
			double each_s[PALEO_CONV_ALGORITHMS];
			const enum paleo_conv_algorithm best =
				paleo_conv_times(&m.params, &device, rows[i].op, &m.sets, each_s);
			assert_true(paleo_conv_times_fastest_s(&times, i) == each_s[best]);
			for (int a = 0; a < PALEO_CONV_ALGORITHMS && (i + step) % 3 == 0; a++)
				assert_true(paleo_conv_times_s(&times, i,
							       (enum paleo_conv_algorithm)a) ==
					    each_s[a]);
		}
	}
	paleo_conv_times_release(&times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_made_the_times),
		cmocka_unit_test(finds_it_without_names),
		cmocka_unit_test(counts_rows_by_their_weights),
		cmocka_unit_test(has_an_answer_without_rows),
		cmocka_unit_test(guesses_tensor_cores_by_gemms),
		cmocka_unit_test(presets_are_sane),
		cmocka_unit_test(remembers_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
