/* test_measure_graph.c - whole passes through a worker, and their line in a results file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/fake/fake_truth.h"
#include "bench/worker.h"
#include "model/record/graph_record.h"
#include "unit.h"

/* A product and a softmax; forward, backward and the update. */
static const char net_text[] =
	"{\"name\": \"t\", \"layers\": {"
	"\"data\": {\"type\": \"Input\", \"parents\": [], \"tensor\": [2, 4, 4, 3]},"
	"\"f\": {\"type\": \"InnerProduct\", \"parents\": [\"data\"], \"num_outputs\": 10},"
	"\"s\": {\"type\": \"Softmax\", \"parents\": [\"f\"]}}}";

static struct paleo_graph program_of_net(void)
{
	struct paleo_op_list list = {0};
	struct paleo_net *net = NULL;
	struct paleo_error err = {0};
	struct paleo_graph p = {.step_count = 0};

	if (paleo_net_parse("t", net_text, strlen(net_text), 0, &net, &err) ||
	    paleo_net_ops(net, PALEO_F32, PALEO_PASSES_ALL, &list, &err) ||
	    paleo_graph_build(net, &list, PALEO_EXTENT_STEP, PALEO_SGD, &p, &err))
		fail_msg("%s", err.text);
	paleo_op_list_release(&list);
	paleo_net_free(net);
	return p;
}

/* Measures the program on the fake backend, which misbehaves as told. */
static struct paleo_graph_run_result measured(const char *misbehave, const struct paleo_graph *p,
					      struct paleo_pass_times *times)
{
	const struct paleo_worker_config config = {.backend = "fake"};
	struct paleo_measure_policy policy;
	struct paleo_device_info info;
	struct paleo_worker *w = NULL;
	struct paleo_graph_run_result r = {.status = PALEO_RECORD_OK};
	struct paleo_error err = {0};

	setenv("PALEO_FAKE", misbehave, 1);
	paleo_measure_defaults(&policy);
	policy.budget_s = 0.2;
	if (strstr(misbehave, "hang")) /* all else ends by itself, on a slow host, too */
		policy.timeout_s = 1;
	if (paleo_worker_open(&config, &w, &info, &err) ||
	    paleo_worker_graph(w, p, NULL, &policy, &r, times, &err))
		fail_msg("%s", err.text);
	paleo_worker_close(w);
	return r;
}

/*
 * The fake's steps are a cost model of the ops, at 0.8 of their time where they read what
 * the step before has just written, with a gap of 2 us behind each and 5 us before
 * each matrix product. Warm are: the softmax (reads what the product wrote); its
 * gradient (reads its result); the product's gradient (reads the softmax's), of which
 * there is one, for data wants none; and the update of the weights (reads what that
 * wrote). The update of the bias reads what the one before the last wrote: cold.
 */
static void a_whole_pass_is_the_sum_of_warm_and_cold_steps(void **state)
{
	static const int warm[] = {0, 1, 1, 1, 1, 0};
	struct paleo_graph p = program_of_net();
	double step[8], change[8], expected = 0;
	struct paleo_pass_times times = {.step_s = step, .change_s = change};

	(void)state;
	assert_int_equal(p.step_count, 6);
	struct paleo_graph_run_result r = measured("", &p, &times);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	for (int i = 0; i < p.step_count; i++) {
		double alone = paleo_fake_time(&p.steps[i].op);
		double product = p.steps[i].op.kind == PALEO_GEMM ? 5e-6 : 0;
		assert_true(fabs(step[i] - ((warm[i] ? 0.8 : 1) * alone + 2e-6)) < 1e-15);
		assert_true(fabs(change[i] - product) < 1e-15);
		expected += step[i] + change[i];
	}
	assert_true(fabs(r.timing.median_s - expected) < 1e-12);
	assert_true(r.timing.samples >= 10);
	assert_int_equal(r.in_network_samples, r.timing.samples);
	assert_int_equal(r.info.layout_changes, 2);
	assert_string_equal(r.info.how, "fake");
	/* weights 48 x 10 + 10, in f32 */
	assert_true(r.info.memory.weights == 490 * 4);
	assert_true(r.info.memory.workspace == 1e6);
	paleo_graph_release(&p);
}

