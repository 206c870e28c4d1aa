/* test_record_disturbed.c - records of ops whose samples were all disturbed. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "model/record/record.h"
#include "unit.h"

#define OP_A "softmax fwd f32 rows=4 cols=8"
#define OP_B "eltwise fwd f32 op=relu count=100"
#define META                                                                                       \
	"{\"type\":\"meta\",\"schema\":\"paleo-records/"                                           \
	"4\",\"backend\":\"fake\",\"versions\":\"\","                                              \
	"\"host\":\"\",\"start_utc\":\"\",\"tool\":\"\",\"threads\":1,\"device\":{\"name\":\"u\"}" \
	"}\n"

#define RECORD(op, status, timing)                                                                 \
	"{\"type\":\"record\",\"op\":\"" op "\",\"status\":\"" status                              \
	"\",\"reason\":\"\",\"algorithm\":\"\",\"mode\":\"cold\","                                 \
	"\"workspace_bytes\":0,\"verify_error\":null,\"verify_tolerance\":null" timing "}\n"
#define TIMING(samples)                                                                            \
	",\"timing\":{\"median_s\":1.867,\"ci_low_s\":1.867,\"ci_high_s\":1.867,\"min_s\":1.867,"  \
	"\"mean_s\":1.867,\"mad_s\":0,\"p05_s\":1.867,\"p95_s\":1.867,\"drift\":0,"                \
	"\"samples\":" samples ",\"rejected\":12,\"reps\":1,\"operand_sets\":3,\"stop\":\"time\"}"
#define DISTURBED(op) RECORD(op, "disturbed", "")
#define GOOD(op) RECORD(op, "ok", TIMING("9"))

static struct paleo_results parsed(const char *text)
{
	struct paleo_results r;
	struct paleo_error err;

	if (paleo_results_parse("r.jsonl", text, strlen(text), &r, &err))
		fail_msg("%s", err.text);
	return r;
}

/* No sample is no time; and it does not take the place of one, wherever it stands. */
static void reads_no_time_without_samples(void **state)
{
	(void)state;
	struct paleo_results r = parsed(META DISTURBED(OP_A) GOOD(OP_B) DISTURBED(OP_B));
	assert_int_equal(r.count, 2);
	assert_int_equal(r.records[0].status, PALEO_RECORD_DISTURBED);
	assert_true(r.records[0].timing.median_s == 0);
	assert_int_equal(r.records[1].status, PALEO_RECORD_OK);
	assert_true(r.records[1].timing.median_s == 1.867);
	paleo_results_release(&r);
	r = parsed(META DISTURBED(OP_A) GOOD(OP_A));
	assert_int_equal(r.count, 1);
	assert_int_equal(r.records[0].status, PALEO_RECORD_OK);
	paleo_results_release(&r);
}

/* What is called a time stands on a sample. */
static void refuses_a_time_without_samples(void **state)
{
	static const char text[] = META RECORD(OP_A, "ok", TIMING("0"));
	struct paleo_results r;
	struct paleo_error err;

	(void)state;
	assert_int_equal(paleo_results_parse("r.jsonl", text, strlen(text), &r, &err),
			 PALEO_EINPUT);
	if (!strstr(err.text, "timing.samples: expected an integer from 1 to 2000000000, found 0"))
		fail_msg("'%s'", err.text);
}

/* What is written of it has no timing, and is read again. */
static void writes_no_time_without_samples(void **state)
{
	char *text = NULL;
	size_t size;
	struct paleo_error err;

	(void)state;
	struct paleo_results r = parsed(META GOOD(OP_A));
	struct paleo_record one = paleo_result_record(&r.records[0]);
	FILE *f = open_memstream(&text, &size);
	assert_non_null(f);
	assert_int_equal(paleo_record_meta_write(&r.meta, f, &err), PALEO_OK);
	one.status = PALEO_RECORD_DISTURBED;
	assert_int_equal(paleo_record_write(&one, f, &err), PALEO_OK);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "\"status\":\"disturbed\""));
	assert_null(strstr(text, "median_s"));
	paleo_results_release(&r);
	r = parsed(text);
	assert_int_equal(r.records[0].status, PALEO_RECORD_DISTURBED);
	paleo_results_release(&r);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_no_time_without_samples),
		cmocka_unit_test(refuses_a_time_without_samples),
		cmocka_unit_test(writes_no_time_without_samples),
	};

	return cmocka_run_group_tests_name("record_disturbed", tests, NULL, NULL);
}
