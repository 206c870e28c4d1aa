/* judge.c - judges devices: beside their kind, their siblings, their past; and why one is slow. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/source.h"
#include "model/predict/predict.h"
#include "tools/check/check.h"

/* False alarms of each of the comparisons, in a run. */
static const double LEVEL = 0.01;

/* Quartiles of a normal distribution are so many standard deviations apart. */
static const double QUARTILES = 1.349;

/* Memory that others use up to this is that of a driver or a display. */
static const double USED_BYTES = 1e9;

static const struct paleo_health_finding nothing = {.slower = NAN, .p = NAN};

static struct paleo_health_value value_of_op(const struct paleo_results *r, const char *key)
{
	struct paleo_health_value v = {.log_s = NAN};
	char text[PALEO_OP_KEY_MAX];

	for (int i = 0; i < r->count; i++) {
		const struct paleo_timing *t = &r->records[i].timing;
		paleo_op_key(&r->records[i].op, text, sizeof(text));
		if (r->records[i].status != PALEO_RECORD_OK || strcmp(text, key) != 0)
			continue;
		v.log_s = log(t->median_s);
		if (paleo_timing_has_interval(t))
			v.se = (t->ci_high_s - t->ci_low_s) / (2 * 1.96 * t->median_s);
	}
	return v;
}

struct paleo_health_value checked_value(const struct checked *c, const struct check_part *part)
{
	const struct paleo_results *r = &c->results;

	if (part->is_op)
		return value_of_op(r, part->name);
	const struct paleo_ceiling *x =
		paleo_ceiling_find(r->ceilings, r->ceiling_count, part->name);
	if (!x)
		return (struct paleo_health_value){.log_s = NAN};
	return (struct paleo_health_value){.log_s = strcmp(x->unit, "s") ? -log(x->value)
									 : log(x->value),
					   .se = isnan(x->spread) ? 0 : x->spread / QUARTILES};
}

double check_datasheet(const struct paleo_device *measured, const struct paleo_ceiling *x)
{
	const struct paleo_device *known = paleo_device_find(measured->name);
	const struct paleo_device *d = known ? known : measured;
	char name[32];

	if (d->measured)
		return 0;
	for (int t = 0; t < PALEO_DTYPES; t++) {
		snprintf(name, sizeof(name), "gemm_%s", paleo_dtype_name((enum paleo_dtype)t));
		if (!strcmp(name, x->name))
			return d->flop_per_s[t];
	}
	int is_memory = !strcmp(x->name, "copy") || !strcmp(x->name, "read") ||
			!strcmp(x->name, "write") || !strcmp(x->name, "add");
	return is_memory ? d->mem_bytes_per_s : 0;
}

/* That of its peaks where it has no ops. */
static const char *regime_of(const struct paleo_results *r)
{
	return r->count || !r->ceiling_count ? paleo_results_regime(r) : r->ceilings[0].regime;
}

static int is_comparable(const struct checked *a, const struct checked *b)
{
	const struct paleo_record_meta *x = &a->results.meta, *y = &b->results.meta;

	return !a->missing[0] && !b->missing[0] && !strcmp(x->device.name, y->device.name) &&
	       !strcmp(x->backend, y->backend) && x->threads == y->threads &&
	       !strcmp(regime_of(&a->results), regime_of(&b->results));
}

/* What a device is compared with in this respect. */
static int is_reference(const struct checked *c, const struct checked *other,
			enum check_beside beside)
{
	if (c == other || !is_comparable(c, other) || other->is_shipped != (beside == CHECK_PEAKS))
		return 0;
	if (beside == CHECK_PEAKS)
		return 1;
	return beside == CHECK_SIBLINGS ? other->is_now && !checked_same_device(c, other)
					: !other->is_now && checked_same_device(c, other);
}

/* A part as it is compared: of the shipped peaks those that the datasheet names, which say
 * something of the device and not of its host; products only by the same libraries. */
static struct paleo_health_value value_beside(const struct checked *c, const struct checked *other,
					      const struct check_part *part,
					      enum check_beside beside)
{
	const struct paleo_health_value none = {.log_s = NAN};
	const struct paleo_ceiling *x =
		part->is_op ? NULL
			    : paleo_ceiling_find(c->results.ceilings, c->results.ceiling_count,
						 part->name);

