/* fit_kernel.c - fits a kernel model to rows, and finds parameters they do not identify. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "calib/fit_conv.h"
#include "calib/fit_parts.h"
#include "calib/fit_tile.h"
#include "calib/minimum.h"

#define SCALE 0.1 /* of a logarithm, as in fit_tile.c */
#define MAX PALEO_KERNEL_PARAMETERS_MAX

/* Input of every fit. */
struct problem {
	const struct paleo_tile_device *device;
	const struct paleo_fit_row *rows;
	int count;
	const struct paleo_fitted_kernel *start;
	double prior[MAX], low[MAX], high[MAX];
	unsigned long long held; /* bit i: parameter i stayed at its start, by the fit */
};

static void set_params(const struct problem *p, const double *z, struct paleo_fitted_kernel *m)
{
	*m = *p->start;
	for (int i = 0; i < m->kernel->count; i++)
		paleo_parameter_set_log(&m->kernel->parameters[i], m->params, z[i]);
	if (m->kernel->first) /* whole numbers, which a logarithm does not bring back */
		paleo_parameter_set(&m->kernel->parameters[0], m->params, rint(exp(z[0])));
}

static double log_ratio(const struct problem *p, const struct paleo_fitted_kernel *m, int i)
{
	return log(paleo_kernel_model_time(m, p->device, p->rows[i].op)) - p->rows[i].log_s;
}

static double loss_at(const void *context, const double *z)
{
	const struct problem *p = context;
	struct paleo_fitted_kernel m;
	double sum = 0;

	set_params(p, z, &m);
	for (int i = 0; i < p->count; i++)
		sum += p->rows[i].weight * paleo_pseudo_huber(log_ratio(p, &m, i) / SCALE);
	for (int i = 0; i < m.kernel->count; i++) {
		double u = (z[i] - p->prior[i]) / m.kernel->parameters[i].prior_sd;
		sum += u * u;
	}
	return sum;
}

static void fill_problem(struct problem *p)
{
	for (int i = 0; i < p->start->kernel->count; i++) {
		const struct paleo_parameter *q = &p->start->kernel->parameters[i];
		p->low[i] = log(q->low);
		p->high[i] = log(q->high);
		p->prior[i] = log(paleo_parameter_get(q, p->start->params));
	}
}

/* Models without sets: a search from the start of their table. */
static void fit_plain(const struct problem *p, struct paleo_fitted_kernel *out)
{
	const struct paleo_pattern_problem pattern = {.params = p->start->kernel->count,
						      .loss = loss_at,
						      .context = p,
						      .low = p->low,
						      .high = p->high,
						      .step = 0.5,
						      .step_min = 0.01,
						      .evaluations_max = 4000};
	struct paleo_pattern_result result;
	double z[MAX];

	memcpy(z, p->prior, sizeof(z));
	paleo_pattern_solve(&pattern, z, &result);
	set_params(p, z, out);
}

enum {
	ITERATIONS_FIRST = 4,
	ITERATIONS_MAX = 20
};

struct search {
	const struct problem *problem;
	const double *low, *high;       /* of this search */
	struct paleo_fitted_kernel *at; /* with the parameters that are tried */
};

/* Residual of one row with its slopes, found by moving each parameter a little. Rows come in turn,
 * the first with new parameters. */
static double smooth_residual(const void *context, int i, const double *z, double *slope,
			      double *weight)
{
	const double step = 1e-4;
	const struct search *s = context;
	const struct problem *p = s->problem;
	struct paleo_fitted_kernel *m = s->at;
	unsigned long long uses = m->kernel->uses(p->rows[i].op);

	if (i == 0)
		set_params(p, z, m);
	double at = log_ratio(p, m, i);
	for (int j = 0; j < m->kernel->count; j++) {
		const struct paleo_parameter *q = &m->kernel->parameters[j];
		slope[j] = 0;
		if (s->low[j] == s->high[j] || !(uses >> j & 1))
			continue;
		double value = paleo_parameter_get(q, m->params);
		paleo_parameter_set(q, m->params, value * (1 + step));
		slope[j] = (log_ratio(p, m, i) - at) / log1p(step);
		paleo_parameter_set(q, m->params, value);
	}
	*weight = p->rows[i].weight;
	return at;
}

/* Models that are smooth in all but the first parameter: a few steps for each value of that, and a
 * search with the best. */
