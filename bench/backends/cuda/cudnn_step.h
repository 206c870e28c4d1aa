/* cudnn_step.h - a cuDNN graph as a step of a job. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_CUDNN_STEP_H
#define PALEO_BENCH_BACKENDS_CUDA_CUDNN_STEP_H

#include "bench/backends/cuda/graph.h"
#include "bench/backends/cuda/job.h"

/* The rules by which works of this number type choose their engines. */
struct paleo_engine_rules paleo_cudnn_rules(enum paleo_dtype dtype,
					    const struct paleo_bench_options *o);

/*
 * Builds the graph, chooses an engine, adds the step, asks for its workspace and
 * adds "cudnn eng62 ..." to the algorithm's name. Operands of the job that the graph
 * has no tensor for are left alone. `first_choice_only`: do not resort to the fallback
 * list. EUNSUPPORTED as paleo_plan_choose(), which also says of *offered; the job is then
 * as before.
 */
int paleo_cudnn_add(struct paleo_job *j, paleo_graph_builder *build, int first_choice_only,
		    int *offered, struct paleo_error *err);

#endif
