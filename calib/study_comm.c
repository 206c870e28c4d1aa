/* study_comm.c - how well a link's cost model predicts other people's collective operations. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "calib/fit_comm.h"
#include "calib/study.h"

enum cost_model {
	LINE,
	CURVE,
	BEST,
	COST_MODELS
};

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

/* The gather between two ranks sends each half of the vector: one rank that sends all of it to
 * another takes as long as a gather of twice the size. */
static struct paleo_comm_point gather_of(const struct paleo_measured_collective *c)
{
	int sends = !strcmp(c->op, "send_recv");

	return (struct paleo_comm_point){sends ? 2 : c->ranks, sends ? 2 * c->bytes : c->bytes,
					 c->time_s};
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
		const struct paleo_comm_point p = gather_of(s->rows[rows[i]]);
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
	const struct paleo_comm_point p = gather_of(s->rows[row]);
	const struct paleo_fabric f = {.within = s->link,
				       .between = s->link,
				       .per_host = p.ranks,
				       .servers = 1,
				       .reached = 1};
	const struct paleo_scheme *ring = paleo_scheme_find("ring");

	return passes_of(s->rows[row]) == 2 ? ring->all_reduce_s(&f, p.ranks, p.bytes)
					    : ring->all_gather_s(&f, p.ranks, p.bytes);
}

static int same_series(const struct paleo_measured_collective *a,
		       const struct paleo_measured_collective *b)
{
	return a->op == b->op && a->ranks == b->ranks && !strcmp(a->how, b->how);
}

/* PALEO's cost model at the best rate of the series; the fraction reached is fitted. */
static void fill_rows(struct series *s)
{
	double best = 0;

	for (int i = 0; i < s->count; i++)
		best = fmax(best, s->rows[i]->bytes / s->rows[i]->time_s);
	for (int i = 0; i < s->count; i++) {
		const struct paleo_measured_collective *c = s->rows[i];
		s->held[i] = (struct paleo_holdout_row){.time_s = c->time_s,
							.paleo_s = c->bytes / best,
							.group = (uint64_t)c->bytes,
							.order = paleo_hash((uint64_t)c->line)};
	}
}

/* The errors of one cost model, and of PALEO's, at rows that were held out. */
static int sum_cost_model(struct paleo_comm_study *out, enum cost_model cost_model,
			  struct paleo_holdout_row *held, int count, struct paleo_error *err)
{
	struct paleo_study_errors *const errors[COST_MODELS] = {
		[LINE] = &out->line, [CURVE] = &out->curve, [BEST] = &out->best};
	struct paleo_study study = {.held = held, .rows = count};
	int rc = paleo_study_sum(&study, err);

	*errors[cost_model] = study.cost_model;
	out->paleo = study.paleo;
	out->rows = count;
	return rc;
}

/* Every row that was held out, by cost model, one series after the other. */
struct pool {
	struct paleo_holdout_row *held[COST_MODELS];
	int count;
};

static int study_series(struct series *s, const struct paleo_study_options *o, struct pool *pool,
			struct paleo_comm_study *out, struct paleo_error *err)
{
	const struct paleo_holdout_cost_model cost_model = {fit_link, collective_s, s, NULL};
	const int most = PALEO_COMM_STUDY_ROWS;
	const struct paleo_holdout_options options = {
		.folds = o->folds, .rows_max = o->rows_max < most ? o->rows_max : most};
	static int (*const fits[COST_MODELS])(struct paleo_comm_points * points, int passes,
					      struct paleo_link *link, struct paleo_comm_fit *fit,
					      struct paleo_error *err) = {
		[LINE] = fit_line, [CURVE] = paleo_fit_comm_curve, [BEST] = paleo_fit_comm_best};
	struct paleo_holdout_counts counts = {0};
	int rc = PALEO_OK;

