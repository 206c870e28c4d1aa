/* tile_choice.c - the time of a GEMM on a GPU: the best of tiles and splits, and its slopes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>

#include "model/predict/tile.h"
#include "model/predict/tile_lanes.h"

/*
 * Tiles are priced in parallel, four in one instruction: the parts of their times, of which the
 * largest is a lower bound of the total. Only the remaining ones are priced to the end, with roots
 * or logarithms.
 */
enum {
	SPLITS_END = 1024 /* beyond the largest split */
};

/* (a^q + b^q + c^q)^(1/q), a soft maximum. */
static double soft_max(double a, double b, double c, double q)
{
	double most = larger(a, larger(b, c)), scale = 1 / most;

	a *= scale;
	b *= scale;
	c *= scale;
	if (q == 4) {
		a *= a;
		b *= b;
		c *= c;
		return most * sqrt(sqrt(a * a + b * b + c * c));
	}
	/* The largest is 1 now, and so is its power; exp(q log x) is faster than pow(x, q). */
	double least = smaller(a, smaller(b, c)), middle = larger(a + b + c - 1 - least, 0);
	return most * exp(log(1 + exp(q * log(middle)) + exp(q * log(least))) / q);
}

/* Equal candidates: of a lower rank, by tile and then by split, wins. */
struct search {
	const struct paleo_tiles_common *common;
	int split_max;
	int first, moved; /* this tile ranks before all others, which one in its place; -1: none, or
			     not yet known */
	int rank;         /* of the best */
	struct paleo_tile_choice best; /* its tile is a place in the list */
	struct paleo_tiled tiled;
};

static int rank_of(const struct search *s, int tile, int split)
{
	int place = tile == s->first ? -1 : tile == s->moved ? s->first : tile;

	return place * SPLITS_END + split;
}

static struct paleo_tiles_part part_of(const struct paleo_tiles_common *c, int split)
{
	struct paleo_tiles_part p = {.split = split, .share = 1.0 / split};

	p.steps = up(c->k * p.share);
	p.memory_s = c->missed_bytes * c->mem_s;
	if (split > 1) {
		p.memory_s = (c->missed_bytes + 8 * split * c->results) * c->mem_s;
		p.penalty_s = c->split_s;
	}
	/* Rounding may take the last bits. */
	p.least_s = p.memory_s * (1 - 1e-15) + p.penalty_s;
	return p;
}

/* 1 if libraries split sums into such parts. */
static int is_part(const struct paleo_tiles_part *p)
{
	return p->split == 1 || p->steps >= 64;
}

static double compute_s(const struct search *s, int tile)
{
	return s->tiled.compute_s[tile / LANES][tile % LANES]; /* NOLINT: filled for listed tiles */
}

/* 1 if the best one takes no longer than its memory traffic. */
static int is_moved(const struct search *s, struct paleo_tiles_part *p)
{
	if (p->least_s > s->best.kernel_s)
		return 1;
	if (p->moving_s == 0) {
		p->moving_s = p->memory_s + p->penalty_s;
		if (s->common->sharpness == 4)
			p->moving_s = soft_max(0, p->memory_s, 0, 4) + p->penalty_s;
	}
	return p->moving_s >= s->best.kernel_s;
}

/* Prices one candidate to the end, if its parts leave a chance. */
static void price(struct search *s, int tile, struct paleo_tiles_part *p, int rank)
{
	double computing_s = compute_s(s, tile);
	double cache_s = s->tiled.cache_s[tile / LANES][tile % LANES];
	int of_memory = p->memory_s >= computing_s && p->memory_s >= cache_s;
	const int norm = s->common->norm, whole = s->common->sharpness == norm;

	if (tile == s->best.tile && p->split == s->best.split)
		return;
	if (of_memory && rank > s->rank && is_moved(s, p))
		return;
	/* By others of its list; of a whole q the list has hardly any. */
	if (!whole && raise(computing_s, norm) + raise(p->memory_s, norm) + raise(cache_s, norm) >
			      raise(s->best.kernel_s - p->penalty_s, norm) * PALEO_TILE_SURELY)
		return;
	double total_s =
		soft_max(computing_s, p->memory_s, cache_s, s->common->sharpness) + p->penalty_s;
	if (total_s > s->best.kernel_s || (total_s == s->best.kernel_s && rank > s->rank))
		return;
	s->best = (struct paleo_tile_choice){total_s, computing_s, p->memory_s,
					     cache_s, tile,        p->split};
	s->rank = rank;
}

static void price_all(struct search *s, unsigned set, struct paleo_tiles_part *p)
{
	for (; set; set &= set - 1) {
		int i = lowest_of(set);
		price(s, i, p, rank_of(s, i, p->split));
	}
}

/* Prices the previous fastest candidate first, so that few others are priced to the end; then those
 * without a split. 0 if it is not a candidate here. */
