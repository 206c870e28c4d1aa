/* sim_plan.c - a step under a plan: tensor, context, pipeline, expert and sharded data parallel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/simulate/plan_job.h"

/* The workers, in the order tensor, context, data, stage: neighbours first. */
static int arrange(struct paleo_plan_job *j, struct paleo_error *err)
{
	const struct paleo_plan *p = j->s->plan;
	struct paleo_groups *g = &j->g;
	int micro = p->micro, share;

	*g = (struct paleo_groups){.setup = j->s,
				   .tp = paleo_at_least_1(p->tp),
				   .cp = paleo_at_least_1(p->cp),
				   .pp = paleo_at_least_1(p->pp),
				   .ep = paleo_at_least_1(p->ep)};
	double used = (double)g->tp * g->cp * g->pp;
	if (used > j->s->workers || j->s->workers % (int)used)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d workers are not a multiple of tp %d x cp %d x pp %d",
				  j->s->workers, g->tp, g->cp, g->pp);
	g->dp = j->s->workers / (int)used;
	g->shards = p->group ? p->group : g->dp * g->cp;
	g->etp = p->etp ? p->etp : g->tp;
	if (g->dp * g->cp * (g->tp / g->etp) % g->ep)
		return paleo_fail(err, PALEO_EINPUT, "ep %d does not divide dp %d x cp %d%s", g->ep,
				  g->dp, g->cp,
				  g->etp < g->tp ? " x tp"
				  : g->tp > 1    ? ": with 'etp1' it may span tp, too"
						 : "");
	if (g->dp * g->cp % g->shards)
		return paleo_fail(err, PALEO_EINPUT, "groups of %d do not divide dp %d x cp %d",
				  g->shards, g->dp, g->cp);
	if (j->s->batch % g->dp)
		return paleo_fail(err, PALEO_EINPUT, "dp %d does not divide a batch of %d", g->dp,
				  j->s->batch);
	share = j->s->batch / g->dp;
	if (!micro)
		micro = j->s->micro_batches && j->s->micro_batches < share
				? share / j->s->micro_batches
				: 1;
	if (share % micro)
		return paleo_fail(err, PALEO_EINPUT,
				  "micro-batches of %d do not divide the %d of a worker", micro,
				  share);
	j->micro_batches = share / micro;
	j->chunks = paleo_at_least_1(p->chunks);
	g->micro = micro;
	return PALEO_OK;
}

static int check_tokens(const struct paleo_plan_job *j, struct paleo_error *err)
{
	const struct paleo_shape *in = &j->sim->config.net->layers[0]->out;
	int tokens = in->rank == 2 ? in->c : in->h;

	if (j->g.cp > 1 && (in->rank > 3 || tokens % (2 * j->g.cp)))
		return paleo_fail(err, PALEO_EINPUT,
				  "cp %d: sequences must have a multiple of %d tokens", j->g.cp,
				  2 * j->g.cp);
	if (!j->s->scheme->reduce_scatter_s || !j->s->scheme->all_gather_s)
		return paleo_fail(err, PALEO_EINPUT,
				  "scheme '%s' has no reduce-scatter and all-gather, which plans "
				  "need",
				  j->s->scheme->name);
	return PALEO_OK;
}

/* Times of a pipeline: from the first pass to the last; the same if sends took no time; and what
 * each worker receives for one micro-batch. */
struct span {
	double all_s, unsent_s, received_s;
};

/* Runs the pipeline once more as if sends took no time: what that saves is waiting for them. */
static int run_unsent(struct paleo_pipeline *p, struct paleo_chunk *all, int n, struct span *out,
		      struct paleo_error *err)
{
	double *peak = calloc((size_t)p->stages, sizeof(*peak)), sum = 0;

	if (!peak)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d stages", p->stages);
	for (int k = 0; k < n; k++) {
		sum += 2 * all[k].send_s; /* its gradient comes back */
		all[k].send_s = 0;
	}
	p->timeline = NULL;
	p->end_s = NULL;
	out->received_s = sum / p->stages;
	int rc = sum > 0 ? paleo_pipeline_run(p, &out->unsent_s, peak, err) : PALEO_OK;
	free(peak);
	return rc;
}

static int pipeline(struct paleo_plan_job *j, struct span *out, struct paleo_error *err)
{
	int n = j->g.pp * j->chunks, schedules;
	const struct paleo_schedule *schedule = paleo_schedules(&schedules);
	struct paleo_chunk *all = calloc((size_t)n, sizeof(*all));

	if (!all)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d chunks", n);
	for (int k = 0; k < n; k++) {
		const struct paleo_plan_chunk *c = &j->chunk[k];
		all[k] = (struct paleo_chunk){.fwd_comm_s = c->fwd_comm,
					      .bwd_comm_s = c->bwd_comm,
					      .fwd_s = c->fwd_s + c->fwd_comm,
					      .bwd_s = c->bwd_s + c->bwd_comm,
					      .wgrad_s = c->wgrad_s,
					      .kept_bytes = c->kept_bytes};
		if (k > 0 && j->g.pp > 1)
			all[k].send_s =
				paleo_stage_send_s(&j->g, paleo_plan_crossing(j, j->cut[k]));
	}
	struct paleo_pipeline p = {.schedule =
					   schedule + paleo_at_least_1(j->s->plan->schedule) - 1,
				   .stages = j->g.pp,
				   .chunks = j->chunks,
				   .micro_batches = j->micro_batches,
				   .chunk = all,
				   .timeline = j->s->timeline,
				   .end_s = j->end_s};
	int rc = paleo_pipeline_run(&p, &out->all_s, j->peak, err);
	out->unsent_s = out->all_s;
	if (!rc && j->g.pp > 1)
		rc = run_unsent(&p, all, n, out, err);
	free(all);
	return rc;
}

