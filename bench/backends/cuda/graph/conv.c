/* conv.c - convolutions and their gradients as cuDNN graphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph/graph.h"

/* The attributes of one kind of convolution operation. */
struct conv_names {
	cudnnBackendDescriptorType_t operation;
	cudnnBackendAttributeName_t conv, x, w, y, alpha, beta;
	const char *what;
};

static const struct conv_names forward = {
	.operation = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
	.conv = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
	.x = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
	.w = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
	.y = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
	.alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
	.beta = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
	.what = "describe a convolution",
};

static const struct conv_names backward_data = {
	.operation = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
	.conv = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
	.x = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
	.w = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
	.y = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
	.alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
	.beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
	.what = "describe a convolution's data gradient",
};

static const struct conv_names backward_filter = {
	.operation = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
	.conv = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
	.x = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
	.w = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
	.y = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
	.alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
	.beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
	.what = "describe a convolution's filter gradient",
};

static cudnnBackendDescriptor_t conv_descriptor(struct paleo_cudnn_graph *g,
						const struct paleo_conv_geom *c)
{
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_new(g, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
	const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
	const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
	const int64_t dimensions = 2;
	const int64_t before[2] = {c->pad_t, c->pad_l}, after[2] = {c->pad_b, c->pad_r};
	const int64_t stride[2] = {c->stride_h, c->stride_w};
	const int64_t dilation[2] = {c->dil_h, c->dil_w};

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1,
			      &dimensions);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
			      &sums);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
			      1, &mode);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2,
			      before);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2,
			      after);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2,
			      stride);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2,
			      dilation);
	paleo_cudnn_graph_finalize(g, d, "describe a convolution");
	return d;
}

/* The tensors x, w and y of a convolution, or of its gradients. */
struct conv_tensors {
	cudnnBackendDescriptor_t x, w, y;
};

static void add_conv(struct paleo_cudnn_graph *g, const struct conv_names *names,
		     const struct paleo_conv_geom *c, const struct conv_tensors *t)
{
	const float one = 1, zero = 0;
	cudnnBackendDescriptor_t conv = conv_descriptor(g, c);
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_new(g, names->operation);
	const struct paleo_graph_part parts[] = {
		{names->conv, conv}, {names->x, t->x}, {names->w, t->w}, {names->y, t->y}};

	paleo_cudnn_graph_set(g, d, names->alpha, CUDNN_TYPE_FLOAT, 1, &one);
	paleo_cudnn_graph_set(g, d, names->beta, CUDNN_TYPE_FLOAT, 1, &zero);
	paleo_cudnn_graph_add_operation(g, d, parts, 4, names->what);
}

/* cuDNN's form of an activation; CUDNN_POINTWISE_ADD where it has none. */
struct act {
	cudnnPointwiseMode_t mode;
	float slope, high; /* of relu: below 0; where it ends, or 0 for nowhere */
};

static struct act act_of(int act)
{
	static const struct act table[PALEO_ELTWISE_OPS] = {
		[PALEO_RELU] = {CUDNN_POINTWISE_RELU_FWD, 0, 0},
		[PALEO_RELU6] = {CUDNN_POINTWISE_RELU_FWD, 0, 6},
		[PALEO_LEAKY_RELU] = {CUDNN_POINTWISE_RELU_FWD, 0.01f, 0},
		[PALEO_ELU] = {CUDNN_POINTWISE_ELU_FWD, 0, 0},
		[PALEO_SIGMOID] = {CUDNN_POINTWISE_SIGMOID_FWD, 0, 0},
		[PALEO_TANH] = {CUDNN_POINTWISE_TANH_FWD, 0, 0},
		[PALEO_GELU] = {CUDNN_POINTWISE_GELU_FWD, 0, 0},
		[PALEO_SILU] = {CUDNN_POINTWISE_SWISH_FWD, 0, 0},
		[PALEO_HARDSWISH] = {CUDNN_POINTWISE_ADD, 0, 0},
	};

	return table[act - 1];
}

static void add_act(struct paleo_cudnn_graph *g, const struct act *a, cudnnBackendDescriptor_t x,
		    cudnnBackendDescriptor_t y)
{
	const double slope = a->slope, high = a->high;
	cudnnBackendDescriptor_t act = paleo_graph_point_begin(g, a->mode, CUDNN_DATA_FLOAT);

	if (slope > 0)
		paleo_cudnn_graph_set(g, act, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE,
				      CUDNN_TYPE_DOUBLE, 1, &slope);
	if (high > 0)
		paleo_cudnn_graph_set(g, act, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP,
				      CUDNN_TYPE_DOUBLE, 1, &high);
	paleo_graph_point_end(g, act, (struct paleo_graph_inputs){x, NULL, NULL}, y);
}

/* A convolution or a gradient of it; forward with optional bias and activation, which receive the
 * sums in single precision. */
static int build(struct paleo_cudnn_graph *g, const struct paleo_op *w, int with_bias, int with_act,
		 struct paleo_error *err)
{
	const struct paleo_conv_geom *c = &w->geom.conv;
	const int64_t x[4] = {c->n, c->c, c->h, c->w};
	const int64_t f[4] = {c->k, c->c / c->groups, c->r, c->s};
	const int64_t y[4] = {c->n, c->k, c->p, c->q};
	const int64_t b[4] = {1, c->k, 1, 1};
	int to_data = w->pass == PALEO_BWD_DATA, to_filter = w->pass == PALEO_BWD_FILTER;
	cudnnDataType_t type = paleo_cudnn_graph_type(w->dtype);

	g->layout = w->layout;
	struct conv_tensors t = {
		.x = paleo_cudnn_graph_tensor(g, paleo_graph_uid(to_data ? PALEO_DX : PALEO_X),
					      type, x),
		.w = paleo_cudnn_graph_tensor(g, paleo_graph_uid(to_filter ? PALEO_DW : PALEO_W),
					      type, f),
	};
	cudnnBackendDescriptor_t last = paleo_cudnn_graph_tensor(
		g, paleo_graph_uid(w->pass == PALEO_FWD ? PALEO_Y : PALEO_DY), type, y);
	cudnnBackendDescriptor_t sum = last;
	t.y = with_bias || with_act ? paleo_cudnn_graph_between(g, CUDNN_DATA_FLOAT, y) : last;
	add_conv(g, to_data ? &backward_data : to_filter ? &backward_filter : &forward, c, &t);
	if (with_bias) {
		sum = with_act ? paleo_cudnn_graph_between(g, CUDNN_DATA_FLOAT, y) : last;
		paleo_graph_point(g, CUDNN_POINTWISE_ADD, t.y,
				  paleo_cudnn_graph_tensor(g, paleo_graph_uid(PALEO_BIAS), type, b),
				  sum);
	}
	if (with_act) {
		struct act act = act_of(c->act);
		add_act(g, &act, with_bias ? sum : t.y, last);
	}
	return paleo_cudnn_graph_check(g, err);
}

int paleo_cudnn_graph_conv(struct paleo_cudnn_graph *g, const struct paleo_op *w,
			   struct paleo_error *err)
{
	return build(g, w, 0, 0, err);
}

int paleo_cudnn_graph_conv_bias(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				struct paleo_error *err)
{
	return build(g, w, 1, 0, err);
}

int paleo_cudnn_graph_conv_act(struct paleo_cudnn_graph *g, const struct paleo_op *w,
			       struct paleo_error *err)
{
	if (act_of(w->geom.conv.act).mode == CUDNN_POINTWISE_ADD)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cudnn has no activation like the one that ends this");
	return build(g, w, w->geom.conv.bias, 1, err);
}
