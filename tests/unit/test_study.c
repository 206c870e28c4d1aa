/* test_study.c - a study finds the cost model that made the times, on rows that it held out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "calib/fit_conv.h"
#include "calib/fit_tile.h"
#include "calib/study.h"
#include "model/predict/tile_conv.h"
#include "tests/unit/unit.h"

enum {
	ROWS = 120
};

/* Sizes spread over 2^5 .. 2^12 by steps of the golden ratio and the like. */
static int size_of(int i, double step)
{
	double x = i * step;

	return (int)pow(2, 5 + 7 * (x - floor(x)));
}

/* Products timed by the cost model of tiles itself, or by PALEO's at half of the peak. */
static void make_rows(struct paleo_measured *m, const struct paleo_device *d, int by_paleo)
{
	struct paleo_tile_model truth = {.params = paleo_tile_params_init(PALEO_F32),
					 .tiles = 1U << paleo_tile_find("128x64")};
	struct paleo_tile_device device;
	struct paleo_error err;

	truth.params.launch_us = 12;
	assert_int_equal(paleo_tile_device_of(d, PALEO_F32, &device, &err), 0);
	for (m->count = 0; m->count < ROWS; m->count++) {
		int i = m->count;
		struct paleo_measured_row *r = &m->rows[i];
		*r = (struct paleo_measured_row){.line = i + 2};
		r->op = (struct paleo_op){.kind = PALEO_GEMM};
		r->op.geom.gemm = (struct paleo_gemm_geom){.m = size_of(i, 0.618034),
							   .n = size_of(i / 3, 0.414214),
							   .k = size_of(i / 3, 0.732051),
							   .batch = 1};
		assert_int_equal(paleo_op_finish(&r->op, &err), 0);
		const struct paleo_gemm_geom *g = &r->op.geom.gemm;
		const struct paleo_tile_product p = paleo_tile_product_of(g->m, g->n, g->k, 1, 4);
		double paleo_s = r->op.flops / device.flop_per_s +
				 (r->op.read_bytes + r->op.write_bytes) / device.mem_bytes_per_s;
		r->time_s = by_paleo ? 2 * paleo_s : paleo_tile_predict_s(&truth, &device, &p);
	}
}

static const struct paleo_study_options options = {.kind = PALEO_GEMM,
						   .pass = PALEO_FWD,
						   .dtype = PALEO_F32,
						   .folds = 3,
						   .rows_max = 60,
						   .operand_sets_max = 1};

static void finds_the_cost_model_of_tiles(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[ROWS];
	struct paleo_measured m = {.rows = rows};
	const struct paleo_device *d = paleo_device_find("v100-pcie");
	struct paleo_study s;
	struct paleo_error err;

	make_rows(&m, d, 0);
	assert_int_equal(paleo_study_ops(&m, d, &options, &s, &err), 0);
	assert_int_equal(s.rows, ROWS);
	assert_int_equal(s.counts.fitted, 60);
	assert_true(s.cost_model.errors.mean < 0.05);
	assert_true(s.paleo.errors.mean > 3 * s.cost_model.errors.mean);
	assert_true(fabs(s.cost_model.errors.bias) < 0.02 && fabs(s.cost_model.errors.sum) < 0.02);
	paleo_study_release(&s);
}

/* PALEO's cost model finds its own times to the last step of the search, 1e-4. */
static void finds_paleo(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[ROWS];
	struct paleo_measured m = {.rows = rows};
	const struct paleo_device *d = paleo_device_find("v100-pcie");
	struct paleo_study s;
	struct paleo_error err;

	make_rows(&m, d, 1);
	assert_int_equal(paleo_study_ops(&m, d, &options, &s, &err), 0);
	assert_true(s.paleo.errors.p90 < 1e-3 && fabs(s.paleo.errors.sum) < 1e-3);
	paleo_study_release(&s);
}

