/* test_serving_load.c - loads of a transformer: queues, prompts in the cache, drafts, limits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/serving_help.h"

/* All prompts first, then steps over a cache that grows from 10 to 15 tokens: the mean of the ends
 * and the middle, which counts four times. */
static void static_batches_begin_together(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	const struct paleo_serving_load load = {
		.batching = PALEO_STATIC, .concurrency = 4, .isl = 10, .osl = 6};
	struct paleo_serving_result r = serve(&v, load);

	near(r.ttft.s, step_s(&v, 0, 0, 40));
	near(r.tpot.s,
	     (step_s(&v, 4, 10, 0) + 4 * step_s(&v, 4, 12, 0) + step_s(&v, 4, 15, 0)) / 6);
	s.chunk = 20; /* two steps of two prompts */
	r = serve(&v, load);
	near(r.ttft.s, 2 * step_s(&v, 0, 0, 20));
	paleo_served_release(&v);
}

/* Prompts that come faster than they are taken in: every step is full, and the rest waits. With
 * chunks of 4 tokens and prompts of 10, an answer of 5 has room for 1 + 4 x 5 / 10 = 3 at a time.
 */
static void full_steps_make_wait(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	const struct paleo_serving_load load = {.concurrency = 9, .isl = 10, .osl = 5};

	s.chunk = 4;
	const struct paleo_serving_result r = serve(&v, load);
	near(r.decoding, 3);
	near(r.tpot.s, step_s(&v, 3, 12, 4));
	/* the 90 tokens of 9 prompts take 22.5 steps, 4 of them at a request's answer; and half of
	 * one till the next begins */
	near(r.ttft.s, 19 * step_s(&v, 3, 12, 4));
	/* of the 18.5 steps 2 pass in the server before */
	s.front_steps = 2;
	near(serve(&v, load).ttft.s, r.ttft.s);
	/* with 30 before, 9 requests have less than 9 x 10 tokens of prompts in so many steps,
	 * which take in 120: not all steps are full */
	s.front_steps = 30;
	const struct paleo_serving_result slow = serve(&v, load);
	assert_true(slow.tpot.s < 0.99 * r.tpot.s);
	assert_true(slow.decoding < 2);
	paleo_served_release(&v);
}

/* Answers of one token end with the prompt: a step of 4 tokens takes in 0.4 requests, whatever
 * their number. */
static void prompts_alone_take_steps(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	struct paleo_serving_load load = {.isl = 10, .osl = 1};

	s.chunk = 4;
	for (load.concurrency = 1; load.concurrency <= 13; load.concurrency++)
		assert_true(serve(&v, load).per_s * step_s(&v, 1, 10, 4) < 0.4 + 1e-9);
	paleo_served_release(&v);
}

/* A step takes in all prompts that came during the last one. With 10 requests, answers of 5 and
 * prompts of 10 more than one comes in each step, of which there is room for 819: they wait for
 * half a step till the next begins, and next to nothing for each other. */
static void prompts_share_a_step(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	const struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	const struct paleo_serving_load load = {.concurrency = 10, .isl = 10, .osl = 5};
	const struct paleo_serving_result r = serve(&v, load);

	assert_true(fabs(r.ttft.s / r.tpot.s - 1.5) < 1e-5);
	/* 4 steps of 5.5 are at the answer, in the mean of the 9 others 1 of 5 waits: that half of
	 * a step goes with the next answer */
	assert_true(fabs(r.decoding - (1 + 9 * 4 / 5.0)) < 1e-4);
	paleo_served_release(&v);
}

/* One request in four of a user is among the first: three prompts at once, of which one step takes
 * the first alone and the next all; in chunks of a prompt, request i has its token after i steps.
 * The rest find the steady stream. Two steps pass in the server before. */
static void users_begin_together(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	const struct paleo_serving_load load = {.concurrency = 3, .isl = 10, .osl = 60};
	struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	const double steady_s = serve(&v, load).ttft.s;

	s.rounds = 4;
	near(serve(&v, load).ttft.s,
	     0.75 * steady_s + 0.25 * (step_s(&v, 0, 0, 10) + 2 / 3.0 * step_s(&v, 0, 0, 30)));
	s.rounds = 0;
	s.front_steps = 2;
	const struct paleo_serving_result r = serve(&v, load);
	assert_true(fabs(r.ttft.s / (steady_s + 2 * r.tpot.s) - 1) < 1e-3);
	/* of 62 steps 59 are at the answer: two pass before, and one takes the prompt in */
	assert_true(fabs(r.decoding - (1 + 2 * 59 / 62.0)) < 0.02);
	s.front_steps = 0;
	s.chunk = 10;
	s.rounds = 0;
	const double narrow_s = serve(&v, load).ttft.s;
	s.rounds = 2;
	near(serve(&v, load).ttft.s, narrow_s / 2 + 2 * step_s(&v, 0, 0, 10) / 2);
	paleo_served_release(&v);
}

