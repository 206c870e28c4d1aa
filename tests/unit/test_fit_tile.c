/* test_fit_tile.c - the fit of the cost model of tiles finds a cost model that made the times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_parts.h"
#include "calib/fit_tile.h"
#include "model/predict/tile.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 200
};

static const struct paleo_tile_device device = {.flop_per_s = 14e12,
						.mem_bytes_per_s = 900e9,
						.cache_bytes = 6e6,
						.clock_hz = 1.38e9,
						.sm_count = 80};

/* A cost model unlike the start: launch 9 instead of 3 us, 80 instead of 95 % of peak, tiles of
 * 64x64. */
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
		rows[i].weight = 1;
	}
}

/* Log of a time in which every part has its share. */
static double log_time(const struct paleo_tile_model *m, const struct paleo_tile_product *g,
		       struct paleo_tile_choice *choice)
{
	double s =
		paleo_tile_quantise_s(&m->params, &device, g) +
		paleo_tile_kernel_s(&m->params, &device, g, m->tiles, PALEO_TILE_SPLIT_MAX, choice);

	return log(paleo_tile_launched_s(&m->params, g->launches, s));
}

/* Of products thick and thin, with splits and without: differences over a step, where the same
 * candidate stays the fastest. */
static void slopes_are_those_of_times(void **state)
{
	(void)state;
	struct paleo_tile_model m = {.params = paleo_tile_params_init(PALEO_F32),
				     .tiles = PALEO_TILES_ALL};
	int compared = 0, split = 0;

	m.params.sharpness = 2.3;
	m.params.overlap = 1.4;
	m.params.tlb_k = 3000;
	m.params.tlb_rows = 500;
	for (int i = 0; i < ROWS; i++) {
		struct paleo_tile_product g = paleo_tile_product_of(
			size_of(i, 0.618034), size_of(i, 0.414214), size_of(i, 0.732051), 1, 4);
		struct paleo_tile_choice at, up, down;
		double slope[PALEO_TILE_QUANTISED];
		g.quantise_bytes = i % 2 ? g.bytes : 0;
		log_time(&m, &g, &at);
		paleo_tile_slopes(&m.params, &device, &g, &at, slope);
		for (int j = 0; j < PALEO_TILE_QUANTISED; j++) {
			const struct paleo_parameter *q = &paleo_tile_parameters[j];
			struct paleo_tile_model low = m, high = m;
			double value = paleo_parameter_get(q, &m.params), step = 1e-4;
			paleo_parameter_set(q, &low.params, value * exp(-step));
			paleo_parameter_set(q, &high.params, value * exp(step));
			double rise = log_time(&high, &g, &up) - log_time(&low, &g, &down);
			if (up.tile != at.tile || up.split != at.split || down.tile != at.tile ||
			    down.split != at.split)
				continue;
			assert_true(fabs(rise / (2 * step) - slope[j]) < 1e-6);
			compared++;
			split += at.split > 1;
		}
	}
	assert_true(compared > 16 * ROWS && split > ROWS);
}

static void finds_what_made_the_times(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS], unseen[ROWS];
	struct paleo_tile_fit fit, again;
	struct paleo_error err;

	make_rows(rows, 0);
	make_rows(unseen, 5000);
	assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, ROWS, NULL, &fit, &err), 0);
	assert_true(fit.model.tiles & truth().tiles);
	assert_true(fabs(fit.model.params.launch_us / 9 - 1) < 0.05);
	assert_true(fabs(fit.model.params.ppp_compute / 0.8 - 1) < 0.1);
	for (int i = 0; i < ROWS; i++) {
		double s = paleo_tile_predict_s(&fit.model, &device, &unseen[i].product);
		assert_true(fabs(s / unseen[i].time_s - 1) < 0.1);
	}
	assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, ROWS, NULL, &again, &err), 0);
	assert_memory_equal(&fit.model.params, &again.model.params, sizeof(fit.model.params));
}

