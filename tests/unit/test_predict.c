/* test_predict.c - the cost model, the choice of a factor, and intervals, by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/predict/predict.h"
#include "model/predict/smooth.h"
#include "model/predict/stream.h"
#include "model/predict/tile_conv.h"
#include "tests/unit/given.h"

/* 1 TFLOP/s, 100 GB/s: an op of 1 MFLOP takes 1 us of compute, 1 MB takes 10 us of memory. */
static const struct paleo_device device = {
	.name = "unit", .flop_per_s = {[PALEO_F32] = 1e12}, .mem_bytes_per_s = 1e11};

static struct paleo_class_model factor(const char *class_name, enum paleo_pass pass)
{
	struct paleo_class_model f = {.pass = pass,
				      .dtype = PALEO_F32,
				      .ppp_compute = 0.5,
				      .ppp_memory = 0.8,
				      .overhead_s = 2e-6,
				      .overlap = 1,
				      .ratio_low = 0.9,
				      .ratio_high = 1.2,
				      .correlation = 1};

	strcpy(f.class_name, class_name);
	return f;
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void adds_and_overlaps(void **state)
{
	(void)state;
	/* compute 3e-6 / 0.5 = 6 us, memory 6.4e-6 / 0.8 = 8 us, overhead 2 us. */
	struct paleo_cost_model_terms t = {3e-6, 6.4e-6, INFINITY, INFINITY};
	struct paleo_class_model f = factor("conv", PALEO_FWD);
	struct paleo_cost_model_time time;

	paleo_cost_model_time(&t, &f, &time);
	near(time.parts.total_s, 16e-6); /* 2 + 6 + 8 */
	near(time.slope[PALEO_PARAMETER_COMPUTE], -6.0 / 16);
	near(time.slope[PALEO_PARAMETER_MEMORY], -8.0 / 16);
	near(time.slope[PALEO_PARAMETER_OVERHEAD], 2.0 / 16);
	f.overlap = 2;
	paleo_cost_model_time(&t, &f, &time);
	near(time.parts.total_s, 12e-6); /* 2 + sqrt(36 + 64) */
	/* d log t / d log compute: (10 us of 12) * 36 / 100 */
	near(time.slope[PALEO_PARAMETER_COMPUTE], -0.3);
	f.overlap = 3; /* no power of two: 2 + (216 + 512)^(1/3) */
	paleo_cost_model_time(&t, &f, &time);
	near(time.parts.total_s, (2 + cbrt(728)) * 1e-6);
	f.overlap = 2;
	f.half_depth = 10;
	t.depth = 30; /* e = 30/40: compute 8 us; 2 + sqrt(64 + 64) */
	paleo_cost_model_time(&t, &f, &time);
	near(time.parts.compute_s, 8e-6);
	near(time.parts.total_s, 2e-6 + sqrt(128) * 1e-6);
}

static void keeps_extremes_finite(void **state)
{
	(void)state;
	struct paleo_cost_model_terms t = {1e-30, 1e3, INFINITY, INFINITY};
	struct paleo_class_model f = factor("conv", PALEO_FWD);
	struct paleo_cost_model_time time;

	f.overlap = 16;
	paleo_cost_model_time(&t, &f, &time);
	near(time.parts.total_s, 1e3 / 0.8 + 2e-6);
	t.compute_s = t.memory_s = f.overhead_s = 0;
	paleo_cost_model_time(&t, &f, &time);
	assert_true(time.parts.total_s == 0);
	for (int i = 0; i < PALEO_PARAMETERS; i++)
		assert_true(isfinite(time.slope[i]));
}

/* The slopes against differences of the times themselves. */
static void slopes_are_derivatives(void **state)
{
	(void)state;
	const struct paleo_cost_model_terms t = {3e-6, 5e-6, 27, 64};
	struct paleo_class_model f = factor("conv", PALEO_FWD);
	f.overlap = 4;
	f.half_depth = 12;
	f.half_width = 40;
	double *const at[PALEO_PARAMETERS] = {&f.ppp_compute, &f.ppp_memory, &f.overhead_s,
					      &f.half_depth, &f.half_width};
	struct paleo_cost_model_time here, there;

	paleo_cost_model_time(&t, &f, &here);
	for (int i = 0; i < PALEO_PARAMETERS; i++) {
		double old = *at[i], step = 1e-6;
		*at[i] = old * exp(step);
		paleo_cost_model_time(&t, &f, &there);
		*at[i] = old;
		double slope = log(there.parts.total_s / here.parts.total_s) / step;
		assert_true(fabs(slope - here.slope[i]) < 1e-5);
	}
}

static void knows_the_sizes_of_products(void **state)
{
	(void)state;
	static const struct {
		const char *key;
		double depth, width;
	} cases[] = {
		/* c*r*s = 3*9, k; k*r*s, c; n*p*q = 2*8*8, the smaller of k and c*r*s */
		{"conv fwd f32 n=2 c=3 h=8 w=8 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1", 27,
		 64},
		{"conv bwd_data f32 n=2 c=3 h=8 w=8 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
		 576, 3},
		{"conv bwd_filter f32 n=2 c=3 h=8 w=8 k=64 r=3 s=3 pad_t=1 pad_l=1 pad_b=1 pad_r=1",
		 128, 27},
		{"gemm fwd f32 m=4 n=100 k=50", 50, 4},
		{"softmax fwd f32 rows=4 cols=10", INFINITY, INFINITY},
	};
	struct paleo_cost_model_terms t;
	struct paleo_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		assert_int_equal(paleo_cost_model_terms(&device, &w, &t, &err), PALEO_OK);
		assert_true(t.depth == cases[i].depth && t.width == cases[i].width);
	}
}

