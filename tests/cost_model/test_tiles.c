/* test_tiles.c - the cost model of tiles against the study's predictions, row by row. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/kernel_model.h"
#include "model/predict/stream.h"
#include "model/predict/tile.h"
#include "model/predict/tile_conv.h"
#include "tests/cost_model/csv.h"
#include "tests/unit/unit.h"

#define TOLERANCE 1e-6

static double number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtod(at + strlen(key), NULL) : NAN;
}

/* The study's numbers of a GPU; f32 by the cores, the 16-bit types by the tensor cores. */
static struct paleo_tile_device device_of(const char *gpu, const char *dtype)
{
	static struct csv c;
	struct paleo_tile_device d = {0};

	csv_open_path(&c, "tests/data/cost_model/gpus.csv.gz");
	while (csv_next(&c)) {
		if (strcmp(csv_text(&c, "gpu"), gpu) != 0)
			continue;
		int f32 = !strcmp(dtype, "fp32");
		d.flop_per_s = 1e12 * csv_number(&c, f32 ? "fp32_tflops" : "fp16_tensor_tflops");
		d.vector_flop_per_s = d.flop_per_s;
		d.mem_bytes_per_s = 1e9 * csv_number(&c, "mem_bw_gbs");
		d.cache_bytes = 1e6 * csv_number(&c, "l2_mb");
		d.clock_hz = 1e6 * csv_number(&c, "boost_mhz");
		d.sm_count = csv_number(&c, "sms");
	}
	csv_close(&c);
	assert_true(d.flop_per_s > 0);
	return d;
}

/* Reading the list for every row would take seconds; rows of a GPU follow each other. */
static const struct paleo_tile_device *device_of_row(const struct csv *c)
{
	static char gpu[64], dtype[16];
	static struct paleo_tile_device d;

	if (strcmp(gpu, csv_text(c, "gpu")) != 0 || strcmp(dtype, csv_text(c, "dtype")) != 0) {
		snprintf(gpu, sizeof(gpu), "%s", csv_text(c, "gpu"));
		snprintf(dtype, sizeof(dtype), "%s", csv_text(c, "dtype"));
		d = device_of(gpu, dtype);
	}
	return &d;
}

static unsigned set_of(const char *words, int (*find)(const char *))
{
	char copy[256], *rest;
	unsigned set = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(find(word) >= 0);
		set |= 1U << find(word);
	}
	return set;
}

static void expect(double value, double wanted, const char *what, int row)
{
	if (!(fabs(value / wanted - 1) <= TOLERANCE))
		fail_msg("row %d: %s is %.10g, not %.10g", row, what, value, wanted);
}

static void products(void **state)
{
	(void)state;
	static struct csv c;
	int rows = 0;

	csv_open_path(&c, "tests/data/cost_model/gemm_f7.csv.gz");
	for (; csv_next(&c); rows++) {
		struct paleo_tile_params p = {.half_intensity = csv_number(&c, "Ih"),
					      .wave = csv_number(&c, "alpha"),
					      .sharpness = csv_number(&c, "q"),
					      .droop_us = csv_number(&c, "tau_us"),
					      .unpadded = 1};
		for (int i = 0; i < PALEO_TILE_ROWS; i++)
			paleo_parameter_set(&paleo_tile_parameters[i], &p,
					    csv_number(&c, paleo_tile_parameters[i].symbol));
		struct paleo_tile_product g = paleo_tile_product_of(
			csv_number(&c, "m"), csv_number(&c, "n"), csv_number(&c, "k"),
			csv_number(&c, "batch"), strcmp(csv_text(&c, "dtype"), "fp32") ? 2 : 4);
		g.foot_bytes = csv_number(&c, "foot_bytes");
		struct paleo_tile_choice best;
		double s = paleo_tile_kernel_s(&p, device_of_row(&c), &g,
					       set_of(csv_text(&c, "tiles"), paleo_tile_find),
					       PALEO_TILE_SPLIT_MAX, &best);
		expect(s + p.launch_us * 1e-6, csv_number(&c, "pred_s"), "the time", rows);
		assert_string_equal(paleo_tile_name(best.tile), csv_text(&c, "tile"));
		assert_int_equal(best.split, (int)csv_number(&c, "split"));
	}
	csv_close(&c);
	assert_int_equal(rows, 264);
}

