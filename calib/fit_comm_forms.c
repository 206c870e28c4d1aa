/* fit_comm_forms.c - chooses the form of a link's times by held-out error. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "calib/fit_comm.h"
#include "calib/minimum.h"

enum {
	SIZES_MIN = 5,    /* fewer do not determine a form when one of them is left out */
	SIZES_ALONE = 32, /* so many are left out one by one */
	PARTS = 8         /* of more */
};

static int fit_form(enum paleo_comm_form form, struct paleo_comm_points *points, int passes,
		    struct paleo_link *link, struct paleo_comm_fit *fit, struct paleo_error *err)
{
	if (form == PALEO_COMM_CURVE)
		return paleo_fit_comm_curve(points, passes, link, fit, err);
	if (form == PALEO_COMM_BETWEEN)
		return paleo_fit_comm_between(points, passes, link, fit, err);
	return paleo_fit_comm(points, passes, PALEO_LINK_RANGES_MAX, link, fit, err);
}

/* Sizes are numbered from 0; a part has every parts-th of them. */
static int count_sizes(const struct paleo_comm_points *p)
{
	int sizes = p->count > 0;

	for (int i = 1; i < p->count; i++)
		sizes += p->items[i].bytes > p->items[i - 1].bytes;
	return sizes;
}

/* Copies the points inside or outside a part. */
static void split(const struct paleo_comm_points *all, int part, int parts, int inside,
		  struct paleo_comm_points *out)
{
	int size = 0;

	out->count = 0;
	for (int i = 0; i < all->count; i++) {
		size += i > 0 && all->items[i].bytes > all->items[i - 1].bytes;
		if ((size % parts == part) == inside)
			out->items[out->count++] = all->items[i];
	}
}

/* Leave-one-size-out error of a form, averaged; NaN if not available. ENOMEM. */
static int held_out(enum paleo_comm_form form, const struct paleo_comm_points *all, int passes,
		    struct paleo_comm_points *some, double *mean, struct paleo_error *err)
{
	int sizes = count_sizes(all), parts = sizes <= SIZES_ALONE ? sizes : PARTS;
	struct paleo_link link = {0};
	struct paleo_comm_fit fit;
	double sum = 0;

	*mean = NAN;
	for (int part = 0; part < parts; part++) {
		split(all, part, parts, 0, some);
		int rc = fit_form(form, some, passes, &link, &fit, err);
		if (rc)
			return rc == PALEO_ENOMEM ? rc : PALEO_OK;
		split(all, part, parts, 1, some);
		for (int i = 0; i < some->count; i++) {
			const struct paleo_comm_point *p = &some->items[i];
			sum += fabs(log(paleo_comm_link_s(&link, p, passes) / p->time_s));
		}
	}
	*mean = sum / all->count;
	return PALEO_OK;
}

int paleo_fit_comm_best(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			struct paleo_comm_fit *fit, struct paleo_error *err)
{
	double errors[PALEO_COMM_FORMS] = {NAN, NAN, NAN};
	enum paleo_comm_form best = PALEO_COMM_RANGES;
	/* It also sorts and checks them. */
	int rc = paleo_fit_comm(points, passes, PALEO_LINK_RANGES_MAX, link, fit, err);

	if (rc || count_sizes(points) < SIZES_MIN)
		return rc;
	struct paleo_comm_points some = {
		.items = malloc((size_t)points->count * sizeof(*some.items))};
	if (!some.items)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", points->count);
	for (int form = 0; !rc && form < PALEO_COMM_FORMS; form++) {
		/* With all sizes there are more of them than where some are left out. */
		if (form == PALEO_COMM_BETWEEN && count_sizes(points) > PALEO_LINK_RANGES_MAX + 1)
			continue;
		rc = held_out((enum paleo_comm_form)form, points, passes, &some, &errors[form],
			      err);
		if (errors[form] < errors[best])
			best = (enum paleo_comm_form)form;
	}
	free(some.items);
	if (!rc)
		rc = fit_form(best, points, passes, link, fit, err);
	for (int form = 0; !rc && form < PALEO_COMM_FORMS; form++)
		fit->held_out[form] = errors[form];
	return rc;
}

/* One curve from latency to rate, fitted to measured collectives. */

#define SCALE 0.1 /* of a logarithm, as in the fits of the cost models */

enum {
	LATENCY,
	S_PER_BYTE,
	OVERLAP,
	PARAMETERS,
	POLISH_MAX = 6
};

static const double low[] = {1e-9, 1e-15, 0.2}, high[] = {10, 1, 4};

