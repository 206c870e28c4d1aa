/* fit_group.c - one factor from the rows of one group: search, choice of form, standard errors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/fit_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "calib/lm.h"

#define PARAMS PALEO_LAW_PARAMETERS

/* Residuals up to the scale count as square, larger ones as straight. It starts at log(1.1), about
 * 0.1, and becomes twice the rows' own spread where that is less, so that a clean group is not
 * pulled by its outliers. */
#define SCALE_MAX 0.1
#define SCALE_MIN 0.02

/* A factor that moves no time by more than this share of its own change is not seen. */
#define SHARE_MIN 0.05

/* Residuals are taken as a twentieth of the scale at least: no clock is perfect. */
#define PULL_MIN 0.0025

/* Nor is one that is known to a factor of e at best. */
#define SE_MAX 1.0

static const double bound_low[PARAMS] = {
	[PALEO_LAW_COMPUTE] = 1e-4, [PALEO_LAW_MEMORY] = 1e-4, [PALEO_LAW_OVERHEAD] = 1e-9,
	[PALEO_LAW_DEPTH] = 0.1,    [PALEO_LAW_WIDTH] = 0.1,
};
static const double bound_high[PARAMS] = {
	[PALEO_LAW_COMPUTE] = 2, [PALEO_LAW_MEMORY] = 16, [PALEO_LAW_OVERHEAD] = 0.1,
	[PALEO_LAW_DEPTH] = 1e5, [PALEO_LAW_WIDTH] = 1e5,
};

/* Spread of the factors of one kind around their common value, as logarithms. */
static const double prior_sd[PARAMS] = {
	[PALEO_LAW_COMPUTE] = 0.7, [PALEO_LAW_MEMORY] = 0.7, [PALEO_LAW_OVERHEAD] = 1.5,
	[PALEO_LAW_DEPTH] = 1.5,   [PALEO_LAW_WIDTH] = 1.5,
};

static const double overlaps[] = {1, 2, 4, 16};

/* One form of the law, and where its search stands. */
struct trial {
	const struct paleo_fit_row *rows;
	int count;
	double overlap;
	double scale;
	int moves[PARAMS]; /* 0: not a parameter of this form; a size that is not is off */
	double z[PARAMS];  /* logarithms */
	struct paleo_lm_result result;
};

struct paleo_factor paleo_fit_first_guess(void)
{
	return (struct paleo_factor){
		.ppp_compute = 0.6,
		.ppp_memory = 0.7,
		.overhead_s = 4e-6,
		.overlap = 2,
		.half_depth = 0,
		.half_width = 0,
		.se_ppp_compute = NAN,
		.se_ppp_memory = NAN,
		.se_overhead = NAN,
		.se_half_depth = NAN,
		.se_half_width = NAN,
		.heldout_median = NAN,
		.heldout_mean = NAN,
		.heldout_p90 = NAN,
		.ratio_low = NAN,
		.ratio_high = NAN,
	};
}

static void to_logs(const struct paleo_factor *f, double z[PARAMS])
{
	/* A size that is off starts, and has its prior, where it costs little. */
	z[PALEO_LAW_COMPUTE] = log(f->ppp_compute);
	z[PALEO_LAW_MEMORY] = log(f->ppp_memory);
	z[PALEO_LAW_OVERHEAD] = log(fmax(f->overhead_s, bound_low[PALEO_LAW_OVERHEAD]));
	z[PALEO_LAW_DEPTH] = log(f->half_depth > 0 ? f->half_depth : 8);
	z[PALEO_LAW_WIDTH] = log(f->half_width > 0 ? f->half_width : 8);
}

