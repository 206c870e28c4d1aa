/* tile.c - the time of a matrix product on a GPU: the best of tiles and splits of its sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile.h"

#include <math.h>
#include <string.h>

#include "model/predict/soft_sum.h"

/* Rows and columns, and their inverses. */
static const struct tile {
	const char *name;
	double m, n, of_m, of_n;
} tiles_known[PALEO_TILES] = {
#define TILE(rows, columns)                                                                        \
	{                                                                                          \
#rows "x" #columns, rows, columns, 1.0 / (rows), 1.0 / (columns)                   \
	}
	TILE(256, 128), TILE(128, 256), TILE(128, 128), TILE(256, 64), TILE(64, 256),
	TILE(128, 64),  TILE(64, 128),  TILE(64, 64),   TILE(128, 32), TILE(32, 128),
	TILE(64, 32),   TILE(32, 64),   TILE(32, 32),
#undef TILE
};

#define AT(field) offsetof(struct paleo_tile_params, field)
// clang-format off
const struct paleo_parameter paleo_tile_parameters[] = {
	{ .name = "launch_us", .symbol = "t0", .unit = "us",
	  .meaning = "launch and dispatch of one product", .offset = AT(launch_us),
	  .init = 3, .low = 0.01, .high = 300, .prior_sd = 0.9 },
	{ .name = "ppp_compute", .symbol = "pc", .unit = "1",
	  .meaning = "platform percent of peak of a full machine", .offset = AT(ppp_compute),
	  .init = 0.95, .low = 0.2, .high = 1.6, .prior_sd = 0.35 },
	{ .name = "prologue_k", .symbol = "K0", .unit = "steps of k",
	  .meaning = "start and end of a block", .offset = AT(prologue_k),
	  .init = 20, .low = 0.01, .high = 3000, .prior_sd = 1.2 },
	{ .name = "half_accumulators", .symbol = "Ah", .unit = "accumulators per SM",
	  .meaning = "accumulators at which half the rate is reached",
	  .offset = AT(half_accumulators),
	  .init = 1200, .low = 1, .high = 2e5, .prior_sd = 1.3 },
	{ .name = "ppp_memory", .symbol = "pm", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth", .offset = AT(ppp_memory),
	  .init = 0.78, .low = 0.05, .high = 1.5, .prior_sd = 0.35 },
	{ .name = "cache_share", .symbol = "cl2", .unit = "1",
	  .meaning = "usable fraction of the L2", .offset = AT(cache_share),
	  .init = 0.8, .low = 0.05, .high = 5, .prior_sd = 0.8 },
	{ .name = "ppp_cache", .symbol = "pl2", .unit = "64 bytes per SM and clock",
	  .meaning = "bandwidth from the L2 to the multiprocessors", .offset = AT(ppp_cache),
	  .init = 0.5, .low = 0.02, .high = 6, .prior_sd = 0.8 },
	{ .name = "split_us", .symbol = "tsk", .unit = "us",
	  .meaning = "penalty of splitting the sums", .offset = AT(split_us),
	  .init = 4, .low = 0.01, .high = 200, .prior_sd = 1 },
	{ .name = "droop", .symbol = "th", .unit = "1",
	  .meaning = "how much slower sustained work gets", .offset = AT(droop),
	  .init = 0.05, .low = 0.001, .high = 4, .prior_sd = 1.2 },
	{ .name = "tlb_k", .symbol = "kc", .unit = "elements of 4 bytes",
	  .meaning = "k where rows leave the reach of the TLB", .offset = AT(tlb_k),
	  .init = 2e5, .low = 1e3, .high = 1e7, .prior_sd = 1.5 },
	{ .name = "tlb_rows", .symbol = "mr", .unit = "rows of A",
	  .meaning = "rows of which half that k is counted", .offset = AT(tlb_rows),
	  .init = 1e-6, .low = 1e-7, .high = 1e5, .prior_sd = 1.5 },
	{ .name = "half_intensity", .symbol = "Ih", .unit = "elements",
	  .meaning = "intensity of a tile at which half the rate is reached",
	  .offset = AT(half_intensity),
	  .init = 4, .low = 0.1, .high = 100, .prior_sd = 1 },
	{ .name = "wave", .symbol = "alpha", .unit = "1",
	  .meaning = "what an unfilled last wave costs of a full one", .offset = AT(wave),
	  .init = 0.8, .low = 0.1, .high = 1.2, .prior_sd = 0.3 },
	{ .name = "sharpness", .symbol = "q", .unit = "1",
	  .meaning = "how well computing hides what memory and L2 take; 1: not at all",
	  .offset = AT(sharpness),
	  .init = 4, .low = 1, .high = 16, .prior_sd = 0.5 },
	{ .name = "overlap", .symbol = "o", .unit = "1",
	  .meaning = "how well the launch hides the work, or the work the launch; 1: not at all",
	  .offset = AT(overlap),
	  .init = 1, .low = 1, .high = 6, .prior_sd = 0.5 },
	{ .name = "droop_us", .symbol = "tau", .unit = "us",
	  .meaning = "time of computing at which half of the droop has come",
	  .offset = AT(droop_us),
	  .init = 1000, .low = 1, .high = 1e6, .prior_sd = 1.5 },
	{ .name = "ppp_quantise", .symbol = "pq", .unit = "1",
	  .meaning = "fraction of the memory's bandwidth while activations are quantised",
	  .offset = AT(ppp_quantise),
	  .init = 0.4, .low = 0.02, .high = 4, .prior_sd = 0.5 },
	{0},
};
// clang-format on

