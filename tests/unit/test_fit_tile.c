/* test_fit_tile.c - the fit of the law of tiles finds a law that made the times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_tile.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 200
};

static const struct paleo_tile_device device = {.flop_per_s = 14e12,
						.mem_bytes_per_s = 900e9,
						.cache_bytes = 6e6,
						.clock_hz = 1.38e9,
						.sm_count = 80};

/* A law unlike the start: launch 9 instead of 3 us, 80 instead of 95 % of peak, tiles of 64x64. */
static struct paleo_tile_model truth(void)
{
	struct paleo_tile_model m = {.params = paleo_tile_params_init(PALEO_F32)};

	m.params.launch_us = 9;
	m.params.ppp_compute = 0.8;
	m.params.ppp_memory = 0.6;
	m.params.prologue_k = 40;
	m.tiles = 1U << paleo_tile_find("64x64");
	return m;
}

/* Sizes spread over 2^4 .. 2^13 by steps of the golden ratio and the like. */
static double size_of(int i, double step)
{
	double x = i * step;

	return floor(pow(2, 4 + 9 * (x - floor(x))));
}

static void make_rows(struct paleo_tile_row *rows, int first)
{
	const struct paleo_tile_model m = truth();

	for (int i = 0; i < ROWS; i++) {
		int at = first + i;
		rows[i].product = paleo_tile_product_of(
			size_of(at, 0.618034), size_of(at, 0.414214), size_of(at, 0.732051), 1, 4);
		rows[i].time_s = paleo_tile_predict_s(&m, &device, &rows[i].product);
	}
}

static void finds_what_made_the_times(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS], unseen[ROWS];
	struct paleo_tile_params start = paleo_tile_params_init(PALEO_F32);
	struct paleo_tile_fit fit, again;
	struct paleo_error err;

	make_rows(rows, 0);
	make_rows(unseen, 5000);
	assert_int_equal(paleo_fit_tile(&device, rows, ROWS, &start, NULL, &fit, &err), 0);
	assert_true(fit.model.tiles & truth().tiles);
	assert_true(fabs(fit.model.params.launch_us / 9 - 1) < 0.05);
	assert_true(fabs(fit.model.params.ppp_compute / 0.8 - 1) < 0.1);
	for (int i = 0; i < ROWS; i++) {
		double s = paleo_tile_predict_s(&fit.model, &device, &unseen[i].product);
		assert_true(fabs(s / unseen[i].time_s - 1) < 0.1);
	}
	assert_int_equal(paleo_fit_tile(&device, rows, ROWS, &start, NULL, &again, &err), 0);
	assert_memory_equal(&fit.model.params, &again.model.params, sizeof(fit.model.params));
}

/* Activations that are quantised at 0.25 of the bandwidth, not 0.4: a stage of its own. */
static void finds_the_speed_of_quantising(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	struct paleo_tile_params start = paleo_tile_params_init(PALEO_FP8);
	struct paleo_tile_model m = truth();
	struct paleo_tile_fit fit;
	struct paleo_error err;

	m.params.ppp_quantise = 0.25;
	make_rows(rows, 0);
	for (int i = 0; i < ROWS; i++) {
		struct paleo_tile_product *p = &rows[i].product;
		p->quantise_bytes = 3 * p->m * p->k;
		rows[i].time_s = paleo_tile_predict_s(&m, &device, p);
	}
	assert_int_equal(paleo_fit_tile(&device, rows, ROWS, &start, NULL, &fit, &err), 0);
	assert_true(fabs(fit.model.params.ppp_quantise / 0.25 - 1) < 0.1);
	assert_true(fabs(fit.model.params.launch_us / 9 - 1) < 0.1);
}

/* Where long rows cost what they do on few rows of A, too, nothing is let go; where they cost
 * little on fewer than 1000 (k beyond 3000 leave the TLB's reach), it is found. */
static void finds_whether_few_rows_suffer(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	struct paleo_tile_params start = paleo_tile_params_init(PALEO_F32);
	struct paleo_tile_model m = truth();
	struct paleo_tile_fit fit;
	struct paleo_error err;

	for (int few = 0; few < 2; few++) {
		m.params.tlb_k = 3000;
		m.params.tlb_rows = few ? 1000 : 1e-6;
		make_rows(rows, 0);
		for (int i = 0; i < ROWS; i++)
			rows[i].time_s = paleo_tile_predict_s(&m, &device, &rows[i].product);
		assert_int_equal(paleo_fit_tile(&device, rows, ROWS, &start, NULL, &fit, &err), 0);
		if (few)
			assert_true(fabs(log(fit.model.params.tlb_rows / 1000)) < log(1.5));
		else
			assert_true(fit.model.params.tlb_rows < 1);
	}
}

/* Five rows take the tiles of a preset. Sums of these sizes are no longer than 2^13, so nothing
 * tells of the TLB's reach: it stays where that preset has it. */
