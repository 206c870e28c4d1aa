/* pool.c - noise of repeated measurements of many items, estimated from all of them together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

/* Residuals beyond so many standard deviations count less (Huber 1964). */
static const double HUBER = 1.5;
/* A normal distribution's standard deviation over its median absolute deviation. */
static const double SD_OVER_MAD = 1.4826;
/* Before any data: an item follows the rate in full or not at all. */
static const double SLOPE_PRIOR = 0.5, SLOPE_PRIOR_SD = 0.5;

enum {
	ROUNDS = 5,     /* of reweighting */
	GROUP_LEAST = 8 /* items with a variance, for a prior of the group alone */
};

/* The visits and what is computed from them; arrays have one number for each visit, or item. */
struct pool {
	const struct paleo_visit *visits;
	size_t n, count;
	struct paleo_pooled *items;
	struct paleo_pool_group *groups;
	double *value; /* of a visit, at the mean rate */
	double *rate;  /* of a visit, from the mean of its item's; NaN: not known */
	double *weight, *scratch;
	double *sum, *sum_weight; /* of an item */
	double *variance, *degrees, *prior, *prior_degrees;
};

static double weight_of(double residual, double scale)
{
	double size = fabs(residual);

	return size <= HUBER * scale || size == 0 ? 1 : HUBER * scale / size;
}

/* Writes each visit's number less the weighted mean of its item's; NaN is left out, and stays. */
static void centre(const struct pool *p, const double *from, double *out)
{
	memset(p->sum, 0, p->count * sizeof(*p->sum));
	memset(p->sum_weight, 0, p->count * sizeof(*p->sum_weight));
	for (size_t i = 0; i < p->n; i++) {
		if (isnan(from[i]))
			continue;
		p->sum[p->visits[i].item] += p->weight[i] * from[i];
		p->sum_weight[p->visits[i].item] += p->weight[i];
	}
	for (size_t i = 0; i < p->n; i++)
		out[i] = from[i] - p->sum[p->visits[i].item] / p->sum_weight[p->visits[i].item];
}

static int is_in(const struct pool *p, size_t visit, int group)
{
	const struct paleo_pooled *item = &p->items[p->visits[visit].item];

	return item->group == group && item->visits > 1 && !isnan(p->rate[visit]);
}

/* The slope that makes the residuals' weighted squares least, given the prior; and the weights for
 * the next time. `y` has the centred values. */
static void regress(const struct pool *p, int group, const double *y)
{
	double xx = 0, xy = 0, square = 0, weights = 0, *sizes = p->scratch;
	double slope = p->groups[group].slope;
	size_t known = 0;

	for (size_t i = 0; i < p->n; i++)
		if (is_in(p, i, group))
			sizes[known++] = fabs(y[i] + slope * p->rate[i]);
	if (!known)
		return;
	const double scale = SD_OVER_MAD * paleo_median(sizes, known, sizes + known);
	for (size_t i = 0; i < p->n; i++) {
		if (!is_in(p, i, group))
			continue;
		double residual = y[i] + slope * p->rate[i];
		p->weight[i] = weight_of(residual, scale);
		xx += p->weight[i] * p->rate[i] * p->rate[i];
		xy -= p->weight[i] * p->rate[i] * y[i];
		square += p->weight[i] * residual * residual;
		weights += p->weight[i];
	}
	double noise = square / weights / (SLOPE_PRIOR_SD * SLOPE_PRIOR_SD);
	double found = xx + noise > 0 ? (xy + noise * SLOPE_PRIOR) / (xx + noise) : SLOPE_PRIOR;
	p->groups[group].slope = fmin(fmax(found, 0), 1);
	p->groups[group].slope_se =
		xx + noise > 0 ? SLOPE_PRIOR_SD * sqrt(noise / (xx + noise)) : SLOPE_PRIOR_SD;
}

/* Fits the slope of a group and brings its visits to the mean rate. */
static void level(struct pool *p, int group, double *y)
{
	struct paleo_pool_group *g = &p->groups[group];
	double mean = 0, square = 0;
	size_t known = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->items[p->visits[i].item].group != group || isnan(p->visits[i].log_rate))
			continue;
		known++;
		double from = p->visits[i].log_rate - mean;
		mean += from / (double)known;
		square += from * (p->visits[i].log_rate - mean);
	}
	*g = (struct paleo_pool_group){.log_rate = known ? mean : (double)NAN};
	if (!known)
		return;
	g->rate_sd = known > 1 ? sqrt(square / (double)(known - 1)) : 0;
	g->slope = SLOPE_PRIOR;
	g->slope_se = SLOPE_PRIOR_SD;
	for (int k = 0; k < ROUNDS; k++) {
		centre(p, p->value, y);
		regress(p, group, y);
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->items[p->visits[i].item].group == group && !isnan(p->visits[i].log_rate))
			p->value[i] += g->slope * (p->visits[i].log_rate - mean);
}