static int find_block(const char *name)
{
	for (int i = 0; i < PALEO_CONV_BLOCKS; i++)
		if (!strcmp(paleo_conv_block_name(i), name))
			return i;
	return -1;
}

static struct paleo_conv_params conv_params(const struct csv *c)
{
	struct paleo_conv_params p = paleo_conv_params_init();
	char column[64];

	for (const struct paleo_parameter *q = paleo_conv_parameters; q->name; q++) {
		snprintf(column, sizeof(column), "p_%s", q->symbol);
		paleo_parameter_set(q, &p, csv_number(c, column));
	}
	p.droop_us = csv_number(c, "p_tau");
	p.unpadded = 1;
	return p;
}

static struct paleo_op conv_op(const struct csv *c)
{
	struct paleo_op w = {.kind = PALEO_CONV, .pass = PALEO_FWD, .dtype = PALEO_F32};
	struct paleo_conv_geom *g = &w.geom.conv;
	struct paleo_error err;

	g->n = (int)csv_number(c, "n");
	g->c = (int)csv_number(c, "c");
	g->h = (int)csv_number(c, "h");
	g->w = (int)csv_number(c, "w");
	g->k = (int)csv_number(c, "k");
	g->r = (int)csv_number(c, "r");
	g->s = (int)csv_number(c, "s");
	g->pad_t = g->pad_b = (int)csv_number(c, "pad_h");
	g->pad_l = g->pad_r = (int)csv_number(c, "pad_w");
	g->stride_h = (int)csv_number(c, "stride_h");
	g->stride_w = (int)csv_number(c, "stride_w");
	g->dil_h = g->dil_w = g->groups = 1;
	assert_int_equal(paleo_op_finish(&w, &err), 0);
	return w;
}

static void convolutions(void **state)
{
	(void)state;
	static struct csv c;
	int rows = 0;

	csv_open_path(&c, "tests/data/cost_model/conv_c5.csv.gz");
	for (; csv_next(&c); rows++) {
		const struct paleo_conv_params p = conv_params(&c);
		const struct paleo_conv_sets sets = {
			.implicit_tiles = set_of(csv_text(&c, "itiles"), paleo_tile_find),
			.nonfused_tiles = set_of(csv_text(&c, "ntiles"), paleo_tile_find),
			.winograd_blocks = set_of(csv_text(&c, "wvar"), find_block),
		};
		const struct paleo_op w = conv_op(&c);
		double times_s[PALEO_CONV_ALGORITHMS];
		enum paleo_conv_algorithm best =
			paleo_conv_times(&p, device_of_row(&c), &w, &sets, times_s);
		for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++) {
			const char *name = paleo_conv_algorithm_name((enum paleo_conv_algorithm)a);
			char column[64];
			snprintf(column, sizeof(column), "T_%s", name);
			expect(times_s[a], csv_number(&c, column), name, rows);
		}
		expect(times_s[best], csv_number(&c, "pred_s"), "the best", rows);
		assert_string_equal(paleo_conv_algorithm_name(best), csv_text(&c, "winner"));
	}
	csv_close(&c);
	assert_int_equal(rows, 100);
}

/* 3x3 at stride 1 with a pad of 1: the image keeps its size. */
static struct paleo_op square(enum paleo_pass pass, int c, int k, int stride)
{
	struct paleo_op w = {.kind = PALEO_CONV, .pass = pass, .dtype = PALEO_F32};
	struct paleo_error err;

