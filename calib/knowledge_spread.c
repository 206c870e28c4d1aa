/* knowledge_spread.c - how much knowledge of another GPU errs, by GPUs that there is better of. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/knowledge_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/knowledge_pick.h"
#include "calib/presets.h"
#include "calib/samples.h"
#include "model/predict/smooth.h"

enum {
	CARDS_MIN = 2 /* fewer tell no spread */
};

/* Squares of logarithms of one card's time over what others say of it. */
struct squares {
	double sum;
	int count;
};

/* One card that has a preset, and what would speak for it without. */
struct stranger {
	const struct paleo_calibration *preset;
	struct paleo_calibration middle; /* of the others, in one number type */
	struct paleo_known_list
		list; /* its own among them; none: it does not compute in the type */
	struct squares found[PALEO_KNOWN_GROUPS][PALEO_NEARNESSES];
};

/* All cards, for they price the same works. */
struct strangers {
	const struct paleo_calibration *presets;
	struct stranger *items; /* one of each */
	int count;
};

static int time_by(const struct paleo_device *measured, const struct paleo_device *d,
		   const struct paleo_class_model *f, const struct paleo_work *w, double *out_s,
		   struct paleo_error *err)
{
	struct paleo_parts t;
	struct paleo_class_model plain = *f;
	struct paleo_fitted_kernel model;

	plain.correction.count = 0; /* what others err by near a shape, the device need not */
	if (f->model) {
		model = *f->model;
		plain.model = &model;
		paleo_known_power(measured, d, w->dtype, &model);
	}
	int rc = paleo_class_model_time(d, &plain, w, &t, err);
	*out_s = t.total_s;
	return rc;
}

/* Prices a work that the card has measured by what is nearest of each kind of knowledge. */
static int compare(struct stranger *s, const struct paleo_work *w, struct paleo_error *err)
{
	const struct paleo_device *d = &s->preset->device;
	struct paleo_pick own = paleo_known_pick(&s->list, w, PALEO_NEAR_DEVICE);
	double own_s, other_s;

	if (!own.factor || s->list.items[own.from].nearness != PALEO_NEAR_DEVICE ||
	    !paleo_known_same_class(own.factor, w) || own.factor->dtype != w->dtype)
		return PALEO_OK;
	int rc = time_by(d, d, own.factor, w, &own_s, err);
	for (int n = PALEO_NEAR_CHIP; !rc && n < PALEO_NEARNESSES; n++) {
		struct paleo_pick p = paleo_known_pick(&s->list, w, (enum paleo_nearness)n);
		if (!p.factor || (int)s->list.items[p.from].nearness != n)
			continue;
		struct squares *q = &s->found[paleo_known_group_of(w)][n];
		rc = time_by(&s->list.items[p.from].calibration->device, d, p.factor, w, &other_s,
			     err);
		q->sum += rc ? 0 : pow(log(own_s / other_s), 2);
		q->count++;
	}
	return rc;
}

static int compare_all(void *context, const struct paleo_work *w, struct paleo_error *err)
{
	struct strangers *all = context;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < all->count; i++)
		if (all->items[i].list.count)
			rc = compare(&all->items[i], w, err);
	return rc;
}

static int same_device(const struct paleo_calibration *a, const struct paleo_calibration *b)
{
	return !strcmp(a->device.name, b->device.name);
}

/* 1: the device's presets, of which this is the first, have the number type. A device with several
 * files is one card. */
static int is_card_of(const struct strangers *all, const struct paleo_calibration *preset,
		      enum paleo_dtype dtype)
{
	int has = 0;

	for (int i = 0; i < all->count; i++) {
		const struct paleo_calibration *c = &all->presets[i];
		if (!same_device(c, preset))
			continue;
		if (c < preset)
			return 0;
		for (int f = 0; f < c->count; f++)
			has |= c->models[f].dtype == dtype;
	}
	return has;
}

/* What speaks for the card in one number type, as if it had no preset. */
static int meet(const struct strangers *all, struct stranger *s, enum paleo_dtype dtype,
		struct paleo_error *err)
{
	const struct paleo_presets_for of = {
		.device = &s->preset->device, .dtype = dtype, .except_self = 1};

	paleo_calibration_release(&s->middle);
	s->list.device = of.device;
	s->list.count = 0;
	if (!is_card_of(all, s->preset, dtype))
		return PALEO_OK;
	int rc = paleo_calibration_presets(&of, &s->middle, err);
	if (rc)
		return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
	paleo_calibration_queue(&s->middle);
	paleo_known_add(&s->list, &s->middle, PALEO_NEAR_ALL);
	for (int i = 0; i < all->count; i++) {
		enum paleo_nearness n = paleo_nearness_of(of.device, &all->presets[i].device);
		if (n < PALEO_NEAR_ALL)
			paleo_known_add(&s->list, &all->presets[i], n);
	}
	return PALEO_OK;
}

/* All works of one number type. */
static int meet_all(struct strangers *all, enum paleo_dtype dtype, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < all->count; i++)
		rc = meet(all, &all->items[i], dtype, err);
	for (int size = 0; !rc && size < PALEO_SAMPLE_SIZES; size++)
		rc = paleo_samples_each(dtype, size, compare_all, all, err);
	return rc;
}

static void add_card(const struct stranger *s, struct paleo_known_spread out[PALEO_KNOWN_GROUPS])
{
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++) {
		for (int n = 0; n < PALEO_NEARNESSES; n++) {
			const struct squares *q = &s->found[g][n];
			if (!q->count)
				continue;
			out[g].sd[n] += q->sum / q->count;
			out[g].cards[n]++;
		}
	}
}

/* From sums of squares to deviations: where too few cards tell it is that of what is further away,
 * and never less than that of what is nearer. */
static void settle(struct paleo_known_spread *s)
{
	for (int n = PALEO_NEARNESSES - 1; n >= 0; n--) {
		s->sd[n] = s->cards[n] >= CARDS_MIN ? sqrt(s->sd[n] / s->cards[n]) : NAN;
		if (isnan(s->sd[n]) && n + 1 < PALEO_NEARNESSES) {
			s->sd[n] = s->sd[n + 1];
			s->cards[n] = s->cards[n + 1];
		}
	}
	for (int n = 1; n < PALEO_NEARNESSES; n++)
		if (s->sd[n] < s->sd[n - 1]) {
			s->sd[n] = s->sd[n - 1];
			s->cards[n] = s->cards[n - 1];
		}
}

int paleo_known_spreads_make(const struct paleo_calibration *presets, int count,
			     struct paleo_known_spreads *out, struct paleo_error *err)
{
	struct strangers all = {.presets = presets, .count = count};
	int rc = PALEO_OK;

	*out = (struct paleo_known_spreads){.presets = 0};
	all.items = calloc((size_t)all.count + 1, sizeof(*all.items));
	if (!all.items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	for (int i = 0; i < all.count; i++) {
		all.items[i].preset = &presets[i];
		out->presets = paleo_presets_identity(out->presets, &presets[i]);
	}
	for (int t = 0; !rc && t < PALEO_DTYPES; t++)
		rc = meet_all(&all, (enum paleo_dtype)t, err);
	for (int i = 0; i < all.count; i++) {
		add_card(&all.items[i], out->of);
		paleo_calibration_release(&all.items[i].middle);
	}
	free(all.items);
	for (int g = 0; g < PALEO_KNOWN_GROUPS; g++)
		settle(&out->of[g]);
	return rc;
}