static void what_goes_wrong_is_a_status(void **state)
{
	static const struct {
		const char *misbehave;
		enum paleo_record_status status;
		const char *reason;
	} cases[] = {
		{"crash=softmax bwd", PALEO_RECORD_CRASH, "the worker was killed by signal 11"},
		{"hang=gemm", PALEO_RECORD_TIMEOUT, "no answer within"},
		{"oom=gemm", PALEO_RECORD_OOM, "the fake memory is full"},
		{"unsupported=update", PALEO_RECORD_UNSUPPORTED, "not supported, as asked for"},
		{"fail=gemm", PALEO_RECORD_FAILED, "the fake library failed"},
		{"nan=gemm", PALEO_RECORD_INCORRECT,
		 "the net's result is nan at position 0, expected a number"},
	};
	struct paleo_graph p = program_of_net();
	double medians[16];
	struct paleo_pass_times times = {.step_s = medians, .change_s = medians + 8};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_graph_run_result r = measured(cases[i].misbehave, &p, &times);
		assert_int_equal(r.status, cases[i].status);
		if (!strstr(r.reason, cases[i].reason))
			fail_msg("'%s' says '%s'", cases[i].misbehave, r.reason);
	}
	paleo_graph_release(&p);
}

/* 800 steps of some 200 bytes are more than one packet of a socket takes. */
static void a_long_program_arrives_whole(void **state)
{
	enum {
		LAYERS = 800
	};
	struct paleo_graph p = {.extent = PALEO_EXTENT_FWD, .dtype = PALEO_F32};
	struct paleo_error err = {0};
	double *medians = calloc((size_t)2 * LAYERS, sizeof(*medians));
	struct paleo_pass_times times = {.step_s = medians, .change_s = medians + LAYERS};

	(void)state;
	p.step_count = LAYERS;
	p.use_count = 2 * LAYERS;
	p.buffer_count = LAYERS + 1;
	p.output = LAYERS;
	p.steps = calloc(LAYERS, sizeof(*p.steps));
	p.uses = calloc((size_t)2 * LAYERS, sizeof(*p.uses));
	p.buffers = calloc(LAYERS + 1, sizeof(*p.buffers));
	assert_true(medians && p.steps && p.uses && p.buffers);
	for (int i = 0; i < LAYERS; i++) {
		char key[64];
		snprintf(key, sizeof(key), "eltwise fwd f32 op=relu count=%d", 1000 + i);
		assert_int_equal(paleo_op_parse(key, &p.steps[i].op, &err), PALEO_OK);
		p.steps[i].first_use = 2 * i;
		p.steps[i].use_count = 2;
		p.uses[2 * i] = (struct paleo_graph_use){
			.role = PALEO_X, .access = PALEO_READ, .buffer = i};
		p.uses[2 * i + 1] = (struct paleo_graph_use){
			.role = PALEO_Y, .access = PALEO_WRITE, .buffer = i + 1};
		p.buffers[i].bytes = p.buffers[i].elem_bytes = 4;
	}
	p.buffers[LAYERS].bytes = p.buffers[LAYERS].elem_bytes = 4;
	struct paleo_graph_run_result r = measured("", &p, &times);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	for (int i = 0; i < LAYERS; i++)
		assert_true(fabs(times.step_s[i] - paleo_fake_step_s(&p, i)) < 1e-15);
	free(medians);
	paleo_graph_release(&p);
}

static struct paleo_graph_record example(void)
{
	struct paleo_graph_record f = {.net = "vgg16",
				       .batch = 4,
				       .dtype = PALEO_BF16,
				       .extent = PALEO_EXTENT_STEP,
				       .rule = PALEO_ADAM,
				       .how = "primitives",
				       .in_network_samples = 9,
				       .layout_changes = 5,
				       .count = 2};
	struct paleo_error err = {0};

	f.timing =
		(struct paleo_timing){.median_s = 0.5, .samples = 10, .reps = 1, .operand_sets = 1};
	f.memory.weights = 100;
	f.predicted.activations = 200;
	f.rows = calloc(2, sizeof(*f.rows));
	assert_non_null(f.rows);
	for (int i = 0; i < 2; i++) {
		struct paleo_graph_record_row *r = &f.rows[i];
		snprintf(r->row.layer, sizeof(r->row.layer), "conv%d", i);
		snprintf(r->row.kind, sizeof(r->row.kind), "relu");
		assert_int_equal(
			paleo_op_parse("eltwise fwd bf16 op=relu count=7", &r->row.op, &err),
			PALEO_OK);
		r->in_network_s = 0.125 * (i + 1);
		r->change_s = 0.0625 * i;
		r->isolated_s = i ? NAN : 0.25;
	}
	return f;
}

