/* test_worker.c - a backend that crashes, hangs or fails costs a row, and nothing else. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/backends/fake/fake_truth.h"
#include "bench/clock.h"
#include "bench/worker.h"
#include "tests/unit/given.h"

/* Opens the fake backend, which misbehaves as told. */
static int try_open(const char *misbehave, struct paleo_worker **out, struct paleo_error *err)
{
	const struct paleo_worker_config config = {.backend = "fake"};
	struct paleo_device_info info;

	setenv("PALEO_FAKE", misbehave, 1);
	return paleo_worker_open(&config, out, &info, err);
}

static struct paleo_worker *opened(const char *misbehave)
{
	struct paleo_worker *w = NULL;
	struct paleo_error err = {0};

	if (try_open(misbehave, &w, &err))
		fail_msg("%s", err.text);
	return w;
}

/* Measures an op until it is precise, within so many seconds of runs, which a busy machine may
 * take for a few; the worker may take so long beside them, 0: a minute. */
static struct paleo_record measured_within(struct paleo_worker *w, const char *key, double budget_s,
					   double timeout_s)
{
	struct paleo_op op = given_op(key);
	struct paleo_measure_policy p;
	struct paleo_record r;
	struct paleo_error err = {0};

	paleo_measure_defaults(&p);
	p.budget_s = budget_s;
	p.timeout_s = timeout_s;
	if (paleo_worker_measure(w, &op, NULL, &p, &r, &err))
		fail_msg("%s", err.text);
	assert_true(paleo_op_equal(&r.op, &op));
	assert_string_equal(r.mode, "cold");
	return r;
}

static struct paleo_record measured(struct paleo_worker *w, const char *key)
{
	return measured_within(w, key, 1000, 0);
}

static const char *const lrn_key = "lrn fwd f32 n=1 c=8 h=4 w=4 size=5";
static const char *const gemm_key = "gemm fwd f32 m=64 n=64 k=64";

/* Closes the worker; afterwards there is no child, not even a dead one. */
static void close_all(struct paleo_worker *w)
{
	paleo_worker_close(w);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void measures(void **state)
{
	const struct paleo_worker_config config = {.backend = "fake"};
	struct paleo_worker *w;
	struct paleo_device_info info;
	struct paleo_error err = {0};

	(void)state;
	unsetenv("PALEO_FAKE");
	if (paleo_worker_open(&config, &w, &info, &err))
		fail_msg("%s", err.text);
	assert_string_equal(info.device.name, "fake");
	struct paleo_doubts doubts;
	info.device.flop_per_s[PALEO_F32] = 0;
	assert_int_equal(paleo_worker_peaks(w, 1u << PALEO_F32, &info.device, &doubts, &err),
			 PALEO_OK);
	assert_true(info.device.flop_per_s[PALEO_F32] == 1e13);
	assert_string_equal(doubts.arithmetic, "");
	struct paleo_ceilings list = {.count = 0};
	assert_int_equal(paleo_worker_ceilings(w, &list, &err), PALEO_OK);
	assert_true(paleo_ceiling_find(list.items, list.count, "gemm_bf16")->value == 4e13);
	struct paleo_record r = measured(w, gemm_key);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	double truth = paleo_fake_time(&r.op);
	assert_true(fabs(r.timing.median_s / truth - 1) < 0.02); /* noise is 1 % a sample */
	assert_true(r.timing.samples >= 10);
	close_all(w);
	paleo_worker_close(NULL);
}

/* Preparing takes 50 ms, and each of the few runs 20 ms: so long at least they are accounted for,
 * and no phase takes more than there was. */
static void tells_where_time_goes(void **state)
{
	struct paleo_worker *w = opened("op-delay=0.05,slow=gemm");
	double start_s = paleo_now_s(), sum_s = 0;
	struct paleo_record r = measured(w, gemm_key);
	double wall_s = paleo_now_s() - start_s;

	(void)state;
	for (int i = 0; i < PALEO_PHASES; i++) {
		assert_true(r.spent.s[i] >= 0);
		sum_s += r.spent.s[i];
	}
	assert_true(r.spent.s[PALEO_PHASE_PREPARE] >= 0.05);
	assert_true(r.spent.s[PALEO_PHASE_WARM_UP] >= 0.02);
	assert_true(r.spent.s[PALEO_PHASE_COUNTED] >= 0.02 * (r.timing.samples - 1));
	assert_true(r.spent.s[PALEO_PHASE_CHECK] > 0 && r.spent.s[PALEO_PHASE_REJECTED] == 0);
	assert_true(sum_s <= wall_s && sum_s >= 0.05 + 0.02 * r.timing.samples);
	close_all(w);
}

static void crash_costs_a_row(void **state)
{
	struct paleo_worker *w = opened("crash=lrn");

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct paleo_record r = measured(w, lrn_key);
		assert_int_equal(r.status, PALEO_RECORD_CRASH);
		assert_string_equal(r.reason,
				    "the worker was killed by signal 11 (Segmentation fault)");
		assert_int_equal(measured(w, gemm_key).status, PALEO_RECORD_OK);
	}
	measured(w, lrn_key);
	close_all(w); /* without a child */
}

