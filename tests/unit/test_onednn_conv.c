/* test_onednn_conv.c - the cost model of convolutions and poolings on a CPU, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_parts.h"
#include "model/predict/onednn_conv.h"
#include "model/predict/tile_conv.h"
#include "tests/unit/given.h"

/* 1 GFLOP/s, 1 GB/s, two threads. */
static const struct paleo_tile_device device = {
	.flop_per_s = 1e9, .mem_bytes_per_s = 1e9, .cache_bytes = 4608, .sm_count = 2};

static const struct paleo_onednn_conv conv = {
	.lanes = 8,
	.launch_us = 10,
	.ppp_weights = 0.5,
	.overlap = 1,
	.chains = 8,
	.fetch = 2,
	.cache_share = 0.5,
	.bias = 2,
	.ppp_compute = 0.5,
	.ppp_memory = 0.5,
	.accumulator_spill = 20,
	.l1_kb = 4.5,
	.edge = 1,
	.row_ns = 1000,
	.ppp_compute_1x1 = 0.5,
	.ppp_memory_1x1 = 0.25,
	.accumulator_spill_1x1 = 16,
	.gather = 2,
};

static struct paleo_parts time_of(const struct paleo_onednn_conv *p, const char *key)
{
	struct paleo_op w = given_op(key);
	struct paleo_parts t;

	paleo_onednn_conv_time(p, &device, &w, &t);
	return t;
}

static void near_us(double seconds, double us)
{
	if (!(fabs(seconds * 1e6 - us) < 1e-9 * us + 1e-12))
		fail_msg("%.12g us, expected %.12g", seconds * 1e6, us);
}

static void counts_taps_in_the_image(void **state)
{
	(void)state;
	/* one pixel of padding: the outer taps miss one output each, 4 + 5 + 4 */
	assert_true(paleo_onednn_taps(5, 5, 3, 1, 1, 1) == 13);
	assert_true(paleo_onednn_taps(7, 3, 3, 2, 0, 1) == 9); /* none misses */
	/* taps at -2, 0, 2: outputs 2 to 4, all, 0 to 2 */
	assert_true(paleo_onednn_taps(5, 5, 3, 1, 2, 2) == 11);
	/* stride 2, pad 1: the tap at -1 misses output 0; that at 1 reads 1, 3, 5 of 6 */
	assert_true(paleo_onednn_taps(6, 3, 3, 2, 1, 1) == 8);
	assert_true(paleo_onednn_taps(1, 1, 1, 1, 3, 1) == 0); /* the image is never met */
}

static struct paleo_onednn_count rows_of(const char *key)
{
	struct paleo_op w = given_op(key);
	struct paleo_onednn_count c;

	paleo_onednn_count_rows(&conv, device.sm_count, &w, &c);
	return c;
}

static struct paleo_onednn_count product_with(double lanes, const char *key)
{
	struct paleo_onednn_conv p = conv;
	struct paleo_op w = given_op(key);
	struct paleo_onednn_count c;

	p.lanes = lanes;
	assert_true(paleo_onednn_is_product(&w.geom.conv, (int)lanes));
	paleo_onednn_count_product(&p, device.sm_count, &w, &c);
	return c;
}

static struct paleo_onednn_count product_of(const char *key)
{
	return product_with(8, key);
}

static void is_tile(const char *key, int lanes, int pixels, int blocks)
{
	struct paleo_op w = given_op(key);
	struct paleo_onednn_tile t = paleo_onednn_tile_of(&w, lanes);

	if (t.pixels != pixels || t.blocks != blocks)
		fail_msg("%s: %d pixels of %d blocks", key, t.pixels, t.blocks);
}

/* Of 16 registers one holds weights; pixels read need one each beside their sums, backward one
 * for each output. */
