/* worker_child.h - the child's side of a worker, and their message format. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_WORKER_CHILD_H
#define PALEO_BENCH_WORKER_CHILD_H

#include "bench/measure.h"
#include "bench/worker.h"

/*
 * Both ends are the same program, so a message is a struct in its memory layout, one packet each.
 * The child first sends one paleo_worker_hello, then replies to each request, and ends when its
 * socket is closed. Internal to bench.
 */
struct paleo_worker_hello {
	int status; /* of opening, or of measuring the peaks */
	struct paleo_device_info info;
	struct paleo_doubts doubts; /* of peaks */
	struct paleo_error error;
};

enum paleo_worker_wish {
	PALEO_WISH_MEASURE,     /* answered by a paleo_worker_reply */
	PALEO_WISH_ALGORITHMS,  /* answered by a paleo_worker_answer */
	PALEO_WISH_DESCRIPTION, /* answered by a paleo_worker_description */
	PALEO_WISH_PEAKS,       /* answered by a paleo_worker_hello */
	PALEO_WISH_SPEED,       /* answered by a paleo_worker_hello */
	PALEO_WISH_CEILINGS,    /* answered by paleo_worker_limit, until one is the last */
	PALEO_WISH_WHOLE        /* a program's arrays follow; answered by a paleo_worker_graph_reply
				 * and, if that is good, both arrays of medians */
};

struct paleo_worker_request {
	enum paleo_worker_wish wish;
	struct paleo_op op;
	int most;                 /* algorithms */
	unsigned peaks;           /* that are wanted */
	enum paleo_regime regime; /* of ceilings */
	struct paleo_bench_options options;
	struct paleo_measure_policy policy;
	struct paleo_graph graph; /* its numbers; the pointers are the parent's */
};

struct paleo_worker_reply {
	int status; /* of paleo_measure() */
	struct paleo_record record;
	double samples[PALEO_RAW_SAMPLES_MAX];
	struct paleo_error error;
};

struct paleo_worker_limit {
	struct paleo_ceiling item; /* not of the last */
	int is_last;               /* list_ceilings() has ended: the following values are valid */
	int status, skipped;
	char why[sizeof(((struct paleo_ceilings *)0)->why)];
	struct paleo_error error;
};

struct paleo_worker_graph_reply {
	int status; /* of paleo_measure_graph() */
	struct paleo_graph_run_result result;
	struct paleo_error error;
};

enum {
	PALEO_WORKER_PACKET = 65536 /* arrays go in pieces of so many bytes */
};

enum {
	PALEO_DESCRIPTION_MAX = 8192
};

struct paleo_worker_description {
	int status; /* of description() */
	char text[PALEO_DESCRIPTION_MAX];
	struct paleo_error error;
};

/* The child's life. `socket` is its end; `parent` the process to die with. Never returns. */
_Noreturn void paleo_worker_child(const struct paleo_worker_config *config, int socket, int parent);

#endif
