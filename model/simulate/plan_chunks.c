/* plan_chunks.c - the chunks of a plan's stages: where they are cut, their times and memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/simulate/plan_job.h"

/* Time of a layer, all passes. */
static double layer_s(const struct paleo_part_layer *l)
{
	return l->fwd_s + l->bwd_s + l->wgrad_s;
}

/* A net without attention: chunks of about the same time. */
static void cut_by_time(const struct paleo_plan_job *j, int want)
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

/* Blocks before chunk k of `want`. As many in each; of the rest one in each chunk from the second
 * on, as the first and the last have embedding and head (Llama Team 2024, 3.3.2). */
static int blocks_before(int blocks, int want, int k)
{
	int each = blocks / want, rest = blocks % want;
	int before = k > 0 ? k - 1 : 0;

	return k * each + (before < rest ? before : rest) + (k == want && rest == want);
}

int paleo_plan_cut(struct paleo_plan_job *j, struct paleo_error *err)
{
	int want = j->g.pp * j->chunks;

	if (!j->blocks && want <= j->part->count) {
		cut_by_time(j, want);
		return PALEO_OK;
	}
	if (want > j->part->count || j->blocks + 2 < want)
		return paleo_fail(err, PALEO_EINPUT,
				  "%d blocks are fewer than %d stages x %d chunks", j->blocks,
				  j->g.pp, j->chunks);
	j->cut[0] = 0;
	for (int k = 1; k < want; k++)
		j->cut[k] = j->begin[blocks_before(j->blocks, want, k)];
	j->cut[want] = j->part->count;
	return PALEO_OK;
}

/* 1 if a layer is inside of a block. */
static int in_block(const struct paleo_plan_job *j, int i)
{
	return j->blocks && i >= j->begin[0] && i < j->begin[j->blocks];
}

/* A tensor's bytes on one worker. */
static double share_of(const struct paleo_plan_job *j, const struct paleo_part_layer *l)
{
	return l->out_bytes / (j->s->plan->sequence && !l->is_divided ? j->g.tp : 1);
}

/* The tokens of a layer that a worker computes: with sequence parallelism its own ones of what
 * tensor parallelism does not divide. */