/* Of three draws of five rows the first is that of one draw, the others are of other rows. */
static void draws_rows_again(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[ROWS];
	struct paleo_measured m = {.rows = rows};
	const struct paleo_device *d = paleo_device_find("v100-pcie");
	struct paleo_study_options o = options;
	struct paleo_study one, three;
	struct paleo_error err;

	make_rows(&m, d, 0);
	o.rows_max = 5;
	assert_int_equal(paleo_study_ops(&m, d, &o, &one, &err), 0);
	assert_true(isnan(one.cost_model.worst));
	o.draws = 3;
	assert_int_equal(paleo_study_ops(&m, d, &o, &three, &err), 0);
	assert_int_equal(three.rows, ROWS);
	double first = 0, all = 0;
	for (int i = 0; i < 3 * ROWS; i++) {
		const struct paleo_holdout_row *row = &three.held[i];
		double e = fabs(row->by[PALEO_HOLDOUT_COST_MODEL].time_s / row->time_s - 1);
		first += i < ROWS ? e / ROWS : 0;
		all += e / (3 * ROWS);
	}
	assert_true(fabs(first - one.cost_model.errors.mean) < 1e-12);
	assert_true(fabs(all - three.cost_model.errors.mean) < 1e-12);
	assert_true(three.cost_model.worst > three.cost_model.errors.mean);
	paleo_study_release(&one);
	paleo_study_release(&three);
}

/* Without rows the cost model is what the presets of others say, whatever the table calls the GPU.
 */
static void leaves_the_devices_own_presets_out(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[ROWS];
	struct paleo_measured m = {.rows = rows, .gpu = "somebody's card"};
	const struct paleo_device *d = paleo_device_find("t4");
	struct paleo_study_options o = options;
	struct paleo_tile_device device;
	struct paleo_tile_model others;
	struct paleo_study s;
	struct paleo_error err;

	make_rows(&m, d, 0);
	o.rows_max = 0;
	assert_int_equal(paleo_tile_device_of(d, PALEO_F32, &device, &err), 0);
	paleo_tile_guess(&device, PALEO_F32, 0, "t4", &others);
	assert_int_equal(paleo_study_ops(&m, d, &o, &s, &err), 0);
	for (int i = 0; i < ROWS; i++) {
		struct paleo_tile_product p = paleo_tile_product_of_op(&rows[i].op, NULL);
		p.foot_bytes = paleo_kernel_model_footprint(&p, &device, 1);
		assert_true(s.held[i].by[PALEO_HOLDOUT_COST_MODEL].time_s ==
			    paleo_tile_predict_s(&others, &device, &p));
	}
	paleo_study_release(&s);
}

/* Ops alike share an error, so a correction is kept; three draws of all rows are three times one.
 */
static void counts_the_folds_of_all_draws(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[2 * ROWS];
	struct paleo_measured m = {.rows = rows, .count = 2 * ROWS};
	const struct paleo_device *d = paleo_device_find("v100-pcie");
	struct paleo_study_options o = options;
	struct paleo_study one, three;
	struct paleo_error err;

	for (int i = 0; i < m.count; i++) {
		struct paleo_op *w = &rows[i].op;
		*w = (struct paleo_op){.kind = PALEO_ELTWISE};
		w->geom.eltwise = (struct paleo_eltwise_geom){.inputs = 1, .count = 1e4 * (i + 1)};
		assert_int_equal(paleo_op_finish(w, &err), 0);
		rows[i].line = i + 2;
		rows[i].time_s = w->read_bytes / d->mem_bytes_per_s *
				 exp(0.5 * sin(3 * log2(w->geom.eltwise.count)));
	}
	o.kind = PALEO_ELTWISE;
	o.rows_max = m.count;
	o.groups = PALEO_STUDY_ROWS;
	assert_int_equal(paleo_study_ops(&m, d, &o, &one, &err), 0);
	o.draws = 3;
	assert_int_equal(paleo_study_ops(&m, d, &o, &three, &err), 0);
	assert_true(one.counts.corrected > 0);
	assert_int_equal(three.counts.corrected, 3 * one.counts.corrected);
	assert_int_equal(three.counts.fitted, one.counts.fitted);
	paleo_study_release(&one);
	paleo_study_release(&three);
}

