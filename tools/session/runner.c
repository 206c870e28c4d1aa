/* runner.c - measures ops on an open device within a time budget, and records each one. */
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/session/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "bench/clock.h"
#include "tools/session/progress.h"
#include "tools/session/session.h"

/* Runs of an op that a good measurement takes, those that a long op must do with, and what
 * preparing one costs at least. */
enum {
	RUNS_WANTED = 25,
	RUNS_ENOUGH = 10
};
static const double PREPARE_S = 0.02;

/* The probe of products stays below the f32 peak, but for the clock's drift. */
#define PROBE_OVER_PEAK 1.05

/* This share of the time is kept for going back to the items whose spread is larger than is aimed
 * at, by so much, so many times at most. */
enum {
	REVISITS = 2
};
static const double REVISIT_SHARE = 0.12, NOISE_OVER_TARGET = 1.2;

/* What the runs of an item take beside its burst of samples. */
static double beside_s(const struct runner *r)
{
	return r->policy.sustain_s + r->policy.energy_s;
}

/* The time that an item would like, in seconds. */
static double wish_s(const struct runner *r, const struct runner_item *item)
{
	return PREPARE_S + beside_s(r) + RUNS_WANTED * fmin(item->expected_s, 60);
}

/* A part of any budget is kept for going back. */
double runner_sustain_s(const struct runner *r, int count)
{
	double times = (double)count * fmax(r->rounds, 1) * fmax(r->most, 1);

	return (times * r->policy.sustain_s + count * r->policy.energy_s) / (1 - REVISIT_SHARE);
}

/* The item that comes next. */
static void show_progress(const struct runner *r, int i, int count, double end,
			  const struct paleo_op *w)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(w, key, sizeof(key));
	progress_step(&r->session->progress, i, count, end, key);
}

/* The part of an item's share for its samples: what is usual, or where that is too short for an
 * interval, so many runs, but then only a third of the share: preparing takes time too, and hosts
 * are busy. One of several repetitions needs no interval of its own. */
static double budget_s(const struct runner *r, const struct runner_item *item, double share_s)
{
	const struct paleo_measure_policy *usual = &r->policy;

	share_s = fmax(share_s - beside_s(r) - item->overhead_s, 0);
	if (r->rounds > 1)
		return fmax(fmin(usual->budget_s, share_s), PREPARE_S);
	double runs_s = fmin(RUNS_ENOUGH * item->expected_s, share_s / 3);

	return fmax(fmax(fmin(usual->budget_s, share_s), runs_s), 5 * PREPARE_S);
}

/* Notes what measuring an item took besides its samples. */
static void note_overhead(struct runner_item *item, const struct paleo_spent *spent)
{
	item->overhead_s = 0;
	for (int i = 0; i < PALEO_PHASES; i++)
		if (i != PALEO_PHASE_COUNTED && i != PALEO_PHASE_REJECTED)
			item->overhead_s += spent->s[i];
}

/* 1 if this is what the library would run at that place of its list. */
static int is_same(const struct paleo_record *r, const struct paleo_algorithm *a)
{
	if (!a->name[0]) /* there is no list */
		return 1;
	if (!a->engine[0])
		return !strcmp(r->algorithm, a->name);
	return !strcmp(r->engine, a->engine) && !strcmp(r->knobs, a->knobs);
}

/* 1 if an earlier run has tried this algorithm, and what came of it is kept. */
static int is_known(const struct runner_item *item, const struct paleo_algorithm *a, int rank)
{
	const struct paleo_record *old =
		item->candidates ? candidates_find(item->candidates, rank) : NULL;

	return old && is_same(old, a);
}

/* Which algorithms are to be measured; one without a name where there is no choice. A library that
 * fails here may still run its first choice. */
static int list_algorithms(const struct runner *r, const struct runner_item *item,
			   struct paleo_algorithms *list, struct runner_result *res,
			   struct paleo_error *err)
{
	struct paleo_worker_answer answer;

	*list = (struct paleo_algorithms){.count = 1};
	if (r->most <= 1 || !item->candidates)
		return PALEO_OK;
	PALEO_TRY(paleo_worker_algorithms(r->session->worker, &item->op, r->most, &answer, err));
	if (!answer.status)
		*list = answer.list;
	else if (answer.status != PALEO_EUNSUPPORTED && !res->unlisted++)
		memcpy(res->why_unlisted, answer.error.text, sizeof(res->why_unlisted));
	return PALEO_OK;
}

