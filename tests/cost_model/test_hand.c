/* test_hand.c - the cost model paleo2017 on small nets that are worked out by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/paleo2017/paleo2017.h"
#include "tests/unit/unit.h"

#define NET(layers) "{\"name\": \"n\", \"layers\": {" layers "}}"
#define DATA(n, h, w, c)                                                                           \
	"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [" #n "," #h "," #w "," #c   \
	"]}"
#define RELU(name, parents) ", \"" name "\": {\"type\": \"ReLU\", \"parents\": [" parents "]}"
#define ADD(name, parents) ", \"" name "\": {\"type\": \"Elementwise\", \"parents\": [" parents "]}"
#define CONV(name, parents, filter, stride, padding)                                               \
	", \"" name "\": {\"type\": \"Convolution\", \"parents\": [" parents                       \
	"], \"filter\": " filter ", \"strides\": [1, " stride ", " stride                          \
	", 1], \"padding\": " padding "}"

/*
 * A device on which times are counts: 1 FLOP takes 1e-6 ms and 1 byte 2^-30 ms, and
 * a tick is so short that nothing is rounded up to it.
 */
static const struct paleo_2017_device counter = {
	.name = "counter",
	.clock_mhz = 1e12,
	.peak_gflops = 1,
	.mem_gb_per_s = 1000,
	.is_gpu = 1,
};

static struct paleo_net *source;
static struct paleo_2017_net *net;

static int close_net(void **state)
{
	(void)state;
	paleo_2017_close(net);
	paleo_net_free(source);
	net = NULL;
	source = NULL;
	return 0;
}

static int try_open(const char *text, struct paleo_error *err)
{
	close_net(NULL);
	if (paleo_net_parse("n.json", text, strlen(text), 0, &source, err))
		fail_msg("%s", err->text);
	return paleo_2017_open(source, &net, err);
}

static void open_net(const char *text)
{
	struct paleo_error err;

	if (try_open(text, &err))
		fail_msg("%s", err.text);
}

static void expect_refused(const char *text, const char *words)
{
	struct paleo_error err;

	assert_int_equal(try_open(text, &err), PALEO_EUNSUPPORTED);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
}

static int number(const char *name)
{
	int count;
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);

	for (int i = 0; i < count; i++)
		if (!strcmp(layers[i].layer->name, name))
			return i;
	fail_msg("there is no layer '%s'", name);
	return -1;
}

static const struct paleo_2017_layer *layer(const char *name)
{
	int count;

	return &paleo_2017_layers(net, &count)[number(name)];
}

static const struct paleo_2017_options plain = {.device = &counter, .ppp_comp = 1, .ppp_comm = 1};

static void expect_with(const struct paleo_2017_options *o, const char *name,
			enum paleo_2017_pass pass, double flops, double bytes)
{
	struct paleo_2017_time t;
	struct paleo_error err;

	if (paleo_2017_time(net, number(name), pass, o, &t, &err))
		fail_msg("%s", err.text);
	double got_flops = t.comp_ms * 1e6, got_bytes = t.comm_ms * 1073741824.0;
	if (!(fabs(got_flops - flops) <= 1e-9 * flops) ||
	    !(fabs(got_bytes - bytes) <= 1e-9 * bytes))
		fail_msg("'%s', pass %d: %.12g FLOP and %.12g bytes, expected %.12g and %.12g",
			 name, (int)pass, got_flops, got_bytes, flops, bytes);
}

static void expect(const char *name, enum paleo_2017_pass pass, double flops, double bytes)
{
	expect_with(&plain, name, pass, flops, bytes);
}

static void expect_error(const struct paleo_2017_options *o, const char *name,
			 enum paleo_2017_pass pass, const char *words)
{
	struct paleo_2017_time t;
	struct paleo_error err;

	assert_int_equal(paleo_2017_time(net, number(name), pass, o, &t, &err), PALEO_EUNSUPPORTED);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
}

/*
 * 5x5 in, 3x3, stride 2, SAME: 3x3 out, padding floor((2*2 + 3 - 5)/2) = 1. The
 * gradient is spread to 5x5, of which 16 of 25 are holes, and padded by 1.
 */