/* Every second time is three times too long: of no weight, these change nothing. */
static void counts_rows_by_their_weights(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	const struct paleo_tile_model m = truth();
	struct paleo_tile_fit fit;
	struct paleo_error err;
	double sum = 0;

	make_rows(rows, 0);
	for (int i = 0; i < ROWS; i += 2) {
		rows[i].time_s *= 3;
		rows[i].weight = 1e-6;
	}
	assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, ROWS, NULL, &fit, &err), 0);
	for (int i = 0; i < ROWS; i++)
		sum += fabs(log(paleo_tile_predict_s(&fit.model, &device, &rows[i].product) /
				paleo_tile_predict_s(&m, &device, &rows[i].product)));
	assert_true(sum / ROWS < 0.03);
}

/* Activations that are quantised at 0.25 of the bandwidth, not 0.4: a stage of its own. */
static void finds_the_speed_of_quantising(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
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
	assert_int_equal(paleo_fit_tile(&device, PALEO_FP8, rows, ROWS, NULL, &fit, &err), 0);
	assert_true(fabs(fit.model.params.ppp_quantise / 0.25 - 1) < 0.1);
	assert_true(fabs(fit.model.params.launch_us / 9 - 1) < 0.1);
}

/* Where long rows cost what they do on few rows of A, too, nothing is let go; where they cost
 * little on fewer than 1000 (k beyond 3000 leave the TLB's reach), it is found. */
static void finds_whether_few_rows_suffer(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	struct paleo_tile_model m = truth();
	struct paleo_tile_fit fit;
	struct paleo_error err;

	for (int few = 0; few < 2; few++) {
		m.params.tlb_k = 3000;
		m.params.tlb_rows = few ? 1000 : 1e-6;
		make_rows(rows, 0);
		for (int i = 0; i < ROWS; i++)
			rows[i].time_s = paleo_tile_predict_s(&m, &device, &rows[i].product);
		assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, ROWS, NULL, &fit, &err),
				 0);
		if (few)
			assert_true(fabs(log(fit.model.params.tlb_rows / 1000)) < log(1.5));
		else
			assert_true(fit.model.params.tlb_rows < 1);
	}
}

/* Five rows need no other tiles here, and sums of these sizes are no longer than 2^13, so nothing
 * tells of the TLB's reach: it stays where the other GPUs have it in the middle, those that take
 * part. */
static void few_rows_stay_near_others(void **state)
{
	(void)state;
	const char *const except[] = {NULL, "P100_PCIE"};
	static struct paleo_tile_row rows[ROWS];
	struct paleo_tile_model guess[2];
	struct paleo_tile_fit fit;
	struct paleo_error err;

	make_rows(rows, 0);
	for (int i = 0; i < 2; i++) {
		paleo_tile_guess(&device, PALEO_F32, 0, except[i], &guess[i]);
		assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, 5, except[i], &fit, &err),
				 0);
		assert_int_equal(fit.model.tiles, PALEO_TILES_ALL);
		assert_true(fabs(log(fit.model.params.tlb_k / guess[i].params.tlb_k)) < 0.1);
	}
	/* P100's cards are the ones with the shortest and the longest reach. */
	assert_true(fabs(log(guess[0].params.tlb_k / guess[1].params.tlb_k)) > 0.1);
}

/* Presets of f32 were timed in both ways, those of 2 bytes by graphs alone, and so were those of
 * fp8, H100's of 11.58 us. */
static void presets_tell_ways_to_time(void **state)
{
	(void)state;
	struct paleo_tile_launch l[PALEO_TILE_LAUNCHES];

	paleo_tile_launches(PALEO_F32, NULL, l);
	assert_true(l[0].us == 2.5 && l[0].seen && l[1].us == 45 && l[1].seen);
	paleo_tile_launches(PALEO_BF16, NULL, l);
	assert_true(l[0].seen && !l[1].seen);
	paleo_tile_launches(PALEO_FP8, NULL, l); /* graphs, with a kernel before: 11.6 us */
	assert_true(l[0].seen && !l[1].seen);
	paleo_tile_launches(PALEO_FP8, "h200", l);
	assert_true(!l[0].seen && !l[1].seen);
}

/* Six rows of a cost model as others have it, but for the launch: one of a framework is found in a
 * number type of which all presets were timed by graphs, to a tenth, and so is one of a graph. The
 * cost model's own prior, 0.7 around 2.5 us, would price the first at 17. */
