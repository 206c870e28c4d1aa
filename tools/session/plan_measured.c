/* plan_measured.c - what was measured of a plan: candidates, earlier records, speed, passes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calib/fit.h"
#include "model/record/graph_record.h"
#include "tools/session/plan.h"

int candidates_add(struct candidates *c, const struct paleo_record *record, struct paleo_error *err)
{
	int at = 0;

	while (at < c->count && c->records[at].rank < record->rank)
		at++;
	if (at == c->count || c->records[at].rank != record->rank) {
		struct paleo_record *more =
			realloc(c->records, ((size_t)c->count + 1) * sizeof(*more));
		if (!more)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory for a record");
		c->records = more;
		memmove(&more[at + 1], &more[at], (size_t)(c->count - at) * sizeof(*more));
		c->count++;
	}
	c->records[at] = *record;
	return PALEO_OK;
}

void candidates_release(struct candidates *c)
{
	free(c->records);
	*c = (struct candidates){0};
}

const struct paleo_record *candidates_find(const struct candidates *c, int rank)
{
	for (int i = 0; i < c->count; i++)
		if (c->records[i].rank == rank)
			return &c->records[i];
	return NULL;
}

const struct paleo_record *candidates_best(const struct candidates *c)
{
	const struct paleo_record *best = NULL;

	for (int i = 0; i < c->count; i++) {
		const struct paleo_record *r = &c->records[i];
		if (r->status == PALEO_RECORD_OK &&
		    (!best || r->timing.median_s < best->timing.median_s))
			best = r;
	}
	return best || !c->count ? best : &c->records[0];
}

double candidates_regret(const struct candidates *c)
{
	const struct paleo_record *first = candidates_find(c, 0), *best = candidates_best(c);

	if (c->count < 2 || !first || first->status != PALEO_RECORD_OK)
		return NAN;
	return first->timing.median_s / best->timing.median_s - 1;
}

int candidates_parse(const char *text, int *most, struct paleo_error *err)
{
	static const char best[] = "best:";
	char *end;

	if (!strcmp(text, "heuristic")) {
		*most = 1;
		return PALEO_OK;
	}
	if (!strcmp(text, "all")) {
		*most = PALEO_ALGORITHMS_MAX;
		return PALEO_OK;
	}
	if (!strncmp(text, best, sizeof(best) - 1)) {
		const char *number = text + sizeof(best) - 1;
		long k = strtol(number, &end, 10);
		if (*number >= '0' && *number <= '9' && !*end && k >= 1 &&
		    k <= PALEO_ALGORITHMS_MAX) {
			*most = (int)k;
			return PALEO_OK;
		}
	}
	return paleo_fail(err, PALEO_EINPUT,
			  "--algorithm is '%.60s', expected heuristic, best:K with K from 1 to "
			  "%d, or all",
			  text, PALEO_ALGORITHMS_MAX);
}

/* 1 if an op went wrong: there is no time, and no word of the library that there can be none. */
static int records_failed(enum paleo_record_status status)
{
	return status != PALEO_RECORD_OK && status != PALEO_RECORD_UNSUPPORTED &&
	       status != PALEO_RECORD_DISTURBED;
}

int records_keeps(enum paleo_record_status status, int retry)
{
	return status != PALEO_RECORD_DISTURBED && !(retry && records_failed(status));
}

static int reuse_time(const struct paleo_results *r, const struct paleo_op *w,
		      enum paleo_cache_mode mode, int most, int retry, struct plan_time *t,
		      struct paleo_error *err)
{
	for (int rank = 0; rank < most; rank++) {
		const struct paleo_result *old =
			paleo_results_candidate(r, w, paleo_cache_mode_name(mode), rank);
		if (!old || !records_keeps(old->status, retry))
			continue;
		const struct paleo_record record = paleo_result_record(old);
		PALEO_TRY(candidates_add(&t->candidates, &record, err));
	}
	if (!t->candidates.count)
		return PALEO_OK;
	t->record = *candidates_best(&t->candidates);
	t->measured = most == 1; /* else the library says what more there is */
	return PALEO_OK;
}

int plan_reuse(struct plan *p, const struct paleo_results *r, int most, int retry,
	       struct plan_reused *reused, struct paleo_error *err)
{
	int rc = PALEO_OK;

