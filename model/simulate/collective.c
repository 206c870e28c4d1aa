/* collective.c - collective operations: each scheme's formula, and the table of schemes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulate/collective.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/*
 * Symbols of the sources: p workers, a vector of n bytes, alpha the latency, beta the
 * seconds per byte of a link, gamma the seconds per byte of an addition.
 *
 * [TRG]  Thakur, Rabenseifner, Gropp, Optimization of Collective Communication
 *        Operations in MPICH, 2005.
 * [PY]   Patarasuk, Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of
 *        Workstations, 2009.
 * [NCCL] NVIDIA's NCCL, src/graph/tuning.cc: latencies of a ring's steps.
 *
 * They know one kind of link. Here a step between workers `distance` apart (ranks
 * i and i xor distance, or i and i + distance) stays within hosts or leaves them; the
 * slowest pair of a step decides (but for the latency of a ring, below), and workers
 * of a host that leave it at the same time share its link.
 */
struct hop {
	double alpha, beta;
};

/* Latency and seconds per byte of a link, for a collective operation on `total` bytes. */
static struct hop link_hop(const struct paleo_fabric *f, const struct paleo_link *l, double total)
{
	if (l == &f->within && f->per_host == 1)
		return (struct hop){0, 0}; /* not used, and perhaps not set */
	for (int i = 0; i < l->range_count; i++)
		if (total <= l->ranges[i].to_bytes || i == l->range_count - 1)
			return (struct hop){l->ranges[i].latency_s,
					    1 / (l->ranges[i].bytes_per_s * f->reached)};
	return (struct hop){l->latency_s, 1 / (l->bytes_per_s * f->reached)};
}

void paleo_fabric_usual(struct paleo_fabric *f, const char *device)
{
	struct paleo_node node;

	f->between = *paleo_link_find("ethernet");
	f->per_host = 1;
	if (!paleo_node_usual(device, &node))
		return;
	f->within = *node.within;
	f->between = *node.between;
	f->per_host = node.gpus;
	paleo_link_bundle(&f->between, node.links);
}

static struct hop between_hop(const struct paleo_fabric *f, int p, double total)
{
	return link_hop(f, p <= f->per_host ? &f->within : &f->between, total);
}

static int hosts_of(const struct paleo_fabric *f, int p)
{
	return (p + f->per_host - 1) / f->per_host;
}

/* Workers of the fullest host. */
static int host_size(const struct paleo_fabric *f, int p)
{
	return p < f->per_host ? p : f->per_host;
}

/* Ranks i and i xor d, all at once. The pairs of distance d stay together if a host holds whole
 * blocks of 2d ranks. */
static struct hop exchange_hop(const struct paleo_fabric *f, int p, int d, double total)
{
	if (p <= f->per_host || f->per_host % (2 * d) == 0)
		return link_hop(f, &f->within, total);
	struct hop h = link_hop(f, &f->between, total);
	h.beta *= host_size(f, p);
	return h;
}

int paleo_tree_height(int n)
{
	int h = 0;

	assert(n >= 1);
	while ((long long)1 << h < n)
		h++;
	return h;
}

/* The largest power of two that is at most n. */
static int power_below(int n)
{
	int h = paleo_tree_height(n);

	return 1 << h == n ? n : 1 << (h - 1);
}

double paleo_send_s(const struct paleo_fabric *f, int workers, double bytes)
{
	struct hop h = between_hop(f, workers, bytes);

	return h.alpha + bytes * h.beta;
}

/* Qi, Sparks, Talwalkar 2017: one worker collects all vectors, one by one, and sends the sum back
 * in the same way. */
static double one_to_all(const struct paleo_fabric *f, int p, double n)
{
	int near = host_size(f, p) - 1, far = p - 1 - near;
	struct hop w = link_hop(f, &f->within, n), b = link_hop(f, &f->between, n);

	if (p == 1)
		return 0;
	return 2 * (near * (w.alpha + n * w.beta) + far * (b.alpha + n * b.beta)) +
	       (p - 1) * n * f->reduce_s_per_byte;
}

/* A binomial tree up and down: 2 ceil(log2 p) (alpha + n beta) + ceil(log2 p) n gamma. [TRG] 4.4,
 * reduce and broadcast. One pair of a host at most leaves it in a step. */