static void few_rows_tell_the_way_to_time(void **state)
{
	(void)state;
	const double launches_us[] = {2.5, 45};
	struct paleo_tile_device fast = device;
	struct paleo_tile_row rows[6];
	struct paleo_tile_model m;
	struct paleo_tile_fit fit;
	struct paleo_error err;

	fast.flop_per_s = 112e12;
	fast.tensor = 1;
	for (int way = 0; way < 2; way++) {
		paleo_tile_guess(&fast, PALEO_F16, 0, NULL, &m);
		m.params.launch_us = launches_us[way];
		for (int i = 0; i < 6; i++) {
			rows[i].product = paleo_tile_product_of(64 << i, 128 << i, 256, 1, 2);
			rows[i].time_s = paleo_tile_predict_s(&m, &fast, &rows[i].product);
			rows[i].weight = 1;
		}
		assert_int_equal(paleo_fit_tile(&fast, PALEO_F16, rows, 6, NULL, &fit, &err), 0);
		assert_true(fabs(log(fit.model.params.launch_us / launches_us[way])) < 0.1);
	}
}

/* A cost model as others have it but for its shape: computing that hides little of what memory
 * takes, and a launch that hides some work. Many rows outvote the priors, which want sharpness 4
 * and overlap 1; with 50 rows these are fitted, with 49 they stay. */
static void many_rows_tell_the_shape(void **state)
{
	(void)state;
	const unsigned shape = (1U << PALEO_TILE_PARAMETERS) - (2U << PALEO_TILE_ROWS);
	const int many = 5 * ROWS, few = PALEO_TILE_SHAPE_ROWS - 1;
	static struct paleo_tile_row rows[5 * ROWS];
	struct paleo_tile_model m, guess;
	struct paleo_tile_fit fit;
	struct paleo_error err;

	paleo_tile_guess(&device, PALEO_F32, 0, NULL, &guess);
	m = (struct paleo_tile_model){guess.params, truth().tiles};
	m.params.sharpness = 1.5;
	m.params.overlap = 1.5;
	for (int i = 0; i < many; i += ROWS)
		make_rows(rows + i, i);
	for (int i = 0; i < many; i++)
		rows[i].time_s = paleo_tile_predict_s(&m, &device, &rows[i].product);
	assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, many, NULL, &fit, &err), 0);
	assert_int_equal(fit.held & shape, 0);
	assert_true(fabs(fit.model.params.sharpness / 1.5 - 1) < 0.1);
	assert_true(fabs(fit.model.params.overlap / 1.5 - 1) < 0.1);

	assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, few + 1, NULL, &fit, &err), 0);
	assert_int_equal(fit.held & shape, 0);
	assert_true(fit.model.params.overlap > 1.1);
	assert_int_equal(paleo_fit_tile(&device, PALEO_F32, rows, few, NULL, &fit, &err), 0);
	assert_int_equal(fit.held & shape, shape);
	for (int j = PALEO_TILE_ROWS + 1; j < PALEO_TILE_PARAMETERS; j++) {
		const struct paleo_parameter *q = &paleo_tile_parameters[j];
		double start = paleo_parameter_get(q, &guess.params);
		assert_true(fabs(paleo_parameter_get(q, &fit.model.params) / start - 1) < 1e-12);
	}
}

/* An overlap of 1 is the start and the least there is. What was not fitted stands on no bound, and
 * has no error. */
static void what_is_held_stands_on_no_bound(void **state)
{
	(void)state;
	static struct paleo_tile_row rows[ROWS];
	struct paleo_op ops[PALEO_TILE_SHAPE_ROWS - 1];
	struct paleo_fit_row chosen[PALEO_TILE_SHAPE_ROWS - 1];
	const struct paleo_device *v100 = paleo_device_find("v100-pcie");
	struct paleo_fitted_kernel m;
	struct paleo_error err;

	make_rows(rows, 0);
	for (int i = 0; i < PALEO_TILE_SHAPE_ROWS - 1; i++) {
		const struct paleo_tile_product *p = &rows[i].product;
		ops[i] = (struct paleo_op){.kind = PALEO_GEMM};
		ops[i].geom.gemm = (struct paleo_gemm_geom){
			.m = (int)p->m, .n = (int)p->n, .k = (int)p->k, .batch = 1};
		assert_int_equal(paleo_op_finish(&ops[i], &err), 0);
		chosen[i] = (struct paleo_fit_row){
			.op = &ops[i], .log_s = log(rows[i].time_s), .weight = 1};
	}
	assert_int_equal(paleo_fit_form(paleo_kernel_model_for(&ops[0], 0), v100, chosen,
					PALEO_TILE_SHAPE_ROWS - 1, 1, &m, &err),
			 0);
	assert_true(((struct paleo_tile_params *)(void *)m.params)->overlap == 1);
	for (int j = PALEO_TILE_ROWS; j < PALEO_TILE_PARAMETERS; j++)
		assert_true(isnan(m.se[j]) && !(m.on_bound >> j & 1) && !m.together[j]);
}