	w.geom.conv = (struct paleo_conv_geom){.n = 8,
					       .c = c,
					       .h = 28,
					       .w = 28,
					       .k = k,
					       .r = 3,
					       .s = 3,
					       .stride_h = stride,
					       .stride_w = stride,
					       .pad_t = 1,
					       .pad_l = 1,
					       .pad_b = 1,
					       .pad_r = 1,
					       .dil_h = 1,
					       .dil_w = 1,
					       .groups = 1};
	assert_int_equal(paleo_op_finish(&w, &err), 0);
	return w;
}

static const struct paleo_conv_sets some_sets = {1U << 5, 1U << 5, 1};

/* The data's gradient of 3x3 at stride 1 is a forward convolution from k to c channels, but for
 * the implicit GEMM that scatters; the filter's has no fused Winograd. */
static void gradients(void **state)
{
	(void)state;
	const struct paleo_tile_device d = device_of("P100_PCIE", "fp32");
	const struct paleo_conv_params p = paleo_conv_params_init();
	double forward_s[PALEO_CONV_ALGORITHMS], times_s[PALEO_CONV_ALGORITHMS];
	struct paleo_op w = square(PALEO_FWD, 48, 32, 1);
	enum paleo_conv_algorithm best = paleo_conv_times(&p, &d, &w, &some_sets, forward_s), which;

	expect(paleo_conv_fastest_s(&p, &d, &w, &some_sets, &which), forward_s[best], "the best",
	       0);
	assert_int_equal(which, best);
	w = square(PALEO_BWD_DATA, 32, 48, 1);
	paleo_conv_times(&p, &d, &w, &some_sets, times_s);
	for (int a = 0; a < PALEO_CONV_ALGORITHMS; a++)
		if (a != PALEO_CONV_IMPLICIT)
			expect(times_s[a], forward_s[a], "the gradient", a);
	w = square(PALEO_BWD_FILTER, 32, 48, 1);
	paleo_conv_times(&p, &d, &w, &some_sets, times_s);
	assert_true(isinf(times_s[PALEO_CONV_WINOGRAD]) && times_s[PALEO_CONV_NONFUSED] > 0);
}

/*
 * A GPU of one multiprocessor on which one thing alone takes time: 1 TFLOP/s, 1 GB/s of memory that
 * keeps nothing, or 64 bytes at 1 GHz from the L2. In the cost model nothing is lost but by whole
 * tiles of 128 x 64, and splits cost too much. Launches are 2 us.
 */
enum slow_part {
	SLOW_COMPUTE,
	SLOW_MEMORY,
	SLOW_CACHE
};

static void expect_us(const struct paleo_op *w, enum paleo_conv_algorithm a, enum slow_part part,
		      double us)
{
	struct paleo_conv_params p = {.launch_us = 2,
				      .ppp_memory = 1,
				      .cache_share = 1,
				      .ppp_cache = 1,
				      .sharpness = 3,
				      .droop_us = 1000,
				      .stride_share = 1};
	const struct paleo_tile_device d = {
		.flop_per_s = part == SLOW_COMPUTE ? 1e12 : 1e30,
		.vector_flop_per_s = part == SLOW_COMPUTE ? 1e12 : 1e30,
		.mem_bytes_per_s = part == SLOW_MEMORY ? 1e9 : 1e30,
		.cache_bytes = 1,
		.clock_hz = part == SLOW_CACHE ? 1e9 : 1e30,
		.sm_count = 1,
	};

	p.kernels[a] = (struct paleo_conv_kernel){.ppp_compute = 1, .wave = 1, .split_us = 1e9};
	expect(paleo_conv_algorithm_s(&p, &d, w, &some_sets, a), 1e-6 * (us + 2), "the gradient",
	       (int)part);
}

