/* graph.c - builds descriptors of cuDNN's graph API; keeps the first failure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph.h"

#include <stdbool.h>
#include <string.h>

#include "bench/backends/cuda/status.h"

/* What every allocation of ours is a multiple of, and the fastest engines ask for. */
#define ALIGNMENT_BYTES 16

static void keep_failure(struct paleo_cudnn_graph *g, cudnnStatus_t status, const char *what)
{
	if (status == CUDNN_STATUS_SUCCESS || g->status != CUDNN_STATUS_SUCCESS)
		return;
	g->status = status;
	g->what = what;
	g->words[0] = '\0';
	cudnnGetLastErrorString(g->words, sizeof(g->words));
}

void paleo_cudnn_graph_release(struct paleo_cudnn_graph *g)
{
	while (g->made_count)
		cudnnBackendDestroyDescriptor(g->made[--g->made_count]);
	g->operation_count = g->between_count = g->uid_count = g->number_count = 0;
}

int paleo_cudnn_graph_check(const struct paleo_cudnn_graph *g, struct paleo_error *err)
{
	if (g->status == CUDNN_STATUS_SUCCESS)
		return PALEO_OK;
	return paleo_cudnn_fail(g->status, g->what, g->words, err);
}

cudnnDataType_t paleo_cudnn_graph_type(enum paleo_dtype dtype)
{
	switch (dtype) {
	case PALEO_F16:
		return CUDNN_DATA_HALF;
	case PALEO_BF16:
		return CUDNN_DATA_BFLOAT16;
	case PALEO_FP8:
		return CUDNN_DATA_FP8_E4M3;
	case PALEO_F32:
	case PALEO_TF32:
	case PALEO_DTYPES:
		break;
	}
	return CUDNN_DATA_FLOAT;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_new(struct paleo_cudnn_graph *g,
					       cudnnBackendDescriptorType_t type)
{
	cudnnBackendDescriptor_t d = NULL;

	/* The plan will need two more. */
	if (g->made_count + 2 >= PALEO_GRAPH_DESCRIPTORS)
		keep_failure(g, CUDNN_STATUS_INTERNAL_ERROR, "hold so many descriptors");
	if (g->status != CUDNN_STATUS_SUCCESS)
		return NULL;
	keep_failure(g, cudnnBackendCreateDescriptor(type, &d), "make a descriptor");
	if (g->status == CUDNN_STATUS_SUCCESS)
		g->made[g->made_count++] = d;
	return d;
}

void paleo_cudnn_graph_set(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
			   cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
			   int64_t count, const void *values)
{
	if (g->status == CUDNN_STATUS_SUCCESS)
		keep_failure(g, cudnnBackendSetAttribute(d, name, type, count, values),
			     "describe the work");
}

void paleo_cudnn_graph_set_descriptor(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				      cudnnBackendAttributeName_t name,
				      cudnnBackendDescriptor_t value)
{
	paleo_cudnn_graph_set(g, d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

void paleo_cudnn_graph_finalize(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				const char *what)
{
	if (g->status == CUDNN_STATUS_SUCCESS)
		keep_failure(g, cudnnBackendFinalize(d), what);
}

void paleo_cudnn_graph_add_operation(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				     const char *what)
{
	paleo_cudnn_graph_finalize(g, d, what);
	if (g->operation_count == PALEO_GRAPH_OPERATIONS)
		keep_failure(g, CUDNN_STATUS_INTERNAL_ERROR, "hold so many operations");
	if (g->status == CUDNN_STATUS_SUCCESS)
		g->operations[g->operation_count++] = d;
}

/* Begins a tensor: type, dimensions, strides, identifier. */
static cudnnBackendDescriptor_t begin_ranked(struct paleo_cudnn_graph *g, int64_t uid,
					     cudnnDataType_t type, int rank, const int64_t *dims,
					     const int64_t *strides)
{
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_new(g, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
	const int64_t alignment = ALIGNMENT_BYTES;

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, rank, dims);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, rank, strides);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1,
			      &alignment);
	return d;
}

static cudnnBackendDescriptor_t begin_strided(struct paleo_cudnn_graph *g, int64_t uid,
					      cudnnDataType_t type, const int64_t dims[4],
					      const int64_t strides[4])
{
	return begin_ranked(g, uid, type, 4, dims, strides);
}

/* The distances of a dense tensor in the graph's layout. */
static void lay_out(const struct paleo_cudnn_graph *g, const int64_t dims[4], int64_t strides[4])
{
	const int64_t image = dims[1] * dims[2] * dims[3];
	const int64_t planes[4] = {image, dims[2] * dims[3], dims[3], 1};
	const int64_t pixels[4] = {image, 1, dims[3] * dims[1], dims[1]};

	memcpy(strides, g->layout == PALEO_NHWC ? pixels : planes, sizeof(planes));
}

/* Notes that the tensor is given at run time. */
static void add_uid(struct paleo_cudnn_graph *g, int64_t uid)
{
	if (g->uid_count == PALEO_GRAPH_TENSORS)
		keep_failure(g, CUDNN_STATUS_INTERNAL_ERROR, "hold so many tensors");
	else
		g->uids[g->uid_count++] = uid;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_strided(struct paleo_cudnn_graph *g, int64_t uid,
						   cudnnDataType_t type, const int64_t dims[4],
						   const int64_t strides[4])
{
	cudnnBackendDescriptor_t d = begin_strided(g, uid, type, dims, strides);

	paleo_cudnn_graph_finalize(g, d, "describe a tensor");
	add_uid(g, uid);
	return d;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_tensor(struct paleo_cudnn_graph *g, int64_t uid,
						  cudnnDataType_t type, const int64_t dims[4])
{
	int64_t strides[4];

	lay_out(g, dims, strides);
	return paleo_cudnn_graph_strided(g, uid, type, dims, strides);
}

cudnnBackendDescriptor_t paleo_cudnn_graph_stack(struct paleo_cudnn_graph *g, int64_t uid,
						 cudnnDataType_t type, const int64_t dims[3],
						 int is_turned)
{
	const int64_t strides[3] = {dims[1] * dims[2], is_turned ? 1 : dims[2],
				    is_turned ? dims[1] : 1};
	cudnnBackendDescriptor_t d = begin_ranked(g, uid, type, 3, dims, strides);

	paleo_cudnn_graph_finalize(g, d, "describe a stack of matrices");
	add_uid(g, uid);
	return d;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_between_strided(struct paleo_cudnn_graph *g,
							   cudnnDataType_t type,
							   const int64_t dims[4],
							   const int64_t strides[4])
{
	const int64_t uid = PALEO_UID_BETWEEN + g->between_count++;
	cudnnBackendDescriptor_t d = begin_strided(g, uid, type, dims, strides);
	const bool is_virtual = true;

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1,
			      &is_virtual);
	paleo_cudnn_graph_finalize(g, d, "describe a tensor between two operations");
	return d;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_between(struct paleo_cudnn_graph *g,
						   cudnnDataType_t type, const int64_t dims[4])
{
	int64_t strides[4];

	lay_out(g, dims, strides);
	return paleo_cudnn_graph_between_strided(g, type, dims, strides);
}

/* Room for a number of this type, in the graph. */
static cudnnBackendDescriptor_t add_number(struct paleo_cudnn_graph *g, cudnnDataType_t type,
					   union paleo_graph_number value)
{
	const int64_t dims[4] = {1, 1, 1, 1}, uid = PALEO_UID_NUMBER + g->number_count;
	const bool by_value = true;

	if (g->number_count == PALEO_GRAPH_NUMBERS)
		keep_failure(g, CUDNN_STATUS_INTERNAL_ERROR, "hold so many numbers");
	cudnnBackendDescriptor_t d = begin_strided(g, uid, type, dims, dims);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1,
			      &by_value);
	paleo_cudnn_graph_finalize(g, d, "describe a number");
	if (g->status == CUDNN_STATUS_SUCCESS)
		g->numbers[g->number_count++] = value;
	add_uid(g, uid);
	return d;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_real(struct paleo_cudnn_graph *g, float value)
{
	return add_number(g, CUDNN_DATA_FLOAT, (union paleo_graph_number){.real = value});
}

cudnnBackendDescriptor_t paleo_cudnn_graph_whole(struct paleo_cudnn_graph *g, int32_t value)
{
	return add_number(g, CUDNN_DATA_INT32, (union paleo_graph_number){.whole = value});
}
