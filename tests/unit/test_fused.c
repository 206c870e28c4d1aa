/* test_fused.c - kernel models of attention and of experts: by hand, and that more takes longer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/predict/attention.h"
#include "model/predict/experts.h"
#include "tests/unit/given.h"

/* 1 TFLOP/s and 10 GB/s for each of 100 multiprocessors; nothing stays in the cache. */
static struct paleo_tile_device gpu = {.flop_per_s = 100e12,
				       .vector_flop_per_s = 1e11,
				       .mem_bytes_per_s = 1e12,
				       .cache_bytes = 1,
				       .clock_hz = 1e9,
				       .sm_count = 100};

static struct paleo_fitted_kernel model(const char *name, const void *params, size_t size)
{
	struct paleo_fitted_kernel m;

	paleo_kernel_model_init(paleo_kernel_model_find(name), PALEO_BF16, &m);
	if (params)
		memcpy(m.params, params, size);
	return m;
}

static struct paleo_parts price(const struct paleo_fitted_kernel *m, const char *key)
{
	struct paleo_op w = given_op(key);
	struct paleo_parts parts;

	assert_true(m->kernel->applies(&w));
	m->kernel->price(m, &gpu, &w, &parts);
	return parts;
}

static void expect_us(double s, double us)
{
	if (fabs(s * 1e6 / us - 1) > 1e-9)
		fail_msg("%.12g us, expected %.12g", s * 1e6, us);
}

#define PREFILL(sizes) "attention fwd bf16 " sizes " heads=50 kv_heads=50 qk=128 v=128 causal=1"

/*
 * 50 heads of 256 queries are 100 blocks: one wave. The first goes through one tile of keys, the
 * second through two. A tile has 128 128 (2 128 + 2 128) = 8388608 FLOPs, twice that for a head as
 * thin, at half of 1 TFLOP/s: 33.554432 us. Queries, keys, values and results are 4 times 256 50
 * 128 2 bytes: 13.1072 MB at half of 1 TB/s.
 */
static void prefill_by_hand(void **state)
{
	(void)state;
	const struct paleo_prefill_params p = {.launch_us = 5,
					       .ppp_compute = 0.5,
					       .ppp_memory = 0.5,
					       .thin = 1,
					       .block_us = 3,
					       .wave = 0.5};
	struct paleo_fitted_kernel m = model("attention_prefill", &p, sizeof(p));
	const double tile = 33.554432;

	struct paleo_parts one = price(&m, PREFILL("batch=1 q=256 keys=256"));
	expect_us(one.compute_s, 2 * tile + 3); /* the longest block */
	expect_us(one.memory_s, 26.2144);
	expect_us(one.total_s, 5 + 2 * tile + 3 + 26.2144);
	/* three waves of blocks of one tile and a half */
	expect_us(price(&m, PREFILL("batch=3 q=256 keys=256")).compute_s, 3 * (1.5 * tile + 3));
	/* 150 blocks of two tiles; of the half wave that is not filled, half is lost */
	expect_us(price(&m, PREFILL("batch=1 q=384 keys=384")).compute_s, 1.75 * (2 * tile + 3));
	/* 100 blocks behind 256 keys of the past: of 3 and 4 tiles */
	expect_us(price(&m, PREFILL("batch=1 q=256 keys=512") " cache=1").compute_s, 4 * tile + 3);
	/* in a window of 130 two tiles are seen, and a third by the last queries: 1, 2, 3, 3 tiles
	 */
	struct paleo_op w = given_op(PREFILL("batch=1 q=512 keys=512") " window=130");
	struct paleo_prefill_blocks b = paleo_prefill_blocks_of(&w);
	assert_true(b.count == 200 && b.tiles == 2.25 && b.longest == 3);
}

#define DECODE(batch, keys, heads)                                                                 \
	"attention fwd bf16 batch=" batch " q=1 keys=" keys " " heads " qk=64 v=64 causal=1"

/*
 * 10 sequences of 10 heads of keys are 100 blocks for 200 places, so 1024 keys are halved: 512 keys
 * and values of 256 bytes at 10 GB/s are 13.1072 us. All are 26.2144 MB, with queries and results
 * 26.4192, at half of 1 TB/s. 10 80 1024 (2 64 + 2 64 + 5) FLOPs at a tenth of the peak.
 */