/* Without peaks there is no session; the next question finds a new child. */
static void peaks_fail(void **state)
{
	struct paleo_worker *w = opened("peaks");
	struct paleo_device d = {.name = "untouched"};
	struct paleo_doubts doubts;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_worker_peaks(w, PALEO_PEAKS_ALL, &d, &doubts, &err), PALEO_EBACKEND);
	assert_string_equal(err.text, "the fake peaks cannot be measured, as asked for");
	close_all(w);
	w = opened("peaks-crash");
	assert_int_equal(paleo_worker_peaks(w, PALEO_PEAKS_ALL, &d, &doubts, &err), PALEO_ECRASH);
	assert_string_equal(err.text, "measuring the peaks of 'fake': the worker was killed by "
				      "signal 11 (Segmentation fault)");
	assert_string_equal(d.name, "untouched");
	assert_int_equal(measured(w, gemm_key).status, PALEO_RECORD_OK);
	close_all(w);
}

static void hang_costs_a_row(void **state)
{
	struct paleo_worker *w = opened("hang=lrn");

	(void)state;
	struct paleo_record r = measured_within(w, lrn_key, 0.2, 1);
	assert_int_equal(r.status, PALEO_RECORD_TIMEOUT);
	assert_string_equal(r.reason, "no answer within 1.2 s");
	assert_int_equal(measured(w, gemm_key).status, PALEO_RECORD_OK);
	close_all(w);
}

static void other_faults(void **state)
{
	static const struct {
		const char *misbehave;
		enum paleo_record_status status;
		const char *reason;
	} cases[] = {
		{"oom=lrn", PALEO_RECORD_OOM, "the fake memory is full, as asked for"},
		{"unsupported=lrn", PALEO_RECORD_UNSUPPORTED, "not supported, as asked for"},
		{"fail=lrn", PALEO_RECORD_FAILED, "the fake library failed, as asked for"},
		{"wrong=lrn", PALEO_RECORD_INCORRECT, "'y' 0 is "},
		{"nan=lrn", PALEO_RECORD_INCORRECT, "'y' 0 is "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paleo_worker *w = opened(cases[i].misbehave);
		struct paleo_record r = measured(w, lrn_key);
		assert_int_equal(r.status, cases[i].status);
		assert_ptr_equal(strstr(r.reason, cases[i].reason), r.reason);
		assert_int_equal(measured(w, gemm_key).status, PALEO_RECORD_OK);
		close_all(w);
	}
}

static void open_fails(void **state)
{
	static const struct {
		const char *misbehave;
		int status;
		const char *text;
	} cases[] = {
		{"nodevice", PALEO_ENODEVICE, "there is no fake device 0"},
		{"library", PALEO_ELIBRARY, "the fake library is broken, as asked for"},
		{"die", PALEO_ECRASH,
		 "opening 'fake': the worker was killed by signal 11 (Segmentation fault)"},
	};
	const struct paleo_worker_config unknown = {.backend = "nowhere"};
	struct paleo_worker *w = NULL;
	struct paleo_device_info info;
	struct paleo_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(try_open(cases[i].misbehave, &w, &err), cases[i].status);
		assert_string_equal(err.text, cases[i].text);
		assert_null(w);
	}
	assert_int_equal(paleo_worker_open(&unknown, &w, &info, &err), PALEO_ELIBRARY);
	assert_non_null(strstr(err.text, "'nowhere'"));
	close_all(NULL);
}

/* The device goes away after a crash: the row is a crash, and the next one is an error. */
static void cannot_reopen(void **state)
{
	struct paleo_worker *w = opened("crash=lrn");
	struct paleo_op op = given_op(gemm_key);
	struct paleo_measure_policy p;
	struct paleo_record r;
	struct paleo_error err = {0};

	(void)state;
	measured(w, lrn_key);
	paleo_measure_defaults(&p);
	setenv("PALEO_FAKE", "die", 1);
	assert_int_equal(paleo_worker_measure(w, &op, NULL, &p, &r, &err), PALEO_ECRASH);
	assert_int_equal(r.status, PALEO_RECORD_CRASH);
	setenv("PALEO_FAKE", "nodevice", 1);
	assert_int_equal(paleo_worker_measure(w, &op, NULL, &p, &r, &err), PALEO_ENODEVICE);
	setenv("PALEO_FAKE", "", 1);
	assert_int_equal(paleo_worker_measure(w, &op, NULL, &p, &r, &err), PALEO_OK);
	p.min_samples = 0;
	assert_int_equal(paleo_worker_measure(w, &op, NULL, &p, &r, &err), PALEO_EINPUT);
	close_all(w);
}