struct problem {
	const struct paleo_comm_points *points;
	int passes;
};

/* Time for the whole vector, on so many ranks. */
static double curve_s(const double *z, int ranks, double bytes, int passes)
{
	double v = exp(z[OVERLAP]);
	double latency = pow(exp(z[LATENCY]), v);
	double moving = pow(exp(z[S_PER_BYTE]) * bytes / ranks, v);

	return passes * (ranks - 1) * pow(latency + moving, 1 / v);
}

static double loss_at(const void *context, const double *z)
{
	const struct problem *p = context;
	double sum = 0;

	for (int i = 0; i < p->points->count; i++) {
		const struct paleo_comm_point *at = &p->points->items[i];
		double s = curve_s(z, at->ranks, at->bytes, p->passes);
		sum += paleo_pseudo_huber(log(s / at->time_s) / SCALE);
	}
	return sum;
}

/* Latency, rate and overlap belong together: the search along the axes begins again as long as that
 * helps. */
static double search(const struct problem *p, double *z)
{
	double lows[PARAMETERS], highs[PARAMETERS], before = INFINITY;
	struct paleo_pattern_result result;
	const struct paleo_pattern_problem pattern = {.params = PARAMETERS,
						      .loss = loss_at,
						      .context = p,
						      .low = lows,
						      .high = highs,
						      .step = 0.5,
						      .step_min = 0.001,
						      .evaluations_max = 2000};

	for (int j = 0; j < PARAMETERS; j++) {
		lows[j] = log(low[j]);
		highs[j] = log(high[j]);
	}
	for (int i = 0; i < POLISH_MAX; i++) {
		paleo_pattern_solve(&pattern, z, &result);
		if (!(result.loss < 0.999 * before))
			break;
		before = result.loss;
	}
	return result.loss;
}

/* Chords of the curve between the smallest and the largest size, evenly on the logarithms, and one
 * from there to sixteen times as much. */
static void fill_chords(const double *z, int ranks, double smallest, double largest,
			struct paleo_link *link)
{
	int n = PALEO_LINK_RANGES_MAX;

	for (int i = 0; i < n; i++) {
		int last = i == n - 1;
		double from = smallest * pow(largest / smallest, (double)i / (n - 1));
		double to = last ? 16 * largest
				 : smallest * pow(largest / smallest, (i + 1.0) / (n - 1));
		double from_s = curve_s(z, ranks, from, 1) / (ranks - 1);
		double to_s = curve_s(z, ranks, to, 1) / (ranks - 1);
		double s_per_byte = ranks * (to_s - from_s) / (to - from);
		link->ranges[i] = (struct paleo_link_range){
			.to_bytes = last ? INFINITY : to,
			.latency_s = fmax(0, from_s - s_per_byte * from / ranks),
			.bytes_per_s = 1 / fmax(s_per_byte, 1e-15),
			.se_latency_s = NAN,
			.se_bytes_per_s = NAN};
	}
	link->range_count = n;
}

int paleo_fit_comm_curve(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			 struct paleo_comm_fit *fit, struct paleo_error *err)
{
	static const double starts[] = {1, 0.5};
	const struct problem p = {points, passes};
	double best[PARAMETERS] = {0}, least = INFINITY;

	PALEO_TRY(paleo_fit_comm(points, passes, 1, link, fit, err));
	const struct paleo_comm_point *first = points->items, *last = first + points->count - 1;
	if (!(last->bytes > first->bytes))
		return paleo_fail(err, PALEO_EINPUT, "all measured times are of one size");
	for (int i = 0; i < points->count; i++)
		if (points->items[i].ranks != first->ranks)
			return paleo_fail(
				err, PALEO_EUNSUPPORTED,
				"times on %d and on %d ranks cannot be fitted by one curve",
				first->ranks, points->items[i].ranks);
	for (int i = 0; i < 2; i++) {
		double z[PARAMETERS] = {log(fmax(link->latency_s, low[LATENCY])),
					-log(link->bytes_per_s), log(starts[i])};
		double loss = search(&p, z);
		for (int j = 0; loss < least && j < PARAMETERS; j++)
			best[j] = z[j];
		least = fmin(loss, least);
	}
	fill_chords(best, first->ranks, first->bytes, last->bytes, link);
	link->latency_s = exp(best[LATENCY]);
	link->bytes_per_s = exp(-best[S_PER_BYTE]);
	int rc = paleo_comm_fit_sum(points, passes, link, fit, err);
	fit->form = PALEO_COMM_CURVE;
	fit->overlap = exp(best[OVERLAP]);
	return rc;
}
