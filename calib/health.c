/* health.c - robust comparison of a device with its kind, its siblings and its own past. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/health.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "model/predict/predict.h"

/* How much equal devices differ: a standard deviation, and the weight of it. */
static const double DIFFER = 0.015, DIFFER_DEGREES = 8;

/* The efficiency of the median absolute deviation at normal values. */
static const double MAD_EFFICIENCY = 0.37;

/* The 97.5 and 99.5 % points of a normal distribution. */
static const double NORMAL_975 = 1.96, NORMAL_995 = 2.5758;

static const struct paleo_health_finding nothing = {.slower = NAN, .p = NAN};

/* What brings the deviation of n normal values to their standard deviation (Croux and Rousseeuw
 * 1992). */
static double mad_factor(int n)
{
	static const double few[] = {0, 0, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};

	return 1.4826 * (n < 10 ? few[n] : n / (n - 0.8));
}

/* Values that a value is compared with: their middle, and the variance of another one. */
struct reference {
	double median, variance, degrees;
};

/* `scratch` has room for n >= 1. */
static struct reference refer(const double *x, int n, double *scratch)
{
	double median = paleo_median(x, (size_t)n, scratch);
	double deviation = mad_factor(n) * paleo_mad(x, (size_t)n, scratch);
	double own = MAD_EFFICIENCY * (n - 1), degrees = DIFFER_DEGREES + own;
	double squares = DIFFER_DEGREES * DIFFER * DIFFER + own * deviation * deviation;

	return (struct reference){median, squares / degrees, degrees};
}

/* The variance of a median of n over that of one; it is larger than a mean's. */
static double of_median(int n)
{
	return (n < 3 ? 1 : acos(-1) / 2) / n;
}

static struct paleo_health_finding judge(double value, const struct reference *r, int n,
					 double level, double margin)
{
	double t = (value - r->median) / sqrt(r->variance * (1 + of_median(n)));
	double p = paleo_student_p(fabs(t), r->degrees) / 2;
	struct paleo_health_finding f = {.slower = exp(value - r->median) - 1,
					 .p = t > 0 ? p : 1 - p};

	f.is_slow = f.p < level && f.slower >= margin;
	return f;
}

/* Everything one comparison holds. */
struct comparison {
	const struct paleo_health_value *own, *others;
	int count, parts;
	double *x, *scratch; /* of `count` each */
	double *apart; /* part by part, of each other one and then of this one: from the median */
	struct reference *refs; /* of each part */
	int *n;                 /* others that have the part; 0: it is not compared */
};

static double *apart_of(const struct comparison *c, int part, int device)
{
	return &c->apart[device * c->parts + part];
}

/* The reference of a part: the others that have it. */
static void refer_part(struct comparison *c, int part)
{
	const struct paleo_health_value *own = &c->own[part];
	double error = 0;
	int n = 0;

	for (int i = 0; i < c->count; i++) {
		const struct paleo_health_value *v = &c->others[i * c->parts + part];
		if (isnan(v->log_s))
			continue;
		c->x[n++] = v->log_s;
		error += v->se * v->se;
	}
	c->n[part] = isnan(own->log_s) ? 0 : n;
	if (!c->n[part])
		return;
	struct reference r = refer(c->x, n, c->scratch);
	r.variance = fmax(r.variance, fmax(own->se * own->se, error / n));
	for (int i = 0; i < c->count; i++)
		*apart_of(c, part, i) = c->others[i * c->parts + part].log_s - r.median;
	*apart_of(c, part, c->count) = own->log_s - r.median;
	c->refs[part] = r;
}

/* Few others do not show how parts scatter, but a device's other parts do. */
static double scatter_of_parts(const struct comparison *c, double *found, double *scratch)
{
	int n = 0;

	for (int part = 0; part < c->parts; part++)
		if (c->n[part])
			found[n++] = *apart_of(c, part, c->count);
	return n > 1 ? mad_factor(n) * paleo_mad(found, (size_t)n, scratch) : 0;
}

static void judge_parts(const struct comparison *c, const struct paleo_health_how *how,
			double scatter, struct paleo_health_finding *out)
{
	int compared = 0;

	for (int part = 0; part < c->parts; part++)
		compared += c->n[part] > 0;
	for (int part = 0; part < c->parts; part++) {
		struct reference r = c->refs[part];
		out[part] = nothing;
		if (!c->n[part])
			continue;
		r.variance = fmax(r.variance, scatter * scatter);
		out[part] = judge(c->own[part].log_s, &r, c->n[part], how->level / 2 / compared,
				  how->margin);
	}
}

/* The median of a device's parts, in units of the others' medians; NaN: there is none. */
static double median_part(const struct comparison *c, int device, double *found, double *scratch)
{
	int n = 0;

	for (int part = 0; part < c->parts; part++)
		if (!isnan(*apart_of(c, part, device)))
			found[n++] = *apart_of(c, part, device);
	return n ? paleo_median(found, (size_t)n, scratch) : NAN;
}

/* The others' median parts, in c->x; returns their number. */
static int others_medians(const struct comparison *c, double *found, double *scratch)
{
	int n = 0;

	for (int i = 0; i < c->count; i++) {
		double x = median_part(c, i, found, scratch);
		if (!isnan(x))
			c->x[n++] = x;
	}
	return n;
}