/* The variance between the visits of each item; NaN where there are fewer than two. */
static void spread(struct pool *p, double *y)
{
	for (size_t i = 0; i < p->n; i++)
		p->weight[i] = 1;
	centre(p, p->value, y);
	memset(p->variance, 0, p->count * sizeof(*p->variance));
	for (size_t i = 0; i < p->n; i++)
		p->variance[p->visits[i].item] += y[i] * y[i];
	for (size_t k = 0; k < p->count; k++) {
		p->degrees[k] = p->items[k].visits - 1;
		p->variance[k] = p->degrees[k] > 0 ? p->variance[k] / p->degrees[k] : (double)NAN;
	}
}

/* The prior of the items of a group, or, where it has few, of all. */
static struct paleo_variance_prior prior_of(const struct pool *p, int group)
{
	size_t known = 0;

	for (int all = 0; all < 2; all++) {
		known = 0;
		for (size_t k = 0; k < p->count; k++) {
			if ((!all && p->items[k].group != group) || !(p->variance[k] > 0))
				continue;
			p->prior[known] = p->variance[k];
			p->prior_degrees[known++] = p->degrees[k];
		}
		if (known >= GROUP_LEAST)
			break;
	}
	return paleo_variance_prior_fit(p->prior, p->prior_degrees, known);
}

/* The variance of an item's visits, moderated by its group's, becomes that of its mean. */
static void moderate(struct pool *p)
{
	struct paleo_variance_prior priors[PALEO_POOL_GROUPS];

	for (int g = 0; g < PALEO_POOL_GROUPS; g++)
		priors[g] = prior_of(p, g);
	for (size_t k = 0; k < p->count; k++) {
		struct paleo_pooled *item = &p->items[k];
		double both, variance = paleo_variance_raise(&priors[item->group], p->variance[k],
							     p->degrees[k], &both);
		item->se = item->degrees = NAN;
		if (item->visits && both > 0) {
			item->se = sqrt(variance / item->visits);
			item->degrees = both;
		}
	}
}

/* The robust mean of each item's visits. */
static void locate(struct pool *p, double *y)
{
	for (int k = 0; k < ROUNDS; k++) {
		centre(p, p->value, y);
		for (size_t i = 0; i < p->n; i++) {
			const struct paleo_pooled *item = &p->items[p->visits[i].item];
			double scale = item->se * sqrt(item->visits);
			p->weight[i] = item->visits > 2 ? weight_of(y[i], scale) : 1;
		}
	}
	centre(p, p->value, y);
	for (size_t k = 0; k < p->count; k++)
		p->items[k].log_value = p->sum[k] / p->sum_weight[k];
}

static void fill(struct pool *p)
{
	double *y = p->scratch + 2 * p->n;

	for (size_t k = 0; k < p->count; k++)
		p->items[k].visits = 0;
	for (size_t i = 0; i < p->n; i++) {
		p->items[p->visits[i].item].visits++;
		p->weight[i] = 1;
		p->value[i] = p->visits[i].log_value;
		p->rate[i] = p->visits[i].log_rate;
	}
	centre(p, p->rate, p->rate);
	for (int g = 0; g < PALEO_POOL_GROUPS; g++)
		level(p, g, y);
	spread(p, y);
	moderate(p);
	locate(p, y);
}

int paleo_pool(const struct paleo_visit *visits, size_t n, struct paleo_pooled *items, size_t count,
	       struct paleo_pool_group groups[PALEO_POOL_GROUPS], struct paleo_error *err)
{
	double *room = malloc((6 * n + 6 * count + 1) * sizeof(*room));
	struct pool p = {.visits = visits,
			 .n = n,
			 .count = count,
			 .items = items,
			 .groups = groups,
			 .value = room,
			 .rate = room + n,
			 .weight = room + 2 * n,
			 .scratch = room + 3 * n,
			 .sum = room + 6 * n,
			 .sum_weight = room + 6 * n + count,
			 .variance = room + 6 * n + 2 * count,
			 .degrees = room + 6 * n + 3 * count,
			 .prior = room + 6 * n + 4 * count,
			 .prior_degrees = room + 6 * n + 5 * count};

	if (!room)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %zu times", n);
	fill(&p);
	free(room);
	return PALEO_OK;
}
