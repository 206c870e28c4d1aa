/* link.h - links between workers: latency, bandwidth, and fitted parameters. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_LINK_H
#define PALEO_MODEL_DEVICE_LINK_H

#include "base/error.h"

/*
 * A message of B bytes takes latency + B / rate (Hockney 1994). Rates are of one
 * direction of one worker's link, in bytes/s; links carry both directions at once.
 * Collectives of a library that were measured (results/studies/nccl.py) start once,
 * and their waiting overlaps their sending: a, for the start and all latencies, and
 * b, for all bytes, take (a^v + b^v)^(1/v) together.
 */

/* Fitted parameters of collectives on vectors of up to so many bytes. */
struct paleo_link_range {
	double to_bytes; /* infinite in the last range */
	double latency_s;
	double bytes_per_s;
	double se_latency_s, se_bytes_per_s; /* standard errors; NaN: not known */
};

enum {
	PALEO_LINK_RANGES_MAX = 32,
	PALEO_WORKERS_MAX = 1 << 20
};

/* A plain value. */
struct paleo_link {
	char name[32];    /* "ethernet20", as a user writes it */
	char title[64];   /* "Ethernet" */
	char source[256]; /* where rate and latency are from */
	double latency_s; /* from start to arrival of a message without content */
	double bytes_per_s;
	struct {
		double v; /* 0: not measured, a collective's messages add up */
		double start_s, latency_s;
		double share; /* of the rate that a collective reaches */
	} collective;
	struct paleo_link_range ranges[PALEO_LINK_RANGES_MAX]; /* ascending; override the two */
	int range_count;                                       /* 0: not fitted */
};

/* The shipped links: the table and its length. */
const struct paleo_link *paleo_links(int *count);

/* By name, letter case, '-' and '_' apart: in a list of `count`, or in the shipped table. NULL if
 * there is none. */
const struct paleo_link *paleo_link_among(const struct paleo_link *list, int count,
					  const char *name);
const struct paleo_link *paleo_link_find(const char *name);

/* The link of this name: in a list of the user's, then in the shipped table. EINPUT if there is
 * none, with the nearest name or the known ones. */
int paleo_link_choose(const struct paleo_link *mine, int count, const char *name,
		      struct paleo_link *out, struct paleo_error *err);

/* Makes one link of so many of its kind, side by side. */
void paleo_link_bundle(struct paleo_link *l, int count);

/* How makers sell a GPU: in nodes (or racks) of so many, and nodes joined by so many links. */
struct paleo_node {
	const struct paleo_link *within, *between;
	int gpus, links;
};

/* That of a GPU of this short name. 0: not known, or none is usual. */
int paleo_node_usual(const char *device, struct paleo_node *out);

/*
 * Reads links from a JSON file: {"links": [{"name": "x", "bytes_per_s": 1e10,
 * "latency_s": 1e-5, "title", "source", "ranges": [{"to_bytes": 65536, "latency_s",
 * "bytes_per_s", "se_latency_s", "se_bytes_per_s"}, ...]}]}; "to_bytes" of the last
 * range is null. *out is an array of *count, owned by the caller: free(). EIO,
 * EINPUT, ENOMEM.
 */
int paleo_links_load(const char *path, struct paleo_link **out, int *count,
		     struct paleo_error *err);

/* The text of such a file. *out is owned by the caller: free(). ENOMEM. */
int paleo_links_text(const struct paleo_link *links, int count, char **out,
		     struct paleo_error *err);

#endif
