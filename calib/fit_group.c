/* fit_group.c - one factor from the rows of one group: search, choice of form, standard errors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "calib/fit_parts.h"
#include "calib/minimum.h"

#define PARAMS PALEO_PARAMETERS

/* Residuals up to the scale count as square, larger ones as straight. It starts at log(1.1), about
 * 0.1, and becomes twice the rows' own spread where that is less, so that a clean group is not
 * pulled by its outliers. */
#define SCALE_MAX 0.1
#define SCALE_MIN 0.02

/* Smallest elasticity (relative change of the time per relative change of the factor) that
 * identifies a factor. */
#define SHARE_MIN 0.05

/* No record repeats better than to 1 %, however well a few of them happen to fit. */
#define NOISE_MIN 0.01

/* Nor is one that is known to a factor of e at best. */
#define SE_MAX 1.0

/* Tolerances of searches: until forms can be compared, and to the end. */
#define ROUGHLY 1e-6
#define WHOLLY 1e-10

static const double bound_low[PARAMS] = {
	[PALEO_PARAMETER_COMPUTE] = 1e-4,  [PALEO_PARAMETER_MEMORY] = 1e-4,
	[PALEO_PARAMETER_OVERHEAD] = 1e-9, [PALEO_PARAMETER_DEPTH] = 0.1,
	[PALEO_PARAMETER_WIDTH] = 0.1,
};
static const double bound_high[PARAMS] = {
	[PALEO_PARAMETER_COMPUTE] = 2,    [PALEO_PARAMETER_MEMORY] = 16,
	[PALEO_PARAMETER_OVERHEAD] = 0.1, [PALEO_PARAMETER_DEPTH] = 1e5,
	[PALEO_PARAMETER_WIDTH] = 1e5,
};

/* Spread of the factors of one kind around their common value, as logarithms, and of any factor
 * around a first guess. Without a GEMM, compute is loosely constrained: windows and exponentials
 * come nowhere near the peak of multiplying and adding. */
static const double sd_guess[PARAMS] = {1.75, 1.75, 3.75, 3.75, 3.75};
static const double sd_product[PARAMS] = {0.7, 0.7, 1.5, 1.5, 1.5};
static const double sd_other[PARAMS] = {3.0, 0.7, 1.5, 1.5, 1.5};
/* The same of the factors of one pass around those of its class. */
static const double sd_few[PARAMS] = {0.5, 0.5, 0.5, 0.5, 0.5};

static const double overlaps[] = {1, 2, 4, 16};

/* One form of the cost model, and the state of its search. */
struct trial {
	const struct paleo_fit_row *rows;
	int count;
	enum paleo_fit_level level;
	double compute_max;
	double overlap;
	double scale;
	int moves[PARAMS];    /* 0: not a parameter of this form; a size that is not is off */
	double z[PARAMS];     /* logarithms */
	double doubt[PARAMS]; /* how far other overlaps that fit as well move each */
	struct paleo_lm_result result;
};

struct paleo_class_model paleo_fit_first_guess(void)
{
	struct paleo_class_model f = paleo_class_model_unknown();

	f.ppp_compute = 0.6;
	f.ppp_memory = 0.7;
	f.overhead_s = 4e-6;
	f.overlap = 2;
	return f;
}

static void to_logs(const struct paleo_class_model *f, double z[PARAMS])
{
	/* A size that is off starts, and has its prior, where it costs little. */
	z[PALEO_PARAMETER_COMPUTE] = log(f->ppp_compute);
	z[PALEO_PARAMETER_MEMORY] = log(f->ppp_memory);
	z[PALEO_PARAMETER_OVERHEAD] = log(fmax(f->overhead_s, bound_low[PALEO_PARAMETER_OVERHEAD]));
	z[PALEO_PARAMETER_DEPTH] = log(f->half_depth > 0 ? f->half_depth : 8);
	z[PALEO_PARAMETER_WIDTH] = log(f->half_width > 0 ? f->half_width : 8);
}

static void from_logs(const struct trial *t, const double *z, struct paleo_class_model *f)
{
	f->ppp_compute = exp(z[PALEO_PARAMETER_COMPUTE]);
	f->ppp_memory = exp(z[PALEO_PARAMETER_MEMORY]);
	f->overhead_s = exp(z[PALEO_PARAMETER_OVERHEAD]);
	f->half_depth = t->moves[PALEO_PARAMETER_DEPTH] ? exp(z[PALEO_PARAMETER_DEPTH]) : 0;
	f->half_width = t->moves[PALEO_PARAMETER_WIDTH] ? exp(z[PALEO_PARAMETER_WIDTH]) : 0;
	f->overlap = t->overlap;
}

