/* predict.c - the predicted time of a work: which factor, which law, what interval. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/law.h"

int paleo_calibration_datasheet(const struct paleo_device *d, double ppp_compute, double ppp_memory,
				struct paleo_calibration *out, struct paleo_error *err)
{
	if (!(ppp_compute > 0 && ppp_compute <= 2) || !(ppp_memory > 0 && ppp_memory <= 2))
		return paleo_fail(err, PALEO_EINPUT,
				  "a fraction of peak is above 0 and at most 2, not %g and %g",
				  ppp_compute, ppp_memory);
	struct paleo_factor *f = malloc(sizeof(*f));
	if (!f)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	*f = (struct paleo_factor){
		.class_name = PALEO_CLASS_ANY,
		.ppp_compute = ppp_compute,
		.ppp_memory = ppp_memory,
		.overlap = 1,
		.se_ppp_compute = NAN,
		.se_ppp_memory = NAN,
		.se_overhead = NAN,
		.se_half_depth = NAN,
		.se_half_width = NAN,
		.heldout_median = NAN,
		.heldout_mean = NAN,
		.heldout_p90 = NAN,
		.ratio_low = NAN,
		.ratio_high = NAN,
		.correlation = NAN,
		.kind_correlation = NAN,
		.ppp = NAN,
	};
	*out = (struct paleo_calibration){.device = *d, .factors = f, .count = 1};
	return PALEO_OK;
}

void paleo_calibration_release(struct paleo_calibration *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->count; i++) {
		free(c->factors[i].model);
		paleo_residual_release(&c->factors[i].residual);
	}
	free(c->factors);
	free(c->seen);
	*c = (struct paleo_calibration){0};
}

uint64_t paleo_work_hash(const struct paleo_work *w)
{
	char key[PALEO_WORK_KEY_MAX];
	uint64_t hash = UINT64_C(14695981039346656037);

	paleo_work_key(w, key, sizeof(key));
	for (const char *p = key; *p; p++) {
		hash ^= (unsigned char)*p;
		hash *= UINT64_C(1099511628211);
	}
	return hash;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

const struct paleo_pass_correction *paleo_calibration_pass(const struct paleo_calibration *c,
							   const struct paleo_pass_correction *like)
{
	for (int i = 0; i < c->pass_count; i++) {
		const struct paleo_pass_correction *p = &c->passes[i];
		if (p->extent == like->extent && p->dtype == like->dtype &&
		    p->layout == like->layout && p->fused == like->fused)
			return p;
	}
	return NULL;
}

double paleo_pass_time(const struct paleo_pass_correction *c, double layers_s, double updates_s)
{
	double of_updates = c->update_factor > 0 ? c->update_factor : c->factor;

	return c->factor * layers_s + of_updates * updates_s;
}

int paleo_calibration_saw(const struct paleo_calibration *c, const struct paleo_work *w)
{
	uint64_t hash = paleo_work_hash(w);

	return c->seen_count > 0 && bsearch(&hash, c->seen, (size_t)c->seen_count, sizeof(*c->seen),
					    compare_hashes) != NULL;
}

int paleo_factor_parameters(const struct paleo_factor *f)
{
	return f->model ? f->model->form->count : PALEO_LAW_PARAMETERS;
}

const char *paleo_factor_parameter_name(const struct paleo_factor *f, int i)
{
	static const char *const own[PALEO_LAW_PARAMETERS] = {
		[PALEO_LAW_COMPUTE] = "ppp_compute", [PALEO_LAW_MEMORY] = "ppp_memory",
		[PALEO_LAW_OVERHEAD] = "overhead_s", [PALEO_LAW_DEPTH] = "half_depth",
		[PALEO_LAW_WIDTH] = "half_width",
	};

	return f->model ? f->model->form->parameters[i].name : own[i];
}

const unsigned char *paleo_factor_together(const struct paleo_factor *f)
{
	return f->model ? f->model->together : f->together;
}

/* Characters of the kind in a class name: 4 of "conv.grouped". */
static size_t kind_length(const char *class_name)
{
	return strcspn(class_name, ".");
}

static int same_kind(const char *a, const char *b)
{
	size_t n = kind_length(a);

	return n == kind_length(b) && strncmp(a, b, n) == 0;
}

