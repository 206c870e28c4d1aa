/* study.c - how well cost models predict other people's measurements: of ops, and of whole nets. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stats.h"
#include "calib/fit_rows.h"

static uint64_t together(uint64_t a, uint64_t b)
{
	return paleo_hash(a) ^ b;
}

static uint64_t group_of_conv(const struct paleo_conv_geom *g, enum paleo_study_groups groups)
{
	if (groups == PALEO_STUDY_CHANNELS)
		return together((uint64_t)ilogb(g->c), (uint64_t)ilogb(g->k));
	if (groups == PALEO_STUDY_IMAGES)
		return together((uint64_t)g->h, (uint64_t)g->w);
	const int layer[] = {g->c,        g->h,     g->w,     g->k,     g->r,     g->s,
			     g->stride_h, g->pad_t, g->pad_l, g->dil_h, g->groups};
	uint64_t hash = 0;
	for (size_t i = 0; i < sizeof(layer) / sizeof(layer[0]); i++)
		hash = together(hash, (uint64_t)layer[i]);
	return hash;
}

static uint64_t group_of(const struct paleo_op *w, enum paleo_study_groups groups)
{
	if (w->kind == PALEO_GEMM)
		return (uint64_t)w->geom.gemm.n << 32 | (uint64_t)w->geom.gemm.k;
	if (w->kind == PALEO_CONV)
		return group_of_conv(&w->geom.conv, groups);
	if (w->kind == PALEO_ATTENTION || w->kind == PALEO_MOE || w->kind == PALEO_SCAN ||
	    w->kind == PALEO_CAUSAL_CONV)
		return paleo_fit_shape(w);
	return (uint64_t)(w->read_bytes + w->write_bytes);
}

static int within(double low_s, double time_s, double high_s)
{
	return low_s <= time_s && time_s <= high_s;
}

static int predictions(const struct paleo_study *s)
{
	return s->rows * (s->draws > 0 ? s->draws : 1);
}

/* The shares of rows within their intervals, and how wide these are. */
static void sum_up_intervals(const struct paleo_study *s, enum paleo_holdout_by by,
			     struct paleo_errors *e)
{
	int inside = 0, inside50 = 0, count = 0;
	double width = 0;

	for (int i = 0; i < predictions(s); i++) {
		const struct paleo_holdout_prediction *p = &s->held[i].by[by];
		if (isnan(p->interval.low) || isnan(p->interval.low50))
			continue;
		count++;
		inside += within(p->interval.low, s->held[i].time_s, p->interval.high);
		inside50 += within(p->interval.low50, s->held[i].time_s, p->interval.high50);
		width += (p->interval.high - p->interval.low) / p->time_s;
	}
	e->coverage = count ? (double)inside / count : NAN;
	e->coverage50 = count ? (double)inside50 / count : NAN;
	e->width = count ? width / count : NAN;
}

/* The mean error of the worst draw; `errors` are those of all, by draws. */
static double worst_draw(const struct paleo_study *s, const double *errors)
{
	double worst = 0;

	if (s->draws < 2)
		return NAN;
	for (int draw = 0; draw < s->draws; draw++)
		worst = fmax(worst,
			     paleo_mean(errors + (size_t)draw * (size_t)s->rows, (size_t)s->rows));
	return worst;
}

static struct paleo_study_errors sum_up(const struct paleo_study *s, enum paleo_holdout_by by,
					double *scratch)
{
	struct paleo_study_errors e = {.errors = {.count = s->rows}};
	double logs = 0, predicted = 0, measured = 0;
	int count = predictions(s);
	size_t n = (size_t)count;

	for (int i = 0; i < count; i++) {
		const struct paleo_holdout_row *row = &s->held[i];
		double p = row->by[by].time_s;
		scratch[i] = fabs(p / row->time_s - 1);
		logs += log(p / row->time_s);
		predicted += p;
		measured += row->time_s;
	}
	e.worst = worst_draw(s, scratch);
	paleo_sort(scratch, n);
	e.errors.median = paleo_quantile_sorted(scratch, n, 0.5);
	e.errors.mean = paleo_mean(scratch, n);
	e.errors.p90 = paleo_quantile_sorted(scratch, n, 0.9);
	e.errors.bias = exp(logs / count) - 1;
	e.errors.sum = predicted / measured - 1;
	sum_up_intervals(s, by, &e.errors);
	return e;
}

int paleo_study_sum(struct paleo_study *s, struct paleo_error *err)
{
	double *scratch = malloc(((size_t)predictions(s) + 1) * sizeof(*scratch));

	if (!scratch)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", predictions(s));
	s->cost_model = sum_up(s, PALEO_HOLDOUT_COST_MODEL, scratch);
	s->corrected = sum_up(s, PALEO_HOLDOUT_CORRECTED, scratch);
	s->paleo = sum_up(s, PALEO_HOLDOUT_PALEO, scratch);
	free(scratch);
	return PALEO_OK;
}

/* Picks the rows out of the table. */
static void collect(const struct paleo_measured *m, const struct paleo_study_options *o,
		    struct paleo_subject *subject, struct paleo_holdout_row *held)
{
	for (int i = 0; i < m->count; i++) {
		const struct paleo_measured_row *r = &m->rows[i];
		const struct paleo_op *w = &r->op;
		if (w->kind != o->kind || w->pass != o->pass || w->dtype != o->dtype)
			continue;
		if (o->class_name && strcmp(paleo_op_class(w), o->class_name) != 0)
			continue;
		held[subject->count] = (struct paleo_holdout_row){
			.time_s = r->time_s,
			.paleo_s =
				(w->read_bytes + w->write_bytes) / subject->device.mem_bytes_per_s +
				w->flops / subject->device.flop_per_s,
			.group = o->groups == PALEO_STUDY_ROWS ? (uint64_t)r->line
							       : group_of(w, o->groups),
			.order = paleo_hash((uint64_t)r->line)};
		subject->rows[subject->count++] = r;
	}
}