/* Input of a search. */
struct search {
	const struct trial *trial;
	struct paleo_class_model *at; /* with the parameters that are tried */
};

/* Rows come in turn, the first with new parameters. */
static double residual(const void *context, int i, const double *z, double *slope, double *weight)
{
	const struct search *s = context;
	const struct paleo_fit_row *row = &s->trial->rows[i];
	struct paleo_cost_model_time time;

	if (i == 0)
		from_logs(s->trial, z, s->at);
	paleo_cost_model_time(&row->terms, s->at, &time);
	memcpy(slope, time.slope, sizeof(time.slope));
	*weight = row->weight;
	return log(time.parts.total_s) - row->log_s;
}

static int is_product(const struct paleo_fit_row *rows)
{
	return isfinite(rows[0].terms.depth);
}

static const double *prior_sd(const struct trial *t)
{
	if (t->level == PALEO_FIT_KIND)
		return sd_guess;
	if (t->level == PALEO_FIT_FEW)
		return sd_few;
	return is_product(t->rows) ? sd_product : sd_other;
}

static void search(struct trial *t, const double prior[PARAMS], double tolerance)
{
	double low[PARAMS], high[PARAMS];
	struct paleo_class_model at = {.overlap = t->overlap};
	const struct search context = {t, &at};

	for (int a = 0; a < PARAMS; a++) {
		low[a] = t->moves[a] ? log(bound_low[a]) : t->z[a];
		high[a] = t->moves[a] ? log(bound_high[a]) : t->z[a];
	}
	if (t->moves[PALEO_PARAMETER_COMPUTE])
		high[PALEO_PARAMETER_COMPUTE] = log(t->compute_max);
	const struct paleo_lm_problem p = {
		.params = PARAMS,
		.residuals = t->count,
		.residual = residual,
		.context = &context,
		.scale = t->scale,
		.low = low,
		.high = high,
		.prior = prior,
		.prior_sd = prior_sd(t),
		.step_max = 2,
		.tolerance = tolerance,
		.iterations_max = 100,
	};
	paleo_lm_solve(&p, t->z, &t->result);
}

static int count_moves(const struct trial *t)
{
	int n = 0;

	for (int a = 0; a < PARAMS; a++)
		n += t->moves[a];
	return n;
}

/* Information criterion of a form, after Schwarz (1978), with the correction for few rows of
 * Hurvich and Tsai (1989): each parameter must reduce the loss enough. The loss is floored at the
 * noise of a record. */
static double price(const struct trial *t, double prior_overlap)
{
	double n = t->count, k = count_moves(t);
	double noise = NOISE_MIN / t->scale;

	return n * log(t->result.loss / n + noise * noise) + k * log(n) * n / fmax(n - k - 1, 0.5) +
	       (t->overlap == prior_overlap ? 0 : 1);
}

/*
 * The parameters of form number `i`; 0 when there is none. Other ops than GEMMs have a fixed
 * arithmetic intensity, whatever their size: a compute term must be justified within a class, not
 * by comparing classes. The same holds for the sizes of GEMMs.
 */
static int form(const struct paleo_fit_row *rows, enum paleo_fit_level level, int i,
		int moves[PARAMS])
{
	int product = is_product(rows);

	moves[PALEO_PARAMETER_COMPUTE] = product || i == 1;
	moves[PALEO_PARAMETER_MEMORY] = 1;
	moves[PALEO_PARAMETER_OVERHEAD] = 1;
	moves[PALEO_PARAMETER_DEPTH] = product && (i & 1);
	moves[PALEO_PARAMETER_WIDTH] = product && (i & 2);
	if (level == PALEO_FIT_KIND)
		return i < 1;
	return i < (product ? 4 : 2);
}

/* Starting points of a search: the prior, and points where compute, or memory, takes all of the
 * time. At the prior alone the slope may vanish, as a part that takes no time has no gradient. */