static void keeps_sums_in_registers(void **state)
{
	(void)state;
	is_tile("conv fwd f32 n=1 c=8 h=9 w=9 k=8 r=3 s=3", 8, 3, 4); /* 3 (4 + 1) = 15 */
	is_tile("conv fwd f32 n=1 c=8 h=4 w=4 k=8 r=3 s=3", 8, 2, 4); /* there are no more */
	/* of 32: 15 (1 + 1), 6 (4 + 1) and 5 (5 + 1); six blocks are two times three */
	is_tile("conv fwd f32 n=1 c=8 h=19 w=19 k=12 r=3 s=3", 16, 15, 1);
	is_tile("conv fwd f32 n=1 c=8 h=19 w=19 k=64 r=3 s=3", 16, 6, 4);
	is_tile("conv fwd f32 n=1 c=8 h=19 w=19 k=80 r=3 s=3", 16, 5, 5);
	is_tile("conv fwd f32 n=1 c=8 h=19 w=19 k=96 r=3 s=3", 16, 7, 3);
	is_tile("conv bwd_data f32 n=1 c=8 h=9 w=9 k=8 r=3 s=3", 8, 7, 1);
	is_tile("conv bwd_data f32 n=1 c=16 h=9 w=9 k=8 r=3 s=3", 8, 5, 2); /* 10 sums, not 7 */
	is_tile("conv bwd_data f32 n=1 c=32 h=9 w=9 k=8 r=3 s=3", 8, 3, 4); /* 12 */
	/* 6 pixels of two blocks read 3 outputs: 15; each weight meets 6 sums */
	is_tile("conv bwd_data f32 n=1 c=16 h=9 w=9 k=8 r=3 s=3 stride_h=2 stride_w=2", 8, 6, 2);
	/* the 6 pixels that begin beside the image must be in the first group */
	is_tile("conv bwd_data f32 n=1 c=32 h=11 w=11 k=8 r=7 s=7", 8, 7, 1);
}

#define WITH(pass, n, c, k)                                                                        \
	"conv " pass " f32 n=" #n " c=" #c " h=4 w=4 k=" #k                                        \
	" r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1"

static void counts_rows_forward(void **state)
{
	(void)state;
	/* Groups of 3 and 1 pixels, whose taps are 2 3 3 and 2, and all 3 with edge 1. Each sum
	 * turns once for 8 channels and 2.5 rows of taps: 20/20 = 1. One block: the larger of
	 * 9 + 3 and 8 chains of 3, that of 3 + 1 and 24: 48; 16 channels and 10 rows of taps. */
	struct paleo_onednn_count c = rows_of(WITH("fwd", 1, 16, 8));
	near_us(c.adds, 160 * 48e6);
	/* 144 vectors for the image and 480 for its rows; 4608 bytes are half far */
	near_us(c.fetched, (144 + 336 / 2.0) * 1e6);
	near_us(c.calls, 8e6);
	assert_true(c.again == 0);
	/* four blocks: the larger of 4 (9 + 3) and 24, that of 4 (3 + 1) and 24 */
	near_us(rows_of(WITH("fwd", 1, 16, 32)).adds, 160 * 72e6);
	/* Five are four and one, and the thread with the four ops longer: 2 * 72 for 72 + 48 */
	near_us(rows_of(WITH("fwd", 1, 16, 40)).adds, 160 * 144e6);
	near_us(rows_of(WITH("fwd", 2, 16, 40)).adds, 320 * 120e6);
	/* three channels are read as they are, a sum turns for 7.5: 12 + 8 and 4 + 2.67 or 24 */
	near_us(rows_of(WITH("fwd", 1, 3, 8)).adds, 30 * 48e6);
}

/* A row of many pixels costs what its ends and its middle cost, with strides and dilations too:
 * here chains and turns are free, so that what counts are the taps that meet the image. */
static void counts_taps_of_rows(void **state)
{
	static const struct {
		const char *key;
		double taps; /* pairs of a column and a tap, times rows, 8 channels, blocks */
	} rows[] = {
		/* 2 + 98 * 3 + 2 columns; 3 rows of one tap */
		{"conv fwd f32 n=2 c=8 h=3 w=100 k=8 r=1 s=3 pad_l=1 pad_r=1", 2 * 3 * 8 * 298.0},
		{"conv bwd_data f32 n=2 c=8 h=3 w=100 k=8 r=1 s=3 pad_l=1 pad_r=1",
		 2 * 3 * 8 * 298.0},
		/* every second of 101 columns: 2 + 49 * 3 + 2; the gradient has the same pairs */
		{"conv fwd f32 n=2 c=8 h=4 w=101 k=8 r=2 s=3 stride_h=2 stride_w=2 pad_l=1 pad_r=1",
		 2 * 4 * 8 * 151.0},
		{"conv bwd_data f32 n=2 c=8 h=4 w=101 k=8 r=2 s=3 stride_h=2 stride_w=2 pad_l=1 "
		 "pad_r=1",
		 2 * 4 * 8 * 151.0},
		/* taps 5 apart miss 5 columns at either end */
		{"conv fwd f32 n=2 c=8 h=3 w=100 k=8 r=1 s=3 pad_l=5 pad_r=5 dil_w=5",
		 2 * 3 * 8 * 290.0},
		{"conv bwd_data f32 n=2 c=8 h=3 w=100 k=8 r=1 s=3 pad_l=5 pad_r=5 dil_w=5",
		 2 * 3 * 8 * 290.0},
		/* five columns beside which outputs lie; four blocks, so in groups of three */
		{"conv bwd_data f32 n=2 c=32 h=3 w=5 k=8 r=1 s=1 pad_l=1 pad_r=1",
		 2 * 3 * 8 * 4 * 5.0},
	};
	struct paleo_onednn_conv p = conv;
	struct paleo_onednn_count c;

	(void)state;
	p.edge = p.accumulator_spill = p.chains = 1e-12;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct paleo_op w = given_op(rows[i].key);
		paleo_onednn_count_rows(&p, device.sm_count, &w, &c);
		near_us(c.adds, rows[i].taps * 1e6);
	}
}