static double tree(const struct paleo_fabric *f, int p, double n)
{
	double time = 0;

	for (int d = 1; d < p; d *= 2) {
		int within = p <= f->per_host || f->per_host % (2 * d) == 0;
		struct hop h = link_hop(f, within ? &f->within : &f->between, n);
		time += 2 * (h.alpha + n * h.beta) + n * f->reduce_s_per_byte;
	}
	return time;
}

/* Steps at distances 1, 2, 4 ... below p, the whole vector each time: log2 p (alpha + n beta +
 * n gamma). [TRG] 4.5. */
static double doubling_steps(const struct paleo_fabric *f, int p, double n)
{
	double time = 0;

	for (int d = 1; d < p; d *= 2) {
		struct hop h = exchange_hop(f, p, d, n);
		time += h.alpha + n * h.beta + n * f->reduce_s_per_byte;
	}
	return time;
}

/* [TRG] 4.5: where p is not a power of two, the p - 2^floor(log2 p) extra workers are folded into
 * their neighbours first and receive the result at the end. */
static double fold(const struct paleo_fabric *f, int p, double n)
{
	if (power_below(p) == p)
		return 0;
	struct hop h = exchange_hop(f, p, 1, n);
	return 2 * (h.alpha + n * h.beta) + n * f->reduce_s_per_byte;
}

static double recursive_doubling(const struct paleo_fabric *f, int p, double n)
{
	return doubling_steps(f, power_below(p), n) + fold(f, p, n);
}

/* Qi, Sparks, Talwalkar 2017: every worker exchanges with one other, once; the result is a mixture,
 * not the sum of all. */
static double mixing(const struct paleo_fabric *f, int p, double n)
{
	return p == 1 ? 0 : paleo_send_s(f, p, n) + n * f->reduce_s_per_byte;
}

/* A collective of so many messages, one after the other, on a vector of `total` bytes: as measured
 * where it was (link.h), else their sum. */
static double messages_s(const struct paleo_fabric *f, const struct paleo_link *l, double count,
			 double bytes, double total)
{
	struct hop h = link_hop(f, l, total);
	double v = l->collective.v, rate = l->bytes_per_s * l->collective.share * f->reached;

	if (count == 0 || l->range_count || !(v > 0))
		return count * (h.alpha + bytes * h.beta);
	double wait = l->collective.start_s + count * l->collective.latency_s;
	return pow(pow(wait, v) + pow(count * bytes / rate, v), 1 / v);
}

static const struct paleo_link *ring_link(const struct paleo_fabric *f, int p)
{
	return p <= f->per_host ? &f->within : &f->between;
}

/* p - 1 steps of n/p bytes around the ring. [PY] 3; [TRG] 4.1. A ring that is ordered by hosts
 * leaves each host once: all parts go at the slowest link's rate, and each waits for the latencies
 * on its way, which is [NCCL]'s sum with one host more. */
static double ring_gather(const struct paleo_fabric *f, int p, double n)
{
	if (p <= f->per_host || f->per_host == 1)
		return messages_s(f, ring_link(f, p), p - 1, n / p, n);
	struct hop w = link_hop(f, &f->within, n), b = link_hop(f, &f->between, n);
	int leaving = hosts_of(f, p);
	return leaving * b.alpha + (p - 1 - leaving) * w.alpha + (p - 1) * (n / p) * b.beta;
}

/* Of the additions of a reduction: (p - 1)/p n gamma. */
static double ring_added_s(const struct paleo_fabric *f, int p, double n)
{
	return (p - 1) * (n / p) * f->reduce_s_per_byte;
}

static double ring_scatter(const struct paleo_fabric *f, int p, double n)
{
	return ring_gather(f, p, n) + ring_added_s(f, p, n);
}

/* 2 (p - 1) alpha + 2 (p - 1)/p n beta + (p - 1)/p n gamma. [PY] 3. One collective, so one start.
 */
static double ring(const struct paleo_fabric *f, int p, double n)
{
	if (ring_link(f, p)->collective.v > 0)
		return messages_s(f, ring_link(f, p), 2 * (p - 1), n / p, n) +
		       ring_added_s(f, p, n);
	double gather_s = ring_gather(f, p, n);
	return gather_s + ring_added_s(f, p, n) + gather_s;
}