/* A rank that is there is measured as the list has it; one that is not is unsupported. */
static void ranks(void **state)
{
	struct paleo_worker *w = opened("still");
	struct paleo_op gemm = given_op(gemm_key), lrn = given_op(lrn_key);
	struct paleo_bench_options options = {.rank = 1};
	struct paleo_measure_policy p;
	struct paleo_worker_answer answer;
	struct paleo_record r;
	struct paleo_error err = {0};

	(void)state;
	paleo_measure_defaults(&p);
	assert_int_equal(paleo_worker_algorithms(w, &gemm, 2, &answer, &err), PALEO_OK);
	assert_int_equal(answer.status, PALEO_OK);
	assert_int_equal(answer.list.count, 2);
	assert_int_equal(paleo_worker_measure(w, &gemm, &options, &p, &r, &err), PALEO_OK);
	assert_int_equal(r.status, PALEO_RECORD_OK);
	assert_int_equal(r.rank, 1);
	assert_string_equal(r.algorithm, answer.list.items[1].name);
	assert_string_equal(r.engine, "11");
	assert_string_equal(r.knobs, "factor=1");
	assert_true(r.workspace_bytes == 1000);
	options.rank = 3;
	assert_int_equal(paleo_worker_measure(w, &gemm, &options, &p, &r, &err), PALEO_OK);
	assert_int_equal(r.status, PALEO_RECORD_UNSUPPORTED);
	assert_int_equal(r.rank, 3);
	assert_int_equal(paleo_worker_algorithms(w, &lrn, 2, &answer, &err), PALEO_OK);
	assert_int_equal(answer.status, PALEO_EUNSUPPORTED);
	close_all(w);
}

static void nothing_described(void **state)
{
	const struct paleo_worker_config described = {.backend = "fake", .description = "{}"};
	struct paleo_worker *w = NULL;
	struct paleo_device_info info;
	struct paleo_error err = {0};

	(void)state;
	assert_int_equal(paleo_worker_open(&described, &w, &info, &err), PALEO_EUNSUPPORTED);
	assert_string_equal(err.text, "backend 'fake' does not support described devices");
	assert_null(w);
}

/* A thousand ops, every tenth of which kills the child: no descriptor is left behind. */
static void many_ops(void **state)
{
	int before = open_files(), crashes = 0;
	char key[128];

	(void)state;
	struct paleo_worker *w = opened("crash=count=1000");
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "eltwise fwd f32 op=relu count=%d%d",
			 i % 10 ? 2000 : 1000, i);
		struct paleo_record r = measured(w, key);
		if (r.status == PALEO_RECORD_CRASH)
			crashes++;
		else
			assert_int_equal(r.status, PALEO_RECORD_OK);
	}
	assert_int_equal(crashes, 100);
	close_all(w);
	assert_int_equal(open_files(), before);
}

/* The terminal's signals go to the whole group; only the parent heeds them. */
static void interrupt_is_the_parents(void **state)
{
	struct paleo_worker *w;

	(void)state;
	setpgid(0, 0); /* a group of its own, so that no one else is hit */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	w = opened("");
	measured(w, gemm_key);
	kill(0, SIGINT);
	kill(0, SIGTERM);
	assert_int_equal(measured(w, gemm_key).status, PALEO_RECORD_OK);
	close_all(w);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

/* The parent, a process of its own here, is killed; its child, which then is ours, dies too. */
static void dies_with_the_parent(void **state)
{
	int ready[2];
	char byte;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(ready), 0);
	pid_t parent = fork();
	if (parent == 0) {
		struct paleo_worker *w;
		struct paleo_error err = {0};
		byte = (char)('0' - try_open("", &w, &err));
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(parent > 0);
	alarm(30); /* if it does not die, this test does */
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, '0');
	kill(parent, SIGKILL);
	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid = waitpid(i ? -1 : parent, &status, 0);
		assert_true(pid > 0 && (pid == parent) == (i == 0));
		int killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		/* the worker may hear the end of the conversation before it is killed */
		assert_true(killed || (i == 1 && WIFEXITED(status) && !WEXITSTATUS(status)));
	}
	alarm(0);
	close(ready[0]);
	close(ready[1]);
	close_all(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures),
		cmocka_unit_test(tells_where_time_goes),
		cmocka_unit_test(crash_costs_a_row),
		cmocka_unit_test(peaks_fail),
		cmocka_unit_test(hang_costs_a_row),
		cmocka_unit_test(other_faults),
		cmocka_unit_test(open_fails),
		cmocka_unit_test(cannot_reopen),
		cmocka_unit_test(ranks),
		cmocka_unit_test(nothing_described),
		cmocka_unit_test(many_ops),
		cmocka_unit_test(interrupt_is_the_parents),
		cmocka_unit_test(dies_with_the_parent),
	};

	return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
