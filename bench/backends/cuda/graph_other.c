/* graph_other.c - average pooling and normalisation as cuDNN graphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph.h"

#define EPSILON 1e-5f /* of a normalisation */

static int64_t uid(enum paleo_role role)
{
	return 1 + (int64_t)role;
}

static cudnnBackendDescriptor_t resample_descriptor(struct paleo_cudnn_graph *g,
						    const struct paleo_pool_geom *p)
{
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_new(g, CUDNN_BACKEND_RESAMPLE_DESCRIPTOR);
	const cudnnResampleMode_t mode = p->mode == PALEO_POOL_AVG_PAD
						 ? CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING
						 : CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING;
	const cudnnPaddingMode_t padding = CUDNN_ZERO_PAD;
	const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
	const int64_t dimensions = 2;
	/* cuDNN takes fractions here, for up-sampling. */
	const cudnnFraction_t window[2] = {{p->r, 1}, {p->s, 1}};
	const cudnnFraction_t before[2] = {{p->pad_t, 1}, {p->pad_l, 1}};
	const cudnnFraction_t after[2] = {{p->pad_b, 1}, {p->pad_r, 1}};
	const cudnnFraction_t stride[2] = {{p->stride_h, 1}, {p->stride_w, 1}};

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, 1, &mode);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE, 1,
			      &padding);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1,
			      &dimensions);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_TYPE_FRACTION, 2,
			      window);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_TYPE_FRACTION, 2,
			      before);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_TYPE_FRACTION, 2,
			      after);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_TYPE_FRACTION, 2, stride);
	paleo_cudnn_graph_finalize(g, d, "describe a pooling");
	return d;
}

int paleo_cudnn_graph_avg_pool(struct paleo_cudnn_graph *g, const struct paleo_work *w,
			       struct paleo_error *err)
{
	const struct paleo_pool_geom *p = &w->geom.pool;
	const int64_t x[4] = {p->n, p->c, p->h, p->w}, y[4] = {p->n, p->c, p->p, p->q};
	cudnnDataType_t type = paleo_cudnn_graph_type(w->dtype);
	int fwd = w->pass == PALEO_FWD;

	if (p->mode == PALEO_POOL_MAX)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "a graph pools by the average only");
	g->layout = w->layout;
	cudnnBackendDescriptor_t pool = resample_descriptor(g, p);
	cudnnBackendDescriptor_t in =
		paleo_cudnn_graph_tensor(g, uid(fwd ? PALEO_X : PALEO_DX), type, x);
	cudnnBackendDescriptor_t out =
		paleo_cudnn_graph_tensor(g, uid(fwd ? PALEO_Y : PALEO_DY), type, y);
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, fwd ? CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR
					     : CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR);
	paleo_cudnn_graph_set_descriptor(g, d,
					 fwd ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC
					     : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC,
					 pool);
	paleo_cudnn_graph_set_descriptor(g, d,
					 fwd ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC
					     : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC,
					 in);
	paleo_cudnn_graph_set_descriptor(g, d,
					 fwd ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC
					     : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC,
					 out);
	paleo_cudnn_graph_add_operation(g, d, "describe a pooling");
	return paleo_cudnn_graph_check(g, err);
}

/* Shapes of a normalisation's tensors. */
struct norm_shape {
	cudnnDataType_t type;
	int64_t x[4];
	int64_t channel[4]; /* scale, shift and their gradients */
	int64_t group[4];   /* statistics */
	cudnnBackendNormMode_t mode;
};

static struct norm_shape norm_shape(const struct paleo_work *w)
{
	const struct paleo_norm_geom *p = &w->geom.norm;
	int per_row = p->mode != PALEO_BATCH_NORM;
	/* The rows of channels that lie together, each an image of one pixel. */
	int64_t rows = (int64_t)p->n * p->h * p->w;

	return (struct norm_shape){
		.type = paleo_cudnn_graph_type(w->dtype),
		.x = {per_row ? rows : p->n, p->c, per_row ? 1 : p->h, per_row ? 1 : p->w},
		.channel = {1, p->c, 1, 1},
		.group = {per_row ? rows : 1, per_row ? 1 : p->c, 1, 1},
		.mode = p->mode == PALEO_BATCH_NORM   ? CUDNN_BATCH_NORM
			: p->mode == PALEO_LAYER_NORM ? CUDNN_LAYER_NORM
						      : CUDNN_RMS_NORM,
	};
}