static void strides_leave_holes(void **state)
{
	(void)state;
	open_net(NET(DATA(2, 5, 5, 4) RELU("r", "\"data\"")
			     CONV("c", "\"r\"", "[3, 3, 4, 6]", "2", "\"SAME\"")));
	assert_int_equal(layer("c")->out.dims[1], 3);
	assert_int_equal(layer("c")->pad[0], 1);
	assert_int_equal(layer("c")->params, 3 * 3 * 4 * 6 + 6);
	/* 2 x 3x3x4 for each of 3x3x6x2 outputs; 2x7x7x4 in with padding, 216 weights, 108 out */
	expect("c", PALEO_2017_FWD, 2 * 36 * 108, 4 * (2 * 49 * 4 + 216 + 108));
	/* dense: 2 x 3x3x6 for each of 5x5x4x2, and 2 for each of the 2x5x5x6 that is no hole;
	 * 2x7x7x6 in, 216 weights, 200 out */
	expect("c", PALEO_2017_BWD_DATA, 2 * 54 * 200 + 2 * 300 * 9 / 25.0,
	       4 * (2 * 49 * 6 + 216 + 200));
	/* 5x5x2 taps for each of 4x3x3x6, 9 of 25 of them; 4x7x7x2 in, 5x5x2x6 without holes, 216
	 * out */
	expect("c", PALEO_2017_BWD_FILTER, 2 * 50 * 216 * 9 / 25.0,
	       4 * (4 * 49 * 2 + 300 * 9 / 25.0 + 216));
	/* at a batch of 7 the sizes that hold the 2 are 7/2 as large */
	struct paleo_2017_options o = plain;
	o.batch = 7;
	expect_with(&o, "c", PALEO_2017_FWD, 2 * 36 * 378, 4 * (7 * 49 * 4 + 216 + 378));
}

/* A stride beyond the window: padding floor((2*2 + 1 - 6)/2) = floor(-1/2) = -1, 4x4 are read. */
static void a_stride_beyond_the_window_pads_less_than_nothing(void **state)
{
	(void)state;
	open_net(NET(DATA(1, 6, 6, 2) CONV("c", "\"data\"", "[1, 1, 2, 3]", "2", "\"SAME\"")));
	assert_int_equal(layer("c")->pad[0], -1);
	expect("c", PALEO_2017_FWD, 2 * 2 * 27, 4 * (16 * 2 + 6 + 27));
	expect("c", PALEO_2017_BWD_DATA, 0, 0); /* it reads 'data' */
}

/* 8x8 in, 3x3, stride 3, VALID: 2x2 out; (8 - 3) mod 3 is 2: one pixel too many for the gradients.
 */
static void gradients_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	open_net(NET(DATA(1, 8, 8, 1) RELU("r", "\"data\"")
			     CONV("c", "\"r\"", "[3, 3, 1, 1]", "3", "\"VALID\"")));
	expect("c", PALEO_2017_FWD, 2 * 9 * 4, 4 * (64 + 9 + 4));
	expect_error(&plain, "c", PALEO_2017_BWD_DATA, "the original ends here");
	expect_error(&plain, "c", PALEO_2017_BWD, "layer 'c'");
}

/*
 * 8x8x3 in, padded to 10x10 = 100, transformed as 16x16: 10 * 256 * 4 = 10,240 FLOP
 * back, half of that forth. 2x3 inputs, 3x4 filters, 2x4 outputs.
 */
static void transforms_are_counted(void **state)
{
	struct paleo_2017_options o = plain;
	struct paleo_error err;

	(void)state;
	open_net(NET(DATA(2, 8, 8, 3) CONV("c", "\"data\"", "[3, 3, 3, 4]", "1", "\"SAME\"")));
	assert_int_equal(paleo_2017_algorithms_named("fft", &o.algorithms, &err), PALEO_OK);
	expect_with(&o, "c", PALEO_2017_FWD, 6 * 5120 + 4 * 2 * 3 * 4 * 100 + 8 * 10240 + 12 * 5120,
		    600 * (4 + 8 + 8) + 800 * (8 + 8) + 4 * 512 + 1200 * (4 + 8 + 8));
	/* One tile of 32x32: 10 * 1024 * 5 = 51,200 FLOP back. */
	assert_int_equal(paleo_2017_algorithms_named("fft_tiling", &o.algorithms, &err), PALEO_OK);
	expect_with(&o, "c", PALEO_2017_FWD, 6 * 25600 + 24.0 * 4 * 1024 + 8 * 51200 + 12 * 25600,
		    6144 * (4 + 8 + 8) + 8192 * (8 + 8) + 4 * 512 + 12288 * (4 + 8 + 8));
	/* A CPU knows gemm alone. */
	struct paleo_2017_device cpu = counter;
	cpu.is_gpu = 0;
	o.device = &cpu;
	expect_with(&o, "c", PALEO_2017_FWD, 2 * 27 * 512, 4 * (2 * 100 * 3 + 108 + 512));
	o.device = &counter;
	o.algorithms.fwd = 7;
	expect_error(&o, "c", PALEO_2017_FWD, "no algorithm 7");
	assert_int_equal(paleo_2017_algorithms_named("winograd", &o.algorithms, &err),
			 PALEO_EINPUT);
}

