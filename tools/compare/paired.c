/* paired.c - measures two sides op by op in turn: two libraries, builds, layouts, threads ... */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/compare/paired.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/text.h"
#include "bench/clock.h"
#include "library/find.h"
#include "library/source.h"
#include "tools/session/plan.h"
#include "tools/session/progress.h"
#include "tools/session/records.h"
#include "tools/session/runner.h"
#include "tools/session/session.h"

enum {
	SIDES = 2,
	TURNS = 4,        /* A B B A: a steady drift cancels */
	CYCLES_LEAST = 3, /* of all pairs, for a spread */
	CYCLES_MOST = 8
};

static const double SAMPLES_LEAST_S = 0.02;

/* One side: its settings, device and network ops. */
struct side {
	struct paired_settings settings;
	char name[64],
		value[PALEO_PATH_MAX]; /* of a variable of its worker's environment; "": none */
	struct session session;
	struct plan plan;
	struct paleo_results results;
};

/* An op of A and what takes its place in B. */
struct pair {
	int ops[SIDES]; /* places in the plans */
	struct paleo_record records[SIDES];
	double log_sums[SIDES]; /* of the times of all cycles */
	int cycles, is_lost;    /* 1: one side cannot run it */
	char reason[256];       /* the latest of a cycle that does not count */
	double overhead_s;      /* what the last cycle took besides samples */
	double runs_s;          /* one run of both, at the last */
};

struct paired {
	struct side sides[SIDES];
	struct pair *pairs;
	int count;
	struct paleo_visit *ratios; /* of B to A, cycle by cycle */
	size_t ratio_count;
};

int paired_is(const char *text)
{
	size_t length =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return length > 0 && text[length] == '=';
}

/* The place of a word in a list that ends with NULL. */
static int find_word(const char *word, const char *const *words, const char *what, int *out,
		     struct paleo_error *err)
{
	for (*out = 0; words[*out]; ++*out)
		if (!strcmp(word, words[*out]))
			return PALEO_OK;
	return paleo_fail(err, PALEO_EINPUT, "%s=%.40s: not a %s", what, word, what);
}

static int set_threads(struct paired_settings *s, const char *value, struct paleo_error *err)
{
	char *end;
	long threads = strtol(value, &end, 10);

	if (!*value || *end || threads < 1 || threads > 4096)
		return paleo_fail(err, PALEO_EINPUT, "threads=%.40s: expected 1 to 4096", value);
	s->threads = (int)threads;
	return PALEO_OK;
}

/* Gives a side its value; a name in capitals is a variable of the environment. */
static int set_value(struct side *s, const char *what, const char *value, struct paleo_error *err)
{
	struct paired_settings *to = &s->settings;

	if (!strcmp(what, "threads"))
		return set_threads(to, value, err);
	if (!strcmp(what, "layout"))
		return find_word(value, choice_layout, what, &to->layout, err);
	if (!strcmp(what, "mode"))
		return find_word(value, choice_mode, what, &to->mode, err);
	if (!strcmp(what, "dtype"))
		return find_word(value, paleo_dtype_names, what, &to->dtype, err);
	if (!isupper((unsigned char)what[0]))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s=...: expected threads, layout, mode, dtype, or a variable of "
				  "the environment, such as PALEO_PLUGIN_DIR",
				  what);
	snprintf(s->name, sizeof(s->name), "%s", what);
	snprintf(s->value, sizeof(s->value), "%s", value);
	return PALEO_OK;
}

void paired_name(const char *text, int side, char *out, size_t size)
{
	const char *equals = strchr(text, '='), *comma = strchr(equals, ',');
	int what = (int)(equals + 1 - text), first = comma ? (int)(comma - equals - 1) : 0;

	if (side == 0)
		snprintf(out, size, "%.*s", what + first, text);
	else
		snprintf(out, size, "%.*s%s", what, text, comma ? comma + 1 : "");
}

