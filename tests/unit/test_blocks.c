/* test_blocks.c - the law of convolutions and poolings on a processor, worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "calib/fit_form.h"
#include "tests/unit/unit.h"

/* 1 GFLOP/s, 1 GB/s, two threads. */
static const struct paleo_tile_device device = {
	.flop_per_s = 1e9, .mem_bytes_per_s = 1e9, .cache_bytes = 4608, .sm_count = 2};

static const struct paleo_blocks_conv conv = {
	.lanes = 8,
	.launch_us = 10,
	.ppp_compute = 0.5,
	.ppp_memory = 0.5,
	.overlap = 1,
	.half_in = 16,
	.half_out = 8,
	.half_taps = 3,
	.edge = 1,
	.thin = 0.25,
	.lone = 1.0 / 3,
	.row_ns = 1000,
	.bias = 2,
	.launch_1x1_us = 20,
	.ppp_compute_1x1 = 0.5,
	.ppp_memory_1x1 = 0.5,
	.overlap_1x1 = 1,
	.half_in_1x1 = 16,
	.half_out_1x1 = 8,
	.half_pixels = 4,
	.gather = 2,
	.bias_1x1 = 1,
};

static struct paleo_work work(const char *key)
{
	struct paleo_work w;
	struct paleo_error err;

	if (paleo_work_parse(key, &w, &err))
		fail_msg("%s", err.text);
	return w;
}

static struct paleo_blocks_time time_of(const struct paleo_blocks_conv *p, const char *key)
{
	struct paleo_work w = work(key);
	struct paleo_blocks_time t;

	paleo_blocks_conv_time(p, &device, &w, &t);
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
	assert_true(paleo_blocks_taps(5, 5, 3, 1, 1, 1) == 13);
	assert_true(paleo_blocks_taps(7, 3, 3, 2, 0, 1) == 9); /* none misses */
	/* taps at -2, 0, 2: outputs 2 to 4, all, 0 to 2 */
	assert_true(paleo_blocks_taps(5, 5, 3, 1, 2, 2) == 11);
	/* stride 2, pad 1: the tap at -1 misses output 0; that at 1 reads 1, 3, 5 of 6 */
	assert_true(paleo_blocks_taps(6, 3, 3, 2, 1, 1) == 8);
	assert_true(paleo_blocks_taps(1, 1, 1, 1, 3, 1) == 0); /* the image is never met */
}

static void prices_products(void **state)
{
	(void)state;
	/* 2*2 images*16*8 channels*4 pixels = 2048 FLOPs at 0.5 GFLOP/s are 4.096 us, doubled for
	 * 16 inputs, 8 outputs and 4 pixels each: 32.768. Bytes: 512 + 256 + 512, at 0.5 GB/s
	 * 2.56 us. Launch 20. */
	struct paleo_blocks_time t = time_of(&conv, "conv fwd f32 n=2 c=16 h=2 w=2 k=8 r=1 s=1");
	near_us(t.compute_s, 32.768);
	near_us(t.memory_s, 2.56);
	near_us(t.total_s, 55.328);
	/* 5 outputs fill a block of 8; bytes: 512 + 160 + 320 */
	t = time_of(&conv, "conv fwd f32 n=2 c=16 h=2 w=2 k=5 r=1 s=1");
	near_us(t.compute_s, 32.768);
	near_us(t.memory_s, 1.984);
	/* the 2 images' 16 channels of 4 pixels are read and written: 1024 bytes, twice as long */
	t = time_of(&conv, "conv fwd f32 n=2 c=16 h=4 w=4 k=8 r=1 s=1 stride_h=2 stride_w=2");
	near_us(t.compute_s, 32.768);
	near_us(t.overhead_s, 20 + 2 * 1.024);
	/* the sweep for the bias reads 2*8*4 numbers */
	t = time_of(&conv, "conv bwd_filter f32 n=2 c=16 h=2 w=2 k=8 r=1 s=1 bias=1");
	near_us(t.overhead_s, 20.256);
}

static void prices_rows(void **state)
{
	static const char same[] = "n=1 c=16 h=4 w=4 k=8 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1";
	char key[200];

	(void)state;
	/* Of 12 pairs of rows 10 meet the image, and with edge 1 all 12 of columns count:
	 * 2*16*8*10*12 = 30720 FLOPs, 61.44 us; doubled for 16 inputs, 8 outputs, 3 columns, and
	 * for one block in registers of four: 983.04. 4 rows * 2 blocks read * 1 written, 1 us
	 * each, on two threads: 4. */
	snprintf(key, sizeof(key), "conv fwd f32 %s", same);
	struct paleo_blocks_time t = time_of(&conv, key);
	near_us(t.compute_s, 987.04);
	near_us(t.overhead_s, 10);
	/* bytes: 16*16*4 + 8*16*4 + 8*16*9*4 = 6144 */
	near_us(t.memory_s, 12.288);
	near_us(t.total_s, 987.04 + 10 + 12.288);
	/* Two blocks are written, both in registers: 4/3 instead of 2, and 4 rows * 1 * 2/2 */
	snprintf(key, sizeof(key), "conv bwd_data f32 %s", same);
	near_us(time_of(&conv, key).compute_s, 61.44 * 8 * 4 / 3 + 2);
	snprintf(key, sizeof(key), "conv bwd_filter f32 %s bias=1", same);
	near_us(time_of(&conv, key).overhead_s, 10 + 2 * 0.512);
	/* Without padding 2 of 4 columns are outputs: 4*3 taps instead of 2*3. 2 of rows: 6 pairs.
	 * 2*16*8*6*12 FLOPs; rows of the image are written. */
	t = time_of(&conv, "conv bwd_data f32 n=1 c=16 h=4 w=4 k=8 r=3 s=3");
	near_us(t.compute_s, 36.864 * 8 * 4 / 3 + 2);
	/* 3 inputs stay 3, at a quarter of the rate: 2*3*8*6*6 = 1728 FLOPs, 13.824 us, by
	 * (1 + 16/3) * 2 * 2 * 2; 2 rows * 1 * 1 us on two threads */
	t = time_of(&conv, "conv fwd f32 n=1 c=3 h=4 w=4 k=8 r=3 s=3");
	near_us(t.compute_s, 13.824 * 19 / 3 * 8 + 1);
}