/* Prompts have GPUs of their own. What 10 tokens leave, 2 x 2 heads of 16 numbers in 3 layers, goes
 * over 1 GB/s after 1 us. A request has 5 steps, the first token came before; so many requests a
 * second keep so much of a GPU busy with prompts. */
static void prompts_have_gpus_of_their_own(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	const struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	struct paleo_serving_load load = {
		.batching = PALEO_DISAGGREGATED, .concurrency = 4, .isl = 10, .osl = 6};
	const struct paleo_serving_result r = serve(&v, load);
	const double prompt_s = step_s(&v, 0, 0, 10), requests_per_s = 4 / (5 * r.tpot.s);
	struct paleo_serving_result none;
	struct paleo_error err = {0};

	near(r.tpot.s,
	     (step_s(&v, 4, 10, 0) + 4 * step_s(&v, 4, 12, 0) + step_s(&v, 4, 15, 0)) / 6);
	near(r.ttft.s, prompt_s + 1e-6 + 10 * 3 * 2 * 2 * 16 * 2 / 1e9);
	near(r.per_s, 6 * requests_per_s);
	near(r.prefill_gpus, requests_per_s * prompt_s);
	near(r.per_gpu_s, r.per_s / (1 + r.prefill_gpus));
	load.osl = 1;
	assert_int_equal(paleo_serve(&v, &load, &none, &err), PALEO_EINPUT);
	assert_string_equal(err.text, "disaggregated prefill needs answers of at least 2 tokens: "
				      "the first comes with the prompt");
	paleo_served_release(&v);
}

/* A prompt goes through both stages, whole; its parts, of which there are 2.5, follow each other:
 * the next is in the first stage while one is in the second. */
static void prompts_go_through_stages(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	struct paleo_serving s = serving_of(&m);
	struct paleo_serving_load load = {.concurrency = 1, .isl = 10, .osl = 6};

	s.split.pp = 2;
	struct paleo_served v = served_of(&s, 10);
	near(serve(&v, load).ttft.s, step_s(&v, 1, 13, 10));
	s.chunk = 4;
	near(serve(&v, load).ttft.s, (1 + 1.5 / 2) * step_s(&v, 1, 13, 4));
	s.chunk = 20;
	load.batching = PALEO_STATIC;
	load.concurrency = 4;
	near(serve(&v, load).ttft.s, (1 + 1.0 / 2) * step_s(&v, 0, 0, 20));
	paleo_served_release(&v);
}

/* A step that guesses 3 tokens ahead is the net for 4 tokens of each, here a whole chunk. */
static void drafts_are_more_tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		const struct paleo_hf_model m = read_model(models[i]);
		struct paleo_serving s = serving_of(&m);
		s.drafts = 3;
		s.accepted = 1;
		struct paleo_served v = served_of(&s, 10);
		near(step_s(&v, 7, 20, 0),
		     100e-6 + whole_net_s(&m, (struct paleo_hf_options){.phase = PALEO_HF_DECODE,
									.batch = 7,
									.seq = 4,
									.past = 20}));
		paleo_served_release(&v);
	}
}

/* Of 3 guessed tokens 1 is right: an answer gets 2 tokens a step, and the host's 100 us are half of
 * that for each. */
static void right_drafts_are_time(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	struct paleo_serving s = serving_of(&m);
	const struct paleo_serving_load load = {
		.batching = PALEO_STATIC, .concurrency = 4, .isl = 10, .osl = 6};

	s.drafts = 3;
	s.accepted = 1;
	struct paleo_served v = served_of(&s, 10);
	const struct paleo_serving_result r = serve(&v, load);
	near(r.tpot.s,
	     (step_s(&v, 4, 10, 0) + 4 * step_s(&v, 4, 12, 0) + step_s(&v, 4, 15, 0)) / 6 / 2);
	near(r.host_s, 50e-6);
	/* 4 x 4 tokens and 40 of prompts: SiLU's two inputs and result of 128, the residual of 64
	 */
	near(r.memory.activations, 56 * 3 * 128 * 2 + 56 * 64 * 2);
	paleo_served_release(&v);
}

/* Of prompts of 10 tokens 4 are there: a step takes in 6 of each, which see all 10. */
static void cached_prompts_are_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		const struct paleo_hf_model m = read_model(models[i]);
		struct paleo_serving s = serving_of(&m);
		s.cached = 4;
		if (m.kv_rank)
			continue; /* refused, below */
		struct paleo_served v = served_of(&s, 10);
		near(step_s(&v, 0, 0, 12),
		     100e-6 + whole_net_s(&m, (struct paleo_hf_options){.phase = PALEO_HF_PREFILL,
									.batch = 2,
									.seq = 6,
									.past = 4}));
		paleo_served_release(&v);
	}
}