/*
 * 2x2x3 becomes 4x4x2 by 3x3 with stride 2, SAME: it reverses T, 4x4x2 -> 2x2x3 with
 * padding floor((2 + 3 - 4)/2) = 0. T's gradient is spread to 3x3 and, as the
 * padding is uneven (2 before, 1 after), made 4x4; 12 of 16 are holes; padding 1.
 */
static void deconvolutions_are_convolutions_backwards(void **state)
{
	struct paleo_2017_options o = plain;
	static const char text[] = NET(DATA(1, 2, 2, 3) RELU(
		"r", "\"data\"") ", \"up\": {\"type\": \"Deconvolution\", "
				 "\"parents\": [\"r\"], \"filter\": [3, 3, 2, 3], \"strides\": [1, "
				 "2, 2, 1], "
				 "\"padding\": \"SAME\", \"output_shape\": [1, 4, 4, 2]}");

	(void)state;
	open_net(text);
	assert_int_equal(layer("up")->params, 3 * 3 * 2 * 3 + 3); /* a bias for each input */
	expect("up", PALEO_2017_FWD, 2 * 27 * 32 + 2 * 48 * 4 / 16.0, 4 * (36 * 3 + 54 + 32));
	expect("up", PALEO_2017_BWD_DATA, 2 * 18 * 12, 4 * (16 * 2 + 54 + 12));
	/* the gradient of T's gradient: 4x4 taps, a quarter of them, for each of 3x3x3x2 */
	expect("up", PALEO_2017_BWD_FILTER, 2 * 16 * 54 / 4.0, 4 * (3 * 36 + 32 / 4.0 + 54));
	o.batch = 5; /* which it does not follow */
	expect_with(&o, "up", PALEO_2017_FWD, 2 * 27 * 32 + 2 * 48 * 4 / 16.0,
		    4 * (36 * 3 + 54 + 32));
}

/* What is no convolution, product, pooling or dropout is free; shapes are the original's. */
static void the_rest_is_free(void **state)
{
	(void)state;
	open_net(NET(DATA(2, 3, 5,
			  4) ", \"up\": {\"type\": \"UpSampling2D\", \"parents\": "
			     "[\"data\"], \"ksize\": [1, 2, 3, 1]}" RELU("r", "\"up\"") ADD(
				     "s", "\"up\", \"r\"") ", \"flat\": {\"type\": \"Reshape\", "
							   "\"parents\": [\"s\"], "
							   "\"output_shape\": [2, -1]}"
							   ", \"fc\": {\"type\": \"InnerProduct\", "
							   "\"parents\": [\"flat\"], "
							   "\"num_outputs\": 7, \"bias\": false}"
							   ", \"drop\": {\"type\": \"Dropout\", "
							   "\"parents\": [\"fc\"], "
							   "\"dropout_keep_prob\": 0.5}"
							   ", \"y\": {\"type\": \"Sigmoid\", "
							   "\"parents\": [\"drop\"]}"));
	assert_int_equal(layer("up")->out.dims[1], 6);
	assert_int_equal(layer("up")->out.dims[2], 15);
	assert_int_equal(layer("flat")->out.dims[1], 6 * 15 * 4);
	assert_int_equal(layer("y")->out.dims[1], 1);
	assert_string_equal(layer("r")->type, "generic_ReLU");
	assert_int_equal(layer("fc")->params, 360 * 7 + 7); /* always with a bias */
	expect("up", PALEO_2017_FWD, 0, 0);
	expect("s", PALEO_2017_BWD, 0, 0);
	expect("y", PALEO_2017_FWD, 0, 0);
	/* [2, 360] x [360, 7]; then [2, 7] x [7, 360] and [360, 2] x [2, 7] */
	expect("fc", PALEO_2017_FWD, 2 * 2 * 360 * 7, 4 * (720 + 2520 + 14));
	expect("fc", PALEO_2017_BWD, 2 * 2 * 2 * 360 * 7, 2 * 4 * (720 + 2520 + 14));
	expect("drop", PALEO_2017_BWD_DATA, 14, 4 * (14 + 14));
	expect("drop", PALEO_2017_BWD_FILTER, 0, 0);
}