static void decode_by_hand(void **state)
{
	(void)state;
	const struct paleo_decode_params p = {.launch_us = 5,
					      .ppp_compute = 0.1,
					      .ppp_memory = 0.5,
					      .cache_share = 1,
					      .cache_gain = 1,
					      .slots = 2,
					      .split_keys = 128,
					      .block_rate = 1,
					      .block_us = 4,
					      .single_us = 1,
					      .shared_most = 32,
					      .wave = 0.5};
	struct paleo_fitted_kernel m = model("attention_decode", &p, sizeof(p));

	struct paleo_parts shared = price(&m, DECODE("10", "1024", "heads=80 kv_heads=10"));
	expect_us(shared.compute_s, 21.38112);
	expect_us(shared.memory_s, pow(pow(17.1072, 4) + pow(52.8384, 4), 0.25));
	expect_us(shared.total_s,
		  5 + pow(pow(17.1072, 4) + pow(52.8384, 4) + pow(21.38112, 4), 0.25));
	/* Each with keys of its own: 800 blocks, four waves, 1024 keys each. */
	struct paleo_op w = given_op(DECODE("10", "1024", "heads=80 kv_heads=80"));
	struct paleo_decode_blocks b = paleo_decode_blocks_of(&p, &gpu, &w);
	assert_true(b.heads == 800 && b.splits == 1 && b.waves == 4 && b.start_s == 1e-6);
	/* 48 queries are too many for one block. */
	w = given_op(DECODE("1", "1024", "heads=48 kv_heads=1"));
	b = paleo_decode_blocks_of(&p, &gpu, &w);
	assert_true(b.heads == 48 && b.waves == 1 && fabs(b.splits - 200.0 / 48) < 1e-12);
	/* 256 keys are not parted into more than two. */
	w = given_op(DECODE("1", "256", "heads=8 kv_heads=1"));
	b = paleo_decode_blocks_of(&p, &gpu, &w);
	assert_true(b.heads == 1 && b.splits == 2 && b.start_s == 4e-6);
	assert_true(b.waves == 1); /* two blocks for 200 places take as long as 200 */
}

#define DEPTHWISE(c) "conv fwd f32 n=1 c=" c " h=12 w=12 k=" c " r=3 s=3 groups=" c

/*
 * 100 channels, filters of 3 x 3 on 12 x 12 pixels give 10 x 10: 2 9 100 100 = 180000 FLOPs at a
 * fifth of 100 GFLOP/s of vector units, 9 us. Images, results and filters are 4 (14400 + 10000 +
 * 900) bytes, at half of 1 TB/s 0.2024 us. Whichever takes longer counts.
 */
static void vector_by_hand(void **state)
{
	const double p[] = {3, 0.2, 0.5}; /* launch_us, ppp_compute, ppp_memory */
	struct paleo_fitted_kernel m = model("vector", p, sizeof(p));
	struct paleo_parts parts = price(&m, DEPTHWISE("100"));

	(void)state;
	expect_us(parts.compute_s, 9);
	expect_us(parts.memory_s, 0.2024);
	expect_us(parts.total_s, 3 + 9);
}

#define EXPERTS(tokens)                                                                            \
	"moe fwd bf16 tokens=" tokens " hidden=1024 inter=512 experts=8 local=4 topk=2 gated=1"

/*
 * 256 tokens are 256 pairs here, 64 for each of 4 experts, whose three matrices have 1572864
 * elements: 2 256 1572864 FLOPs at half the peak. 12582912 bytes of weights and 256 2 (1024 + 512)
 * 2 of activations at half of 1 TB/s; and twice the tokens' 524288 bytes to route them.
 */
static void experts_by_hand(void **state)
{
	(void)state;
	const struct paleo_experts_params p = {.launch_us = 20,
					       .ppp_compute = 0.5,
					       .ppp_memory = 0.5,
					       .route = 2,
					       .expert_ns = 1000,
					       .traffic = 1,
					       .tile = 64};
	struct paleo_fitted_kernel m = model("experts", &p, sizeof(p));

	struct paleo_parts even = price(&m, EXPERTS("256"));
	expect_us(even.compute_s, 16.10612736);
	expect_us(even.memory_s, 28.311552 + 1.048576);
	expect_us(even.total_s, 24 + 1.048576 + pow(pow(16.10612736, 4) + pow(28.311552, 4), 0.25));
	/* Weights in 4 bits, and a byte for each 32 of them: 12582912 17/64 bytes. */
	expect_us(price(&m, EXPERTS("256") " stored=mxfp4").memory_s,
		  2 * (3.342336 + 1.572864) + 1.048576);
	/* On cores for e2m1 products are at 4 times the peak where both are such, and as in fp8 at
	 * twice where activations are wider. */
	struct paleo_tile_device plain = gpu;
	gpu.fp4_flop_per_s = 4 * gpu.flop_per_s;
	gpu.fp8_flop_per_s = 2 * gpu.flop_per_s;
	gpu.int8_flop_per_s = 2 * gpu.flop_per_s;
	expect_us(price(&m, EXPERTS("256") " stored=w8a8").compute_s, 16.10612736 / 2);
	expect_us(price(&m, EXPERTS("256") " stored=int8").compute_s, 16.10612736);
	expect_us(price(&m, EXPERTS("256") " stored=nvfp4").compute_s, 16.10612736 / 4);
	expect_us(price(&m, EXPERTS("256") " stored=mxfp4").compute_s, 16.10612736 / 2);
	expect_us(price(&m, EXPERTS("256") " stored=int4_g128").compute_s, 16.10612736);
	gpu = plain;
	expect_us(price(&m, EXPERTS("256") " stored=nvfp4").compute_s, 16.10612736);
	/* A pair more, and each expert has a second tile. */
	expect_us(price(&m, EXPERTS("257")).compute_s, 2 * 16.10612736);
}

