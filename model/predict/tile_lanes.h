/* tile_lanes.h - tiles side by side: what tile_lanes.c does for tile_choice.c alone. */
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

/* Powers of two: what is multiplied by their inverses has the bits of a division. */
struct paleo_tile_shapes {
	double of_rows[ROOM], of_columns[ROOM]; /* inverses */
	double area[ROOM], of_intensity[ROOM];
} __attribute__((aligned(sizeof(lanes))));

/* What all candidates of a product share. */
struct paleo_tiles_common {
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

/* The tiles of a product, those that are asked for in their order: what all splits of each share,
 * then what one split of each takes. A set of them is a mask of 1 << place. */
struct paleo_tiled {
	const struct paleo_tile_shapes *shapes;
	int count, groups;
	unsigned char tile[ROOM]; /* their numbers */
	struct paleo_tile_shapes some;
	lanes blocks[GROUPS]; /* of each multiprocessor, without a split */
	lanes slower[GROUPS]; /* what the tile's intensity and long rows cost */
	lanes full_s[GROUPS],
		thin_s[GROUPS]; /* from the L2: to all multiprocessors, to one block */
	lanes compute_s[GROUPS], cache_s[GROUPS];
};

/* One part of a product's sums in each of `split` blocks. */
struct paleo_tiles_part {
	int split;
	double share, steps;        /* of the sums; of k */
	double memory_s, penalty_s; /* of all parts */
	double least_s;             /* no tile takes less */
	double moving_s;            /* what one takes that does nothing else; 0: not yet known */
};

/* The first of a set; 0 of none. */
static inline int lowest_of(unsigned set)
{
	return set ? __builtin_ctz(set) : 0;
}

/* Where a tile stands in the list; -1: it does not. */
static inline int place_of(const struct paleo_tiled *t, int tile)
{
	for (int i = 0; i < t->count; i++)
		if (t->tile[i] == tile)
			return i;
	return -1;
}

/* Adding so much leaves no fraction: ceil() of what is no larger than 2^51. */
#define WHOLES 0x1.8p52

static inline double up(double x)
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

/* What all candidates of a product share, with these parameters on this device. */
void paleo_tiles_prepare(const struct paleo_tile_params *p, const struct paleo_tile_device *d,
			 const struct paleo_tile_product *g, struct paleo_tiles_common *out);

/* The tiles of a set, and what all splits of each share. */
void paleo_tiles_open(const struct paleo_tiles_common *c, unsigned tiles, struct paleo_tiled *t);

/* Fills in what each takes with this part. */
void paleo_tiles_price(const struct paleo_tiles_common *c, const struct paleo_tiles_part *p,
		       struct paleo_tiled *t);

/* Those of the tiles whose time with this part may be limit_s or less. Where q is whole the sums of
 * powers tell the fastest: that one alone, or several that rounding may take for it. */
unsigned paleo_tiles_below(const struct paleo_tiles_common *c, const struct paleo_tiled *t,
			   const struct paleo_tiles_part *p, double limit_s);

/* Those of the tiles that may compute in limit_s or less with their sums split. */
unsigned paleo_tiles_split_below(const struct paleo_tiles_common *c, const struct paleo_tiled *t,
				 int split_max, double limit_s);

/* The tile whose largest part is least: with it few of the others are priced to the end. The one
 * that computes fastest, *first, wins where several take the same time. */
int paleo_tiles_guess(const struct paleo_tiled *t, int *first);

#endif