static struct paleo_health_finding compare_whole(const struct comparison *c, double level,
						 double margin, double *found, double *scratch)
{
	double own = median_part(c, c->count, found, scratch);
	int n = others_medians(c, found, scratch);

	if (!n || isnan(own))
		return nothing;
	const struct reference r = refer(c->x, n, c->scratch);
	return judge(own, &r, n, level, margin);
}

/* The t that |T| exceeds with this probability. */
static double student_beyond(double level, double degrees)
{
	double low = 0, high = 1;

	while (paleo_student_p(high, degrees) > level)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double t = (low + high) / 2;
		*(paleo_student_p(t, degrees) > level ? &low : &high) = t;
	}
	return high;
}

static struct paleo_health_factor factor_of(const struct comparison *c,
					    const struct paleo_health_how *how, double *found,
					    double *scratch)
{
	struct paleo_health_factor f = {NAN, NAN, NAN, NAN, 0, 0};
	double own = median_part(c, c->count, found, scratch), low, high;

	for (int part = 0; part < c->parts; part++)
		f.parts += !isnan(*apart_of(c, part, c->count));
	if (f.parts < PALEO_HEALTH_FACTOR_MIN)
		return f;
	paleo_sort(found, (size_t)f.parts);
	paleo_median_interval_sorted(found, (size_t)f.parts, 0.95, &low, &high);
	int n = others_medians(c, found, scratch);
	struct reference r = refer(c->x, n, c->scratch);
	double half = (high - low) / (2 * NORMAL_975);
	double spread = sqrt(fmax(r.variance, half * half) * (1 + of_median(n)));
	double limit = student_beyond(how->level, r.degrees) * spread;
	f.factor = exp(own - r.median);
	f.low = exp(low - r.median);
	f.high = exp(high - r.median);
	f.limit = fmax(exp(limit), 1 + how->margin);
	f.differs = f.factor > f.limit || f.factor < 1 / f.limit;
	return f;
}

/* Memory of a comparison, and each part's reference; *found and *scratch have room for the parts.
 */
static int begin(struct comparison *c, double **found, double **scratch, struct paleo_error *err)
{
	size_t devices = (size_t)c->count + 1, all = devices * (size_t)c->parts;

	c->x = malloc((2 * devices + all + 2 * (size_t)c->parts + 1) * sizeof(*c->x));
	c->refs = calloc((size_t)c->parts + 1, sizeof(*c->refs));
	c->n = calloc((size_t)c->parts + 1, sizeof(*c->n));
	if (!c->x || !c->refs || !c->n)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory to compare devices");
	c->scratch = c->x + devices;
	c->apart = c->scratch + devices;
	*found = c->apart + all;
	*scratch = *found + c->parts;
	for (size_t i = 0; i < all; i++)
		c->apart[i] = NAN;
	for (int part = 0; part < c->parts; part++)
		refer_part(c, part);
	return PALEO_OK;
}

static void end(struct comparison *c)
{
	free(c->n);
	free(c->refs);
	free(c->x);
}

int paleo_health_factor(const struct paleo_health_value *own,
			const struct paleo_health_value *others, int count, int parts,
			const struct paleo_health_how *how, struct paleo_health_factor *out,
			struct paleo_error *err)
{
	struct comparison c = {.own = own, .others = others, .count = count, .parts = parts};
	double *found, *scratch;
	int rc = begin(&c, &found, &scratch, err);

	if (!rc)
		*out = factor_of(&c, how, found, scratch);
	end(&c);
	return rc;
}

int paleo_health_compare(const struct paleo_health_value *own,
			 const struct paleo_health_value *others, int count, int parts,
			 const struct paleo_health_how *how, struct paleo_health_finding *out,
			 struct paleo_error *err)
{
	struct comparison c = {.own = own, .others = others, .count = count, .parts = parts};
	double *found, *scratch;
	int rc = begin(&c, &found, &scratch, err);

	if (!rc) {
		judge_parts(&c, how, scatter_of_parts(&c, found, scratch), out);
		out[parts] = compare_whole(&c, how->level / 2, how->margin, found, scratch);
	}
	end(&c);
	return rc;
}

int paleo_health_kind(const struct paleo_health_of_kind *ops, int count, double margin,
		      struct paleo_health_finding *out, struct paleo_error *err)
{
	double *memory = malloc(3 * ((size_t)count + 1) * sizeof(*memory));
	double *errors = memory, *logs = memory + count + 1, *scratch = logs + count + 1;

	*out = nothing;
	if (!memory)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a comparison of ops");
	for (int i = 0; i < count; i++) {
		double unit = log(ops[i].high90_s / ops[i].predicted_s) / PALEO_NORMAL_90;
		logs[i] = log(ops[i].measured_s / ops[i].predicted_s);
		errors[i] = logs[i] / unit;
	}
	if (count >= PALEO_HEALTH_KIND_MIN) {
		double error = paleo_median(errors, (size_t)count, scratch);
		out->slower = exp(paleo_median(logs, (size_t)count, scratch)) - 1;
		out->p = fmin(1, erfc(error / sqrt(2)));
		out->is_slow = error > NORMAL_995 && out->slower >= margin;
	}
	free(memory);
	return PALEO_OK;
}
