/* tile_lanes.c - tiles side by side: the parts of their times, four in one instruction. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/tile_lanes.h"

#include <math.h>

/* Macros, as functions cannot be given so many numbers at once by every CPU. Of two numbers,
 * and the first where a comparison holds. */
#define WHERE(holds, a, b) ((lanes)(((holds) & (bits)(a)) | (~(holds) & (bits)(b))))
#define LARGER(a, b) WHERE((a) > (b), a, b)
#define SMALLER(a, b) WHERE((a) < (b), a, b)
/* The same in all lanes. */
#define ALL(x) ((lanes){0} + (x))
/* Bit set of the lanes of a group where a comparison holds, for combination with other groups'; and
 * the combined result. */
#define HOLDS(holds, group) ((holds) & (((bits){1, 2, 4, 8}) << (long long)((group)*LANES)))
#define SET(bits) ((unsigned)((bits)[0] | (bits)[1] | (bits)[2] | (bits)[3]))

/* For CPUs with four lanes, and for others; the results are identical bit for bit, as neither fuses
 * multiply and add. The resolver runs before the thread sanitizer is initialised, which would crash
 * it. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
#define SIDE_BY_SIDE __attribute__((target_clones("avx2", "default")))
#else
#define SIDE_BY_SIDE
#endif

static const struct paleo_tile_shapes all_shapes = {
#define TILE(rows, columns) 1.0 / (rows),
	.of_rows =
		{
#include "model/predict/tiles.def"
		},
#undef TILE
#define TILE(rows, columns) 1.0 / (columns),
	.of_columns =
		{
#include "model/predict/tiles.def"
		},
#undef TILE
#define TILE(rows, columns) (rows) * (columns),
	.area =
		{
#include "model/predict/tiles.def"
		},
#undef TILE
#define TILE(rows, columns) ((rows) + (columns)) / ((rows)*1.0 * (columns)),
	.of_intensity =
		{
#include "model/predict/tiles.def"
		},
#undef TILE
};

/* Four numbers of the shapes. */
#define SHAPE(t, field, group) (((const lanes *)(const void *)(t)->shapes->field)[group])

#define SOME(t, field, group) (((lanes *)(void *)(t)->some.field)[group])
#define FOUR(field, four)                                                                          \
	((lanes){all_shapes.field[(four)[0]], all_shapes.field[(four)[1]],                         \
		 all_shapes.field[(four)[2]], all_shapes.field[(four)[3]]})

/* The list of all tiles is constant; for subsets one is made. Unused lanes repeat the last tile,
 * and are masked out. */
SIDE_BY_SIDE static inline void list_tiles(unsigned tiles, struct paleo_tiled *t)
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
	/* Vector loads right after scalar stores would stall. */
	for (int i = 0; i < t->groups; i++) {
		const unsigned char *four = &t->tile[(size_t)i * LANES];
		SOME(t, of_rows, i) = FOUR(of_rows, four);
		SOME(t, of_columns, i) = FOUR(of_columns, four);
		SOME(t, area, i) = FOUR(area, four);
		SOME(t, of_intensity, i) = FOUR(of_intensity, four);
	}
}

