/* graph.c - builds tensors and operations of cuDNN's graph API; keeps the first failure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph/graph.h"

#include <stdbool.h>
#include <string.h>

#include "bench/backends/cuda/session.h"

/* Alignment of all our allocations, as required by the fastest engines. */
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
			     "describe the op");
}

void paleo_cudnn_graph_finalize(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				const char *what)
{
	if (g->status == CUDNN_STATUS_SUCCESS)
		keep_failure(g, cudnnBackendFinalize(d), what);
}

void paleo_cudnn_graph_add_operation(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t d,
				     const struct paleo_graph_part *parts, int count,
				     const char *what)
{
	for (int i = 0; i < count; i++)
		if (parts[i].value)
			paleo_cudnn_graph_set(g, d, parts[i].name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
					      &parts[i].value);
	paleo_cudnn_graph_finalize(g, d, what);
	if (g->operation_count == PALEO_GRAPH_OPERATIONS)
		keep_failure(g, CUDNN_STATUS_INTERNAL_ERROR, "hold so many operations");
	if (g->status == CUDNN_STATUS_SUCCESS)
		g->operations[g->operation_count++] = d;
}

/* Begins a tensor: type, dimensions, strides, identifier. */
static cudnnBackendDescriptor_t begin(struct paleo_cudnn_graph *g, int64_t uid,
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
	cudnnBackendDescriptor_t d = begin(g, uid, type, 4, dims, strides);

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
	cudnnBackendDescriptor_t d = begin(g, uid, type, 3, dims, strides);

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
	cudnnBackendDescriptor_t d = begin(g, uid, type, 4, dims, strides);
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
	cudnnBackendDescriptor_t d = begin(g, uid, type, 4, dims, dims);
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

static const cudnnDataType_t precision = CUDNN_DATA_FLOAT;

/* An operation of nothing but descriptors. */
static void add(struct paleo_cudnn_graph *g, cudnnBackendDescriptorType_t type,
		const struct paleo_graph_part *parts, int count, const char *what)
{
	paleo_cudnn_graph_add_operation(g, paleo_cudnn_graph_new(g, type), parts, count, what);
}

cudnnBackendDescriptor_t paleo_graph_point_begin(struct paleo_cudnn_graph *g,
						 cudnnPointwiseMode_t mode, cudnnDataType_t type)
{
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_new(g, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
	return d;
}

void paleo_graph_point_end(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t point,
			   struct paleo_graph_inputs in, cudnnBackendDescriptor_t y)
{
	const struct paleo_graph_part parts[] = {
		{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, point},
		{CUDNN_ATTR_OPERATION_POINTWISE_XDESC, in.x},
		{CUDNN_ATTR_OPERATION_POINTWISE_BDESC, in.b},
		{CUDNN_ATTR_OPERATION_POINTWISE_TDESC, in.t},
		{CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y},
	};

	paleo_cudnn_graph_finalize(g, point, "describe an elementwise operation");
	add(g, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, parts, 5,
	    "describe an elementwise operation");
}

void paleo_graph_point(struct paleo_cudnn_graph *g, cudnnPointwiseMode_t mode,
		       cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
		       cudnnBackendDescriptor_t y)
{
	paleo_graph_point_end(g, paleo_graph_point_begin(g, mode, precision),
			      (struct paleo_graph_inputs){x, b, NULL}, y);
}

void paleo_graph_point_whole(struct paleo_cudnn_graph *g, cudnnPointwiseMode_t mode,
			     cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
			     cudnnBackendDescriptor_t y)
{
	paleo_graph_point_end(g, paleo_graph_point_begin(g, mode, CUDNN_DATA_INT32),
			      (struct paleo_graph_inputs){x, b, NULL}, y);
}

void paleo_graph_place(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x, int64_t dimension,
		       cudnnBackendDescriptor_t y)
{
	cudnnBackendDescriptor_t d =
		paleo_graph_point_begin(g, CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_INT32);

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &dimension);
	paleo_graph_point_end(g, d, (struct paleo_graph_inputs){x, NULL, NULL}, y);
}

void paleo_graph_select(struct paleo_cudnn_graph *g, struct paleo_graph_inputs in,
			cudnnBackendDescriptor_t y)
{
	paleo_graph_point_end(
		g, paleo_graph_point_begin(g, CUDNN_POINTWISE_BINARY_SELECT, precision), in, y);
}

void paleo_graph_product(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t a,
			 cudnnBackendDescriptor_t b, cudnnBackendDescriptor_t c)
{
	cudnnBackendDescriptor_t product =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
	const struct paleo_graph_part parts[] = {
		{CUDNN_ATTR_OPERATION_MATMUL_DESC, product},
		{CUDNN_ATTR_OPERATION_MATMUL_ADESC, a},
		{CUDNN_ATTR_OPERATION_MATMUL_BDESC, b},
		{CUDNN_ATTR_OPERATION_MATMUL_CDESC, c},
	};

	paleo_cudnn_graph_set(g, product, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
			      &precision);
	paleo_cudnn_graph_finalize(g, product, "describe a product");
	add(g, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, parts, 4, "describe a product");
}

void paleo_graph_reduce(struct paleo_cudnn_graph *g, cudnnReduceTensorOp_t op,
			cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t y)
{
	cudnnBackendDescriptor_t reduction =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
	const struct paleo_graph_part parts[] = {
		{CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction},
		{CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x},
		{CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y},
	};

	paleo_cudnn_graph_set(g, reduction, CUDNN_ATTR_REDUCTION_OPERATOR,
			      CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &op);
	paleo_cudnn_graph_set(g, reduction, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
			      &precision);
	paleo_cudnn_graph_finalize(g, reduction, "describe a reduction");
	add(g, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, parts, 3, "describe a reduction");
}

void paleo_graph_reshape(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x,
			 cudnnBackendDescriptor_t y)
{
	const struct paleo_graph_part parts[] = {
		{CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x},
		{CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y},
	};

	add(g, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, parts, 2, "describe another order");
}
