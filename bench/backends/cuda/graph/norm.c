/* norm.c - normalisation as a cuDNN graph. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph/graph.h"

#define EPSILON 1e-5f /* of a normalisation */

/* Shapes of a normalisation's tensors. */
struct norm_shape {
	cudnnDataType_t type;
	int64_t x[4];
	int64_t channel[4]; /* scale, shift and their gradients */
	int64_t group[4];   /* statistics */
	cudnnBackendNormMode_t mode;
};

static struct norm_shape norm_shape(const struct paleo_op *w)
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

/* A tensor of a pass, and its shape. */
struct norm_tensor {
	cudnnBackendAttributeName_t name;
	enum paleo_role role;
	enum {
		IMAGE,
		CHANNEL,
		GROUP
	} shape;
	int is_of_mean; /* not of RMS, which has none */
};

struct norm_pass {
	cudnnBackendDescriptorType_t operation;
	cudnnBackendAttributeName_t mode;
	const char *what;
	int count;
	struct norm_tensor tensors[8];
};

static const struct norm_pass forward = {
	CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
	CUDNN_ATTR_OPERATION_NORM_FWD_MODE,
	"describe a normalisation",
	6,
	{{CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, PALEO_X, IMAGE, 0},
	 {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, PALEO_SCALE, CHANNEL, 0},
	 {CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, PALEO_SHIFT, CHANNEL, 1},
	 {CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, PALEO_STATE1, GROUP, 1},
	 {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, PALEO_STATE2, GROUP, 0},
	 {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, PALEO_Y, IMAGE, 0}},
};

static const struct norm_pass backward = {
	CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
	CUDNN_ATTR_OPERATION_NORM_BWD_MODE,
	"describe a normalisation's gradient",
	8,
	{{CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, PALEO_X, IMAGE, 0},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, PALEO_DY, IMAGE, 0},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, PALEO_SCALE, CHANNEL, 0},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, PALEO_STATE1, GROUP, 1},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, PALEO_DSHIFT, CHANNEL, 1},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, PALEO_STATE2, GROUP, 0},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, PALEO_DSCALE, CHANNEL, 0},
	 {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, PALEO_DX, IMAGE, 0}},
};

static cudnnBackendDescriptor_t image(struct paleo_cudnn_graph *g, enum paleo_role role,
				      const struct norm_shape *s)
{
	return paleo_cudnn_graph_tensor(g, paleo_graph_uid(role), s->type, s->x);
}

/* Statistics and parameters are f32 whatever x is, and of one pixel. In NVIDIA's samples their
 * channels are innermost, in graphs of either layout. */
static cudnnBackendDescriptor_t parameter(struct paleo_cudnn_graph *g, enum paleo_role role,
					  const int64_t dims[4])
{
	enum paleo_layout layout = g->layout;

	g->layout = PALEO_NHWC;
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_tensor(g, paleo_graph_uid(role), CUDNN_DATA_FLOAT, dims);
	g->layout = layout;
	return d;
}

static void add_norm(struct paleo_cudnn_graph *g, const struct norm_shape *s,
		     const struct norm_pass *pass)
{
	cudnnBackendDescriptor_t d = paleo_cudnn_graph_new(g, pass->operation);
	const cudnnBackendNormFwdPhase_t phase = CUDNN_NORM_FWD_TRAINING;
	struct paleo_graph_part parts[9];
	int n = 0;

	paleo_cudnn_graph_set(g, d, pass->mode, CUDNN_TYPE_NORM_MODE, 1, &s->mode);
	for (int i = 0; i < pass->count; i++) {
		const struct norm_tensor *t = &pass->tensors[i];
		const int64_t *dims = t->shape == CHANNEL ? s->channel : s->group;
		if (t->is_of_mean && s->mode == CUDNN_RMS_NORM)
			continue;
		parts[n].name = t->name;
		parts[n++].value =
			t->shape == IMAGE ? image(g, t->role, s) : parameter(g, t->role, dims);
	}
	if (pass == &forward) {
		paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE,
				      CUDNN_TYPE_NORM_FWD_PHASE, 1, &phase);
		parts[n].name = CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC;
		parts[n++].value = paleo_cudnn_graph_real(g, EPSILON);
	}
	paleo_cudnn_graph_add_operation(g, d, parts, n, pass->what);
}

/* cuDNN always requires a scale, and a shift except for RMS, and normalises rows of adjacent
 * elements. */
static const char *norm_obstacle(const struct paleo_op *w)
{
	const struct paleo_norm_geom *p = &w->geom.norm;
	int is_batch = p->mode == PALEO_BATCH_NORM;

	if (p->mode == PALEO_BATCH_INFERENCE)
		return "with given statistics";
	if (p->add)
		return "of a sum";
	if (!p->scale || p->shift != (p->mode != PALEO_RMS_NORM))
		return "with parameters unlike cudnn's";
	if (!is_batch && w->layout == PALEO_NCHW && (p->h != 1 || p->w != 1))
		return "over channels that are not adjacent";
	return NULL;
}

int paleo_cudnn_graph_norm(struct paleo_cudnn_graph *g, const struct paleo_op *w,
			   struct paleo_error *err)
{
	struct norm_shape s = norm_shape(w);
	const char *obstacle = norm_obstacle(w);

	if (obstacle)
		return paleo_fail(err, PALEO_EUNSUPPORTED, "cudnn has no normalisation %s",
				  obstacle);
	/* Rows are images of one pixel, too. */
	g->layout = w->geom.norm.mode == PALEO_BATCH_NORM ? w->layout : PALEO_NHWC;
	add_norm(g, &s, w->pass == PALEO_FWD ? &forward : &backward);
	return paleo_cudnn_graph_check(g, err);
}
