/* sim.c - one training step on several workers: the table of strategies, and what all check. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/sim.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "model/simulate/sim_parts.h"

#define ZERO "Rajbhandari et al. 2020"
static const struct paleo_strategy strategies[] = {
	{.name = "data",
	 .what = "every worker has the whole net and a part of the batch",
	 .source = "Qi, Sparks, Talwalkar 2017; overlap: Li et al. 2020",
	 .has_timeline = 1,
	 .step = paleo_step_data},
	{.name = "model",
	 .what = "the splits of the net's ModelParallel blocks on devices of their own",
	 .source = "Krizhevsky 2014; bounds: Qi, Sparks, Talwalkar 2017",
	 .has_timeline = 1,
	 .step = paleo_step_model},
	{.name = "hybrid",
	 .what = "model parallel in ModelParallel blocks, data parallel outside",
	 .source = "Krizhevsky 2014, scheme (b)",
	 .has_timeline = 1,
	 .step = paleo_step_hybrid},
	{.name = "tensor",
	 .what = "every product layer divided among all workers",
	 .source = "Shoeybi et al. 2019",
	 .has_timeline = 1,
	 .step = paleo_step_tensor},
	{.name = "pipeline",
	 .what = "layers in stages, micro-batches one forward one backward",
	 .source = "Narayanan et al. 2021",
	 .step = paleo_step_pipeline},
	{.name = "zero1",
	 .what = "data parallel, the optimiser's state sharded",
	 .source = ZERO,
	 .has_timeline = 1,
	 .step = paleo_step_zero1},
	{.name = "zero2",
	 .what = "data parallel, optimiser and gradients sharded",
	 .source = ZERO,
	 .has_timeline = 1,
	 .step = paleo_step_zero2},
	{.name = "zero3",
	 .what = "data parallel, optimiser, gradients and weights sharded",
	 .source = ZERO,
	 .has_timeline = 1,
	 .step = paleo_step_zero3},
};

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

int paleo_sim_step(struct paleo_sim *sim, const struct paleo_strategy *strategy,
		   const struct paleo_sim_setup *s, struct paleo_sim_step *out,
		   struct paleo_error *err)
{
	struct paleo_sim_step step = {.lower_s = NAN,
				      .upper_s = NAN,
				      .model_flops = NAN,
				      .hardware_flops = NAN,
				      .workers = s->workers};

	if (s->workers < 1 || s->workers > PALEO_WORKERS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%d workers, expected 1 to %d", s->workers,
				  PALEO_WORKERS_MAX);
	if (s->batch < 1)
		return paleo_fail(err, PALEO_EINPUT, "a batch of %d images, expected at least 1",
				  s->batch);
	if (s->timeline && !strategy->has_timeline)
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"strategy '%s' is a formula for the slowest stage, and no timeline "
			"adds up to it; a plan as 'pp4' is run stage by stage, and drawn",
			strategy->name);
	int rc = strategy->step(sim, s, &step, err);
	if (!rc && s->timeline && s->timeline->failed)
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the timeline");
	if (!rc)
		*out = step;
	return rc;
}