struct paleo_tile_params paleo_tile_params_init(enum paleo_dtype dtype)
{
	struct paleo_tile_params p;

	for (const struct paleo_parameter *q = paleo_tile_parameters; q->name; q++)
		paleo_parameter_set(q, &p, q->init);
	if (dtype != PALEO_F32)
		p.prologue_k = 200;
	return p;
}

struct paleo_tile_product paleo_tile_product_of(double m, double n, double k, double batch,
						double element_bytes)
{
	double bytes = batch * element_bytes * (m * k + k * n + m * n);

	return (struct paleo_tile_product){.m = m,
					   .n = n,
					   .k = k,
					   .batch = batch,
					   .element_bytes = element_bytes,
					   .result_bytes = element_bytes,
					   .bytes = bytes,
					   .foot_bytes = bytes,
					   .a_share = 1};
}

struct paleo_tile_product paleo_tile_product_of_work(const struct paleo_work *w)
{
	const struct paleo_gemm_geom *g = &w->geom.gemm;
	double element = paleo_dtype_bytes(w->dtype);
	double wide = paleo_dtype_bytes(paleo_dtype_wide(w->dtype));
	struct paleo_tile_product p = paleo_tile_product_of(g->m, g->n, g->k, g->batch, element);

	if (wide == element)
		return p;
	p.result_bytes = wide;
	p.bytes += (wide - element) * g->batch * ((double)g->m * g->n);
	p.foot_bytes = p.bytes;
	p.quantise_bytes = (wide + element) * g->batch * ((double)g->m * g->k);
	return p;
}

double paleo_tile_quantise_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			     const struct paleo_tile_product *g)
{
	if (!(g->quantise_bytes > 0))
		return 0;
	return g->quantise_bytes / (p->ppp_quantise * d->mem_bytes_per_s);
}

double paleo_tile_launched_s(const struct paleo_tile_params *p, double work_s)
{
	double launch_s = p->launch_us * 1e-6;

	return p->overlap == 1 ? launch_s + work_s : paleo_soft_sum(launch_s, work_s, p->overlap);
}

const char *paleo_tile_name(int tile)
{
	return tile >= 0 && tile < PALEO_TILES ? tiles_known[tile].name : NULL;
}

void paleo_tile_size(int tile, double *rows, double *columns)
{
	*rows = tiles_known[tile].m;
	*columns = tiles_known[tile].n;
}

int paleo_tile_find(const char *name)
{
	for (int i = 0; i < PALEO_TILES; i++)
		if (!strcmp(name, tiles_known[i].name))
			return i;
	return -1;
}

/* ceil() of what is no larger than 2^53; without a call, unlike ceil() on older processors. */
static double up(double x)
{
	double whole = (double)(long long)x;

	return whole < x ? whole + 1 : whole;
}

/* Of two numbers; fmax() and fmin() are calls, for the sake of what is no number. */
static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
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
	double sm_flop_per_s;  /* of one multiprocessor, without what full accumulators cost */
	double mem_s, cache_s; /* of a byte */
	double missed_bytes;
	double memory_s;  /* of these, without a split */
	double long_rows; /* factor of Tc */
	double split_s, droop_s;
	double results;
	double split_max;
};

static void prepare(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		    const struct paleo_tile_product *g, int split_max, struct common *out)
{
	double full = d->flop_per_s / d->sm_count * p->ppp_compute;
	double y = g->k * g->element_bytes * g->m / (4 * p->tlb_k * (g->m + p->tlb_rows));
	struct common c = {
		.sm_flop_per_s = full * (1 + p->half_accumulators / 32768),
		.mem_s = 1 / (p->ppp_memory * d->mem_bytes_per_s),
		.cache_s = 1 / (p->ppp_cache * 64 * d->sm_count * d->clock_hz),
		.missed_bytes = g->bytes * paleo_tile_miss(p, d, g->foot_bytes),
		.long_rows = 1,
		.split_s = p->split_us * 1e-6,
		.droop_s = p->droop_us * 1e-6,
		.results = g->batch * g->m * g->n,
		.split_max = split_max,
	};

	c.memory_s = c.missed_bytes * c.mem_s;
	y *= y;
	if (y > 0)
		c.long_rows = 1 + 1.5 * y / (1 + y);
	*out = c;
}

