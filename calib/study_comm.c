/* study_comm.c - how well a link's law predicts other people's collective operations. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/study_comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_comm.h"

/* The operations of a series and the link last fitted to some of them. */
struct series {
	const struct paleo_measured_collective **rows;
	struct paleo_holdout_row *held;
	int count;
	int (*fit)(struct paleo_comm_points *points, int passes, struct paleo_link *link,
		   struct paleo_comm_fit *fit, struct paleo_error *err);
	struct paleo_link link;
};

/* An all-reduce is a reduce-scatter and an all-gather. */
static int passes_of(const struct paleo_measured_collective *c)
{
	return strcmp(c->op, "allreduce") ? 1 : 2;
}

static int fit_line(struct paleo_comm_points *points, int passes, struct paleo_link *link,
		    struct paleo_comm_fit *fit, struct paleo_error *err)
{
	return paleo_fit_comm(points, passes, 1, link, fit, err);
}

static int fit_link(void *context, const int *rows, int count, struct paleo_error *err)
{
	struct series *s = context;
	struct paleo_comm_points points = {0};
	struct paleo_comm_fit fit;
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_measured_collective *c = s->rows[rows[i]];
		const struct paleo_comm_point p = {c->ranks, c->bytes, c->time_s};
		rc = paleo_comm_points_add(&points, &p, err);
	}
	if (!rc)
		rc = s->fit(&points, passes_of(s->rows[0]), &s->link, &fit, err);
	paleo_comm_points_release(&points);
	return rc;
}

static double collective_s(const void *context, int row)
{
	const struct series *s = context;
	const struct paleo_measured_collective *c = s->rows[row];
	const struct paleo_fabric f = {.within = s->link,
				       .between = s->link,
				       .per_host = c->ranks,
				       .servers = 1,
				       .reached = 1};
	const struct paleo_scheme *ring = paleo_scheme_find("ring");

	return passes_of(c) == 2 ? ring->all_reduce_s(&f, c->ranks, c->bytes)
				 : ring->all_gather_s(&f, c->ranks, c->bytes);
}

static int same_series(const struct paleo_measured_collective *a,
		       const struct paleo_measured_collective *b)
{
	return a->op == b->op && a->ranks == b->ranks && !strcmp(a->how, b->how);
}

/* PALEO's law at the best rate of the series; what it reaches of that is fitted. */
static void fill_rows(struct series *s)
{
	double best = 0;

	for (int i = 0; i < s->count; i++)
		best = fmax(best, s->rows[i]->bytes / s->rows[i]->time_s);
	for (int i = 0; i < s->count; i++) {
		const struct paleo_measured_collective *c = s->rows[i];
		s->held[i] =
			(struct paleo_holdout_row){.time_s = c->time_s,
						   .paleo_s = c->bytes / best,
						   .group = (uint64_t)c->bytes,
						   .order = paleo_holdout_hash((uint64_t)c->line),
						   .at = {log2(c->bytes)}};
	}
}

static int study_series(struct series *s, const struct paleo_study_options *o,
			struct paleo_comm_study *out, struct paleo_error *err)
{
	const struct paleo_holdout_law law = {fit_link, collective_s, s};
	const struct paleo_holdout_options options = {o->folds, o->rows_max < PALEO_COMM_STUDY_ROWS
									? o->rows_max
									: PALEO_COMM_STUDY_ROWS};
	const struct {
		int (*fit)(struct paleo_comm_points *points, int passes, struct paleo_link *link,
			   struct paleo_comm_fit *fit, struct paleo_error *err);
		struct paleo_study_errors *errors;
	} laws[] = {{fit_line, &out->line},
		    {paleo_fit_comm_curve, &out->curve},
		    {paleo_fit_comm_best, &out->best}};
	struct paleo_holdout_counts counts = {0};
	struct paleo_study study = {.held = s->held, .rows = s->count};
	int rc = PALEO_OK;

	fill_rows(s);
	out->of = *s->rows[0];
	out->rows = s->count;
	for (size_t i = 0; !rc && i < sizeof(laws) / sizeof(laws[0]); i++) {
		s->fit = laws[i].fit;
		rc = paleo_holdout(s->held, s->count, &options, &law, &counts, err);
		if (!rc)
			rc = paleo_study_sum(&study, err);
		*laws[i].errors = study.law;
	}
	out->paleo = study.paleo;
	out->fitted = counts.fitted;
	if (rc)
		paleo_error_prefix(err, "%s on %d ranks", out->of.op, out->of.ranks);
	return rc;
}

/* The rows of the series that row `first` begins; 0 of them if an earlier row does. */
static void collect(const struct paleo_measured *m, int first, struct series *s)
{
	s->count = 0;
	for (int i = 0; i < m->collective_count; i++) {
		if (!same_series(&m->collectives[first], &m->collectives[i]))
			continue;
		if (i < first)
			return;
		s->rows[s->count++] = &m->collectives[i];
	}
}

int paleo_study_collectives(const struct paleo_measured *m, const struct paleo_study_options *o,
			    struct paleo_comm_study **out, int *count, int *left_out,
			    struct paleo_error *err)
{
	size_t room = (size_t)m->collective_count + 1;
	struct series s = {.rows = malloc(room * sizeof(*s.rows)),
			   .held = malloc(room * sizeof(*s.held))};
	struct paleo_comm_study *studies = malloc(room * sizeof(*studies));
	int n = 0, rc = PALEO_OK;

	*left_out = 0;
	if (!s.rows || !s.held || !studies)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows",
				m->collective_count);
	for (int i = 0; !rc && i < m->collective_count; i++) {
		collect(m, i, &s);
		if (s.count == 0)
			continue;
		if (s.count < 2 * o->folds)
			*left_out += s.count;
		else
			rc = study_series(&s, o, &studies[n++], err);
	}
	free(s.rows);
	free(s.held);
	if (rc) {
		free(studies);
		return rc;
	}
	*out = studies;
	*count = n;
	return PALEO_OK;
}
