/* knowledge.c - parameter source for an op on a GPU: its own calibration, or others near it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source/knowledge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "model/device/backends.h"
#include "model/predict/calibration_file.h"
#include "model/source/knowledge_pick.h"
#include "model/source/presets.h"

/* State of building a calibration. */
struct maker {
	struct paleo_known_list list;
	struct paleo_known_spreads spreads;
	struct paleo_calibration *out;
};

/* Widens a quantile of measured over predicted by an independent error. */
static double widen(double quantile, double sd, double z, int cards)
{
	double own = log(quantile), more = sd * paleo_student_quantile(z, cards);
	double both = sqrt(own * own + more * more);

	return exp(z < 0 ? -both : both);
}

/* Without held-out rows the only known error is that of such sources elsewhere. */
static double or_none(double quantile)
{
	return isnan(quantile) ? 1 : quantile;
}

static void widen_interval(struct paleo_interval *b, double sd, int cards)
{
	static const double z90 = 1.644854, z50 = 0.674490;

	b->low = widen(or_none(b->low), sd, -z90, cards);
	b->high = widen(or_none(b->high), sd, z90, cards);
	b->low50 = widen(or_none(b->low50), sd, -z50, cards);
	b->high50 = widen(or_none(b->high50), sd, z50, cards);
}

static void widen_factor(struct paleo_class_model *f, const struct paleo_known_spread *s,
			 enum paleo_nearness n)
{
	double sd = s->sd[n];

	if (isnan(sd)) { /* no data */
		f->band_count = 0;
		f->ratio_low = f->ratio_high = NAN;
		return;
	}
	if (!f->band_count)
		f->bands[f->band_count++] =
			(struct paleo_band){0, {f->ratio_low, f->ratio_high, NAN, NAN}};
	for (int i = 0; i < f->band_count; i++)
		widen_interval(&f->bands[i].ratio, sd, s->cards[n]);
	f->ratio_low = f->bands[0].ratio.low;
	f->ratio_high = f->bands[0].ratio.high;
	/* errors common to all ops of a device dominate */
	f->correlation = 1;
	f->kind_correlation = 1;
}

static int is_of_device(const struct maker *m, int from)
{
	const struct paleo_known *known = &m->list.items[from];

	return known->nearness != PALEO_NEAR_ALL &&
	       paleo_nearness_of(m->list.device, &known->calibration->device) <= PALEO_NEAR_DEVICE;
}

/* The factor for an op like this one, from wherever is best. */
static int add_factor(void *context, const struct paleo_op *w, struct paleo_error *err)
{
	struct maker *m = context;
	struct paleo_pick p = paleo_known_pick(&m->list, w, PALEO_NEAR_OWN);
	enum paleo_nearness nearness = m->list.items[p.from].nearness;

	if (!p.factor || m->out->count == PALEO_CLASS_MODELS_MAX)
		return PALEO_OK;
	struct paleo_class_model *f = &m->out->models[m->out->count];
	const char *class_name = paleo_op_class(w);
	int very = paleo_known_same_class(p.factor, w) && p.factor->dtype == w->dtype;
	int own = nearness <= PALEO_NEAR_DEVICE;
	*f = *p.factor;
	f->model = NULL;
	f->unread = NULL;
	f->correction = f->spread = (struct paleo_trees){0};
	m->out->count++;
	if (p.factor->model) {
		f->model = malloc(sizeof(*f->model));
		if (!f->model)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		*f->model = *p.factor->model;
		if (paleo_op_cores(w) == PALEO_CORES_INT8 && p.factor->dtype == PALEO_FP8)
			f->model->kernel = paleo_kernel_model_for(w, 0);
		if (nearness > PALEO_NEAR_DEVICE)
			paleo_known_power(&m->list.items[p.from].calibration->device,
					  m->list.device, w->dtype, f->model);
	}
	if (is_of_device(m, p.from) && !strcmp(p.factor->class_name, class_name))
		PALEO_TRY(paleo_trees_take(p.factor, "correction", &f->correction, err));
	if (very && own)
		PALEO_TRY(paleo_trees_take(p.factor, "spread", &f->spread, err));
	else if (paleo_class_model_has_spread(p.factor))
		f->band_count = 0; /* what another device or class adds does not follow the op */
	if (!very || !own)
		widen_factor(f, &m->spreads.of[paleo_known_group_of(w)],
			     own ? PALEO_NEAR_FAMILY : nearness);
	snprintf(f->stands_for, sizeof(f->stands_for), "%s",
		 strcmp(f->class_name, class_name) != 0 ? f->class_name : "");
	snprintf(f->class_name, sizeof(f->class_name), "%s", class_name);
	f->pass = w->pass;
	f->dtype = w->dtype;
	f->source = p.from;
	return PALEO_OK;
}

