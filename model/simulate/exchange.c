/* exchange.c - times of a plan's exchanges: sums of tensors, rings of keys, tokens to experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/exchange.h"

#include <math.h>

/*
 * Workers that are `stride` apart: so many fewer of a group are on one host, and as many groups
 * share its link to the others.
 */
static struct paleo_fabric spread(const struct paleo_fabric *f, int stride)
{
	struct paleo_fabric out = *f;
	int sharing = stride < f->per_host ? stride : f->per_host;

	out.per_host = f->per_host / sharing;
	out.between.bytes_per_s /= sharing;
	for (int i = 0; i < out.between.range_count; i++)
		out.between.ranges[i].bytes_per_s /= sharing;
	return out;
}

static double all_reduce(const struct paleo_groups *g, int stride, int workers, double bytes)
{
	struct paleo_fabric f = spread(&g->setup->fabric, stride);

	return workers > 1 && bytes > 0 ? g->setup->scheme->all_reduce_s(&f, workers, bytes) : 0;
}

static double all_gather(const struct paleo_groups *g, int stride, int workers, double bytes)
{
	struct paleo_fabric f = spread(&g->setup->fabric, stride);

	return workers > 1 && bytes > 0 ? g->setup->scheme->all_gather_s(&f, workers, bytes) : 0;
}

static double reduce_scatter(const struct paleo_groups *g, int stride, int workers, double bytes)
{
	struct paleo_fabric f = spread(&g->setup->fabric, stride);

	return workers > 1 && bytes > 0 ? g->setup->scheme->reduce_scatter_s(&f, workers, bytes)
					: 0;
}

/* What is seen of a send in as many parts as workers, each while a part of a GEMM is computed (as
 * by tp_comm_overlap of NeMo, asynchronous tensor parallelism of torchtitan); else all of it. */
static double seen_beside(const struct paleo_groups *g, double gemm_s, double travel_s)
{
	const struct paleo_sim_setup *s = g->setup;

	if (s->plan->exposed || !s->overlap || g->tp > s->fabric.per_host)
		return travel_s;
	return paleo_overlapped(g, gemm_s, travel_s, g->tp) - gemm_s;
}

/*
 * Sums over tensor-parallel workers: an all-reduce of an output that is a sum, and of the gradient
 * of an input; or with sequence parallelism its two halves (Korthikanti et al. 2022, 4.2.2), one
 * behind the GEMM that has addends, one before the GEMM that reads the sum.
 */
static void exchange_sums(const struct paleo_groups *g, const struct paleo_part_layer *l,
			  struct paleo_exchange_s *x)
{
	/* of divided experts, those of each pair of token and expert */
	int copies = l->experts && g->etp > 1 ? l->routed_to : 1;
	double out = l->sums_out ? copies * l->out_bytes : 0, in = copies * l->sum_in_bytes;

	if (!g->setup->plan->sequence) {
		x->fwd_s += all_reduce(g, 1, g->tp, out);
		x->bwd_s += all_reduce(g, 1, g->tp, in);
		x->moved_s += x->fwd_s + x->bwd_s;
		return;
	}
	double scatter_out = reduce_scatter(g, 1, g->tp, out),
	       gather_in = all_gather(g, 1, g->tp, in);
	double gather_out = all_gather(g, 1, g->tp, out),
	       scatter_in = reduce_scatter(g, 1, g->tp, in);
	int waits = l->experts > 0; /* until tokens are there */
	x->fwd_s += seen_beside(g, waits ? 0 : l->fwd_s, scatter_out + gather_in);
	x->bwd_s += seen_beside(g, waits ? 0 : l->bwd_s + l->wgrad_s, gather_out + scatter_in);
	x->moved_s += scatter_out + gather_in + gather_out + scatter_in;
}

/*
 * Keys and values of a worker's tokens go around a ring, while it attends to those that it has
 * (Liu et al. 2023); or all are gathered before (Llama Team 2024, 3.3.2). Backward they come again,
 * and their gradients go back.
 */
