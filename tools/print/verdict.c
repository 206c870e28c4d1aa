/* verdict.c - what predictions are based on, what a calibration is good for: by stated rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calib/validate.h"
#include "model/predict/tile.h"
#include "tools/print/print.h"

/* One class and dtype: of its passes, the one that is trusted least. */
struct judged {
	const char *name;
	enum paleo_dtype dtype;
	enum paleo_trust trust;
	double median;
};

struct list {
	struct judged *items;
	int count, dtypes; /* the second: bits of the dtypes there are */
};

/* A missing pass says nothing of the others. */
static int is_worse(const struct judged *a, const struct judged *b)
{
	if (a->trust == PALEO_TRUST_UNKNOWN || b->trust == PALEO_TRUST_UNKNOWN)
		return b->trust == PALEO_TRUST_UNKNOWN;
	return a->trust > b->trust || (a->trust == b->trust && a->median > b->median);
}

static void add(struct list *l, const struct judged *j)
{
	int i = 0;

	l->dtypes |= 1 << j->dtype;
	while (i < l->count &&
	       (strcmp(l->items[i].name, j->name) != 0 || l->items[i].dtype != j->dtype))
		i++;
	if (i == l->count)
		l->items[l->count++] = *j;
	else if (is_worse(j, &l->items[i]))
		l->items[i] = *j;
}

static int list_new(struct list *l, int most, struct paleo_error *err)
{
	*l = (struct list){.items = calloc((size_t)most + 1, sizeof(*l->items))};
	return l->items ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for a verdict");
}

/* "good for conv, relu": all of one trust. Returns how many. */
static int name_all(const struct list *l, enum paleo_trust trust, const char *words, FILE *out)
{
	int found = 0;

	for (int i = 0; i < l->count; i++) {
		const struct judged *j = &l->items[i];
		if (j->trust != trust)
			continue;
		paleo_print(out, "%s %s", found++ ? "," : words, j->name);
		if (l->dtypes & (l->dtypes - 1)) /* more than one */
			paleo_print(out, " %s", paleo_dtype_name(j->dtype));
		if (trust == PALEO_TRUST_ROUGH || trust == PALEO_TRUST_NOT)
			paleo_print(out, " (median %.0f %%)", 100 * j->median);
	}
	return found;
}

static void print_sentence(const struct list *l, FILE *out)
{
	int found;

	fputs("\nverdict:", out);
	found = name_all(l, PALEO_TRUST_GOOD, " good for", out);
	found += name_all(l, PALEO_TRUST_ROUGH, found ? "; rough for" : " rough for", out);
	found += name_all(l, PALEO_TRUST_NOT, found ? "; not for" : " not for", out);
	name_all(l, PALEO_TRUST_UNKNOWN,
		 found ? "; no verdict (too few held-out ops):"
		       : " no verdict (too few held-out ops):",
		 out);
	paleo_print(out,
		    "\n(good: median error <= %.0f %%, p90 <= %.0f %%; rough: "
		    "median <= %.0f %%; from %d held-out ops)\n",
		    100 * PALEO_TRUST_GOOD_MEDIAN, 100 * PALEO_TRUST_GOOD_P90,
		    100 * PALEO_TRUST_ROUGH_MEDIAN, PALEO_TRUST_OPS);
}

int verdict_of_validation(const struct paleo_validation *v, FILE *out, struct paleo_error *err)
{
	struct list l;
	int rc = list_new(&l, v->group_count, err);

	if (rc || !v->group_count)
		goto out;
	for (int i = 0; i < v->group_count; i++) {
		const struct paleo_validated_group *g = &v->groups[i];
		const struct judged j = {
			g->class_name, g->dtype,
			paleo_trust_of(g->errors.median, g->errors.p90, g->errors.count),
			g->errors.median};
		add(&l, &j);
	}
	if (v->seen)
		paleo_print(out,
			    "\nNo verdict: the calibration was fitted to %d of these records\n",
			    v->seen);
	else
		print_sentence(&l, out);
out:
	free(l.items);
	return rc;
}

static struct judged judge_factor(const struct paleo_class_model *f)
{
	return (struct judged){f->class_name, f->dtype,
			       paleo_trust_of(f->heldout_median, f->heldout_p90, f->records),
			       f->heldout_median};
}

int verdict_of_calibration(const struct paleo_calibration *c, FILE *out, struct paleo_error *err)
{
	struct list l;
	int rc = list_new(&l, c->count, err);

	for (int i = 0; !rc && i < c->count; i++) {
		const struct judged j = judge_factor(&c->models[i]);
		if (c->models[i].records)
			add(&l, &j);
	}
	if (!rc && l.count)
		print_sentence(&l, out);
	free(l.items);
	return rc;
}

int verdict_is_own(const struct paleo_calibration *c, const struct paleo_class_model *f)
{
	return !c->source_count || c->sources[f->source].nearness == PALEO_NEAR_OWN;
}