static void start_at(struct trial *t, const double prior[PARAMS], int which)
{
	double compute = 0, memory = 0;

	memcpy(t->z, prior, sizeof(t->z));
	for (int i = 0; i < t->count; i++) {
		const struct paleo_fit_row *row = &t->rows[i];
		compute += (log(fmax(row->terms.compute_s, 1e-12)) - row->log_s) / t->count;
		memory += (log(fmax(row->terms.memory_s, 1e-12)) - row->log_s) / t->count;
	}
	if (which == 1 && t->moves[PALEO_PARAMETER_COMPUTE])
		t->z[PALEO_PARAMETER_COMPUTE] = compute;
	if (which == 2)
		t->z[PALEO_PARAMETER_MEMORY] = memory;
}

/* Keeps the best of the searches from all starts. */
static void search_all(struct trial *t, const double prior[PARAMS])
{
	struct trial best = {.count = 0};

	for (int which = 0; which < 3; which++) {
		start_at(t, prior, which);
		search(t, prior, ROUGHLY);
		if (best.count == 0 || t->result.loss < best.result.loss)
			best = *t;
	}
	*t = best;
}

/* Tries the overlaps and forms; keeps the best. */
static struct trial choose_form(const struct trial *start, const struct paleo_class_model *prior)
{
	struct trial best = {.count = 0};
	double centre[PARAMS];

	to_logs(prior, centre);
	for (size_t v = 0; v < sizeof(overlaps) / sizeof(overlaps[0]); v++) {
		struct trial t = *start;
		for (int i = 0; form(t.rows, t.level, i, t.moves); i++) {
			t.overlap = overlaps[v];
			search_all(&t, centre);
			if (best.count == 0 ||
			    price(&t, prior->overlap) < price(&best, prior->overlap))
				best = t;
		}
	}
	search(&best, centre, WHOLLY);
	return best;
}

/* Fills in by how much the parameters differ under overlaps that fit about as well as the chosen
 * one: e times less likely at most, so within 2 of its price (Raftery 1995). */
static void look_around(struct trial *best, const struct paleo_class_model *prior)
{
	double centre[PARAMS];

	to_logs(prior, centre);
	for (size_t v = 0; v < sizeof(overlaps) / sizeof(overlaps[0]); v++) {
		struct trial t = *best;
		t.overlap = overlaps[v];
		search(&t, centre, WHOLLY);
		if (price(&t, t.overlap) > price(best, best->overlap) + 2)
			continue;
		for (int a = 0; a < PARAMS; a++)
			best->doubt[a] = fmax(best->doubt[a], fabs(t.z[a] - best->z[a]));
	}
}

/* Twice the spread of the residuals, as a standard deviation; `scratch` has 2 * count values. */
static double own_scale(const struct trial *t, double *scratch)
{
	size_t n = (size_t)t->count;
	struct paleo_class_model f;
	struct paleo_cost_model_time time;

	from_logs(t, t->z, &f);
	for (int i = 0; i < t->count; i++) {
		paleo_cost_model_time(&t->rows[i].terms, &f, &time);
		scratch[i] = log(time.parts.total_s) - t->rows[i].log_s;
	}
	/* 1.4826: from the median absolute deviation of a normal distribution to its sd. */
	double scale = 2 * 1.4826 * paleo_mad(scratch, n, scratch + n);
	return fmin(fmax(scale, SCALE_MIN), SCALE_MAX);
}

/* The largest share by which any row's time follows each parameter. */
static void largest_shares(const struct trial *t, double share[PARAMS])
{
	struct paleo_class_model f;
	struct paleo_cost_model_time time;

	memset(share, 0, PARAMS * sizeof(*share));
	from_logs(t, t->z, &f);
	for (int i = 0; i < t->count; i++) {
		paleo_cost_model_time(&t->rows[i].terms, &f, &time);
		for (int a = 0; a < PARAMS; a++)
			share[a] = fmax(share[a], fabs(time.slope[a]));
	}
}

/* (J^T W J)^-1 with the priors of unidentifiable parameters, and sigma^2; -1 when the rows cannot
 * identify the parameters separately. */
static int covariance(const struct trial *t, const int identified[PARAMS],
		      double m[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX], double *variance)
{
	const double *sd = prior_sd(t);
	int n = 0;

	for (int a = 0; a < PARAMS; a++)
		n += identified[a];
	double pull = t->result.pulls / fmax(t->count - n, 1);
	*variance = fmax(t->scale * t->scale * pull, NOISE_MIN * NOISE_MIN);
	for (int a = 0; a < PARAMS; a++) {
		for (int b = 0; b < PARAMS; b++)
			m[a][b] = t->result.information[a][b];
		if (!identified[a])
			m[a][a] += *variance / (sd[a] * sd[a]);
	}
	return paleo_lm_invert(m, PARAMS);
}

