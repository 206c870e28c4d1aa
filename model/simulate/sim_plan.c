/* sim_plan.c - a step under a plan: tensor, context, pipeline, expert and sharded data parallel. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/simulate/exchange.h"
#include "model/simulate/sim_parts.h"

/* One chunk of the net for one micro-batch: sums over its layers. */
struct chunk {
	double fwd_s, bwd_s, wgrad_s; /* computing; bwd_s with what is computed again */
	double update_s;
	double fwd_comm, bwd_comm, moved_s; /* seen during the passes; all of it */
	double weights, experts;            /* numbers */
	double kept_bytes, again_bytes, grad_bytes;
	double again_flops;
	int units; /* blocks, or 1 */
};

struct job {
	struct paleo_sim *sim;
	const struct paleo_sim_setup *s;
	const struct paleo_part *part;
	struct paleo_groups g;
	int *begin, blocks; /* of the net */
	int *cut;           /* where each chunk begins; the last is the end */
	int chunks, micro_batches;
	struct chunk *chunk;
	double *peak, *end_s; /* of each stage: bytes kept, and when its passes are done */
};

static int at_least_1(int n)
{
	return n > 0 ? n : 1;
}

/* The workers, in the order tensor, context, data, stage: neighbours first. */
static int arrange(struct job *j, struct paleo_error *err)
{
	const struct paleo_plan *p = j->s->plan;
	struct paleo_groups *g = &j->g;
	int micro = p->micro, share;

	*g = (struct paleo_groups){.setup = j->s,
				   .tp = at_least_1(p->tp),
				   .cp = at_least_1(p->cp),
				   .pp = at_least_1(p->pp),
				   .ep = at_least_1(p->ep)};
	double used = (double)g->tp * g->cp * g->pp;
	if (used > j->s->workers || j->s->workers % (int)used)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d workers are no multiple of tp %d x cp %d x pp %d",
				  j->s->workers, g->tp, g->cp, g->pp);
	g->dp = j->s->workers / (int)used;
	g->shards = p->group ? p->group : g->dp * g->cp;
	if (g->dp * g->cp % g->ep)
		return paleo_fail(err, PALEO_EINPUT, "ep %d does not divide dp %d x cp %d", g->ep,
				  g->dp, g->cp);
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
	j->chunks = at_least_1(p->chunks);
	g->micro = micro;
	return PALEO_OK;
}

static int check_tokens(const struct job *j, struct paleo_error *err)
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

/* Time of a layer, all passes. */
static double layer_s(const struct paleo_part_layer *l)
{
	return l->fwd_s + l->bwd_s + l->wgrad_s;
}

/* A net without attention: chunks of about the same time. */
static void cut_by_time(const struct job *j, int want)
{
	double sum = 0, so_far = 0;
	int k = 1;

	for (int i = 0; i < j->part->count; i++)
		sum += layer_s(&j->part->layers[i]);
	j->cut[0] = 0;
	for (int i = 0; i < j->part->count && k < want; i++) {
		so_far += layer_s(&j->part->layers[i]);
		int left = j->part->count - i - 1; /* every chunk has a layer */
		if (so_far >= sum * k / want || left == want - k)
			j->cut[k++] = i + 1;
	}
	j->cut[want] = j->part->count;
}

/* As many blocks in every chunk; or one less in the first and the last, which have words and head
 * (Llama Team 2024, 3.3.2). */
static int cut(struct job *j, struct paleo_error *err)
{
	int want = j->g.pp * j->chunks, less = j->blocks % want != 0;

	if (!j->blocks && want <= j->part->count) {
		cut_by_time(j, want);
		return PALEO_OK;
	}
	if (want > j->part->count || j->blocks + 2 * less < want ||
	    (less && (j->blocks + 2) % want))
		return paleo_fail(err, PALEO_EINPUT,
				  "%d blocks cannot be dealt out to %d stages x %d chunks: "
				  "neither they nor 2 more are a multiple",
				  j->blocks, j->g.pp, j->chunks);
	int each = (j->blocks + 2 * less) / want;
	j->cut[0] = 0;
	for (int k = 1; k < want; k++)
		j->cut[k] = j->begin[k * each - less];
	j->cut[want] = j->part->count;
	return PALEO_OK;
}

