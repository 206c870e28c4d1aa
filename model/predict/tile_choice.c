/* tile_choice.c - the time of a product on a GPU: the best of tiles and splits of its sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>

#include "model/predict/tile_lanes.h"

/*
 * Tiles are priced side by side, four in one instruction: the parts of their times, of which the
 * largest is a bound of the whole. Only what that leaves is priced to the end, with roots or
 * logarithms.
 */
enum {
	SPLITS_END = 1024 /* beyond the largest split */
};

/* Adding so much leaves no fraction: ceil() of what is no larger than 2^51. */
#define WHOLES 0x1.8p52

static double up(double x)
{
	double whole = (x + WHOLES) - WHOLES;

	return whole < x ? whole + 1 : whole;
}

/* Of two numbers; fmax() and fmin() are calls, for the sake of what is no number. */
static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
	return a < b ? a : b;
}

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

/* What all candidates of a product share. */
struct common {
	double m, n, k, batch, a_share, sm_count;
	double half_intensity, half_accumulators, prologue_k, wave, droop, sharpness;
	int norm; /* the next whole number to sharpness */
	int unpadded;
	double sm_flop_per_s;  /* of one multiprocessor, without what full accumulators cost */
	double mem_s, cache_s; /* of a byte */
	double missed_bytes;
	double long_rows;               /* factor of Tc */
	double row_bytes, result_bytes; /* to the multiprocessors */
	double split_s, droop_s;
	double results;
};

static void prepare(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		    const struct paleo_tile_product *g, struct common *out)
{
	double full = d->flop_per_s / d->sm_count * p->ppp_compute;
	double y = g->k * g->element_bytes * g->m / (4 * p->tlb_k * (g->m + p->tlb_rows));
	double results = g->batch * g->m * g->n;

	*out = (struct common){
		.m = g->m,
		.n = g->n,
		.k = g->k,
		.batch = g->batch,
		.a_share = g->a_share,
		.sm_count = d->sm_count,
		.half_intensity = p->half_intensity,
		.half_accumulators = p->half_accumulators,
		.prologue_k = p->prologue_k,
		.wave = p->wave,
		.droop = p->droop,
		.sharpness = p->sharpness,
		.norm = (int)up(p->sharpness),
		.unpadded = p->unpadded != 0,
		.sm_flop_per_s = full * (1 + p->half_accumulators / 32768),
		.mem_s = 1 / (p->ppp_memory * d->mem_bytes_per_s),
		.cache_s = 1 / (p->ppp_cache * 64 * d->sm_count * d->clock_hz),
		.missed_bytes = g->bytes * paleo_tile_miss(p, d, g->foot_bytes),
		.long_rows = 1,
		.row_bytes = g->batch * g->element_bytes * g->k,
		.result_bytes = g->result_bytes * results,
		.split_s = p->split_us * 1e-6,
		.droop_s = p->droop_us * 1e-6,
		.results = results,
	};
	y *= y;
	if (y > 0)
		out->long_rows = 1 + 1.5 * y / (1 + y);
}

/* The tiles of a product, those that are asked for in their order: what all splits of each share,
 * then what one split of each takes. A set of them is a mask of 1 << place. */
struct tiled {
	const struct shapes *shapes;
	int count, groups;
	unsigned char tile[ROOM]; /* their numbers */
	struct shapes some;
	lanes blocks[GROUPS]; /* of each multiprocessor, without a split */
	lanes slower[GROUPS]; /* what the tile's intensity and long rows cost */
	lanes full_s[GROUPS],
		thin_s[GROUPS]; /* from the L2: to all multiprocessors, to one block */
	lanes compute_s[GROUPS], cache_s[GROUPS];
};

/* Four numbers of the shapes. */
#define SHAPE(t, field, group) (((const lanes *)(const void *)(t)->shapes->field)[group])

/* The first of a set; 0 of none. */
static int lowest_of(unsigned set)
{
	return set ? __builtin_ctz(set) : 0;
}

#define SOME(t, field, group) (((lanes *)(void *)(t)->some.field)[group])
#define FOUR(field, four)                                                                          \
	((lanes){all_shapes.field[(four)[0]], all_shapes.field[(four)[1]],                         \
		 all_shapes.field[(four)[2]], all_shapes.field[(four)[3]]})

/* Of all tiles there is a list; of others one is made. Lanes that are left over get the last tile
 * once more, and are masked out. */
