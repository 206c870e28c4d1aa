/* fit_comm.c - fits a link's latencies and rates, by size, to measured collectives. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_comm.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

enum {
	POINTS_MIN = 3,    /* of one range */
	POINTS_MAX = 1024, /* the cuts take n^2 steps for each range */
	RANGES_MAX = 8     /* that the criterion may choose */
};

#define RATE_UNKNOWN 1e15
#define NO_FIT 1e300
#define RSS_FLOOR 1e-12 /* relative errors of 1e-6: logs have few digits */

/* A line fitted to points [from, to): time = a x + b y, x the messages, y their bytes. */
struct line {
	double a, b, se_a, se_b;
	double rss; /* of relative errors */
};

static double messages(const struct paleo_comm_point *p, int passes)
{
	return passes * (p->ranks - 1);
}

static double moved(const struct paleo_comm_point *p, int passes)
{
	return messages(p, passes) * p->bytes / p->ranks;
}

/* Sums of x/t, y/t and 1, multiplied pairwise. */
struct sums {
	double xx, xy, yy, x, y;
	int n;
};

static void add_point(struct sums *s, const struct paleo_comm_point *p, int passes)
{
	double x = messages(p, passes) / p->time_s;
	double y = moved(p, passes) / p->time_s;

	s->xx += x * x;
	s->xy += x * y;
	s->yy += y * y;
	s->x += x;
	s->y += y;
	s->n++;
}

/* Least squares with a and b not below 0: if one would be negative, it is 0 and the other is fitted
 * alone. */
static struct line line_of(const struct sums *s)
{
	double det = s->xx * s->yy - s->xy * s->xy;
	struct line l = {.se_a = NAN, .se_b = NAN};
	int both = det > 1e-12 * s->xx * s->yy, n = s->n;

	if (both) {
		l.a = (s->x * s->yy - s->y * s->xy) / det;
		l.b = (s->y * s->xx - s->x * s->xy) / det;
	}
	if (!both || l.b <= 0) {
		l.a = s->x / s->xx;
		l.b = 0;
	} else if (l.a < 0) {
		l.a = 0;
		l.b = s->y / s->yy;
	}
	l.rss = fmax(0, l.a * l.a * s->xx + 2 * l.a * l.b * s->xy + l.b * l.b * s->yy -
				2 * (l.a * s->x + l.b * s->y) + n);
	if (l.a > 0 && l.b > 0 && n > 2) {
		double variance = l.rss / (n - 2);
		l.se_a = sqrt(variance * s->yy / det);
		l.se_b = sqrt(variance * s->xx / det);
	} else if (n > 1) {
		double variance = l.rss / (n - 1);
		l.se_a = l.a > 0 ? sqrt(variance / s->xx) : NAN;
		l.se_b = l.b > 0 ? sqrt(variance / s->yy) : NAN;
	}
	return l;
}

static struct line fit_line(const struct paleo_comm_point *p, int n, int passes)
{
	struct sums s = {0};

	for (int i = 0; i < n; i++)
		add_point(&s, &p[i], passes);
	return line_of(&s);
}

static int by_size(const void *a, const void *b)
{
	double x = ((const struct paleo_comm_point *)a)->bytes;
	double y = ((const struct paleo_comm_point *)b)->bytes;

	return (x > y) - (x < y);
}

/* A range may end before point i if the size changes there. */
static int may_cut(const struct paleo_comm_points *p, int i)
{
	return i == 0 || i == p->count || p->items[i].bytes > p->items[i - 1].bytes;
}

/* The best cuts into 1 .. most ranges, by dynamic programming (Bellman 1961). */
struct cuts {
	double *cost; /* [range][end]: least sum of squares of the first `end` points */
	int *from;    /* [range][end]: where the last range begins */
	int width;
};

static int make_cuts(const struct paleo_comm_points *p, int passes, int most, struct cuts *c,
		     struct paleo_error *err)
{
	assert(p->count > 0 && most > 0);
	c->width = p->count + 1;
	size_t cells = (size_t)(most + 1) * (size_t)c->width;
	c->cost = calloc(cells, sizeof(*c->cost));
	c->from = calloc(cells, sizeof(*c->from));
	if (!c->cost || !c->from)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", p->count);
	for (size_t i = 0; i < cells; i++)
		c->cost[i] = NO_FIT;
	c->cost[0] = 0;
	for (int from = 0; from < p->count; from++) {
		struct sums s = {0};
		if (!may_cut(p, from))
			continue;
		for (int end = from + 1; end <= p->count; end++) {
			add_point(&s, &p->items[end - 1], passes);
			if (s.n < POINTS_MIN || !may_cut(p, end))
				continue;
			double rss = line_of(&s).rss;
			for (int k = 1; k <= most; k++) {
				double before = c->cost[(k - 1) * c->width + from];
				if (before + rss >= c->cost[k * c->width + end])
					continue;
				c->cost[k * c->width + end] = before + rss;
				c->from[k * c->width + end] = from;
			}
		}
	}
	return PALEO_OK;
}

/* A latency and a rate for each range, and the size at which each but the last ends. */
static double criterion(double rss, int n, int ranges)
{
	return n * log(rss / n + RSS_FLOOR) + (3 * ranges - 1) * log(n);
}

static void fill_range(const struct paleo_comm_points *p, int from, int end, int passes,
		       struct paleo_link_range *r)
{
	struct line l = fit_line(p->items + from, end - from, passes);

