/* study.c - how well a law predicts other people's measurements that its fit has not seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/study.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "calib/fit_tile.h"
#include "calib/pattern.h"

#define SCALE 0.1 /* of a logarithm, as in fit_tile.c */

struct row {
	struct paleo_tile_row tile;
	double paleo_s;     /* at the datasheet's rates */
	double predicted_s; /* by the law of tiles, held out */
	double ppp_s;       /* by PALEO's law, held out */
	uint64_t order;     /* of the choice among the rows to fit */
	int fold;
};

struct study {
	struct row *rows;
	int count;
	struct row **chosen; /* rows to fit, then by `order` */
	struct paleo_tile_row *fit_rows;
	struct paleo_tile_device device;
	const char *gpu; /* whose presets have seen these rows */
};

/* SplitMix64 (Steele, Lea and Flood 2014): neighbours come out unlike. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

/* Bytes that the timing loop touches before it uses the same weights again. */
static double footprint(const struct paleo_tile_product *g, const struct paleo_tile_device *d,
			int copies_max)
{
	double weights = g->element_bytes * g->k * g->n;
	double copies = fmax(1, fmin(copies_max, ceil(d->cache_bytes / weights)));

	return g->bytes + (copies - 1) * weights;
}

static struct row make_row(const struct paleo_measured_row *r, const struct study *s,
			   const struct paleo_study_options *o)
{
	const struct paleo_gemm_geom *g = &r->work.geom.gemm;
	const struct paleo_work *w = &r->work;
	uint64_t weights = (uint64_t)g->n << 32 | (uint64_t)g->k;
	struct row row = {.order = mix((uint64_t)r->line)};

	row.tile.time_s = r->time_s;
	row.tile.product =
		paleo_tile_product_of(g->m, g->n, g->k, g->batch, paleo_dtype_bytes(w->dtype));
	row.tile.product.foot_bytes = footprint(&row.tile.product, &s->device, o->copies_max);
	row.paleo_s = (w->read_bytes + w->write_bytes) / s->device.mem_bytes_per_s +
		      w->flops / s->device.flop_per_s;
	row.fold = (int)(mix(weights) % (uint64_t)o->folds);
	return row;
}

static int by_order(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a;
	const struct row *y = *(struct row *const *)b;

	return (x->order > y->order) - (x->order < y->order);
}

struct ppp_problem {
	struct row *const *rows;
	int count;
};

static double ppp_loss(const void *context, const double *z)
{
	const struct ppp_problem *p = context;
	double sum = 0;

	for (int i = 0; i < p->count; i++) {
		const struct row *row = p->rows[i];
		sum += paleo_pseudo_huber((log(row->paleo_s / row->tile.time_s) - z[0]) / SCALE);
	}
	return sum;
}

/* PALEO's one factor, between a thousandth and 4. */
static double fit_ppp(struct row *const *rows, int count)
{
	const struct ppp_problem context = {rows, count};
	const double low = log(1e-3), high = log(4);
	const struct paleo_pattern_problem p = {.params = 1,
						.loss = ppp_loss,
						.context = &context,
						.low = &low,
						.high = &high,
						.step = 0.5,
						.step_min = 1e-4,
						.evaluations_max = 1000};
	struct paleo_pattern_result result;
	double z = log(0.5);

	paleo_pattern_solve(&p, &z, &result);
	return exp(z);
}

/* Fits to the other folds and predicts this one. Returns the number of fitted rows or a status. */
static int predict_fold(struct study *s, int fold, const struct paleo_study_options *o,
			struct paleo_error *err)
{
	const struct paleo_tile_params start = paleo_tile_params_init(o->dtype);
	struct paleo_tile_fit fit;
	int n = 0;

