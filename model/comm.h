/* comm.h - links between workers, and how long their collective operations take on them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_COMM_H
#define PALEO_MODEL_COMM_H

#include "base/error.h"

/*
 * A message of B bytes takes latency + B / rate (Hockney 1994). Rates are of one
 * direction of one worker's link, in bytes/s; links carry both directions at once.
 */

/* What was fitted for collective operations on vectors of up to so many bytes. */
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
	struct paleo_link_range ranges[PALEO_LINK_RANGES_MAX]; /* ascending; stand before the two */
	int range_count;                                       /* 0: not fitted */
};

/* The shipped links: the table and its length. */
const struct paleo_link *paleo_links(int *count);

/* By name, letter case, '-' and '_' apart: in a list of `count`, or in the shipped table. NULL if
 * there is none. */
const struct paleo_link *paleo_link_among(const struct paleo_link *list, int count,
					  const char *name);
const struct paleo_link *paleo_link_find(const char *name);

/* Says that there is no link of this name, and which name is near or else which there are. EINPUT.
 */
int paleo_link_unknown(const char *name, struct paleo_error *err);

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

/* How workers are joined: hosts of `per_host` workers each, the last one perhaps less full. */
struct paleo_fabric {
	struct paleo_link within;  /* between two workers of a host */
	struct paleo_link between; /* between hosts; the workers of a host share one */
	int per_host;              /* >= 1; 1: `within` is not used */
	int servers;               /* parameter servers, >= 1, each with a link of its own */
	double reached;            /* fraction of the links' rates that is reached, above 0 */
	double reduce_s_per_byte;  /* adding one vector to another; 0: not counted */
};

/*
 * One way to do collective operations: a constant, one line of the table in comm.c.
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

/* One message of `bytes` between neighbours, which are on different hosts if `workers` need more
 * than one. */
double paleo_send_s(const struct paleo_fabric *f, int workers, double bytes);

/* ceil(log2 n) for n >= 1. */
int paleo_tree_height(int n);

#endif
