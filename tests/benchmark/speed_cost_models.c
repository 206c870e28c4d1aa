/* speed_cost_models.c - time to price ops with a calibration, and to fit 1000 rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "calib/holdout.h"
#include "model/device/backends.h"
#include "model/predict/calibration_file.h"
#include "model/predict/smooth.h"
#include "model/predict/trees.h"
#include "model/source/presets.h"
#include "tests/benchmark/speed.h"

enum {
	OPS = 1000, /* of a kind; those of a fit as well */
	SHAPES = 20000,
	KINDS = 3
};

static const char *const kinds[KINDS] = {"products", "convolutions", "moved data"};

/* Sizes from low to high, spread over the logarithms as i goes on (steps of the golden ratio). */
static int size_of(int i, int axis, double low, double high)
{
	double x = 0.6180339887498949 * i * (2 * axis + 1) + 0.1 * axis;

	return (int)(low * pow(high / low, x - floor(x)));
}

/* Op number i of a kind: products of one size in three, forward convolutions of filters 1x1, 3x3
 * and 5x5 like those of nets, activations. */
static struct paleo_op shape_of(int kind, int i)
{
	static const int filters[] = {1, 3, 3, 5};
	struct paleo_op w = {.kind = PALEO_ELTWISE};
	int side = size_of(i, 3, 7, 225), filter = filters[i % 4];

	if (kind == 0) {
		w.kind = PALEO_GEMM;
		w.geom.gemm = (struct paleo_gemm_geom){.m = size_of(i, 0, 8, 8192),
						       .n = size_of(i, 1, 8, 8192),
						       .k = size_of(i, 2, 8, 8192)};
	} else if (kind == 1) {
		w.kind = PALEO_CONV;
		w.geom.conv = (struct paleo_conv_geom){.n = size_of(i, 0, 1, 65),
						       .c = size_of(i, 1, 3, 1024),
						       .k = size_of(i, 2, 16, 1024),
						       .h = side,
						       .w = side,
						       .r = filter,
						       .s = filter,
						       .pad_t = filter / 2,
						       .pad_l = filter / 2,
						       .pad_b = filter / 2,
						       .pad_r = filter / 2};
	} else {
		w.geom.eltwise = (struct paleo_eltwise_geom){.op = PALEO_RELU,
							     .count = size_of(i, 0, 1e3, 1e8)};
	}
	return w;
}

static struct paleo_op op_of(int kind, int i)
{
	struct paleo_op w = shape_of(kind, i);
	struct paleo_error err;

	if (paleo_op_finish(&w, &err))
		speed_stop(&err);
	return w;
}

static double predict(const struct paleo_calibration *c, const struct paleo_op *w)
{
	struct paleo_prediction p;
	struct paleo_error err;

	if (paleo_predict_op(c, w, &p, &err))
		speed_stop(&err);
	return p.parts.total_s;
}

/* A pass over shapes that are all different, from numbers to the ops alone or to their times too.
 */
static double pass_s(const struct paleo_calibration *c, const struct paleo_op *shapes, int priced)
{
	struct paleo_error err;
	double sum = 0, start = speed_cpu_s();

	for (int i = 0; i < SHAPES; i++) {
		struct paleo_op w = shapes[i];
		if (paleo_op_finish(&w, &err))
			speed_stop(&err);
		sum += priced ? predict(c, &w) : w.read_bytes;
	}
	if (!(sum > 0))
		exit(1);
	return speed_cpu_s() - start;
}

/* Millions a second: the best of a few passes. */
static double rate(const struct paleo_calibration *c, const struct paleo_op *shapes, int priced)
{
	double best = INFINITY;

	for (int turn = 0; turn < 5; turn++)
		best = fmin(best, pass_s(c, shapes, priced));
	return 1e-6 * SHAPES / best;
}