static void counts_rows_backward(void **state)
{
	(void)state;
	/* Two blocks of four pixels: the larger of 2 (12 + 4) and 24; 8 channels, 10 rows */
	struct paleo_onednn_count c = rows_of(WITH("bwd_data", 1, 16, 8));
	near_us(c.adds, 80 * 32e6);
	near_us(c.fetched, (144 + 336 / 2.0) * 1e6);
	near_us(c.calls, 4e6);
	/* Eight images are pieces enough: an image goes through the 4608 bytes once; all but the
	 * first read all weights again, two at the same time. */
	c = rows_of(WITH("bwd_data", 8, 16, 8));
	near_us(c.adds, 640 * 32e6);
	assert_true(c.again == 3.5);
	/* 16 channels, 10 rows: 12 columns of taps and 3 * 20 for their sums */
	c = rows_of(WITH("bwd_filter", 1, 16, 8));
	near_us(c.adds, 160 * 72e6);
	near_us(c.fetched, 144e6);
	near_us(c.calls, 20e6);
	assert_true(rows_of(WITH("bwd_filter", 3, 16, 8)).again == 4);
}

static void counts_products(void **state)
{
	(void)state;
	/* 4 pixels of a block, turned once for 16 channels: 8, as the chains are */
	struct paleo_onednn_count c = product_of("conv fwd f32 n=2 c=16 h=2 w=2 k=8 r=1 s=1");
	near_us(c.adds, 2 * 16 * 8e6);
	near_us(c.fetched, 32e6);
	/* three blocks at once, of four two and two; 24 and 2 * 16 */
	near_us(product_of("conv fwd f32 n=2 c=16 h=2 w=2 k=24 r=1 s=1").adds, 32 * 24e6);
	near_us(product_of("conv fwd f32 n=2 c=16 h=2 w=2 k=32 r=1 s=1").adds, 32 * 32e6);
	/* the fifth pixel is a group by itself; a single pixel leaves a thread idle */
	near_us(product_of("conv fwd f32 n=2 c=16 h=5 w=1 k=8 r=1 s=1").adds, 32 * 16e6);
	near_us(product_of("conv bwd_data f32 n=1 c=8 h=1 w=1 k=16 r=1 s=1").adds, 2 * 16 * 8e6);
	/* 4 pixels and 16 for the turn, of 4 channels by a block for which the chains are 8 */
	near_us(product_of("conv bwd_filter f32 n=2 c=16 h=2 w=2 k=8 r=1 s=1").adds, 32 * 40e6);
}

/* AVX-512 has a product for filters as large as their image, of more than 27 taps: each tap is a
 * channel, and each image a pixel. Its filter gradients go through all weights for each image, its
 * forward products once. */
static void counts_products_of_wide_vectors(void **state)
{
	static const char dense[] = "conv fwd f32 n=4 c=16 h=6 w=6 k=16 r=6 s=6";
	struct paleo_op w = given_op(dense);

	(void)state;
	/* 4 images of a block, turned once for 128 channels: 4.5, and the chains are 8 */
	struct paleo_onednn_count c = product_with(16, dense);
	near_us(c.adds, 576 * 8e6);
	near_us(c.fetched, 576e6);
	assert_true(c.again == 0);
	assert_false(paleo_onednn_is_product(&w.geom.conv, 8));
	w = given_op("conv fwd f32 n=4 c=16 h=5 w=5 k=16 r=5 s=5"); /* 25 taps */
	assert_false(paleo_onednn_is_product(&w.geom.conv, 16));
	static const char gradient[] = "conv bwd_filter f32 n=3 c=16 h=1 w=1 k=16 r=1 s=1";
	assert_true(product_with(16, gradient).again == 4);
	assert_true(product_with(8, gradient).again == 0);
	static const char forward[] = "conv fwd f32 n=3 c=16 h=1 w=1 k=16 r=1 s=1";
	assert_true(product_with(16, forward).again == 0);
	assert_true(product_with(8, forward).again == 1);
}

