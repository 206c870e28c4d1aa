/* test_onednn_conv_count.c - vectors that a CPU loads and multiplies, counted by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/predict/onednn_conv.h"
#include "tests/unit/given.h"

/* Blocks of 8 channels, one thread. */
static const struct paleo_onednn_conv params = {.lanes = 8,
						.chains = 1,
						.accumulator_spill = 1,
						.accumulator_spill_1x1 = 64,
						.edge = 1,
						.l1_kb = 1};

static struct paleo_onednn_count rows(const char *key, double l1_kb)
{
	struct paleo_onednn_conv p = params;
	struct paleo_op w = given_op(key);
	struct paleo_onednn_count count;

	p.l1_kb = l1_kb;
	paleo_onednn_count_rows(&p, 1, &w, &count);
	return count;
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * b))
		fail_msg("%.12g, expected %.12g", a, b);
}

/* 9 taps of 8 by 8 channels are 72 vectors for each of 2 images, and again for each of 2 rows. They
 * are 2304 bytes, twice as many as stay: 4/5 of what could stay is loaded again. */
static void loads_what_does_not_stay_for_each_row(void **state)
{
	(void)state;
	near(rows("conv fwd f32 n=2 c=8 h=4 w=3 k=8 r=3 s=3", 1.125).fetched, 144 + 144 * 0.8);
}

/* Of 16 blocks 12 are read one after the other, 27 KiB of weights, so that half are loaded again;
 * 15 are read at once, 33.75 KiB: (5/4)^2 / (1 + (5/4)^2) = 25/41. */
static void reads_twelve_blocks_of_many(void **state)
{
	(void)state;
	near(rows("conv fwd f32 n=2 c=128 h=4 w=3 k=8 r=3 s=3", 27).fetched, 2304 + 2304 * 0.5);
	near(rows("conv fwd f32 n=2 c=120 h=4 w=3 k=8 r=3 s=3", 27).fetched,
	     2160 + 2160 * 25.0 / 41);
}

/*
 * 6 blocks are read for an image's gradient, 4 at once; a stride of 2 leaves half of the 9 taps to
 * a row. One image goes row by row: 4.5 * 8 * 48 numbers, 6912 bytes, 1.5 times what stays, so 9/13
 * are loaded again. Two are enough pieces for one thread to take them whole, 4 blocks at a time:
 * 4608 bytes, of which half.
 */
static void takes_images_whole_where_there_are_enough(void **state)
{
	(void)state;
	near(rows("conv bwd_data f32 n=1 c=8 h=5 w=5 k=48 r=3 s=3 stride_h=2 stride_w=2", 4.5)
		     .fetched,
	     432 + 432 * 9.0 / 13);
	near(rows("conv bwd_data f32 n=2 c=8 h=5 w=5 k=48 r=3 s=3 stride_h=2 stride_w=2", 4.5)
		     .fetched,
	     864 + 864 * 0.5);
}

/* The gradient of a row of 3 taps, of 8 channels: rows of 56 outputs are two spans of 28, those of
 * 35 one and a rest of 7, those of 58 four of 14 and a rest, each of which loads and stores 3 sums.
 * A single pixel that is left joins the last span where it has a tap beside the image. */
static void sums_filters_in_spans(void **state)
{
	(void)state;
	near(rows("conv bwd_filter f32 n=1 c=8 h=1 w=58 k=8 r=1 s=3", 1).adds,
	     8 * (56 * 3 + 2 * 3));
	near(rows("conv bwd_filter f32 n=1 c=8 h=1 w=60 k=8 r=1 s=3", 1).adds,
	     8 * (58 * 3 + 5 * 3));
	near(rows("conv bwd_filter f32 n=1 c=8 h=1 w=37 k=8 r=1 s=3", 1).adds,
	     8 * (35 * 3 + 2 * 3));
	near(rows("conv bwd_filter f32 n=1 c=8 h=1 w=59 k=8 r=1 s=3", 1).adds,
	     8 * (57 * 3 + 5 * 3));
	near(rows("conv bwd_filter f32 n=1 c=8 h=1 w=57 k=8 r=1 s=3 pad_l=1 pad_r=1", 1).adds,
	     8 * (57 * 3 + 4 * 3));
}

/* 4 pixels of 256 channels in one group; a sum is loaded and stored for each 128 of them: 64
 * multiply-adds more for these, half as many again. */
static void products_store_sums_every_128_channels(void **state)
{
	struct paleo_op w = given_op("conv fwd f32 n=1 c=256 h=1 w=4 k=8 r=1 s=1");
	struct paleo_onednn_count count;

	(void)state;
	paleo_onednn_count_product(&params, 1, &w, &count);
	near(count.adds, 256 * 4 * 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_what_does_not_stay_for_each_row),
		cmocka_unit_test(reads_twelve_blocks_of_many),
		cmocka_unit_test(takes_images_whole_where_there_are_enough),
		cmocka_unit_test(sums_filters_in_spans),
		cmocka_unit_test(products_store_sums_every_128_channels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
