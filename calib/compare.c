/* compare.c - compares two times, given their measurement noise. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

static const double normal95 = 1.959964;
/* A normal distribution's standard deviation over its median absolute deviation. */
static const double sd_over_mad = 1.4826;
/* Shorter ops take mostly as long as the threads need to synchronise, which differs from run to
 * run. */
static const double short_s = 1e-4;

enum {
	KINS = 7,     /* by the probe that the ops follow, and whether they are short; 0: none */
	KIN_LEAST = 8 /* ops, for a variance between runs */
};

const char *paleo_verdict_name(enum paleo_compare_verdict v)
{
	static const char *const names[PALEO_VERDICTS] = {"SAME", "FASTER", "SLOWER", "UNCLEAR"};

	return names[v];
}

struct paleo_noisy paleo_noisy_between(double seconds, double low, double high, double quantile)
{
	return (struct paleo_noisy){.seconds = seconds,
				    .own_se =
					    low > 0 ? log(high / low) / 2 / quantile : (double)NAN,
				    .own_degrees = INFINITY};
}

/* Variance of the median of `n` normal values over that of their mean: 1 for one, pi/2 for many,
 * and between them right to 2 % (1.346 for 3, 1.434 for 5). */
static double middle_over_mean(double n)
{
	const double half_pi = 1.5707963;

	return half_pi * n / (n + half_pi - 1);
}

/* The interval of a pooled time has all of its noise. */
static struct paleo_noisy pooled(const struct paleo_op *op, const struct paleo_timing *t)
{
	double quantile = paleo_student_t95(t->ci_degrees);
	struct paleo_noisy n =
		paleo_noisy_between(t->median_s, t->ci_low_s, t->ci_high_s, quantile);

	n.is_pooled = 1;
	n.own_degrees = t->ci_degrees;
	n.prior_degrees = t->ci_degrees - fmax(t->repetitions - 1, 0);
	n.shared_degrees = INFINITY;
	n.rate = paleo_speed_rate(&t->speed, op);
	n.rate_sd = t->speed_sd;
	n.slope = t->speed_slope;
	n.slope_se = t->speed_slope_se;
	if (t->shared_degrees > 0) {
		n.shared_degrees = t->shared_degrees;
		n.shared_se = t->shared_half / paleo_student_t95(t->shared_degrees);
		n.own_se = sqrt(fmax(n.own_se * n.own_se - n.shared_se * n.shared_se, 0));
	}
	return n;
}

static struct paleo_noisy noise_within(const struct paleo_op *op, const struct paleo_timing *t)
{
	struct paleo_noisy n = {.seconds = t->median_s, .own_se = NAN};

	if (!paleo_timing_has_interval(t))
		return n;
	if (t->ci_degrees > 0)
		return pooled(op, t);
	if (t->repetitions < 2) {
		n = paleo_noisy_between(t->median_s, t->ci_low_s, t->ci_high_s, normal95);
		n.own_degrees = t->samples - 1;
		return n;
	}
	/* the interval is that of the mean of its repetitions, the time that of the median */
	n.own_degrees = n.shared_degrees = t->repetitions - 1;
	double times = paleo_student_t((size_t)t->repetitions - 1);
	double more = sqrt(middle_over_mean(t->repetitions));
	double all = more * log(t->ci_high_s / t->ci_low_s) / 2 / times;
	n.shared_se = more * t->shared_half / times;
	n.own_se = sqrt(fmax(all * all - n.shared_se * n.shared_se, 0));
	return n;
}

static int kin_of(enum paleo_follows follows, int is_short)
{
	return 1 + 2 * (int)follows + is_short;
}

struct paleo_noisy paleo_noisy_of(const struct paleo_op *op, const struct paleo_timing *t)
{
	struct paleo_noisy n = noise_within(op, t);

	n.kin = kin_of(paleo_speed_probe(op), t->median_s < short_s);
	return n;
}

/* How far apart two rates may be, in logarithms, to be like those within the runs; 0: not known. */
static double seen_within(const struct paleo_noisy *a, const struct paleo_noisy *b)
{
	return 2 * hypot(a->rate_sd, b->rate_sd);
}

void paleo_noisy_level(struct paleo_noisy *a, struct paleo_noisy *b)
{
	if (!(a->rate > 0 && b->rate > 0 && a->is_pooled && b->is_pooled))
		return;
	const double seen = seen_within(a, b), all = log(b->rate / a->rate);
	const double faster = seen > 0 ? fmax(-seen, fmin(all, seen)) : all;
	a->moved = b->moved = fabs(all - faster);
	a->seconds *= exp(-a->slope * faster / 2);
	b->seconds *= exp(b->slope * faster / 2);
	/* each corrects half the way, so that their shares of the error add up */
	double error = hypot(a->slope_se, b->slope_se) / 2 * fabs(faster) / sqrt(2);
	a->shared_se = hypot(a->shared_se, error);
	b->shared_se = hypot(b->shared_se, error);
}

