/* test_probes.c - the device's speed is probed around an op's samples and between them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/clock.h"
#include "bench/measure.h"
#include "unit.h"

struct paleo_session {
	int probes;     /* so far */
	int behind;     /* of these, since the last run */
	int fails;      /* which probe fails; 0: none */
	int disturbed;  /* so many do not know the memory's rate */
	double probe_s; /* how long each takes */
};

struct paleo_job {
	struct paleo_session *s;
};

/* The host's clock, the delay that it shows, and what each run adds to that: of the test in
 * progress. */
static double clock_s, delay_s, more_delay_s;

/* This and the next stand in for those in the library, which the linker then does not take. */
double paleo_now_s(void)
{
	return clock_s;
}

double paleo_quiet_delay_s(void)
{
	return delay_s;
}

static int prepare(struct paleo_session *s, const struct paleo_op *w,
		   const struct paleo_bench_options *o, struct paleo_job **out,
		   struct paleo_job_info *info, struct paleo_error *err)
{
	static struct paleo_job job;

	(void)w;
	(void)o;
	(void)err;
	job.s = s;
	*info = (struct paleo_job_info){.algorithm = {.name = "script"}, .operand_sets = 1};
	*out = &job;
	return PALEO_OK;
}

/* 10 ms each, by its own clock; 11 of the host's. */
static int run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	(void)err;
	j->s->behind = 0;
	clock_s += 0.011;
	delay_s += more_delay_s;
	*elapsed_s = 0.01 * reps;
	return PALEO_OK;
}

static void release(struct paleo_job *j)
{
	(void)j;
}

/* The probes give 1, 2, 3 ... GFLOP/s and as many tens of MB/s. */
static int probe(struct paleo_session *s, struct paleo_rates *out, struct paleo_error *err)
{
	clock_s += s->probe_s;
	s->behind++;
	if (++s->probes == s->fails)
		return paleo_fail(err, PALEO_EBACKEND, "no speed");
	*out = (struct paleo_rates){1e9 * s->probes,
				    s->probes <= s->disturbed ? 0 : 1e7 * s->probes};
	return PALEO_OK;
}

static const struct paleo_backend script = {
	.abi = PALEO_BACKEND_ABI,
	.name = "script",
	.host_timed = 1,
	.prepare = prepare,
	.run = run,
	.release = release,
	.probe = probe,
};

