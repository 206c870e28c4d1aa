/* sim.c - a training step on several workers: strategies, checks, Pareto front. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/sim.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/simulate/sim_parts.h"

#define ZERO "Rajbhandari et al. 2020"
// clang-format off
static const struct paleo_strategy strategies[] = {
	{.name = "data", .what = "every worker has the whole net and a part of the batch",
	 .source = "Qi, Sparks, Talwalkar 2017; overlap: Li et al. 2020", .has_timeline = 1,
	 .step = paleo_step_data},
	{.name = "model", .what = "each split of the net's ModelParallel blocks on its own device",
	 .source = "Krizhevsky 2014; bounds: Qi, Sparks, Talwalkar 2017", .has_timeline = 1,
	 .step = paleo_step_model},
	{.name = "hybrid", .what = "model parallel in ModelParallel blocks, data parallel outside",
	 .source = "Krizhevsky 2014, scheme (b)", .has_timeline = 1, .step = paleo_step_hybrid},
	{.name = "tensor", .what = "every GEMM layer divided among all workers",
	 .source = "Shoeybi et al. 2019", .has_timeline = 1, .step = paleo_step_tensor},
	{.name = "pipeline", .what = "layers in stages, micro-batches one forward one backward",
	 .source = "Narayanan et al. 2021", .step = paleo_step_pipeline},
	{.name = "zero1", .what = "data parallel, the optimiser's state sharded", .source = ZERO,
	 .has_timeline = 1, .step = paleo_step_zero1},
	{.name = "zero2", .what = "data parallel, optimiser and gradients sharded", .source = ZERO,
	 .has_timeline = 1, .step = paleo_step_zero2},
	{.name = "zero3", .what = "data parallel, optimiser, gradients and weights sharded",
	 .source = ZERO, .has_timeline = 1, .step = paleo_step_zero3},
};
// clang-format on

enum {
	STRATEGIES = sizeof(strategies) / sizeof(strategies[0])
};

const struct paleo_strategy *paleo_strategies(int *count)
{
	*count = STRATEGIES;
	return strategies;
}

const struct paleo_strategy *paleo_strategy_find(const char *name)
{
	for (int i = 0; i < STRATEGIES; i++)
		if (!strcmp(strategies[i].name, name))
			return &strategies[i];
	return NULL;
}

const struct paleo_strategy *paleo_strategy_plan(void)
{
	static const struct paleo_strategy plan = {
		.name = "plan",
		.what = "several ways at once, as in tp8+pp4+zero1",
		.source = "Narayanan et al. 2021; Korthikanti et al. 2022",
		.has_timeline = 1,
		.step = paleo_step_plan,
	};

	return &plan;
}

/* 1 for zero1 to zero3 of a net of sequences: they are the plans of these words, which compute a
 * sequence at a time, not all of a worker's at once as with images. */
static int is_plan(const struct paleo_sim *sim, const struct paleo_strategy *strategy)
{
	return sim->config.net->layers[0]->out.rank == 2 && !strncmp(strategy->name, "zero", 4);
}

static int step_as_plan(struct paleo_sim *sim, const char *name, const struct paleo_sim_setup *s,
			struct paleo_sim_step *out, struct paleo_error *err)
{
	struct paleo_sim_setup setup = *s;
	struct paleo_plan plan;

	PALEO_TRY(paleo_plan_read(name, &plan, err));
	setup.plan = &plan;
	return paleo_strategy_plan()->step(sim, &setup, out, err);
}

int paleo_sim_step(struct paleo_sim *sim, const struct paleo_strategy *strategy,
		   const struct paleo_sim_setup *s, struct paleo_sim_step *out,
		   struct paleo_error *err)
{
	struct paleo_sim_step step = {.low_s = NAN,
				      .high_s = NAN,
				      .lower_s = NAN,
				      .upper_s = NAN,
				      .model_flops = NAN,
				      .masked_flops = NAN,
				      .hardware_flops = NAN,
				      .workers = s->workers};

	if (s->workers < 1 || s->workers > PALEO_WORKERS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%d workers, expected 1 to %d", s->workers,
				  PALEO_WORKERS_MAX);
	if (s->batch < 1)
		return paleo_fail(err, PALEO_EINPUT, "a batch of %d images, expected at least 1",
				  s->batch);
	if (s->timeline && !strategy->has_timeline)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "strategy '%s' is a formula without a timeline; a plan such as "
				  "'pp4' is simulated stage by stage",
				  strategy->name);
	int rc = is_plan(sim, strategy) ? step_as_plan(sim, strategy->name, s, &step, err)
					: strategy->step(sim, s, &step, err);
	if (!rc && s->timeline && s->timeline->failed)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the timeline");
	if (!rc)
		*out = step;
	return rc;
}

/* The best of many points where several goals count: those that none beats. */

/* 1: p beats q. */
static int beats(const struct paleo_pareto_point *p, const struct paleo_pareto_point *q)
{
	int less = 0;

	for (int k = 0; k < PALEO_GOALS; k++) {
		if (p->goals[k] > q->goals[k])
			return 0;
		less |= p->goals[k] < q->goals[k];
	}
	return less || p->id < q->id;
}

int paleo_pareto_add(struct paleo_pareto *front, const struct paleo_pareto_point *p,
		     struct paleo_error *err)
{
	int kept = 0;

	for (int i = 0; i < front->count; i++)
		if (beats(&front->points[i], p)) {
			/* the next point is probably beaten by the same one: look there first */
			struct paleo_pareto_point winner = front->points[i];
			front->points[i] = front->points[0];
			front->points[0] = winner;
			return PALEO_OK;
		}
	struct paleo_pareto_point *points =
		paleo_grow(front->points, front->count, &front->capacity, sizeof(*points));
	if (!points)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d points", front->count);
	front->points = points;
	for (int i = 0; i < front->count; i++)
		if (!beats(p, &points[i]))
			points[kept++] = points[i];
	points[kept++] = *p;
	front->count = kept;
	return PALEO_OK;
}

static int compare(const void *a, const void *b)
{
	const struct paleo_pareto_point *p = a, *q = b;

	for (int k = 0; k < PALEO_GOALS; k++)
		if (p->goals[k] != q->goals[k])
			return p->goals[k] < q->goals[k] ? -1 : 1;
	return p->id < q->id ? -1 : p->id > q->id;
}

void paleo_pareto_sort(struct paleo_pareto *front)
{
	if (front->count > 1)
		qsort(front->points, (size_t)front->count, sizeof(*front->points), compare);
}

void paleo_pareto_release(struct paleo_pareto *front)
{
	if (!front)
		return;
	free(front->points);
	*front = (struct paleo_pareto){0};
}