/* Every preset within the bounds of the table, of a device that there is. */
static void presets_are_sane(void **state)
{
	(void)state;
	int count;
	const struct paleo_tile_preset *presets = paleo_tile_presets(&count);

	assert_int_equal(count, 15);
	for (int i = 0; i < count; i++) {
		assert_non_null(paleo_device_find(presets[i].gpu));
		for (const struct paleo_parameter *q = paleo_tile_parameters; q->name; q++) {
			double x = paleo_parameter_get(q, &presets[i].params);
			assert_true(q->low <= x && x <= q->high);
		}
	}
}

/*
 * For f32 with the T4's presets left out: seven presets of products that are not batched
 * (P100 PCIe, V100, A100 40 GB, TITAN X, M40, GTX 1080 Ti, P100 SXM2), and two batched ones; of
 * eight with the T4's, two go when a P100 is left out. The launch is the geometric mean of theirs:
 * (39.22 * 38.46)^(1/2) = 38.84 of the batched ones; of what else there is the table's start counts
 * as one of them: (1.046 * 1.09 * 0.95)^(1/3) = 1.027 of the peak. No preset is of fp16 without
 * tensor cores but P100's own.
 */
static void guesses_from_other_gpus(void **state)
{
	(void)state;
	struct paleo_tile_device p100 = device;
	struct paleo_tile_model m;

	assert_int_equal(paleo_tile_guess(&device, PALEO_F32, 0, "T4", &m), 7);
	assert_int_equal(paleo_tile_guess(&device, PALEO_F32, 1, "T4", &m), 2);
	assert_true(fabs(m.params.launch_us - 38.84) < 0.01);
	assert_true(fabs(m.params.ppp_compute - 1.027) < 0.001);
	assert_int_equal(m.tiles, PALEO_TILES_ALL);
	assert_int_equal(paleo_tile_guess(&device, PALEO_F32, 0, "p100-sxm2", &m), 6);
	p100.flop_per_s = 18.7e12;
	assert_int_equal(paleo_tile_guess(&p100, PALEO_F16, 0, "p100-pcie", &m), 0);
	assert_int_equal(m.tiles, PALEO_TILES_ALL);
	assert_true(m.params.launch_us == 3);
	/* A100's (two tables) and H100's bf16 presets speak for tensor cores, in tf32 as well. */
	p100.flop_per_s = 113e12;
	p100.tensor = 1;
	assert_int_equal(paleo_tile_guess(&p100, PALEO_F16, 0, NULL, &m), 3);
	assert_int_equal(paleo_tile_guess(&p100, PALEO_TF32, 0, NULL, &m), 3);
	assert_int_equal(paleo_tile_guess(&p100, PALEO_TF32, 0, "a100-80-pcie", &m), 1);
}

/*
 * A V100 does 14e12 / 250 W = 56e9 FLOP a joule, so 70 W sustain 3.92e12 FLOP/s: of the T4's peak
 * of 8.1e12 too little by 8.1 / 3.92 - 1 = 1.07. The droop of the two batched presets (0.03695 and
 * 0.1553) and of the table's start (0.05) comes on top, (0.03695 * 0.1553 * 0.05)^(1/3) = 0.0660.
 * On a V100 nothing comes on top. The T4's own preset, 1.089, says nothing of others: with and
 * without it the guess for a V100 is the same.
 */