/* 32 channels of 28 x 28 to 48 of 3 x 3, 8 images; a tile's step of k is 2 128 64 = 16384 FLOPs. */
static void gradients_as_products(void **state)
{
	(void)state;
	/* The filter: [48, 288 = 32 3 3] over 6272 = 8 28 28 terms in 1 x 5 tiles: 5 16384 6272
	 * FLOPs; 6272 (32 + 48) + 48 288 = 515584 elements; from the L2 6272 (48 5 + 288 1) + 48
	 * 288 = 3325440. */
	struct paleo_op w = square(PALEO_BWD_FILTER, 32, 48, 1);
	expect_us(&w, PALEO_CONV_IMPLICIT, SLOW_COMPUTE, 513.80224);
	expect_us(&w, PALEO_CONV_IMPLICIT, SLOW_MEMORY, 2062.336);
	expect_us(&w, PALEO_CONV_IMPLICIT, SLOW_CACHE, 4 * 3325440 / 64e3);

	/* The data with a stride of 2, whose result has 14 x 14 = 196 positions: [6272, 32] over a
	 * quarter of the 432 = 48 3 3 terms where all that can be is spared (stride_share 1), in 49
	 * x 1 tiles: 49 16384 108 FLOPs; 8 196 48 + 6272 32 + 48 288 = 289792 elements; from the L2
	 * three tenths of A: 108 (0.3 6272 1 + 32 49) + 6272 32 = 573260.8. */
	w = square(PALEO_BWD_DATA, 32, 48, 2);
	expect_us(&w, PALEO_CONV_PRECOMP, SLOW_COMPUTE, 86.704128);
	expect_us(&w, PALEO_CONV_PRECOMP, SLOW_MEMORY, 1159.168);
	expect_us(&w, PALEO_CONV_PRECOMP, SLOW_CACHE, 4 * 573260.8 / 64e3);

	/* Scattered: [1568 = 8 196, 288] over 48 in 13 x 5 tiles: 65 16384 48 FLOPs; the same
	 * elements; from the L2 48 (1568 5 + 288 13), and each of 1568 288 numbers read and
	 * written: 556032 + 2 451584 = 1459200. */
	expect_us(&w, PALEO_CONV_IMPLICIT, SLOW_COMPUTE, 51.11808);
	expect_us(&w, PALEO_CONV_IMPLICIT, SLOW_MEMORY, 1159.168);
	expect_us(&w, PALEO_CONV_IMPLICIT, SLOW_CACHE, 4 * 1459200 / 64e3);
}

/* Peaks of f16 over f32: V100 112/14 from tensor cores, P100 twice from its plain ones. Tensor
 * cores take three channels as eight: 8 9 = 72 terms instead of 27. */
static void tensor_cores_round_channels(void **state)
{
	(void)state;
	const struct paleo_conv_params p = paleo_conv_params_init();
	struct paleo_tile_device d;
	struct paleo_error err;
	struct paleo_op thin = square(PALEO_FWD, 3, 48, 2), eight = square(PALEO_FWD, 8, 48, 2);

	assert_int_equal(paleo_tile_device_of(paleo_device_find("p100-pcie"), PALEO_F16, &d, &err),
			 0);
	assert_false(d.tensor);
	assert_int_equal(paleo_tile_device_of(paleo_device_find("v100-pcie"), PALEO_F32, &d, &err),
			 0);
	assert_false(d.tensor);
	assert_int_equal(paleo_tile_device_of(paleo_device_find("v100-pcie"), PALEO_F16, &d, &err),
			 0);
	assert_true(d.tensor);
	d.mem_bytes_per_s = d.clock_hz = 1e15; /* arithmetic alone */
	double thin_s = paleo_conv_algorithm_s(&p, &d, &thin, &some_sets, PALEO_CONV_IMPLICIT);
	expect(thin_s, paleo_conv_algorithm_s(&p, &d, &eight, &some_sets, PALEO_CONV_IMPLICIT),
	       "three channels", 0);
	d.tensor = 0;
	d.vector_flop_per_s = d.flop_per_s;
	assert_true(paleo_conv_algorithm_s(&p, &d, &thin, &some_sets, PALEO_CONV_IMPLICIT) <
		    0.9 * thin_s);
}

