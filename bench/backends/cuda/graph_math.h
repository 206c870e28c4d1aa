/* graph_math.h - operations of a cuDNN graph: products, by element, along a dimension. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKENDS_CUDA_GRAPH_MATH_H
#define PALEO_BENCH_BACKENDS_CUDA_GRAPH_MATH_H

#include "bench/backends/cuda/graph.h"

/* All compute in single precision, and keep a failure in the graph. A tensor is repeated along the
 * dimensions in which it has length 1. */

/* What an operation by element takes: a selection takes x where t is true, else b. */
struct paleo_graph_inputs {
	cudnnBackendDescriptor_t x, b, t; /* NULL: it takes fewer */
};

/* y of x and b; b is NULL for what takes one. */
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

#endif