static int price_near(struct search *s, int tile, int split, const struct paleo_tiles_part *whole)
{
	struct paleo_tiles_part p = part_of(s->common, split);

	if (!is_part(&p) || p.split > s->split_max)
		return 0;
	s->first = tile;
	paleo_tiles_price(s->common, &p, &s->tiled);
	price(s, tile, &p, INT_MIN + 1);
	if (p.split > 1)
		paleo_tiles_price(s->common, whole, &s->tiled);
	return 1;
}

/* Without such a candidate: a good one of those without a split. Of tiles that compute equally fast
 * this one ranks first; -1: that of the lowest number. */
static void price_guess(struct search *s, int tile, struct paleo_tiles_part *whole)
{
	paleo_tiles_price(s->common, whole, &s->tiled);
	int best = s->first = s->moved = 0;
	if (s->tiled.count > 1)
		best = paleo_tiles_guess(&s->tiled, &s->first);
	if (tile >= 0)
		s->moved = tile;
	if (compute_s(s, s->moved) <= compute_s(s, s->first))
		s->first = s->moved;
	price(s, best, whole, rank_of(s, best, 1));
}

/* All tiles without a split, from none; `known` is one of them, or -1. */
static void price_whole(struct search *s, int known, struct paleo_tiles_part *whole)
{
	if (known >= 0 || s->common->sharpness != s->common->norm) {
		price_guess(s, known, whole);
		price_all(s, paleo_tiles_below(s->common, &s->tiled, whole, s->best.kernel_s),
			  whole);
		return;
	}
	paleo_tiles_price(s->common, whole, &s->tiled);
	unsigned set = paleo_tiles_below(s->common, &s->tiled, whole, s->best.kernel_s);
	s->moved = 0;
	if (set & (set - 1))
		paleo_tiles_guess(&s->tiled, &s->first);
	price_all(s, set, whole);
}

static void price_splits(struct search *s)
{
	const struct paleo_tiles_common *c = s->common;
	unsigned may = s->split_max > 1 && c->k > 64
			       ? paleo_tiles_split_below(c, &s->tiled, s->split_max,
							 s->best.kernel_s - c->split_s)
			       : 0;

	if (may && s->first < 0) { /* splits of several tiles may take the same time */
		paleo_tiles_guess(&s->tiled, &s->first);
		s->rank = s->best.tile < 0 ? s->rank : rank_of(s, s->best.tile, 1);
	}
	for (int split = 2; may && split <= s->split_max; split *= 2) {
		struct paleo_tiles_part p = part_of(c, split);
		if (!is_part(&p) || p.least_s > s->best.kernel_s)
			break;
		paleo_tiles_price(c, &p, &s->tiled);
		price_all(s, may & paleo_tiles_below(c, &s->tiled, &p, s->best.kernel_s), &p);
	}
}

/* 1 if even the GEMM's FLOPs alone take longer than limit_s. */
static int is_hopeless(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		       const struct paleo_tile_product *g, double limit_s)
{
	return 2 * g->m * g->n * g->k * g->batch >
	       limit_s * d->flop_per_s * p->ppp_compute * PALEO_TILE_SURELY;
}

double paleo_tile_kernel_near_s(const struct paleo_tile_params *p,
				const struct paleo_tile_device *d,
				const struct paleo_tile_product *g, unsigned tiles, int split_max,
				double limit_s, struct paleo_tile_choice *choice)
{
	const struct paleo_tile_choice near = *choice;
	struct paleo_tiles_common c;

	*choice = (struct paleo_tile_choice){.kernel_s = INFINITY, .tile = -1};
	if (is_hopeless(p, d, g, limit_s))
		return INFINITY;
	paleo_tiles_prepare(p, d, g, &c);
	struct paleo_tiles_part whole = part_of(&c, 1);
	if (whole.least_s >= limit_s)
		return INFINITY;
	struct search s; /* whose tiles are filled in where they are wanted */
	s.common = &c;
	s.split_max = split_max;
	s.first = s.moved = -1;
	s.rank = INT_MIN; /* times not below the limit are discarded */
	s.best = (struct paleo_tile_choice){.kernel_s = limit_s, .tile = -1};
	paleo_tiles_open(&c, tiles, &s.tiled);
	int known = place_of(&s.tiled, near.tile);
	if (known >= 0 && price_near(&s, known, near.split, &whole))
		price_all(&s, paleo_tiles_below(&c, &s.tiled, &whole, s.best.kernel_s), &whole);
	else
		price_whole(&s, known, &whole);
	price_splits(&s);
	if (s.best.tile >= 0) {
		*choice = s.best;
		choice->tile = s.tiled.tile[s.best.tile];
	}
	return choice->kernel_s;
}

double paleo_tile_kernel_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			   const struct paleo_tile_product *g, unsigned tiles, int split_max,
			   struct paleo_tile_choice *choice)
{
	struct paleo_tile_choice any;

	choice = choice ? choice : &any;
	choice->tile = -1;
	return paleo_tile_kernel_near_s(p, d, g, tiles, split_max, INFINITY, choice);
}

/* Sensitivity of a GEMM's time on a GPU to each parameter of its cost model. */

/* Share of the first term in a sum of two. */
static double share(double a, double b)
{
	return a / (a + b);
}