/* On tensor cores a tap takes 32 channels of 16 bits, or 16 of tf32, at a time; up to eight are
 * packed, and so are groups. The filter's gradient sums over pixels. */
static void tensor_cores_step_through_channels(void **state)
{
	static const struct {
		enum paleo_dtype dtype;
		enum paleo_pass pass;
		int channels, groups;
		double summed;
	} cases[] = {
		{PALEO_BF16, PALEO_FWD, 40, 1, 64},      {PALEO_BF16, PALEO_FWD, 96, 1, 96},
		{PALEO_BF16, PALEO_FWD, 3, 1, 8},        {PALEO_BF16, PALEO_FWD, 40, 2, 24},
		{PALEO_TF32, PALEO_FWD, 40, 1, 48},      {PALEO_BF16, PALEO_BWD_FILTER, 40, 1, 40},
		{PALEO_BF16, PALEO_BWD_DATA, 40, 1, 64}, {PALEO_F32, PALEO_FWD, 41, 1, 41},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = square(cases[i].pass, cases[i].channels, cases[i].channels, 1);
		struct paleo_tile_device d;
		struct paleo_error err;
		w.dtype = cases[i].dtype;
		w.geom.conv.groups = cases[i].groups;
		assert_int_equal(paleo_tile_device_of(paleo_device_find("h200"), w.dtype, &d, &err),
				 0);
		expect(paleo_conv_job_of(&d, &w).group_in, cases[i].summed, "channels of case",
		       (int)i);
	}
}

/* One block of results: 25,088 terms of a window are summed one after another, those of a 1x1
 * convolution or a filter's gradient in up to 64 parts. The data's gradient scatters on CUDA cores
 * only. */
static void tensor_cores_split_no_windows(void **state)
{
	(void)state;
	const struct paleo_conv_params p = paleo_conv_params_init();
	struct paleo_op window = square(PALEO_FWD, 512, 64, 1),
			point = square(PALEO_FWD, 25088, 64, 1);
	struct paleo_tile_device d;
	struct paleo_error err;

	window.dtype = point.dtype = PALEO_BF16;
	window.geom.conv.r = window.geom.conv.s = window.geom.conv.h = window.geom.conv.w = 7;
	point.geom.conv.r = point.geom.conv.s = point.geom.conv.h = point.geom.conv.w = 1;
	for (int i = 0; i < 2; i++) {
		struct paleo_conv_geom *g = i ? &window.geom.conv : &point.geom.conv;
		g->pad_t = g->pad_l = g->pad_b = g->pad_r = 0;
		assert_int_equal(paleo_op_finish(i ? &window : &point, &err), 0);
	}
	assert_int_equal(paleo_tile_device_of(paleo_device_find("h200"), PALEO_BF16, &d, &err), 0);
	double window_s = paleo_conv_algorithm_s(&p, &d, &window, &some_sets, PALEO_CONV_PRECOMP);
	double point_s = paleo_conv_algorithm_s(&p, &d, &point, &some_sets, PALEO_CONV_PRECOMP);
	assert_true(window_s > 2 * point_s);
	window.pass = PALEO_BWD_DATA;
	assert_true(
		isinf(paleo_conv_algorithm_s(&p, &d, &window, &some_sets, PALEO_CONV_IMPLICIT)));
	d.tensor = 0;
	assert_true(
		isfinite(paleo_conv_algorithm_s(&p, &d, &window, &some_sets, PALEO_CONV_IMPLICIT)));
}

/* Arithmetic alone, a convolution takes a P100 as long in f16 as in f32, though its peak is twice
 * that: plain cores sum it in f32. */