/* 4608 bytes of weights, as many as the cache: half of them again for each image but the first. */
static void reads_large_weights_again(void **state)
{
	struct paleo_blocks_conv p = conv;

	(void)state;
	double once = time_of(&p, "conv fwd f32 n=3 c=16 h=4 w=4 k=8 r=3 s=3").memory_s;
	p.reread = 1;
	double again = time_of(&p, "conv fwd f32 n=3 c=16 h=4 w=4 k=8 r=3 s=3").memory_s;
	near_us(again - once, 2 * 2.304 / 0.5);
}

static void prices_poolings(void **state)
{
	const struct paleo_blocks_pool p = {.lanes = 8,
					    .launch_us = 1,
					    .ppp_memory = 0.5,
					    .overlap = 1,
					    .output_ns = 10,
					    .tap_ns = 1};
	struct paleo_work w =
		work("pool fwd f32 mode=avg n=1 c=5 h=4 w=4 r=2 s=2 stride_h=2 stride_w=2");
	struct paleo_blocks_time t;

	(void)state;
	/* 8 channels: 32 outputs, 128 pixels: 448 ns on two threads; 5*(16 + 4)*4 bytes */
	paleo_blocks_pool_time(&p, &device, &w, &t);
	near_us(t.compute_s, 0.224);
	near_us(t.memory_s, 0.8);
	near_us(t.total_s, 2.024);
}

enum {
	ROWS = 120
};

static struct paleo_work works[2 * ROWS];
static struct paleo_fit_row rows[2 * ROWS];

static int size_of(int i, double step, double low, double high)
{
	double x = i * step;

	return (int)(low * pow(high / low, x - floor(x)));
}

/* Times by a law of 16 lanes, other than the start; the second half is not fitted. */
static void make_rows(const struct paleo_tile_device *d)
{
	struct paleo_form_model m;
	struct paleo_error err;
	double parts_s[3];

	paleo_form_init(paleo_form_find("blocks"), PALEO_F32, &m);
	m.params.blocks.lanes = 16;
	m.params.blocks.ppp_compute = 0.7;
	m.params.blocks.launch_us = 25;
	m.params.blocks.half_taps = 0.5;
	m.params.blocks.ppp_compute_1x1 = 0.6;
	m.params.blocks.half_pixels = 12;
	for (int i = 0; i < 2 * ROWS; i++) {
		int side = size_of(i, 0.618034, 7, 112), filter = i % 2 ? 3 : 1, pad = filter / 2;
		works[i] = (struct paleo_work){.kind = PALEO_CONV};
		works[i].geom.conv = (struct paleo_conv_geom){.n = size_of(i, 0.414214, 1, 16),
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
		assert_int_equal(paleo_work_finish(&works[i], &err), 0);
		rows[i] = (struct paleo_fit_row){.work = &works[i], .weight = 1};
		rows[i].log_s = log(paleo_form_time(&m, d, &works[i], parts_s));
	}
}

static void finds_the_law_that_made_the_times(void **state)
{
	static const struct paleo_device d = {.name = "c",
					      .flop_per_s = {[PALEO_F32] = 2e11},
					      .mem_bytes_per_s = 6e10,
					      .cache_bytes = 32e6,
					      .sm_count = 2};
	const struct paleo_form *form = paleo_form_find("blocks");
	struct paleo_tile_device host;
	struct paleo_form_model found;
	struct paleo_error err;
	double parts_s[3], sum = 0;

	(void)state;
	assert_int_equal(paleo_form_device(form, &d, PALEO_F32, 0, &host, &err), 0);
	make_rows(&host);
	assert_int_equal(paleo_fit_form(form, &d, rows, ROWS, 0, &found, &err), 0);
	assert_true(found.params.blocks.lanes == 16);
	for (int i = ROWS; i < 2 * ROWS; i++)
		sum += fabs(log(paleo_form_time(&found, &host, &works[i], parts_s)) -
			    rows[i].log_s);
	if (!(sum / ROWS < 0.01))
		fail_msg("mean error %.4f", sum / ROWS);
}

static void wants_threads_and_a_peak(void **state)
{
	const struct paleo_form *form = paleo_form_find("windows");
	struct paleo_device d = {.name = "c", .mem_bytes_per_s = 1, .sm_count = 1};
	struct paleo_tile_device host;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_form_device(form, &d, PALEO_F32, 0, &host, &err),
			 PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "a peak for f32"));
	d.flop_per_s[PALEO_F32] = 1;
	assert_int_equal(paleo_form_device(form, &d, PALEO_F32, 0, &host, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_taps_in_the_image),
		cmocka_unit_test(prices_products),
		cmocka_unit_test(prices_rows),
		cmocka_unit_test(reads_large_weights_again),
		cmocka_unit_test(prices_poolings),
		cmocka_unit_test(finds_the_law_that_made_the_times),
		cmocka_unit_test(wants_threads_and_a_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
