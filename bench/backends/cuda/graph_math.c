/* graph_math.c - operations of a cuDNN graph: products, by element, along a dimension. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph_math.h"

static const cudnnDataType_t precision = CUDNN_DATA_FLOAT;

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
	paleo_cudnn_graph_finalize(g, point, "describe an operation by element");
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, point);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, in.x);
	if (in.b)
		paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, in.b);
	if (in.t)
		paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, in.t);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
	paleo_cudnn_graph_add_operation(g, d, "describe an operation by element");
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

	paleo_cudnn_graph_set(g, product, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
			      &precision);
	paleo_cudnn_graph_finalize(g, product, "describe a product");
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_MATMUL_DESC, product);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
	paleo_cudnn_graph_add_operation(g, d, "describe a product");
}

void paleo_graph_reduce(struct paleo_cudnn_graph *g, cudnnReduceTensorOp_t op,
			cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t y)
{
	cudnnBackendDescriptor_t reduction =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);

	paleo_cudnn_graph_set(g, reduction, CUDNN_ATTR_REDUCTION_OPERATOR,
			      CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &op);
	paleo_cudnn_graph_set(g, reduction, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
			      &precision);
	paleo_cudnn_graph_finalize(g, reduction, "describe a reduction");
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
	paleo_cudnn_graph_add_operation(g, d, "describe a reduction");
}

void paleo_graph_reshape(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x,
			 cudnnBackendDescriptor_t y)
{
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);

	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y);
	paleo_cudnn_graph_add_operation(g, d, "describe another order");
}