/* Measures an op, and writes its samples down. */
static int measure_op(const struct runner *r, const struct paleo_op *op,
		      const struct paleo_bench_options *options, struct paleo_measure_policy policy,
		      struct paleo_record *out, struct paleo_error *err)
{
	policy.samples = r->samples ? r->samples->times : NULL;
	int rc = paleo_worker_measure(r->session->worker, op, options, &policy, out, err);
	paleo_spent_add(&r->session->spent, &out->spent);
	memcpy(out->device, r->session->unit, sizeof(out->device));
	return rc || !r->samples ? rc : samples_add(r->samples, out, err);
}

/* Measures it, and writes down what came of it. */
static int measure_once(const struct runner *r, const struct runner_item *item,
			const struct paleo_algorithm *a, const struct paleo_bench_options *options,
			const struct paleo_measure_policy *policy, struct paleo_error *err)
{
	struct paleo_record *record = item->record;
	int rc = measure_op(r, &item->op, options, *policy, record, err);
	if (rc)
		return rc;
	if (!record->algorithm[0]) /* lost with its worker: what it was is known */
		paleo_record_take(record, a);
	paleo_record_judge(record, &r->session->info.device);
	return r->records ? records_add(r->records, record, err) : PALEO_OK;
}

/* Time limit of an algorithm: once another one has a time, for some runs at a twentieth of
 * its speed, and for preparing. 0: as long as for any op. */
static double patience_s(const struct runner_item *item)
{
	const struct paleo_record *best =
		item->candidates ? candidates_best(item->candidates) : NULL;

	if (!best || best->status != PALEO_RECORD_OK)
		return 0;
	return fmin(10 + 10 * 20 * best->timing.median_s, 60);
}

static int measure_algorithm(const struct runner *r, struct runner_item *item,
			     const struct paleo_algorithm *a, int rank, double share_s,
			     struct paleo_error *err)
{
	struct paleo_bench_options options = r->session->options;
	struct paleo_measure_policy policy = r->policy;

	options.mode = item->mode;
	options.rank = rank;
	policy.timeout_s = patience_s(item);
	if (r->divide)
		policy.budget_s = budget_s(r, item, share_s);
	int rc = measure_once(r, item, a, &options, &policy, err);
	/* heat passes: once more, and the file keeps both */
	if (!rc && paleo_record_has_tag(item->record->tags, PALEO_TAG_THROTTLED))
		rc = measure_once(r, item, a, &options, &policy, err);
	if (!rc && item->candidates)
		rc = candidates_add(item->candidates, item->record, err);
	return rc;
}

/* 1 if nothing more is to be begun: half of the next op's preparation, by those before, would be
 * too late. */
static int is_over(double end, struct runner_result *res)
{
	double each_s = res->prepared ? res->prepare_s / res->prepared : 0;

	res->interrupted = stop_came();
	return res->interrupted || paleo_now_s() + each_s / 2 >= end;
}

/* Adds what an op took next to its runs. */
static void count_prepared(const struct runner_item *item, struct runner_result *res)
{
	static const enum paleo_phase phases[] = {PALEO_PHASE_PREPARE, PALEO_PHASE_FILL,
						  PALEO_PHASE_CHECK, PALEO_PHASE_PROBES};

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		res->prepare_s += item->record->spent.s[phases[i]];
	res->prepared++;
}

/* *whole is 0 if time was up before all of its algorithms had their turn. `part` is the item's part
 * of the time that is left. */
static int measure_item(const struct runner *r, struct runner_item *item, double end, double part,
			struct runner_result *res, int *whole, struct paleo_error *err)
{
	struct paleo_algorithms list;
	int tried = 0;
	int rc = list_algorithms(r, item, &list, res, err);

	*whole = 1;
	for (int rank = 0; !rc && rank < list.count; rank++) {
		double left_s = end - paleo_now_s();
		if (is_known(item, &list.items[rank], rank))
			continue;
		if (rank > 0 && is_over(end, res)) {
			*whole = 0;
			break;
		}
		rc = measure_algorithm(r, item, &list.items[rank], rank,
				       fmax(left_s, 0) * part / list.count, err);
		tried++;
		count_prepared(item, res);
		res->lost += item->record->status != PALEO_RECORD_OK;
	}
	if (rc)
		return rc;
	note_overhead(item, &item->record->spent);
	if (item->candidates)
		*item->record = *candidates_best(item->candidates);
	if (item->record->status == PALEO_RECORD_OK)
		item->expected_s = item->last_s = item->record->timing.median_s;
	*item->done = 1;
	res->tried += tried;
	item->is_tried = tried && *whole;
	return r->most <= 1 ? paleo_repetitions_add(&item->repetitions, item->record, err)
			    : PALEO_OK;
}

