/* minimum.c - minima: bounded robust least squares (Levenberg-Marquardt), and a pattern search. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/minimum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MAX PALEO_LM_PARAMS_MAX

/* Loss, half its gradient, and the matrix of the normal equations, all at one z. */
struct point {
	double z[MAX];
	double loss, data_loss, pulls;
	double gradient[MAX];
	double normal[MAX][MAX];
	double information[MAX][MAX];
};

static void add_residual(const struct paleo_lm_problem *p, int i, struct point *at)
{
	double slope[MAX], weight = 1;
	double r = p->residual(p->context, i, at->z, slope, &weight) / p->scale;
	double root = sqrt(1 + r * r);
	double weighted = weight / root, pull = r / p->scale;

	at->data_loss += weight * 2 * (root - 1);
	at->pulls += weight * (r / root) * (r / root);
	for (int a = 0; a < p->params; a++) {
		double share = weighted * slope[a];
		at->gradient[a] += pull * share;
		for (int b = 0; b <= a; b++)
			at->information[a][b] += share * slope[b];
	}
}

static void add_priors(const struct paleo_lm_problem *p, struct point *at)
{
	at->loss = at->data_loss;
	for (int a = 0; p->prior && a < p->params; a++) {
		double off = (at->z[a] - p->prior[a]) / p->prior_sd[a];
		at->loss += off * off;
		at->gradient[a] += off / p->prior_sd[a];
		at->normal[a][a] += 1 / (p->prior_sd[a] * p->prior_sd[a]);
	}
}

static void evaluate(const struct paleo_lm_problem *p, const double *z, struct point *at)
{
	at->loss = at->data_loss = at->pulls = 0;
	for (int a = 0; a < p->params; a++) {
		at->z[a] = z[a];
		at->gradient[a] = 0;
		for (int b = 0; b < p->params; b++)
			at->information[a][b] = 0;
	}
	for (int i = 0; i < p->residuals; i++)
		add_residual(p, i, at);
	for (int a = 0; a < p->params; a++)
		for (int b = 0; b < p->params; b++) {
			at->information[a][b] = at->information[a > b ? a : b][a > b ? b : a];
			at->normal[a][b] = at->information[a][b] / (p->scale * p->scale);
		}
	add_priors(p, at);
}

/* Cholesky factor in the lower triangle; -1 unless the matrix is positive definite. */
static int factorise(double m[MAX][MAX], int n)
{
	for (int j = 0; j < n; j++) {
		for (int i = j; i < n; i++) {
			for (int k = 0; k < j; k++)
				m[i][j] -= m[i][k] * m[j][k];
			if (i == j && !(m[j][j] > 0))
				return -1;
			m[i][j] = i == j ? sqrt(m[j][j]) : m[i][j] / m[j][j];
		}
	}
	return 0;
}

static void solve_factorised(double m[MAX][MAX], int n, double *b)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < i; k++)
			b[i] -= m[i][k] * b[k];
		b[i] /= m[i][i];
	}
	for (int i = n - 1; i >= 0; i--) {
		for (int k = i + 1; k < n; k++)
			b[i] -= m[k][i] * b[k];
		b[i] /= m[i][i];
	}
}

int paleo_lm_invert(double a[PALEO_LM_PARAMS_MAX][PALEO_LM_PARAMS_MAX], int n)
{
	double m[MAX][MAX];

	memcpy(m, a, sizeof(m));
	if (factorise(m, n))
		return -1;
	for (int j = 0; j < n; j++) {
		double column[MAX] = {0};
		column[j] = 1;
		solve_factorised(m, n, column);
		for (int i = 0; i < n; i++)
			a[i][j] = column[i];
	}
	return 0;
}

/* The parameters that may move: not fixed, and not held at a bound by the gradient. */
static int list_free(const struct paleo_lm_problem *p, const struct point *at, int *list)
{
	int n = 0;

	for (int a = 0; a < p->params; a++) {
		int held_low = at->z[a] <= p->low[a] && at->gradient[a] >= 0;
		int held_high = at->z[a] >= p->high[a] && at->gradient[a] <= 0;
		if (!held_low && !held_high)
			list[n++] = a;
	}
	return n;
}

static double clamp(double z, double low, double high)
{
	return z < low ? low : z > high ? high : z;
}