static void uses_the_nearest_factor(void **state)
{
	(void)state;
	struct paleo_class_model list[] = {factor("eltwise.add", PALEO_FWD),
					   factor("conv", PALEO_FWD),
					   factor("conv.grouped", PALEO_BWD_DATA)};
	struct paleo_calibration c = {.device = device, .models = list, .count = 3};
	struct paleo_prediction p;
	struct paleo_error err;
	static const struct {
		const char *key;
		int factor, exact;
	} cases[] = {
		{"conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3", 1, 1},
		{"conv bwd_filter f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3", 1, 0}, /* another pass */
		{"conv fwd f32 n=1 c=8 h=8 w=8 k=8 r=3 s=3 groups=8", 1,
		 0},                                      /* its kind, its pass */
		{"gemm fwd f32 m=4 n=10 k=50", 1, 0},     /* arithmetic too */
		{"softmax fwd f32 rows=4 cols=10", 0, 0}, /* bandwidth too */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
		assert_ptr_equal(p.factor, &list[cases[i].factor]);
		assert_int_equal(p.exact, cases[i].exact);
		assert_int_equal(isnan(p.interval.low), !cases[i].exact);
	}
}

/* A class without a factor errs as classes do that were predicted by others, all its ops alike. */
static void knows_how_other_classes_err(void **state)
{
	struct paleo_class_model list[] = {factor("conv", PALEO_FWD)};
	struct paleo_calibration c = {
		.device = device,
		.models = list,
		.count = 1,
		.others = {.low = 0.5, .high = 3, .low50 = 0.75, .high50 = 2}};
	struct paleo_op w = given_op("gemm fwd f32 m=4 n=10 k=50");
	struct paleo_op longer = given_op("gemm fwd f32 m=8 n=10 k=50");
	struct paleo_prediction p[2];
	struct paleo_prediction_sum sum;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_predict_op(&c, &w, &p[0], &err), PALEO_OK);
	assert_int_equal(paleo_predict_op(&c, &longer, &p[1], &err), PALEO_OK);
	assert_false(p[0].exact);
	near(p[0].interval.low, p[0].parts.total_s / 2);
	near(p[0].interval.high, p[0].parts.total_s * 3);
	near(p[0].interval.low50, p[0].parts.total_s * 0.75);
	assert_int_equal(paleo_prediction_add_up(p, 2, &sum, &err), PALEO_OK);
	near(sum.interval.high, sum.parts.total_s * 3);
	near(sum.interval.low, sum.parts.total_s / 2);
}

