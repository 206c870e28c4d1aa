/* plan_cudnn.c - steps of the works that cuDNN's graphs compute, and what helps out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/cudnn_step.h"
#include "bench/backends/cuda/plans.h"

/* One graph for all if cuDNN's first list has any engine for it: then that is the whole list. */
static int plan_as_one(struct paleo_job *j, paleo_graph_builder *build, const char *words,
		       int *offered, struct paleo_error *err)
{
	int rc = paleo_cudnn_add(j, build, 1, offered, err);

	if (!rc) {
		paleo_job_name(j, words, "in it");
		j->chosen.has_bias = j->work.geom.conv.bias;
	}
	return rc;
}

/* Else the bias by a kernel. */
static int plan_sums(struct paleo_job *j, struct paleo_error *err)
{
	int offered = 0, rc;

	if (j->work.geom.conv.bias) {
		rc = plan_as_one(j, paleo_graph_conv_bias, "bias", &offered, err);
		if (!rc || offered)
			return rc;
	}
	rc = paleo_cudnn_add(j, paleo_graph_conv, 0, NULL, err);
	if (!rc && j->work.geom.conv.bias)
		rc = paleo_plan_bias(j, err);
	return rc;
}

/* And the activation by another one. */
static int plan_forward(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_conv_geom *g = &j->work.geom.conv;
	int offered = 0, rc;

	if (!g->act)
		return plan_sums(j, err);
	rc = plan_as_one(j, paleo_graph_conv_act, g->bias ? "bias and activation" : "activation",
			 &offered, err);
	if (!rc || offered)
		return rc;
	rc = plan_sums(j, err);
	return rc ? rc : paleo_plan_act(j, g->act, err);
}

int paleo_plan_conv(struct paleo_job *j, struct paleo_error *err)
{
	if (j->work.pass == PALEO_FWD)
		return plan_forward(j, err);
	int rc = paleo_cudnn_add(j, paleo_graph_conv, 0, NULL, err);
	if (!rc && j->work.geom.conv.bias)
		rc = paleo_plan_bias_gradient(j, err);
	return rc;
}

/* Maximum pooling leaves a mask for its backward pass, which cuDNN cannot use in this layout. */
int paleo_plan_pool(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_error why;

	if (j->work.geom.pool.mode != PALEO_POOL_MAX &&
	    !paleo_cudnn_add(j, paleo_graph_avg_pool, 0, NULL, &why))
		return PALEO_OK;
	return paleo_plan_pool_kernels(j, err);
}

/* Forward, cuDNN writes the statistics that it saves; backward, they are there. */
static int plan_norm_graph(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &j->work.geom.norm;
	double groups = g->mode == PALEO_BATCH_NORM ? g->c : (double)g->n * g->h * g->w;
	int rc;

	if (j->work.pass == PALEO_BWD_DATA) {
		rc = paleo_plan_norm_statistics(j, err);
	} else {
		rc = paleo_job_hide(j, PALEO_STATE1, groups, sizeof(float), err);
		if (!rc)
			rc = paleo_job_hide(j, PALEO_STATE2, groups, sizeof(float), err);
	}
	return rc ? rc : paleo_cudnn_add(j, paleo_graph_norm, 0, NULL, err);
}

int paleo_plan_norm(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_error why;

	/* cuDNN has no engine for given statistics. */
	if (j->work.geom.norm.mode == PALEO_BATCH_INFERENCE)
		return paleo_plan_norm_kernels(j, err);
	if (!plan_norm_graph(j, &why))
		return PALEO_OK;
	paleo_job_clear(j);
	return paleo_plan_norm_kernels(j, err);
}