static void prices_products(void **state)
{
	(void)state;
	/* 256 adds and twice 32 vectors, 16 FLOPs each at 0.5 GFLOP/s: 10.24 us. Bytes: 512 + 256
	 * at 0.25 GB/s, 512 of weights at 0.5, of which half an image more reads
	 * 512/2816: 4.1890909 us. Launch 10. */
	struct paleo_parts t = time_of(&conv, "conv fwd f32 n=2 c=16 h=2 w=2 k=8 r=1 s=1");
	near_us(t.compute_s, 10.24);
	near_us(t.memory_s, 3.072 + 1.024 * (1 + 0.5 * 512 / 2816));
	near_us(t.total_s, 10.24 + t.memory_s * 1e6 + 10);
	/* the 2 images' 16 channels of 4 pixels are read and written: 1024 bytes at 1 GB/s, twice
	 * as long, beside the traffic */
	t = time_of(&conv, "conv fwd f32 n=2 c=16 h=4 w=4 k=8 r=1 s=1 stride_h=2 stride_w=2");
	near_us(t.compute_s, 10.24);
	near_us(t.memory_s, 10.24 + 1.024 * 0.5 * 512 / 2816 + 2 * 1.024);
	near_us(t.overhead_s, 10);
	/* 512 + 160 + 20 bytes at 0.25 GB/s, 320 of weights' gradients at 0.5; the sweeps for the
	 * bias read 2*8*4 numbers */
	t = time_of(&conv, "conv bwd_filter f32 n=2 c=16 h=2 w=2 k=5 r=1 s=1 bias=1");
	near_us(t.memory_s, 2.768 + 0.64 + 2 * 0.256);
	near_us(t.overhead_s, 10);
}

static void prices_rows(void **state)
{
	(void)state;
	/* 7680 adds and twice 312 vectors at 32 ns; 8 calls of 1 us on two threads; 1024 + 512
	 * bytes and 4608 of weights at 0.5 GB/s */
	struct paleo_parts t = time_of(&conv, WITH("fwd", 1, 16, 8));
	near_us(t.compute_s, (7680 + 624) * 0.032 + 4);
	near_us(t.memory_s, 12.288);
	near_us(t.total_s, 8304 * 0.032 + 4 + 12.288 + 10);
	t = time_of(&conv, WITH("bwd_filter", 1, 16, 8) " bias=1");
	near_us(t.memory_s, 12.288 + 0.064 + 2 * 0.512); /* 32 bytes of the bias's gradient */
	/* a share of the taps beside the image: of 40 inside and 48 in all the geometric mean */
	struct paleo_onednn_conv half = conv;
	half.edge = 0.5;
	t = time_of(&half, WITH("fwd", 1, 16, 8));
	near_us(t.compute_s, (160 * sqrt(40 * 48) + 624) * 0.032 + 4);
}

/* Rows and blocks of filters are more than an int counts; with four times as many images it takes
 * four times as long. */
static void counts_beyond_32_bits(void **state)
{
	static const char *const few[] = {
		"conv fwd f32 n=16384 c=8 h=65536 w=1 k=8 r=1 s=1 pad_t=1",
		"conv bwd_data f32 n=16384 c=8 h=65536 w=1 k=8 r=1 s=1 pad_t=1",
		"conv fwd f32 n=16384 c=8 h=65536 w=65536 k=8 r=65536 s=65536",
	};
	static const char *const many[] = {
		"conv fwd f32 n=65536 c=8 h=65536 w=1 k=8 r=1 s=1 pad_t=1",
		"conv bwd_data f32 n=65536 c=8 h=65536 w=1 k=8 r=1 s=1 pad_t=1",
		"conv fwd f32 n=65536 c=8 h=65536 w=65536 k=8 r=65536 s=65536",
	};
	struct paleo_onednn_conv p = conv;

	(void)state;
	p.fetch = 0; /* of weights, which are the same */
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++) {
		p.lanes = i == 2 ? 16 : 8; /* with AVX-512 the last is a product */
		double ratio = time_of(&p, many[i]).compute_s / time_of(&p, few[i]).compute_s;
		if (!(fabs(ratio - 4) < 0.01)) /* groups of pixels leave a rest */
			fail_msg("%s: %g times as long, expected 4", many[i], ratio);
	}
}