static void fit_smooth(const struct problem *p, struct paleo_fitted_kernel *out)
{
	double low[MAX], high[MAX], sd[MAX], z[MAX], at[MAX] = {0}, best = INFINITY;
	const struct paleo_kernel_model *kernel = p->start->kernel;
	struct paleo_fitted_kernel tried = *p->start;
	const struct search search = {p, low, high, &tried};
	struct paleo_lm_problem lm = {.params = kernel->count,
				      .residuals = p->count,
				      .residual = smooth_residual,
				      .context = &search,
				      .scale = SCALE,
				      .low = low,
				      .high = high,
				      .prior = p->prior,
				      .prior_sd = sd,
				      .step_max = 1};
	struct paleo_lm_result result;
	double chosen = kernel->first[0];

	memcpy(low, p->low, sizeof(low));
	memcpy(high, p->high, sizeof(high));
	for (int j = 0; j < kernel->count; j++)
		sd[j] = kernel->parameters[j].prior_sd;
	for (const double *first = kernel->first; *first > 0; first++) {
		memcpy(z, p->prior, sizeof(z));
		z[0] = low[0] = high[0] = log(*first);
		lm.iterations_max = ITERATIONS_FIRST;
		paleo_lm_solve(&lm, z, &result);
		if (result.loss < best) {
			best = result.loss;
			chosen = *first;
			memcpy(at, z, sizeof(at));
		}
	}
	low[0] = high[0] = log(chosen);
	lm.iterations_max = ITERATIONS_MAX;
	paleo_lm_solve(&lm, at, &result);
	set_params(p, at, out);
}

static int fit_product(struct problem *p, const char *gpu, struct paleo_fitted_kernel *out,
		       struct paleo_error *err)
{
	struct paleo_tile_row *rows = malloc((size_t)p->count * sizeof(*rows));
	struct paleo_tile_fit fit;

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", p->count);
	for (int i = 0; i < p->count; i++) {
		struct paleo_tile_row *row = &rows[i];
		row->product = paleo_tile_product_of_op(p->rows[i].op, p->start->kernel);
		row->product.foot_bytes = paleo_kernel_model_footprint(&row->product, p->device,
								       p->start->operand_sets);
		row->time_s = exp(p->rows[i].log_s);
		row->weight = p->rows[i].weight;
	}
	int rc = paleo_fit_tile(
		p->device, paleo_kernel_model_preset_dtype(p->start->kernel, p->rows[0].op->dtype),
		rows, p->count, gpu, &fit, err);
	if (!rc) {
		*out = *p->start;
		memcpy(out->params, &fit.model.params, sizeof(fit.model.params));
		out->sets[0] = fit.model.tiles;
		p->held = fit.held;
	}
	free(rows);
	return rc;
}

static int fit_convolution(const struct problem *p, const char *gpu,
			   struct paleo_fitted_kernel *out, struct paleo_error *err)
{
	struct paleo_conv_row *rows = malloc((size_t)p->count * sizeof(*rows));
	struct paleo_conv_fit fit;

	if (!rows)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", p->count);
	for (int i = 0; i < p->count; i++)
		rows[i] = (struct paleo_conv_row){p->rows[i].op, exp(p->rows[i].log_s),
						  paleo_conv_algorithm_find(p->rows[i].algorithm),
						  p->rows[i].weight};
	int rc = paleo_fit_conv(p->device, p->rows[0].op->pass, rows, p->count, gpu, &fit, err);
	if (!rc) {
		*out = *p->start;
		memcpy(out->params, &fit.model.params, sizeof(fit.model.params));
		out->sets[0] = fit.model.sets.implicit_tiles;
		out->sets[1] = fit.model.sets.nonfused_tiles;
		out->sets[2] = fit.model.sets.winograd_blocks;
	}
	free(rows);
	return rc;
}

/* Replaces the leading n x n part of a positive definite matrix by its inverse (Gauss, Jordan). */
static void invert(double a[MAX][MAX], int n)
{
	for (int k = 0; k < n; k++) {
		double pivot = 1 / a[k][k];
		a[k][k] = 1;
		for (int j = 0; j < n; j++)
			a[k][j] *= pivot;
		for (int i = 0; i < n; i++) {
			double factor = i == k ? 0 : a[i][k];
			if (i == k)
				continue;
			a[i][k] = 0;
			for (int j = 0; j < n; j++)
				a[i][j] -= factor * a[k][j];
		}
	}
}

/* Adds one row's slopes to the information: each parameter up and down by two percent. Small
 * integer parameters have no slope. */
static void add_slopes(const struct problem *p, const struct paleo_fitted_kernel *m, int row,
		       double weight, double information[MAX][MAX])
{
	const double step = 0.02;
	double slope[MAX] = {0};

	for (int i = m->kernel->first ? 1 : 0; i < m->kernel->count; i++) {
		const struct paleo_parameter *q = &m->kernel->parameters[i];
		double value = paleo_parameter_get(q, m->params);
		struct paleo_fitted_kernel up = *m, down = *m;
		paleo_parameter_set(q, &up.params, value * exp(step));
		paleo_parameter_set(q, &down.params, value * exp(-step));
		slope[i] = (log_ratio(p, &up, row) - log_ratio(p, &down, row)) / (2 * step);
	}
	for (int i = 0; i < m->kernel->count; i++)
		for (int j = 0; j < m->kernel->count; j++)
			information[i][j] += weight * slope[i] * slope[j];
}

