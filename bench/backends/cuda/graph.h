/* graph.h - cuDNN's graph API: descriptors of tensors and operations, heuristics, plans. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_GRAPH_H
#define PALEO_BENCH_BACKENDS_CUDA_GRAPH_H

#include <cudnn.h>
#include <stdint.h>

#include "bench/backend.h"
#include "model/work/operand.h"

enum {
	PALEO_GRAPH_DESCRIPTORS = 128,
	PALEO_GRAPH_OPERATIONS = 32,
	PALEO_GRAPH_TENSORS = 24,
	PALEO_GRAPH_NUMBERS = 8,
};

/* Identifiers of tensors that are no operand: of values between two operations and of numbers, from
 * these on. An operand's identifier is 1 + its role. */
enum {
	PALEO_UID_AGAIN = 40,  /* and an operand's: another tensor in the operand's memory */
	PALEO_UID_SCALAR = 80, /* and i: the i-th pack of SCALE */
	PALEO_UID_BETWEEN = 100,
	PALEO_UID_NUMBER = 200,
};

/* A number that the graph is given from the host's memory when it runs. */
union paleo_graph_number {
	float real;
	int32_t whole;
};

/*
 * A graph that is being built. The first failure is kept, and what is called after
 * it does nothing: check once, with paleo_cudnn_graph_check(). All descriptors belong to
 * the graph. Zero it before use, and set handle or device.
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

/* How cuDNN calls the number type of a work's tensors. */
cudnnDataType_t paleo_cudnn_graph_type(enum paleo_dtype dtype);

/* A dense tensor of four dimensions n,c,h,w, in the graph's layout in memory. */
cudnnBackendDescriptor_t paleo_cudnn_graph_tensor(struct paleo_cudnn_graph *g, int64_t uid,
						  cudnnDataType_t type, const int64_t dims[4]);

/* The same with distances of its own from one element to the next in each dimension. */
cudnnBackendDescriptor_t paleo_cudnn_graph_strided(struct paleo_cudnn_graph *g, int64_t uid,
						   cudnnDataType_t type, const int64_t dims[4],
						   const int64_t strides[4]);

/* A dense tensor of three dimensions; its last two may be exchanged in memory. */
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

/* What operations are made of: an empty descriptor, its attributes, the end of its making. */
cudnnBackendDescriptor_t paleo_cudnn_graph_new(struct paleo_cudnn_graph *g,
					       cudnnBackendDescriptorType_t type);
void paleo_cudnn_graph_set(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
			   cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
			   int64_t count, const void *values);
void paleo_cudnn_graph_set_descriptor(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				      cudnnBackendAttributeName_t name,
				      cudnnBackendDescriptor_t value);
void paleo_cudnn_graph_finalize(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				const char *what);
void paleo_cudnn_graph_add_operation(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				     const char *what);

/*
 * The graphs of works, with the operands' tensors; g->handle or g->device is set
 * before. EUNSUPPORTED for a work that has no graph; what cuDNN dislikes about
 * the descriptors otherwise.
 */
typedef int paleo_cudnn_graph_builder(struct paleo_cudnn_graph *g, const struct paleo_work *w,
				      struct paleo_error *err);
paleo_cudnn_graph_builder paleo_cudnn_graph_conv;      /* convolution, either gradient; no bias */
paleo_cudnn_graph_builder paleo_cudnn_graph_conv_bias; /* forward convolution and bias, as one */
paleo_cudnn_graph_builder paleo_cudnn_graph_conv_act; /* with the activation that ends it, as one */
paleo_cudnn_graph_builder paleo_cudnn_graph_avg_pool;
paleo_cudnn_graph_builder paleo_cudnn_graph_norm; /* statistics are STATE1 and STATE2 */
/* STATE1, a number for each query and head: written forward, read by the gradients. Of a cache DX
 * has the queries, if they are rotated, DK and DV have all keys and values. In fp8 MASK has the
 * queries in e4m3, SCALE the factors of enum paleo_attention_scalar. */
paleo_cudnn_graph_builder paleo_cudnn_graph_attention;
/* The forward pass of a work of gradients: its result is MASK, as Y is given. */
paleo_cudnn_graph_builder paleo_cudnn_graph_attention_state;

/* Experts: both products of all tokens; plans.h says of which operands. */
paleo_cudnn_graph_builder paleo_cudnn_graph_experts_first;
paleo_cudnn_graph_builder paleo_cudnn_graph_experts_second;

/* How to choose among the engines that cuDNN offers for a graph. */
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
	struct paleo_algorithm algorithm; /* the same in all its words */
};

/*
 * Asks the heuristics (mode A, then the fallback list) and takes the first engine that
 * keeps the rules and can be planned. The name holds the engine's number and notes:
 * tc tensor cores, wino Winograd, fft, cast inputs rounded, nondet not repeatable, rtc
 * compiled at run time; and "fallback". EUNSUPPORTED with cuDNN's words if there is none,
 * or none of this rank; *offered says how many there were before (NULL: not asked).
 */
int paleo_plan_choose(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules,
		      struct paleo_plan *out, int *offered, struct paleo_error *err);

/* Lists those that paleo_plan_choose() would take at rank 0, 1, ..., at most `most` of them; makes
 * no plan that lasts. rules->rank is not used. */
int paleo_plan_list(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules, int most,
		    struct paleo_algorithms *out, struct paleo_error *err);

#endif