static void defaults_to_the_datasheet(void **state)
{
	(void)state;
	struct paleo_calibration c;
	struct paleo_prediction p;
	struct paleo_error err;
	/* 2*100*200*500 = 2e7 FLOP: 20 us; (100*500 + 500*200 + 100*200) * 4 B = 680 kB: 6.8 us */
	struct paleo_op w = given_op("gemm fwd f32 m=100 n=200 k=500");

	assert_int_equal(paleo_calibration_datasheet(&device, 0, 1, &c, &err), PALEO_EINPUT);
	assert_int_equal(paleo_calibration_datasheet(&device, 1, 1, &c, &err), PALEO_OK);
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.parts.total_s, 26.8e-6);
	assert_int_equal(p.bound, PALEO_BOUND_COMPUTE);
	assert_false(p.exact);
	assert_true(isnan(p.interval.low));
	w = given_op("gemm fwd bf16 m=100 n=200 k=500");
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_EUNSUPPORTED);
	assert_string_equal(err.text, "device 'unit' has no peak FLOP/s for bf16");
	paleo_calibration_release(&c);
}

/* A relu of 1e6 elements: 1 MFLOP, 1 us at the peak, and 8 MB, 80 us at the bandwidth. At a
 * hundredth of the peak that is 100 us of what the cost model calls compute, but no arithmetic
 * holds it up. A copy has no FLOP at all. Of a product, 2 * 256^3 = 33.6 MFLOP are 33.6 us and 3 *
 * 256 KiB 7.9. */
static void arithmetic_binds_where_there_is_some(void **state)
{
	static const struct {
		const char *key;
		enum paleo_bound bound;
	} ops[] = {
		{"eltwise fwd f32 op=relu count=1000000", PALEO_BOUND_MEMORY},
		{"copy fwd f32 rows=1000 cols=1000 parts=2", PALEO_BOUND_MEMORY},
		{"gemm fwd f32 m=256 n=256 k=256", PALEO_BOUND_COMPUTE},
		{"softmax fwd f32 rows=1 cols=10", PALEO_BOUND_OVERHEAD},
	};
	struct paleo_class_model f = factor("any", PALEO_FWD);
	const struct paleo_calibration c = {.device = device, .models = &f, .count = 1};
	struct paleo_prediction p;

	(void)state;
	f.ppp_compute = 0.01;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const struct paleo_op w = given_op(ops[i].key);
		struct paleo_error err;
		assert_int_equal(paleo_predict_op(&c, &w, &p, &err), 0);
		assert_int_equal(p.bound, ops[i].bound);
	}
}