static double share_of_tokens(const struct paleo_plan_job *j, const struct paleo_part_layer *l)
{
	return j->s->plan->sequence && !l->is_divided && !l->sums_out ? 1.0 / j->g.tp : 1;
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

double paleo_plan_crossing(const struct paleo_plan_job *j, int at)
{
	double sum = 0;

	for (int i = 0; i < at; i++)
		if (j->part->layers[i].last_reader >= at)
			sum += share_of(j, &j->part->layers[i]);
	return sum;
}

static int recompute_of(const struct paleo_plan_job *j)
{
	return j->s->recompute ? PALEO_RECOMPUTE_FULL : j->s->plan->recompute;
}

/* The part of a layer's forward pass that is repeated in the backward pass, besides that of blocks
 * in full. Of GEMMs every second, as torchtitan's selective activation checkpointing by op. */
static double again_of(const struct paleo_plan_job *j, int i)
{
	const struct paleo_part_layer *l = &j->part->layers[i];
	const struct paleo_plan *p = j->s->plan;

	if ((p->norms && l->is_norm) || (p->acts && l->is_act))
		return 1;
	if (recompute_of(j) == PALEO_RECOMPUTE_ATTENTION)
		return l->attends && l->inner_bytes > l->in_bytes;
	if (recompute_of(j) != PALEO_RECOMPUTE_OPS || !in_block(j, i) || l->attends)
		return 0;
	return l->flops > 0 ? 0.5 : 1;
}

/* A layer's saved internals; recomputed attention only needs its inputs. */
static double inner_of(const struct paleo_plan_job *j, int i)
{
	const struct paleo_part_layer *l = &j->part->layers[i];

	if (l->attends)
		return again_of(j, i) > 0 ? fmin(l->inner_bytes, l->in_bytes) : l->inner_bytes;
	return l->inner_bytes * (1 - again_of(j, i));
}

/* Bytes kept by layers [from, to), if nothing of blocks is (`outside`), or all of it. */
static double kept_by(const struct paleo_plan_job *j, int from, int to, int outside)
{
	double sum = 0;

	for (int i = from; i < to; i++)
		if (!outside || !in_block(j, i))
			sum += inner_of(j, i);
	for (int i = 0; i < to; i++) {
		const struct paleo_part_layer *l = &j->part->layers[i];
		int at = owner(l, i);
		if (l->kept_share > 0 && at >= from && at < to && (!outside || !in_block(j, at)))
			sum += share_of(j, l) * l->kept_share *
			       (l->attends ? 1 : 1 - again_of(j, i));
	}
	return sum;
}

/* 1 if full recomputation repeats this layer of the chunk that begins with layer `from`. */
static int is_again(const struct paleo_plan_job *j, int i, int from)
{
	int first = 0, b = 0, most = j->s->plan->blocks;

	if (!in_block(j, i))
		return !j->blocks;
	while (first < j->blocks && j->begin[first] < from)
		first++;
	for (b = first; b < j->blocks && j->begin[b + 1] <= i;)
		b++;
	return !most || b < first + most;
}

/* Korthikanti et al. 2022: full recomputation keeps the input of each block. */
static void keep(const struct paleo_plan_job *j, struct paleo_plan_chunk *c, int from, int to)
{
	int full = recompute_of(j) == PALEO_RECOMPUTE_FULL && j->blocks;

	c->kept_bytes = kept_by(j, from, to, full);
	for (int b = 0; full && b < j->blocks; b++) {
		if (j->begin[b] < from || j->begin[b] >= to)
			continue;
		if (!is_again(j, j->begin[b], from)) {
			c->kept_bytes += kept_by(j, j->begin[b], j->begin[b + 1], 0);
			continue;
		}
		c->kept_bytes += paleo_plan_crossing(j, j->begin[b]);
		c->again_bytes = fmax(c->again_bytes, kept_by(j, j->begin[b], j->begin[b + 1], 0));
	}
}

/* What the device waits for the host in each pass of experts, whose numbers of tokens it reads: for
 * the kernels of each expert, and of all around them where no CUDA graph starts those. Fitted to
 * published steps (docs/method/training.md). */
static double wait_s(const struct paleo_plan_job *j, const struct paleo_part_layer *l)
{
	const double expert_s = 0.09e-3, around_s = 1.8e-3;
	const struct paleo_device *d = j->sim->config.device;
	int graphs = j->s->plan->graphs;

	if (!d || d->is_processor || graphs == PALEO_GRAPHS_STEP)
		return 0;
	double own_s = expert_s * l->experts;
	return graphs || !l->experts ? own_s : fmax(own_s, around_s);
}

/* The gradients of weights are added to those of earlier micro-batches, which are read. */
static double sum_s(const struct paleo_plan_job *j, const struct paleo_part_layer *l)
{
	const struct paleo_device *d = j->sim->config.device;

	if (!d || j->micro_batches == 1 || j->s->plan->zero > 1)
		return 0;
	return l->weights * j->sim->weight_bytes / d->mem_bytes_per_s;
}

static void add_layer(const struct paleo_plan_job *j, struct paleo_plan_chunk *c, int i, int from)
{
	const struct paleo_part_layer *l = &j->part->layers[i];
	struct paleo_exchange_s x = paleo_layer_exchange(&j->g, l);
	int all = recompute_of(j) == PALEO_RECOMPUTE_FULL && is_again(j, i, from);
	double again = all ? 1 : again_of(j, i);
	double share = share_of_tokens(j, l), wait = wait_s(j, l);

	c->fwd_s += share * l->fwd_s + wait;
	c->bwd_s += share * (l->bwd_s + again * l->fwd_s) + wait * (1 + again);
	c->wgrad_s += share * l->wgrad_s + wait + sum_s(j, l);
	c->update_s += l->update_s;
	c->fwd_comm += x.fwd_s;
	c->bwd_comm += x.bwd_s + (all ? x.fwd_s : 0);
	c->fwd_tokens += x.tokens_s;
	c->bwd_tokens += (all ? 2 : 1) * x.tokens_s;
	c->moved_s += x.moved_s + (all ? x.fwd_s + x.tokens_s : 0);
	c->again_flops += again * l->flops;
	*(l->experts ? &c->experts : &c->weights) += l->weights;
	c->logit_bytes += l->logit_bytes;
	c->grad_bytes = fmax(c->grad_bytes, l->out_bytes + l->in_bytes);
}

/* Tokens on the way to experts and back: beside the passes of another micro-batch, or seen. */
static void dispatch(const struct paleo_plan_job *j, struct paleo_plan_chunk *c)
{
	double bwd_s = c->bwd_s + c->wgrad_s;

	if (!j->s->plan->hidden) {
		c->fwd_comm += c->fwd_tokens;
		c->bwd_comm += c->bwd_tokens;
		return;
	}
	c->fwd_comm += paleo_overlapped(&j->g, c->fwd_s, c->fwd_tokens, c->units) - c->fwd_s;
	c->bwd_comm += paleo_overlapped(&j->g, bwd_s, c->bwd_tokens, c->units) - bwd_s;
}

/* Weights that are gathered, and gradients that are scattered, for every micro-batch. */
static void shard(const struct paleo_plan_job *j, struct paleo_plan_chunk *c)
{
	int zero = j->s->plan->zero;
	double bytes = (c->weights + c->experts) * j->sim->weight_bytes;

	if (zero < 2 || j->g.dp * j->g.cp == 1)
		return;
	struct paleo_sharding_s t = paleo_sharding_times(&j->g, zero, bytes, c->units);
	double back = t.scatter_s + (zero == 3 ? t.gather_s : 0);
	double bwd_s = c->bwd_s + c->wgrad_s;
	if (zero == 3) {
		c->fwd_comm += paleo_overlapped(&j->g, c->fwd_s, t.gather_s, c->units) - c->fwd_s;
		c->moved_s += t.gather_s;
	}
	c->bwd_comm += paleo_overlapped(&j->g, bwd_s, back, c->units) - bwd_s;
	c->moved_s += back;
}

void paleo_plan_fill_chunk(const struct paleo_plan_job *j, int k)
{
	struct paleo_plan_chunk *c = &j->chunk[k];
	int from = j->cut[k], to = j->cut[k + 1];

	for (int i = from; i < to; i++)
		add_layer(j, c, i, from);
	for (int i = from; i < to && from > 0; i++) /* the embedding is on the first stage */
		c->weights += j->part->layers[i].tied;
	for (int b = 0; b < j->blocks; b++)
		c->units += j->begin[b] >= from && j->begin[b] < to;
	c->units = paleo_at_least_1(c->units);
	keep(j, c, from, to);
	dispatch(j, c);
	shard(j, c);
}