SIDE_BY_SIDE static void list_tiles(unsigned tiles, struct tiled *t)
{
	int count = 0;

	for (int i = lowest_of(tiles); tiles >> i; i++)
		if (tiles >> i & 1)
			t->tile[count++] = (unsigned char)i;
	t->count = count;
	t->groups = (count + LANES - 1) / LANES;
	t->shapes = &all_shapes;
	if (count == PALEO_TILES)
		return;
	t->shapes = &t->some;
	for (int i = count; i < t->groups * LANES; i++)
		t->tile[i] = t->tile[count - 1];
	/* Four at once: what is stored one by one is not at hand as four. */
	for (int i = 0; i < t->groups; i++) {
		const unsigned char *four = &t->tile[(size_t)i * LANES];
		SOME(t, of_rows, i) = FOUR(of_rows, four);
		SOME(t, of_columns, i) = FOUR(of_columns, four);
		SOME(t, area, i) = FOUR(area, four);
		SOME(t, of_intensity, i) = FOUR(of_intensity, four);
	}
}

/* Where a tile stands in the list; -1: it does not. */
static int place_of(const struct tiled *t, int tile)
{
	for (int i = 0; i < t->count; i++)
		if (t->tile[i] == tile)
			return i;
	return -1;
}

SIDE_BY_SIDE static void open_tiles(const struct common *c, struct tiled *t)
{
	for (int i = 0; i < t->groups; i++) {
		lanes x = c->m * SHAPE(t, of_rows, i), y = c->n * SHAPE(t, of_columns, i);
		lanes rows = (x + WHOLES) - WHOLES, columns = (y + WHOLES) - WHOLES;
		rows = WHERE(rows < x, rows + 1, rows);
		columns = WHERE(columns < y, columns + 1, columns);
		lanes bytes = c->row_bytes * (c->m * columns * c->a_share + c->n * rows) +
			      c->result_bytes;
		/* Few blocks may have to fetch more each than one more row of them would: then the
		 * product is run padded, in these. */
		lanes m = SMALLER(ALL(c->m), rows * rows / ((rows + 1) * SHAPE(t, of_rows, i)));
		lanes n = SMALLER(ALL(c->n),
				  columns * columns / ((columns + 1) * SHAPE(t, of_columns, i)));
		lanes fewer = c->row_bytes * (m * columns * c->a_share + n * rows) +
			      c->result_bytes * (m * n / (c->m * c->n));
		t->blocks[i] = rows * columns * c->batch / c->sm_count;
		t->slower[i] = (1 + c->half_intensity * SHAPE(t, of_intensity, i)) * c->long_rows;
		t->full_s[i] = bytes * c->cache_s;
		t->thin_s[i] = (c->unpadded ? bytes : fewer) * c->cache_s / t->blocks[i];
	}
}

/* One part of a product's sums in each of `split` blocks. */
struct part {
	int split;
	double share, steps;        /* of the sums; of k */
	double memory_s, penalty_s; /* of all parts */
	double least_s;             /* of all, with no tile less */
};

SIDE_BY_SIDE static void price_parts(const struct common *c, const struct part *p, struct tiled *t)
{
	const double steps = p->steps + c->prologue_k;
	const lanes one = ALL(1), most = ALL(32768);

	for (int i = 0; i < t->groups; i++) {
		lanes area = SHAPE(t, area, i), w = t->blocks[i] * (double)p->split;
		lanes w1 = LARGER(w, one), ceiling = (w + WHOLES) - WHOLES;
		ceiling = WHERE(ceiling < w, ceiling + 1, ceiling);
		lanes waves = w1 + c->wave * (LARGER(ceiling, one) - w1), all = area * w1;
		lanes resident = SMALLER(all, most);
		lanes work = waves * 2 * area * steps * t->slower[i];
		lanes over = work * (resident + c->half_accumulators);
		lanes under = resident * c->sm_flop_per_s;
		/* s (1 + droop s/(s + droop_s)) of s = over/under, in one division. */
		lanes sum = over + c->droop_s * under;
		t->compute_s[i] = over * (sum + c->droop * over) / (under * sum);
		t->cache_s[i] = WHERE(w < one, t->thin_s[i] * p->share, t->full_s[i]);
	}
}