/* 1 if a layer is inside of a block. */
static int in_block(const struct job *j, int i)
{
	return j->blocks && i >= j->begin[0] && i < j->begin[j->blocks];
}

/* What a tensor takes on one worker. */
static double share_of(const struct job *j, const struct paleo_part_layer *l)
{
	return l->out_bytes / (j->s->plan->sequence && !l->is_divided ? j->g.tp : 1);
}

/* What of a layer's inside stays; attention that is computed again needs its inputs only. */
static double inner_of(const struct paleo_part_layer *l, int recompute)
{
	if (recompute == PALEO_RECOMPUTE_ATTENTION && l->attends)
		return fmin(l->inner_bytes, l->in_bytes);
	return l->inner_bytes;
}

/* A tensor is kept where it is read first. */
static int owner(const struct paleo_part_layer *l, int own)
{
	int first = l->layer->child_count ? l->layer->children[0]->index : own;

	for (int k = 1; k < l->layer->child_count; k++)
		if (l->layer->children[k]->index < first)
			first = l->layer->children[k]->index;
	return first;
}

/* What goes over a place between layers. */
static double crossing(const struct job *j, int at)
{
	double sum = 0;

	for (int i = 0; i < at; i++)
		if (j->part->layers[i].last_reader >= at)
			sum += share_of(j, &j->part->layers[i]);
	return sum;
}

static int recompute_of(const struct job *j)
{
	return j->s->recompute ? PALEO_RECOMPUTE_FULL : j->s->plan->recompute;
}

/* Bytes kept by layers [from, to), if nothing of blocks is (`outside`), or all of it. */
static double kept_by(const struct job *j, int from, int to, int outside)
{
	double sum = 0;

	for (int i = from; i < to; i++)
		if (!outside || !in_block(j, i))
			sum += inner_of(&j->part->layers[i], recompute_of(j));
	for (int i = 0; i < to; i++) {
		const struct paleo_part_layer *l = &j->part->layers[i];
		int at = owner(l, i);
		if (l->is_kept && at >= from && at < to && (!outside || !in_block(j, at)))
			sum += share_of(j, l);
	}
	return sum;
}

/* Korthikanti et al. 2022: full recomputation keeps the input of each block. */
static void keep(const struct job *j, struct chunk *c, int from, int to)
{
	int full = recompute_of(j) == PALEO_RECOMPUTE_FULL && j->blocks;

	c->kept_bytes = kept_by(j, from, to, full);
	for (int b = 0; full && b < j->blocks; b++) {
		if (j->begin[b] < from || j->begin[b] >= to)
			continue;
		c->kept_bytes += crossing(j, j->begin[b]);
		c->again_bytes = fmax(c->again_bytes, kept_by(j, j->begin[b], j->begin[b + 1], 0));
	}
}

static void add_layer(const struct job *j, struct chunk *c, int i)
{
	const struct paleo_part_layer *l = &j->part->layers[i];
	struct paleo_exchange_s x = paleo_layer_exchange(&j->g, l);
	int how = recompute_of(j);
	int all = how == PALEO_RECOMPUTE_FULL && (in_block(j, i) || !j->blocks);
	int some = how == PALEO_RECOMPUTE_ATTENTION && l->attends && l->inner_bytes > l->in_bytes;

	c->fwd_s += l->fwd_s;
	c->bwd_s += l->bwd_s + (all || some ? l->fwd_s : 0);
	c->wgrad_s += l->wgrad_s;
	c->update_s += l->update_s;
	c->fwd_comm += x.fwd_s;
	c->bwd_comm += x.bwd_s + (all ? x.fwd_s : 0);
	c->moved_s += x.moved_s + (all ? x.fwd_s : 0);
	c->again_flops += all || some ? l->flops : 0;
	*(l->has_experts ? &c->experts : &c->weights) += l->weights;
	c->grad_bytes = fmax(c->grad_bytes, l->out_bytes + l->in_bytes);
}