	if (beside == CHECK_PEAKS &&
	    (!x || !(check_datasheet(&c->results.meta.device, x) > 0) ||
	     (!strcmp(x->unit, "FLOP/s") &&
	      strcmp(c->results.meta.versions, other->results.meta.versions) != 0)))
		return none;
	return checked_value(other, part);
}

static int compare(struct checks *all, struct checked *c, enum check_beside beside,
		   const struct paleo_health_how *how, struct paleo_error *err)
{
	size_t parts = (size_t)all->part_count, n = 0;
	struct paleo_health_value *values =
		malloc(((size_t)all->count + 1) * (parts + 1) * sizeof(*values));

	if (!values)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory to compare devices");
	for (size_t p = 0; p < parts; p++)
		values[p] = checked_value(c, &all->parts[p]);
	for (int i = 0; i < all->count; i++)
		if (is_reference(c, &all->items[i], beside)) {
			n++;
			for (size_t p = 0; p < parts; p++)
				values[n * parts + p] =
					value_beside(c, &all->items[i], &all->parts[p], beside);
		}
	int rc = paleo_health_compare(values, values + parts, (int)n, (int)parts, how,
				      c->findings[beside], err);
	free(values);
	return rc;
}

/* The cost model for a device as its records describe it. */
static int open_source(const struct checked *c, struct paleo_source *out, struct paleo_error *err)
{
	const struct paleo_record_meta *m = &c->results.meta;
	struct paleo_device_info who = {.device = m->device, .threads = m->threads};
	const struct paleo_source_wish wish = {.dtype = PALEO_DTYPES, .who = &who};

	memcpy(who.versions, m->versions, sizeof(who.versions));
	memcpy(who.processor, m->processor, sizeof(who.processor));
	return paleo_choose_source(&wish, out, err);
}

/* Predicts the op of a part; 0: there is no interval. */
static int predict(const struct paleo_calibration *c, const char *key,
		   struct paleo_health_of_kind *out)
{
	struct paleo_error ignored;
	struct paleo_prediction p;
	struct paleo_op w;

	if (paleo_op_parse(key, &w, &ignored) || paleo_predict_op(c, &w, &p, &ignored) ||
	    !(p.interval.high > p.parts.total_s))
		return 0;
	out->predicted_s = p.parts.total_s;
	out->high90_s = p.interval.high;
	return 1;
}

static int compare_with_kind(struct checks *all, struct checked *c, double margin,
			     struct paleo_error *err)
{
	struct paleo_health_finding *f = c->findings[CHECK_KIND];
	struct paleo_health_of_kind *ops = calloc((size_t)all->part_count + 1, sizeof(*ops));
	struct paleo_source source = {0};
	int n = 0, rc = ops ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory for ops");

	if (!rc)
		rc = open_source(c, &source, err);
	for (int p = 0; p < all->part_count; p++) {
		double log_s = checked_value(c, &all->parts[p]).log_s;
		f[p] = nothing;
		c->kind_s[p] = NAN;
		if (rc || !all->parts[p].is_op || isnan(log_s) ||
		    !predict(&source.calibration, all->parts[p].name, &ops[n]))
			continue;
		ops[n].measured_s = exp(log_s);
		c->kind_s[p] = ops[n].predicted_s;
		f[p].slower = ops[n].measured_s / ops[n].predicted_s - 1;
		n++;
	}
	if (!rc)
		rc = paleo_health_kind(ops, n, margin, &f[all->part_count], err);
	paleo_source_release(&source);
	free(ops);
	return rc;
}

/* What the records say of the device's clock: the least, and why it was reduced. */
static double clock_of(const struct checked *c, char *reasons, size_t size)
{
	double least = NAN;

	reasons[0] = '\0';
	for (int i = 0; i < c->results.count; i++) {
		const struct paleo_state *s = &c->results.records[i].state;
		if (!(s->clock_ratio > 0) || s->clock_ratio >= least)
			continue;
		least = s->clock_ratio;
		snprintf(reasons, size, "%s", s->reasons);
	}
	return least;
}

