/* runner.c - measures works on an open device within a time budget, and records each one. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/runner.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Runs of a work that a good measurement takes, those that a long work must do with, and what
 * preparing one costs at least. */
enum {
	RUNS_WANTED = 25,
	RUNS_ENOUGH = 10
};
static const double PREPARE_S = 0.02;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The signals that end a run between two rows. */
static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

/* 1 if one of them came; they are blocked while items run, so it waits here until it is asked for.
 */
static int was_interrupted(void)
{
	const struct timespec none = {0};
	sigset_t set;

	stop_signals(&set);
	return sigtimedwait(&set, NULL, &none) > 0;
}

/* The time that an item would like, in seconds. */
static double wish_s(const struct runner_item *item)
{
	return PREPARE_S + RUNS_WANTED * fmin(item->expected_s, 60);
}

static void show_progress(const struct runner *r, int i, int count, double left_s,
			  const struct paleo_work *w)
{
	char key[PALEO_WORK_KEY_MAX];

	if (r->quiet || !isatty(STDERR_FILENO))
		return;
	paleo_work_key(w, key, sizeof(key));
	fprintf(stderr, "\r\033[K%d/%d  %.0f s left  %.55s", i + 1, count, fmax(left_s, 0), key);
	fflush(stderr);
}

static void clear_progress(const struct runner *r)
{
	if (!r->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void count_record(const struct paleo_record *r, struct runner_result *res)
{
	enum paleo_record_status status = r->status;

	res->drifting += paleo_record_has_tag(r, PALEO_TAG_DRIFT);
	res->above += paleo_record_has_tag(r, PALEO_TAG_ABOVE);
	if (status == PALEO_RECORD_OK)
		res->measured++;
	else if (status == PALEO_RECORD_UNSUPPORTED)
		res->unsupported++;
	else
		res->failed++;
}

/* What an item may take of its share: what is usual, or where that is too short for an interval, so
 * many runs, but then only a third of the share: preparing takes time too, and hosts are busy. */
static double budget_s(const struct paleo_measure_policy *usual, const struct runner_item *item,
		       double share_s)
{
	double runs_s = fmin(RUNS_ENOUGH * item->expected_s, share_s / 3);

	return fmax(fmax(fmin(usual->budget_s, share_s), runs_s), 5 * PREPARE_S);
}

static int measure_item(const struct runner *r, struct runner_item *item, double share_s,
			struct paleo_error *err)
{
	struct paleo_measure_policy policy = r->policy;

	if (r->divide)
		policy.budget_s = budget_s(&policy, item, share_s);
	int rc = paleo_worker_measure(r->session->worker, &item->work, NULL, &policy, item->record,
				      err);
	if (rc)
		return rc;
	*item->done = 1;
	paleo_record_judge(item->record, &r->session->info.device);
	if (r->records)
		return records_add(r->records, item->record, err);
	return PALEO_OK;
}

static int run_items(const struct runner *r, struct runner_item *items, int count,
		     struct runner_result *res, struct paleo_error *err)
{
	double start = now_s(), wished = 0;

	for (int i = 0; i < count; i++)
		wished += wish_s(&items[i]);
	for (int i = 0; i < count; i++) {
		double left_s = r->budget_s - (now_s() - start);
		res->interrupted = was_interrupted();
		if (res->interrupted || left_s <= 0) {
			res->skipped = count - i;
			break;
		}
		show_progress(r, i, count, left_s, &items[i].work);
		double wish = wish_s(&items[i]);
		int rc = measure_item(r, &items[i], left_s * wish / wished, err);
		wished -= wish;
		if (rc)
			return rc;
		count_record(items[i].record, res);
	}
	res->elapsed_s = now_s() - start;
	return PALEO_OK;
}

void runner_print_tags(const struct runner_result *r, FILE *out)
{
	if (r->drifting)
		fprintf(out, "%d drifted by more than 1 %% while they were timed\n", r->drifting);
	if (r->above)
		fprintf(out,
			"%d above ceiling: faster than 1.05 x the measured peak; do not believe "
			"them before paleo ceilings was run on a quiet machine\n",
			r->above);
}

int runner_run(const struct runner *r, struct runner_item *items, int count,
	       struct runner_result *out, struct paleo_error *err)
{
	struct runner_result res = {0};
	sigset_t stop, old;

	stop_signals(&stop);
	sigprocmask(SIG_BLOCK, &stop, &old);
	int rc = run_items(r, items, count, &res, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	clear_progress(r);
	if (!rc)
		*out = res;
	return rc;
}