static void power_makes_sustained_op_slower(void **state)
{
	(void)state;
	const double batched = 0.0660;
	struct paleo_tile_device t4, v100;
	struct paleo_tile_model m, without;
	struct paleo_error err;

	assert_int_equal(paleo_tile_device_of(paleo_device_find("t4"), PALEO_F32, &t4, &err), 0);
	assert_true(fabs(paleo_tile_power_flop_per_s(&t4) / 3.92e12 - 1) < 0.001);
	paleo_tile_guess(&t4, PALEO_F32, 1, NULL, &m);
	assert_true(fabs(m.params.droop - batched - 1.066) < 0.001);
	assert_int_equal(
		paleo_tile_device_of(paleo_device_find("v100-pcie"), PALEO_F32, &v100, &err), 0);
	paleo_tile_guess(&v100, PALEO_F32, 1, NULL, &m);
	assert_true(fabs(m.params.droop - batched) < 0.001);
	paleo_tile_guess(&v100, PALEO_F32, 0, NULL, &m);
	paleo_tile_guess(&v100, PALEO_F32, 0, "t4", &without);
	assert_true(fabs(m.params.droop / without.params.droop - 1) < 1e-12);
}

/*
 * Of tensor cores two thirds of the frugal card's peak are kept: a T4's in f16, of a V100's
 * 112e12 / 250 W, 70 W * 448e9 * 2/3 = 20.9e12, and 65 / 20.9 - 1 = 2.109; an L4's of an RTX 6000's
 * 364.2e12 / 300 W 58.27e12, and 121 / 58.27 - 1 = 1.076. A100s have 1.248e12 FLOP a joule, times
 * two thirds: 208e12 of 312e12 at 250 W, a half too little, and enough at 400 W. Of a B200 nothing
 * is known: Hopper's 2160e9 a watt, times two thirds, would leave 1440e12 of its 2250e12.
 */
static void power_limits_tensor_cores_more(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double droop;
	} known[] = {{"t4", 2.109},
		     {"l4", 1.076},
		     {"a100-40-pcie", 0.5},
		     {"a100-80-sxm", 0},
		     {"b200", 0}};
	struct paleo_tile_device d;
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct paleo_device *gpu = paleo_device_find(known[i].name);
		assert_int_equal(paleo_tile_device_of(gpu, PALEO_F16, &d, &err), 0);
		assert_true(fabs(paleo_tile_power_droop(&d) - known[i].droop) < 0.001);
	}
}

/* GeForce cards do half of what their tensor cores could, with sums in f32: twice their f32. */
static void tensor_cores_follow_from_the_dtype(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum paleo_dtype dtype;
		int tensor;
	} known[] = {{"rtx-3090", PALEO_F16, 1},    {"rtx-3090", PALEO_TF32, 1},
		     {"rtx-2080-ti", PALEO_F16, 1}, {"p100-pcie", PALEO_F16, 0},
		     {"a100-80-sxm", PALEO_F32, 0}, {"h100-sxm", PALEO_FP8, 1},
		     {"mi25", PALEO_F16, 0},        {"mi100", PALEO_BF16, 1}};
	struct paleo_tile_device d;
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct paleo_device *gpu = paleo_device_find(known[i].name);
		assert_int_equal(paleo_tile_device_of(gpu, known[i].dtype, &d, &err), 0);
		assert_int_equal(d.tensor, known[i].tensor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slopes_are_those_of_times),
		cmocka_unit_test(finds_what_made_the_times),
		cmocka_unit_test(counts_rows_by_their_weights),
		cmocka_unit_test(finds_the_speed_of_quantising),
		cmocka_unit_test(finds_whether_few_rows_suffer),
		cmocka_unit_test(few_rows_stay_near_others),
		cmocka_unit_test(many_rows_tell_the_shape),
		cmocka_unit_test(what_is_held_stands_on_no_bound),
		cmocka_unit_test(presets_are_sane),
		cmocka_unit_test(presets_tell_ways_to_time),
		cmocka_unit_test(few_rows_tell_the_way_to_time),
		cmocka_unit_test(guesses_from_other_gpus),
		cmocka_unit_test(power_makes_sustained_op_slower),
		cmocka_unit_test(power_limits_tensor_cores_more),
		cmocka_unit_test(tensor_cores_follow_from_the_dtype),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