void paleo_tiles_prepare(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			 const struct paleo_tile_product *g, struct paleo_tiles_common *out)
{
	double full = d->flop_per_s / d->sm_count * p->ppp_compute;
	double y = g->k * g->element_bytes * g->m / (4 * p->tlb_k * (g->m + p->tlb_rows));
	double results = g->batch * g->m * g->n;

	*out = (struct paleo_tiles_common){
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

#define UP(x, out)                                                                                 \
	lanes out = ((x) + WHOLES) - WHOLES;                                                       \
	(out) = WHERE((out) < (x), (out) + 1, out)

/* With few blocks, an extra row of blocks may reduce the fetches of each: then the GEMM is
 * padded. */
SIDE_BY_SIDE static void thin_tiles(const struct paleo_tiles_common *c, struct paleo_tiled *t)
{
	for (int i = 0; i < t->groups; i++) {
		lanes x = c->m * SHAPE(t, of_rows, i), y = c->n * SHAPE(t, of_columns, i);
		UP(x, rows);
		UP(y, columns);
		lanes m = SMALLER(ALL(c->m), rows * rows / ((rows + 1) * SHAPE(t, of_rows, i)));
		lanes n = SMALLER(ALL(c->n),
				  columns * columns / ((columns + 1) * SHAPE(t, of_columns, i)));
		lanes fewer = c->row_bytes * (m * columns * c->a_share + n * rows) +
			      c->result_bytes * (m * n / (c->m * c->n));
		t->thin_s[i] = c->unpadded ? t->full_s[i] : fewer * c->cache_s;
		t->thin_s[i] /= t->blocks[i];
	}
}

SIDE_BY_SIDE static void tiles_open(const struct paleo_tiles_common *c, unsigned tiles,
				    struct paleo_tiled *t)
{
	bits few = {0};

	list_tiles(tiles, t);
	for (int i = 0; i < t->groups; i++) {
		lanes x = c->m * SHAPE(t, of_rows, i), y = c->n * SHAPE(t, of_columns, i);
		UP(x, rows);
		UP(y, columns);
		lanes bytes = c->row_bytes * (c->m * columns * c->a_share + c->n * rows) +
			      c->result_bytes;
		t->blocks[i] = rows * columns * c->batch / c->sm_count;
		t->slower[i] = (1 + c->half_intensity * SHAPE(t, of_intensity, i)) * c->long_rows;
		t->thin_s[i] = t->full_s[i] = bytes * c->cache_s;
		few |= t->blocks[i] < 1;
	}
	if (SET(few))
		thin_tiles(c, t);
}

SIDE_BY_SIDE static void tiles_price(const struct paleo_tiles_common *c,
				     const struct paleo_tiles_part *p, struct paleo_tiled *t)
{
	const double steps = p->steps + c->prologue_k;
	const lanes one = ALL(1), most = ALL(32768);

	for (int i = 0; i < t->groups; i++) {
		lanes area = SHAPE(t, area, i), w = t->blocks[i] * (double)p->split;
		lanes w1 = LARGER(w, one), ceiling = (w + WHOLES) - WHOLES;
		ceiling = WHERE(ceiling < w, ceiling + 1, ceiling);
		lanes waves = w1 + c->wave * (LARGER(ceiling, one) - w1), all = area * w1;
		lanes resident = SMALLER(all, most);
		lanes op = waves * 2 * area * steps * t->slower[i];
		lanes over = op * (resident + c->half_accumulators);
		lanes under = resident * c->sm_flop_per_s;
		/* s (1 + droop s/(s + droop_s)) of s = over/under, in one division. */
		lanes sum = over + c->droop_s * under;
		t->compute_s[i] = over * (sum + c->droop * over) / (under * sum);
		t->cache_s[i] = WHERE(w < one, t->thin_s[i] * p->share, t->full_s[i]);
	}
}

/* Sums of powers of two parts; n is 1 or more. */
SIDE_BY_SIDE static void add_powers(const struct paleo_tiled *t, int n, double more, lanes *sum)
{
	for (int i = 0; i < t->groups; i++) {
		lanes a = t->compute_s[i], b = t->cache_s[i], one = ALL(1);
		lanes of_a = n & 1 ? a : one, of_b = n & 1 ? b : one;
		for (int left = n >> 1; left; left >>= 1) {
			a *= a;
			b *= b;
			if (left & 1) {
				of_a *= a;
				of_b *= b;
			}
		}
		sum[i] = of_a + of_b + more;
	}
}

/* The same for n = 4, as which many are. */
SIDE_BY_SIDE static void add_fourths(const struct paleo_tiled *t, double more, lanes *sum)
{
	for (int i = 0; i < t->groups; i++) {
		lanes a = t->compute_s[i] * t->compute_s[i], b = t->cache_s[i] * t->cache_s[i];
		sum[i] = a * a + b * b + more;
	}
}

/* The soft maximum is at least its largest part; and as such a norm falls when q rises, at least
 * that of the next integer, which needs no logarithms. */
SIDE_BY_SIDE static unsigned tiles_below(const struct paleo_tiles_common *c,
					 const struct paleo_tiled *t,
					 const struct paleo_tiles_part *p, double limit_s)
{
	double memory = raise(p->memory_s, c->norm);
	double most = raise(limit_s - p->penalty_s, c->norm) * PALEO_TILE_SURELY;
	lanes sum[GROUPS], all;
	bits may = {0};

	if (c->norm == 4)
		add_fourths(t, memory, sum);
	else
		add_powers(t, c->norm, memory, sum);
	if (c->sharpness == c->norm) {
		double least;
		all = sum[0];
		for (int i = 1; i < t->groups; i++)
			all = SMALLER(sum[i], all);
		least = all[0];
		for (int i = 1; i < LANES; i++)
			least = smaller(all[i], least);
		most = smaller(most, least * (1 + 1e-13));
	}
	for (int i = 0; i < t->groups; i++)
		may |= HOLDS(sum[i] <= ALL(most), i);
	return SET(may) & ((1U << t->count) - 1);
}

SIDE_BY_SIDE static unsigned tiles_split_below(const struct paleo_tiles_common *c,
					       const struct paleo_tiled *t, int split_max,
					       double limit_s)
{
	const double most = split_max;
	const lanes one = ALL(1), least = ALL(1 / most), full = ALL(32768);
	bits may = {0};

	for (int i = 0; i < t->groups; i++) {
		lanes area = SHAPE(t, area, i), blocks = t->blocks[i], twice = 2 * blocks;
		lanes all = area * LARGER(twice * (most / 2), one), resident = SMALLER(all, full);
		lanes steps = c->k * LARGER(blocks, least) + LARGER(twice, one) * c->prologue_k;
		lanes over = steps * 2 * area * t->slower[i] * (resident + c->half_accumulators);
		lanes under = resident * (c->sm_flop_per_s * PALEO_TILE_SURELY);
		may |= HOLDS(over <= limit_s * under, i);
	}
	return SET(may) & ((1U << t->count) - 1);
}

SIDE_BY_SIDE static int tiles_guess(const struct paleo_tiled *t, int *first)
{
	lanes of_compute = ALL(INFINITY), of_larger = of_compute;
	double compute_s = INFINITY, larger_s = INFINITY;
	bits computing = {0}, all = {0};

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
		computing |= HOLDS(a <= ALL(compute_s), i);
		all |= HOLDS(b <= ALL(larger_s), i);
	}
	*first = lowest_of(SET(computing));
	return lowest_of(SET(all));
}

/* Functions called from other files are not clones: compilers differ in the names they give
 * those. */
void paleo_tiles_open(const struct paleo_tiles_common *c, unsigned tiles, struct paleo_tiled *t)
{
	tiles_open(c, tiles, t);
}

void paleo_tiles_price(const struct paleo_tiles_common *c, const struct paleo_tiles_part *p,
		       struct paleo_tiled *t)
{
	tiles_price(c, p, t);
}

unsigned paleo_tiles_below(const struct paleo_tiles_common *c, const struct paleo_tiled *t,
			   const struct paleo_tiles_part *p, double limit_s)
{
	return tiles_below(c, t, p, limit_s);
}

unsigned paleo_tiles_split_below(const struct paleo_tiles_common *c, const struct paleo_tiled *t,
				 int split_max, double limit_s)
{
	return tiles_split_below(c, t, split_max, limit_s);
}

int paleo_tiles_guess(const struct paleo_tiled *t, int *first)
{
	return tiles_guess(t, first);
}
