/* test_knowledge.c - the best that is known of a GPU: whose it is, how wide, what stands in. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "model/device/backends.h"
#include "model/predict/tile.h"
#include "model/source/knowledge.h"
#include "model/source/knowledge_pick.h"
#include "tests/unit/unit.h"

#define PRODUCT "gemm fwd f32 m=4096 n=4096 k=4096"

/* A table's calibration with the smooth cost model: products at half of the peak, within 10 %. */
static struct paleo_calibration preset_of(const char *device, const char *class_name,
					  enum paleo_dtype dtype)
{
	struct paleo_class_model *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*f = paleo_class_model_unknown();
	strcpy(f->class_name, class_name);
	f->dtype = dtype;
	f->ppp_compute = 0.5;
	f->ppp_memory = 0.5;
	f->overlap = 1;
	f->ratio_low = 0.9;
	f->ratio_high = 1.1;
	f->records = 7;
	struct paleo_calibration c = {
		.device = *paleo_device_find(device), .records = 7, .models = f, .count = 1};
	strcpy(c.backend, PALEO_BACKEND_TABLE);
	strcpy(c.versions, "torch 2.1");
	return c;
}

static void make(const char *device, enum paleo_dtype dtype, int except_self,
		 const struct paleo_calibration *presets, int count, struct paleo_calibration *out)
{
	const struct paleo_knowledge k = {.device = paleo_device_find(device),
					  .dtype = dtype,
					  .presets = presets,
					  .preset_count = count,
					  .except_self = except_self};
	struct paleo_error err;

	if (paleo_knowledge_make(&k, out, &err))
		fail_msg("%s", err.text);
}

static struct paleo_prediction predict(const struct paleo_calibration *c, const char *key)
{
	struct paleo_prediction p = {0};
	struct paleo_error err;
	struct paleo_op w;

	if (paleo_op_parse(key, &w, &err) || paleo_predict_op(c, &w, &p, &err))
		fail_msg("%s", err.text);
	return p;
}

static enum paleo_nearness nearness(const struct paleo_calibration *c,
				    const struct paleo_prediction *p)
{
	return c->sources[p->factor->source].nearness;
}