/* x^n; n is 1 or more. */
static double raise(double x, int n)
{
	double result = n & 1 ? x : 1;

	while (n >>= 1) {
		x *= x;
		if (n & 1)
			result *= x;
	}
	return result;
}

/* Those of the tiles whose time with this part may be limit_s or less. The soft maximum is no less
 * than its largest part; and as such a norm falls when q rises, no less than that of the next whole
 * number, which wants no logarithms. */
SIDE_BY_SIDE static unsigned below(const struct common *c, const struct tiled *t,
				   const struct part *p, double limit_s)
{
	double memory = raise(p->memory_s, c->norm);
	double most = raise(limit_s - p->penalty_s, c->norm) * PALEO_TILE_SURELY;
	unsigned may = 0;

	for (int i = 0; i < t->groups; i++) {
		lanes a = t->compute_s[i], b = t->cache_s[i], one = ALL(1);
		lanes sum_a = c->norm & 1 ? a : one, sum_b = c->norm & 1 ? b : one;
		for (int n = c->norm >> 1; n; n >>= 1) {
			a *= a;
			b *= b;
			if (n & 1) {
				sum_a *= a;
				sum_b *= b;
			}
		}
		may |= SET(sum_a + sum_b + memory <= ALL(most)) << i * LANES;
	}
	return may & ((1U << t->count) - 1);
}

/* Those of the tiles that may compute in limit_s or less with their sums split. */
SIDE_BY_SIDE static unsigned split_below(const struct common *c, const struct tiled *t,
					 int split_max, double limit_s)
{
	const double most = split_max;
	const lanes one = ALL(1), least = ALL(1 / most), full = ALL(32768);
	unsigned may = 0;

	for (int i = 0; i < t->groups; i++) {
		lanes area = SHAPE(t, area, i), blocks = t->blocks[i], twice = 2 * blocks;
		lanes all = area * LARGER(twice * (most / 2), one), resident = SMALLER(all, full);
		lanes steps = c->k * LARGER(blocks, least) + LARGER(twice, one) * c->prologue_k;
		lanes over = steps * 2 * area * t->slower[i] * (resident + c->half_accumulators);
		lanes under = resident * (c->sm_flop_per_s * PALEO_TILE_SURELY);
		may |= SET(over <= limit_s * under) << i * LANES;
	}
	return may & ((1U << t->count) - 1);
}

/* Equal candidates: of a lower rank, by tile and then by split, wins. */
struct search {
	const struct common *common;
	int split_max;
	int first, moved; /* this tile ranks before all others, which one in its place; -1: none */
	int rank;         /* of the best */
	struct paleo_tile_choice best; /* its tile is a place in the list */
	struct tiled tiled;
};

static int rank_of(const struct search *s, int tile, int split)
{
	int place = tile == s->first ? -1 : tile == s->moved ? s->first : tile;

	return place * SPLITS_END + split;
}

static struct part part_of(const struct common *c, int split)
{
	struct part p = {.split = split, .share = 1.0 / split};

	p.steps = up(c->k * p.share);
	p.memory_s = c->missed_bytes * c->mem_s;
	if (split > 1) {
		p.memory_s = (c->missed_bytes + 8 * split * c->results) * c->mem_s;
		p.penalty_s = c->split_s;
	}
	p.least_s = p.memory_s + p.penalty_s;
	if (c->sharpness == 4) /* where rounding may take the last bit */
		p.least_s = soft_max(0, p.memory_s, 0, 4) + p.penalty_s;
	return p;
}

/* 1 if libraries split sums into such parts. */
static int is_part(const struct part *p)
{
	return p->split == 1 || p->steps >= 64;
}

static double compute_s(const struct search *s, int tile)
{
	return s->tiled.compute_s[tile / LANES][tile % LANES]; /* NOLINT: filled for listed tiles */
}