int paleo_noisy_pool(struct paleo_noisy *list, size_t n, struct paleo_error *err)
{
	double *variances = calloc(2 * n + 1, sizeof(*variances)), *degrees = variances + n;

	if (!variances)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu ops", n);
	for (size_t i = 0; i < n; i++) {
		variances[i] = list[i].own_se * list[i].own_se;
		degrees[i] = list[i].own_degrees;
	}
	struct paleo_variance_prior prior = paleo_variance_prior_fit(variances, degrees, n);
	for (size_t i = 0; prior.degrees > 0 && i < n; i++) {
		struct paleo_noisy *t = &list[i];
		if (isnan(t->own_se) || isinf(t->own_degrees) || t->is_pooled)
			continue;
		double both;
		t->own_se = sqrt(paleo_variance_raise(&prior, variances[i], t->own_degrees, &both));
		t->own_degrees = both;
	}
	free(variances);
	return PALEO_OK;
}

/* Log of each run's time over the mean of runs: the median over the ops. */
static double shared_error(const double *logs, const struct paleo_noisy *means, size_t n,
			   size_t runs, double *scratch)
{
	double square = 0, mean = 0, *runs_differ = scratch + 2 * n;

	for (size_t r = 0; r < runs; r++) {
		for (size_t i = 0; i < n; i++)
			scratch[i] = logs[r * n + i] - log(means[i].seconds);
		runs_differ[r] = paleo_median(scratch, n, scratch + n);
		mean += runs_differ[r] / (double)runs;
	}
	for (size_t r = 0; r < runs; r++)
		square += pow(runs_differ[r] - mean, 2);
	return sqrt(square / (double)(runs - 1) / (double)runs);
}

int paleo_noisy_of_runs(const double *times, size_t n, size_t runs, struct paleo_noisy *out,
			struct paleo_error *err)
{
	double *logs = malloc((n * runs + 2 * n + runs + 1) * sizeof(*logs));

	if (!logs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu ops", n);
	for (size_t i = 0; i < n; i++) {
		double mean = 0, square = 0;
		for (size_t r = 0; r < runs; r++) {
			logs[r * n + i] = log(times[r * n + i]);
			mean += logs[r * n + i] / (double)runs;
		}
		for (size_t r = 0; r < runs; r++)
			square += pow(logs[r * n + i] - mean, 2);
		out[i] = (struct paleo_noisy){.seconds = exp(mean), .own_se = NAN};
		out[i].own_se = sqrt(square / (double)(runs - 1) / (double)runs);
		out[i].own_degrees = (double)runs - 1;
	}
	double shared = n ? shared_error(logs, out, n, runs, logs + n * runs) : 0;
	for (size_t i = 0; i < n; i++) {
		double all = out[i].own_se;
		out[i].own_se = sqrt(fmax(all * all - shared * shared, 0));
		out[i].shared_se = shared;
		out[i].shared_degrees = (double)runs - 1;
	}
	free(logs);
	return PALEO_OK;
}

/* The variance of the difference of two logarithms, and its degrees of freedom by Welch's
 * formula. */
static double difference(const struct paleo_noisy *a, const struct paleo_noisy *b, double *degrees)
{
	const double errors[] = {a->own_se,    b->own_se, a->shared_se,
				 b->shared_se, a->run_se, b->run_se};
	const double of[] = {a->own_degrees,    b->own_degrees, a->shared_degrees,
			     b->shared_degrees, a->run_degrees, b->run_degrees};
	double sum = 0, share = 0;

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		double variance = errors[i] * errors[i];
		sum += variance;
		if (variance > 0)
			share += variance * variance / of[i];
	}
	*degrees = share > 0 ? sum * sum / share : (double)INFINITY;
	/* an op's noise is like its kin's in one way, which both runs see: it counts once */
	if (a->is_pooled && b->is_pooled && !(a->run_se > 0))
		*degrees *= 1 - fmin(a->prior_degrees, b->prior_degrees) /
					(a->own_degrees + b->own_degrees);
	return sum;
}

static struct paleo_change change_of(const struct paleo_noisy *a, const struct paleo_noisy *b)
{
	double degrees, apart = log(b->seconds / a->seconds);
	double se = sqrt(difference(a, b, &degrees));
	struct paleo_change c = {.ratio = expm1(apart), .low = NAN, .high = NAN, .p = NAN};

	if (isnan(se))
		return c;
	double half = se * paleo_student_t95(degrees);
	c.low = expm1(apart - half);
	c.high = expm1(apart + half);
	c.p = se > 0 ? paleo_student_p(fabs(apart) / se, degrees) : apart == 0;
	return c;
}