/* 2304 bytes of weights, as many as half the cache: half of them again for three images more, two
 * at the same time; backward to the data, a product reads them once. */
static void reads_large_weights_again(void **state)
{
	(void)state;
	near_us(time_of(&conv, "conv fwd f32 n=4 c=24 h=1 w=1 k=24 r=1 s=1").memory_s,
		768 / 250.0 + 1.75 * 2304 / 500);
	near_us(time_of(&conv, "conv bwd_data f32 n=4 c=24 h=1 w=1 k=24 r=1 s=1").memory_s,
		768 / 250.0 + 2304 / 500.0);
}

static int goes_by_blocks(const char *key)
{
	struct paleo_op w = given_op(key);

	return paleo_onednn_conv_applies(&w);
}

/* What oneDNN multiplies as a matrix of patches is left to the smooth cost model. */
static void leaves_out_other_algorithms(void **state)
{
	(void)state;
	assert_true(goes_by_blocks(
		"conv fwd f32 n=1 c=3 h=30 w=30 k=8 r=11 s=11 stride_h=4 stride_w=4"));
	assert_false(goes_by_blocks("conv fwd f32 n=1 c=3 h=30 w=30 k=8 r=11 s=11 stride_h=4 "
				    "stride_w=4 pad_t=2 pad_l=2"));
	assert_false(goes_by_blocks("conv fwd f32 n=1 c=8 h=30 w=30 k=8 r=9 s=9 pad_l=4 pad_r=4"));
	assert_true(
		goes_by_blocks("conv fwd f32 n=1 c=3 h=9 w=9 k=8 r=5 s=5 stride_h=2 stride_w=2"));
	assert_false(goes_by_blocks(
		"conv bwd_data f32 n=1 c=3 h=9 w=9 k=8 r=5 s=5 stride_h=2 stride_w=2"));
	assert_false(
		goes_by_blocks("conv bwd_filter f32 n=1 c=8 h=9 w=9 k=8 r=3 s=3 dil_h=2 dil_w=2"));
	assert_false(goes_by_blocks("conv fwd f32 n=1 c=8 h=9 w=9 k=8 r=3 s=3 groups=2"));
	assert_true(
		goes_by_blocks("conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=1 s=1 stride_h=2 stride_w=2"));
	assert_false(
		goes_by_blocks("conv fwd f32 n=1 c=8 h=9 w=9 k=8 r=1 s=1 stride_h=2 stride_w=2"));
}

static void prices_poolings(void **state)
{
	const struct paleo_onednn_pool p = {.lanes = 8,
					    .launch_us = 1,
					    .ppp_memory = 0.5,
					    .overlap = 1,
					    .output_ns = 10,
					    .tap_ns = 1,
					    .row_ns = 8,
					    .wide = 4};
	struct paleo_op w = given_op(
		"pool bwd_data f32 mode=avg n=1 c=5 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2");
	struct paleo_parts t;

	(void)state;
	/* 8 channels: 32 outputs, 128 pixels: 448 ns, and two rows of 8, on two threads;
	 * 5*(16 + 4)*4 bytes */
	paleo_onednn_pool_time(&p, &device, &w, &t);
	near_us(t.compute_s, 0.232);
	near_us(t.memory_s, 0.8);
	near_us(t.total_s, 2.032);
	/* of the maxima, and averages forward, of 128 channels 16 times as much, and the 448 ns 1 +
	 * 4/4 times */
	w = given_op("pool fwd f32 mode=max n=1 c=128 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2");
	paleo_onednn_pool_time(&p, &device, &w, &t);
	near_us(t.compute_s, 16 * (0.448 + 0.008));
	w = given_op("pool fwd f32 mode=avg n=1 c=128 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2");
	paleo_onednn_pool_time(&p, &device, &w, &t);
	near_us(t.compute_s, 16 * (0.448 + 0.008));
}

enum {
	ROWS = 120
};

static struct paleo_op ops[2 * ROWS];
static struct paleo_fit_row rows[2 * ROWS];

static int size_of(int i, double step, double low, double high)
{
	double x = i * step;

	return (int)(low * pow(high / low, x - floor(x)));
}