	out->of = *s->rows[0];
	for (int i = 0; !rc && i < COST_MODELS; i++) {
		s->fit = fits[i];
		rc = paleo_holdout(s->held, s->count, &options, &cost_model, &counts, err);
		if (!rc)
			rc = sum_cost_model(out, (enum cost_model)i, s->held, s->count, err);
		memcpy(pool->held[i] + pool->count, s->held, (size_t)s->count * sizeof(*s->held));
	}
	pool->count += s->count;
	out->fitted = counts.fitted;
	if (rc)
		paleo_error_prefix(err, "%s on %d ranks", out->of.op, out->of.ranks);
	return rc;
}

struct list {
	struct paleo_comm_study *items;
	int count, left_out;
};

/* Adds one study of all rows of an operation if several of the `series` studies are of it, the
 * first of which is number `first`. `held` has room for all rows. */
static int study_operation(struct list *l, int series, int first, const struct pool *pool,
			   struct paleo_holdout_row *held, struct paleo_error *err)
{
	struct paleo_comm_study all = {.of = {.op = l->items[first].of.op}};

	for (int cost_model = 0; cost_model < COST_MODELS; cost_model++) {
		int n = 0, from = 0, found = 0;
		for (int i = 0; i < series; from += l->items[i++].rows) {
			const struct paleo_comm_study *one = &l->items[i];
			if (one->of.op != all.of.op)
				continue;
			if (i < first)
				return PALEO_OK;
			memcpy(held + n, pool->held[cost_model] + from,
			       (size_t)one->rows * sizeof(*held));
			all.fitted = one->fitted > all.fitted ? one->fitted : all.fitted;
			n += one->rows;
			found++;
		}
		if (found < 2)
			return PALEO_OK;
		PALEO_TRY(sum_cost_model(&all, (enum cost_model)cost_model, held, n, err));
	}
	l->items[l->count++] = all;
	return PALEO_OK;
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

/* Each series of a table, and then several series of one operation together. */
static int study_all(const struct paleo_measured *m, const struct paleo_study_options *o,
		     struct series *s, struct pool *pool, struct list *l, struct paleo_error *err)
{
	int folds, rc = PALEO_OK;

	for (int i = 0; !rc && i < m->collective_count; i++) {
		collect(m, i, s);
		if (s->count == 0)
			continue;
		fill_rows(s);
		rc = paleo_holdout_deal(s->held, s->count, o->folds, &folds, err);
		if (rc == PALEO_EINPUT) {
			l->left_out += s->count;
			rc = PALEO_OK;
		} else if (!rc) {
			rc = study_series(s, o, pool, &l->items[l->count++], err);
		}
	}
	int series = l->count;
	for (int i = 0; !rc && i < series; i++)
		rc = study_operation(l, series, i, pool, s->held, err);
	return rc;
}

int paleo_study_collectives(const struct paleo_measured *m, const struct paleo_study_options *o,
			    struct paleo_comm_study **out, int *count, int *left_out,
			    struct paleo_error *err)
{
	size_t room = (size_t)m->collective_count + 1;
	struct series s = {.rows = malloc(room * sizeof(*s.rows)),
			   .held = malloc(room * sizeof(*s.held))};
	struct paleo_holdout_row *held = malloc(COST_MODELS * room * sizeof(*held));
	struct list l = {.items = malloc(room * sizeof(*l.items))};
	struct pool pool = {.count = 0};
	int rc = PALEO_OK;

	if (!s.rows || !s.held || !held || !l.items)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows",
				m->collective_count);
	for (size_t cost_model = 0; !rc && cost_model < COST_MODELS; cost_model++)
		pool.held[cost_model] = held + cost_model * room;
	if (!rc)
		rc = study_all(m, o, &s, &pool, &l, err);
	free(s.rows);
	free(s.held);
	free(held);
	*left_out = l.left_out;
	if (rc) {
		free(l.items);
		return rc;
	}
	*out = l.items;
	*count = l.count;
	return PALEO_OK;
}
