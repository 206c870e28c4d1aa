/* graph.h - cuDNN's graph API: tensors, operations, the graphs of ops, their engines and plans. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_GRAPH_GRAPH_H
#define PALEO_BENCH_BACKENDS_CUDA_GRAPH_GRAPH_H

#include <cudnn.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/backends/cuda/job.h"
#include "model/op/operand.h"

enum {
	PALEO_GRAPH_DESCRIPTORS = 128,
	PALEO_GRAPH_OPERATIONS = 32,
	PALEO_GRAPH_TENSORS = 24,
	PALEO_GRAPH_NUMBERS = 8,
};

/* Identifiers of tensors that are not operands: values between two operations and constants, from
 * these on. */
enum {
	PALEO_UID_AGAIN = 40, /* and an operand's: another tensor in the operand's memory */
	PALEO_UID_BETWEEN = 100,
	PALEO_UID_NUMBER = 200,
};

static inline int64_t paleo_graph_uid(enum paleo_role role)
{
	return 1 + (int64_t)role;
}

/* A number that the graph is given from the host's memory when it runs. */
union paleo_graph_number {
	float real;
	int32_t whole;
};

/*
 * A graph under construction. The first failure is kept, and later calls do nothing: check once,
 * with paleo_cudnn_graph_check(). All descriptors belong to the graph. Zero it before use, and set
 * handle or device.
 */
struct paleo_cudnn_graph {
	/* On a device: its handle, and no device. Without one: a device's description. */
	cudnnHandle_t handle;
	cudnnBackendDescriptor_t device;

	enum paleo_layout layout; /* of its tensors */
	cudnnBackendDescriptor_t made[PALEO_GRAPH_DESCRIPTORS];
	int made_count;
	cudnnBackendDescriptor_t operations[PALEO_GRAPH_OPERATIONS];
	int operation_count;
	int between_count;
	int64_t uids[PALEO_GRAPH_TENSORS]; /* of the tensors that are given at run time */
	int uid_count;
	union paleo_graph_number numbers[PALEO_GRAPH_NUMBERS]; /* PALEO_UID_NUMBER + i */
	int number_count;

	cudnnStatus_t status;
	const char *what; /* was being done when it failed */
	char words[256];  /* cuDNN's */
};

void paleo_cudnn_graph_release(struct paleo_cudnn_graph *g);

/* PALEO_OK, or the first failure as a sentence. */
int paleo_cudnn_graph_check(const struct paleo_cudnn_graph *g, struct paleo_error *err);

/* cuDNN's type for the dtype of an op's tensors. */
cudnnDataType_t paleo_cudnn_graph_type(enum paleo_dtype dtype);

/* A dense tensor of four dimensions n,c,h,w, in the graph's layout in memory. */
cudnnBackendDescriptor_t paleo_cudnn_graph_tensor(struct paleo_cudnn_graph *g, int64_t uid,
						  cudnnDataType_t type, const int64_t dims[4]);

/* The same with a separate stride in each dimension. */
cudnnBackendDescriptor_t paleo_cudnn_graph_strided(struct paleo_cudnn_graph *g, int64_t uid,
						   cudnnDataType_t type, const int64_t dims[4],
						   const int64_t strides[4]);

/* A dense tensor of three dimensions; its last two may be transposed in memory. */
cudnnBackendDescriptor_t paleo_cudnn_graph_stack(struct paleo_cudnn_graph *g, int64_t uid,
						 cudnnDataType_t type, const int64_t dims[3],
						 int is_turned);

/* A tensor that is not in memory: a value that one operation hands to the next. Dense, in the
 * graph's layout, or with its own distances. */
cudnnBackendDescriptor_t paleo_cudnn_graph_between(struct paleo_cudnn_graph *g,
						   cudnnDataType_t type, const int64_t dims[4]);
cudnnBackendDescriptor_t paleo_cudnn_graph_between_strided(struct paleo_cudnn_graph *g,
							   cudnnDataType_t type,
							   const int64_t dims[4],
							   const int64_t strides[4]);