/*
 * Eight workers, two groups of four. Each needs what the others have: 3 x 1024
 * numbers, 12,288 bytes. Worker 0 fetches from 1, 2, 3 at full speed and then from 4
 * to 7 at a half, a quarter, an eighth, a sixteenth: 3 + 2 + 4 + 8 + 16 = 33 units.
 * Worker 5 begins with the other group, 2 + 4 + 8 + 16, and has a sixteenth left
 * for its own: 3 * 16, in all 78.
 */
static void links_are_halved_again_and_again(void **state)
{
	struct paleo_2017_options o = plain;
	static const char text[] = NET(DATA(3, 32, 32, 1) RELU(
		"r", "\"data\"") ", \"p\": {\"type\": \"ModelParallel\", \"parents\": [\"r\"], "
				 "\"splits\": 8, "
				 "\"layers\": {\"a\": {\"type\": \"ReLU\", \"parents\": []}, "
				 "\"b\": {\"type\": "
				 "\"Concatenate\", \"parents\": [\"a@all\"], \"dim\": 3}}}");

	(void)state;
	open_net(text);
	o.link_gb_per_s = 1000;
	expect_with(&o, "p/b@0", PALEO_2017_FWD, 0, 33 * 12288);
	expect_with(&o, "p/b@5", PALEO_2017_BWD, 0, 78 * 12288);
	/* Split 0 is another device than the 0 of 'r', so it fetches, too. */
	expect_with(&o, "p/a@0", PALEO_2017_FWD, 0, 12288);
	o.ppp_comm = 0.5;
	expect_with(&o, "p/a@7", PALEO_2017_FWD, 0, 2 * 12288);
	o.no_fetch = 1;
	expect_with(&o, "p/a@7", PALEO_2017_FWD, 0, 0);
	/* Without a link one fetches through the memory, but there is nothing to halve. */
	expect("p/a@3", PALEO_2017_FWD, 0, 12288);
	expect_error(&plain, "p/b@3", PALEO_2017_FWD, "halves a link");
}

/* Three workers hold a third of the 6 channels each. */
static void three_splits_share_the_channels(void **state)
{
	(void)state;
	open_net(NET(DATA(1, 4, 4, 2) ", \"p\": {\"type\": \"ModelParallel\", \"parents\": "
				      "[\"data\"], \"splits\": 3, \"layers\": {\"c\": {\"type\": "
				      "\"Convolution\", \"parents\": [], \"filter\": [3, 3, 2, 6], "
				      "\"strides\": [1, 1, 1, 1], \"padding\": [1, 1]}}}, \"all\": "
				      "{\"type\": \"Concatenate\", \"parents\": [\"p/c@all\"], "
				      "\"dim\": 3}"));
	assert_int_equal(layer("p/c@2")->out.dims[3], 2);
	assert_int_equal(layer("p/c@2")->params, 3 * 3 * 2 * 2 + 2);
	assert_int_equal(layer("p/c@2")->device, 2);
	assert_int_equal(layer("all")->out.dims[3], 6);
	struct paleo_2017_options o = plain;
	o.no_fetch = 1;
	expect_with(&o, "p/c@1", PALEO_2017_FWD, 2 * 18 * 32, 4 * (36 * 2 + 36 + 32));
}

/* What is summed twice over three branches: the walk takes c to j2, which still waits for j1, and
 * forgets it; when j1 comes to j2 it is a joint, where the walk ends. */