/* Prices one candidate to the end, if its parts leave a chance. */
static void price(struct search *s, int tile, const struct part *p, int rank)
{
	double computing_s = compute_s(s, tile);
	double cache_s = s->tiled.cache_s[tile / LANES][tile % LANES];
	int of_memory = p->memory_s >= computing_s && p->memory_s >= cache_s;
	const int norm = s->common->norm;

	if (tile == s->best.tile && p->split == s->best.split)
		return;
	if ((of_memory && p->least_s >= s->best.kernel_s && rank > s->rank) ||
	    raise(computing_s, norm) + raise(p->memory_s, norm) + raise(cache_s, norm) >
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

static void price_all(struct search *s, unsigned set, const struct part *p)
{
	for (; set; set &= set - 1) {
		int i = lowest_of(set);
		price(s, i, p, rank_of(s, i, p->split));
	}
}

/* What was the fastest elsewhere: with it few of the others are priced to the end. Then what has
 * no split. 0 if it is no candidate here. */
static int price_near(struct search *s, int tile, int split, const struct part *whole)
{
	const struct part p = part_of(s->common, split);

	if (!is_part(&p) || p.split > s->split_max)
		return 0;
	s->first = tile;
	price_parts(s->common, &p, &s->tiled);
	price(s, tile, &p, INT_MIN + 1);
	if (p.split > 1)
		price_parts(s->common, whole, &s->tiled);
	return 1;
}

/* The tile whose largest part is least: with it few of the others are priced to the end. The one
 * that computes fastest, *first, wins where several take the same time. */
SIDE_BY_SIDE static int guess(const struct tiled *t, int *first)
{
	lanes of_compute = ALL(INFINITY), of_larger = of_compute;
	double compute_s = INFINITY, larger_s = INFINITY;
	unsigned computing = 0, all = 0;

	for (int i = 0; i < t->groups; i++) {
		lanes a = t->compute_s[i], b = LARGER(t->cache_s[i], a);
		of_compute = SMALLER(a, of_compute);
		of_larger = SMALLER(b, of_larger);
	}
	for (int i = 0; i < LANES; i++) {
		compute_s = smaller(of_compute[i], compute_s);
		larger_s = smaller(of_larger[i], larger_s);
	}
	for (int i = 0; i < t->groups; i++) {
		lanes a = t->compute_s[i], b = LARGER(t->cache_s[i], a);
		computing |= SET(a <= ALL(compute_s)) << i * LANES;
		all |= SET(b <= ALL(larger_s)) << i * LANES;
	}
	*first = lowest_of(computing);
	return lowest_of(all);
}

/* Without such a candidate: a good one of those without a split. Of tiles that compute equally fast
 * this one ranks first; -1: that of the lowest number. */
static void price_guess(struct search *s, int tile, const struct part *whole)
{
	price_parts(s->common, whole, &s->tiled);
	int best = s->first = s->moved = 0;
	if (s->tiled.count > 1)
		best = guess(&s->tiled, &s->first);
	if (tile >= 0)
		s->moved = tile;
	if (compute_s(s, s->moved) <= compute_s(s, s->first))
		s->first = s->moved;
	price(s, best, whole, rank_of(s, best, 1));
}

static void price_splits(struct search *s)
{
	const struct common *c = s->common;
	unsigned may = s->split_max > 1 && c->k > 64 ? split_below(c, &s->tiled, s->split_max,
								   s->best.kernel_s - c->split_s)
						     : 0;

	for (int split = 2; may && split <= s->split_max; split *= 2) {
		const struct part p = part_of(c, split);
		if (!is_part(&p) || p.least_s > s->best.kernel_s)
			break;
		price_parts(c, &p, &s->tiled);
		price_all(s, may & below(c, &s->tiled, &p, s->best.kernel_s), &p);
	}
}

/* 1 if not even the FLOPs of the product itself are done within limit_s. */
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
	struct common c;

	*choice = (struct paleo_tile_choice){.kernel_s = INFINITY, .tile = -1};
	if (is_hopeless(p, d, g, limit_s))
		return INFINITY;
	prepare(p, d, g, &c);
	const struct part whole = part_of(&c, 1);
	if (whole.least_s >= limit_s)
		return INFINITY;
	struct search s; /* whose tiles are filled in where they are wanted */
	s.common = &c;
	s.split_max = split_max;
	s.first = s.moved = -1;
	s.rank = INT_MIN; /* what is not below the limit is not wanted */
	s.best = (struct paleo_tile_choice){.kernel_s = limit_s, .tile = -1};
	list_tiles(tiles, &s.tiled);
	open_tiles(&c, &s.tiled);
	int known = place_of(&s.tiled, near.tile);
	if (known < 0 || !price_near(&s, known, near.split, &whole))
		price_guess(&s, known, &whole);
	price_all(&s, below(&c, &s.tiled, &whole, s.best.kernel_s), &whole);
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