/* Seconds of computing: `w` blocks per multiprocessor, each of a tile and `steps` of k; `slower`
 * is what the tile's intensity costs. Infinite where that surely is no less than limit_s. */
static double compute_s(const struct paleo_tile_params *p, const struct common *c, double area,
			double slower, double w, double steps, double limit_s)
{
	double w1 = larger(w, 1);
	double waves = w1 + p->wave * (larger(up(w), 1) - w1);
	double resident = smaller(area * w1, 32768);
	double work = waves * 2 * area * (steps + p->prologue_k) * slower;
	double over = work * (resident + p->half_accumulators);
	double under = resident * c->sm_flop_per_s;

	if (over > limit_s * under * PALEO_TILE_SURELY)
		return INFINITY;
	/* s (1 + droop s/(s + droop_s)) of s = over/under, in one division. */
	double sum = over + c->droop_s * under;
	return over * (sum + p->droop * over) / (under * sum);
}

/* 1 if the soft maximum surely is no less than limit_s: such a norm falls as q rises, and that of
 * the next power of two wants no root. */
static int reaches(double a, double b, double c, double q, double limit_s)
{
	a *= a;
	b *= b;
	c *= c;
	limit_s *= limit_s;
	if (q > 2) {
		a *= a;
		b *= b;
		c *= c;
		limit_s *= limit_s;
	}
	if (q > 4) {
		a *= a;
		b *= b;
		c *= c;
		limit_s *= limit_s;
	}
	return q <= 8 && a + b + c > limit_s * PALEO_TILE_SURELY;
}

/* One tile of a product: what its splits share. Tiles and splits are powers of two: what is
 * multiplied by their inverses, or scaled by them later, has the bits of a division. */
struct tiled {
	int tile;
	double area;
	double blocks;         /* of each multiprocessor, without a split */
	double slower;         /* what the tile's intensity and long rows cost */
	double whole_s;        /* of computing without a split; infinite: too long */
	double steps;          /* of all waves, at least so many with any split */
	double over, under;    /* their quotient: seconds of one, or rather less */
	double full_s, thin_s; /* from the L2, to all multiprocessors, and to so many blocks */
};

/* 1 if computing surely takes limit_s or longer with this split and with all larger ones. */
static int is_slow(const struct paleo_tile_params *p, const struct tiled *t, int split,
		   double limit_s)
{
	double steps = t->steps + larger(t->blocks * split, 1) * p->prologue_k;

	return steps * t->over >= limit_s * t->under;
}

/* 0 where no split of this tile can be faster than limit_s. */
static int open_tile(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		     const struct paleo_tile_product *g, const struct common *c, double limit_s,
		     struct tiled *out)
{
	const struct tile *t = &tiles_known[out->tile];
	double rows = up(g->m * t->of_m), columns = up(g->n * t->of_n);

	out->area = t->m * t->n;
	out->blocks = rows * columns * g->batch / d->sm_count;
	out->slower = (1 + p->half_intensity * (t->m + t->n) * (t->of_m * t->of_n)) * c->long_rows;
	double resident = smaller(out->area * larger(out->blocks * c->split_max, 1), 32768);
	out->over = 2 * out->area * out->slower * (resident + p->half_accumulators);
	out->under = resident * c->sm_flop_per_s * PALEO_TILE_SURELY;
	out->steps = g->k * larger(out->blocks, 1 / c->split_max);
	if (is_slow(p, out, 1, limit_s))
		return 0;
	double bytes =
		g->batch * g->element_bytes * g->k * (g->m * columns * g->a_share + g->n * rows) +
		g->result_bytes * c->results;
	out->whole_s = compute_s(p, c, out->area, out->slower, out->blocks, up(g->k), limit_s);
	out->full_s = bytes * c->cache_s;
	out->thin_s = out->blocks < 1 ? out->full_s / out->blocks : out->full_s;
	return 1;
}

/* Prices a split, each with this part of the sums; keeps it in *best if it is faster. 0 where no
 * larger one can be. */
static int try_split(const struct paleo_tile_params *p, const struct paleo_tile_product *g,
		     const struct common *c, const struct tiled *t, int split, double part,
		     struct paleo_tile_choice *best)
{
	double penalty = split > 1 ? c->split_s : 0, limit_s = best->kernel_s - penalty;
	double memory = c->memory_s, compute = t->whole_s, cache = t->full_s;
	double w = t->blocks * split, steps = up(g->k * part);