static void exchange_keys(const struct paleo_groups *g, const struct paleo_part_layer *l,
			  struct paleo_exchange_s *x)
{
	struct paleo_fabric f = spread(&g->setup->fabric, g->tp);
	int steps = g->cp - 1;

	if (g->cp == 1 || !l->attends)
		return;
	if (g->setup->plan->gather) {
		double fwd = all_gather(g, g->tp, g->cp, l->key_bytes);
		double bwd = fwd + reduce_scatter(g, g->tp, g->cp, l->key_bytes);
		x->fwd_s += fwd;
		x->bwd_s += bwd;
		x->moved_s += fwd + bwd;
		return;
	}
	double once = paleo_send_s(&f, g->cp, l->key_bytes / g->cp);
	double twice = paleo_send_s(&f, g->cp, 2 * l->key_bytes / g->cp);
	x->fwd_s += steps * fmax(0, once - l->fwd_s / g->cp);
	x->bwd_s += steps * fmax(0, twice - l->bwd_s / g->cp);
	x->moved_s += steps * (once + twice);
}

/* Tokens to their experts and back, forward, and their gradients (Lepikhin et al. 2021). With
 * sequence parallelism each tensor-parallel worker sends its own. */
static void exchange_tokens(const struct paleo_groups *g, const struct paleo_part_layer *l,
			    struct paleo_exchange_s *x)
{
	struct paleo_fabric f = spread(&g->setup->fabric, g->etp);
	double bytes = l->routed_bytes / (g->setup->plan->sequence ? g->tp : 1);

	if (g->ep == 1 || !l->experts)
		return;
	double time = paleo_dispatch_s(&f, g->ep, bytes, l->routed_to);
	x->tokens_s = 2 * time;
	x->moved_s += 4 * time;
}

struct paleo_exchange_s paleo_layer_exchange(const struct paleo_groups *g,
					     const struct paleo_part_layer *l)
{
	struct paleo_exchange_s x = {0};

	exchange_sums(g, l, &x);
	exchange_keys(g, l, &x);
	exchange_tokens(g, l, &x);
	return x;
}

struct paleo_sharding_s paleo_sharding_times(const struct paleo_groups *g, int zero, double bytes,
					     int units)
{
	struct paleo_sharding_s out = {0};
	int same = g->dp * g->cp, replicas = same / g->shards;
	double each = bytes / units;

	if (zero == 0) {
		out.scatter_s = units * all_reduce(g, g->tp, same, each);
		return out;
	}
	out.gather_s = units * all_gather(g, g->tp, g->shards, each);
	out.scatter_s = units * (reduce_scatter(g, g->tp, g->shards, each) +
				 all_reduce(g, g->tp * g->shards, replicas, each / g->shards));
	return out;
}

double paleo_expert_sync_s(const struct paleo_groups *g, double bytes)
{
	return all_reduce(g, g->etp * g->ep, g->dp * g->cp * (g->tp / g->etp) / g->ep, bytes);
}

double paleo_overlapped(const struct paleo_groups *g, double compute_s, double travel_s, int units)
{
	/* multiprocessors that send do not compute: 20 of 132 (DeepSeek-AI 2024, arXiv 2412.19437)
	 */
	const double taken = 20.0 / 132;
	double both = fmin(compute_s, travel_s);

	if (!g->setup->overlap)
		return compute_s + travel_s;
	return fmax(compute_s, travel_s) + both * fmin(1, taken + 1.0 / units);
}

double paleo_stage_send_s(const struct paleo_groups *g, double bytes)
{
	int stride = g->tp * g->cp * g->dp;
	struct paleo_fabric f = spread(&g->setup->fabric, stride);
	int sequence = g->setup->plan->sequence;
	double part = sequence ? bytes : bytes / g->tp;

	return paleo_send_s(&f, g->pp, part) + (sequence ? 0 : all_gather(g, 1, g->tp, bytes));
}