	*r = (struct paleo_link_range){
		.to_bytes = end == p->count ? INFINITY : p->items[end - 1].bytes,
		.latency_s = l.a,
		.bytes_per_s = l.b > 1 / RATE_UNKNOWN ? 1 / l.b : RATE_UNKNOWN,
		.se_latency_s = l.se_a,
		.se_bytes_per_s = l.b > 1 / RATE_UNKNOWN ? l.se_b / (l.b * l.b) : NAN,
	};
}

/* End of a range: where the next one gives the same time, if that is before its first size, else
 * halfway between them on a log scale. */
static double border(const struct paleo_link_range *a, const struct paleo_link_range *b,
		     const struct paleo_comm_point *last)
{
	double low = last[0].bytes, high = last[1].bytes;
	double cross = last->ranks * (b->latency_s - a->latency_s) /
		       (1 / a->bytes_per_s - 1 / b->bytes_per_s);

	return round(cross >= low && cross < high ? cross : sqrt(low * high));
}

static int check(const struct paleo_comm_points *p, struct paleo_error *err)
{
	if (p->count < POINTS_MIN)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d measured times, expected at least %d of different sizes",
				  p->count, POINTS_MIN);
	if (p->count > POINTS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%d measured times, expected at most %d",
				  p->count, POINTS_MAX);
	return PALEO_OK;
}

double paleo_comm_link_s(const struct paleo_link *link, const struct paleo_comm_point *p,
			 int passes)
{
	const struct paleo_link_range *r = link->ranges;

	while (r < &link->ranges[link->range_count - 1] && p->bytes > r->to_bytes)
		r++;
	return r->latency_s * messages(p, passes) + moved(p, passes) / r->bytes_per_s;
}

int paleo_comm_fit_sum(const struct paleo_comm_points *points, int passes,
		       const struct paleo_link *link, struct paleo_comm_fit *fit,
		       struct paleo_error *err)
{
	size_t n = (size_t)points->count;
	double *errors = malloc(n * sizeof(*errors));

	if (!errors)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", points->count);
	for (size_t i = 0; i < n; i++) {
		const struct paleo_comm_point *p = &points->items[i];
		errors[i] = fabs(paleo_comm_link_s(link, p, passes) / p->time_s - 1);
	}
	paleo_sort(errors, n);
	*fit = (struct paleo_comm_fit){.points = points->count,
				       .median_error = paleo_quantile_sorted(errors, n, 0.5),
				       .max_error = errors[n - 1],
				       .overlap = NAN,
				       .held_out = {NAN, NAN, NAN}};
	free(errors);
	return PALEO_OK;
}

int paleo_fit_comm(struct paleo_comm_points *points, int passes, int ranges_max,
		   struct paleo_link *link, struct paleo_comm_fit *fit, struct paleo_error *err)
{
	struct cuts c = {0};
	int most = ranges_max < RANGES_MAX ? ranges_max : RANGES_MAX;
	int n = points->count, best = 1;

	PALEO_TRY(check(points, err));
	qsort(points->items, (size_t)n, sizeof(*points->items), by_size);
	int rc = make_cuts(points, passes, most, &c, err);
	if (rc)
		goto out;
	for (int k = 2; k <= most; k++)
		if (c.cost[k * c.width + n] < NO_FIT &&
		    criterion(c.cost[k * c.width + n], n, k) <
			    criterion(c.cost[best * c.width + n], n, best))
			best = k;
	link->range_count = best;
	for (int k = best, end = n; k > 0; k--) {
		int from = c.from[k * c.width + end];
		fill_range(points, from, end, passes, &link->ranges[k - 1]);
		if (k < best)
			link->ranges[k - 1].to_bytes = border(
				&link->ranges[k - 1], &link->ranges[k], &points->items[end - 1]);
		end = from;
	}
	link->latency_s = link->ranges[best - 1].latency_s;
	link->bytes_per_s = link->ranges[best - 1].bytes_per_s;
	rc = paleo_comm_fit_sum(points, passes, link, fit, err);
out:
	free(c.cost);
	free(c.from);
	return rc;
}

/* The first point of the next size. */
static int next_size(const struct paleo_comm_points *p, int from)
{
	int i = from;

	while (i < p->count && !(p->items[i].bytes > p->items[from].bytes))
		i++;
	return i;
}

int paleo_fit_comm_between(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			   struct paleo_comm_fit *fit, struct paleo_error *err)
{
	int n = 0;

	PALEO_TRY(check(points, err));
	qsort(points->items, (size_t)points->count, sizeof(*points->items), by_size);
	int from = 0, second = next_size(points, 0);
	while (second < points->count) {
		int end = next_size(points, second);
		if (n == PALEO_LINK_RANGES_MAX)
			return paleo_fail(err, PALEO_EUNSUPPORTED,
					  "more than %d sizes are too many for a line between "
					  "each two",
					  PALEO_LINK_RANGES_MAX + 1);
		fill_range(points, from, end, passes, &link->ranges[n++]);
		from = second;
		second = end;
	}
	if (n == 0)
		return paleo_fail(err, PALEO_EINPUT, "all measured times are of one size");
	link->range_count = n;
	link->latency_s = link->ranges[n - 1].latency_s;
	link->bytes_per_s = link->ranges[n - 1].bytes_per_s;
	PALEO_TRY(paleo_comm_fit_sum(points, passes, link, fit, err));
	fit->form = PALEO_COMM_BETWEEN;
	return PALEO_OK;
}