	if ((split > 1 && steps < 64) || is_slow(p, t, split, limit_s))
		return 0;
	if (split > 1)
		memory = (c->missed_bytes + 8 * split * c->results) * c->mem_s;
	if (memory >= limit_s)
		return 0;
	/* The soft maximum is no less than its largest part. */
	if (w < 1)
		cache = t->thin_s * part;
	if (cache >= limit_s)
		return 1;
	if (split > 1)
		compute = compute_s(p, c, t->area, t->slower, w, steps, limit_s);
	if (compute >= limit_s || reaches(compute, memory, cache, p->sharpness, limit_s))
		return 1;
	double s = soft_max(compute, memory, cache, p->sharpness) + penalty;
	if (s < best->kernel_s)
		*best = (struct paleo_tile_choice){s, compute, memory, cache, t->tile, split};
	return 1;
}

/* 1 if not even the FLOPs of the product itself are done within limit_s. */
static int is_hopeless(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		       const struct paleo_tile_product *g, double limit_s)
{
	return 2 * g->m * g->n * g->k * g->batch >
	       limit_s * d->flop_per_s * p->ppp_compute * PALEO_TILE_SURELY;
}

/* A set of tiles, each with splits, but for one that was priced before. */
struct candidates {
	unsigned tiles;
	int split_max;
	int except_tile, except_split;
};

static void try_splits(const struct paleo_tile_params *p, const struct paleo_tile_product *g,
		       const struct common *c, const struct tiled *t, const struct candidates *of,
		       struct paleo_tile_choice *best)
{
	double part = 1;

	for (int split = 1; split <= of->split_max; split *= 2, part *= 0.5)
		if (!(t->tile == of->except_tile && split == of->except_split) &&
		    !try_split(p, g, c, t, split, part, best))
			break;
}

/* Lists the tiles of a set that may be faster than limit_s. Returns how many. */
static int open_tiles(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
		      const struct paleo_tile_product *g, const struct common *c, unsigned tiles,
		      double limit_s, struct tiled *out)
{
	int count = 0;

	for (int i = 0; i < PALEO_TILES; i++) {
		if (!(tiles >> i & 1))
			continue;
		out[count].tile = i;
		count += open_tile(p, d, g, c, limit_s, &out[count]);
	}
	return count;
}

/* Puts first the tile that computes fastest in one part: after it few of the others are priced to
 * the end. */
static void guess_first(struct tiled *tiles, int count)
{
	int first = 0;

	for (int i = 1; i < count; i++)
		first = tiles[i].whole_s < tiles[first].whole_s ? i : first;
	const struct tiled t = tiles[first];
	tiles[first] = tiles[0];
	tiles[0] = t;
}

static double fastest_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			const struct paleo_tile_product *g, struct candidates of, double limit_s,
			struct paleo_tile_choice *choice)
{
	struct paleo_tile_choice best = {.kernel_s = limit_s, .tile = -1};
	struct tiled tiles[PALEO_TILES];
	int known = choice->tile, split = known < 0 ? 1 : choice->split, count = 0;
	struct common c;

	*choice = best;
	if (is_hopeless(p, d, g, limit_s))
		return choice->kernel_s = INFINITY;
	prepare(p, d, g, of.split_max, &c);
	if (c.memory_s >= limit_s)
		return choice->kernel_s = INFINITY;
	tiles[0].tile = known;
	if (known >= 0 && of.tiles >> known & 1 && open_tile(p, d, g, &c, limit_s, &tiles[0])) {
		try_split(p, g, &c, &tiles[0], split, 1.0 / split, &best);
		of.except_tile = known;
		of.except_split = split;
		of.tiles &= ~(1U << known);
		count = 1;
	}
	count += open_tiles(p, d, g, &c, of.tiles, best.kernel_s, tiles + count);
	if (best.tile < 0 && count > 1)
		guess_first(tiles, count);
	for (int i = 0; i < count; i++)
		try_splits(p, g, &c, &tiles[i], &of, &best);
	if (best.tile < 0)
		best.kernel_s = INFINITY;
	*choice = best;
	return best.kernel_s;
}

double paleo_tile_kernel_near_s(const struct paleo_tile_params *p,
				const struct paleo_tile_device *d,
				const struct paleo_tile_product *g, unsigned tiles, int split_max,
				double limit_s, struct paleo_tile_choice *choice)
{
	return fastest_s(p, d, g, (struct candidates){tiles, split_max, -1, 0}, limit_s, choice);
}

double paleo_tile_kernel_s(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			   const struct paleo_tile_product *g, unsigned tiles, int split_max,
			   struct paleo_tile_choice *choice)
{
	struct paleo_tile_choice any;

	choice = choice ? choice : &any;
	choice->tile = -1;
	return fastest_s(p, d, g, (struct candidates){tiles, split_max, -1, 0}, INFINITY, choice);
}
