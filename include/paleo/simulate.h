/* simulate.h - a training step of a net on several workers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_SIMULATE_H
#define PALEO_SIMULATE_H

#include "paleo/net.h"
#include "paleo/predictor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The workers (each the predictor's device) and how they share a step. Names are those of `paleo
 * simulate`. Without link, link_file, node_link and workers_per_node: the nodes and networks that
 * are usual for the device, else "ethernet". */
struct paleo_cluster {
	int workers;            /* 1 .. 2^20; 0: 1 */
	const char *strategy;   /* "data" (default), "zero1", "zero2", "zero3", "tensor", ... */
	const char *all_reduce; /* all-reduce algorithm: "ring" (default), "tree", ... */
	const char *link;       /* between nodes: "ethernet" (default), "infiniband-ndr", ... */
	const char *link_file;  /* a file that describes more links */
	const char *node_link;  /* within a node that has several workers */
	int workers_per_node;   /* 0: 1 */
	const char *optimizer;  /* "sgd" (default), "momentum", "adam" */
	int overlap;            /* 1: gradients are communicated during the backward pass */
	double bucket_bytes;    /* with overlap: bytes of a gradient bucket; 0: 25 MiB */
};

/* One step. Seconds of the slowest worker. */
struct paleo_cluster_step {
	double step_s;
	double fwd_s, bwd_s, update_s; /* computation */
	double comm_s;                 /* all communication */
	double exposed_s;              /* communication not hidden by computation */
	double bubble_s;               /* pipeline bubble */
	double images_per_s;           /* of all workers */
	double speedup;                /* over one worker with the net's batch */
	double memory_bytes;           /* of the worker with the highest use */
};

/* A step in which each worker has a batch of the size of the net's (weak scaling). PALEO_EINPUT for
 * unknown words, and where workers, batch or all_reduce do not suit the strategy;
 * PALEO_EUNSUPPORTED where an op cannot be predicted; PALEO_EIO; PALEO_ENOMEM. */
PALEO_API int paleo_net_simulate(const struct paleo_predictor *predictor,
				 const struct paleo_net *net, const struct paleo_cluster *cluster,
				 struct paleo_cluster_step *out, struct paleo_error *err);

#ifdef __cplusplus
}
#endif

#endif
