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
	};
	*out = (struct paleo_calibration){.device = *d, .factors = f, .count = 1};
	return PALEO_OK;
}

void paleo_calibration_release(struct paleo_calibration *c)
{
	if (!c)
		return;
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

int paleo_calibration_saw(const struct paleo_calibration *c, const struct paleo_work *w)
{
	uint64_t hash = paleo_work_hash(w);

	return c->seen_count > 0 && bsearch(&hash, c->seen, (size_t)c->seen_count, sizeof(*c->seen),
					    compare_hashes) != NULL;
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
		far += 4;
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

int paleo_predict_work(const struct paleo_calibration *c, const struct paleo_work *w,
		       struct paleo_prediction *out, struct paleo_error *err)
{
	struct paleo_law_terms terms;
	struct paleo_law_time time;
	int exact = 0;
	const struct paleo_factor *f = nearest_factor(c, w, &exact);
	int rc = paleo_law_terms(&c->device, w, &terms, err);

	if (rc)
		return rc;
	if (!f)
		return paleo_fail(err, PALEO_EINPUT, "the calibration has no factors");
	paleo_law_time(&terms, f, &time);
	*out = (struct paleo_prediction){
		.compute_s = time.compute_s,
		.memory_s = time.memory_s,
		.overhead_s = time.overhead_s,
		.total_s = time.total_s,
		.low_s = exact ? time.total_s * f->ratio_low : NAN,
		.high_s = exact ? time.total_s * f->ratio_high : NAN,
		.bound = largest(&time),
		.factor = f,
		.exact = exact,
	};
	return PALEO_OK;
}

static int by_factor(const void *a, const void *b)
{
	const struct paleo_factor *x = ((const struct paleo_prediction *)a)->factor;
	const struct paleo_factor *y = ((const struct paleo_prediction *)b)->factor;

	return (x > y) - (x < y);
}

/* Sorted by factor: half-widths are added within a factor, their squares between factors. */
static void add_intervals(const struct paleo_prediction *p, int count,
			  struct paleo_prediction_sum *sum)
{
	double low = 0, high = 0;

	for (int i = 0; i < count;) {
		double below = 0, above = 0;
		int first = i;
		for (; i < count && p[i].factor == p[first].factor; i++) {
			below += p[i].total_s - p[i].low_s;
			above += p[i].high_s - p[i].total_s;
		}
		/* A biased factor's interval may lie wholly on one side. */
		low += below < 0 ? 0 : below * below;
		high += above < 0 ? 0 : above * above;
	}
	sum->low_s = fmax(0, sum->total_s - sqrt(low));
	sum->high_s = sum->total_s + sqrt(high);
	if (isnan(low) || isnan(high))
		sum->low_s = sum->high_s = NAN;
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