static void overlapping_joints_are_dropped(void **state)
{
	int count;

	(void)state;
	open_net(NET(DATA(1, 2, 2, 2) RELU("a", "\"data\"") RELU("b", "\"data\"")
			     RELU("c", "\"data\"") ADD("j1", "\"a\", \"b\"")
				     ADD("j2", "\"j1\", \"c\"") RELU("out", "\"j2\"")));
	paleo_2017_layers(net, &count);
	assert_int_equal(count, 5);
	const struct paleo_layer *const *dropped = paleo_2017_dropped(net, &count);
	assert_int_equal(count, 2);
	assert_string_equal(dropped[0]->name, "j2");
	assert_string_equal(dropped[1]->name, "out");
}

/*
 * data is followed by a and j, a by b and c, and j adds up data, b and c. The fork
 * of b and c merges j and passes it; then j's turn comes in the fork around it,
 * where it is no joint any more.
 */
static void inner_joints_are_passed_twice(void **state)
{
	int count;

	(void)state;
	open_net(NET(DATA(1, 2, 2, 2) RELU("a", "\"data\"") RELU("b", "\"a\"") RELU("c", "\"a\"")
			     ADD("j", "\"data\", \"b\", \"c\"")));
	const struct paleo_2017_layer *layers = paleo_2017_layers(net, &count);
	assert_int_equal(count, 6);
	assert_string_equal(layers[4].layer->name, "j");
	assert_string_equal(layers[5].layer->name, "j");
	assert_true(!layers[4].again && layers[5].again);
	/* With a layer behind j, that layer waits for nobody the second time. */
	expect_refused(NET(DATA(1, 2, 2, 2) RELU("a", "\"data\"") RELU("b", "\"a\"")
				   RELU("c", "\"a\"") ADD("j", "\"data\", \"b\", \"c\"")
					   RELU("out", "\"j\"")),
		       "passes layer 'j' twice");
}

/* A second Input is not reached from 'data'. */
static void a_second_input_is_dropped(void **state)
{
	int count;

	(void)state;
	open_net(NET(DATA(1, 2, 2, 2) ", \"more\": {\"type\": \"Input\", \"parents\": [], "
				      "\"tensor\": [1, 2, 2, 2]}" RELU("a", "\"data\"")
					      ADD("s", "\"a\", \"more\"")));
	paleo_2017_dropped(net, &count);
	assert_int_equal(count, 2);
	expect_refused(NET("\"image\": {\"type\": \"Input\", \"parents\": [], \"tensor\": "
			   "[1, 2, 2, 2]}"),
		       "named 'data'");
}

/* data, then (a, b) beside c, then the sum: a + b are 6, c is 5. */
static void bounds_take_the_longest_branch(void **state)
{
	double ms[5], low, high;
	struct paleo_error err;

	(void)state;
	open_net(NET(DATA(1, 2, 2, 2) RELU("a", "\"data\"") RELU("c", "\"data\"") RELU("b", "\"a\"")
			     ADD("s", "\"b\", \"c\"")));
	ms[number("data")] = 1;
	ms[number("a")] = 2;
	ms[number("b")] = 4;
	ms[number("c")] = 5;
	ms[number("s")] = 10;
	assert_int_equal(paleo_2017_bounds(net, ms, &low, &high, &err), PALEO_OK);
	assert_true(low == 1 + 6 + 10);
	assert_true(high == 1 + 6 + 5 + 10);
}

static void forks_within_branches_have_no_bounds(void **state)
{
	double ms[7] = {0}, low, high;
	struct paleo_error err;
	int count;

	(void)state;
	open_net(NET(DATA(1, 2, 2, 2) RELU("x", "\"data\"") RELU("y", "\"data\"") RELU("p", "\"x\"")
			     RELU("q", "\"x\"") ADD("j1", "\"p\", \"q\"")
				     ADD("j2", "\"j1\", \"y\"")));
	paleo_2017_layers(net, &count);
	assert_int_equal(count, 7);
	assert_int_equal(paleo_2017_bounds(net, ms, &low, &high, &err), PALEO_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "nested in a branch"));
}

