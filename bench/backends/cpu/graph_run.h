/* graph_run.h - a whole program on the CPU: where its tensors lie, and the calls that run it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CPU_GRAPH_RUN_H
#define PALEO_BENCH_BACKENDS_CPU_GRAPH_RUN_H

#include "bench/backends/cpu/job.h"

/*
 * Tensors keep the layout of the step that made them, if the next step accepts it: activations,
 * sums, poolings and normalisations run in the layout of their input. Where a convolution or a GEMM
 * requires another one, the tensor is also stored in that, by a reorder before the step; reorders
 * are part of a run, except those of the net's input and of constant weights: these are reordered
 * once, as filters are for a single op.
 */

/* A tensor in one layout, or data that oneDNN saves from a forward pass for its backward pass. */
struct paleo_cpu_store {
	int buffer;                   /* the program's; -1: kept by oneDNN */
	const void *layout;           /* borrowed from a primitive or a holder; NULL: bytes only */
	struct paleo_cpu_tensor view; /* position of its elements in the operand; its type */
	size_t bytes;
	int first, last; /* steps between which it lives; -1 .. step_count: always */
	int same_data;   /* a store that it is only another view of; -1: none */
	size_t offset;
	dnnl_memory_t memory;
};

/* One call: a primitive or a kernel. */
struct paleo_cpu_call {
	int step;
	int is_change; /* a change of layout before the step */
	int is_once;   /* only when the program is prepared */
	int may_drop; /* the last argument is refused by some versions, see drop_shift() of job.c */
	const struct paleo_cpu_kernel *kernel; /* NULL: the primitive */
	struct paleo_op op;                    /* of a kernel */
	int has_scratch;                       /* of a kernel: the last argument is its scratch */
	dnnl_primitive_desc_t desc;
	dnnl_primitive_t primitive;
	int count; /* arguments */
	int *ids, *stores;
	dnnl_exec_arg_t *args; /* of a primitive */
	void **pointers;       /* of a kernel */
};

enum {
	PALEO_CPU_KEPT = 3 /* workspace, mean, variance */
};

struct paleo_graph_run {
	struct paleo_session *session;
	const struct paleo_graph *graph;
	int threads;
	struct paleo_cpu_store *stores;
	int store_count, store_room;
	struct paleo_cpu_call *calls;
	int call_count, call_room;
	dnnl_memory_t *holders; /* of layouts that no primitive holds */
	int holder_count, holder_room;
	int *primary;    /* of each buffer: the store that it is written to, or -1 */
	int *is_written; /* of each buffer: 1 if a step writes it */
	int *kept;       /* of each step: PALEO_CPU_KEPT stores, or -1 */
	dnnl_primitive_desc_t
		*descs; /* of each step: its primitive's, owned by its call; or NULL */
	unsigned char *arena;
	size_t arena_bytes;
	double workspace_bytes;
};

/* Fails with the message that there is no memory to connect the steps. */
int paleo_cpu_no_memory(struct paleo_error *err);

/* Adds a store; its number, or -1 if memory ran out. */
int paleo_cpu_store_add(struct paleo_graph_run *w, int buffer, const void *layout,
			const struct paleo_cpu_tensor *view, size_t bytes);

/* Extends a store's lifetime to a step that uses it; step_count: for ever. */
void paleo_cpu_store_touch(struct paleo_graph_run *w, int store, int step);

/* 1 if the elements of the two have the same places in the operand. */
int paleo_cpu_is_same_view(const struct paleo_cpu_tensor *a, const struct paleo_cpu_tensor *b);

/* A store with the numbers of another one, seen with other dims; its number, or -1. */
int paleo_cpu_store_see(struct paleo_graph_run *w, int store, const void *layout,
			const struct paleo_cpu_tensor *view, int step);

/* The store in which a step finds a buffer in this layout, whose dims are those of `view`; adds the
 * changes that takes. *out is untouched on failure. */
int paleo_cpu_store_fetch(struct paleo_graph_run *w, int buffer, const void *layout,
			  const struct paleo_cpu_tensor *view, int step, int *out,
			  struct paleo_error *err);

/* The store in which a step leaves a buffer. */
int paleo_cpu_store_produce(struct paleo_graph_run *w, int buffer, const void *layout,
			    const struct paleo_cpu_tensor *view, int step, int *out,
			    struct paleo_error *err);

/* A layout that lives as long as the program: that of a tensor, or of a part of another. */
int paleo_cpu_hold(struct paleo_graph_run *w, const struct paleo_cpu_tensor *t, const void **out,
		   struct paleo_error *err);
int paleo_cpu_hold_part(struct paleo_graph_run *w, const void *layout, const dnnl_dims_t dims,
			const dnnl_dims_t offsets, const void **out, struct paleo_error *err);

/* Allocates all stores, makes their memory objects, fills the inputs. */
int paleo_cpu_stores_place(struct paleo_graph_run *w, const struct paleo_bench_options *o,
			   struct paleo_error *err);

/* Begins a call with room for `most` arguments; NULL if memory ran out. Void after the next one. */
struct paleo_cpu_call *paleo_cpu_call_add(struct paleo_graph_run *w, int step, int most);
void paleo_cpu_call_argument(struct paleo_cpu_call *c, int id, int store);

/* Adds the change of layout from one store to another before a step. */
int paleo_cpu_call_change(struct paleo_graph_run *w, int step, int from, int to,
			  struct paleo_error *err);

/* Adds the calls of one step. */
int paleo_cpu_step_add(struct paleo_graph_run *w, int step, struct paleo_error *err);

/* 1 if the op normalises the channels of each pixel: its dims are n, h, w, c. */
int paleo_cpu_is_of_pixels(const struct paleo_op *w);

/* The store of an image of such an op, which is kept with channels innermost. */
int paleo_cpu_pixels_store(struct paleo_graph_run *w, int step, const struct paleo_cpu_arg *a,
			   const void *layout, int *out, struct paleo_error *err);

/* Makes the views of a plan those of a program's buffers (model/net/graph.h): with channels
 * innermost an image's elements are counted as n, h, w, c, a filter's as k, r, s, c. */
void paleo_cpu_turn_views(struct paleo_cpu_plan *p);

/* The same for a join or a split. */
int paleo_cpu_join_add(struct paleo_graph_run *w, int step, struct paleo_error *err);

/* The hooks of backend.h. */
int paleo_cpu_whole_prepare(struct paleo_session *s, const struct paleo_graph *p,
			    const struct paleo_bench_options *o, struct paleo_graph_run **out,
			    struct paleo_pass_info *info, struct paleo_error *err);
int paleo_cpu_whole_run(struct paleo_graph_run *w, double *elapsed_s,
			struct paleo_pass_times *times, struct paleo_error *err);
int paleo_cpu_whole_read(struct paleo_graph_run *w, int buffer, const double *index, int n,
			 float *out, struct paleo_error *err);
void paleo_cpu_whole_release(struct paleo_graph_run *w);

#endif