static void few_rows_stay_near_a_preset(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	struct paleo_tile_params start = paleo_tile_params_init(PALEO_F32);
	struct paleo_tile_fit fit;
	struct paleo_error err;
	int count, near = 0;
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);

	make_rows(rows, 0);
	assert_int_equal(paleo_fit_tile(&device, rows, 5, &start, NULL, &fit, &err), 0);
	assert_int_equal(fit.rows, 5);
	for (int i = 0; i < count; i++)
		if (presets[i].model.tiles == fit.model.tiles)
			near |= fabs(log(fit.model.params.tlb_k / presets[i].model.params.tlb_k)) <
				0.1;
	assert_true(near);
}

/* Times made by the preset of V100's products: few rows take a preset's tiles, and no other preset
 * has these. */
static void presets_can_be_left_out(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	struct paleo_tile_params start = paleo_tile_params_init(PALEO_F32);
	struct paleo_tile_fit fit;
	struct paleo_error err;
	int count;
	const struct paleo_tile_preset *v100 = &paleo_tile_presets(&count)[1];

	make_rows(rows, 0);
	for (int i = 0; i < ROWS; i++)
		rows[i].time_s = paleo_tile_predict_s(&v100->model, &device, &rows[i].product);
	assert_string_equal(v100->gpu, "v100-pcie");
	assert_int_equal(paleo_fit_tile(&device, rows, 9, &start, NULL, &fit, &err), 0);
	assert_int_equal(fit.model.tiles, v100->model.tiles);
	assert_int_equal(paleo_fit_tile(&device, rows, 9, &start, "V100_PCIE", &fit, &err), 0);
	assert_int_not_equal(fit.model.tiles, v100->model.tiles);
}

/* Every preset within the bounds of the table, its tiles among the known ones. */
static void presets_are_sane(void **state)
{
	(void)state;
	int count;
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);

	assert_int_equal(count, 15);
	for (int i = 0; i < count; i++) {
		unsigned tiles = presets[i].model.tiles;
		assert_true(tiles && !(tiles & ~(unsigned)PALEO_TILES_ALL));
		for (const struct paleo_parameter *q = paleo_tile_parameters; q->name; q++) {
			double x = paleo_parameter_get(q, &presets[i].model.params);
			assert_true(q->low <= x && x <= q->high);
		}
	}
	/* Bits in the order of the tiles' names. */
	assert_int_equal(presets[0].model.tiles, 1 << paleo_tile_find("64x32"));
	assert_int_equal(presets[3].model.tiles,
			 1 << paleo_tile_find("32x32") | 1 << paleo_tile_find("64x256"));
}

/*
 * For f32 with the T4's presets left out: seven presets of products that are not batched
 * (P100 PCIe, V100, A100 40 GB, TITAN X, M40, GTX 1080 Ti, P100 SXM2), and two batched ones; of
 * eight with the T4's, two go when a P100 is left out. The launch is the geometric mean of theirs:
 * (39.22 * 38.46)^(1/2) = 38.84 of the batched ones. No preset is of fp16 without tensor cores
 * but P100's own.
 */
static void guesses_from_other_gpus(void **state)
{
	(void)state;
	struct paleo_tile_device p100 = device;
	struct paleo_tile_model m;

	assert_int_equal(paleo_tile_guess(&device, PALEO_F32, 0, "T4", &m), 7);
	assert_int_equal(paleo_tile_guess(&device, PALEO_F32, 1, "T4", &m), 2);
	assert_true(fabs(m.params.launch_us - 38.84) < 0.01);
	assert_int_equal(m.tiles, 1 << paleo_tile_find("64x128") | 1 << paleo_tile_find("64x64"));
	assert_int_equal(paleo_tile_guess(&device, PALEO_F32, 0, "p100-sxm2", &m), 6);
	p100.flop_per_s = 18.7e12; /* 18.7e12 / (80 x 1.38e9) = 169 FLOP: no tensor cores */
	assert_int_equal(paleo_tile_guess(&p100, PALEO_F16, 0, "p100-pcie", &m), 0);
	assert_int_equal(m.tiles, PALEO_TILES_ALL);
	assert_true(m.params.launch_us == 3);
	/* 113e12 is 1024 FLOP: V100's. A100's (two tables) and H100's bf16 presets speak for it. */
	p100.flop_per_s = 113e12;
	assert_int_equal(paleo_tile_guess(&p100, PALEO_F16, 0, NULL, &m), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_made_the_times),
		cmocka_unit_test(finds_the_speed_of_quantising),
		cmocka_unit_test(finds_whether_few_rows_suffer),
		cmocka_unit_test(few_rows_stay_near_a_preset),
		cmocka_unit_test(presets_can_be_left_out),
		cmocka_unit_test(presets_are_sane),
		cmocka_unit_test(guesses_from_other_gpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