/* Measures an item again, in a share of the time that is left, or for as long as is usual
 * (INFINITY); until all are pooled, the median of its repetitions represents it. */
static int visit_again(const struct runner *r, struct runner_item *item, double share_s,
		       struct paleo_error *err)
{
	struct paleo_bench_options options = r->session->options;
	struct paleo_measure_policy policy = r->policy;
	struct paleo_record again;

	options.mode = item->mode;
	options.rank = item->record->rank; /* the algorithm that stands for it */
	if (!isnan(item->record->verify_error))
		paleo_measure_repeat(&policy);
	if (r->divide && isfinite(share_s))
		policy.budget_s = budget_s(r, item, share_s);
	int rc = measure_op(r, &item->op, &options, policy, &again, err);

	if (rc)
		return rc;
	note_overhead(item, &again.spent);
	if (!policy.verify_samples) {
		again.verify_error = item->record->verify_error;
		again.verify_tolerance = item->record->verify_tolerance;
	}
	paleo_record_judge(&again, &r->session->info.device);
	if (again.status == PALEO_RECORD_DISTURBED &&
	    item->record->status == PALEO_RECORD_DISTURBED && again.least_s > 0)
		item->record->least_s = fmin(item->record->least_s, again.least_s);
	item->is_revisited = 1;
	item->last_s = again.status == PALEO_RECORD_OK ? again.timing.median_s : 0;
	rc = paleo_repetitions_add(&item->repetitions, &again, err);
	if (!rc && item->repetitions.count)
		*item->record = paleo_repetitions_middle(&item->repetitions);
	return !rc && item->candidates ? candidates_add(item->candidates, item->record, err) : rc;
}

/* While time is left, goes back to what others on this machine disturbed: they come and go. First
 * to what has no clean sample at all. */
static int revisit(const struct runner *r, struct runner_item *items, int count, double end,
		   struct runner_result *res, struct paleo_error *err)
{
	const double noise_max = NOISE_OVER_TARGET * r->policy.target_ci;

	for (int round = 0; round < 2 * REVISITS; round++) {
		double least =
			round < REVISITS ? PALEO_DISTURBED : nextafter(noise_max, PALEO_DISTURBED);
		for (int i = 0; i < count; i++) {
			if (!*items[i].done || paleo_noise(items[i].record) < least)
				continue;
			if (is_over(end, res))
				return PALEO_OK;
			res->again++;
			PALEO_TRY(visit_again(r, &items[i], INFINITY, err));
		}
	}
	return PALEO_OK;
}

/* Goes through the measured items once more, and should be done by `soon`. */
static int go_round(const struct runner *r, struct runner_item *items, int count, double soon,
		    double end, struct runner_result *res, struct paleo_error *err)
{
	double wished = 0;

	for (int i = 0; i < count; i++)
		wished += wish_s(r, &items[i]);
	for (int i = 0; i < count; i++) {
		double wish = wish_s(r, &items[i]), now = paleo_now_s();
		if (is_over(end, res))
			return PALEO_OK;
		show_progress(r, i, count, end, &items[i].op);
		if (items[i].repetitions.count || items[i].record->status == PALEO_RECORD_DISTURBED)
			PALEO_TRY(visit_again(r, &items[i], fmax(soon - now, 0) * wish / wished,
					      err));
		wished -= wish;
	}
	res->rounds++;
	return PALEO_OK;
}

/* A list on its way. */
struct way {
	struct runner_item *items;
	int count, next;
	double wished; /* seconds: what the items from `next` on would like */
};

/* Measures items until the last is done, by `soon` if possible, or until `end`. */
static int run_until(const struct runner *r, struct way *p, double soon, double end,
		     struct runner_result *res, struct paleo_error *err)
{
	int whole = 1, rc = PALEO_OK;

