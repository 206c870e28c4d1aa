/* collective.h - how long collective operations take on the links between workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SIMULATE_COLLECTIVE_H
#define PALEO_MODEL_SIMULATE_COLLECTIVE_H

#include "model/device/link.h"

/* Topology: nodes of `per_host` workers each, the last one possibly not full. */
struct paleo_fabric {
	struct paleo_link within;  /* between two workers of a host */
	struct paleo_link between; /* between hosts; the workers of a host share one */
	int per_host;              /* >= 1; 1: `within` is not used */
	int servers;               /* parameter servers, >= 1, each with its own link */
	double reached;            /* fraction of the links' rates that is reached, above 0 */
	double reduce_s_per_byte;  /* adding one vector to another; 0: not counted */
};

/* Joins workers as makers sell this device (paleo_node_usual); where that is not known, by the
 * original's Ethernet alone. */
void paleo_fabric_usual(struct paleo_fabric *f, const char *device);

/*
 * One way to do collective operations: a constant, one line of the table in collective.c.
 * All times are in seconds, for `workers` 1 .. PALEO_WORKERS_MAX, of a vector of
 * `bytes` that every worker has (all-reduce, reduce-scatter) or will have
 * (all-gather). They are 0 for one worker.
 */
struct paleo_scheme {
	const char *name;   /* "ring" */
	const char *what;   /* one line of help */
	const char *source; /* of the formulas */
	double (*all_reduce_s)(const struct paleo_fabric *f, int workers, double bytes);
	double (*reduce_scatter_s)(const struct paleo_fabric *f, int workers,
				   double bytes); /* NULL: has none */
	double (*all_gather_s)(const struct paleo_fabric *f, int workers,
			       double bytes); /* NULL: has none */
};

const struct paleo_scheme *paleo_schemes(int *count);
const struct paleo_scheme *paleo_scheme_find(const char *name); /* NULL if there is none */

/* Each of p workers has n bytes, and sends an equal part of them to each, itself included. */
double paleo_all_to_all_s(const struct paleo_fabric *f, int p, double n);

/*
 * Each of p workers has tokens of n bytes in all, and sends each token to `top` of the others at
 * random: once to a host, and there once to a worker, while others are on their way.
 */
double paleo_dispatch_s(const struct paleo_fabric *f, int p, double n, int top);

/* One message of `bytes` between neighbours, which are on different hosts if `workers` need more
 * than one. */
double paleo_send_s(const struct paleo_fabric *f, int workers, double bytes);

/* ceil(log2 n) for n >= 1. */
int paleo_tree_height(int n);

#endif