static int tell_sources(const struct paleo_known_list *list, struct paleo_calibration *out,
			struct paleo_error *err)
{
	out->sources = calloc((size_t)list->count, sizeof(*out->sources));
	if (!out->sources)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	out->source_count = list->count;
	for (int i = 0; i < list->count; i++) {
		const struct paleo_known *known = &list->items[i];
		struct paleo_class_source *s = &out->sources[i];
		*s = (struct paleo_class_source){.nearness = known->nearness,
						 .records = known->calibration->records};
		memcpy(s->versions, known->calibration->versions, sizeof(s->versions));
		if (known->nearness != PALEO_NEAR_ALL)
			memcpy(s->device, known->calibration->device.name, sizeof(s->device));
	}
	return PALEO_OK;
}

/* Copies the device's data other than factors. */
static void take_head(const struct paleo_knowledge *k, struct paleo_calibration *out)
{
	*out = (struct paleo_calibration){.device = *k->device};
	if (k->own) {
		*out = *k->own;
		out->models = NULL;
		out->count = 0;
		out->seen = NULL;
		out->seen_count = 0;
		out->sources = NULL;
		out->source_count = 0;
		return;
	}
	snprintf(out->mode, sizeof(out->mode), "hot");
	snprintf(out->method, sizeof(out->method), "presets");
}

/* The presets that may be used: all, or all but those of its chip. */
static int choose_presets(const struct paleo_knowledge *k, struct paleo_calibration *out)
{
	int count = 0;

	for (int i = 0; i < k->preset_count; i++)
		if (!k->except_self ||
		    paleo_nearness_of(k->device, &k->presets[i].device) > PALEO_NEAR_CHIP)
			out[count++] = k->presets[i];
	return count;
}

static int make(const struct paleo_knowledge *k, const struct paleo_calibration *middle,
		struct paleo_calibration *out, struct paleo_error *err)
{
	enum paleo_dtype types[] = {k->dtype, paleo_dtype_wide(k->dtype)};
	struct maker m = {.out = out};

	take_head(k, out);
	paleo_known_list(k, middle, &m.list);
	out->models = calloc(PALEO_CLASS_MODELS_MAX, sizeof(*out->models));
	int rc = out->models ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (k->spreads)
		m.spreads = *k->spreads;
	else if (!rc)
		rc = paleo_known_spreads_make(k->presets, k->preset_count, &m.spreads, err);
	for (int i = 0; !rc && i < 1 + (types[1] != types[0]); i++)
		rc = paleo_samples_each(types[i], 1, add_factor, &m, err);
	if (!rc)
		rc = tell_sources(&m.list, out, err);
	if (rc)
		paleo_calibration_release(out);
	return rc;
}

int paleo_knowledge_make(const struct paleo_knowledge *k, struct paleo_calibration *out,
			 struct paleo_error *err)
{
	const struct paleo_presets_for of = {
		.device = k->device, .dtype = k->dtype, .queued = 1, .except_self = k->except_self};
	struct paleo_calibration middle = {0};
	struct paleo_knowledge mine = *k;

	struct paleo_calibration *presets = calloc((size_t)k->preset_count + 1, sizeof(*presets));
	int rc = presets ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (!rc)
		rc = paleo_calibration_presets(&of, &middle, err);
	if (!rc) {
		mine.presets = presets;
		mine.preset_count = choose_presets(k, presets);
		rc = make(&mine, &middle, out, err);
	}
	paleo_calibration_release(&middle);
	free(presets); /* their contents belong to the caller */
	return rc;
}

/* The parameter of a kernel model that is the time of its launch; NULL: it has none. */
static const struct paleo_parameter *launch_of(const struct paleo_kernel_model *kernel)
{
	for (int i = 0; i < kernel->count; i++)
		if (!strcmp(kernel->parameters[i].name, "launch_us"))
			return &kernel->parameters[i];
	return NULL;
}

static int queue_factor(struct paleo_class_model *f)
{
	int kernels = f->model && f->model->kernel->kernels ? f->model->kernel->kernels : 1;
	int changed = 0;
	const double most_us = PALEO_QUEUED_LAUNCH_US * kernels;
	const struct paleo_parameter *launch = f->model ? launch_of(f->model->kernel) : NULL;

	if (launch && paleo_parameter_get(launch, &f->model->params) > most_us) {
		paleo_parameter_set(launch, &f->model->params, most_us);
		changed = 1;
	}
	if (f->overhead_s > most_us * 1e-6) {
		f->overhead_s = most_us * 1e-6;
		changed = 1;
	}
	return changed;
}

int paleo_calibration_queue(struct paleo_calibration *c)
{
	int changed = 0;

	for (int i = 0; paleo_timed_with_dispatch(c->timed_by) && i < c->count; i++)
		changed += queue_factor(&c->models[i]);
	return changed;
}