	*reused = (struct plan_reused){0};
	for (int i = 0; !rc && i < p->op_count; i++) {
		for (int m = 0; !rc && m < p->modes.count; m++) {
			struct plan_time *t = &p->ops[i].times[m];
			rc = reuse_time(r, &p->ops[i].op, p->modes.items[m], most, retry, t, err);
			reused->times += t->candidates.count > 0;
			reused->failed +=
				t->candidates.count > 0 && records_failed(t->record.status);
		}
	}
	return rc;
}

int plan_failed(const struct plan *p)
{
	int failed = 0;

	for (int i = 0; i < p->op_count * p->modes.count; i++)
		failed += p->times[i].measured && records_failed(p->times[i].record.status);
	return failed;
}

double plan_op_joules(const struct plan *p, const struct plan_op *w)
{
	const struct plan_time *t = p->modes.count ? &w->times[0] : NULL;

	return t && t->measured ? paleo_state_joules(&t->record.state) : (double)NAN;
}

double plan_op_s(const struct plan *p, const struct plan_op *w, enum plan_basis *basis)
{
	const struct plan_time *t = p->modes.count && w->times->measured ? w->times : NULL;
	enum plan_basis of = PLAN_PREDICTED;

	if (t && t->record.status == PALEO_RECORD_OK)
		of = PLAN_MEASURED;
	else if (t && t->record.status == PALEO_RECORD_DISTURBED && t->record.least_s > 0)
		of = PLAN_LEAST;
	if (basis)
		*basis = of;
	return of == PLAN_MEASURED ? t->record.timing.median_s
	       : of == PLAN_LEAST  ? t->record.least_s
	       : w->predicted      ? w->prediction.parts.total_s
				   : (double)NAN;
}

/* 1 if an op cannot be measured here. */
static int is_lost(const struct plan_op *w)
{
	enum paleo_record_status status = w->times->record.status;

	return w->times->measured && status != PALEO_RECORD_OK && status != PALEO_RECORD_DISTURBED;
}

double plan_measured_share(const struct plan *p)
{
	double measured_s = 0, all_s = 0;

	for (int i = 0; i < p->net_count; i++) {
		for (int k = 0; k < p->nets[i].rows.count; k++) {
			const struct plan_op *w = &p->ops[p->nets[i].op_of[k]];
			enum plan_basis basis;
			plan_op_s(p, w, &basis);
			if (!w->predicted || is_lost(w))
				continue;
			all_s += w->prediction.parts.total_s;
			measured_s += basis == PLAN_MEASURED ? w->prediction.parts.total_s : 0;
		}
	}
	return measured_s / all_s;
}

int plan_untold(const struct plan *p)
{
	int untold = 0;

	for (int i = 0; i < p->op_count; i++) {
		const struct plan_time *t = p->ops[i].times;
		untold += !p->ops[i].predicted &&
			  (!t->measured || t->record.status == PALEO_RECORD_DISTURBED);
	}
	return untold;
}

void plan_short_name(const char *name, char *buf, size_t size)
{
	size_t length = strlen(name);

	if (length < size)
		memcpy(buf, name, length + 1);
	else
		snprintf(buf, size, "...%s", name + length - (size - 4));
}

/* The time that a prediction is held against; NULL: there is none. The speed next to disturbed
 * samples is that of a disturbed machine. */
static const struct paleo_timing *timing_of(const void *of, int i)
{
	const struct plan *p = of;
	const struct plan_time *t = p->ops[i].times;
	const int is_timed = p->modes.count && t->measured && t->record.status == PALEO_RECORD_OK;

	return is_timed ? &t->record.timing : NULL;
}

int plan_speed_predict(struct plan *p, const struct paleo_calibration *c, struct paleo_rates *out,
		       struct paleo_error *err)
{
	struct paleo_speed ignored;

