/* predict.c - the predicted time of an op: choice of factor, cost model and interval. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/predict.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/predict/smooth.h"
#include "model/predict/trees.h"

/* These live by arithmetic, everything else by bandwidth. */
static int is_product(const char *class_name)
{
	static const char *const kinds[] = {"conv", "gemm", "attention", "moe", "scan"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (class_name[0] == kinds[i][0] && paleo_class_same_kind(class_name, kinds[i]))
			return 1;
	return 0;
}

/* Characters of a class name without its layout. */
static size_t plain_length(const char *class_name)
{
	static const char suffix[] = ".nhwc";
	size_t n = strlen(class_name), end = sizeof(suffix) - 1;

	return n > end && !strcmp(class_name + n - end, suffix) ? n - end : n;
}

static int same_but_layout(const char *a, const char *b)
{
	size_t n = plain_length(a);

	return n == plain_length(b) && strncmp(a, b, n) == 0;
}

/* Distance of a factor's class from the requested one; most names differ in their first letter. */
static int class_distance(const char *a, const char *b)
{
	if (a[0] != b[0])
		return 8 + 16;
	if (!strcmp(a, b))
		return 0;
	return (same_but_layout(a, b) ? 4 : 8) + (paleo_class_same_kind(a, b) ? 0 : 16);
}

/* Distance of a factor from the requested one: 0 is exact; where it is `limit` or more, it may be
 * anything from `limit`. Each power of two outweighs all below. */
static int distance(const struct paleo_class_model *f, const char *class_name, int of_product,
		    const struct paleo_op *w, int limit)
{
	static const char any[] = PALEO_CLASS_ANY;

	if (f->class_name[0] == any[0] && !strcmp(f->class_name, any))
		return 16; /* behind the same kind, before another one */
	int far = (f->pass != w->pass) + 2 * (f->dtype != w->dtype);
	if (far < limit)
		far += class_distance(f->class_name, class_name);
	if (far < limit && is_product(f->class_name) != of_product)
		far += 32;
	return far;
}

static int has_kernel_for(const struct paleo_class_model *f, const struct paleo_op *w)
{
	return f->model && f->model->kernel->applies(w);
}

/* The factor of the op's class, or, where its kernel model is of other ops of the class, one of the
 * same kind whose kernel model is of such ops too: it was fitted to those of all classes. */
static const struct paleo_class_model *with_kernel(const struct paleo_calibration *c,
						   const struct paleo_class_model *own,
						   const struct paleo_op *w)
{
	if (!own->model || has_kernel_for(own, w))
		return own;
	for (int i = 0; i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		if (f->pass == w->pass && f->dtype == w->dtype && has_kernel_for(f, w) &&
		    f->model->kernel->across &&
		    paleo_class_same_kind(f->class_name, own->class_name))
			return f;
	}
	return own;
}

static const struct paleo_class_model *nearest_factor(const struct paleo_calibration *c,
						      const struct paleo_op *w, int *exact)
{
	const char *class_name = paleo_op_class(w);
	const struct paleo_class_model *best = NULL;
	int best_distance = INT_MAX;

	/* Usually there is an exact match: comparing names finds it at no cost. */
	for (int i = 0; i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		if (f->pass == w->pass && f->dtype == w->dtype &&
		    !strcmp(f->class_name, class_name)) {
			*exact = 1;
			return with_kernel(c, f, w);
		}
	}
	const int of_product = is_product(class_name);
	for (int i = 0; i < c->count; i++) {
		int far = distance(&c->models[i], class_name, of_product, w, best_distance);
		if (far >= best_distance)
			continue;
		best = &c->models[i];
		best_distance = far;
	}
	*exact = best_distance == 0;
	return best;
}

/* 1 if the op's FLOPs at the peak take as long as its bytes at the bandwidth, or longer. */
static int is_of_arithmetic(const struct paleo_device *d, const struct paleo_op *w)
{
	double bytes = w->read_bytes + w->write_bytes;

	return w->flops * d->mem_bytes_per_s >= bytes * paleo_device_peak(d, w);
}

static enum paleo_bound bound_of(const struct paleo_device *d, const struct paleo_op *w,
				 const struct paleo_parts *t)
{
	if (t->overhead_s > t->memory_s && t->overhead_s > t->compute_s)
		return PALEO_BOUND_OVERHEAD;
	return is_of_arithmetic(d, w) ? PALEO_BOUND_COMPUTE : PALEO_BOUND_MEMORY;
}

/* By the class's own kernel model; 0 where the device or the op is none for it. */
static int kernel_time(const struct paleo_device *device, const struct paleo_class_model *f,
		       const struct paleo_op *w, struct paleo_parts *out)
{
	struct paleo_error ignored;
	struct paleo_tile_device d;

	if (!has_kernel_for(f, w) ||
	    paleo_kernel_model_device(f->model->kernel, device, w->dtype, f->model->operand_sets,
				      &d, &ignored))
		return 0;
	f->model->kernel->price(f->model, &d, w, out);
	return 1;
}

/* Factors of an op that trees have, of its time and of its error, from similar measured ops. */
struct by_trees {
	double time, spread;
};

static struct by_trees ask_trees(const struct paleo_device *device,
				 const struct paleo_class_model *f, const struct paleo_op *w,
				 const struct paleo_parts *cost_model)
{
	struct by_trees by = {1, 1};
	double x[PALEO_FEATURES_MAX];
	struct paleo_tile_device d;
	struct paleo_error ignored;

	if ((!f->correction.count && !f->spread.count) ||
	    paleo_tile_device_of(device, w->dtype, &d, &ignored))
		return by;
	int features = paleo_features(paleo_kernel_model_for(w, 0), &d, w, x);
	paleo_features_of_cost_model(cost_model, x);
	if (f->correction.count && f->correction.features == features)
		by.time = exp(paleo_trees_at(&f->correction, x));
	if (f->spread.count && f->spread.features == features)
		by.spread = exp(paleo_trees_at(&f->spread, x));
	return by;
}

/* Longer or shorter, in all its parts. */
static void stretch(struct paleo_parts *t, double factor)
{
	t->compute_s *= factor;
	t->memory_s *= factor;
	t->overhead_s *= factor;
	t->total_s *= factor;
}

/* Lower bound on a GPU: no library computes a GEMM in fewer operations, nor a convolution on
 * tensor cores, which has no transforms there; and data beyond the cache's size has to come from
 * memory. */
static double least_s(const struct paleo_device *d, const struct paleo_op *w)
{
	struct paleo_tile_device t;
	struct paleo_error ignored;

	if (paleo_tile_device_of(d, w->dtype, &t, &ignored))
		return 0;
	int sums = w->kind == PALEO_GEMM || (w->kind == PALEO_CONV && t.tensor);
	double compute_s = sums ? w->flops / paleo_device_peak(d, w) : 0;
	double bytes = w->read_bytes + w->write_bytes - t.cache_bytes;
	return fmax(compute_s, bytes / t.mem_bytes_per_s);
}

/* Caps a prediction at the device's peaks, as a fit may extrapolate beyond its rows. */
static void cap(const struct paleo_device *d, const struct paleo_class_model *f,
		const struct paleo_op *w, struct paleo_parts *t)
{
	double least = f->model && !f->model->kernel->host ? least_s(d, w) : 0;

	if (t->total_s < least)
		stretch(t, least / t->total_s);
}

int paleo_class_cost_model(const struct paleo_device *d, const struct paleo_class_model *f,
			   const struct paleo_op *w, struct paleo_parts *out,
			   struct paleo_error *err)
{
	struct paleo_cost_model_terms terms;
	struct paleo_cost_model_time time;

	if (!kernel_time(d, f, w, out)) {
		PALEO_TRY(paleo_cost_model_terms(d, w, &terms, err));
		paleo_cost_model_time(&terms, f, &time);
		*out = time.parts;
	}
	return PALEO_OK;
}

int paleo_class_model_price(const struct paleo_device *d, const struct paleo_class_model *f,
			    const struct paleo_op *w, struct paleo_parts *out,
			    struct paleo_interval *interval, struct paleo_error *err)
{
	PALEO_TRY(paleo_class_cost_model(d, f, w, out, err));
	const struct by_trees by = ask_trees(d, f, w, out);
	stretch(out, by.time / paleo_speed_of(&d->speed, w));
	cap(d, f, w, out);
	*interval = paleo_class_model_interval(f, out->total_s, by.spread);
	return PALEO_OK;
}

int paleo_class_model_time(const struct paleo_device *d, const struct paleo_class_model *f,
			   const struct paleo_op *w, struct paleo_parts *out,
			   struct paleo_error *err)
{
	struct paleo_interval unused;

	return paleo_class_model_price(d, f, w, out, &unused, err);
}

/* The error that the machine's speed adds to one side of an interval, `half` wide without it, which
 * is below 0 where a biased one lies on the other side. */
static double widened(double half, double common)
{
	return half > 0 ? hypot(half, common) : half + common;
}

/* An interval around a time with the error of the machine's speed in it. */
static struct paleo_interval at_any_speed(struct paleo_interval i, double time_s, double sd)
{
	const double common = PALEO_NORMAL_90 * sd * time_s, half = PALEO_NORMAL_50 * sd * time_s;

	if (!(sd > 0))
		return i;
	return (struct paleo_interval){fmax(time_s - widened(time_s - i.low, common), 0),
				       time_s + widened(i.high - time_s, common),
				       fmax(time_s - widened(time_s - i.low50, half), 0),
				       time_s + widened(i.high50 - time_s, half)};
}

static struct paleo_interval of_other_class(const struct paleo_calibration *c, double time_s)
{
	return c->others.high > 0 ? paleo_interval_around(c->others, time_s) : PALEO_NO_INTERVAL;
}

int paleo_predict_on(const struct paleo_calibration *c, const struct paleo_device *d,
		     const struct paleo_op *w, struct paleo_prediction *out,
		     struct paleo_error *err)
{
	struct paleo_parts parts;
	int exact = 0;
	const struct paleo_class_model *f = nearest_factor(c, w, &exact);

	if (!f)
		return paleo_fail(err, PALEO_EINPUT, "the calibration has no factors");
	struct paleo_interval interval;

	PALEO_TRY(paleo_class_model_price(d, f, w, &parts, &interval, err));
	const double sd = paleo_speed_sd_of(&d->speed_sd, w);
	*out = (struct paleo_prediction){
		.parts = parts,
		.interval = at_any_speed(exact ? interval : of_other_class(c, parts.total_s),
					 parts.total_s, sd),
		.speed_sd = sd,
		.bound = bound_of(d, w, &parts),
		.factor = f,
		.exact = exact,
	};
	return PALEO_OK;
}

int paleo_predict_op(const struct paleo_calibration *c, const struct paleo_op *w,
		     struct paleo_prediction *out, struct paleo_error *err)
{
	return paleo_predict_on(c, &c->device, w, out, err);
}

int paleo_predict_op_s(const void *self, const struct paleo_op *w, double *out,
		       struct paleo_error *err)
{
	struct paleo_prediction p;

	PALEO_TRY(paleo_predict_op(self, w, &p, err));
	*out = p.parts.total_s;
	return PALEO_OK;
}

/* Replaces the kernel model's own choice by the time of an algorithm; 0 where it has none. */
static int take_method(const struct paleo_calibration *c, const struct paleo_op *w,
		       const struct paleo_method_cost *how, struct paleo_prediction *p)
{
	const struct paleo_fitted_kernel *m = p->factor->model;
	struct paleo_parts parts;
	struct paleo_tile_device d;
	struct paleo_error ignored;

	if (!m || !m->kernel->price_method || !m->kernel->applies(w) ||
	    paleo_kernel_model_device(m->kernel, &c->device, w->dtype, m->operand_sets, &d,
				      &ignored) ||
	    !m->kernel->price_method(m, &d, w, how, &parts))
		return 0;
	if (parts.total_s == paleo_kernel_model_time(m, &d, w))
		return 1;
	p->parts = parts;
	p->interval = PALEO_NO_INTERVAL;
	p->bound = bound_of(&c->device, w, &parts);
	return 1;
}

int paleo_predict_method(const struct paleo_calibration *c, const struct paleo_op *w,
			 const struct paleo_method_cost *how, struct paleo_prediction *out,
			 enum paleo_method_use *use, struct paleo_error *err)
{
	PALEO_TRY(paleo_predict_op(c, w, out, err));

	*use = PALEO_METHOD_UNUSED;
	if (take_method(c, w, how, out))
		*use = PALEO_METHOD_BY_COST_MODEL;
	else if (!out->factor->model && out->factor->records == 0) {
		const struct paleo_op done = paleo_method_op(w, how);
		*use = PALEO_METHOD_ON_PEAKS;
		PALEO_TRY(paleo_predict_op(c, &done, out, err));
	}
	return PALEO_OK;
}

const char *paleo_bound_name(enum paleo_bound bound)
{
	switch (bound) {
	case PALEO_BOUND_COMPUTE:
		return "compute";
	case PALEO_BOUND_MEMORY:
		return "memory";
	case PALEO_BOUND_OVERHEAD:
		return "overhead";
	}
	return "unknown";
}