/* One damped step, cut at the bounds. -1 when the equations cannot be solved. */
static int step(const struct paleo_lm_problem *p, const struct point *at, double damping, double *z)
{
	int list[MAX];
	int n = list_free(p, at, list);
	double m[MAX][MAX] = {{0}};
	double b[MAX] = {0};

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			m[i][j] = at->normal[list[i]][list[j]];
		m[i][i] += damping * (m[i][i] + 1e-9);
		b[i] = -at->gradient[list[i]];
	}
	if (n == 0 || factorise(m, n))
		return -1;
	solve_factorised(m, n, b);
	memcpy(z, at->z, (size_t)p->params * sizeof(*z));
	for (int i = 0; i < n; i++) {
		int a = list[i];
		double move = clamp(b[i], -p->step_max, p->step_max);
		z[a] = clamp(z[a] + move, p->low[a], p->high[a]);
	}
	return 0;
}

/* Raises the damping until a step makes the loss smaller, *next then; 0 when none does. */
static int improve(const struct paleo_lm_problem *p, const struct point *at, double *damping,
		   struct point *next)
{
	double z[MAX];

	for (; *damping < 1e10; *damping *= 4) {
		if (step(p, at, *damping, z))
			continue;
		evaluate(p, z, next);
		if (next->loss < at->loss) {
			*damping = fmax(*damping / 8, 1e-9);
			return 1;
		}
	}
	return 0;
}

void paleo_lm_solve(const struct paleo_lm_problem *p, double *z, struct paleo_lm_result *out)
{
	struct point points[2], *at = &points[0], *next = &points[1];
	double damping = 1e-3, tolerance = p->tolerance > 0 ? p->tolerance : 1e-10;
	int iterations = 0;

	assert(p->params >= 1 && p->params <= MAX && p->scale > 0 && p->step_max > 0);
	for (int a = 0; a < p->params; a++)
		z[a] = clamp(z[a], p->low[a], p->high[a]);
	evaluate(p, z, at);
	while (iterations < p->iterations_max) {
		double before = at->loss;
		iterations++;
		if (!improve(p, at, &damping, next))
			break;
		struct point *old = at;
		at = next;
		next = old;
		if (before - at->loss <= tolerance * before)
			break;
	}
	memcpy(z, at->z, (size_t)p->params * sizeof(*z));
	out->loss = at->loss;
	out->data_loss = at->data_loss;
	out->pulls = at->pulls;
	out->iterations = iterations;
	for (int a = 0; a < p->params; a++)
		memcpy(out->information[a], at->information[a], (size_t)p->params * sizeof(double));
}

/* A search along the axes for the minimum of a loss that is only smooth in pieces. */

double paleo_pseudo_huber(double u)
{
	return 2 * (sqrt(1 + u * u) - 1);
}

struct search {
	const struct paleo_pattern_problem *problem;
	double *z;
	struct paleo_pattern_result *result;
	double steps[PALEO_PATTERN_PARAMS_MAX]; /* signed: the way that helped last */
};

static double within(double x, double low, double high)
{
	return fmax(low, fmin(high, x));
}

/* Moves parameter j by `step` if that helps; 1 then. */
static int try_step(struct search *s, int j, double step)
{
	const struct paleo_pattern_problem *p = s->problem;
	double old = s->z[j], new = within(old + step, p->low[j], p->high[j]);

	if (new == old)
		return 0;
	s->z[j] = new;
	double loss = p->loss(p->context, s->z);
	s->result->evaluations++;
	if (loss < s->result->loss) {
		s->result->loss = loss;
		return 1;
	}
	s->z[j] = old;
	return 0;
}

static void move(struct search *s, int j)
{
	double step = s->steps[j];

	if (try_step(s, j, step))
		s->steps[j] = 1.5 * step;
	else if (try_step(s, j, -step))
		s->steps[j] = -1.5 * step;
	else
		s->steps[j] = 0.5 * step;
}

void paleo_pattern_solve(const struct paleo_pattern_problem *p, double *z,
			 struct paleo_pattern_result *out)
{
	struct search s = {.problem = p, .z = z, .result = out};
	double longest = p->step;

	for (int j = 0; j < p->params; j++) {
		z[j] = within(z[j], p->low[j], p->high[j]);
		s.steps[j] = p->low[j] < p->high[j] ? p->step : 0;
	}
	*out = (struct paleo_pattern_result){.loss = p->loss(p->context, z), .evaluations = 1};
	if (isnan(out->loss))
		out->loss = INFINITY;
	while (longest > p->step_min && out->evaluations < p->evaluations_max) {
		longest = 0;
		for (int j = 0; j < p->params; j++) {
			if (fabs(s.steps[j]) > p->step_min)
				move(&s, j);
			longest = fmax(longest, fabs(s.steps[j]));
		}
	}
}