	PALEO_TRY(paleo_fit_rates(timing_of, p, p->op_count, out, &ignored, err));
	const struct paleo_speed middle = paleo_speed_over(out, &c->speed);
	if (!(middle.products > 0)) {
		*out = (struct paleo_rates){0, 0};
		return PALEO_OK;
	}
	p->is_at_speed = 1;
	for (int i = 0; i < p->op_count; i++) {
		struct plan_op *w = &p->ops[i];
		const struct paleo_timing *t = timing_of(p, i);
		struct paleo_device d = c->device;
		if (t)
			d = paleo_fit_device_at(c, t);
		if (!(d.speed.products > 0))
			d.speed.products = middle.products;
		if (!(d.speed.memory > 0)) /* all its probes were disturbed */
			d.speed.memory = middle.memory;
		if (w->predicted)
			PALEO_TRY(paleo_predict_on(c, &d, &w->op, &w->prediction, err));
	}
	return PALEO_OK;
}

void plan_speed_print(const struct paleo_rates *seen, const struct paleo_calibration *c, FILE *out)
{
	if (seen->flop_per_s > 0)
		paleo_print(out,
			    "Predictions use the machine speed probed with each op (median %.0f "
			    "GFLOP/s, %.1f GB/s); 'before measuring' uses the calibration's (%.0f, "
			    "%.1f)\n",
			    1e-9 * seen->flop_per_s, 1e-9 * seen->bytes_per_s,
			    1e-9 * c->speed.flop_per_s, 1e-9 * c->speed.bytes_per_s);
}

static int is_same(const struct paleo_net_op *row, const struct paleo_net_row *other)
{
	char name[sizeof(other->layer)];

	plan_short_name(row->layer->name, name, sizeof(name));
	return !strcmp(name, other->layer) && !strcmp(row->what, other->kind) &&
	       row->pass == other->pass && paleo_op_equal(&row->op, &other->op);
}

/* The times of the net's rows in a pass, NaN where it has not such a row. Both list their rows in
 * one order, so a row is looked for behind the one before. Returns how many there are. */
static int match_rows(const struct plan_net *n, const struct paleo_graph_record *f, double *out_s)
{
	int at = 0, found = 0;

	for (int i = 0; i < n->rows.count; i++) {
		int k = at;
		while (k < f->count && !is_same(&n->rows.items[i], &f->rows[k].row))
			k++;
		out_s[i] = k < f->count ? f->rows[k].in_network_s : NAN;
		if (k == f->count)
			continue;
		found++;
		at = k + 1;
	}
	return found;
}

static int is_of_net(const struct plan *p, const struct plan_net *n,
		     const struct paleo_graph_record *f)
{
	return f->status == PALEO_RECORD_OK && f->batch == n->net->batch && f->dtype == p->dtype &&
	       !strcmp(f->net, n->net->name);
}

static const struct paleo_graph_record *choose_pass(const struct plan *p, const struct plan_net *n,
						    const struct paleo_results *r, double *scratch,
						    int *rows)
{
	const struct paleo_graph_record *best = NULL;

	*rows = 0;
	for (int i = 0; i < r->pass_count; i++) {
		const struct paleo_graph_record *f = &r->passes[i];
		int found = is_of_net(p, n, f) ? match_rows(n, f, scratch) : 0;
		if (found > *rows || (best && found == *rows && f->extent < best->extent)) {
			best = f;
			*rows = found;
		}
	}
	return best;
}

static int fill_net(const struct plan *p, struct plan_net *n, const struct paleo_results *r,
		    FILE *notes, struct paleo_error *err)
{
	double *times = malloc(((size_t)n->rows.count + 1) * sizeof(*times));
	int rows;

	if (!times)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", n->rows.count);
	const struct paleo_graph_record *f = choose_pass(p, n, r, times, &rows);
	if (!f) {
		paleo_print(notes,
			    "in-network: --passes has no pass with these rows of %s, batch %d\n",
			    n->net->name, n->net->batch);
		free(times);
		return PALEO_OK;
	}
	match_rows(n, f, times);
	n->in_network_s = times;
	paleo_print(notes, "in-network: %d of %d rows of %s, within its pass %s%s\n", rows,
		    n->rows.count, n->net->name, paleo_extent_name(f->extent),
		    f->in_network_samples ? "" : ", disturbed");
	return PALEO_OK;
}

int in_network_fill(struct plan *p, const struct paleo_results *passes, FILE *notes,
		    struct paleo_error *err)
{
	for (int i = 0; i < p->net_count; i++)
		PALEO_TRY(fill_net(p, &p->nets[i], passes, notes, err));
	return PALEO_OK;
}