/* Standard errors, parameters on a bound, and parameters only identified in combination. `scratch`
 * has 2 * count values. */
static void identify(const struct problem *p, struct paleo_fitted_kernel *m, double *scratch)
{
	double a[MAX][MAX] = {{0}};
	unsigned char held[MAX] = {0};
	size_t n = (size_t)p->count;

	for (int i = 0; i < p->count; i++)
		scratch[i] = log_ratio(p, m, i);
	/* 1.4826: from the median absolute deviation of a normal distribution to its sd. */
	double sd = fmax(1.4826 * paleo_mad(scratch, n, scratch + n), 0.01);
	for (int i = 0; i < p->count; i++) {
		double u = scratch[i] / SCALE;
		add_slopes(p, m, i, p->rows[i].weight / (sd * sd * sqrt(1 + u * u)), a);
	}
	for (int i = 0; i < m->kernel->count; i++)
		a[i][i] +=
			1 / (m->kernel->parameters[i].prior_sd * m->kernel->parameters[i].prior_sd);
	invert(a, m->kernel->count);
	m->on_bound = 0;
	for (int i = 0; i < m->kernel->count; i++) {
		const struct paleo_parameter *q = &m->kernel->parameters[i];
		double z = log(paleo_parameter_get(q, m->params)), se = sqrt(a[i][i]);
		int stayed = (int)(p->held >> i & 1);
		int on_bound = !stayed && (z <= p->low[i] + 1e-9 || z >= p->high[i] - 1e-9);
		m->on_bound |= (unsigned long long)on_bound << i;
		/* The prior has half of the information where 1/se^2 is 2/prior_sd^2. */
		held[i] = on_bound || stayed || (i == 0 && m->kernel->first);
		m->se[i] = held[i] || !(se < q->prior_sd * sqrt(0.5)) ? NAN : se;
	}
	paleo_correlated_groups(&a[0][0], MAX, m->kernel->count, held, m->together);
}

static int settle(const struct problem *p, struct paleo_fitted_kernel *m, struct paleo_error *err)
{
	if (!m->kernel->settle)
		return PALEO_OK;
	const struct paleo_op **ops = malloc((size_t)p->count * sizeof(*ops));
	if (!ops)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", p->count);
	for (int i = 0; i < p->count; i++)
		ops[i] = p->rows[i].op;
	m->kernel->settle(m, ops, p->count);
	free(ops);
	return PALEO_OK;
}

int paleo_fit_form(const struct paleo_kernel_model *kernel, const struct paleo_device *device,
		   const struct paleo_fit_row *rows, int count, int operand_sets,
		   struct paleo_fitted_kernel *out, struct paleo_error *err)
{
	struct paleo_tile_device d;
	struct paleo_fitted_kernel start, m;
	enum paleo_dtype dtype = rows[0].op->dtype;

	PALEO_TRY(paleo_kernel_model_device(kernel, device, dtype, operand_sets, &d, err));
	paleo_kernel_model_init(kernel, dtype, &start);
	start.operand_sets = operand_sets;
	struct problem p = {.device = &d, .rows = rows, .count = count, .start = &start};
	fill_problem(&p);
	if (kernel->first)
		fit_smooth(&p, &m);
	else if (!kernel->sets[0].name)
		fit_plain(&p, &m);
	else if (rows[0].op->kind == PALEO_GEMM)
		PALEO_TRY(fit_product(&p, device->name, &m, err));
	else
		PALEO_TRY(fit_convolution(&p, device->name, &m, err));
	double *scratch = malloc(2 * (size_t)count * sizeof(*scratch));
	if (!scratch)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d rows", count);
	identify(&p, &m, scratch);
	free(scratch);
	PALEO_TRY(settle(&p, &m, err));
	*out = m;
	return PALEO_OK;
}

/* Parameters that records cannot identify separately. */

static int go_together(const double *c, int stride, int i, int j)
{
	double scale = sqrt(c[i * stride + i] * c[j * stride + j]);

	return scale > 0 && fabs(c[i * stride + j]) > PALEO_CORRELATED * scale;
}

/* Gives everything that i is joined to, at one remove or more, its number. */
static int spread(const double *c, int stride, int n, const unsigned char *left_out,
		  unsigned char *group)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; group[i] && j < n; j++) {
			if (group[j] || (left_out && left_out[j]) || !go_together(c, stride, i, j))
				continue;
			group[j] = group[i];
			found = 1;
		}
	return found;
}

void paleo_correlated_groups(const double *covariance, int stride, int n,
			     const unsigned char *left_out, unsigned char *group)
{
	unsigned char number = 1;

	memset(group, 0, (size_t)n);
	for (int i = 0; i < n; i++) {
		if (group[i] || (left_out && left_out[i]))
			continue;
		group[i] = number;
		int joined = 0;
		while (spread(covariance, stride, n, left_out, group))
			joined = 1;
		if (joined)
			number++;
		else
			group[i] = 0;
	}
}