/* Ten samples, the first of which is the run that shows that one fills a sample. */
static struct paleo_record measured_after(struct paleo_open_device *d, enum paleo_cache_mode mode,
					  double sustain_s)
{
	const struct paleo_bench_options options = {.mode = mode};
	struct paleo_measure_policy p;
	struct paleo_op w;
	struct paleo_record r = {0};
	struct paleo_error err = {0};

	paleo_measure_defaults(&p);
	p.budget_s = 1000;
	p.min_samples = p.max_samples = 10;
	p.verify_samples = 0;
	p.warmup_s = 0;
	p.sustain_s = sustain_s;
	if (paleo_op_parse("eltwise fwd f32 op=relu count=100", &w, &err) ||
	    paleo_measure(d, &w, &options, &p, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static struct paleo_record measured_on(struct paleo_open_device *d, enum paleo_cache_mode mode)
{
	return measured_after(d, mode, 0);
}

static struct paleo_record measured(const struct paleo_backend *b, struct paleo_session *s,
				    enum paleo_cache_mode mode)
{
	struct paleo_open_device d = {.b = b, .s = s};

	return measured_on(&d, mode);
}

/* Five probes before and five behind. */
static void probes_around_what_is_hot(void **state)
{
	struct paleo_session s = {0};
	struct paleo_record r = measured(&script, &s, PALEO_HOT);

	(void)state;
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_int_equal(s.probes, 5 + 5);
	assert_int_equal(s.behind, 5);
	assert_true(r.timing.speed.flop_per_s == 5.5e9 && r.timing.speed.bytes_per_s == 5.5e7);
}

/* Nine more, before each sample but the first. */
static void probes_between_what_is_cold(void **state)
{
	struct paleo_session s = {.probe_s = 0.001};
	struct paleo_record r = measured(&script, &s, PALEO_COLD);

	(void)state;
	assert_int_equal(r.timing.samples, 10);
	assert_int_equal(s.probes, 5 + 9 + 5);
	assert_true(r.timing.speed.flop_per_s == 1e10 && r.timing.speed.bytes_per_s == 1e8);
}

/* The load goes on from the first run to the last sample. */
static void probes_around_what_is_sustained(void **state)
{
	struct paleo_session s = {.probe_s = 0.001};
	struct paleo_open_device d = {.b = &script, .s = &s};
	struct paleo_record r = measured_after(&d, PALEO_COLD, 1);

	(void)state;
	assert_int_equal(r.timing.samples, 10);
	assert_int_equal(s.probes, 5 + 5);
}

/* Probes of 3 ms are 30 ms apart, so three runs of 11 ms lie between two of them. The first three
 * are the one that warms up and two samples: probes stand before the samples 3, 6 and 9. */
static void probes_less_often_where_they_take_longer(void **state)
{
	struct paleo_session s = {.probe_s = 0.003};
	struct paleo_record r = measured(&script, &s, PALEO_COLD);

	(void)state;
	assert_int_equal(r.timing.samples, 10);
	assert_int_equal(s.probes, 5 + 3 + 5);
}

/* All samples are thrown away, a hundred of them: there is room for ten probes between. */
static void probes_no_more_than_there_is_room(void **state)
{
	struct paleo_session s = {0};

	(void)state;
	more_delay_s = 0.005;
	struct paleo_record r = measured(&script, &s, PALEO_COLD);
	more_delay_s = 0;
	assert_true(r.status == PALEO_RECORD_DISTURBED && r.timing.rejected == 100);
	assert_int_equal(s.behind, 5);
	assert_int_equal(s.probes, 5 + 10 + 5);
}

/* The first three do not know the memory's rate. So one is taken before, and of the nine between
 * and five behind the first two are left out: 4 to 15 have the middle 9.5, of 1 to 15 it is 8. */
static void disturbed_probes_do_not_count(void **state)
{
	struct paleo_session s = {.disturbed = 3}, none = {.disturbed = 1000};
	struct paleo_record r = measured(&script, &s, PALEO_COLD);

	(void)state;
	assert_int_equal(s.probes, 1 + 9 + 5);
	assert_true(r.timing.speed.flop_per_s == 8e9 && r.timing.speed.bytes_per_s == 9.5e7);
	r = measured(&script, &none, PALEO_HOT);
	assert_int_equal(none.probes, 1 + 1);
	assert_true(r.timing.speed.flop_per_s == 1.5e9 && r.timing.speed.bytes_per_s == 0);
}

/* The next op takes over the five behind the first, 6 to 10; with five more their middle is 10.5.
 * After half a second it does not. */
static void neighbours_share_probes(void **state)
{
	struct paleo_session s = {0};
	struct paleo_open_device d = {.b = &script, .s = &s};

	(void)state;
	measured_on(&d, PALEO_HOT);
	clock_s += 0.49;
	struct paleo_record r = measured_on(&d, PALEO_HOT);
	assert_int_equal(s.probes, 10 + 5);
	assert_true(r.timing.speed.flop_per_s == 10.5e9 && r.timing.speed.bytes_per_s == 10.5e7);
	clock_s += 0.51;
	measured_on(&d, PALEO_HOT);
	assert_int_equal(s.probes, 15 + 10);
}

static void a_probe_that_fails_costs_the_op(void **state)
{
	static const int fails[] = {1, 6, 11};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct paleo_session s = {.fails = fails[i]};
		struct paleo_record r = measured(&script, &s, PALEO_COLD);
		assert_int_equal(r.status, PALEO_RECORD_FAILED);
		assert_string_equal(r.reason, "no speed");
		assert_int_equal(s.probes, fails[i]);
	}
}

static void a_backend_without_a_probe_has_none(void **state)
{
	struct paleo_backend timeless = script;
	struct paleo_session s = {0};

	(void)state;
	timeless.probe = NULL;
	struct paleo_record r = measured(&timeless, &s, PALEO_COLD);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_true(r.timing.speed.flop_per_s == 0 && r.timing.speed.bytes_per_s == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_around_what_is_hot),
		cmocka_unit_test(probes_between_what_is_cold),
		cmocka_unit_test(probes_around_what_is_sustained),
		cmocka_unit_test(probes_less_often_where_they_take_longer),
		cmocka_unit_test(probes_no_more_than_there_is_room),
		cmocka_unit_test(disturbed_probes_do_not_count),
		cmocka_unit_test(neighbours_share_probes),
		cmocka_unit_test(a_probe_that_fails_costs_the_op),
		cmocka_unit_test(a_backend_without_a_probe_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