static void refuse_cached(const char *model, int cached, const char *sentence)
{
	const struct paleo_hf_model m = read_model(model);
	struct paleo_serving s = serving_of(&m);
	struct paleo_served v;
	struct paleo_error err = {0};

	s.cached = cached;
	assert_int_equal(paleo_served_make(&s, 10, &v, &err), PALEO_EINPUT);
	assert_string_equal(err.text, sentence);
}

static void refuses_caches(void **state)
{
	(void)state;
	refuse_cached(TINY, 10,
		      "of a prompt of 10 tokens, 10 cannot be cached: at least one is new");
	refuse_cached(TINY_LATENT, 4,
		      "prefix caching does not support latent keys: no token of a 'deepseek_v3' "
		      "can be cached");
}

static int most(const struct paleo_served *v, double ttft_s, double tpot_s, int *kept)
{
	const struct paleo_serving_limits limits = {ttft_s, tpot_s};
	struct paleo_serving_load load = {.concurrency = 77, .isl = 10, .osl = 6};
	struct paleo_serving_result r, again;
	struct paleo_error err = {0};

	if (paleo_serve_most(v, &limits, &load, &r, kept, &err))
		fail_msg("%s", err.text);
	again = serve(v, load);
	near(r.tpot.s, again.tpot.s);
	near(r.ttft.s, again.ttft.s);
	return load.concurrency;
}

static void finds_the_most_requests(void **state)
{
	(void)state;
	const struct paleo_hf_model m = read_model(TINY);
	const struct paleo_serving s = serving_of(&m);
	struct paleo_served v = served_of(&s, 10);
	struct paleo_serving_load load = {.isl = 10, .osl = 6};
	struct paleo_serving_result r[14];
	int kept;

	for (load.concurrency = 1; load.concurrency <= 13; load.concurrency++)
		r[load.concurrency] = serve(&v, load);
	for (int n = 2; n <= 13; n++) {
		assert_true(r[n].tpot.s > r[n - 1].tpot.s && r[n].ttft.s > r[n - 1].ttft.s);
		assert_true(r[n].per_s > r[n - 1].per_s);
		assert_int_equal(most(&v, 0, r[n].tpot.s, &kept), n);
		assert_int_equal(kept, 1);
		assert_int_equal(most(&v, r[n].ttft.s, r[n - 1].tpot.s, &kept), n - 1);
	}
	assert_int_equal(most(&v, 1, 1, &kept), 13); /* the memory's */
	assert_int_equal(kept, 1);
	assert_int_equal(most(&v, 1, r[1].tpot.s / 2, &kept), 1);
	assert_int_equal(kept, 0);
	paleo_served_release(&v);
}

/* A GPU that draws half of its 1000 W whatever it does, by a law without FLOPs and bytes: a token
 * takes 500 W over the tokens a second of all GPUs, the prompts' own ones included. */
static void tokens_take_joules(void **state)
{
	(void)state;
	struct paleo_calibration of = calibration;
	const struct paleo_hf_model m = read_model(TINY);
	struct paleo_serving s = serving_of(&m);

	of.device.tdp_w = 1000;
	of.power = (struct paleo_power){.idle = 0.5,
					.compute_power = 1,
					.memory_power = 1,
					.ratio_low = 0.5,
					.ratio_high = 2};
	s.calibration = &of;
	s.split.tp = 2;
	struct paleo_served without = served_of(&s, 10);
	struct paleo_serving_load load = {.concurrency = 9, .isl = 10, .osl = 5};
	assert_true(isnan(serve(&without, load).token.mean));
	paleo_served_release(&without);
	s.power = &of;
	struct paleo_served v = served_of(&s, 10);
	for (int b = 0; b < PALEO_BATCHINGS; b++) {
		load.batching = (enum paleo_batching)b;
		const struct paleo_serving_result r = serve(&v, load);
		const double gpus = r.gpus + r.prefill_gpus;
		/* the bend at the limit: (0.5^-8 + 1)^(-1/8) = 0.4998 */
		assert_true(fabs(r.token.mean * r.per_s / gpus - 500) < 0.25);
	}
	paleo_served_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(static_batches_begin_together),
		cmocka_unit_test(full_steps_make_wait),
		cmocka_unit_test(prompts_alone_take_steps),
		cmocka_unit_test(prompts_share_a_step),
		cmocka_unit_test(users_begin_together),
		cmocka_unit_test(prompts_have_gpus_of_their_own),
		cmocka_unit_test(prompts_go_through_stages),
		cmocka_unit_test(drafts_are_more_tokens),
		cmocka_unit_test(right_drafts_are_time),
		cmocka_unit_test(cached_prompts_are_short),
		cmocka_unit_test(refuses_caches),
		cmocka_unit_test(finds_the_most_requests),
		cmocka_unit_test(tokens_take_joules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