/* Weights that are gathered, and gradients that are scattered, for every micro-batch. */
static void shard(const struct job *j, struct chunk *c)
{
	int zero = j->s->plan->zero;
	double bytes = (c->weights + c->experts) * paleo_weight_bytes(j->sim);

	if (zero < 2 || j->g.dp * j->g.cp == 1)
		return;
	struct paleo_sharding_s t = paleo_sharding_times(&j->g, zero, bytes, c->units);
	double back = t.scatter_s + (zero == 3 ? t.gather_s : 0);
	double bwd_s = c->bwd_s + c->wgrad_s;
	if (zero == 3) {
		c->fwd_comm += paleo_beside(&j->g, c->fwd_s, t.gather_s, c->units) - c->fwd_s;
		c->moved_s += t.gather_s;
	}
	c->bwd_comm += paleo_beside(&j->g, bwd_s, back, c->units) - bwd_s;
	c->moved_s += back;
}

static void fill_chunk(const struct job *j, int k)
{
	struct chunk *c = &j->chunk[k];
	int from = j->cut[k], to = j->cut[k + 1];

	for (int i = from; i < to; i++)
		add_layer(j, c, i);
	for (int i = from; i < to && from > 0; i++) /* the words are on the first stage */
		c->weights += j->part->layers[i].tied;
	for (int b = 0; b < j->blocks; b++)
		c->units += j->begin[b] >= from && j->begin[b] < to;
	c->units = at_least_1(c->units);
	keep(j, c, from, to);
	shard(j, c);
}

static int pipeline(struct job *j, double *span_s, struct paleo_error *err)
{
	int n = j->g.pp * j->chunks, schedules;
	const struct paleo_schedule *schedule = paleo_schedules(&schedules);
	struct paleo_chunk *all = calloc((size_t)n, sizeof(*all));

	if (!all)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d chunks", n);
	for (int k = 0; k < n; k++) {
		const struct chunk *c = &j->chunk[k];
		all[k] = (struct paleo_chunk){.fwd_comm_s = c->fwd_comm,
					      .bwd_comm_s = c->bwd_comm,
					      .fwd_s = c->fwd_s + c->fwd_comm,
					      .bwd_s = c->bwd_s + c->bwd_comm,
					      .wgrad_s = c->wgrad_s,
					      .kept_bytes = c->kept_bytes};
		if (k > 0 && j->g.pp > 1)
			all[k].send_s = paleo_stage_send_s(&j->g, crossing(j, j->cut[k]));
	}
	struct paleo_pipeline p = {.schedule = schedule + at_least_1(j->s->plan->schedule) - 1,
				   .stages = j->g.pp,
				   .chunks = j->chunks,
				   .micro_batches = j->micro_batches,
				   .chunk = all,
				   .timeline = j->s->timeline,
				   .end_s = j->end_s};
	int rc = paleo_pipeline_run(&p, span_s, j->peak, err);
	free(all);
	return rc;
}

/* All chunks of a stage as one. */
static struct chunk stage_of(const struct job *j, int k)
{
	struct chunk sum = {0};

	for (int i = k; i < j->g.pp * j->chunks; i += j->g.pp) {
		const struct chunk *c = &j->chunk[i];
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
		sum.units += c->units;
	}
	return sum;
}

/* Of experts a worker of an expert-parallel group has its own, so fewer workers have the same. */
static struct paleo_sim_memory memory_of(const struct job *j, const struct chunk *c, double kept)
{
	int zero = j->s->plan->zero, shards = j->g.shards;
	double same = shards, mine = fmax(1, (double)shards / j->g.ep);
	double all = c->weights + c->experts, sharded = c->weights / same + c->experts / mine;
	double unit = all / c->units * paleo_weight_bytes(j->sim);

	return (struct paleo_sim_memory){
		.weights = (zero > 2 ? sharded : all) * paleo_weight_bytes(j->sim),
		.gradients = (zero > 1 ? sharded : all) * paleo_weight_bytes(j->sim),
		.optimizer = (zero > 0 ? sharded : all) * paleo_optimizer_bytes(j->sim),
		.activations = kept,
		.workspace = c->grad_bytes + c->again_bytes +
			     (zero > 2 && shards > 1 ? (j->s->overlap ? 3 : 2) * unit : 0),
	};
}

/* What comes after the last backward pass, or beside the last micro-batch's: gradients, the
 * update, and new weights. */