/* All chunks of a stage as one. */
static struct paleo_plan_chunk stage_of(const struct paleo_plan_job *j, int k)
{
	struct paleo_plan_chunk sum = {0};

	for (int i = k; i < j->g.pp * j->chunks; i += j->g.pp) {
		const struct paleo_plan_chunk *c = &j->chunk[i];
		sum.fwd_s += c->fwd_s;
		sum.bwd_s += c->bwd_s;
		sum.wgrad_s += c->wgrad_s;
		sum.update_s += c->update_s;
		sum.fwd_comm += c->fwd_comm;
		sum.bwd_comm += c->bwd_comm;
		sum.moved_s += c->moved_s;
		sum.weights += c->weights;
		sum.experts += c->experts;
		sum.again_bytes = fmax(sum.again_bytes, c->again_bytes);
		sum.grad_bytes = fmax(sum.grad_bytes, c->grad_bytes);
		sum.logit_bytes += c->logit_bytes;
		sum.units += c->units;
	}
	return sum;
}

/* Workers of an expert-parallel group have different experts, so fewer workers hold the same
 * ones. */
static struct paleo_sim_memory memory_of(const struct paleo_plan_job *j,
					 const struct paleo_plan_chunk *c, double kept)
{
	int zero = j->s->plan->zero, shards = j->g.shards;
	int groups = j->g.tp / j->g.etp; /* etp is 1 or tp */
	double same = shards;
	double mine = fmax(1, (double)shards * groups / j->g.ep);
	double all = c->weights + c->experts, sharded = c->weights / same + c->experts / mine;
	double unit = all / c->units * j->sim->weight_bytes;

	return (struct paleo_sim_memory){
		.weights = (zero > 2 ? sharded : all) * j->sim->weight_bytes,
		.gradients = (zero > 1 ? sharded : all) * j->sim->weight_bytes,
		.optimizer = (zero > 0 ? sharded : all) * j->sim->optimizer_bytes,
		.activations = kept,
		.workspace = c->grad_bytes + c->again_bytes + c->logit_bytes +
			     (zero > 2 && shards > 1 ? (j->s->overlap ? 3 : 2) * unit : 0),
	};
}

/* After the last backward pass, or overlapped with the last micro-batch's: gradients, the update,
 * and new weights. */
static double finish_stage(const struct paleo_plan_job *j, int k, const struct paleo_plan_chunk *c,
			   double *moved_s)
{
	int zero = j->s->plan->zero;
	double bytes = j->sim->weight_bytes;
	double update = c->update_s / (zero ? j->g.shards : 1);
	double comm = 0, gather = 0;

	if (zero < 2) {
		comm = paleo_sharding_times(&j->g, zero, c->weights * bytes, 1).scatter_s +
		       paleo_expert_sync_s(&j->g, c->experts * bytes);
		*moved_s += comm;
	}
	if (zero == 1 || zero == 2) {
		gather = paleo_sharding_times(&j->g, zero, (c->weights + c->experts) * bytes, 1)
				 .gather_s;
		*moved_s += gather;
	}
	double bwd_s = c->bwd_s + c->wgrad_s;
	double seen = paleo_overlapped(&j->g, bwd_s, comm, c->units) - bwd_s;
	struct paleo_stretch then = {.track = PALEO_TRACK_COMM,
				     .worker = k,
				     .what = "gradients",
				     .start_s = j->end_s[k],
				     .duration_s = seen};
	paleo_timeline_add(j->s->timeline, &then);
	then.start_s += seen;
	then.track = PALEO_TRACK_COMPUTE;
	then.what = "update";
	then.duration_s = update;
	paleo_timeline_add(j->s->timeline, &then);
	then.start_s += update;
	then.track = PALEO_TRACK_COMM;
	then.what = "weights";
	then.duration_s = gather;
	paleo_timeline_add(j->s->timeline, &then);
	return update + gather + seen;
}

/* Of the slowest stage, whose passes the step waits for; after them the step waits for the stage
 * that takes longest to update. */
static void gather_results(const struct paleo_plan_job *j, const struct span *span,
			   struct paleo_sim_step *out)
{
	double longest = -1, most = -1, tail_s = -1, seen_s = 0, moved_s = 0, sync_s = 0;
	int m = j->micro_batches;

