/* prior.c - an uncalibrated CPU: the factors of another one, at the peaks measured here. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stats.h"
#include "library/own.h"
#include "model/device/backends.h"
#include "model/predict/calibration_file.h"
#include "model/predict/predict.h"

/* Degrees of freedom of the prior of a class's variance, which is the typical one. */
static const double COMMON_DEGREES = 2;

/* The shipped calibrations of CPUs. */
struct shipped {
	struct paleo_calibration *items;
	int count, room;
};

static int add_shipped(void *context, const char *path, struct paleo_error *err)
{
	struct shipped *s = context;
	struct paleo_calibration *items = paleo_grow(s->items, s->count, &s->room, sizeof(*items));

	if (!items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	s->items = items;
	PALEO_TRY(paleo_calibration_load_preset(path, 0, &items[s->count], err));
	if (paleo_backend_find(items[s->count].backend)->hardware == PALEO_HOST)
		s->count++;
	else
		paleo_calibration_release(&items[s->count]);
	return PALEO_OK;
}

static void release_shipped(struct shipped *s)
{
	for (int i = 0; i < s->count; i++)
		paleo_calibration_release(&s->items[i]);
	free(s->items);
}

/* "avx2" of "oneDNN 2.6.3 avx2". */
static const char *instructions(const char *versions)
{
	const char *last = strrchr(versions, ' ');

	return last ? last + 1 : versions;
}

/* How near a calibration is: of the same instruction set, then of the same CPU. */
static int nearness(const struct paleo_calibration *c, const struct paleo_device_info *who)
{
	return 2 * !strcmp(instructions(c->versions), instructions(who->versions)) +
	       paleo_own_is_of(c, &who->device);
}

/* The place of the nearest; of equally near ones that of most records. */
static int find_nearest(const struct shipped *s, const struct paleo_device_info *who)
{
	int best = 0;

	for (int i = 1; i < s->count; i++) {
		int more = nearness(&s->items[i], who) - nearness(&s->items[best], who);
		if (more > 0 || (!more && s->items[i].records > s->items[best].records))
			best = i;
	}
	return best;
}

static const struct paleo_class_model *find_class(const struct paleo_calibration *c,
						  const struct paleo_class_model *like)
{
	for (int i = 0; i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		if (f->pass == like->pass && f->dtype == like->dtype &&
		    !strcmp(f->class_name, like->class_name))
			return f;
	}
	return NULL;
}

/* The squares of the differences between a class and the same one of other CPUs, of the logarithms
 * of their mean fractions of the peaks: appended to `out`. Returns their number. */
static size_t add_squares(const struct shipped *s, int at, const struct paleo_class_model *f,
			  double *out)
{
	size_t n = 0;

	for (int i = 0; i < s->count; i++) {
		const struct paleo_class_model *other =
			i == at ? NULL : find_class(&s->items[i], f);
		double difference = other ? log(other->ppp / f->ppp) : NAN;
		if (!isnan(difference))
			out[n++] = difference * difference;
	}
	return n;
}

/* The variance of such a difference over all classes, by the median, as few classes that differ by
 * a kernel of their own do not count. */
static double common_variance(const struct shipped *s, int at, double *squares)
{
	size_t n = 0;

	for (int i = 0; i < s->items[at].count; i++)
		n += add_squares(s, at, &s->items[at].models[i], squares + n);
	if (!n)
		return NAN;
	paleo_sort(squares, n);
	return paleo_quantile_sorted(squares, n, 0.5) / (PALEO_NORMAL_50 * PALEO_NORMAL_50);
}

/* Widens the interval of a class by the difference between CPUs, which its ops have in common. */
static void widen(struct paleo_class_model *f, double variance, double degrees)
{
	double half = paleo_student_quantile(PALEO_NORMAL_90, degrees) * sqrt(variance);

	f->ratio_low = exp(-hypot(fmin(log(f->ratio_low), 0), half));
	f->ratio_high = exp(hypot(fmax(log(f->ratio_high), 0), half));
	f->band_count = 0;
	f->correlation = 1;
}

static void widen_all(const struct shipped *s, int at, double *squares)
{
	struct paleo_calibration *c = &s->items[at];
	const double common = common_variance(s, at, squares);

	for (int i = 0; i < c->count; i++) {
		size_t n = add_squares(s, at, &c->models[i], squares);
		double sum = COMMON_DEGREES * common, degrees = COMMON_DEGREES + (double)n;
		for (size_t k = 0; k < n; k++)
			sum += squares[k];
		widen(&c->models[i], sum / degrees, degrees);
	}
}

/* 1 if it is this very calibration. */
static int is_same(const struct paleo_calibration *a, const struct paleo_calibration *b)
{
	return !strcmp(a->device.name, b->device.name) && !strcmp(a->created_utc, b->created_utc);
}

int paleo_widen_prior(struct paleo_calibration *c, int *machines, struct paleo_error *err)
{
	struct shipped s = {.count = 0};
	double *squares = NULL;

	*machines = 0;
	int rc = paleo_find_calibrations(add_shipped, &s, err);
	for (int i = s.count - 1; !rc && i >= 0; i--) {
		if (!is_same(&s.items[i], c))
			continue;
		paleo_calibration_release(&s.items[i]);
		s.items[i] = s.items[--s.count];
	}
	struct paleo_calibration *items =
		rc ? NULL : paleo_grow(s.items, s.count, &s.room, sizeof(*items));
	if (items) {
		s.items = items;
		s.items[s.count] = *c; /* whose models are widened in place */
		squares = malloc(((size_t)s.count * (size_t)c->count + 1) * sizeof(*squares));
	}
	if (!rc && !squares)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (!rc && s.count) {
		const int at = s.count++;
		widen_all(&s, at, squares);
		*machines = s.count--;
	}
	free(squares);
	release_shipped(&s);
	return rc;
}

int paleo_choose_prior(const struct paleo_device_info *who, struct paleo_calibration *out,
		       int *machines, struct paleo_error *err)
{
	struct shipped s = {.count = 0};
	double *squares = NULL;

	*machines = 0;
	int rc = paleo_find_calibrations(add_shipped, &s, err);
	if (!rc && s.count) {
		int at = find_nearest(&s, who);
		size_t most = (size_t)s.count * (size_t)s.items[at].count;
		squares = malloc((most + 1) * sizeof(*squares));
		if (!squares) {
			rc = paleo_fail(err, PALEO_ENOMEM, "out of memory");
		} else {
			widen_all(&s, at, squares);
			*machines = s.count;
			*out = s.items[at];
			s.items[at] = s.items[--s.count];
		}
	}
	free(squares);
	release_shipped(&s);
	return rc;
}