/* One number that is given from the host's memory when the graph runs. */
cudnnBackendDescriptor_t paleo_cudnn_graph_real(struct paleo_cudnn_graph *g, float value);
cudnnBackendDescriptor_t paleo_cudnn_graph_whole(struct paleo_cudnn_graph *g, int32_t value);

/* Building blocks of operations: an empty descriptor, its attributes, finalisation. */
cudnnBackendDescriptor_t paleo_cudnn_graph_new(struct paleo_cudnn_graph *g,
					       cudnnBackendDescriptorType_t type);
void paleo_cudnn_graph_set(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
			   cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
			   int64_t count, const void *values);
void paleo_cudnn_graph_finalize(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				const char *what);

/* A descriptor that an operation is given; none where it is NULL. */
struct paleo_graph_part {
	cudnnBackendAttributeName_t name;
	cudnnBackendDescriptor_t value;
};

/* Gives the operation these and ends its making; it is then one of the graph's. */
void paleo_cudnn_graph_add_operation(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				     const struct paleo_graph_part *parts, int count,
				     const char *what);

/*
 * The graphs of ops, with the operands' tensors; g->handle or g->device must be set. EUNSUPPORTED
 * for an op that has no graph; otherwise cuDNN's errors for the descriptors.
 */
typedef int paleo_cudnn_graph_builder(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				      struct paleo_error *err);
paleo_cudnn_graph_builder paleo_cudnn_graph_conv;      /* convolution, either gradient; no bias */
paleo_cudnn_graph_builder paleo_cudnn_graph_conv_bias; /* forward convolution and bias, as one */
paleo_cudnn_graph_builder paleo_cudnn_graph_conv_act; /* with the activation that ends it, as one */
paleo_cudnn_graph_builder paleo_cudnn_graph_norm;     /* statistics are STATE1 and STATE2 */
/* STATE1, a number for each query and head: written forward, read by the gradients. Of a cache DX
 * has the queries, if they are rotated, DK and DV have all keys and values. */
paleo_cudnn_graph_builder paleo_cudnn_graph_attention;
/* The forward pass of an op of gradients: its result is MASK, as Y is given. */
paleo_cudnn_graph_builder paleo_cudnn_graph_attention_state;

/* Experts: both GEMMs of all tokens; plans.h gives their operands. */
paleo_cudnn_graph_builder paleo_cudnn_graph_experts_first;
paleo_cudnn_graph_builder paleo_cudnn_graph_experts_second;

/* Rules for choosing among cuDNN's engines for a graph. */
struct paleo_engine_rules {
	double workspace_limit_bytes;
	int forbid_tensor_cores; /* true f32: no engine that rounds its inputs to tf32 */
	int first_choice_only;   /* no engine of the fallback list */
	int rank;                /* take the one of this rank among those that can be planned */
};

/* A plan; it uses the graph's descriptors, so the graph is released with it. */
struct paleo_plan {
	cudnnBackendDescriptor_t plan; /* belongs to the graph */
	double workspace_bytes;
	char name[64];                    /* "eng62 tc", see paleo_plan_choose() */
	struct paleo_algorithm algorithm; /* the same as a description */
};

/*
 * Asks the heuristics (mode A, then the fallback list) and takes the first engine that meets the
 * rules and can be planned. The name holds the engine's number and notes: tc tensor cores, wino
 * Winograd, fft, cast inputs rounded, nondet not repeatable, rtc compiled at run time; and
 * "fallback". EUNSUPPORTED with cuDNN's message if there is none, or none of this rank; *offered
 * becomes the number of engines before it (NULL: not wanted).
 */
int paleo_plan_choose(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules,
		      struct paleo_plan *out, int *offered, struct paleo_error *err);

/* Lists those that paleo_plan_choose() would take at rank 0, 1, ..., at most `most` of them; makes
 * no plan that lasts. rules->rank is not used. */