/* Adds a clause to the reasons. */
__attribute__((format(printf, 2, 3))) static void tell(struct checked *c, const char *form, ...)
{
	size_t used = strlen(c->why);
	char text[224];
	va_list rest;

	va_start(rest, form);
	vsnprintf(text, sizeof(text), form, rest);
	va_end(rest);
	snprintf(c->why + used, sizeof(c->why) - used, "%s%s", used ? "; " : "", text);
}

static void tell_clock(const struct checks *all, struct checked *c)
{
	char reasons[96], ignored[96];
	double highest = 0, own = clock_of(c, reasons, sizeof(reasons));

	for (int i = 0; i < all->count; i++)
		if (is_reference(c, &all->items[i], CHECK_SIBLINGS) ||
		    is_reference(c, &all->items[i], CHECK_PAST))
			highest = fmax(highest, clock_of(&all->items[i], ignored, sizeof(ignored)));
	if (highest > 1.02 * own)
		tell(c, "clock at %.0f %% of its highest, elsewhere %.0f %%", 100 * own,
		     100 * highest);
	if (reasons[0] && strcmp(reasons, "idle") != 0)
		tell(c, "clock reduced by %s", reasons);
}

static int others_on(const struct checked *c)
{
	int most = 0;

	for (int i = 0; i < c->results.count; i++)
		if (c->results.records[i].state.others > most)
			most = c->results.records[i].state.others;
	return most;
}

static void tell_versions(const struct checks *all, struct checked *c)
{
	for (int i = 0; i < all->count; i++)
		if (is_reference(c, &all->items[i], c->beside) &&
		    strcmp(all->items[i].results.meta.versions, c->results.meta.versions) != 0) {
			tell(c, "other libraries than those it is compared with: %.80s",
			     c->results.meta.versions);
			return;
		}
}

/* Tells of ops that failed or had wrong results; 1 if there are any. */
static int tell_faults(struct checked *c)
{
	const struct paleo_result *first = NULL;
	int n = 0;

	for (int i = 0; i < c->results.count; i++) {
		const struct paleo_result *r = &c->results.records[i];
		if (r->status == PALEO_RECORD_OK || r->status == PALEO_RECORD_UNSUPPORTED ||
		    r->status == PALEO_RECORD_DISTURBED)
			continue;
		first = first ? first : r;
		n++;
	}
	if (first)
		tell(c, "%d of %d ops failed, the first: %s: %.150s", n, c->results.count,
		     paleo_record_status_name(first->status), first->reason);
	return n > 0;
}

/* Why a device may be slow, from its condition and its clock. */
static void explain(const struct checks *all, struct checked *c)
{
	const struct paleo_condition *d = &c->results.condition;

	tell_clock(all, c);
	if (d->power_limit_w < d->power_default_w)
		tell(c, "power limit %.0f of %.0f W", d->power_limit_w, d->power_default_w);
	if (others_on(c))
		tell(c, "%d other processes compute on it", others_on(c));
	if (d->used_bytes > USED_BYTES)
		tell(c, "others use %.1f GB of its memory", 1e-9 * d->used_bytes);
	if (d->pcie_width < d->pcie_width_max)
		tell(c, "PCIe has %d of %d lanes", d->pcie_width, d->pcie_width_max);
	if (d->ecc_errors)
		tell(c, "%d uncorrected memory errors", d->ecc_errors);
	tell_versions(all, c);
	if (!c->why[0])
		tell(c, "nothing that its driver says");
}

/* 1 if a finding says more of a device than the worst so far: what is slow before what is not, then
 * what is slower. */
static int says_more(const struct paleo_health_finding *f, const struct paleo_health_finding *worst)
{
	if (isnan(worst->slower) || f->is_slow != worst->is_slow)
		return isnan(worst->slower) || f->is_slow;
	return f->is_slow && f->slower > worst->slower;
}