#define META                                                                                       \
	"{\"type\":\"meta\",\"schema\":\"paleo-records/4\",\"backend\":\"cpu\",\"versions\":\"\"," \
	"\"host\":\"\",\"start_utc\":\"\",\"tool\":\"\",\"threads\":2,\"device\":{\"name\":"       \
	"\"d\",\"title\":\"\",\"source\":\"\",\"flop_per_s\":{\"f32\":1e12},"                      \
	"\"mem_bytes_per_s\":1e11}}\n"

/* Writes passes behind a meta line and reads the file again. */
static int write_and_read(const struct paleo_graph_record *f, int times, struct paleo_results *out,
			  struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	fputs(META, file);
	for (int i = 0; i < times; i++)
		assert_int_equal(paleo_graph_record_write(f, file, err), PALEO_OK);
	fclose(file);
	int rc = paleo_results_parse("x", text, size, out, err);
	free(text);
	return rc;
}

static void a_line_comes_back_as_it_was(void **state)
{
	struct paleo_graph_record f = example();
	struct paleo_results r;
	struct paleo_error err = {0};

	(void)state;
	if (write_and_read(&f, 2, &r, &err)) /* the second replaces the first */
		fail_msg("%s", err.text);
	assert_int_equal(r.pass_count, 1);
	const struct paleo_graph_record *found = paleo_results_find_pass(&r, &f);
	assert_non_null(found);
	assert_string_equal(found->net, "vgg16");
	assert_string_equal(found->how, "primitives");
	assert_int_equal(found->dtype, PALEO_BF16);
	assert_int_equal(found->rule, PALEO_ADAM);
	assert_int_equal(found->count, 2);
	assert_string_equal(found->rows[1].row.layer, "conv1");
	assert_true(found->timing.median_s == 0.5);
	assert_true(found->memory.weights == 100 && found->predicted.activations == 200);
	assert_true(paleo_graph_record_in_network_s(found) == 0.375);
	assert_true(paleo_graph_record_change_s(found) == 0.0625);
	assert_true(found->rows[0].isolated_s == 0.25);
	assert_true(isnan(paleo_graph_record_isolated_s(found)));
	/* a step with another optimiser is another pass; a forward pass has none */
	f.rule = PALEO_SGD;
	assert_null(paleo_results_find_pass(&r, &f));
	paleo_results_release(&r);
	paleo_graph_record_release(&f);
}

static void a_pass_that_failed_has_no_rows(void **state)
{
	struct paleo_graph_record f = example();
	struct paleo_results r;
	struct paleo_error err = {0};

	(void)state;
	f.status = PALEO_RECORD_OOM;
	snprintf(f.reason, sizeof(f.reason), "too large");
	assert_int_equal(write_and_read(&f, 1, &r, &err), PALEO_OK);
	assert_int_equal(r.passes[0].status, PALEO_RECORD_OOM);
	assert_string_equal(r.passes[0].reason, "too large");
	assert_int_equal(r.passes[0].count, 0);
	paleo_results_release(&r);
	paleo_graph_record_release(&f);
}

static void a_wrong_line_is_refused_with_its_place(void **state)
{
	static const char line[] =
		META "{\"type\":\"graph_run\",\"net\":\"a\",\"batch\":1,\"how\":\"\",\"reason\":"
		     "\"\",\"in_network_samples\":0,\"layout_changes\":0,\"dtype\":\"f32\","
		     "\"extent\":\"backward\",\"optimizer\":\"sgd\",\"status\":\"oom\"}\n";
	struct paleo_results r;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_results_parse("x", line, strlen(line), &r, &err), PALEO_EINPUT);
	assert_non_null(strstr(err.text, "x:2:"));
	assert_non_null(strstr(err.text, "unknown pass 'backward', expected fwd, fwd+bwd or step"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_pass_is_the_sum_of_warm_and_cold_steps),
		cmocka_unit_test(what_goes_wrong_is_a_status),
		cmocka_unit_test(a_long_program_arrives_whole),
		cmocka_unit_test(a_line_comes_back_as_it_was),
		cmocka_unit_test(a_pass_that_failed_has_no_rows),
		cmocka_unit_test(a_wrong_line_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
