/* calibration.c - contents of a calibration: factors, corrections of passes, ops it has seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/predict/smooth.h"

struct paleo_class_model paleo_class_model_unknown(void)
{
	return (struct paleo_class_model){
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
}

int paleo_calibration_datasheet(const struct paleo_device *d, double ppp_compute, double ppp_memory,
				struct paleo_calibration *out, struct paleo_error *err)
{
	if (!(ppp_compute > 0 && ppp_compute <= 2) || !(ppp_memory > 0 && ppp_memory <= 2))
		return paleo_fail(err, PALEO_EINPUT,
				  "a fraction of peak is above 0 and at most 2, not %g and %g",
				  ppp_compute, ppp_memory);
	struct paleo_class_model *f = malloc(sizeof(*f));
	if (!f)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	*f = paleo_class_model_unknown();
	snprintf(f->class_name, sizeof(f->class_name), "%s", PALEO_CLASS_ANY);
	f->ppp_compute = ppp_compute;
	f->ppp_memory = ppp_memory;
	f->overlap = 1;
	*out = (struct paleo_calibration){.device = *d, .models = f, .count = 1};
	return PALEO_OK;
}

void paleo_calibration_release(struct paleo_calibration *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->count; i++) {
		free(c->models[i].model);
		paleo_trees_release(&c->models[i].correction);
		paleo_trees_release(&c->models[i].spread);
	}
	free(c->models);
	free(c->seen);
	free(c->sources);
	paleo_power_release(&c->power);
	paleo_json_free(c->unread);
	*c = (struct paleo_calibration){0};
}

uint64_t paleo_op_hash(const struct paleo_op *w)
{
	char key[PALEO_OP_KEY_MAX];
	uint64_t hash = UINT64_C(14695981039346656037);

	paleo_op_key(w, key, sizeof(key));
	for (const char *p = key; *p; p++) {
		hash ^= (unsigned char)*p;
		hash *= UINT64_C(1099511628211);
	}
	return hash;
}

int paleo_compare_hashes(const void *a, const void *b)
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

void paleo_class_model_source(const struct paleo_calibration *c, const struct paleo_class_model *f,
			      char text[PALEO_SOURCE_TEXT_MAX])
{
	static const char *const how[PALEO_NEARNESSES] = {[PALEO_NEAR_DEVICE] = "",
							  [PALEO_NEAR_STACK] = " (another stack)",
							  [PALEO_NEAR_CHIP] = " (same chip)",
							  [PALEO_NEAR_FAMILY] = " (same family)"};
	const struct paleo_class_source *s =
		f->source < c->source_count ? &c->sources[f->source] : NULL;
	const char *as = f->stands_for[0] ? " as " : "";

	if (!s)
		snprintf(text, PALEO_SOURCE_TEXT_MAX, "%s",
			 c->backend[0] ? "calibration" : "datasheet");
	else if (s->nearness == PALEO_NEAR_OWN || s->nearness == PALEO_NEAR_ALL)
		snprintf(text, PALEO_SOURCE_TEXT_MAX, "%s%s%s",
			 s->nearness == PALEO_NEAR_OWN ? "calibration" : "presets of all GPUs", as,
			 f->stands_for);
	else
		snprintf(text, PALEO_SOURCE_TEXT_MAX, "preset of %s%s%s%s", s->device,
			 how[s->nearness], as, f->stands_for);
}

/* Records of the factors whose held-out error is at most so large. */
static double records_up_to(const struct paleo_calibration *c, double error)
{
	double records = 0;

	for (int i = 0; i < c->count; i++)
		if (c->models[i].heldout_median <= error) /* not NaN */
			records += c->models[i].records;
	return records;
}

double paleo_calibration_heldout(const struct paleo_calibration *c)
{
	double median = NAN, all = records_up_to(c, INFINITY);

	for (int i = 0; i < c->count && all > 0; i++) {
		double error = c->models[i].heldout_median;
		if (2 * records_up_to(c, error) >= all && !(error >= median))
			median = error;
	}
	return median;
}

int paleo_calibration_saw(const struct paleo_calibration *c, const struct paleo_op *w)
{
	uint64_t hash = paleo_op_hash(w);

	return c->seen_count > 0 && bsearch(&hash, c->seen, (size_t)c->seen_count, sizeof(*c->seen),
					    paleo_compare_hashes) != NULL;
}

int paleo_class_model_parameters(const struct paleo_class_model *f)
{
	return f->model ? f->model->kernel->count : PALEO_PARAMETERS;
}

const char *paleo_class_model_parameter_name(const struct paleo_class_model *f, int i)
{
	static const char *const own[PALEO_PARAMETERS] = {
		[PALEO_PARAMETER_COMPUTE] = "ppp_compute", [PALEO_PARAMETER_MEMORY] = "ppp_memory",
		[PALEO_PARAMETER_OVERHEAD] = "overhead_s", [PALEO_PARAMETER_DEPTH] = "half_depth",
		[PALEO_PARAMETER_WIDTH] = "half_width",
	};

	return f->model ? f->model->kernel->parameters[i].name : own[i];
}

const unsigned char *paleo_class_model_together(const struct paleo_class_model *f)
{
	return f->model ? f->model->together : f->together;
}

struct paleo_interval paleo_interval_around(struct paleo_interval ratio, double time_s)
{
	return (struct paleo_interval){time_s * ratio.low, time_s * ratio.high,
				       time_s * ratio.low50, time_s * ratio.high50};
}

struct paleo_interval paleo_class_model_interval(const struct paleo_class_model *f, double total_s,
						 double spread)
{
	struct paleo_interval ratio = {f->ratio_low, f->ratio_high, NAN, NAN};

	for (int i = 0; i < f->band_count && (i == 0 || f->bands[i].from_s <= total_s); i++)
		ratio = f->bands[i].ratio;
	if (f->band_count && spread != 1)
		ratio = (struct paleo_interval){pow(ratio.low, spread), pow(ratio.high, spread),
						pow(ratio.low50, spread),
						pow(ratio.high50, spread)};
	return paleo_interval_around(ratio, total_s);
}

static int ends_kind(char c)
{
	return c == '.' || !c;
}

/* The kind is the part before the first dot. */
int paleo_class_same_kind(const char *a, const char *b)
{
	while (*a == *b && !ends_kind(*a)) {
		a++;
		b++;
	}
	return ends_kind(*a) && ends_kind(*b);
}
