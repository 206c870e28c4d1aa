/* graph_run.h - what is inside of a whole program on the device. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_GRAPH_RUN_H
#define PALEO_BENCH_BACKENDS_CUDA_GRAPH_RUN_H

#include "bench/backends/cuda/session.h"

/* One job of a step. A sum of many tensors is several jobs, each of two. */
struct paleo_graph_run_part {
	struct paleo_job *job;
	void **placed; /* where its operands lie */
	int step;
};

struct paleo_graph_run {
	struct paleo_session *session;
	const struct paleo_graph *graph;
	struct paleo_graph_run_part *parts;
	int part_count, part_room;
	char *base;          /* one allocation: buffers, then hidden operands and workspace */
	double *offsets;     /* of the buffers */
	double hidden_bytes; /* beside the buffers */
	double workspace_bytes, total_bytes;
	cudaGraphExec_t clean, timed; /* NULL: launched one by one */
	cudaEvent_t *events;          /* before each step, and after the last */
	int event_count;
};

/* Puts the step that went wrong in front of a failure, and yields it. */
int paleo_graph_run_blame(const struct paleo_graph_run *w, int step, int rc,
			  struct paleo_error *err);

/* Plans the jobs of all steps; takes memory for the buffers and what the jobs want; tells each job
 * where its operands lie. In this order. */
int paleo_graph_run_plan(struct paleo_graph_run *w, const struct paleo_bench_options *o,
			 struct paleo_error *err);
int paleo_graph_run_take(struct paleo_graph_run *w, struct paleo_error *err);
int paleo_graph_run_bind(struct paleo_graph_run *w, struct paleo_error *err);

/* Where a buffer lies. */
void *paleo_graph_run_at(const struct paleo_graph_run *w, int buffer);

#endif