/* Steps at distances 1, 2, 4 ... with half, a quarter ... of the vector:
 * log2 p alpha + (p - 1)/p n beta. [TRG] 4.1 and 4.5. */
static double halving_gather(const struct paleo_fabric *f, int p, double n)
{
	double time = 0, part = n;
	int q = power_below(p);

	for (int d = 1; d < q; d *= 2) {
		struct hop h = exchange_hop(f, p, d, n);
		part /= 2;
		time += h.alpha + part * h.beta;
	}
	return time;
}

static double halving_scatter(const struct paleo_fabric *f, int p, double n)
{
	int q = power_below(p);

	return halving_gather(f, p, n) + (q - 1) * (n / q) * f->reduce_s_per_byte;
}

/* Where p is not a power of two, half of the fold precedes the reduce-scatter and half of it
 * follows the all-gather. */
static double halving_scatter_any(const struct paleo_fabric *f, int p, double n)
{
	struct hop h = exchange_hop(f, p, 1, n);
	double first = power_below(p) == p ? 0 : h.alpha + n * h.beta + n * f->reduce_s_per_byte;

	return halving_scatter(f, p, n) + first;
}

static double halving_gather_any(const struct paleo_fabric *f, int p, double n)
{
	struct hop h = exchange_hop(f, p, 1, n);

	return halving_gather(f, p, n) + (power_below(p) == p ? 0 : h.alpha + n * h.beta);
}

/* Rabenseifner: 2 log2 p alpha + 2 (p - 1)/p n beta + (p - 1)/p n gamma. [TRG] 4.5. */
static double halving_doubling(const struct paleo_fabric *f, int p, double n)
{
	return halving_scatter_any(f, p, n) + halving_gather_any(f, p, n);
}

/* Each of q workers of a node has a separate ring to its peers on other nodes, with its q-th part
 * of the vector; the rings share the nodes' links, so these carry the whole vector. */
static double hierarchical_gather(const struct paleo_fabric *f, int p, double n)
{
	int q = host_size(f, p), hosts = hosts_of(f, p);

	return messages_s(f, &f->within, q - 1, n / q, n) +
	       messages_s(f, &f->between, hosts - 1, n / hosts, n);
}

static double hierarchical_scatter(const struct paleo_fabric *f, int p, double n)
{
	int q = host_size(f, p), hosts = hosts_of(f, p);
	double added = (q - 1) * (n / q) + (hosts - 1) * (n / q / hosts);

	return hierarchical_gather(f, p, n) + added * f->reduce_s_per_byte;
}

static double hierarchical(const struct paleo_fabric *f, int p, double n)
{
	return hierarchical_scatter(f, p, n) + hierarchical_gather(f, p, n);
}

/* Workers push their gradients to K servers, n/K bytes to each, and pull the sums. A server's link
 * carries p n/K bytes each way, a host's link those of all its workers; the slower decides. Without
 * servers' links being the limit it is 2 (alpha + n beta). */
static double parameter_server(const struct paleo_fabric *f, int p, double n)
{
	struct hop h = link_hop(f, &f->between, n);
	double at_server = p * (n / f->servers), at_host = host_size(f, p) * n;
	double most = at_server > at_host ? at_server : at_host;

	if (p == 1)
		return 0;
	return 2 * (h.alpha + most * h.beta) + at_server * f->reduce_s_per_byte;
}

/* Pairwise exchange: in step i each worker sends n/p bytes to the one i places on. [TRG] 4.3, long
 * messages: (p - 1) alpha + (p - 1)/p n beta. */
double paleo_all_to_all_s(const struct paleo_fabric *f, int p, double n)
{
	struct hop b = link_hop(f, &f->between, n);
	double part = n / p, q = host_size(f, p), steps = p - 1;

	if (p <= f->per_host)
		return messages_s(f, &f->within, steps, part, n);
	/* In step i min(i, q) of a host's q workers send to another host: q (q - 1)/2 in all of
	 * the first q - 1 steps, q in each of the p - q others. */
	double leaving = q * (q - 1) / 2 + (p - q) * q;
	return steps * b.alpha + leaving * part * b.beta;
}

/* Places other than its own that a token with `top` random destinations among n places goes to. */
static double others(double n, int top)
{
	return (n - 1) * (1 - pow(1 - 1 / n, top));
}