static double finish_stage(const struct job *j, int k, const struct chunk *c, double *moved_s)
{
	int zero = j->s->plan->zero;
	double bytes = paleo_weight_bytes(j->sim);
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
	double seen = paleo_beside(&j->g, bwd_s, comm, c->units) - bwd_s;
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

static void gather_results(const struct job *j, double span_s, struct paleo_sim_step *out)
{
	double longest = -1, most = -1, tail_s = 0;
	int m = j->micro_batches;

	for (int k = 0; k < j->g.pp; k++) {
		struct chunk c = stage_of(j, k);
		double moved = m * c.moved_s;
		double tail = finish_stage(j, k, &c, &moved);
		double update = c.update_s / (j->s->plan->zero ? j->g.shards : 1);
		double seen = m * (c.fwd_comm + c.bwd_comm);
		double busy = m * (c.fwd_s + c.bwd_s + c.wgrad_s) + seen;
		struct paleo_sim_memory memory = memory_of(j, &c, j->peak[k]);
		tail_s = fmax(tail_s, tail);
		if (paleo_sim_memory_sum(&memory) > most) {
			most = paleo_sim_memory_sum(&memory);
			out->memory = memory;
		}
		if (busy <= longest)
			continue;
		longest = busy;
		out->fwd_s = m * c.fwd_s;
		out->bwd_s = m * (c.bwd_s + c.wgrad_s);
		out->update_s = update;
		out->comm_s = moved;
		out->exposed_s = seen + tail - update;
	}
	/* sums in another order differ in their last bits */
	out->bubble_s = span_s - longest > 1e-9 * span_s ? span_s - longest : 0;
	out->step_s = span_s + tail_s;
	out->worker_batch = j->g.micro;
}

/* Model FLOPs of a step: the gradients of both operands take twice the forward ones. */
static int count_flops(const struct job *j, struct paleo_sim_step *out, struct paleo_error *err)
{
	const struct paleo_part_key key = {.batch = j->g.micro, .tp = 1, .ep = 1, .cp = 1};
	const struct paleo_part *whole = NULL;
	double part = 0, again = 0, flops = 0, times = j->s->batch / (double)j->g.micro;
	int rc = paleo_part_get(j->sim, &key, &whole, err);

	if (rc)
		return rc;
	for (int i = 0; i < whole->count; i++) {
		flops += whole->layers[i].flops;
		part += j->part->layers[i].flops;
	}
	for (int k = 0; k < j->g.pp * j->chunks; k++)
		again += j->chunk[k].again_flops;
	out->model_flops = 3 * flops * times;
	out->hardware_flops = out->model_flops + (part > 0 ? flops * again / part * times : 0);
	return PALEO_OK;
}

static int run(struct job *j, struct paleo_sim_step *out, struct paleo_error *err)
{
	int n = j->g.pp * j->chunks;
	double span_s = 0;

	j->cut = calloc((size_t)n + 1, sizeof(*j->cut));
	j->chunk = calloc((size_t)n, sizeof(*j->chunk));
	j->peak = calloc(2 * (size_t)j->g.pp, sizeof(*j->peak));
	if (!j->cut || !j->chunk || !j->peak)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d chunks", n);
	int rc = cut(j, err);
	if (rc)
		return rc;
	j->end_s = j->peak + j->g.pp;
	if (j->s->timeline)
		j->s->timeline->stages = j->g.pp;
	for (int k = 0; k < n; k++)
		fill_chunk(j, k);
	rc = pipeline(j, &span_s, err);
	if (rc)
		return rc;
	gather_results(j, span_s, out);
	return count_flops(j, out, err);
}

int paleo_step_plan(struct paleo_sim *sim, const struct paleo_sim_setup *s,
		    struct paleo_sim_step *out, struct paleo_error *err)
{
	struct job j = {.sim = sim, .s = s};
	int rc = arrange(&j, err);

	if (!rc)
		rc = check_tokens(&j, err);
	if (rc)
		return rc;
	const struct paleo_part_key key = {
		.batch = j.g.micro, .tp = j.g.tp, .ep = j.g.ep, .cp = j.g.cp, .priced = 1};
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