	while (!rc && whole && p->next < p->count && !is_over(end, res)) {
		struct runner_item *item = &p->items[p->next];
		double wish = wish_s(r, item), predicted_s = item->expected_s;
		show_progress(r, p->next, p->count, end, &item->op);
		rc = measure_item(r, item, soon, wish / p->wished, res, &whole, err);
		if (!rc && whole && r->show_items)
			runner_show_item(r, item, predicted_s);
		if (whole) {
			p->wished -= wish;
			p->next++;
		}
	}
	return rc;
}

/* 1 if a record or the probe next to it is faster than the peaks. */
static int is_faster(const struct paleo_record *r, const struct paleo_device *d)
{
	return r->status == PALEO_RECORD_OK &&
	       (paleo_record_has_tag(r->tags, PALEO_TAG_ABOVE) ||
		r->timing.speed.flop_per_s > PROBE_OVER_PEAK * d->flop_per_s[PALEO_F32]);
}

/* Peaks that ops are faster than were measured at a bad moment: better ones judge the ops anew.
 */
static int mend_peaks(const struct runner *r, struct runner_item *items, int count,
		      struct runner_result *res, struct paleo_error *err)
{
	struct paleo_device *d = &r->session->info.device;
	int faster = 0;

	for (int i = 0; i < count; i++)
		faster += is_faster(items[i].record, d);
	int rc = r->may_mend && faster ? peaks_again(r->session, &res->mended, err) : PALEO_OK;
	for (int i = 0; !rc && res->mended && i < count; i++)
		paleo_record_judge(items[i].record, d);
	return rc;
}

/* Overhead of measuring these items, the last time. */
static double overhead_s(const struct runner_item *items, int count)
{
	double sum_s = 0;

	for (int i = 0; i < count; i++)
		sum_s += items[i].overhead_s;
	return sum_s;
}

static int run_items(const struct runner *r, struct runner_item *items, int count,
		     struct runner_result *res, struct paleo_error *err)
{
	struct way p = {.items = items, .count = count};
	struct runner_rounds all = {.items = count};
	const double start = paleo_now_s(), end = start + r->budget_s;
	const int may_return = r->most <= 1, rounds = may_return && r->rounds > 1 ? r->rounds : 1;
	const int rounds_most = rounds > 1 ? (int)fmax(rounds, r->rounds_most) : rounds;
	double soon = start + r->budget_s * (may_return ? 1 - REVISIT_SHARE : 1);

	all.times = malloc(((size_t)rounds_most * (size_t)count + 1) * sizeof(*all.times));
	if (!all.times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rounds", rounds);
	for (int i = 0; i < count; i++)
		p.wished += wish_s(r, &items[i]);
	if (rounds > 1)
		soon = start + r->budget_s * RUNNER_FIRST_SHARE;
	int rc = run_until(r, &p, soon, rounds > 1 ? end : soon, res, err);
	res->rounds = p.next == count;
	runner_rounds_end(&all, items);
	int left = 0;
	if (rounds > 1)
		left = runner_rounds_fit(end - paleo_now_s(), overhead_s(items, p.next), rounds - 1,
					 rounds_most - 1);
	res->rounds_wanted = rounds;
	for (; !rc && !res->interrupted && left > 0; left--) {
		double now = paleo_now_s();
		int before = res->rounds;
		if (r->samples)
			r->samples->round = before + 1;
		rc = go_round(r, items, p.next, now + (end - now) / left, end, res, err);
		runner_rounds_end(&all, items);
		if (res->rounds == before) /* time was up */
			break;
	}
	if (!rc && !res->interrupted && may_return)
		rc = revisit(r, items, p.next, end, res, err);
	if (!rc && !res->interrupted) /* what going back has left */
		rc = run_until(r, &p, end, end, res, err);
	if (!rc && !res->interrupted)
		rc = mend_peaks(r, items, p.next, res, err);
	if (!rc)
		rc = runner_rounds_pool(&all, items, err);
	if (!rc)
		rc = runner_settle(r, items, p.next, res, err);
	free(all.times);
	for (int i = 0; i < count; i++)
		paleo_repetitions_release(&items[i].repetitions);
	res->skipped = count - p.next;
	res->elapsed_s = paleo_now_s() - start;
	return rc;
}

int runner_run(const struct runner *r, struct runner_item *items, int count,
	       struct runner_result *out, struct paleo_error *err)
{
	struct runner_result res = {0};
	struct stop old;

	stop_hold(&old);
	int rc = run_items(r, items, count, &res, err);
	stop_release(&old);
	progress_clear(&r->session->progress);
	if (!rc)
		*out = res;
	return rc;
}