static void plain_cores_sum_convolutions_in_f32(void **state)
{
	(void)state;
	const struct paleo_conv_params p = paleo_conv_params_init();
	const enum paleo_dtype types[] = {PALEO_F32, PALEO_F16};
	const struct paleo_op w = square(PALEO_FWD, 64, 48, 2);
	struct paleo_error err;
	double s[2];

	for (int i = 0; i < 2; i++) {
		struct paleo_tile_device d;
		assert_int_equal(
			paleo_tile_device_of(paleo_device_find("p100-pcie"), types[i], &d, &err),
			0);
		d.mem_bytes_per_s = d.clock_hz = 1e15;
		s[i] = paleo_conv_algorithm_s(&p, &d, &w, &some_sets, PALEO_CONV_IMPLICIT);
	}
	expect(s[1], s[0], "f16 on plain cores", 0);
}

static void moved_data(void **state)
{
	(void)state;
	static struct csv c;
	int rows = 0;

	csv_open_path(&c, "tests/data/cost_model/mem.csv.gz");
	for (; csv_next(&c); rows++) {
		struct paleo_stream_params p = {0};
		int on_rows = !strcmp(csv_text(&c, "form"), "M3b");
		for (int i = 0; i < (on_rows ? PALEO_STREAM_ROWS : PALEO_STREAM_FLAT); i++) {
			const struct paleo_parameter *q = &paleo_stream_parameters[i];
			char key[16];
			snprintf(key, sizeof(key), "%s=", q->symbol);
			paleo_parameter_set(q, &p, number_of(csv_text(&c, "params"), key));
		}
		double bytes = 4 * (csv_number(&c, "nin") + 1) * csv_number(&c, "rows") *
			       csv_number(&c, "cols");
		const struct paleo_tile_device d = device_of(csv_text(&c, "gpu"), "fp32");
		double s = paleo_stream_s(&p, &d, bytes, on_rows ? csv_number(&c, "rows") : 0,
					  csv_number(&c, "cols"));
		expect(s, csv_number(&c, "pred_s"), "the time", rows);
	}
	csv_close(&c);
	assert_int_equal(rows, 96);
}

/* Every parameter once, its start within its bounds, offsets all different. */
static void check_table(const struct paleo_parameter *table, int count)
{
	int n = 0;

	for (; table[n].name; n++) {
		const struct paleo_parameter *q = &table[n];
		assert_true(q->low > 0 && q->low <= q->init && q->init <= q->high);
		assert_true(q->prior_sd > 0 && q->symbol && q->unit && q->meaning);
		for (int i = 0; i < n; i++)
			assert_true(table[i].offset != q->offset);
	}
	assert_int_equal(n, count);
}

/* 3 and 4 us: one after the other, or as the sides of a triangle with a right angle. */
static void launches_overlap(void **state)
{
	(void)state;
	struct paleo_tile_params p = paleo_tile_params_init(PALEO_F32);

	p.launch_us = 3;
	assert_true(p.overlap == 1 && fabs(paleo_tile_launched_s(&p, 1, 4e-6) - 7e-6) < 1e-15);
	p.overlap = 2;
	assert_true(fabs(paleo_tile_launched_s(&p, 1, 4e-6) - 5e-6) < 1e-15);
}

static void tables(void **state)
{
	(void)state;
	check_table(paleo_tile_parameters, PALEO_TILE_QUANTISED);
	check_table(paleo_stream_parameters, PALEO_STREAM_ROWS);
	check_table(paleo_conv_parameters, PALEO_CONV_PARAMETERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products),
		cmocka_unit_test(convolutions),
		cmocka_unit_test(gradients),
		cmocka_unit_test(gradients_as_products),
		cmocka_unit_test(moved_data),
		cmocka_unit_test(tensor_cores_round_channels),
		cmocka_unit_test(tensor_cores_step_through_channels),
		cmocka_unit_test(tensor_cores_split_no_windows),
		cmocka_unit_test(plain_cores_sum_convolutions_in_f32),
		cmocka_unit_test(launches_overlap),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
