/* pattern.c - a search along the axes for the minimum of a loss that is only smooth in pieces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "calib/pattern.h"

#include <math.h>

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
