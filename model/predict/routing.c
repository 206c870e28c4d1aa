/* routing.c - how many tokens the experts of a worker get, and in which tiles. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/routing.h"

#include <math.h>

/* A density of x^-alpha between two limits. */
struct law {
	double alpha, low, high;
	double whole, mean;
	double most; /* the median of the largest of all experts */
};

/* Integral of x^(power - 1). */
static double integral(double from, double to, double power)
{
	return fabs(power) > 1e-9 ? (pow(to, power) - pow(from, power)) / power : log(to / from);
}

/* Mean of x^power, where it is above `from`. */
static double moment(const struct law *l, double from, int power)
{
	return integral(from, l->high, power + 1 - l->alpha) / l->whole;
}

/* The share that this part of all are above. */
static double share_above(const struct law *l, double probability)
{
	double power = 1 - l->alpha, part = probability * l->whole;

	return fabs(power) > 1e-9 ? pow(pow(l->high, power) - power * part, 1 / power)
				  : l->high * exp(-part);
}

static struct law law_of(const struct paleo_moe_geom *g)
{
	int many = (double)g->tokens * g->topk > g->experts;
	struct law l = {.alpha = g->skew / 100.0,
			.low = many ? 1 : 0.01,
			.high = many ? 0.8 * g->tokens : 2,
			.whole = 1};

	l.whole = moment(&l, l.low, 0);
	l.mean = moment(&l, l.low, 1);
	l.most = share_above(&l, log(2) / g->experts);
	return l;
}

/* Probability of a share above x. */
static double above(const struct law *l, double x)
{
	return x <= l->low ? 1 : x >= l->high ? 0 : moment(l, x, 0);
}

/* Mean of what a share has above x. */
static double excess(const struct law *l, double x)
{
	if (x <= l->low)
		return l->mean - x;
	return x >= l->high ? 0 : moment(l, x, 1) - x * moment(l, x, 0);
}

/* The standard normal quantile of 1 - p, for p up to 1/2 (Abramowitz and Stegun 1964, 26.2.23). */
static double normal_above(double p)
{
	double t = sqrt(-2 * log(p));

	return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
			   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* Pairs of the busiest worker over the mean. */
static double busiest(const struct law *l, double workers, double local)
{
	if (workers <= 1)
		return 1;
	double spread = moment(l, l->low, 2) / (l->mean * l->mean) - 1, shape = local / spread;
	double z = normal_above(0.625 / (workers + 0.25));
	double root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));

	return fmin(fmax(root * root * root, 1), l->most / l->mean);
}

static double tiles_of(double pairs, double tile)
{
	return ceil(pairs / tile) * tile;
}

static struct paleo_routing route_evenly(double pairs, double local, double tile)
{
	double hit = fmax(1, fmin(local, pairs));

	return (struct paleo_routing){pairs, hit, 1, hit * tiles_of(pairs / hit, tile)};
}

/* One expert with `first` pairs and others with `each` in the mean, by the law. */
static struct paleo_routing route_others(const struct law *l, double first, double others,
					 double each, double tile)
{
	/* Numbers are rounded; pairs that this leaves go one by one to experts that have some. */
	double unit = l->mean / each, some = above(l, unit / 2);
	double taken = (excess(l, unit / 2) + unit / 2 * some) / unit;
	double hit = others * fmax(some, fmin(each - taken, 1));
	/* The sum over all j of the probability of more than j tiles, by the midpoint rule. */
	double more = others * excess(l, unit * tile / 2) / unit;

	return (struct paleo_routing){first + others * each, 1 + hit, 1,
				      tiles_of(first, tile) + hit * tile + more};
}

struct paleo_routing paleo_routing_of(const struct paleo_moe_geom *g, double tile)
{
	double local = g->local, all = g->tokens * fmin(g->topk, local);
	double even = paleo_moe_pairs(g);

	if (!g->skew)
		return route_evenly(fmax(1, fmin(even, all)), local, tile);
	const struct law l = law_of(g);
	double load = busiest(&l, g->experts / local, local), each = even / local;
	double pairs = fmax(1, fmin(even * load, all));
	/* One expert has what is above the mean of the others. */
	double first = pairs;

	if (local > 1)
		first = fmin(fmax(pairs - (local - 1) * each, each), each * l.most / l.mean);
	struct paleo_routing r = {.rows = tiles_of(first, tile), .hit = 1};
	if (pairs > first)
		r = route_others(&l, first, local - 1, (pairs - first) / (local - 1), tile);
	r.pairs = pairs;
	r.load = pairs / even;
	r.hit = fmin(r.hit, fmin(local, pairs));
	return r;
}

double paleo_routing_tile(const struct paleo_moe_geom *g, double most)
{
	int exponent;
	double each = (double)g->tokens * g->topk / g->local;
	double fraction = frexp(each, &exponent); /* 1/2 to below 1 */
	double rows = ldexp(1, fraction > 0.5 ? exponent : exponent - 1);

	return fmin(most, fmax(PALEO_ROUTING_TILE_MIN, rows));
}
