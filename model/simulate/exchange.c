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

/* A sum over tensor-parallel workers: an all-reduce, or with sequence parallelism the two halves of
 * one (Korthikanti et al. 2022, 4.2.2). */
static double tensor_sum(const struct paleo_groups *g, double bytes)
{
	if (g->setup->plan->sequence)
		return reduce_scatter(g, 1, g->tp, bytes) + all_gather(g, 1, g->tp, bytes);
	return all_reduce(g, 1, g->tp, bytes);
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
	struct paleo_fabric f = spread(&g->setup->fabric, g->tp);
	double bytes = l->routed_bytes / (g->setup->plan->sequence ? g->tp : 1);

	if (g->ep == 1 || !l->has_experts)
		return;
	double time = paleo_all_to_all_s(&f, g->ep, bytes);
	x->fwd_s += 2 * time;
	x->bwd_s += 2 * time;
	x->moved_s += 4 * time;
}

struct paleo_exchange_s paleo_layer_exchange(const struct paleo_groups *g,
					     const struct paleo_part_layer *l)
{
	struct paleo_exchange_s x = {0};

	if (l->sums_out)
		x.fwd_s += tensor_sum(g, l->out_bytes);
	if (l->sum_in_bytes > 0)
		x.bwd_s += tensor_sum(g, l->sum_in_bytes);
	x.moved_s = x.fwd_s + x.bwd_s;
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
	return all_reduce(g, g->tp * g->ep, g->dp * g->cp / g->ep, bytes);
}

double paleo_beside(const struct paleo_groups *g, double compute_s, double travel_s, int units)
{
	if (!g->setup->overlap)
		return compute_s + travel_s;
	return fmax(compute_s, travel_s) + fmin(compute_s, travel_s) / units;
}

double paleo_stage_send_s(const struct paleo_groups *g, double bytes)
{
	int stride = g->tp * g->cp * g->dp;
	struct paleo_fabric f = spread(&g->setup->fabric, stride);
	int sequence = g->setup->plan->sequence;
	double part = sequence ? bytes : bytes / g->tp;

	return paleo_send_s(&f, g->pp, part) + (sequence ? 0 : all_gather(g, 1, g->tp, bytes));
}