/* Standard deviation of a run's times of a kin beyond their noise; `scratch` has room for 3 n. */
static double run_error(const struct paleo_compared *list, size_t n, int kin, double *scratch,
			double *degrees)
{
	double *noise = scratch + n, *rest = scratch + 2 * n;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].a.kin != kin || list[i].b.kin != kin)
			continue;
		double ignored, of = difference(&list[i].a, &list[i].b, &ignored);
		if (isnan(of))
			continue;
		scratch[known] = log(list[i].b.seconds / list[i].a.seconds);
		noise[known++] = of;
	}
	if (known < KIN_LEAST)
		return 0;
	const double sd = sd_over_mad * paleo_mad(scratch, known, rest);
	*degrees = (double)known - 1;
	return sqrt(fmax(sd * sd - paleo_median(noise, known, rest), 0) / 2);
}

/* By how much the memory speed differs more between the runs than within them, in logarithms. */
static double moved(const struct paleo_compared *list, size_t n, double *scratch)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].a.kin == kin_of(PALEO_FOLLOWS_MEMORY, 0))
			scratch[known++] = list[i].a.moved;
	return known ? paleo_median(scratch, known, scratch + n) : 0;
}

/* Gives both times of each op the error of a run. */
static void add_run_errors(struct paleo_compared *list, size_t n, double *scratch)
{
	const double more = moved(list, n, scratch) / sqrt(2);

	for (int kin = 1; kin < KINS; kin++) {
		double degrees = INFINITY, error = run_error(list, n, kin, scratch, &degrees);
		if (kin != kin_of(PALEO_FOLLOWS_PRODUCTS, 0))
			error = fmax(error, more);
		for (size_t i = 0; i < n; i++) {
			if (list[i].a.kin != kin)
				continue;
			list[i].a.run_se = list[i].b.run_se = error;
			list[i].a.run_degrees = list[i].b.run_degrees = degrees;
		}
	}
}

static void judge(struct paleo_change *c, int is_true, const struct paleo_compare_how *how)
{
	if (c->low >= -how->same && c->high <= how->same)
		c->verdict = PALEO_SAME;
	else if (is_true)
		c->verdict = c->ratio < 0 ? PALEO_FASTER : PALEO_SLOWER;
	else
		c->verdict = PALEO_UNCLEAR;
}

int paleo_compare(struct paleo_compared *list, size_t n, const struct paleo_compare_how *how,
		  struct paleo_error *err)
{
	double *p = calloc(3 * n + 1, sizeof(*p));
	size_t *order = malloc((n + 1) * sizeof(*order)), known = 0;
	int *called = calloc(n + 1, sizeof(*called)), rc = PALEO_OK;

	if (!p || !order || !called) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu ops", n);
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		list[i].a.run_se = list[i].b.run_se = 0;
	if (!how->in_turn)
		add_run_errors(list, n, p);
	for (size_t i = 0; i < n; i++) {
		list[i].change = change_of(&list[i].a, &list[i].b);
		if (!isnan(list[i].change.p))
			p[known++] = list[i].change.p;
	}
	paleo_false_discoveries(p, known, how->level, order, called);
	known = 0;
	for (size_t i = 0; i < n; i++)
		judge(&list[i].change, !isnan(list[i].change.p) && called[known++], how);
out:
	free(p);
	free(order);
	free(called);
	return rc;
}

/* Adds one op's time to a sum whose errors are kept as seconds until it is complete. */
static void add(struct paleo_noisy *sum, const struct paleo_noisy *t, int rows)
{
	double seconds = rows * t->seconds, own = seconds * t->own_se;

	sum->seconds += seconds;
	sum->own_se += own * own;
	if (own > 0)
		sum->own_degrees += own * own * own * own / t->own_degrees;
	const double run = seconds * t->run_se;
	sum->run_se += run * run;
	if (run > 0)
		sum->run_degrees += run * run * run * run / t->run_degrees;
	sum->shared_se += seconds * t->shared_se;
	sum->shared_degrees = t->shared_degrees;
}

/* From the sum of squares and that of squared squares over their degrees. */
static void finish_error(double *se, double *degrees, double seconds)
{
	double square = *se;

	*degrees = *degrees > 0 ? square * square / *degrees : (double)INFINITY;
	*se = sqrt(square) / seconds;
}

static void finish(struct paleo_noisy *sum)
{
	finish_error(&sum->own_se, &sum->own_degrees, sum->seconds);
	finish_error(&sum->run_se, &sum->run_degrees, sum->seconds);
	sum->shared_se /= sum->seconds;
}

struct paleo_compared paleo_compare_sum(const struct paleo_compared *list, size_t n,
					const struct paleo_compare_how *how)
{
	struct paleo_compared sum = {0};

	for (size_t i = 0; i < n; i++) {
		add(&sum.a, &list[i].a, list[i].rows);
		add(&sum.b, &list[i].b, list[i].rows);
		sum.rows += list[i].rows;
	}
	finish(&sum.a);
	finish(&sum.b);
	sum.change = change_of(&sum.a, &sum.b);
	judge(&sum.change, sum.change.p <= how->level, how);
	return sum;
}