/* Slopes of Tc. *slope is as in paleo_tile_slopes(), here of log Tc. */
static void compute_slopes(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			   const struct paleo_tile_product *g, const struct paleo_tile_choice *of,
			   double *slope)
{
	double tm, tn, y = g->k * g->element_bytes * g->m / (4 * p->tlb_k * (g->m + p->tlb_rows));

	paleo_tile_size(of->tile, &tm, &tn);
	double w = ceil(g->m / tm) * ceil(g->n / tn) * g->batch / d->sm_count * of->split;
	double w1 = fmax(w, 1), last = p->wave * (fmax(ceil(w), 1) - w1);
	double resident = fmin(tm * tn * w1, 32768), full = 32768;
	double steps = ceil(g->k / of->split) + p->prologue_k, y2 = y * y;
	double intensity = tm * tn / (tm + tn), rows = 1.5 * y2 / (1 + y2);
	double s = (w1 + last) * 2 * tm * tn * steps * (1 + p->half_intensity / intensity) *
		   (1 + rows) * (1 + p->half_accumulators / resident) * d->sm_count /
		   (d->flop_per_s * p->ppp_compute * (1 + p->half_accumulators / full));
	double late = share(s, p->droop_us * 1e-6), droop = p->droop * late / (1 + p->droop * late);
	double follows = 1 + droop * (1 - late); /* Tc the time without a droop */
	double far = follows * 2 * rows / (1 + y2) / (1 + rows);

	slope[PALEO_TILE_COMPUTE] = -follows;
	slope[PALEO_TILE_PROLOGUE] = follows * p->prologue_k / steps;
	slope[PALEO_TILE_ACCUMULATORS] = follows * (share(p->half_accumulators, resident) -
						    share(p->half_accumulators, full));
	slope[PALEO_TILE_DROOP] = droop;
	slope[PALEO_TILE_DROOP_US] = -droop * (1 - late);
	slope[PALEO_TILE_TLB] = -far;
	slope[PALEO_TILE_ROWS] = -far * share(p->tlb_rows, g->m);
	slope[PALEO_TILE_INTENSITY] = follows * share(p->half_intensity, intensity);
	slope[PALEO_TILE_WAVE] = follows * share(last, w1);
}

/* Slope of log Tm with cache_share: miss/(1 - miss) depends on 4 log x. */
static double share_slope(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			  const struct paleo_tile_product *g, const struct paleo_tile_choice *of)
{
	double miss = paleo_tile_miss(p, d, g->foot_bytes), missed = g->bytes * miss;
	double parts = of->split > 1 ? 8 * of->split * g->batch * g->m * g->n : 0;

	return missed > 0 ? -4 * (1 - miss) * share(missed, parts) : 0;
}

/* Here 0 log 0 is 0. */
static double times_log(double a, double x)
{
	return a > 0 ? a * log(x) : 0;
}

void paleo_tile_slopes(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		       const struct paleo_tile_product *g, const struct paleo_tile_choice *of,
		       double slope[PALEO_TILE_QUANTISED])
{
	double q = p->sharpness, o = p->overlap;
	double most = fmax(of->compute_s, fmax(of->memory_s, of->cache_s));
	double c = of->compute_s / most, m = of->memory_s / most, l = of->cache_s / most;
	double cq = exp(q * log(c)), mq = exp(q * log(m)), lq = exp(q * log(l));
	double sum = cq + mq + lq;
	double quantise_s = paleo_tile_quantise_s(p, d, g),
	       launch_s = g->launches * p->launch_us * 1e-6;
	double op_s = of->kernel_s + quantise_s, split_s = of->split > 1 ? p->split_us * 1e-6 : 0;
	double longer = fmax(launch_s, op_s), x = fmin(launch_s, op_s) / longer;
	double xo = exp(o * log(x));
	/* d log t / d log T is that of the op's part of the soft maximum. */
	double of_op = (op_s > launch_s ? 1 : xo) / (1 + xo);
	double of_max = of_op * (of->kernel_s - split_s) / op_s;

	for (int i = 0; i < PALEO_TILE_QUANTISED; i++)
		slope[i] = 0;
	compute_slopes(p, d, g, of, slope);
	for (int i = 0; i < PALEO_TILE_PARAMETERS; i++)
		slope[i] *= of_max * cq / sum;
	slope[PALEO_TILE_LAUNCH] = 1 - of_op;
	slope[PALEO_TILE_MEMORY] = -of_max * mq / sum;
	slope[PALEO_TILE_SHARE] = of_max * mq / sum * share_slope(p, d, g, of);
	slope[PALEO_TILE_CACHE] = -of_max * lq / sum;
	slope[PALEO_TILE_SPLIT] = of_op * split_s / op_s;
	slope[PALEO_TILE_SHARPNESS] =
		of_max *
		((times_log(cq, c) + times_log(mq, m) + times_log(lq, l)) / sum - log(sum) / q);
	slope[PALEO_TILE_OVERLAP] = times_log(xo, x) / (1 + xo) - log1p(xo) / o;
	slope[PALEO_TILE_QUANTISE] = -of_op * quantise_s / op_s;
}