/* Times by a cost model of 16 lanes, other than the start; the second half is not fitted. */
static void make_rows(const struct paleo_tile_device *d)
{
	struct paleo_fitted_kernel m;
	struct paleo_error err;

	paleo_kernel_model_init(paleo_kernel_model_find("onednn_conv"), PALEO_F32, &m);
	((struct paleo_onednn_conv *)(void *)m.params)->lanes = 16;
	((struct paleo_onednn_conv *)(void *)m.params)->ppp_compute = 0.7;
	((struct paleo_onednn_conv *)(void *)m.params)->launch_us = 25;
	((struct paleo_onednn_conv *)(void *)m.params)->accumulator_spill = 6;
	((struct paleo_onednn_conv *)(void *)m.params)->ppp_compute_1x1 = 0.6;
	((struct paleo_onednn_conv *)(void *)m.params)->accumulator_spill_1x1 = 5;
	for (int i = 0; i < 2 * ROWS; i++) {
		int side = size_of(i, 0.618034, 7, 112), filter = i % 2 ? 3 : 1, pad = filter / 2;
		ops[i] = (struct paleo_op){.kind = PALEO_CONV};
		ops[i].geom.conv = (struct paleo_conv_geom){.n = size_of(i, 0.414214, 1, 16),
							    .c = size_of(i, 0.732051, 8, 256),
							    .h = side,
							    .w = side,
							    .k = size_of(i, 0.236068, 8, 256),
							    .r = filter,
							    .s = filter,
							    .stride_h = 1,
							    .stride_w = 1,
							    .pad_t = pad,
							    .pad_l = pad,
							    .pad_b = pad,
							    .pad_r = pad,
							    .dil_h = 1,
							    .dil_w = 1,
							    .groups = 1};
		assert_int_equal(paleo_op_finish(&ops[i], &err), 0);
		rows[i] = (struct paleo_fit_row){.op = &ops[i], .weight = 1};
		rows[i].log_s = log(paleo_kernel_model_time(&m, d, &ops[i]));
	}
}

static void finds_the_cost_model_that_made_the_times(void **state)
{
	static const struct paleo_device d = {.name = "c",
					      .flop_per_s = {[PALEO_F32] = 2e11},
					      .mem_bytes_per_s = 6e10,
					      .cache_bytes = 32e6,
					      .sm_count = 2};
	const struct paleo_kernel_model *kernel = paleo_kernel_model_find("onednn_conv");
	struct paleo_tile_device host;
	struct paleo_fitted_kernel found;
	struct paleo_error err;
	double sum = 0;

	(void)state;
	assert_int_equal(paleo_kernel_model_device(kernel, &d, PALEO_F32, 0, &host, &err), 0);
	make_rows(&host);
	assert_int_equal(paleo_fit_form(kernel, &d, rows, ROWS, 0, &found, &err), 0);
	/* chosen, not searched: there is no step of it to tell an error by */
	assert_true(((struct paleo_onednn_conv *)(void *)found.params)->lanes == 16);
	assert_true(isnan(found.se[0]) && found.together[0] == 0);
	for (int i = ROWS; i < 2 * ROWS; i++)
		sum += fabs(log(paleo_kernel_model_time(&found, &host, &ops[i])) - rows[i].log_s);
	if (!(sum / ROWS < 0.01))
		fail_msg("mean error %.4f", sum / ROWS);
}

static void wants_threads_and_a_peak(void **state)
{
	const struct paleo_kernel_model *kernel = paleo_kernel_model_find("onednn_pool");
	struct paleo_device d = {.name = "c", .mem_bytes_per_s = 1, .sm_count = 1};
	struct paleo_tile_device host;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_kernel_model_device(kernel, &d, PALEO_F32, 0, &host, &err),
			 PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "a peak for f32"));
	d.flop_per_s[PALEO_F32] = 1;
	assert_int_equal(paleo_kernel_model_device(kernel, &d, PALEO_F32, 0, &host, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_taps_in_the_image),
		cmocka_unit_test(keeps_sums_in_registers),
		cmocka_unit_test(counts_rows_forward),
		cmocka_unit_test(counts_taps_of_rows),
		cmocka_unit_test(counts_rows_backward),
		cmocka_unit_test(counts_products),
		cmocka_unit_test(counts_products_of_wide_vectors),
		cmocka_unit_test(prices_products),
		cmocka_unit_test(prices_rows),
		cmocka_unit_test(counts_beyond_32_bits),
		cmocka_unit_test(reads_large_weights_again),
		cmocka_unit_test(leaves_out_other_algorithms),
		cmocka_unit_test(prices_poolings),
		cmocka_unit_test(finds_the_cost_model_that_made_the_times),
		cmocka_unit_test(wants_threads_and_a_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
