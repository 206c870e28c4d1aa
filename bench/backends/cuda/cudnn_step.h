/* cudnn_step.h - a cuDNN graph as a step of a job. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_CUDNN_STEP_H
#define PALEO_BENCH_BACKENDS_CUDA_CUDNN_STEP_H

#include "bench/backends/cuda/graph.h"
#include "bench/backends/cuda/job.h"

/* The rules by which works of this number type choose their engines. */
struct paleo_engine_rules paleo_cudnn_rules(enum paleo_dtype dtype,
					    const struct paleo_bench_options *o);

/* What of a work a graph computes. */
struct paleo_cudnn_way {
	paleo_cudnn_graph_builder *build;
	int first_choice_only; /* 1: no engine of the fallback list */
	int has_bias, has_act; /* of a convolution: they are in it */
	int is_setup;          /* before the timed steps, and not named with them */
};

enum {
	PALEO_CUDNN_WAYS = 3
};

/* The ways of a convolution; returns how many. Bias and activation in the graph come first, where
 * cuDNN's first list has engines for that: the very first engine is the library's own choice. What
 * a way leaves out, kernels do. */
int paleo_cudnn_conv_ways(const struct paleo_work *w, struct paleo_cudnn_way out[PALEO_CUDNN_WAYS]);

/* Ranks take turns: each way's first engine, then each way's second, as long as it has some. Which
 * way has this rank, with so many engines in each; *place is that in its own list. -1: none. */
int paleo_cudnn_turn(const int engines[], int ways, int rank, int *place);

/* How many engines a way has for the job's work, 0 .. most. Errors: not that there are none, but
 * what goes wrong when cuDNN is asked. */
int paleo_cudnn_count(const struct paleo_job *j, const struct paleo_cudnn_way *way, int most,
		      int *count, struct paleo_error *err);

/*
 * Builds the graph, chooses the engine of the job's rank, adds the step, asks for its workspace
 * and adds "cudnn eng62 ..." to the algorithm's name. Operands of the job that the graph
 * has no tensor for are left alone. EUNSUPPORTED as paleo_plan_choose(), which also says of
 * *offered; the job is then as before.
 */
int paleo_cudnn_add(struct paleo_job *j, const struct paleo_cudnn_way *way, int *offered,
		    struct paleo_error *err);

#endif