static void what_ends_the_original_is_refused(void **state)
{
	(void)state;
	expect_refused(NET(DATA(1, 4, 4, 2) ", \"p\": {\"type\": \"AvgPool\", \"parents\": "
					    "[\"data\"], \"global\": true}"),
		       "layer 'p': the original pools with a 'ksize'");
	expect_refused(
		NET(DATA(1, 4, 4, 2) CONV("c", "\"data\"", "[2, 2, 2, 2]", "1", "[1, 0, 1, 0]")),
		"equal padding on both sides");
	expect_refused(NET(DATA(1, 4, 4, 2) ", \"one\": {\"type\": \"Concatenate\", \"parents\": "
					    "[\"data\"], \"dim\": 3}"),
		       "a single layer");
	/* VALID beyond 1x1: the gradient of the filter never fits. */
	expect_refused(NET(DATA(1, 2, 2, 3) ", \"up\": {\"type\": \"Deconvolution\", \"parents\": "
					    "[\"data\"], \"filter\": [2, 2, 2, 3], \"strides\": "
					    "[1, 2, 2, 1], \"padding\": \"VALID\", "
					    "\"output_shape\": [1, 4, 4, 2]}"),
		       "deconvolution");
	/* The sum has 3x3 pixels here, but the original rounds the pooling down to 2x2. */
	expect_refused(NET(DATA(1, 6, 6, 2) ", \"p\": {\"type\": \"Pooling\", \"parents\": "
					    "[\"data\"], \"ksize\": [1, 3, 3, 1], \"strides\": "
					    "[1, 2, 2, 1], \"padding\": \"VALID\", \"ceil_mode\": "
					    "true}" CONV("c", "\"data\"", "[2, 2, 2, 2]", "2",
							 "\"VALID\"") ADD("s", "\"p\", \"c\"")),
		       "shapes differ");
}

/* 2 FLOP for each of 57 weights; read, read, written; at least a tick each, even for nothing. */
static void updates_read_twice_and_write(void **state)
{
	struct paleo_2017_time t = paleo_2017_update(&counter, 228);

	(void)state;
	assert_true(fabs(t.comp_ms * 1e6 - 114) < 1e-9);
	assert_true(fabs(t.comm_ms * 1073741824.0 - 684) < 1e-9);
	t = paleo_2017_update(paleo_2017_device_find("k20"), 0);
	assert_true(t.comp_ms == 0);
	assert_true(t.total_ms == 3e-6); /* 1000 MHz */
}

/* The original ends at chains of more than 993 layers; a walk needs no depth for them. */
static void long_chains_are_walked(void **state)
{
	enum {
		LAYERS = 20000
	};
	char *text = malloc(LAYERS * 80), *at = text;
	int count;

	(void)state;
	assert_non_null(text);
	at += sprintf(at, "{\"name\": \"n\", \"layers\": {" DATA(1, 2, 2, 2));
	at += sprintf(at, RELU("1", "\"data\""));
	for (int i = 2; i < LAYERS; i++)
		at += sprintf(at, RELU("%d", "\"%d\""), i, i - 1);
	strcpy(at, "}}");
	open_net(text);
	free(text);
	paleo_2017_layers(net, &count);
	assert_int_equal(count, LAYERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(strides_leave_holes, close_net),
		cmocka_unit_test_teardown(a_stride_beyond_the_window_pads_less_than_nothing,
					  close_net),
		cmocka_unit_test_teardown(gradients_that_do_not_fit_are_refused, close_net),
		cmocka_unit_test_teardown(transforms_are_counted, close_net),
		cmocka_unit_test_teardown(deconvolutions_are_convolutions_backwards, close_net),
		cmocka_unit_test_teardown(the_rest_is_free, close_net),
		cmocka_unit_test_teardown(links_are_halved_again_and_again, close_net),
		cmocka_unit_test_teardown(three_splits_share_the_channels, close_net),
		cmocka_unit_test_teardown(overlapping_joints_are_dropped, close_net),
		cmocka_unit_test_teardown(inner_joints_are_passed_twice, close_net),
		cmocka_unit_test_teardown(a_second_input_is_dropped, close_net),
		cmocka_unit_test_teardown(bounds_take_the_longest_branch, close_net),
		cmocka_unit_test_teardown(forks_within_branches_have_no_bounds, close_net),
		cmocka_unit_test_teardown(what_ends_the_original_is_refused, close_net),
		cmocka_unit_test_teardown(updates_read_twice_and_write, close_net),
		cmocka_unit_test_teardown(long_chains_are_walked, close_net),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
