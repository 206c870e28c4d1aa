/* legacy.c - softmax and LRN by cuDNN's older calls, which no graph replaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/backends/cuda/graph/graph.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/session.h"

struct call {
	cudnnTensorDescriptor_t tensor; /* all tensors of the op have this shape */
	cudnnLRNDescriptor_t lrn;       /* NULL for softmax */
	int backward;
};

static const float one = 1, zero = 0;

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	const struct call *c = step->state;
	cudnnHandle_t h = j->session->cudnn;
	cudnnTensorDescriptor_t t = c->tensor;
	void *x = paleo_job_address(j, PALEO_X, 0, copy);
	void *y = paleo_job_address(j, PALEO_Y, 0, copy);
	void *dy = paleo_job_address(j, PALEO_DY, 0, copy);
	void *dx = paleo_job_address(j, PALEO_DX, 0, copy);
	cudnnStatus_t status;

	if (c->lrn && c->backward)
		status = cudnnLRNCrossChannelBackward(h, c->lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
						      t, y, t, dy, t, x, &zero, t, dx);
	else if (c->lrn)
		status = cudnnLRNCrossChannelForward(h, c->lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
						     t, x, &zero, t, y);
	else if (c->backward)
		status =
			cudnnSoftmaxBackward(h, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE,
					     &one, t, y, t, dy, &zero, t, dx);
	else
		status = cudnnSoftmaxForward(h, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE,
					     &one, t, x, &zero, t, y);
	return paleo_cudnn_check(status, c->lrn ? "run an LRN" : "run a softmax", err);
}

static void release(struct paleo_step *step)
{
	struct call *c = step->state;

	if (c->lrn)
		cudnnDestroyLRNDescriptor(c->lrn);
	if (c->tensor)
		cudnnDestroyTensorDescriptor(c->tensor);
	free(c);
}

/* Begins a step on dense tensors [n, c, h, w]. */
static int begin(struct paleo_step *step, const struct paleo_op *w, const int dims[4],
		 struct paleo_error *err)
{
	struct call *c = calloc(1, sizeof(*c));

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	step->state = c;
	step->release = release;
	cudnnStatus_t status = cudnnCreateTensorDescriptor(&c->tensor);
	if (!status)
		status = cudnnSetTensor4dDescriptor(
			c->tensor, w->layout == PALEO_NHWC ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
			paleo_cudnn_graph_type(w->dtype), dims[0], dims[1], dims[2], dims[3]);
	int rc = paleo_cudnn_check(status, "describe a tensor", err);
	if (rc)
		release(step);
	return rc;
}

int paleo_plan_softmax(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_softmax_geom *g = &j->op.geom.softmax;
	const int dims[4] = {g->rows, g->cols, 1, 1};
	struct paleo_step step = {.launch = launch};
	int rc = begin(&step, &j->op, dims, err);

	if (rc)
		return rc;
	((struct call *)step.state)->backward = j->op.pass == PALEO_BWD_DATA;
	paleo_job_name(j, "cudnn", "softmax");
	return paleo_job_add(j, PALEO_TIMED, &step, err);
}

static int add_lrn(struct paleo_job *j, enum paleo_job_phase phase, int backward,
		   struct paleo_error *err)
{
	const struct paleo_lrn_geom *g = &j->op.geom.lrn;
	const int dims[4] = {g->n, g->c, g->h, g->w};
	struct paleo_step step = {.launch = launch};
	int rc = begin(&step, &j->op, dims, err);

	if (rc)
		return rc;
	struct call *c = step.state;
	c->backward = backward;
	cudnnStatus_t status = cudnnCreateLRNDescriptor(&c->lrn);
	if (!status) /* cuDNN, too, divides alpha by the size */
		status = cudnnSetLRNDescriptor(c->lrn, (unsigned)g->size, 1e-4, 0.75, 1.0);
	rc = paleo_cudnn_check(status, "describe an LRN", err);
	if (rc) {
		release(&step);
		return rc;
	}
	return paleo_job_add(j, phase, &step, err);
}

/* Backward, cuDNN requires the forward's result, too. */
int paleo_plan_lrn(struct paleo_job *j, struct paleo_error *err)
{
	int backward = j->op.pass == PALEO_BWD_DATA;
	int rc = PALEO_OK;

	if (j->op.geom.lrn.size > CUDNN_LRN_MAX_N)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cudnn normalises over %d channels at most, not %d",
				  CUDNN_LRN_MAX_N, j->op.geom.lrn.size);
	if (backward)
		rc = paleo_job_hide_like(j, PALEO_Y, PALEO_X, err);
	if (!rc && backward)
		rc = add_lrn(j, PALEO_SETUP, 0, err);
	if (!rc)
		rc = add_lrn(j, PALEO_TIMED, backward, err);
	if (!rc)
		paleo_job_name(j, "cudnn", "lrn");
	return rc;
}