/* Reads WHAT=A,B. */
static int parse(struct paired *p, const char *text, struct paleo_error *err)
{
	char what[64], values[SIDES][PALEO_PATH_MAX];
	const char *equals = strchr(text, '='), *comma = strchr(equals, ',');

	if (!comma || comma == equals + 1 || !comma[1] || strchr(comma + 1, ',') ||
	    equals - text >= (long)sizeof(what) || strlen(equals) >= PALEO_PATH_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "'%.60s': expected WHAT=A,B with two values, for example "
				  "threads=1,2",
				  text);
	snprintf(what, sizeof(what), "%.*s", (int)(equals - text), text);
	snprintf(values[0], sizeof(values[0]), "%.*s", (int)(comma - equals - 1), equals + 1);
	snprintf(values[1], sizeof(values[1]), "%s", comma + 1);
	int rc = set_value(&p->sides[0], what, values[0], err);
	return rc ? rc : set_value(&p->sides[1], what, values[1], err);
}

static int open_side(struct side *s, const char *const *nets, int count, struct paleo_error *err)
{
	const struct paired_settings *of = &s->settings;
	struct session_wish wish = {.peaks = 1u << of->dtype};
	struct paleo_source_wish how = {.dtype = PALEO_DTYPES};
	struct paleo_source source = {0};
	struct plan_settings ps = {
		.batch = of->batch,
		.dtype = (enum paleo_dtype)of->dtype,
		.layout = (enum paleo_layout)of->layout,
		.passes = choice_pass_bits[of->passes],
		.filter = of->filter,
		.modes = {.items = {(enum paleo_cache_mode)of->mode}, .count = 1}};

	wish.worker.options.threads = of->threads;
	wish.worker.variable = s->name[0] ? s->name : NULL;
	wish.worker.value = s->value;
	int rc = session_open(of->device ? of->device : "auto", &wish, &s->session, err);
	if (rc)
		return rc;
	how.who = &s->session.info;
	ps.batch_max = s->session.backend->batch_max;
	rc = paleo_choose_source(&how, &source, err);
	if (!rc)
		rc = plan_make(&ps, &source.calibration, nets, count, &s->plan, err);
	paleo_source_release(&source);
	return rc;
}

static int by_ops(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->ops[0] != y->ops[0] ? x->ops[0] - y->ops[0] : x->ops[1] - y->ops[1];
}