int paleo_plan_list(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules, int most,
		    struct paleo_algorithms *out, struct paleo_error *err);

/* All compute in single precision, and keep a failure in the graph. A tensor is repeated along the
 * dimensions in which it has length 1. */

/* Inputs of an elementwise operation: a selection takes x where t is true, else b. */
struct paleo_graph_inputs {
	cudnnBackendDescriptor_t x, b, t; /* NULL: it takes fewer */
};

/* y of x and b; b is NULL for unary operations. */
void paleo_graph_point(struct paleo_cudnn_graph *g, cudnnPointwiseMode_t mode,
		       cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
		       cudnnBackendDescriptor_t y);

/* The same in two parts, so that attributes can be set between them. */
cudnnBackendDescriptor_t paleo_graph_point_begin(struct paleo_cudnn_graph *g,
						 cudnnPointwiseMode_t mode, cudnnDataType_t type);
void paleo_graph_point_end(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t point,
			   struct paleo_graph_inputs in, cudnnBackendDescriptor_t y);

/* Whole numbers: each element's place along a dimension; a sum; a comparison, whose y is boolean.
 */
void paleo_graph_place(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x, int64_t dimension,
		       cudnnBackendDescriptor_t y);
void paleo_graph_point_whole(struct paleo_cudnn_graph *g, cudnnPointwiseMode_t mode,
			     cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
			     cudnnBackendDescriptor_t y);

/* y = t ? x : b */
void paleo_graph_select(struct paleo_cudnn_graph *g, struct paleo_graph_inputs in,
			cudnnBackendDescriptor_t y);

/* c[.., m, n] = a[.., m, k] b[.., k, n], for each of the first two dimensions; where b has fewer in
 * the second, neighbours share them. */
void paleo_graph_product(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t a,
			 cudnnBackendDescriptor_t b, cudnnBackendDescriptor_t c);

/* Along each dimension in which y is shorter: neighbours that come to one element of y. */
void paleo_graph_reduce(struct paleo_cudnn_graph *g, cudnnReduceTensorOp_t op,
			cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t y);

/* The same elements with other dimensions and distances. */
void paleo_graph_reshape(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x,
			 cudnnBackendDescriptor_t y);

/* An engine in one configuration, before it is planned. A plain value. */
struct paleo_engine {
	int number;      /* -1 if cuDNN does not report it */
	int is_fallback; /* from the list of last resorts */
	unsigned notes;  /* bits: 1 << CUDNN_NUMERICAL_NOTE_... */
	unsigned habits; /* bits: 1 << CUDNN_BEHAVIOR_NOTE_... */
	char knobs[sizeof(((struct paleo_algorithm *)0)->knobs)]; /* "tile_size=30 stages=3" */
};

/* 1 if it computes with less than the op's dtype: it rounds its inputs to a smaller one,
 * which no framework allows either; or, where they may not be used, it runs on tensor cores. */
int paleo_engine_is_rough(const struct paleo_engine *e, int may_use_tensor_cores);

/* The rules by which ops of this dtype choose their engines. */
struct paleo_engine_rules paleo_cudnn_rules(enum paleo_dtype dtype,
					    const struct paleo_bench_options *o);

/* Part of an op that a graph computes. */
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
 * cuDNN's first list has engines for that: the first engine is the library's own choice. Our
 * kernels do the rest. */
int paleo_cudnn_conv_ways(const struct paleo_op *w, struct paleo_cudnn_way out[PALEO_CUDNN_WAYS]);

/*
 * Builds the graph, chooses the engine of the job's rank, adds the step, requests its workspace and
 * adds "cudnn eng62 ..." to the algorithm's name. Operands of the job without a tensor in the graph
 * are ignored. EUNSUPPORTED as paleo_plan_choose(), which also describes *offered; the job is then
 * unchanged.
 */
int paleo_cudnn_add(struct paleo_job *j, const struct paleo_cudnn_way *way, int *offered,
		    struct paleo_error *err);

#endif
