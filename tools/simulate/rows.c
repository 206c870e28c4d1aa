/* rows.c - rows of `simulate` under the cost models of ops: every strategy and scheme. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/cli/choice.h"
#include "tools/print/print.h"
#include "tools/simulate/simulate.h"

/* A cost model of ops: a calibration, and whether memory hides behind computing. */
struct ops_cost_model {
	const struct paleo_calibration *calibration;
	int pipelined;
};

static int op_s(const void *self, const struct paleo_op *w, double *out, struct paleo_error *err)
{
	const struct ops_cost_model *cost_model = self;
	struct paleo_prediction p;

	PALEO_TRY(paleo_predict_op(cost_model->calibration, w, &p, err));
	*out = cost_model->pipelined
		       ? p.parts.overhead_s + fmax(p.parts.compute_s, p.parts.memory_s)
		       : p.parts.total_s;
	return PALEO_OK;
}

/* One net with what all of its rows share. */
struct job {
	const struct simulate_plan *plan;
	struct simulate_rows *rows;
	const struct paleo_calibration *calibration;
	struct paleo_sim *sim;
	const char *net;
	double tokens; /* of a sequence; NaN: it has images */
	enum paleo_dtype dtype;
	struct paleo_sim_setup setup;
};

/* Images per second of one worker with the whole batch, to which the others are compared. */
static int single_rate(const struct job *j, double *out, struct paleo_error *err)
{
	struct paleo_sim_setup s = j->setup;
	struct paleo_sim_step step;

	s.workers = 1;
	s.batch = j->plan->batch;
	s.recompute = 0;
	PALEO_TRY(paleo_sim_step(j->sim, paleo_strategy_find("data"), &s, &step, err));
	*out = s.batch / step.step_s;
	return PALEO_OK;
}

/* A step as its strategy has written it down, under the words of its row. */
static int draw(const struct job *j, const struct simulate_row *r, const struct paleo_timeline *t,
		struct paleo_error *err)
{
	const struct simulate_settings *o = j->plan->s;
	char title[512], types[64] = "";

	if (o->lists.dtypes.count > 1 || o->lists.layouts.count > 1)
		snprintf(types, sizeof(types), ", %s, %s", paleo_dtype_name(r->dtype),
			 paleo_layout_name(r->layout));

	snprintf(title, sizeof(title),
		 "%.200s%s, %s%s%s%s%s: %.0f worker%s, batch %.0f, step %.3f ms", r->net, types,
		 r->parallel, r->scaling ? ", " : "", r->scaling ? r->scaling : "",
		 r->scheme ? ", " : "", r->scheme ? r->scheme : "", r->workers,
		 r->workers == 1 ? "" : "s", r->batch, 1e3 * r->step.step_s);
	return trace_step(j->plan->trace, title, t, err);
}

static int add_row(struct job *j, const struct paleo_strategy *strategy,
		   const struct paleo_scheme *scheme, int strong, double single,
		   struct paleo_error *err)
{
	const struct simulate_settings *o = j->plan->s;
	int alone = !strcmp(strategy->name, "model");
	struct simulate_row r = {
		.dtype = j->dtype,
		.layout = (enum paleo_layout)o->layout,
		.seq = j->tokens,
		.scaling = alone    ? NULL
			   : strong ? "strong"
				    : "weak",
		.scheme = alone || !strcmp(strategy->name, "pipeline") ? NULL : scheme->name,
		.single_per_s = single,
		.tokens = j->tokens,
		.flop_per_s = j->plan->device.flop_per_s[j->dtype],
		.device_bytes = j->plan->device.mem_bytes,
		.epoch_size = o->epoch_size,
	};
	snprintf(r.net, sizeof(r.net), "%s", j->net);
	snprintf(r.parallel, sizeof(r.parallel), "%s",
		 j->setup.plan ? j->setup.plan->text : strategy->name);
	paleo_known_source(j->calibration, r.source);
	double batch = strong || alone ? j->plan->batch : (double)j->plan->batch * j->setup.workers;

