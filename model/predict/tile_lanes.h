/* tile_lanes.h - tiles side by side, four in one instruction; for tile_choice.c alone. */
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

/* Macros, as functions cannot be given so many numbers at once by every processor. Of two numbers,
 * and the first where a comparison holds. */
#define WHERE(holds, a, b) ((lanes)(((holds) & (bits)(a)) | (~(holds) & (bits)(b))))
#define LARGER(a, b) WHERE((a) > (b), a, b)
#define SMALLER(a, b) WHERE((a) < (b), a, b)
/* The same in all lanes; and a set of the lanes where a comparison holds. */
#define ALL(x) ((lanes){0} + (x))
#define SET(holds)                                                                                 \
	((unsigned)(((holds)[0] & 1) | ((holds)[1] & 2) | ((holds)[2] & 4) | ((holds)[3] & 8)))

/* For processors that do four at once, and for others; the same bits, as neither fuses what is
 * multiplied with what is added. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define SIDE_BY_SIDE __attribute__((target_clones("avx2", "default")))
#else
#define SIDE_BY_SIDE
#endif

/* Powers of two: what is multiplied by their inverses has the bits of a division. */
struct shapes {
	double of_rows[ROOM], of_columns[ROOM]; /* inverses */
	double area[ROOM], of_intensity[ROOM];
} __attribute__((aligned(sizeof(lanes))));

static const struct shapes all_shapes = {
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

#endif
