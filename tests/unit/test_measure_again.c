/* test_measure_again.c - what a record says of its repetitions: results, caches. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/measure.h"
#include "bench/reference.h"
#include "unit.h"

/* Each run takes 100 us; results are off by `later_by` from the first run on. */
struct paleo_session {
	double later_by;
	int cold_reps;
};

struct paleo_job {
	struct paleo_op op;
	const struct paleo_session *s;
	int runs;
};

static int prepare(struct paleo_session *s, const struct paleo_op *w,
		   const struct paleo_bench_options *o, struct paleo_job **out,
		   struct paleo_job_info *info, struct paleo_error *err)
{
	static struct paleo_job job;

	(void)o;
	(void)err;
	job = (struct paleo_job){.op = *w, .s = s};
	*info = (struct paleo_job_info){.operand_sets = 3, .cold_reps = s->cold_reps};
	*out = &job;
	return PALEO_OK;
}

static int run(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err)
{
	(void)err;
	j->runs++;
	*elapsed_s = reps * 1e-4;
	return PALEO_OK;
}

static int output(struct paleo_job *j, enum paleo_role role, int copy, const double *index, int n,
		  float *out, struct paleo_error *err)
{
	double value, magnitude;

	for (int i = 0; i < n; i++) {
		int rc = paleo_reference_value(&j->op, role, copy, index[i], &value, &magnitude,
					       err);
		if (rc)
			return rc;
		out[i] = (float)(value + (j->runs ? j->s->later_by : 0));
	}
	return PALEO_OK;
}

static void release(struct paleo_job *j)
{
	(void)j;
}

static struct paleo_record measured(int replays, const char *key, struct paleo_session *s)
{
	const struct paleo_backend b = {.abi = PALEO_BACKEND_ABI,
					.name = "script",
					.replays = replays,
					.prepare = prepare,
					.run = run,
					.output = output,
					.release = release};
	const struct paleo_bench_options options = {.mode = PALEO_COLD};
	struct paleo_open_device d = {.b = &b, .s = s};
	struct paleo_measure_policy p;
	struct paleo_record r = {0};
	struct paleo_error err = {0};
	struct paleo_op w;

	paleo_measure_defaults(&p);
	if (paleo_op_parse(key, &w, &err) || paleo_measure(&d, &w, &options, &p, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

#define RELU "eltwise fwd f32 op=relu count=100"

/* Of a backend that replays, results are looked at again behind the samples; not those of a step
 * that changes weights in place. */
static void wrong_later_is_incorrect(void **state)
{
	struct paleo_session s = {.later_by = 0.5};

	(void)state;
	assert_int_equal(measured(0, RELU, &s).status, PALEO_RECORD_OK);
	struct paleo_record r = measured(1, RELU, &s);
	assert_int_equal(r.status, PALEO_RECORD_INCORRECT);
	assert_non_null(strstr(r.reason, "after the samples 'y' 0 is "));
	assert_int_equal(r.timing.samples, 0); /* its time is not kept */
	assert_true(r.verify_error > r.verify_tolerance);
	r = measured(1, "update update f32 rule=sgd count=100", &s);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	s.later_by = 0;
	r = measured(1, RELU, &s);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_true(r.timing.samples > 0);
}

/* A sample is some twenty runs: all find their operands outside of the cache, or the last does not.
 */
static void resident_by_repetitions(void **state)
{
	struct paleo_session s = {0};
	struct paleo_record r = measured(1, RELU, &s);
	int reps = r.timing.reps;

	(void)state;
	assert_true(reps > 1);
	assert_null(strstr(r.tags, PALEO_TAG_RESIDENT));
	s.cold_reps = reps;
	assert_null(strstr(measured(1, RELU, &s).tags, PALEO_TAG_RESIDENT));
	s.cold_reps = reps - 1;
	r = measured(1, RELU, &s);
	assert_non_null(strstr(r.tags, PALEO_TAG_RESIDENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_later_is_incorrect),
		cmocka_unit_test(resident_by_repetitions),
	};

	return cmocka_run_group_tests_name("measure_again", tests, NULL, NULL);
}
