/* torch.h - the events of a trace of PyTorch's profiler, and what is made of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_TRACES_TORCH_H
#define PALEO_MODEL_RECORD_TRACES_TORCH_H

#include <stdint.h>

#include "model/record/traces/intern.h"
#include "model/record/traces/trace.h"

/* An op on a thread of the host. Few bytes: a trace has millions. */
struct paleo_torch_op {
	double start_us, end_us;
	uint64_t id;   /* that its kernels name, 0: none */
	int call, tid; /* numbers in calls, threads */
};

/* What ran on a GPU. */
struct paleo_torch_kernel {
	double us;
	uint64_t id, correlation; /* of the op and of the launch that started it, 0: not known */
	int name;                 /* number in names */
};

/* A call that launched something. */
struct paleo_torch_launch {
	double at_us;
	uint64_t correlation;
	int tid;
};

struct paleo_torch {
	struct paleo_intern calls; /* ops with their arguments, as paleo_aten_match() takes them */
	struct paleo_intern names, threads;
	struct paleo_torch_op *ops;
	struct paleo_torch_kernel *kernels;
	struct paleo_torch_launch *launches;
	int op_count, kernel_count, launch_count;
	int op_room, kernel_room, launch_room;
	int shaped; /* ops that have their arguments' sizes */
};

/* Sorts ops by thread and start, each before those within it. */
void paleo_torch_sort(struct paleo_torch *t);

/* What the kernels of an op took. */
struct paleo_torch_gpu {
	float us, filter_us; /* of all; of gradients of filters */
	int is_tf32;
};

/* Gives each kernel to the op that it names, else to the one that launched it; the ops are sorted
 * by thread and start. Adds those without an op to what is unmatched of *to, and all to its total.
 * *out, one for each op, is owned by the caller: free(). ENOMEM. */
int paleo_torch_give_kernels(const struct paleo_torch *t, struct paleo_trace *to,
			     struct paleo_torch_gpu **out, struct paleo_error *err);

/* Matches the ops with ours, and adds what they took to *to. */
int paleo_torch_attribute(struct paleo_torch *t, struct paleo_trace *to, struct paleo_error *err);

#endif
