/* tile_lanes.h - vectorised pricing of tiles, by tile_lanes.c for tile_choice.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_TILE_LANES_H
#define PALEO_MODEL_PREDICT_TILE_LANES_H

#include "model/predict/tile.h"

enum {
	LANES = 4,
	GROUPS = (PALEO_TILES + LANES - 1) / LANES,
	ROOM = GROUPS * LANES
};

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef long long bits __attribute__((vector_size(LANES * sizeof(double))));

/* Powers of two, so that multiplying by their inverses equals division exactly. */
struct paleo_tile_shapes {
	double of_rows[ROOM], of_columns[ROOM]; /* inverses */
	double area[ROOM], of_intensity[ROOM];
} __attribute__((aligned(sizeof(lanes))));

/* Terms shared by all candidates of a GEMM. */
struct paleo_tiles_common {
	double m, n, k, batch, a_share, sm_count;
	double half_intensity, half_accumulators, prologue_k, wave, droop, sharpness;
	int norm; /* the next whole number to sharpness */
	int unpadded;
	double sm_flop_per_s;  /* of one multiprocessor, before the penalty of accumulators */
	double mem_s, cache_s; /* of a byte */
	double missed_bytes;
	double long_rows;               /* factor of Tc */
	double row_bytes, result_bytes; /* to the multiprocessors */
	double split_s, droop_s;
	double results;
};

/* The requested tiles of a GEMM, in order: terms shared by all splits of each, then the time of one
 * split of each. A set of them is a mask of 1 << index. */
struct paleo_tiled {
	const struct paleo_tile_shapes *shapes;
	int count, groups;
	unsigned char tile[ROOM]; /* their numbers */
	struct paleo_tile_shapes some;
	lanes blocks[GROUPS]; /* of each multiprocessor, without a split */
	lanes slower[GROUPS]; /* penalty of the tile's intensity and long rows */
	lanes full_s[GROUPS],
		thin_s[GROUPS]; /* from the L2: to all multiprocessors, to one block */
	lanes compute_s[GROUPS], cache_s[GROUPS];
};

/* One split of a GEMM's sums among `split` blocks. */
struct paleo_tiles_part {
	int split;
	double share, steps;        /* of the sums; of k */
	double memory_s, penalty_s; /* of all parts */
	double least_s;             /* no tile takes less */
	double moving_s;            /* time of its memory traffic alone; 0: not computed yet */
};

/* The first of a set; 0 of none. */
static inline int lowest_of(unsigned set)
{
	return set ? __builtin_ctz(set) : 0;
}

/* Index of a tile in the list; -1: not in it. */
static inline int place_of(const struct paleo_tiled *t, int tile)
{
	for (int i = 0; i < t->count; i++)
		if (t->tile[i] == tile)
			return i;
	return -1;
}

/* Adding this leaves no fraction: used for ceil() of values up to 2^51. */
#define WHOLES 0x1.8p52

static inline double up(double x)
{
	double whole = (x + WHOLES) - WHOLES;

	return whole < x ? whole + 1 : whole;
}

/* Maximum and minimum without NaN handling; fmax() and fmin() are calls. */
static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* x^n; n is 1 or more. */
static inline double raise(double x, int n)
{
	double result = n & 1 ? x : 1;

	while (n >>= 1) {
		x *= x;
		if (n & 1)
			result *= x;
	}
	return result;
}

/* Computes the terms shared by all candidates of a GEMM, with these parameters on this device. */
void paleo_tiles_prepare(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			 const struct paleo_tile_product *g, struct paleo_tiles_common *out);

/* Sets up the tiles of a set, with the terms shared by all splits of each. */
void paleo_tiles_open(const struct paleo_tiles_common *c, unsigned tiles, struct paleo_tiled *t);

/* Fills in the time of each with this split. */
void paleo_tiles_price(const struct paleo_tiles_common *c, const struct paleo_tiles_part *p,
		       struct paleo_tiled *t);

/* The tiles whose time with this split may be limit_s or less. Where q is an integer the sums of
 * powers give the fastest: only that one, or several within rounding. */
unsigned paleo_tiles_below(const struct paleo_tiles_common *c, const struct paleo_tiled *t,
			   const struct paleo_tiles_part *p, double limit_s);

/* Those of the tiles that may compute in limit_s or less with their sums split. */
unsigned paleo_tiles_split_below(const struct paleo_tiles_common *c, const struct paleo_tiled *t,
				 int split_max, double limit_s);

/* The tile whose largest part is least: with it few of the others are priced to the end. The one
 * that computes fastest, *first, wins where several take the same time. */
int paleo_tiles_guess(const struct paleo_tiled *t, int *first);

#endif