static void adds_up_intervals(void **state)
{
	(void)state;
	struct paleo_class_model a = factor("conv", PALEO_FWD), b = factor("gemm", PALEO_FWD);
	/* Below: a 1 + 2 = 3 together, b 4; sqrt(9 + 16) = 5. Above: a 6, b 8; 10. */
	struct paleo_prediction p[] = {
		{.parts.total_s = 10,
		 .parts.compute_s = 6,
		 .parts.memory_s = 3,
		 .parts.overhead_s = 1,
		 .interval.low = 9,
		 .interval.high = 12,
		 .interval.low50 = 9.5,
		 .interval.high50 = 10.1,
		 .factor = &a,
		 .exact = 1},
		{.parts.total_s = 30,
		 .parts.compute_s = 7,
		 .parts.memory_s = 21,
		 .parts.overhead_s = 2,
		 .interval.low = 26,
		 .interval.high = 38,
		 .interval.low50 = 28,
		 .interval.high50 = 30.1,
		 .factor = &b,
		 .exact = 1},
		{.parts.total_s = 20,
		 .interval.low = 18,
		 .interval.high = 24,
		 .interval.low50 = 19,
		 .interval.high50 = 20.1,
		 .factor = &a,
		 .exact = 1},
	};
	struct paleo_prediction_sum sum;
	struct paleo_error err;

	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	near(sum.parts.total_s, 60);
	near(sum.parts.compute_s, 13);
	near(sum.parts.memory_s, 24);
	near(sum.parts.overhead_s, 3);
	near(sum.interval.low, 55);
	near(sum.interval.high, 70);
	/* Half: a 0.5 + 1 below, b 2; 2.5. Above 0.2 and 0.1: less than a normal sum's share of 10.
	 */
	near(sum.interval.low50, 57.5);
	near(sum.interval.high50, 60 + 10 * 0.6745 / 1.6449);
	/* Apart: sqrt(1 + 4 + 16) below, sqrt(4 + 16 + 64) above. */
	a.correlation = b.correlation = 0;
	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	near(sum.interval.low, 60 - sqrt(21));
	near(sum.interval.high, 60 + sqrt(84));
	/* Half together: (1 + 2)^2/2 + (1 + 4)/2 = 7, and 16 of b; 23. */
	a.correlation = 0.5;
	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	near(sum.interval.low, 60 - sqrt(23));
	/* Of the same time: one op, three times; 3 + 3 + 3 below. */
	p[1] = p[2] = p[0];
	a.correlation = 0;
	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	near(sum.interval.low, 27);
	p[1].parts.total_s = 11;
	p[1].interval.low = NAN;
	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	assert_true(isnan(sum.interval.low) && isnan(sum.interval.high));
	assert_int_equal(paleo_prediction_add_up(p, 0, &sum, &err), PALEO_OK);
	assert_true(sum.parts.total_s == 0 && sum.interval.low == 0);
}

static void takes_the_interval_of_its_band(void **state)
{
	(void)state;
	/* 1 MFLOP at half the peak 2 us, 12 bytes of traffic next to nothing, 2 us overhead. */
	struct paleo_class_model f = factor("conv", PALEO_FWD);
	struct paleo_calibration c = {.device = device, .models = &f, .count = 1};
	struct paleo_op w = given_op("conv fwd f32 n=1 c=16 h=16 w=16 k=16 r=1 s=1");
	struct paleo_prediction p;
	struct paleo_error err;

	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.interval.low, 0.9 * p.parts.total_s);
	assert_true(isnan(p.interval.low50));
	f.band_count = 2;
	f.bands[0] = (struct paleo_band){0, {0.5, 2, 0.8, 1.25}};
	f.bands[1] = (struct paleo_band){2 * p.parts.total_s, {0.9, 1.1, 0.95, 1.05}};
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.interval.low, 0.5 * p.parts.total_s);
	near(p.interval.high50, 1.25 * p.parts.total_s);
	f.bands[1].from_s = p.parts.total_s;
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.interval.high, 1.1 * p.parts.total_s);
	near(p.interval.low50, 0.95 * p.parts.total_s);
}