/* The different pairs of ops: rows of both plans are the same layers, in the same order. */
static int list_pairs(struct paired *p, struct paleo_error *err)
{
	const struct plan *a = &p->sides[0].plan, *b = &p->sides[1].plan;
	int rows = 0, n = 0;

	for (int k = 0; k < a->net_count; k++)
		rows += a->nets[k].rows.count;
	p->pairs = calloc((size_t)rows + 1, sizeof(*p->pairs));
	if (!p->pairs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", rows);
	for (int k = 0; k < a->net_count; k++) {
		const struct plan_net *x = &a->nets[k], *y = &b->nets[k];
		if (x->rows.count != y->rows.count)
			return paleo_fail(err, PALEO_EINPUT,
					  "'%s' has %d rows for A and %d for B: not comparable op "
					  "by op",
					  x->net->name, x->rows.count, y->rows.count);
		for (int i = 0; i < x->rows.count; i++)
			p->pairs[n++] = (struct pair){.ops = {x->op_of[i], y->op_of[i]}};
	}
	qsort(p->pairs, (size_t)n, sizeof(*p->pairs), by_ops);
	for (int i = 0; i < n; i++)
		if (!i || by_ops(&p->pairs[i], &p->pairs[p->count - 1]))
			p->pairs[p->count++] = p->pairs[i];
	p->ratios = malloc(((size_t)p->count * CYCLES_MOST + 1) * sizeof(*p->ratios));
	return p->ratios ? PALEO_OK
			 : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d pairs", p->count);
}

/* Measures one side's op for so long; the record is that of the side from then on. */
static int measure(struct paired *p, struct pair *pair, int side, double samples_s,
		   struct paleo_error *err)
{
	struct side *s = &p->sides[side];
	struct paleo_bench_options options = s->session.options;
	struct paleo_measure_policy policy = s->session.policy;

	options.mode = (enum paleo_cache_mode)s->settings.mode;
	policy.budget_s = samples_s;
	if (pair->cycles)
		paleo_measure_repeat(&policy);
	return paleo_worker_measure(s->session.worker, &s->plan.ops[pair->ops[side]].op, &options,
				    &policy, &pair->records[side], err);
}

/* One cycle of a pair. */
static int visit(struct paired *p, int at, double share_s, struct paleo_error *err)
{
	static const int turns[TURNS] = {0, 1, 1, 0};
	struct pair *pair = &p->pairs[at];
	double logs[SIDES] = {0, 0}, counted_s = 0, start_s = paleo_now_s();
	double samples_s = fmax((share_s - pair->overhead_s) / TURNS, SAMPLES_LEAST_S);

	samples_s = fmin(samples_s, p->sides[0].session.policy.budget_s);
	for (int i = 0; i < TURNS; i++) {
		int side = turns[i];
		int rc = measure(p, pair, side, samples_s, err);
		if (rc)
			return rc;
		const struct paleo_record *r = &pair->records[side];
		pair->is_lost = r->status != PALEO_RECORD_OK &&
				r->status != PALEO_RECORD_DISTURBED && !pair->cycles;
		if (r->status != PALEO_RECORD_OK) {
			snprintf(pair->reason, sizeof(pair->reason), "%s", r->reason);
			return PALEO_OK; /* this cycle does not count */
		}
		logs[side] += log(r->timing.median_s) / 2;
		counted_s += r->spent.s[PALEO_PHASE_COUNTED];
	}
	p->ratios[p->ratio_count++] = (struct paleo_visit){
		.item = (size_t)at, .log_value = logs[1] - logs[0], .log_rate = NAN};
	for (int side = 0; side < SIDES; side++)
		pair->log_sums[side] += logs[side];
	pair->cycles++;
	pair->overhead_s = fmax(paleo_now_s() - start_s - counted_s, 0);
	pair->runs_s = exp(logs[0]) + exp(logs[1]);
	return PALEO_OK;
}

/* The time that a pair would like: more for long ops, of which a sample takes long. */
static double wish_s(const struct pair *pair)
{
	return pair->overhead_s + TURNS * SAMPLES_LEAST_S + 10 * fmin(pair->runs_s, 1);
}

/* Visits all pairs, to be done by `soon`. */
static int go_round(struct paired *p, double soon, double end, struct paleo_error *err)
{
	double wished = 0;
	int rc = PALEO_OK;

	for (int i = 0; i < p->count; i++)
		wished += wish_s(&p->pairs[i]);
	for (int i = 0; !rc && i < p->count; i++) {
		double now = paleo_now_s(), wish = wish_s(&p->pairs[i]);
		char key[PALEO_OP_KEY_MAX];
		if (stop_came() || now >= end)
			break;
		paleo_op_key(&p->sides[0].plan.ops[p->pairs[i].ops[0]].op, key, sizeof(key));
		progress_step(&p->sides[0].session.progress, i, p->count, end, key);
		if (!p->pairs[i].is_lost)
			rc = visit(p, i, fmax(soon - now, 0) * wish / wished, err);
		wished -= wish;
	}
	return rc;
}

static int measure_all(struct paired *p, double budget_s, struct paleo_error *err)
{
	const double start = paleo_now_s(), end = start + budget_s;
	double overhead_s = 0;

	int rc = go_round(p, start + RUNNER_FIRST_SHARE * budget_s, end, err);
	for (int i = 0; i < p->count; i++)
		overhead_s += p->pairs[i].overhead_s;
	int left = runner_rounds_fit(end - paleo_now_s(), overhead_s, CYCLES_LEAST - 1,
				     CYCLES_MOST - 1);
	for (; !rc && left > 0 && !stop_came() && paleo_now_s() < end; left--) {
		double now = paleo_now_s();
		rc = go_round(p, now + (end - now) / left, end, err);
	}
	progress_clear(&p->sides[0].session.progress);
	return rc;
}

/* Makes the results of a side: a record for each op, with the mean time of its cycles. */
static int collect(struct paired *p, int side, struct paleo_error *err)
{
	struct side *s = &p->sides[side];
	int rc = PALEO_OK;

	records_meta(&s->session, &s->results.meta);
	for (int i = 0; !rc && i < p->count; i++) {
		struct paleo_record r = p->pairs[i].records[side];
		if (!p->pairs[i].cycles)
			continue;
		r.status = PALEO_RECORD_OK;
		r.timing.median_s = exp(p->pairs[i].log_sums[side] / p->pairs[i].cycles);
		rc = paleo_results_add(&s->results, &r, err);
	}
	for (int k = 0; !rc && k < s->plan.net_count; k++) {
		struct paleo_net_rows rows;
		rc = plan_net_rows(&s->plan, &s->plan.nets[k], &rows, err);
		if (!rc) {
			rc = paleo_results_add_net(&s->results, &rows, err);
			free(rows.rows);
		}
	}
	return rc;
}

/* Sets the noise of a side's op. */
static void set_noise(struct compare_side *s, const struct paleo_op *op, double seconds, double se,
		      double degrees)
{
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(op, key, sizeof(key));
	int at = compare_side_find(s, key);
	if (at >= 0)
		s->ops[at].time = (struct paleo_noisy){
			.seconds = seconds, .own_se = se, .own_degrees = degrees, .is_pooled = 1};
}

/* Gives each op of B its ratio to A's and the noise of this ratio. */
static int settle(struct paired *p, struct compare_side *a, struct compare_side *b,
		  struct paleo_error *err)
{
	struct paleo_pooled *items = calloc((size_t)p->count + 1, sizeof(*items));
	struct paleo_pool_group groups[PALEO_POOL_GROUPS];
	int rc = items ? paleo_pool(p->ratios, p->ratio_count, items, (size_t)p->count, groups, err)
		       : paleo_fail(err, PALEO_ENOMEM, "out of memory for %d pairs", p->count);

	for (int i = 0; !rc && i < p->count; i++) {
		const struct pair *pair = &p->pairs[i];
		if (!pair->cycles)
			continue;
		double a_s = exp(pair->log_sums[0] / pair->cycles);
		set_noise(a, &p->sides[0].plan.ops[pair->ops[0]].op, a_s, 0, INFINITY);
		set_noise(b, &p->sides[1].plan.ops[pair->ops[1]].op, a_s * exp(items[i].log_value),
			  items[i].se, items[i].degrees);
	}
	free(items);
	return rc;
}

/* Says how many pairs have no time, and why. EINPUT where none has one. */
static int report_lost(const struct paired *p, struct paleo_error *err)
{
	const char *reason = "the time budget ended";
	int lost = 0;

	for (int i = p->count - 1; i >= 0; i--) {
		if (p->pairs[i].cycles)
			continue;
		lost++;
		reason = p->pairs[i].reason[0] ? p->pairs[i].reason : reason;
	}
	if (lost == p->count)
		return paleo_fail(err, PALEO_EINPUT, "no op has a time for both sides: %s", reason);
	if (lost)
		paleo_print(stderr, "%d of %d ops have no time for both sides: %s\n", lost,
			    p->count, reason);
	return PALEO_OK;
}

static int compare_sides(struct paired *p, struct compare_side *a, struct compare_side *b,
			 struct paleo_error *err)
{
	struct compare_side *out[SIDES] = {a, b};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < SIDES; i++) {
		rc = collect(p, i, err);
		if (!rc)
			rc = compare_side_of(&p->sides[i].results,
					     choice_mode[p->sides[i].settings.mode], out[i], err);
		out[i]->runs = 1;
	}
	return rc ? rc : settle(p, a, b, err);
}