/* Holds out the same rows for each draw of those to fit: held[] has room for them all, and those of
 * the first one are filled in. */
static int hold_out_draws(struct paleo_study *s, const struct paleo_study_options *o,
			  struct paleo_subject *subject, struct paleo_error *err)
{
	struct paleo_holdout_options options = {o->folds, o->rows_max, o->progress};
	struct paleo_holdout_cost_model cost_model = *paleo_subject_cost_model(o->kind, o->pass);
	struct paleo_holdout_counts counts = {0};
	int rc = PALEO_OK;

	cost_model.context = subject;
	if (s->draws > 1) /* all draws are reported */
		options.progress = (struct paleo_progress){0};
	for (int draw = 0; !rc && draw < s->draws; draw++) {
		if (s->draws > 1)
			paleo_progress_report(&o->progress, draw, s->draws);
		struct paleo_holdout_row *held = s->held + (size_t)draw * (size_t)s->rows;
		for (int i = 0; draw && i < s->rows; i++) {
			uint64_t line = (uint64_t)subject->rows[i]->line;
			held[i] = s->held[i];
			held[i].order = paleo_hash(line ^ (uint64_t)draw << 32);
		}
		rc = paleo_holdout(held, s->rows, &options, &cost_model, &counts, err);
		s->counts.corrected += counts.corrected;
		if (counts.fitted > s->counts.fitted)
			s->counts.fitted = counts.fitted;
	}
	return rc;
}

int paleo_study_has(enum paleo_op_kind kind, enum paleo_pass pass)
{
	return paleo_subject_cost_model(kind, pass) != NULL;
}

int paleo_study_ops(const struct paleo_measured *m, const struct paleo_device *d,
		    const struct paleo_study_options *o, struct paleo_study *out,
		    struct paleo_error *err)
{
	size_t room = (size_t)m->count + 1;
	int draws = o->draws > 0 ? o->draws : 1;
	struct paleo_subject subject = {.rows = malloc(room * sizeof(*subject.rows)),
					.described = d,
					.gpu = d->name,
					.pass = o->pass,
					.dtype = o->dtype,
					.operand_sets_max = o->operand_sets_max};
	struct paleo_study s = {.held = malloc((size_t)draws * room * sizeof(*s.held)),
				.draws = draws};
	int rc;

	if (!paleo_study_has(o->kind, o->pass)) {
		rc = paleo_fail(err, PALEO_EUNSUPPORTED, "there is no cost model for %s %s",
				paleo_op_kind_name(o->kind), paleo_pass_name(o->pass));
		goto out;
	}
	rc = paleo_tile_device_of(d, o->dtype, &subject.device, err);
	if (rc)
		goto out;
	if (!subject.rows || !s.held) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", m->count);
		goto out;
	}
	collect(m, o, &subject, s.held);
	s.rows = subject.count;
	if (s.rows) /* e2m1 GEMMs have another peak */
		rc = paleo_kernel_model_device(paleo_kernel_model_for(&subject.rows[0]->op, 0), d,
					       o->dtype, 1, &subject.device, err);
	if (!rc)
		rc = hold_out_draws(&s, o, &subject, err);
	if (rc) {
		paleo_error_prefix(err, "%s %s in %s",
				   o->class_name ? o->class_name : paleo_op_kind_name(o->kind),
				   paleo_pass_name(o->pass), paleo_dtype_name(o->dtype));
		goto out;
	}
	rc = paleo_study_sum(&s, err);
	if (!rc)
		*out = s;
out:
	if (rc)
		paleo_study_release(&s);
	free(subject.rows);
	return rc;
}

void paleo_study_release(struct paleo_study *s)
{
	if (!s)
		return;
	free(s->held);
	s->held = NULL;
}

/* Validates a factor on predicted ops against full passes that others measured. */

/* `logs` are sorted. Rank p (n + 1), or the last one if that is too high. */
static void judge(const double *logs, int n, struct paleo_study_net *row)
{
	int rank = (int)ceil(0.95 * (n + 1)) - 1;

	if (rank > n - 1)
		rank = n - 1;
	row->factor = exp(paleo_quantile_sorted(logs, (size_t)n, 0.5));
	row->low = exp(logs[n - 1 - rank]);
	row->high = exp(logs[rank]);
}

/* The factor of a row by the other nets of its group; `logs` has room for all. */
static void fit(const struct paleo_study_net *rows, int count, struct paleo_study_net *row,
		double *logs)
{
	int n = 0;

	row->factor = row->low = row->high = NAN;
	for (int i = 0; i < count; i++)
		if (rows[i].group == row->group && rows[i].net != row->net)
			logs[n++] = log(rows[i].measured_s / rows[i].ops_s);
	if (!n)
		return;
	paleo_sort(logs, (size_t)n);
	judge(logs, n, row);
}

int paleo_study_nets(struct paleo_study_net *rows, int count, struct paleo_error *err)
{
	double *logs = malloc(sizeof(*logs) * ((size_t)count + 1));

	if (!logs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a study of nets");
	for (int i = 0; i < count; i++)
		fit(rows, count, &rows[i], logs);
	free(logs);
	return PALEO_OK;
}

int paleo_study_nets_all(const struct paleo_study_net *rows, int count, int group,
			 struct paleo_study_net *out, struct paleo_error *err)
{
	double *logs = malloc(sizeof(*logs) * ((size_t)count + 1));

	if (!logs)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a study of nets");
	*out = (struct paleo_study_net){.group = group, .net = -1};
	fit(rows, count, out, logs);
	free(logs);
	return PALEO_OK;
}