	for (int k = 0; k < j->g.pp; k++) {
		struct paleo_plan_chunk c = stage_of(j, k);
		double sync = 0, tail = finish_stage(j, k, &c, &sync);
		double seen = m * (c.fwd_comm + c.bwd_comm);
		double busy = m * (c.fwd_s + c.bwd_s + c.wgrad_s) + seen;
		struct paleo_sim_memory memory = memory_of(j, &c, j->peak[k]);
		if (paleo_sim_memory_sum(&memory) > most) {
			most = paleo_sim_memory_sum(&memory);
			out->memory = memory;
		}
		if (tail > tail_s) {
			tail_s = tail;
			sync_s = sync;
			out->update_s = c.update_s / (j->s->plan->zero ? j->g.shards : 1);
		}
		if (busy <= longest)
			continue;
		longest = busy;
		seen_s = seen;
		moved_s = m * c.moved_s;
		out->fwd_s = m * c.fwd_s;
		out->bwd_s = m * (c.bwd_s + c.wgrad_s);
	}
	out->comm_s = moved_s + sync_s + m * span->received_s;
	out->exposed_s = seen_s + tail_s - out->update_s + span->all_s - span->unsent_s;
	/* sums in another order differ in their last bits */
	double waits = span->unsent_s - longest;
	out->bubble_s = waits > 1e-9 * span->all_s ? waits : 0;
	out->step_s = span->all_s + tail_s;
	out->worker_batch = j->g.micro;
}

/* Published steps of transformers on GPUs over their predictions: 90 % are within these factors of
 * 1 (docs/method/training.md). */
static double within(const struct paleo_plan_job *j)
{
	const double experts = 1.25, narrow_by_framework = 1.23, others = 1.13;

	for (int i = 0; i < j->part->count; i++) {
		if (j->part->layers[i].experts)
			return experts;
		if (j->part->layers[i].is_narrow && j->sim->config.framework)
			return narrow_by_framework;
	}
	return others;
}

static void give_interval(const struct paleo_plan_job *j, struct paleo_sim_step *out)
{
	const struct paleo_device *d = j->sim->config.device;

	if (!d || d->is_processor || !j->blocks)
		return;
	out->low_s = out->step_s / within(j);
	out->high_s = out->step_s * within(j);
}

/* Model FLOPs of a step: the gradients of both operands take twice the forward ones. */
static int count_flops(const struct paleo_plan_job *j, struct paleo_sim_step *out,
		       struct paleo_error *err)
{
	const struct paleo_part_key key = {
		.batch = j->g.micro, .tp = 1, .ep = 1, .cp = 1, .etp = 1};
	const struct paleo_part *whole = NULL;
	double part = 0, again = 0, flops = 0, masked = 0, times = j->s->batch / (double)j->g.micro;

	PALEO_TRY(paleo_part_get(j->sim, &key, &whole, err));
	for (int i = 0; i < whole->count; i++) {
		flops += whole->layers[i].flops;
		masked += whole->layers[i].masked_flops;
		part += j->part->layers[i].flops;
	}
	for (int k = 0; k < j->g.pp * j->chunks; k++)
		again += j->chunk[k].again_flops;
	out->model_flops = 3 * flops * times;
	out->masked_flops = 3 * masked * times;
	out->hardware_flops = out->model_flops + (part > 0 ? flops * again / part * times : 0);
	return PALEO_OK;
}

static int run(struct paleo_plan_job *j, struct paleo_sim_step *out, struct paleo_error *err)
{
	int n = j->g.pp * j->chunks;
	struct span span = {0};

	j->cut = calloc((size_t)n + 1, sizeof(*j->cut));
	j->chunk = calloc((size_t)n, sizeof(*j->chunk));
	j->peak = calloc(2 * (size_t)j->g.pp, sizeof(*j->peak));
	if (!j->cut || !j->chunk || !j->peak)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d chunks", n);
	PALEO_TRY(paleo_plan_cut(j, err));
	j->end_s = j->peak + j->g.pp;
	if (j->s->timeline)
		j->s->timeline->stages = j->g.pp;
	for (int k = 0; k < n; k++)
		paleo_plan_fill_chunk(j, k);
	PALEO_TRY(pipeline(j, &span, err));
	gather_results(j, &span, out);
	give_interval(j, out);
	return count_flops(j, out, err);
}

int paleo_step_plan(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err)
{
	struct paleo_plan_job j = {.sim = sim, .s = s};
	int rc = arrange(&j, err);

	if (!rc)
		rc = check_tokens(&j, err);
	if (rc)
		return rc;
	const struct paleo_part_key key = {.batch = j.g.micro,
					   .tp = j.g.tp,
					   .ep = j.g.ep,
					   .cp = j.g.cp,
					   .wide_loss = s->plan->wide_logits,
					   .ring = j.g.cp > 1 && !s->plan->gather,
					   .etp = j.g.etp,
					   .priced = 1};
	rc = paleo_part_get(sim, &key, &j.part, err);
	if (!rc)
		rc = paleo_part_blocks(j.part, &j.begin, &j.blocks, err);
	if (!rc)
		rc = run(&j, out, err);
	free(j.begin);
	free(j.cut);
	free(j.chunk);
	free(j.peak);
	return rc;
}