int paired_measure(const struct paired_settings *s, const char *what, const char *const *nets,
		   int count, struct compare_side *a, struct compare_side *b,
		   struct paleo_error *err)
{
	struct paired *p = calloc(1, sizeof(*p));
	struct stop old;
	int rc = p ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	if (rc)
		return rc;
	p->sides[0].settings = p->sides[1].settings = *s;
	rc = parse(p, what, err);
	for (int i = 0; !rc && i < SIDES; i++) {
		struct paired_settings *of = &p->sides[i].settings;
		rc = choice_own_dtype(nets, count, of->batch, &of->dtype, NULL, err);
		if (!rc)
			rc = open_side(&p->sides[i], nets, count, err);
	}
	if (!rc && p->sides[0].session.busy[0])
		session_tell(&p->sides[0].session, stderr);
	if (!rc)
		rc = list_pairs(p, err);
	if (!rc) {
		double usual_s = SIDES * p->sides[0].session.backend->budget_s;
		stop_hold(&old);
		rc = measure_all(p, s->budget_s > 0 ? s->budget_s : usual_s, err);
		stop_release(&old);
	}
	if (!rc)
		rc = report_lost(p, err);
	if (!rc)
		rc = compare_sides(p, a, b, err);
	for (int i = 0; i < SIDES; i++) {
		plan_release(&p->sides[i].plan);
		paleo_results_release(&p->sides[i].results);
		session_close(&p->sides[i].session);
	}
	free(p->pairs);
	free(p->ratios);
	free(p);
	return rc;
}
