/* export.c - --export of `serving`: the layers of other programs, made of the ops of a step. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/serving/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CONTEXT_MAX = 1 << 17 /* tokens, of models without a limit */
};

static double often(const struct paleo_hf_model *m, enum serving_export_often how)
{
	int mlps = 0;

	for (int i = 0; i < m->layers; i++)
		mlps += m->layer[i].dense;
	const double counts[] = {
		[SERVING_EXPORT_ONCE] = 1,
		[SERVING_EXPORT_LAYERS] = m->layers,
		[SERVING_EXPORT_TWICE] = 2.0 * m->layers,
		[SERVING_EXPORT_MLPS] = mlps,
		[SERVING_EXPORT_EXPERTS] = m->layers - mlps,
	};

	return counts[how];
}

/* Whose layer one of ours is; -1: of none. */
static int find(const struct serving_export_layers *l, const char *ours)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", ours);
	for (int i = 0; i < l->count; i++)
		if (strstr(l->items[i].ours, word))
			return i;
	return -1;
}

static int add_part(const struct serving_export *e, const struct serving_export_layers *l,
		    const struct paleo_served_part *part, double *s, struct paleo_error *err)
{
	const struct serving_model *m = e->on->model;
	int at = find(l, part->layer);

	if (at < 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s cannot be exported to %s, which has no layer for its '%s'",
				  m->name, l->program, part->layer);
	double once = part->times * part->s / often(&m->model, l->items[at].often);
	s[at] = isnan(s[at]) ? once : s[at] + once;
	return PALEO_OK;
}

int serving_export_times(const struct serving_export *e, const struct paleo_served *v,
			 const struct serving_export_layers *l,
			 const struct paleo_serving_step *step, double *s, struct paleo_error *err)
{
	struct paleo_served_part *parts = NULL;
	int count = 0, rc = PALEO_OK;

	PALEO_TRY(paleo_served_parts(v, step, &parts, &count, err));
	for (int i = 0; i < l->count; i++)
		s[i] = l->items[i].ours[0] ? (double)NAN : 0;
	for (int i = 0; !rc && i < count; i++)
		rc = add_part(e, l, &parts[i], s, err);
	free(parts);
	return rc;
}

int serving_export_prompts(const struct serving_export *e, const struct serving_export_layers *l,
			   int prompts, int fresh, int cached, double *s, struct paleo_error *err)
{
	const struct paleo_serving_step step = {.prompt = prompts * fresh};
	struct paleo_serving with = e->on->serving;
	struct paleo_served v;

	with.cached = cached;
	PALEO_TRY(paleo_served_make(&with, cached + fresh, &v, err));
	int rc = serving_export_times(e, &v, l, &step, s, err);
	paleo_served_release(&v);
	return rc;
}

int serving_export_print(struct paleo_table *t, int rc, struct paleo_error *err)
{
	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_CSV, stdout, err);
	paleo_table_free(t);
	return rc;
}

int serving_export(int format, const struct serving_served *on, int tokens, int sequences,
		   struct paleo_error *err)
{
	static int (*const formats[])(const struct serving_export *e, struct paleo_error *err) = {
#define EXPORT(format) serving_export_##format,
#include "tools/cli/model_exports.def"
#undef EXPORT
	};
	const int places = on->model->model.places;
	const struct serving_export e = {
		.on = on,
		.tokens = tokens,
		.sequences = sequences,
		.context = places > 0 && places < CONTEXT_MAX ? places : CONTEXT_MAX,
	};

	return formats[format](&e, err);
}