static int is_used(const struct plan *p, const struct paleo_class_model *f)
{
	for (int i = 0; p && i < p->op_count; i++)
		if (p->ops[i].predicted && p->ops[i].prediction.factor == f)
			return 1;
	return !p;
}

int verdict_warn(const struct paleo_calibration *c, const struct plan *p, FILE *out,
		 struct paleo_error *err)
{
	struct list l;
	int rc = list_new(&l, c->count, err);

	for (int i = 0; !rc && i < c->count; i++) {
		const struct paleo_class_model *f = &c->models[i];
		const struct judged j = judge_factor(f);
		if (f->records && verdict_is_own(c, f) && is_used(p, f))
			add(&l, &j);
	}
	if (!rc && name_all(&l, PALEO_TRUST_NOT, "The calibration is not good for", out))
		fputs(" (held-out errors); more records, or --cost-model presets, may do "
		      "better\n",
		      out);
	free(l.items);
	return rc;
}

/* The number of convolutions predicted with an algorithm. */
void predict_note_chosen(const struct plan *p, const struct paleo_chosen *c, FILE *out)
{
	int all = 0, known = 0, unused = 0;

	if (!c)
		return;
	for (int i = 0; i < p->op_count; i++) {
		const struct plan_op *w = &p->ops[i];
		all += w->op.kind == PALEO_CONV;
		known += w->chosen != NULL;
		unused += w->chosen && w->use == PALEO_METHOD_UNUSED;
	}
	paleo_print(out, "algorithms of %s (%s) for %d of %d different convolutions",
		    paleo_chosen_device(c), paleo_chosen_library(c), known, all);
	if (unused)
		paleo_print(out, "; %d of these are not modelled and are predicted without",
			    unused);
	fputc('\n', out);
}

/* 1: the cost model of convolutions on tensor cores, which turn images of n, c, h, w. */
static int turns_images(const struct paleo_calibration *c, enum paleo_dtype dtype)
{
	struct paleo_tile_device d;
	struct paleo_error none;

	if (paleo_tile_device_of(&c->device, dtype, &d, &none) || !d.tensor)
		return 0;
	for (int i = 0; i < c->count; i++)
		if (c->models[i].dtype == dtype && c->models[i].model &&
		    !strcmp(c->models[i].model->kernel->name, "conv"))
			return 1;
	return 0;
}

/* Says so where the cost model knows nothing of the layout that was asked for. Ops without a layout
 * may differ with it all the same: a Concatenate copies rows of other lengths. */
void predict_note_layout(const struct paleo_calibration *c, enum paleo_dtype dtype, FILE *out)
{
	static const char ending[] = ".nhwc"; /* of the classes of ops in that layout */
	int known = turns_images(c, dtype);

	for (int i = 0; !known && i < c->count; i++) {
		size_t length = strlen(c->models[i].class_name);
		known = !c->models[i].stands_for[0] && length >= strlen(ending) &&
			!strcmp(c->models[i].class_name + length - strlen(ending), ending);
	}
	if (!known)
		paleo_print(
			out, "--layout nhwc%s\n",
			c->backend[0]
				? ": the calibration has no nhwc ops, so convolution, pooling and "
				  "normalization use the times of nchw (paleo calibrate --layout "
				  "nhwc)"
				: " changes no time: datasheets have no layouts, presets only "
				  "those of tensor cores; use --algorithm-file or a calibration");
}

void predict_note_unknown(const struct paleo_calibration *c, const struct plan *p, FILE *out)
{
	const struct paleo_op *first = NULL;
	struct paleo_prediction none;
	struct paleo_error why;
	int rows = 0, unknown = 0;

	for (int i = 0; i < p->net_count; i++) {
		const struct plan_net *n = &p->nets[i];
		rows += n->rows.count;
		for (int r = 0; r < n->rows.count; r++) {
			const struct plan_op *w = &p->ops[n->op_of[r]];
			unknown += !w->predicted;
			if (!w->predicted && !first)
				first = &w->op;
		}
	}
	if (first && paleo_predict_op(c, first, &none, &why))
		paleo_print(out, "%d of %d rows have no prediction: %s\n", unknown, rows, why.text);
}

/* Says so where ops are based on a model that was fitted to nothing. */
void predict_note_guesses(const struct plan *p, FILE *out)
{
	int guessed = 0;

	for (int i = 0; i < p->op_count; i++) {
		const struct paleo_class_model *f =
			p->ops[i].predicted ? p->ops[i].prediction.factor : NULL;
		guessed += f && f->model && f->model->kernel->is_guess && !f->records;
	}
	if (guessed)
		paleo_print(out,
			    "%d of %d distinct ops, attention and experts, use a roofline that was "
			    "fitted to no data\n",
			    guessed, p->op_count);
}