/* 2 4096^3 FLOP at half of 14 TFLOP/s are 19.6 ms; its 0.2 GB at half of 900 GB/s 0.45 ms. */
static void goes_by_its_own_first(void **state)
{
	struct paleo_calibration presets[] = {preset_of("t4", "gemm", PALEO_F32),
					      preset_of("v100-pcie-32", "gemm", PALEO_F32)};
	static const struct {
		const char *device;
		int except_self;
		enum paleo_nearness nearness;
	} cases[] = {{"v100-pcie-32", 0, PALEO_NEAR_DEVICE},
		     {"v100-pcie", 0, PALEO_NEAR_DEVICE},
		     {"v100-sxm2", 0, PALEO_NEAR_CHIP},
		     {"rtx-2080-ti", 0, PALEO_NEAR_FAMILY},
		     {"k80", 0, PALEO_NEAR_ALL},
		     {"v100-pcie", 1, PALEO_NEAR_ALL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_calibration c;
		make(cases[i].device, PALEO_F32, cases[i].except_self, presets, 2, &c);
		struct paleo_prediction p = predict(&c, PRODUCT);
		assert_int_equal(nearness(&c, &p), cases[i].nearness);
		assert_true(p.exact);
		if (i == 0) {
			assert_true(fabs(p.parts.total_s - 20.08e-3) < 0.05e-3);
			assert_true(fabs(p.interval.low / p.parts.total_s - 0.9) < 1e-9);
			assert_true(fabs(p.interval.high / p.parts.total_s - 1.1) < 1e-9);
		} else if (cases[i].except_self) {
			assert_true(isnan(p.interval.low)); /* one GPU tells no spread */
		} else if (cases[i].nearness > PALEO_NEAR_DEVICE) {
			assert_true(p.interval.low / p.parts.total_s < 0.9 &&
				    p.interval.high / p.parts.total_s > 1.1);
		}
		paleo_calibration_release(&c);
	}
	for (int i = 0; i < 2; i++)
		paleo_calibration_release(&presets[i]);
}

static void says_what_stands_in(void **state)
{
	struct paleo_calibration preset = preset_of("t4", "norm.layer", PALEO_F32), c;
	char text[PALEO_SOURCE_TEXT_MAX];

	(void)state;
	make("t4", PALEO_F16, 0, &preset, 1, &c);
	struct paleo_prediction p = predict(&c, "norm fwd f16 mode=rms n=8 c=64 h=1 w=1");
	paleo_class_model_source(&c, p.factor, text);
	assert_string_equal(text, "preset of t4 as norm.layer");
	p = predict(&c, "lrn fwd f16 n=8 c=64 h=56 w=56 size=5");
	paleo_class_model_source(&c, p.factor, text);
	assert_string_equal(text, "presets of all GPUs");
	assert_true(p.parts.total_s > 1e-6); /* no op takes less than a launch */
	paleo_calibration_release(&c);
	paleo_calibration_release(&preset);
}

/* bf16 has the same cores; what was measured in f32, on plain ones, says nothing of f16. */
static void tells_cores_apart(void **state)
{
	struct paleo_calibration wide = preset_of("a100-80-sxm", "gemm", PALEO_F32),
				 brain = preset_of("a100-80-sxm", "gemm", PALEO_BF16), c;
	const char *key = "gemm fwd f16 m=4096 n=4096 k=4096";

	(void)state;
	make("a100-80-sxm", PALEO_F16, 0, &brain, 1, &c);
	struct paleo_prediction p = predict(&c, key);
	assert_int_equal(nearness(&c, &p), PALEO_NEAR_DEVICE);
	paleo_calibration_release(&c);
	make("a100-80-sxm", PALEO_F16, 0, &wide, 1, &c);
	p = predict(&c, key);
	assert_int_equal(nearness(&c, &p), PALEO_NEAR_ALL);
	paleo_calibration_release(&c);
	paleo_calibration_release(&wide);
	paleo_calibration_release(&brain);
}

/* On an H100 kernels in fp8 stand for products of whole numbers, whose peak is the same; on a B300
 * that one is a thirtieth. Its family is the B200's: 10.0 and 10.3 have one major number. */
static void lets_fp8_stand_for_whole_numbers(void **state)
{
	static const struct {
		const char *preset, *device, *key;
		enum paleo_nearness nearness;
	} cases[] = {
		{"h100-sxm", "h100-sxm", "gemm fwd bf16 m=4096 n=4096 k=4096 stored=w8a8",
		 PALEO_NEAR_DEVICE},
		{"h100-sxm", "h100-sxm", "gemm fwd bf16 m=4096 n=4096 k=4096 stored=int8",
		 PALEO_NEAR_ALL},
		{"b200", "b300", "gemm fwd bf16 m=4096 n=4096 k=4096 stored=w8a8", PALEO_NEAR_ALL},
		{"b200", "b300", "gemm fwd fp8 m=4096 n=4096 k=4096", PALEO_NEAR_FAMILY},
		{"b200", "rtx-5090", "gemm fwd fp8 m=4096 n=4096 k=4096", PALEO_NEAR_ALL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_calibration preset = preset_of(cases[i].preset, "gemm", PALEO_FP8), c;
		make(cases[i].device, PALEO_FP8, 0, &preset, 1, &c);
		struct paleo_prediction p = predict(&c, cases[i].key);
		assert_int_equal(nearness(&c, &p), cases[i].nearness);
		paleo_calibration_release(&c);
		paleo_calibration_release(&preset);
	}
}

/* The tensor cores of an L40S do 1,012 FLOP in f16 in a clock, those of an RTX 6000 of the same
 * chip as many, a GeForce's 512: there its fractions say nothing. Plain cores are the same in all
 * three. */
static void tells_half_of_a_chip(void **state)
{
	struct paleo_calibration half = preset_of("l40s", "gemm", PALEO_F16),
				 plain = preset_of("l40s", "gemm", PALEO_F32), c;
	static const struct {
		const char *device;
		int is_plain;
		enum paleo_nearness nearness;
	} cases[] = {{"rtx-6000-ada", 0, PALEO_NEAR_CHIP},
		     {"rtx-4090", 0, PALEO_NEAR_ALL},
		     {"rtx-4090", 1, PALEO_NEAR_CHIP}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make(cases[i].device, cases[i].is_plain ? PALEO_F32 : PALEO_F16, 0,
		     cases[i].is_plain ? &plain : &half, 1, &c);
		struct paleo_prediction p = predict(
			&c, cases[i].is_plain ? PRODUCT : "gemm fwd f16 m=4096 n=4096 k=4096");
		assert_int_equal(nearness(&c, &p), cases[i].nearness);
		paleo_calibration_release(&c);
	}
	paleo_calibration_release(&half);
	paleo_calibration_release(&plain);
}

/* A device with two files is one GPU of three. Each of them is priced from the middle of all. */
static void counts_a_device_once(void **state)
{
	struct paleo_calibration presets[] = {
		preset_of("t4", "gemm", PALEO_F32), preset_of("v100-pcie", "gemm", PALEO_F32),
		preset_of("m40", "gemm", PALEO_F32), preset_of("t4", "conv", PALEO_F32)};
	struct paleo_known_spreads three, four;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_known_spreads_make(presets, 3, &three, &err), PALEO_OK);
	assert_int_equal(paleo_known_spreads_make(presets, 4, &four, &err), PALEO_OK);
	assert_int_equal(three.of[PALEO_KNOWN_PRODUCTS].cards[PALEO_NEAR_ALL], 3);
	assert_int_equal(four.of[PALEO_KNOWN_PRODUCTS].cards[PALEO_NEAR_ALL], 3);
	assert_true(four.of[PALEO_KNOWN_PRODUCTS].sd[PALEO_NEAR_ALL] ==
		    three.of[PALEO_KNOWN_PRODUCTS].sd[PALEO_NEAR_ALL]);
	for (int i = 0; i < 4; i++)
		paleo_calibration_release(&presets[i]);
}

/* Two P100s, of which one reaches 0.55 of its peaks and the other 0.5: log 1.1 apart. A family of
 * which no card is known is halfway from there to all GPUs. Times of two publishers say nothing of
 * GPUs: then a chip errs as all do. */
static void compares_tables_of_one_publisher(void **state)
{
	struct paleo_calibration presets[] = {preset_of("p100-pcie", "gemm", PALEO_F32),
					      preset_of("p100-sxm2", "gemm", PALEO_F32),
					      preset_of("m40", "gemm", PALEO_F32)};
	struct paleo_known_spreads spreads;
	const struct paleo_known_spread *s = &spreads.of[PALEO_KNOWN_PRODUCTS];
	struct paleo_error err;

	(void)state;
	presets[1].models[0].ppp_compute = presets[1].models[0].ppp_memory = 0.55;
	assert_int_equal(paleo_known_spreads_make(presets, 3, &spreads, &err), PALEO_OK);
	assert_int_equal(s->cards[PALEO_NEAR_CHIP], 2);
	assert_true(fabs(s->sd[PALEO_NEAR_CHIP] - log(1.1)) < 1e-3);
	double all = s->sd[PALEO_NEAR_ALL], chip = s->sd[PALEO_NEAR_CHIP];
	assert_true(all > 1.2 * chip);
	assert_true(fabs(s->sd[PALEO_NEAR_FAMILY] - sqrt(all * chip)) < 1e-9);
	strcpy(presets[1].versions, "another 3");
	assert_int_equal(paleo_known_spreads_make(presets, 3, &spreads, &err), PALEO_OK);
	assert_true(s->sd[PALEO_NEAR_CHIP] == s->sd[PALEO_NEAR_ALL]);
	for (int i = 0; i < 3; i++)
		paleo_calibration_release(&presets[i]);
}

static int is_known(void *context, const struct paleo_op *w, struct paleo_error *err)
{
	struct paleo_prediction p;

	assert_int_equal(paleo_predict_op(context, w, &p, err), PALEO_OK);
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(w, key, sizeof(key));
	if (!p.exact)
		fail_msg("%s: not exact", key);
	return PALEO_OK;
}

static void knows_every_class(void **state)
{
	struct paleo_calibration c;
	struct paleo_error err;

	(void)state;
	make("h100-sxm", PALEO_FP8, 0, NULL, 0, &c);
	for (int size = 0; size < PALEO_SAMPLE_SIZES; size++) {
		assert_int_equal(paleo_samples_each(PALEO_FP8, size, is_known, &c, &err), PALEO_OK);
		assert_int_equal(paleo_samples_each(PALEO_BF16, size, is_known, &c, &err),
				 PALEO_OK);
	}
	paleo_calibration_release(&c);
}

/* Of a table of calls a launch is 3 us for each kernel; three kernels as fp8 has them. */
static void leaves_the_host_out(void **state)
{
	struct paleo_calibration c = preset_of("h100-sxm", "gemm", PALEO_F32);
	struct paleo_fitted_kernel *m = calloc(1, sizeof(*m));
	double *launch_us = &((struct paleo_tile_params *)(void *)m->params)->launch_us;

	(void)state;
	assert_non_null(m);
	paleo_kernel_model_init(paleo_kernel_model_find("quantised"), PALEO_FP8, m);
	c.models[0].model = m;
	c.models[0].overhead_s = 1e-6;
	*launch_us = 50;
	assert_int_equal(paleo_calibration_queue(&c), 0); /* not known */
	c.timed_by = PALEO_TIMED_GRAPH;
	assert_int_equal(paleo_calibration_queue(&c), 0);
	assert_true(*launch_us == 50);
	c.timed_by = PALEO_TIMED_EVENTS;
	assert_int_equal(paleo_calibration_queue(&c), 1);
	assert_true(*launch_us == 9);
	c.timed_by = PALEO_TIMED_HOST;
	assert_int_equal(paleo_calibration_queue(&c), 0);
	c.models[0].overhead_s = 50e-6;
	assert_int_equal(paleo_calibration_queue(&c), 1);
	assert_true(fabs(c.models[0].overhead_s - 9e-6) < 1e-12);
	paleo_calibration_release(&c);
}

/* A factor in a dtype of a stack's preset. */
static struct paleo_calibration stack_of(const char *device, const char *versions,
					 enum paleo_dtype dtype, double ppp)
{
	struct paleo_calibration c = preset_of(device, "gemm", dtype);

	snprintf(c.versions, sizeof(c.versions), "%s", versions);
	c.models[0].ppp_compute = ppp;
	return c;
}

/* vLLM has more factors of the H100 unless another stack is asked for; f32 has none of its own. */
static void prefers_a_stack(void **state)
{
	struct paleo_calibration presets[] = {
		stack_of("h100-sxm", "a TRTLLM-1.3.0", PALEO_BF16, 0.5),
		stack_of("h100-sxm", "a vllm-0.24.0", PALEO_BF16, 0.25),
		stack_of("h100-sxm", "a vllm-0.24.0", PALEO_F16, 0.25),
		stack_of("h100-sxm", "torch 2.1", PALEO_F32, 0.5)};
	static const struct {
		enum paleo_stack stack;
		double compute_s; /* 2 8192^3 FLOP of 989.4 TFLOP/s at such a share */
		enum paleo_nearness nearness;
	} cases[] = {{PALEO_STACK_AUTO, 4.445e-3, PALEO_NEAR_DEVICE},
		     {PALEO_STACK_VLLM, 4.445e-3, PALEO_NEAR_DEVICE},
		     {PALEO_STACK_TRTLLM, 2.2226e-3, PALEO_NEAR_DEVICE},
		     {PALEO_STACK_SGLANG, 2.2226e-3, PALEO_NEAR_STACK}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct paleo_knowledge k = {.device = paleo_device_find("h100-sxm"),
						  .dtype = PALEO_BF16,
						  .stack = cases[i].stack,
						  .presets = presets,
						  .preset_count = 4};
		struct paleo_calibration c;
		struct paleo_error err;
		assert_int_equal(paleo_knowledge_make(&k, &c, &err), PALEO_OK);
		struct paleo_prediction p = predict(&c, "gemm fwd bf16 m=8192 n=8192 k=8192");
		assert_true(fabs(p.parts.compute_s / cases[i].compute_s - 1) < 1e-3);
		assert_int_equal(nearness(&c, &p), cases[i].nearness);
		paleo_calibration_release(&c);
	}
	const struct paleo_device *near = paleo_device_find("h100-pcie"),
				  *far = paleo_device_find("t4");
	assert_int_equal(paleo_stack_default(near, presets, 4), PALEO_STACK_VLLM);
	assert_int_equal(paleo_stack_default(far, presets, 4), PALEO_STACK_AUTO);
	for (int i = 0; i < 4; i++)
		paleo_calibration_release(&presets[i]);
}

/* A whole number up to `most`, small ones as often as large ones. */
static int draw(unsigned *state, double most)
{
	*state = *state * 1664525U + 1013904223U; /* Knuth's, as in Numerical Recipes */
	return (int)exp(log(most) * (*state >> 8) / (1 << 24));
}

static double product_s(const struct paleo_calibration *c, const int mnk[3], const char *type,
			struct paleo_prediction *p)
{
	char key[PALEO_OP_KEY_MAX];

	snprintf(key, sizeof(key), "gemm fwd %s m=%d n=%d k=%d", type, mnk[0], mnk[1], mnk[2]);
	*p = predict(c, key);
	return p->parts.total_s;
}

/* No product beats the peak or, beyond the cache, the memory; and none gets faster by more than a
 * tile's edge makes of it, 5 %, when a side is doubled. */
static void is_never_faster_than_physics(void **state)
{
	static const struct {
		const char *device, *type;
		enum paleo_dtype dtype;
		double bytes;
	} cases[] = {{"h200", "bf16", PALEO_BF16, 2},
		     {"t4", "f32", PALEO_F32, 4},
		     {"rtx-pro-6000-server", "fp8", PALEO_FP8, 1},
		     {"v100-pcie", "f16", PALEO_F16, 2}};
	unsigned seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct paleo_device *d = paleo_device_find(cases[i].device);
		struct paleo_prediction p;
		struct paleo_calibration c;
		make(cases[i].device, cases[i].dtype, 0, NULL, 0, &c);
		for (int n = 0; n < 500; n++) {
			int a[3] = {draw(&seed, 1e5), draw(&seed, 1e5), draw(&seed, 1e5)};
			double time_s = product_s(&c, a, cases[i].type, &p);
			double bytes = cases[i].bytes * ((double)a[0] * a[2] + (double)a[1] * a[2] +
							 (double)a[0] * a[1]);
			assert_true(time_s >= 0.999 * 2.0 * a[0] * a[1] * a[2] /
						      d->flop_per_s[cases[i].dtype]);
			assert_true(time_s >=
				    0.999 * (bytes - d->cache_bytes) / d->mem_bytes_per_s);
			for (int side = 0; side < 3; side++) {
				int b[3] = {a[0], a[1], a[2]};
				b[side] *= 2;
				assert_true(product_s(&c, b, cases[i].type, &p) > 0.95 * time_s);
			}
		}
		paleo_calibration_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_by_its_own_first),
		cmocka_unit_test(says_what_stands_in),
		cmocka_unit_test(tells_cores_apart),
		cmocka_unit_test(lets_fp8_stand_for_whole_numbers),
		cmocka_unit_test(tells_half_of_a_chip),
		cmocka_unit_test(counts_a_device_once),
		cmocka_unit_test(compares_tables_of_one_publisher),
		cmocka_unit_test(knows_every_class),
		cmocka_unit_test(leaves_the_host_out),
		cmocka_unit_test(prefers_a_stack),
		cmocka_unit_test(is_never_faster_than_physics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
