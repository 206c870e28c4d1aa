/* predict.c - the predicted time of a work: which factor, which law, what interval. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/predict.h"

#include <math.h>
#include <string.h>

#include "model/predict/features.h"
#include "model/predict/smooth.h"

/* These live by arithmetic, everything else by bandwidth. */
static int is_product(const char *class_name)
{
	return paleo_class_same_kind(class_name, "conv") ||
	       paleo_class_same_kind(class_name, "gemm") ||
	       paleo_class_same_kind(class_name, "attention") ||
	       paleo_class_same_kind(class_name, "moe") ||
	       paleo_class_same_kind(class_name, "scan");
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

/* How far a factor is from what is asked: 0 is exact. Each power of two outweighs all below. */
static int distance(const struct paleo_class_model *f, const char *class_name, int of_product,
		    const struct paleo_work *w)
{
	int far = 0;

	if (strcmp(f->class_name, PALEO_CLASS_ANY) == 0)
		return 16; /* behind the same kind, before another one */
	if (f->pass != w->pass)
		far += 1;
	if (f->dtype != w->dtype)
		far += 2;
	if (strcmp(f->class_name, class_name) != 0)
		far += same_but_layout(f->class_name, class_name) ? 4 : 8;
	if (!paleo_class_same_kind(f->class_name, class_name))
		far += 16;
	if (is_product(f->class_name) != of_product)
		far += 32;
	return far;
}

static const struct paleo_class_model *nearest_factor(const struct paleo_calibration *c,
						      const struct paleo_work *w, int *exact)
{
	const char *class_name = paleo_work_class(w);
	const struct paleo_class_model *best = NULL;
	int best_distance = 0;

	/* Mostly there is the very one: comparing names tells, and takes no time. */
	for (int i = 0; i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		if (f->pass == w->pass && f->dtype == w->dtype &&
		    !strcmp(f->class_name, class_name)) {
			*exact = 1;
			return f;
		}
	}
	const int of_product = is_product(class_name);
	for (int i = 0; i < c->count; i++) {
		int far = distance(&c->models[i], class_name, of_product, w);
		if (best && far >= best_distance)
			continue;
		best = &c->models[i];
		best_distance = far;
	}
	*exact = best_distance == 0;
	return best;
}

/* 1 if the work's FLOPs at the peak take as long as its bytes at the bandwidth, or longer. */
static int is_of_arithmetic(const struct paleo_device *d, const struct paleo_work *w)
{
	double bytes = w->read_bytes + w->write_bytes;

	return w->flops * d->mem_bytes_per_s >= bytes * paleo_device_peak(d, w);
}

/* The launch where it is the largest part; else what a roofline has. A kernel model's parts do not
 * tell these apart: re-reading from a cache is none of the memory's. */
static enum paleo_bound bound_of(const struct paleo_device *d, const struct paleo_work *w,
				 const struct paleo_parts *t)
{
	if (t->overhead_s > t->memory_s && t->overhead_s > t->compute_s)
		return PALEO_BOUND_OVERHEAD;
	return is_of_arithmetic(d, w) ? PALEO_BOUND_COMPUTE : PALEO_BOUND_MEMORY;
}

/* By the class's own kernel model; 0 where the device or the work is none for it. */
static int kernel_time(const struct paleo_device *device, const struct paleo_class_model *f,
		       const struct paleo_work *w, struct paleo_parts *out)
{
	struct paleo_error ignored;
	struct paleo_tile_device d;

	if (!f->model || !f->model->kernel->applies(w) ||
	    paleo_kernel_model_device(f->model->kernel, device, w->dtype, f->model->operand_sets,
				      &d, &ignored))
		return 0;
	f->model->kernel->price(f->model, &d, w, out);
	return 1;
}

/* By what the law errs at works like this one that were measured. */
static double correction(const struct paleo_device *device, const struct paleo_class_model *f,
			 const struct paleo_work *w, const struct paleo_parts *law)
{
	double x[PALEO_FEATURES_MAX];
	struct paleo_tile_device d;
	struct paleo_error ignored;

	if (!f->correction.count || paleo_tile_device_of(device, w->dtype, &d, &ignored) ||
	    paleo_features(paleo_kernel_model_for(w, 0), &d, w, x) != f->correction.features)
		return 1;
	paleo_features_of_law(law, x);
	return exp(paleo_trees_at(&f->correction, x));
}

/* Longer or shorter, in all its parts. */
static void stretch(struct paleo_parts *t, double factor)
{
	t->compute_s *= factor;
	t->memory_s *= factor;
	t->overhead_s *= factor;
	t->total_s *= factor;
}

/* The least that a GPU can take: no library computes a product in fewer operations, nor a
 * convolution on tensor cores, which has no transforms there; and what its cache cannot hold has to
 * come from memory. */
static double least_s(const struct paleo_device *d, const struct paleo_work *w)
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

/* Nothing is faster than the device, whatever a fit says beyond its rows. */
static void cap(const struct paleo_device *d, const struct paleo_class_model *f,
		const struct paleo_work *w, struct paleo_parts *t)
{
	double least = f->model && !f->model->kernel->host ? least_s(d, w) : 0;

	if (t->total_s < least)
		stretch(t, least / t->total_s);
}

int paleo_class_model_law(const struct paleo_device *d, const struct paleo_class_model *f,
			  const struct paleo_work *w, struct paleo_parts *out,
			  struct paleo_error *err)
{
	struct paleo_law_terms terms;
	struct paleo_law_time time;

	if (!kernel_time(d, f, w, out)) {
		int rc = paleo_law_terms(d, w, &terms, err);
		if (rc)
			return rc;
		paleo_law_time(&terms, f, &time);
		*out = time.parts;
	}
	return PALEO_OK;
}

int paleo_class_model_time(const struct paleo_device *d, const struct paleo_class_model *f,
			   const struct paleo_work *w, struct paleo_parts *out,
			   struct paleo_error *err)
{
	int rc = paleo_class_model_law(d, f, w, out, err);

	if (rc)
		return rc;
	stretch(out, correction(d, f, w, out) / paleo_speed_of(&d->speed, w));
	cap(d, f, w, out);
	return PALEO_OK;
}

int paleo_predict_on(const struct paleo_calibration *c, const struct paleo_device *d,
		     const struct paleo_work *w, struct paleo_prediction *out,
		     struct paleo_error *err)
{
	struct paleo_parts parts;
	int exact = 0;
	const struct paleo_class_model *f = nearest_factor(c, w, &exact);

	if (!f)
		return paleo_fail(err, PALEO_EINPUT, "the calibration has no factors");
	int rc = paleo_class_model_time(d, f, w, &parts, err);
	if (rc)
		return rc;
	*out = (struct paleo_prediction){
		.parts = parts,
		.interval =
			exact ? paleo_class_model_interval(f, parts.total_s) : PALEO_NO_INTERVAL,
		.bound = bound_of(d, w, &parts),
		.factor = f,
		.exact = exact,
	};
	return PALEO_OK;
}

int paleo_predict_work(const struct paleo_calibration *c, const struct paleo_work *w,
		       struct paleo_prediction *out, struct paleo_error *err)
{
	return paleo_predict_on(c, &c->device, w, out, err);
}

int paleo_predict_work_s(const void *self, const struct paleo_work *w, double *out,
			 struct paleo_error *err)
{
	struct paleo_prediction p;
	int rc = paleo_predict_work(self, w, &p, err);

	if (!rc)
		*out = p.parts.total_s;
	return rc;
}

/* Replaces the kernel model's own choice by the time of an algorithm; 0 where it has none. */
static int take_method(const struct paleo_calibration *c, const struct paleo_work *w,
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

int paleo_predict_method(const struct paleo_calibration *c, const struct paleo_work *w,
			 const struct paleo_method_cost *how, struct paleo_prediction *out,
			 enum paleo_method_use *use, struct paleo_error *err)
{
	int rc = paleo_predict_work(c, w, out, err);

	*use = PALEO_METHOD_UNUSED;
	if (rc)
		return rc;
	if (take_method(c, w, how, out)) {
		*use = PALEO_METHOD_BY_THE_LAW;
	} else if (!out->factor->model && out->factor->records == 0) {
		const struct paleo_work done = paleo_method_work(w, how);
		*use = PALEO_METHOD_ON_PEAKS;
		rc = paleo_predict_work(c, &done, out, err);
	}
	return rc;
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