/* A factor with a kernel model prices by it; what that cannot goes by the numbers beside it. */
static void prices_by_its_own_form(void **state)
{
	(void)state;
	struct paleo_class_model f = factor("conv", PALEO_FWD);
	struct paleo_fitted_kernel m;
	struct paleo_calibration c = {.device = device, .models = &f, .count = 1};
	struct paleo_op w = given_op("eltwise fwd f32 op=relu count=1000000");
	struct paleo_prediction p, flat;
	struct paleo_error err;

	paleo_kernel_model_init(paleo_kernel_model_for(&w, 0), PALEO_F32, &m);
	assert_string_equal(m.kernel->name, "stream");
	assert_int_equal(paleo_predict_op(&c, &w, &flat, &err), PALEO_OK);
	f.model = &m;
	/* without SMs and a clock the device is none for this cost model */
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.parts.total_s, flat.parts.total_s);
	c.device.sm_count = 1;
	c.device.clock_hz = 1e9;
	c.device.cache_bytes = 1e6;
	/* cold: 8 MB at half of 100 GB/s are 160 us; launch 0.01 us with overlap 1: 160.01 us */
	((struct paleo_stream_params *)(void *)m.params)->ppp_memory = 0.5;
	((struct paleo_stream_params *)(void *)m.params)->launch_us = 0.01;
	((struct paleo_stream_params *)(void *)m.params)->overlap = 1;
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.parts.total_s, 160.01e-6);
	near(p.parts.overhead_s, 0.01e-6);
	/* At twice the memory's rate they would take 40 us; but of 4 MB read and 4 MB written all
	 * but the cache's 1 MB has to pass the memory, at 100 GB/s: 70 us. */
	((struct paleo_stream_params *)(void *)m.params)->ppp_memory = 2;
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	near(p.parts.total_s, 70e-6);
	w = given_op("softmax fwd f32 rows=4 cols=10");
	assert_int_equal(paleo_predict_op(&c, &w, &p, &err), PALEO_OK);
	assert_true(p.parts.overhead_s == 2e-6);
}

/* What the library is known to run, by the kernel model: test_tiles.c has the times of its
 * algorithms. */
static void prices_what_the_library_runs(void **state)
{
	(void)state;
	struct paleo_fitted_kernel m;
	struct paleo_class_model f = factor("conv", PALEO_FWD);
	struct paleo_calibration c = {.device = device, .models = &f, .count = 1};
	struct paleo_op w = given_op("conv fwd f32 n=8 c=64 h=28 w=28 k=64 r=3 s=3 pad_t=1 pad_l=1 "
				     "pad_b=1 pad_r=1");
	struct paleo_method_cost how = {PALEO_METHOD_WINOGRAD, 2.25, 1e6, 0};
	struct paleo_prediction own, p;
	struct paleo_tile_device d;
	struct paleo_error err;
	enum paleo_method_use use;
	double times_s[PALEO_CONV_ALGORITHMS];

	c.device.sm_count = 4;
	c.device.clock_hz = 1e9;
	c.device.cache_bytes = 1e6;
	/* a fitted factor without a kernel model has the library's choice in its times */
	f.records = 9;
	assert_int_equal(paleo_predict_method(&c, &w, &how, &p, &use, &err), PALEO_OK);
	assert_int_equal(use, PALEO_METHOD_UNUSED);
	/* one that was not fitted: its FLOPs over 2.25, 57802752/2.25/0.5e12 s */
	f.records = 0;
	assert_int_equal(paleo_predict_method(&c, &w, &how, &p, &use, &err), PALEO_OK);
	assert_int_equal(use, PALEO_METHOD_ON_PEAKS);
	near(p.parts.compute_s, 2.0 * 8 * 28 * 28 * 64 * 64 * 9 / 2.25 / 0.5e12);
	paleo_kernel_model_init(paleo_kernel_model_find("conv"), PALEO_F32, &m);
	f.model = &m;
	const struct paleo_conv_sets sets = {m.sets[0], m.sets[1], m.sets[2]};
	assert_int_equal(paleo_kernel_model_device(m.kernel, &c.device, PALEO_F32, 0, &d, &err),
			 PALEO_OK);
	enum paleo_conv_algorithm best =
		paleo_conv_times((const void *)m.params, &d, &w, &sets, times_s);
	assert_int_equal(best, PALEO_CONV_WINOGRAD);
	assert_int_equal(paleo_predict_op(&c, &w, &own, &err), PALEO_OK);
	/* its own choice: as without, with the interval */
	assert_int_equal(paleo_predict_method(&c, &w, &how, &p, &use, &err), PALEO_OK);
	assert_int_equal(use, PALEO_METHOD_BY_COST_MODEL);
	assert_true(p.parts.total_s == own.parts.total_s && p.interval.low == own.interval.low);
	/* another one, whose interval nobody knows */
	how.method = PALEO_METHOD_FFT;
	assert_int_equal(paleo_predict_method(&c, &w, &how, &p, &use, &err), PALEO_OK);
	assert_true(p.parts.total_s == times_s[PALEO_CONV_FFT] && isnan(p.interval.low));
	/* a matrix of patches, 1 MB that no cache holds, at 0.6 of 100 GB/s: 16.67 us more */
	how.method = PALEO_METHOD_EXPLICIT;
	assert_int_equal(paleo_predict_method(&c, &w, &how, &p, &use, &err), PALEO_OK);
	near(p.parts.total_s,
	     fmin(times_s[PALEO_CONV_PRECOMP], times_s[PALEO_CONV_IMPLICIT]) + 1e6 / (0.6 * 1e11));
	/* Winograd is not in the cost model for other strides */
	w = given_op("conv fwd f32 n=8 c=64 h=28 w=28 k=64 r=3 s=3 stride_h=2 stride_w=2");
	how.method = PALEO_METHOD_WINOGRAD;
	assert_int_equal(paleo_predict_method(&c, &w, &how, &p, &use, &err), PALEO_OK);
	assert_int_equal(use, PALEO_METHOD_UNUSED);
}