	for (int i = 0; i < s->count; i++)
		if (s->rows[i].fold != fold)
			s->chosen[n++] = &s->rows[i];
	if (n == 0)
		return paleo_fail(err, PALEO_EINPUT,
				  "all rows have the same n and k: none is left to fit");
	qsort(s->chosen, (size_t)n, sizeof(*s->chosen), by_order);
	n = n < o->rows_max ? n : o->rows_max;
	for (int i = 0; i < n; i++)
		s->fit_rows[i] = s->chosen[i]->tile;
	int rc = paleo_fit_tile(&s->device, s->fit_rows, n, &start, s->gpu, &fit, err);
	if (rc)
		return rc;
	double ppp = fit_ppp(s->chosen, n);
	for (int i = 0; i < s->count; i++) {
		struct row *row = &s->rows[i];
		if (row->fold != fold)
			continue;
		row->predicted_s = paleo_tile_predict_s(&fit.model, &s->device, &row->tile.product);
		row->ppp_s = row->paleo_s / ppp;
	}
	return n;
}

static struct paleo_study_errors sum_up(const struct study *s, int paleo, double *scratch)
{
	struct paleo_study_errors e = {.errors = {.count = s->count, .coverage = NAN}};
	double logs = 0, predicted = 0, measured = 0;
	size_t n = (size_t)s->count;

	for (int i = 0; i < s->count; i++) {
		const struct row *row = &s->rows[i];
		double p = paleo ? row->ppp_s : row->predicted_s;
		scratch[i] = fabs(p / row->tile.time_s - 1);
		logs += log(p / row->tile.time_s);
		predicted += p;
		measured += row->tile.time_s;
	}
	paleo_sort(scratch, n);
	e.errors.median = paleo_quantile_sorted(scratch, n, 0.5);
	e.errors.mean = paleo_mean(scratch, n);
	e.errors.p90 = paleo_quantile_sorted(scratch, n, 0.9);
	e.errors.bias = exp(logs / s->count) - 1;
	e.sum = predicted / measured - 1;
	return e;
}

static void collect(struct study *s, const struct paleo_measured *m,
		    const struct paleo_study_options *o)
{
	for (int i = 0; i < m->count; i++) {
		const struct paleo_work *w = &m->rows[i].work;
		if (w->kind == PALEO_GEMM && w->pass == PALEO_FWD && w->dtype == o->dtype)
			s->rows[s->count++] = make_row(&m->rows[i], s, o);
	}
}

int paleo_study_products(const struct paleo_measured *m, const struct paleo_device *d,
			 const struct paleo_study_options *o, struct paleo_study *out,
			 struct paleo_error *err)
{
	size_t room = (size_t)m->count + 1;
	struct study s = {.rows = malloc(room * sizeof(*s.rows)),
			  .chosen = malloc(room * sizeof(struct row *)),
			  .fit_rows = malloc(room * sizeof(*s.fit_rows)),
			  .gpu = m->gpu};
	double *scratch = malloc(room * sizeof(*scratch));
	struct paleo_study result = {0};
	int rc;

	if (!s.rows || !s.chosen || !s.fit_rows || !scratch) {
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", m->count);
		goto out;
	}
	rc = paleo_tile_device_of(d, o->dtype, &s.device, err);
	if (rc)
		goto out;
	collect(&s, m, o);
	if (s.count < 2 * o->folds) {
		rc = paleo_fail(err, PALEO_EINPUT,
				"%d forward products in %s are too few for %d folds", s.count,
				paleo_dtype_name(o->dtype), o->folds);
		goto out;
	}
	for (int fold = 0; fold < o->folds; fold++) {
		rc = predict_fold(&s, fold, o, err);
		if (rc < 0)
			goto out;
		result.fitted = rc > result.fitted ? rc : result.fitted;
	}
	rc = PALEO_OK;
	result.rows = s.count;
	result.tile = sum_up(&s, 0, scratch);
	result.paleo = sum_up(&s, 1, scratch);
	*out = result;
out:
	free(s.rows);
	free(s.chosen);
	free(s.fit_rows);
	free(scratch);
	return rc;
}