/*
 * Standard errors of the identified parameters: sigma^2 (J^T W J)^-1, with the residuals as the
 * robust loss counts them (Huber 1981, 7.6, simplified). Unidentified parameters have their prior's
 * uncertainty, which is propagated to the others; so is that of the overlap. Infinite when the rows
 * cannot identify the parameters separately.
 */
static void standard_errors(const struct trial *t, const int identified[PARAMS], double se[PARAMS])
{
	double m[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX] = {{0}};
	double variance;
	int failed = covariance(t, identified, m, &variance);

	for (int a = 0; a < PARAMS; a++)
		se[a] = !identified[a] ? NAN
			: failed       ? INFINITY
				       : hypot(sqrt(variance * m[a][a]), t->doubt[a]);
}

/* Finds identified parameters that are only identified in combination. */
static void find_groups(const struct trial *t, const int identified[PARAMS],
			unsigned char group[PARAMS])
{
	double m[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX] = {{0}};
	unsigned char left_out[PARAMS];
	double variance;

	for (int a = 0; a < PARAMS; a++)
		left_out[a] = !identified[a];
	memset(group, 0, PARAMS);
	if (!covariance(t, identified, m, &variance))
		paleo_correlated_groups(&m[0][0], PALEO_LM_PARAMS_MAX, PARAMS, left_out, group);
}

/* The least identified parameter, if below the threshold; -1 if all are identified. */
static int least_identified(const struct trial *t, const int identified[PARAMS], double se[PARAMS])
{
	double share[PARAMS];
	int worst = -1;

	largest_shares(t, share);
	standard_errors(t, identified, se);
	for (int a = 0; a < PARAMS; a++)
		if (identified[a] && share[a] < SHARE_MIN && (worst < 0 || share[a] < share[worst]))
			worst = a;
	if (worst >= 0)
		return worst;
	for (int a = 0; a < PARAMS; a++)
		if (identified[a] && se[a] > SE_MAX && (worst < 0 || se[a] > se[worst]))
			worst = a;
	return worst;
}

/* Puts parameter `a` back to its prior, a size off, and fits the others again; unless the rows then
 * fit clearly worse: they bound it without identifying it. */
static void put_back(struct trial *t, int a, const double prior[PARAMS])
{
	struct trial without = *t;

	without.moves[a] = 0;
	without.z[a] = prior[a];
	search(&without, prior, WHOLLY);
	if (without.result.data_loss <= 1.05 * t->result.data_loss + 0.5)
		*t = without;
}

int paleo_fit_group(const struct paleo_fit_row *rows, int count, enum paleo_fit_level level,
		    double compute_max, const struct paleo_class_model *prior,
		    struct paleo_class_model *out, struct paleo_error *err)
{
	struct trial t = {.rows = rows,
			  .count = count,
			  .level = level,
			  .compute_max = compute_max,
			  .scale = SCALE_MAX};
	struct paleo_class_model f = *prior;
	double centre[PARAMS], se[PARAMS];
	int identified[PARAMS];
	double *scratch = malloc(2 * (size_t)count * sizeof(*scratch));

	if (!scratch)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	t = choose_form(&t, prior);
	if (level != PALEO_FIT_FEW) /* whose residuals are small as soon as it has their number */
		t.scale = own_scale(&t, scratch);
	free(scratch);
	if (t.scale < SCALE_MAX)
		t = choose_form(&t, prior);
	look_around(&t, prior);
	to_logs(prior, centre);
	memcpy(identified, t.moves, sizeof(identified));
	for (int a = least_identified(&t, identified, se); a >= 0;
	     a = least_identified(&t, identified, se)) {
		identified[a] = 0;
		put_back(&t, a, centre);
	}
	from_logs(&t, t.z, &f);
	f.se_ppp_compute = se[PALEO_PARAMETER_COMPUTE];
	f.se_ppp_memory = se[PALEO_PARAMETER_MEMORY];
	f.se_overhead = se[PALEO_PARAMETER_OVERHEAD];
	f.se_half_depth = se[PALEO_PARAMETER_DEPTH];
	f.se_half_width = se[PALEO_PARAMETER_WIDTH];
	find_groups(&t, identified, f.together);
	f.records = count;
	*out = f;
	return PALEO_OK;
}