/* As many trees for every factor as there may be, full ones, of limits within the features. */
static void add_trees(struct paleo_calibration *c, int kind)
{
	const struct paleo_op w = op_of(kind, 1);
	const struct paleo_kernel_model *kernel = paleo_kernel_model_for(&w, 0);
	struct paleo_tile_device d;
	struct paleo_error err;
	double x[PALEO_FEATURES_MAX];

	if (paleo_tile_device_of(&c->device, w.dtype, &d, &err))
		speed_stop(&err);
	for (int f = 0; f < c->count; f++) {
		struct paleo_trees *t = &c->models[f].correction;
		paleo_trees_release(t);
		*t = (struct paleo_trees){calloc(PALEO_TREES_MAX, sizeof(*t->trees)),
					  PALEO_TREES_MAX, paleo_features(kernel, &d, &w, x)};
		if (!t->trees)
			exit(1);
		for (int i = 0; i < t->count * PALEO_TREE_LEAVES; i++) {
			struct paleo_tree *tree = &t->trees[i / PALEO_TREE_LEAVES];
			int node = i % PALEO_TREE_LEAVES, feature = i % t->features;
			tree->nodes[node] = (struct paleo_tree_node){(float)x[feature], feature};
			tree->leaf[node] = (short)(100 * sin(i));
		}
	}
}

static void print_cost_model(const char *cost_model, struct paleo_calibration *c, int with_trees)
{
	static struct paleo_op shapes[SHAPES];

	for (int kind = 0; kind < KINDS; kind++) {
		for (int i = 0; i < SHAPES; i++)
			shapes[i] = shape_of(kind, i);
		if (with_trees)
			add_trees(c, kind);
		printf("%-26s %-13s %6.2f million ops a second made of shapes, %6.2f with their "
		       "times\n",
		       cost_model, kinds[kind], rate(c, shapes, 0), rate(c, shapes, 1));
	}
}

void speed_print_cost_models(void)
{
	const struct paleo_presets_for of = {.device = paleo_device_find("v100-pcie")};
	struct paleo_calibration c;
	struct paleo_error err;

	if (paleo_calibration_presets(&of, &c, &err))
		speed_stop(&err);
	print_cost_model("a GPU's presets,", &c, 0);
	print_cost_model("the most trees each,", &c, 1);
	paleo_calibration_release(&c);
	if (paleo_calibration_load("results/cpu-amd-epyc/calibration.json", &c, &err))
		speed_stop(&err);
	print_cost_model("a CPU's calibration,", &c, 0);
	paleo_calibration_release(&c);
}

/* 1000 records of a kind, timed by other GPUs' presets within about 5 %; all kinds in turn with
 * KINDS. */
static struct paleo_results records_of(int kind)
{
	const struct paleo_presets_for of = {.device = paleo_device_find("v100-pcie")};
	struct paleo_results r = {.meta = {.backend = PALEO_BACKEND_TABLE, .device = *of.device}};
	struct paleo_calibration c;
	struct paleo_error err;

	if (paleo_calibration_presets(&of, &c, &err))
		speed_stop(&err);
	for (int i = 0; i < OPS; i++) {
		struct paleo_record record = {.mode = "hot"};
		record.op = op_of(kind < KINDS ? kind : i % KINDS, i);
		double error = 0.07 * sin(1.7 * i * i);
		record.timing.median_s = predict(&c, &record.op) * exp(error);
		if (paleo_results_add(&r, &record, &err))
			speed_stop(&err);
	}
	paleo_calibration_release(&c);
	return r;
}

static double fit_s(const struct paleo_results *r, int folds)
{
	const struct paleo_fit_options o = {.mode = "hot", .operand_sets = 1, .folds = folds};
	struct paleo_calibration c;
	struct paleo_error err;
	double start = speed_cpu_s();

	if (paleo_fit(r, &o, &c, NULL, &err))
		speed_stop(&err);
	double s = speed_cpu_s() - start;
	paleo_calibration_release(&c);
	return s;
}

void speed_print_fits(void)
{
	for (int kind = 0; kind <= KINDS; kind++) {
		struct paleo_results r = records_of(kind);
		double once = fit_s(&r, 1);
		printf("a fit to %d rows, %-13s   %8.2f s; with its hold-outs %.2f s\n", OPS,
		       kind < KINDS ? kinds[kind] : "all of these", once, fit_s(&r, 0));
		paleo_results_release(&r);
	}
}