double paleo_dispatch_s(const struct paleo_fabric *f, int p, double n, int top)
{
	struct hop w = link_hop(f, &f->within, n), b = link_hop(f, &f->between, n);
	double q = host_size(f, p), hosts = ceil(p / q);
	double within = (q - 1) * w.alpha + others(p, top) * n * w.beta;
	double between = (hosts - 1) * b.alpha + others(hosts, top) * q * n * b.beta;

	if (p <= f->per_host)
		return within;
	return f->per_host > 1 ? fmax(within, between) : between;
}

/* The same with a reduction of the received data: (p - 1)/p n gamma more. */
static double pairwise_scatter(const struct paleo_fabric *f, int p, double n)
{
	double steps = p - 1;

	return paleo_all_to_all_s(f, p, n) + steps * (n / p) * f->reduce_s_per_byte;
}

/* Bruck: ceil(log2 p) steps, the vectors doubling: ceil(log2 p) alpha + (p - 1)/p n beta. [TRG]
 * 4.1. */
static double bruck_gather(const struct paleo_fabric *f, int p, double n)
{
	double time = 0;

	for (int d = 1; d < p; d *= 2) {
		int sent = d < p - d ? d : p - d;
		struct hop h = between_hop(f, p, n);
		int leaving = d < host_size(f, p) ? d : host_size(f, p);
		if (p > f->per_host)
			h.beta *= leaving;
		time += h.alpha + n / p * sent * h.beta;
	}
	return time;
}

static double scatter_gather(const struct paleo_fabric *f, int p, double n)
{
	return pairwise_scatter(f, p, n) + bruck_gather(f, p, n);
}

#define TRG "Thakur, Rabenseifner, Gropp 2005"
#define ORIGINAL "Qi, Sparks, Talwalkar 2017, with a latency for each message"
// clang-format off
static const struct paleo_scheme schemes[] = {
	{.name = "ring",
	 .what = "reduce-scatter and all-gather around a ring; NCCL's choice for large vectors",
	 .source = "Patarasuk, Yuan 2009", .all_reduce_s = ring, .reduce_scatter_s = ring_scatter,
	 .all_gather_s = ring_gather},
	{.name = "hierarchical",
	 .what = "rings within nodes, then between them, each worker with its part",
	 .source = "Patarasuk, Yuan 2009 on two levels; Jia et al. 2018",
	 .all_reduce_s = hierarchical, .reduce_scatter_s = hierarchical_scatter,
	 .all_gather_s = hierarchical_gather},
	{.name = "halving-doubling", .what = "recursive halving and doubling (Rabenseifner)",
	 .source = TRG, .all_reduce_s = halving_doubling, .reduce_scatter_s = halving_scatter_any,
	 .all_gather_s = halving_gather_any},
	{.name = "recursive-doubling",
	 .what = "the whole vector is exchanged log2 p times; for small vectors", .source = TRG,
	 .all_reduce_s = recursive_doubling},
	{.name = "scatter-gather", .what = "pairwise reduce-scatter, Bruck's all-gather",
	 .source = TRG, .all_reduce_s = scatter_gather, .reduce_scatter_s = pairwise_scatter,
	 .all_gather_s = bruck_gather},
	{.name = "parameter-server", .what = "push to K servers, pull from them",
	 .source = "Li et al. 2014", .all_reduce_s = parameter_server},
	{.name = "one-to-all", .what = "one worker collects and sends (the original's OneToAll)",
	 .source = ORIGINAL, .all_reduce_s = one_to_all},
	{.name = "tree", .what = "a binomial tree up and down (the original's TreeAllReduce)",
	 .source = TRG, .all_reduce_s = tree},
	{.name = "butterfly",
	 .what = "ceil(log2 p) exchanges of the whole vector (the original's ButterflyAllReduce)",
	 .source = ORIGINAL, .all_reduce_s = doubling_steps},
	{.name = "mixing",
	 .what = "one exchange with one other worker, without the full sum (the original's ButterflyMixing)",
	 .source = ORIGINAL, .all_reduce_s = mixing},
};
// clang-format on

const struct paleo_scheme *paleo_schemes(int *count)
{
	*count = (int)(sizeof(schemes) / sizeof(schemes[0]));
	return schemes;
}

const struct paleo_scheme *paleo_scheme_find(const char *name)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (!strcmp(schemes[i].name, name))
			return &schemes[i];
	return NULL;
}