static void from_logs(const struct trial *t, const double *z, struct paleo_factor *f)
{
	f->ppp_compute = exp(z[PALEO_LAW_COMPUTE]);
	f->ppp_memory = exp(z[PALEO_LAW_MEMORY]);
	f->overhead_s = exp(z[PALEO_LAW_OVERHEAD]);
	f->half_depth = t->moves[PALEO_LAW_DEPTH] ? exp(z[PALEO_LAW_DEPTH]) : 0;
	f->half_width = t->moves[PALEO_LAW_WIDTH] ? exp(z[PALEO_LAW_WIDTH]) : 0;
	f->overlap = t->overlap;
}

static double residual(const void *context, int i, const double *z, double *slope, double *weight)
{
	const struct trial *t = context;
	struct paleo_factor f;
	struct paleo_law_time time;

	from_logs(t, z, &f);
	paleo_law_time(&t->rows[i].terms, &f, &time);
	memcpy(slope, time.slope, sizeof(time.slope));
	*weight = t->rows[i].weight;
	return log(time.total_s) - t->rows[i].log_s;
}

static void search(struct trial *t, const double prior[PARAMS], double tightness)
{
	double low[PARAMS], high[PARAMS], sd[PARAMS];

	for (int a = 0; a < PARAMS; a++) {
		low[a] = t->moves[a] ? log(bound_low[a]) : t->z[a];
		high[a] = t->moves[a] ? log(bound_high[a]) : t->z[a];
		sd[a] = prior_sd[a] / tightness;
	}
	const struct paleo_lm_problem p = {
		.params = PARAMS,
		.residuals = t->count,
		.residual = residual,
		.context = t,
		.scale = t->scale,
		.low = low,
		.high = high,
		.prior = prior,
		.prior_sd = sd,
		.step_max = 2,
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

/* What a form costs, after Schwarz (1978): each parameter must earn log(rows). Where the residuals
 * are a tenth of the scale (a loss of 0.01 a row), nothing is earned any more. */
static double price(const struct trial *t, double prior_overlap)
{
	double n = t->count;

	return n * log(t->result.loss / n + 0.01) + log(n) * count_moves(t) +
	       (t->overlap == prior_overlap ? 0 : 1);
}

static int is_product(const struct paleo_fit_row *rows)
{
	return isfinite(rows[0].terms.depth);
}

/* Tries the overlaps, for products with and without the losses of thin ones; keeps the best. */
static struct trial choose_form(const struct paleo_fit_row *rows, int count,
				const struct paleo_factor *prior, double tightness, double scale)
{
	struct trial best = {.count = 0};
	double centre[PARAMS];
	int forms = is_product(rows) ? 4 : 1;

	to_logs(prior, centre);
	for (size_t v = 0; v < sizeof(overlaps) / sizeof(overlaps[0]); v++) {
		for (int form = 0; form < forms; form++) {
			struct trial t = {.rows = rows,
					  .count = count,
					  .overlap = overlaps[v],
					  .scale = scale,
					  .moves = {1, 1, 1, form & 1, form >> 1}};
			memcpy(t.z, centre, sizeof(centre));
			search(&t, centre, tightness);
			if (best.count == 0 ||
			    price(&t, prior->overlap) < price(&best, prior->overlap))
				best = t;
		}
	}
	return best;
}

/* Twice the spread of the residuals, as a standard deviation; `scratch` has 2 * count values. */
static double own_scale(const struct trial *t, double *scratch)
{
	double slope[PARAMS], weight = 1;
	size_t n = (size_t)t->count;

	for (int i = 0; i < t->count; i++)
		scratch[i] = residual(t, i, t->z, slope, &weight);
	/* 1.4826: from the median absolute deviation of a normal distribution to its sd. */
	double scale = 2 * 1.4826 * paleo_mad(scratch, n, scratch + n);
	return fmin(fmax(scale, SCALE_MIN), SCALE_MAX);
}

/* The largest share by which any row's time follows each parameter. */
static void largest_shares(const struct trial *t, double share[PARAMS])
{
	struct paleo_factor f;
	struct paleo_law_time time;

	memset(share, 0, PARAMS * sizeof(*share));
	from_logs(t, t->z, &f);
	for (int i = 0; i < t->count; i++) {
		paleo_law_time(&t->rows[i].terms, &f, &time);
		for (int a = 0; a < PARAMS; a++)
			share[a] = fmax(share[a], fabs(time.slope[a]));
	}
}

/* Standard errors of the parameters in `list` from the rows alone: sigma^2 (J^T W J)^-1, with the
 * residuals as the robust loss counts them (Huber 1981, 7.6, simplified). Infinite when the rows
 * cannot tell the parameters apart. */
static void standard_errors(const struct trial *t, const int *list, int n, double *se)
{
	double m[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX];
	double pull = fmax(t->result.pulls / fmax(t->count - n, 1), PULL_MIN);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			m[i][j] = t->result.information[list[i]][list[j]];
	int failed = paleo_lm_invert(m, n);
	for (int i = 0; i < n; i++)
		se[i] = failed ? INFINITY : t->scale * sqrt(pull * m[i][i]);
}

/* The parameter that the rows tell least, if that is too little; -1 if all are told. */
static int least_told(const struct trial *t, const int told[PARAMS], double se[PARAMS])
{
	double share[PARAMS], found[PARAMS];
	int list[PARAMS];
	int n = 0;
	int worst = -1;

	largest_shares(t, share);
	for (int a = 0; a < PARAMS; a++) {
		se[a] = NAN;
		if (!told[a])
			continue;
		list[n++] = a;
		if (share[a] < SHARE_MIN && (worst < 0 || share[a] < share[worst]))
			worst = a;
	}
	standard_errors(t, list, n, found);
	for (int i = 0; i < n; i++)
		se[list[i]] = found[i];
	for (int i = 0; worst < 0 && i < n; i++) {
		if (found[i] > SE_MAX)
			worst = list[i];
	}
	for (int i = 0; i < n && worst >= 0 && share[worst] >= SHARE_MIN; i++) {
		if (found[i] > found[worst])
			worst = list[i];
	}
	return worst;
}

/* Puts parameter `a` back to its prior, a size off, and fits the others again; but not if the rows
 * then fit clearly worse: they set a limit to it, though they do not tell it. */
static void put_back(struct trial *t, int a, const double prior[PARAMS], double tightness)
{
	struct trial without = *t;

	without.moves[a] = 0;
	without.z[a] = prior[a];
	search(&without, prior, tightness);
	if (without.result.data_loss <= 1.05 * t->result.data_loss + 0.5)
		*t = without;
}

int paleo_fit_group(const struct paleo_fit_row *rows, int count, const struct paleo_factor *prior,
		    double tightness, struct paleo_factor *out, struct paleo_error *err)
{
	struct paleo_factor f = *prior;
	double centre[PARAMS], se[PARAMS];
	int told[PARAMS];
	double *scratch = malloc(2 * (size_t)count * sizeof(*scratch));

	if (!scratch)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	struct trial t = choose_form(rows, count, prior, tightness, SCALE_MAX);
	double scale = own_scale(&t, scratch);
	free(scratch);
	if (scale < SCALE_MAX)
		t = choose_form(rows, count, prior, tightness, scale);
	to_logs(prior, centre);
	memcpy(told, t.moves, sizeof(told));
	for (int a = least_told(&t, told, se); a >= 0; a = least_told(&t, told, se)) {
		told[a] = 0;
		put_back(&t, a, centre, tightness);
	}
	from_logs(&t, t.z, &f);
	f.se_ppp_compute = se[PALEO_LAW_COMPUTE];
	f.se_ppp_memory = se[PALEO_LAW_MEMORY];
	f.se_overhead = se[PALEO_LAW_OVERHEAD];
	f.se_half_depth = se[PALEO_LAW_DEPTH];
	f.se_half_width = se[PALEO_LAW_WIDTH];
	f.records = count;
	*out = f;
	return PALEO_OK;
}