/* A format with a number: times for 1, 2, 3 ... of it do not fall. */
static void expect_growing(const char *kernel, const char *format, int step)
{
	struct paleo_fitted_kernel m = model(kernel, NULL, 0);
	double last_s = 0;

	for (int i = 1; i <= 400; i++) {
		char key[PALEO_OP_KEY_MAX];
		int n = 1 + (i - 1) * step;
		const char *mark = strchr(format, '#');
		const char *again = strchr(mark + 1, '#');
		if (again)
			snprintf(key, sizeof(key), "%.*s%d%.*s%d%s", (int)(mark - format), format,
				 n, (int)(again - mark - 1), mark + 1, n, again + 1);
		else
			snprintf(key, sizeof(key), "%.*s%d%s", (int)(mark - format), format, n,
				 mark + 1);
		double time_s = price(&m, key).total_s;
		if (time_s < last_s * (1 - 1e-12))
			fail_msg("%s: %g s, less than %g s", key, time_s, last_s);
		last_s = time_s;
	}
}

static void more_takes_longer(void **state)
{
	(void)state;
	expect_growing("attention_prefill", PREFILL("batch=# q=300 keys=300"), 1);
	expect_growing("attention_prefill", PREFILL("batch=2 q=# keys=#"), 3);
	expect_growing("attention_prefill", PREFILL("batch=2 q=# keys=#") " window=128", 3);
	expect_growing("attention_decode", DECODE("#", "600", "heads=16 kv_heads=2"), 1);
	expect_growing("attention_decode", DECODE("#", "600", "heads=16 kv_heads=16"), 1);
	expect_growing("attention_decode", DECODE("3", "1#", "heads=16 kv_heads=2"), 1);
	expect_growing("experts", EXPERTS("#"), 3);
	expect_growing("experts", EXPERTS("#") " skew=101", 3);
}

/* A single query without a past is no decoding; neither is a gradient. */
static void which_model_prices_what(void **state)
{
	(void)state;
	static const struct {
		const char *kernel, *key;
	} cases[] = {
		{"attention_prefill", PREFILL("batch=1 q=1 keys=1")},
		{"attention_prefill", "attention bwd_data bf16 batch=1 q=8 keys=8 heads=2 "
				      "kv_heads=2 qk=64 v=64"},
		{"attention_decode", DECODE("1", "2", "heads=2 kv_heads=2")},
		{"experts", EXPERTS("1")},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_op w = given_op(cases[i].key);
		assert_string_equal(paleo_kernel_model_for(&w, 0)->name, cases[i].kernel);
	}
}

/* Only an op with more queries on a key than the limit shows that there is one. */
static void has_no_limit_that_none_shows(void **state)
{
	const struct paleo_decode_params p = {.shared_most = 48};
	struct paleo_fitted_kernel m = model("attention_decode", &p, sizeof(p));
	const struct paleo_decode_params *q = (const void *)m.params;
	struct paleo_error err;
	struct paleo_op few, many;

	(void)state;
	assert_int_equal(paleo_op_parse("attention fwd bf16 batch=1 q=1 keys=9 heads=48 kv_heads=1 "
					"qk=64 v=64 causal=1 cache=1",
					&few, &err),
			 PALEO_OK);
	assert_int_equal(paleo_op_parse("attention fwd bf16 batch=1 q=1 keys=9 heads=64 kv_heads=1 "
					"qk=64 v=64 causal=1 cache=1",
					&many, &err),
			 PALEO_OK);
	const struct paleo_op *ops[] = {&few, &many};
	m.kernel->settle(&m, ops, 2);
	assert_true(q->shared_most == 48);
	m.kernel->settle(&m, ops, 1);
	assert_true(q->shared_most == 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_no_limit_that_none_shows),
		cmocka_unit_test(vector_by_hand),
		cmocka_unit_test(prefill_by_hand),
		cmocka_unit_test(decode_by_hand),
		cmocka_unit_test(experts_by_hand),
		cmocka_unit_test(more_takes_longer),
		cmocka_unit_test(which_model_prices_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