static cudnnBackendDescriptor_t image(struct paleo_cudnn_graph *g, enum paleo_role role,
				      const struct norm_shape *s)
{
	return paleo_cudnn_graph_tensor(g, uid(role), s->type, s->x);
}

/* Statistics and what is learned are f32 whatever x is, and of one pixel. Of those NVIDIA's samples
 * say that channels are innermost, in graphs of either layout. */
static cudnnBackendDescriptor_t parameter(struct paleo_cudnn_graph *g, enum paleo_role role,
					  const int64_t dims[4])
{
	enum paleo_layout layout = g->layout;

	g->layout = PALEO_NHWC;
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_tensor(g, uid(role), CUDNN_DATA_FLOAT, dims);
	g->layout = layout;
	return d;
}

static void norm_forward(struct paleo_cudnn_graph *g, const struct norm_shape *s)
{
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
	const cudnnBackendNormFwdPhase_t phase = CUDNN_NORM_FWD_TRAINING;

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, 1,
			      &s->mode);
	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
			      1, &phase);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC,
					 image(g, PALEO_X, s));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
					 parameter(g, PALEO_SCALE, s->channel));
	if (s->mode != CUDNN_RMS_NORM) {
		paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC,
						 parameter(g, PALEO_SHIFT, s->channel));
		paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC,
						 parameter(g, PALEO_STATE1, s->group));
	}
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC,
					 parameter(g, PALEO_STATE2, s->group));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
					 paleo_cudnn_graph_real(g, EPSILON));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC,
					 image(g, PALEO_Y, s));
	paleo_cudnn_graph_add_operation(g, d, "describe a normalisation");
}

static void norm_backward(struct paleo_cudnn_graph *g, const struct norm_shape *s)
{
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, 1,
			      &s->mode);
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_XDESC,
					 image(g, PALEO_X, s));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC,
					 image(g, PALEO_DY, s));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC,
					 parameter(g, PALEO_SCALE, s->channel));
	if (s->mode != CUDNN_RMS_NORM) {
		paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC,
						 parameter(g, PALEO_STATE1, s->group));
		paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC,
						 parameter(g, PALEO_DSHIFT, s->channel));
	}
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC,
					 parameter(g, PALEO_STATE2, s->group));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC,
					 parameter(g, PALEO_DSCALE, s->channel));
	paleo_cudnn_graph_set_descriptor(g, d, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC,
					 image(g, PALEO_DX, s));
	paleo_cudnn_graph_add_operation(g, d, "describe a normalisation's gradient");
}

/* cuDNN wants a scale always, and a shift but for RMS, and normalises rows of adjacent elements. */
static const char *norm_obstacle(const struct paleo_work *w)
{
	const struct paleo_norm_geom *p = &w->geom.norm;
	int is_batch = p->mode == PALEO_BATCH_NORM;

	if (p->mode == PALEO_BATCH_INFERENCE)
		return "with given statistics";
	if (p->add)
		return "of a sum";
	if (!p->scale || p->shift != (p->mode != PALEO_RMS_NORM))
		return "with other learned parameters than cudnn's";
	if (!is_batch && w->layout == PALEO_NCHW && (p->h != 1 || p->w != 1))
		return "over channels that are not adjacent";
	return NULL;
}

int paleo_cudnn_graph_norm(struct paleo_cudnn_graph *g, const struct paleo_work *w,
			   struct paleo_error *err)
{
	struct norm_shape s = norm_shape(w);
	const char *obstacle = norm_obstacle(w);

	if (obstacle)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "cudnn has no normalisation %s",
				  obstacle);
	/* Rows are images of one pixel, too. */
	g->layout = w->geom.norm.mode == PALEO_BATCH_NORM ? w->layout : PALEO_NHWC;
	if (w->pass == PALEO_FWD)
		norm_forward(g, &s);
	else
		norm_backward(g, &s);
	return paleo_cudnn_graph_check(g, err);
}