/* Of a comparison the median part if that is slow or none is, else the slowest of the slow ones. */
static void take_worst(const struct checks *all, struct checked *c, enum check_beside beside)
{
	const struct paleo_health_finding *f = c->findings[beside];
	int worst = all->part_count;

	for (int p = 0; p < all->part_count; p++) {
		c->slow_parts += f[p].is_slow;
		if (f[p].is_slow && !f[all->part_count].is_slow && says_more(&f[p], &f[worst]))
			worst = p;
	}
	if (isnan(f[worst].slower) || !says_more(&f[worst], &c->worst))
		return;
	c->worst = f[worst];
	c->beside = beside;
	snprintf(c->part, sizeof(c->part), "%.60s",
		 worst == all->part_count ? "median part" : all->parts[worst].name);
}

static int judge(struct checks *all, struct checked *c, const struct paleo_health_how *how,
		 struct paleo_error *err)
{
	size_t parts = (size_t)all->part_count + 1;
	int rc = PALEO_OK;

	c->worst = nothing;
	c->verdict = CHECK_NOT_JUDGED;
	if (c->missing[0])
		return PALEO_OK;
	c->kind_s = calloc(parts, sizeof(*c->kind_s));
	for (int b = 0; b < CHECK_BESIDES; b++) {
		c->findings[b] = calloc(parts, sizeof(*c->findings[b]));
		if (!c->findings[b] || !c->kind_s)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory to judge devices");
	}
	rc = compare_with_kind(all, c, how->margin, err);
	if (!rc)
		rc = compare(all, c, CHECK_SIBLINGS, how, err);
	if (!rc)
		rc = compare(all, c, CHECK_PAST, how, err);
	if (!rc)
		rc = compare(all, c, CHECK_PEAKS, how, err);
	if (rc)
		return rc;
	static const enum check_beside order[] = {CHECK_SIBLINGS, CHECK_PAST, CHECK_PEAKS,
						  CHECK_KIND};
	for (int b = 0; b < CHECK_BESIDES; b++)
		take_worst(all, c, order[b]);
	if (!isnan(c->worst.slower))
		c->verdict = c->worst.is_slow ? CHECK_SLOW : CHECK_GOOD;
	if (tell_faults(c))
		c->verdict = CHECK_FAULTY;
	else if (c->verdict == CHECK_SLOW)
		explain(all, c);
	else if (c->verdict == CHECK_NOT_JUDGED && paleo_results_disturbed(&c->results) >= 1)
		tell(c, "other processes disturbed every op");
	else if (c->verdict == CHECK_NOT_JUDGED)
		tell(c,
		     "nothing to compare it with: neither its kind, siblings nor earlier checks");
	return PALEO_OK;
}

/* By node and device, numbers in them by their size. */
static int by_name(const void *a, const void *b)
{
	char x[160], y[160];

	checked_name(a, x, sizeof(x));
	checked_name(b, y, sizeof(y));
	return strverscmp(x, y);
}

int checks_judge(struct checks *all, double margin, struct paleo_error *err)
{
	int devices = 0, rc = PALEO_OK;

	if (all->count)
		qsort(all->items, (size_t)all->count, sizeof(*all->items), by_name);
	for (int i = 0; i < all->count; i++)
		devices += all->items[i].is_now;
	const struct paleo_health_how how = {.level = LEVEL / (devices ? devices : 1),
					     .margin = margin};
	for (int i = 0; i < all->count && !rc; i++)
		if (all->items[i].is_now)
			rc = judge(all, &all->items[i], &how, err);
	return rc;
}

void checks_count(const struct checks *all, int count[CHECK_VERDICTS])
{
	memset(count, 0, CHECK_VERDICTS * sizeof(*count));
	for (int i = 0; i < all->count; i++)
		count[all->items[i].verdict] += all->items[i].is_now;
}

int checks_exit_code(const struct checks *all)
{
	int count[CHECK_VERDICTS];

	checks_count(all, count);
	return count[CHECK_FAULTY]       ? EXIT_ROWS
	       : count[CHECK_SLOW]       ? EXIT_SLOWER
	       : count[CHECK_NOT_JUDGED] ? EXIT_UNMEASURED
					 : EXIT_GOOD;
}