static void refuses_what_it_cannot_study(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[ROWS];
	struct paleo_measured m = {.rows = rows};
	const struct paleo_device *d = paleo_device_find("v100-pcie");
	struct paleo_device no_cache = *d;
	struct paleo_study s;
	struct paleo_error err;

	make_rows(&m, d, 0);
	no_cache.cache_bytes = 0;
	assert_int_equal(paleo_study_ops(&m, &no_cache, &options, &s, &err), PALEO_EUNSUPPORTED);
	m.count = 5;
	assert_int_equal(paleo_study_ops(&m, d, &options, &s, &err), PALEO_EINPUT);
	/* One layer's weights alone: held out together, nothing is left. */
	make_rows(&m, d, 0);
	for (int i = 0; i < ROWS; i++)
		rows[i].op.geom.gemm.n = rows[i].op.geom.gemm.k = 64;
	assert_int_equal(paleo_study_ops(&m, d, &options, &s, &err), PALEO_EINPUT);
}

/* Convolutions of 1x1 and 3x3, timed by the cost model's start but for a launch of 9 us. */
static void make_convolutions(struct paleo_measured *m, const struct paleo_device *d)
{
	struct paleo_conv_model truth = {.params = paleo_conv_params_init(),
					 .sets = {.implicit_tiles = 1U << paleo_tile_find("64x64"),
						  .nonfused_tiles = 1U << paleo_tile_find("128x64"),
						  .winograd_blocks = 1}};
	struct paleo_tile_device device;
	struct paleo_error err;
	char key[128];

	truth.params.launch_us = 9;
	assert_int_equal(paleo_tile_device_of(d, PALEO_F32, &device, &err), 0);
	for (m->count = 0; m->count < ROWS; m->count++) {
		int i = m->count, size = 8 + 4 * (i % 9), filter = i % 2 ? 3 : 1;
		enum paleo_conv_algorithm which;
		struct paleo_measured_row *r = &m->rows[i];
		snprintf(key, sizeof(key), "conv fwd f32 n=%d c=%d h=%d w=%d k=%d r=%d s=%d%s",
			 1 + i % 32, size_of(i, 0.618034), size, size, size_of(i, 0.414214), filter,
			 filter, i % 2 ? " pad_t=1 pad_l=1 pad_b=1 pad_r=1" : "");
		*r = (struct paleo_measured_row){.line = i + 2};
		if (paleo_op_parse(key, &r->op, &err))
			fail_msg("%s", err.text);
		r->time_s =
			paleo_conv_fastest_s(&truth.params, &device, &r->op, &truth.sets, &which);
		snprintf(r->algorithm, sizeof(r->algorithm), "%s",
			 paleo_conv_algorithm_name(which));
	}
}

/* Held out by layers, by channels or by images: the cost model that made the times is found, and
 * none is fitted where there is no cost model. */
static void finds_the_cost_model_of_convolutions(void **state)
{
	(void)state;
	static struct paleo_measured_row rows[ROWS];
	struct paleo_measured m = {.rows = rows, .gpu = "V100"};
	const struct paleo_device *d = paleo_device_find("v100-pcie");
	struct paleo_study_options o = options;
	struct paleo_study s;
	struct paleo_error err;

	make_convolutions(&m, d);
	o.kind = PALEO_CONV;
	o.folds = 2;
	for (int groups = PALEO_STUDY_LAYERS; groups <= PALEO_STUDY_IMAGES; groups++) {
		o.groups = (enum paleo_study_groups)groups;
		assert_int_equal(paleo_study_ops(&m, d, &o, &s, &err), 0);
		assert_int_equal(s.rows, ROWS);
		assert_true(s.cost_model.errors.mean < 0.1);
		assert_true(s.paleo.errors.mean > 2 * s.cost_model.errors.mean);
		paleo_study_release(&s);
	}
	o.kind = PALEO_POOL;
	assert_true(paleo_study_ops(&m, d, &o, &s, &err) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_cost_model_of_tiles),
		cmocka_unit_test(finds_paleo),
		cmocka_unit_test(draws_rows_again),
		cmocka_unit_test(leaves_the_devices_own_presets_out),
		cmocka_unit_test(finds_the_cost_model_of_convolutions),
		cmocka_unit_test(counts_the_folds_of_all_draws),
		cmocka_unit_test(refuses_what_it_cannot_study),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