static void remembers_what_it_saw(void **state)
{
	(void)state;
	struct paleo_op w = given_op("softmax fwd f32 rows=4 cols=10");
	uint64_t seen[] = {1, 0};
	seen[1] = paleo_op_hash(&w);
	struct paleo_calibration c = {.seen = seen, .seen_count = 2};

	assert_true(paleo_calibration_saw(&c, &w));
	w = given_op("softmax fwd f32 rows=5 cols=10");
	assert_false(paleo_calibration_saw(&c, &w));
}

/* One op each forward, backward and of another kind, which are 3, 4 and 12 too long at most. */
static void adds_up_kinds(void **state)
{
	(void)state;
	struct paleo_class_model f[] = {factor("conv", PALEO_FWD),
					factor("conv.dense", PALEO_BWD_DATA),
					factor("gemm", PALEO_FWD)};
	const double half[] = {3, 4, 12};
	struct paleo_prediction p[3];
	struct paleo_prediction_sum sum;
	struct paleo_error err;

	for (int i = 0; i < 3; i++)
		p[i] = (struct paleo_prediction){.parts.total_s = 20,
						 .interval.low = 20 - half[i],
						 .interval.high = 20 + half[i],
						 .interval.low50 = 20,
						 .interval.high50 = 20,
						 .factor = &f[i]};
	/* Not known, or apart: sqrt(9 + 16 + 144) = 13. */
	f[0].kind_correlation = f[1].kind_correlation = NAN;
	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	near(sum.interval.low, 60 - 13);
	/* Half together: (3 + 4)^2/2 + (9 + 16)/2 = 37, and 144 of the other kind. */
	f[0].kind_correlation = f[1].kind_correlation = 0.5;
	assert_int_equal(paleo_prediction_add_up(p, 3, &sum, &err), PALEO_OK);
	near(sum.interval.low, 60 - sqrt(37 + 144));
	near(sum.interval.high, 60 + sqrt(37 + 144));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_and_overlaps),
		cmocka_unit_test(keeps_extremes_finite),
		cmocka_unit_test(slopes_are_derivatives),
		cmocka_unit_test(knows_the_sizes_of_products),
		cmocka_unit_test(uses_the_nearest_factor),
		cmocka_unit_test(knows_how_other_classes_err),
		cmocka_unit_test(defaults_to_the_datasheet),
		cmocka_unit_test(arithmetic_binds_where_there_is_some),
		cmocka_unit_test(adds_up_intervals),
		cmocka_unit_test(adds_up_kinds),
		cmocka_unit_test(takes_the_interval_of_its_band),
		cmocka_unit_test(prices_by_its_own_form),
		cmocka_unit_test(prices_what_the_library_runs),
		cmocka_unit_test(remembers_what_it_saw),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
