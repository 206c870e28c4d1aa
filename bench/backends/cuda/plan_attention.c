/* plan_attention.c - attention and its gradients by cuDNN. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/cudnn_step.h"
#include "bench/backends/cuda/plans.h"

/* The gradients take y as it is given, and what only a forward pass on x and the keys knows. */
static int add_forward(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_cudnn_way state = {.build = paleo_cudnn_graph_attention_state,
					      .is_setup = 1};
	int rc = paleo_job_hide_like(j, PALEO_MASK, PALEO_Y, err);

	return rc ? rc : paleo_cudnn_add(j, &state, NULL, err);
}

int paleo_plan_attention(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_cudnn_way graph = {.build = paleo_cudnn_graph_attention};
	const struct paleo_attention_geom *g = &j->work.geom.attention;
	int rc = g->cache ? paleo_plan_cache(j, err) : PALEO_OK;

	if (!rc && paleo_dtype_is_narrow(j->work.dtype))
		rc = paleo_plan_narrow_queries(j, err);
	if (!rc)
		rc = paleo_cudnn_add(j, &graph, NULL, err);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_STATE1, (double)g->batch * g->heads * g->q,
				    sizeof(float), err);
	if (rc || j->work.pass == PALEO_FWD)
		return rc;
	return add_forward(j, err);
}
