/* rate_tiles.c - prints how many layers a second the law of tiles prices on one core; no test. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "model/laws/stream.h"
#include "model/laws/tile_conv.h"

enum {
	WORKS = 1000
};

static const struct paleo_tile_device device = {.flop_per_s = 14e12,
						.mem_bytes_per_s = 900e9,
						.cache_bytes = 6e6,
						.clock_hz = 1.38e9,
						.sm_count = 80};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sizes from 1 to 2^12, spread over the logarithms as i goes on (steps of the golden ratio). */
static double size_of(int i, int axis)
{
	double x = 0.6180339887498949 * i * (2 * axis + 1) + 0.1 * axis;
	double y = 1, part = x - (double)(long)x;

	for (int bit = 0; bit < 12; bit++)
		y *= part * 12 > bit ? 2 : 1;
	return y + (double)(i % 7);
}

static double price_product(int i, unsigned tiles)
{
	const struct paleo_tile_params p = paleo_tile_params_init(PALEO_F32);
	struct paleo_tile_product g =
		paleo_tile_product_of(size_of(i, 0), size_of(i, 1), size_of(i, 2), 1, 4);

	return paleo_tile_kernel_s(&p, &device, &g, tiles, PALEO_TILE_SPLIT_MAX, NULL);
}

static double price_three_tiles(int i)
{
	return price_product(i, 1U << 11 | 1U << 6 | 1U << 12);
}

static double price_all_tiles(int i)
{
	return price_product(i, PALEO_TILES_ALL);
}

static double price_convolution(int i)
{
	const struct paleo_conv_sets sets = {1U << 8 | 1U << 5, 1U << 5, 1};
	static struct paleo_conv_params p;
	struct paleo_work w = {.kind = PALEO_CONV, .pass = PALEO_FWD};
	struct paleo_conv_geom *g = &w.geom.conv;

	if (!(p.launch_us > 0))
		p = paleo_conv_params_init();
	g->n = 1 + i % 64;
	g->c = (int)size_of(i, 1);
	g->k = (int)size_of(i, 2);
	g->h = g->w = g->p = g->q = 4 + i % 100;
	g->r = g->s = 3;
	g->stride_h = g->stride_w = g->dil_h = g->dil_w = g->groups = 1;
	return paleo_conv_fastest_s(&p, &device, &w, &sets, NULL);
}

static double price_stream(int i)
{
	const struct paleo_stream_params p = paleo_stream_params_init();

	return paleo_stream_s(&p, &device, 8 * size_of(i, 0) * size_of(i, 1), 0, 0);
}

static void tell(const char *what, double (*price)(int))
{
	double start = now_s(), elapsed_s, sum = 0, count = 0;

	do {
		for (int i = 0; i < WORKS; i++)
			sum += price(i);
		count += WORKS;
		elapsed_s = now_s() - start;
	} while (elapsed_s < 0.3 && count < 1e9);
	printf("%-36s %10.0f a second (checksum %g)\n", what, count / elapsed_s, sum / count);
}

int main(void)
{
	tell("products, 3 tiles x 5 splits", price_three_tiles);
	tell("products, 13 tiles x 5 splits", price_all_tiles);
	tell("convolutions, five algorithms", price_convolution);
	tell("element-wise works", price_stream);
	return 0;
}