	if (batch > 1 << 24)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d workers with %d images each: too many images",
				  j->setup.workers, j->plan->batch);
	j->setup.scheme = scheme;
	j->setup.batch = (int)batch;
	struct paleo_timeline steps = {0};
	struct paleo_sim_setup setup = j->setup;
	if (j->plan->trace)
		setup.timeline = &steps;
	int rc = paleo_sim_step(j->sim, strategy, &setup, &r.step, err);
	r.workers = r.step.workers;
	r.batch = batch;
	if (!rc && j->plan->trace)
		rc = draw(j, &r, &steps, err);
	paleo_timeline_release(&steps);
	return rc ? rc : simulate_add(j->rows, &r, err);
}

/* All schemes for one number of workers; strategies without a choice have one row. */
static int add_schemes(struct job *j, const struct paleo_strategy *strategy, int strong,
		       double single, struct paleo_error *err)
{
	const struct simulate_plan *p = j->plan;
	int one = !strcmp(strategy->name, "model") || !strcmp(strategy->name, "pipeline");
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < (one ? 1 : p->scheme_count); i++)
		rc = add_row(j, strategy, p->schemes[i], strong, single, err);
	return rc;
}

static int add_strategy(struct job *j, int at, double single, struct paleo_error *err)
{
	const struct simulate_plan *p = j->plan;
	const struct paleo_strategy *strategy = p->strategies[at];
	const int *workers = p->workers;
	int count = p->worker_count, rc = PALEO_OK;

	j->setup.plan = strategy == paleo_strategy_plan() ? &p->plans[at] : NULL;
	if (!strcmp(strategy->name, "model")) {
		j->setup.workers = 1;
		return add_schemes(j, strategy, 0, single, err);
	}
	for (int k = 0; k < p->scaling_count; k++)
		for (int i = 0; !rc && i < count; i++) {
			j->setup.workers = workers[i];
			rc = add_schemes(j, strategy, p->strong[k], single, err);
		}
	return rc;
}

/* 1 if something asks for the speed of one worker: a plan's net is often larger than that. */
static int compares(const struct simulate_plan *p)
{
	for (int i = 0; i < p->strategy_count; i++)
		if (p->strategies[i] != paleo_strategy_plan())
			return 1;
	return 0;
}

static int add_rows(struct job *j, struct paleo_error *err)
{
	double single = NAN;
	int rc = compares(j->plan) ? single_rate(j, &single, err) : PALEO_OK;

	for (int i = 0; !rc && i < j->plan->strategy_count; i++)
		rc = add_strategy(j, i, single, err);
	return rc;
}

int simulate_rows(struct simulate_plan *p, const struct paleo_calibration *c,
		  struct simulate_rows *rows, const char *name, struct paleo_error *err)
{
	const struct simulate_settings *o = p->s;
	struct paleo_trained_net net;
	struct ops_cost_model cost_model = {.calibration = c, .pipelined = o->use_pipeline};
	struct job j = {
		.plan = p,
		.rows = rows,
		.calibration = c,
		.net = name,
		.setup = {.fabric = p->fabric,
			  .scheme = p->schemes[0],
			  .overlap = o->overlap,
			  .bucket_bytes = o->bucket_mib * 1048576,
			  .micro_batches = o->micro_batches,
			  .recompute = o->recompute},
	};
	PALEO_TRY(paleo_trained_net_open(name, 0, &net, err));
	net_note_print(net.net, stderr);
	j.tokens = net.tokens;
	p->batch = o->batch ? o->batch : net.net->batch;
	j.dtype = (enum paleo_dtype)o->dtype;
	struct paleo_sim_config config = {
		.net = net.net,
		.dtype = j.dtype,
		.layout = (enum paleo_layout)o->layout,
		.merge = o->fuse,
		.optimizer = (enum paleo_update_rule)o->optimizer,
		.separate_attention = o->separate_attention,
		.framework = (enum paleo_framework)o->framework,
		.factor = choice_framework_factor(o->framework),
		.device = paleo_calibration_timed(c),
		.cost_model = {.self = &cost_model, .op_s = op_s},
		.open_part = paleo_trained_net_part,
		.open_self = &net,
	};
	int rc = paleo_sim_open(&config, &j.sim, err);
	if (!rc)
		rc = add_rows(&j, err);
	paleo_sim_close(j.sim);
	paleo_net_free(net.net);
	return rc;
}