/* Convolutions and matrix products live by arithmetic, everything else by bandwidth. */
static int is_product(const char *class_name)
{
	return same_kind(class_name, "conv") || same_kind(class_name, "gemm");
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
static int distance(const struct paleo_factor *f, const char *class_name,
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
	if (!same_kind(f->class_name, class_name))
		far += 16;
	if (is_product(f->class_name) != is_product(class_name))
		far += 32;
	return far;
}

static const struct paleo_factor *nearest_factor(const struct paleo_calibration *c,
						 const struct paleo_work *w, int *exact)
{
	const char *class_name = paleo_work_class(w);
	const struct paleo_factor *best = NULL;
	int best_distance = 0;

	/* Mostly there is the very one: comparing names tells, and takes no time. */
	for (int i = 0; i < c->count; i++) {
		const struct paleo_factor *f = &c->factors[i];
		if (f->pass == w->pass && f->dtype == w->dtype &&
		    !strcmp(f->class_name, class_name)) {
			*exact = 1;
			return f;
		}
	}
	for (int i = 0; i < c->count; i++) {
		int far = distance(&c->factors[i], class_name, w);
		if (best && far >= best_distance)
			continue;
		best = &c->factors[i];
		best_distance = far;
	}
	*exact = best_distance == 0;
	return best;
}

static enum paleo_bound largest(const struct paleo_law_time *t)
{
	if (t->compute_s >= t->memory_s && t->compute_s >= t->overhead_s)
		return PALEO_BOUND_COMPUTE;
	return t->memory_s >= t->overhead_s ? PALEO_BOUND_MEMORY : PALEO_BOUND_OVERHEAD;
}

/* The factor's own form of the law; 0 where the device or the work is none for it. */
static int form_time(const struct paleo_device *device, const struct paleo_factor *f,
		     const struct paleo_work *w, struct paleo_law_time *out)
{
	struct paleo_error ignored;
	struct paleo_tile_device d;
	double parts_s[3];

	if (!f->model || !f->model->form->applies(w) ||
	    paleo_form_device(f->model->form, device, w->dtype, f->model->copies, &d, &ignored))
		return 0;
	out->total_s = paleo_form_time(f->model, &d, w, parts_s);
	out->compute_s = parts_s[0];
	out->memory_s = parts_s[1];
	out->overhead_s = parts_s[2];
	return 1;
}

/* Longer or shorter, in all its parts, by what the law errs near works that were measured. */
static void correct(const struct paleo_residual *r, const struct paleo_work *w,
		    struct paleo_law_time *t)
{
	double at[PALEO_RESIDUAL_AXES];

	if (!r->count)
		return;
	paleo_residual_place(w, at);
	double factor = exp(paleo_residual_log(r, at, -1));
	t->compute_s *= factor;
	t->memory_s *= factor;
	t->overhead_s *= factor;
	t->total_s *= factor;
}

int paleo_factor_time(const struct paleo_device *d, const struct paleo_factor *f,
		      const struct paleo_work *w, struct paleo_law_time *out,
		      struct paleo_error *err)
{
	struct paleo_law_terms terms;

	if (!form_time(d, f, w, out)) {
		int rc = paleo_law_terms(d, w, &terms, err);
		if (rc)
			return rc;
		paleo_law_time(&terms, f, out);
	}
	correct(&f->residual, w, out);
	return PALEO_OK;
}

struct paleo_band paleo_factor_band(const struct paleo_factor *f, double total_s)
{
	struct paleo_band band = {0, f->ratio_low, f->ratio_high, NAN, NAN};

	for (int i = 0; i < f->band_count && (i == 0 || f->bands[i].from_s <= total_s); i++)
		band = f->bands[i];
	return band;
}

int paleo_predict_work(const struct paleo_calibration *c, const struct paleo_work *w,
		       struct paleo_prediction *out, struct paleo_error *err)
{
	struct paleo_law_time time;
	int exact = 0;
	const struct paleo_factor *f = nearest_factor(c, w, &exact);

	if (!f)
		return paleo_fail(err, PALEO_EINPUT, "the calibration has no factors");
	int rc = paleo_factor_time(&c->device, f, w, &time, err);
	if (rc)
		return rc;
	const struct paleo_band band = paleo_factor_band(f, time.total_s);
	*out = (struct paleo_prediction){
		.compute_s = time.compute_s,
		.memory_s = time.memory_s,
		.overhead_s = time.overhead_s,
		.total_s = time.total_s,
		.low_s = exact ? time.total_s * band.low90 : NAN,
		.high_s = exact ? time.total_s * band.high90 : NAN,
		.low50_s = exact ? time.total_s * band.low50 : NAN,
		.high50_s = exact ? time.total_s * band.high50 : NAN,
		.bound = largest(&time),
		.factor = f,
		.exact = exact,
	};
	return PALEO_OK;
}

/* Replaces the form's own choice by the time of an algorithm; 0 where the form does not have it. */
static int take_method(const struct paleo_calibration *c, const struct paleo_work *w,
		       const struct paleo_method_cost *how, struct paleo_prediction *p)
{
	const struct paleo_form_model *m = p->factor->model;
	double own_s[3], parts_s[3], total_s;
	struct paleo_law_time t = {0};
	struct paleo_tile_device d;
	struct paleo_error ignored;

	if (!m || !m->form->price_method || !m->form->applies(w) ||
	    paleo_form_device(m->form, &c->device, w->dtype, m->copies, &d, &ignored) ||
	    !m->form->price_method(m, &d, w, how, parts_s, &total_s))
		return 0;
	if (total_s == paleo_form_time(m, &d, w, own_s))
		return 1;
	t.compute_s = parts_s[0];
	t.memory_s = parts_s[1];
	t.overhead_s = parts_s[2];
	p->compute_s = t.compute_s;
	p->memory_s = t.memory_s;
	p->overhead_s = t.overhead_s;
	p->total_s = total_s;
	p->low_s = p->high_s = p->low50_s = p->high50_s = NAN;
	p->bound = largest(&t);
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

static int by_factor(const void *a, const void *b)
{
	const struct paleo_prediction *x = a;
	const struct paleo_prediction *y = b;

	if (x->factor != y->factor)
		return x->factor > y->factor ? 1 : -1;
	return (x->total_s > y->total_s) - (x->total_s < y->total_s);
}

/* Sides of an interval. */
enum {
	LOW90,
	HIGH90,
	LOW50,
	HIGH50,
	SIDES
};

static void half_widths(const struct paleo_prediction *p, double half[SIDES])
{
	half[LOW90] = p->total_s - p->low_s;
	half[HIGH90] = p->high_s - p->total_s;
	half[LOW50] = p->total_s - p->low50_s;
	half[HIGH50] = p->high50_s - p->total_s;
}

/* Fills in the square of what one factor's predictions, sorted by time, may be off together.
 * Returns how many these are. */
static int square_factor(const struct paleo_prediction *p, int count, double square[SIDES])
{
	double sum[SIDES] = {0}, squares[SIDES] = {0};
	double r = isnan(p[0].factor->correlation) ? 1 : p[0].factor->correlation;
	int i = 0;

	while (i < count && p[i].factor == p[0].factor) {
		double half[SIDES];
		int same = 1;
		while (i + same < count && by_factor(&p[i], &p[i + same]) == 0)
			same++;
		half_widths(&p[i], half);
		for (int s = 0; s < SIDES; s++) {
			sum[s] += same * half[s];
			squares[s] += same * half[s] * same * half[s];
		}
		i += same;
	}
	/* A biased factor's interval may lie wholly on one side. */
	for (int s = 0; s < SIDES; s++)
		square[s] = sum[s] < 0 ? 0 : r * sum[s] * sum[s] + (1 - r) * squares[s];
	return i;
}

/* Adds the same of the factors of one kind, which stand together. */
static int add_kind(const struct paleo_prediction *p, int count, double square[SIDES])
{
	double sum[SIDES] = {0}, squares[SIDES] = {0};
	double q = isnan(p[0].factor->kind_correlation) ? 0 : p[0].factor->kind_correlation;
	int i = 0;

	while (i < count && p[i].factor->dtype == p[0].factor->dtype &&
	       same_kind(p[i].factor->class_name, p[0].factor->class_name)) {
		double each[SIDES];
		i += square_factor(p + i, count - i, each);
		for (int s = 0; s < SIDES; s++) {
			sum[s] += sqrt(each[s]);
			squares[s] += each[s];
		}
	}
	for (int s = 0; s < SIDES; s++)
		square[s] += q * sum[s] * sum[s] + (1 - q) * squares[s];
	return i;
}

/* Works err with longer tails than sums do, and a sum of many errs nearly as a normal distribution,
 * of which half is within 0.6745 and nine tenths within 1.6449 standard deviations. */
static double half_of_sum(double square50, double square90, int works)
{
	double own = sqrt(square50);

	return works > 1 ? fmax(own, 0.6745 / 1.6449 * sqrt(square90)) : own;
}

static void add_intervals(const struct paleo_prediction *p, int count,
			  struct paleo_prediction_sum *sum)
{
	double square[SIDES] = {0};

	for (int i = 0; i < count;)
		i += add_kind(p + i, count - i, square);
	sum->low_s = fmax(0, sum->total_s - sqrt(square[LOW90]));
	sum->high_s = sum->total_s + sqrt(square[HIGH90]);
	if (isnan(square[LOW90]) || isnan(square[HIGH90]))
		sum->low_s = sum->high_s = NAN;
	sum->low50_s = fmax(0, sum->total_s - half_of_sum(square[LOW50], square[LOW90], count));
	sum->high50_s = sum->total_s + half_of_sum(square[HIGH50], square[HIGH90], count);
	if (isnan(square[LOW50]) || isnan(square[HIGH50]))
		sum->low50_s = sum->high50_s = NAN;
}

int paleo_prediction_add_up(const struct paleo_prediction *p, int count,
			    struct paleo_prediction_sum *out, struct paleo_error *err)
{
	struct paleo_prediction_sum sum = {.count = count};

	assert(count >= 0);
	struct paleo_prediction *sorted = malloc(((size_t)count + 1) * sizeof(*sorted));
	if (!sorted)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < count; i++) {
		sorted[i] = p[i];
		sum.compute_s += p[i].compute_s;
		sum.memory_s += p[i].memory_s;
		sum.overhead_s += p[i].overhead_s;
		sum.total_s += p[i].total_s;
	}
	qsort(sorted, (size_t)count, sizeof(*sorted), by_factor);
	add_intervals(sorted, count, &sum);
	free(sorted);
	*out = sum;
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

void paleo_prediction_scale(struct paleo_prediction *p, double factor)
{
	p->compute_s *= factor;
	p->memory_s *= factor;
	p->overhead_s *= factor;
	p->total_s *= factor;
	p->low_s *= factor;
	p->high_s *= factor;
	p->low50_s *= factor;
	p->high50_s *= factor;
}
