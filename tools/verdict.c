/* verdict.c - says in a sentence what a calibration is good for, by stated rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calib/trust.h"

/* One class and number type: of its passes, the one that is trusted least. */
struct judged {
	const char *name;
	enum paleo_dtype dtype;
	enum paleo_trust trust;
	double median;
};

struct list {
	struct judged *items;
	int count, dtypes; /* the second: bits of the number types there are */
};

/* What is not told says nothing of the other passes. */
static int is_worse(const struct judged *a, const struct judged *b)
{
	if (a->trust == PALEO_TRUST_UNTOLD || b->trust == PALEO_TRUST_UNTOLD)
		return b->trust == PALEO_TRUST_UNTOLD;
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
	name_all(l, PALEO_TRUST_UNTOLD,
		 found ? "; not told for want of works:" : " not told for want of works:", out);
	paleo_print(out,
		    "\n(good: median error at most %.0f %%, nine of ten within %.0f %%; rough: "
		    "median at most %.0f %%; by %d works held out or more)\n",
		    100 * PALEO_TRUST_GOOD_MEDIAN, 100 * PALEO_TRUST_GOOD_P90,
		    100 * PALEO_TRUST_ROUGH_MEDIAN, PALEO_TRUST_WORKS);
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
			    "\nno verdict: the calibration was fitted to %d of these records\n",
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
	for (int i = 0; p && i < p->work_count; i++)
		if (p->works[i].predicted && p->works[i].prediction.factor == f)
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
	if (!rc && name_all(&l, PALEO_TRUST_NOT, "the calibration is not good for", out))
		fputs(": errors on works held out of its fit; more records, or --law presets, may "
		      "do better\n",
		      out);
	free(l.items);
	return rc;
}
