/* test_schedule.c - bubbles of pipelines, by hand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/simulate/schedule.h"
#include "tests/unit/unit.h"

enum {
	CHUNKS_MAX = 64
};

struct outcome {
	double end_s, peak[CHUNKS_MAX];
};

static struct outcome run(const char *name, int stages, int chunks, int micro_batches,
			  struct paleo_chunk each)
{
	struct paleo_chunk all[CHUNKS_MAX];
	struct paleo_error err = {0};
	struct outcome out;

	for (int i = 0; i < stages * chunks; i++)
		all[i] = each;
	struct paleo_pipeline p = {.schedule = paleo_schedule_find(name),
				   .stages = stages,
				   .chunks = chunks,
				   .micro_batches = micro_batches,
				   .chunk = all};
	if (paleo_pipeline_run(&p, &out.end_s, out.peak, &err))
		fail_msg("%s", err.text);
	return out;
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

/* Narayanan et al. 2021: m micro-batches of 1 + 2 s go through p stages in (m + p - 1) 3 s: of
 * that (p - 1)/(m + p - 1) is a bubble. Stage k keeps at most p - k micro-batches. */
static void one_forward_one_backward(void **state)
{
	const struct paleo_chunk each = {.fwd_s = 1, .bwd_s = 1, .wgrad_s = 1, .kept_bytes = 1};
	struct outcome o = run("1f1b", 4, 1, 8, each);

	(void)state;
	near(o.end_s, (8 + 4 - 1) * 3);
	for (int k = 0; k < 4; k++)
		near(o.peak[k], 4 - k);
	near(run("1f1b", 1, 1, 5, each).end_s, 15);
	near(run("1f1b", 4, 1, 2, each).end_s, (2 + 4 - 1) * 3); /* fewer than stages */
	near(run("1f1b", 4, 1, 2, each).peak[0], 2);
}

/* With v chunks of 1/v of the time the bubble is (p - 1) 3 / v. Stage 0 begins with 2 (p - 1) +
 * (v - 1) p forward passes, and does one more before its first backward. */
static void interleaved(void **state)
{
	const struct paleo_chunk half = {.fwd_s = 0.5, .bwd_s = 1, .kept_bytes = 1};
	const struct paleo_chunk quarter = {.fwd_s = 0.25, .bwd_s = 0.5, .kept_bytes = 1};

	(void)state;
	near(run("1f1b", 4, 2, 8, half).end_s, 8 * 3 + 3 * 3 / 2.0);
	near(run("1f1b", 4, 4, 8, quarter).end_s, 8 * 3 + 3 * 3 / 4.0);
	near(run("1f1b", 4, 2, 8, half).peak[0], 2 * 3 + 4 + 1);
}

/*
 * Qi et al. 2023, table 1: bubbles of (p - 1)(F + B - W) with the memory of 1F1B, and of
 * (p - 1)(F + B - 2 W) with 2 p - 1 micro-batches under way.
 */
static void zero_bubble(void **state)
{
	const struct paleo_chunk same = {.fwd_s = 1, .bwd_s = 1, .wgrad_s = 1, .kept_bytes = 1};
	const struct paleo_chunk other = {.fwd_s = 2, .bwd_s = 3, .wgrad_s = 2, .kept_bytes = 1};

	(void)state;
	near(run("zb1", 4, 1, 12, same).end_s, 12 * 3 + 3 * (1 + 1 - 1));
	near(run("zb1", 4, 1, 12, same).peak[0], 4);
	near(run("zb2", 4, 1, 12, same).end_s, 12 * 3 + 3 * (1 + 1 - 2));
	near(run("zb2", 4, 1, 12, same).peak[0], 7);
	near(run("zb1", 4, 1, 12, other).end_s, 12 * 7 + 3 * (2 + 3 - 2));
	near(run("zb2", 4, 1, 12, other).end_s, 12 * 7 + 3 * (2 + 3 - 2 * 2));
}

/* Two stages, one micro-batch: forward 1, over 5, forward and backward 3, back 5, backward 2. */
static void sends_between_stages(void **state)
{
	const struct paleo_chunk each = {.fwd_s = 1, .bwd_s = 2, .send_s = 5};

	(void)state;
	near(run("1f1b", 2, 1, 1, each).end_s, 1 + 5 + 3 + 5 + 2);
}

static void refuses(void **state)
{
	struct paleo_chunk all[4] = {{0}};
	struct paleo_error err = {0};
	double end_s, peak[2];
	struct paleo_pipeline p = {.schedule = paleo_schedule_find("1f1b"),
				   .stages = 2,
				   .chunks = 2,
				   .micro_batches = 3,
				   .chunk = all};

	(void)state;
	assert_int_equal(paleo_pipeline_run(&p, &end_s, peak, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "a multiple of the 2 stages"));
	p.micro_batches = 4;
	p.schedule = paleo_schedule_find("zb1");
	assert_int_equal(paleo_pipeline_run(&p, &end_s, peak, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "one chunk per stage"));
	assert_null(paleo_schedule_find("zb3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_forward_one_backward),
		cmocka_unit_test(interleaved),
		cmocka_unit_test(zero_bubble),
		cmocka_unit_test(sends_between_stages),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
