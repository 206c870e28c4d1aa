/* plan_cudnn.c - steps of the works that cuDNN's graphs compute, and what helps out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/cudnn_step.h"
#include "bench/backends/cuda/plans.h"

/* What the graph leaves out: kernels behind it. */
static int add_rest(struct paleo_job *j, const struct paleo_cudnn_way *way, struct paleo_error *err)
{
	const struct paleo_conv_geom *g = &j->work.geom.conv;
	int rc = PALEO_OK;

	if (j->work.pass != PALEO_FWD)
		return g->bias ? paleo_plan_bias_gradient(j, err) : PALEO_OK;
	if (way->has_act)
		paleo_job_name(j, way->has_bias ? "bias and activation" : "activation", "in it");
	else if (way->has_bias)
		paleo_job_name(j, "bias", "in it");
	j->chosen.has_bias = way->has_bias;
	j->chosen.has_act = way->has_act;
	if (g->bias && !way->has_bias)
		rc = paleo_plan_bias(j, err);
	if (!rc && g->act && !way->has_act)
		rc = paleo_plan_act(j, g->act, err);
	return rc;
}

/* How many engines each way has, as far as the turns before the job's rank reach; that one more is
 * behind them shows when it is asked for. Rank 0 is of the first way that has any: none is counted.
 */
static int count_engines(const struct paleo_job *j, const struct paleo_cudnn_way ways[], int count,
			 int engines[], struct paleo_error *err)
{
	for (int i = 0; i < count; i++) {
		int found = j->rank, rc = PALEO_OK;
		if (j->rank > 0 && count > 1)
			rc = paleo_cudnn_count(j, &ways[i], j->rank, &found, err);
		if (rc)
			return rc;
		engines[i] = found < j->rank ? found : j->rank + 1;
	}
	return PALEO_OK;
}

int paleo_plan_experts_product(struct paleo_job *j, int is_second, struct paleo_error *err)
{
	const struct paleo_cudnn_way way = {.build = is_second ? paleo_cudnn_graph_experts_second
							       : paleo_cudnn_graph_experts_first};

	return paleo_cudnn_add(j, &way, NULL, err);
}

int paleo_plan_conv(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_cudnn_way ways[PALEO_CUDNN_WAYS];
	int engines[PALEO_CUDNN_WAYS], count = paleo_cudnn_conv_ways(&j->work, ways);
	int rank = j->rank, at, place, rc = count_engines(j, ways, count, engines, err);

	if (rc)
		return rc;
	rc = paleo_fail(err, PALEO_EUNSUPPORTED, "cudnn offers no engine of rank %d for this",
			rank);
	while ((at = paleo_cudnn_turn(engines, count, rank, &place)) >= 0) {
		int offered = 0;
		j->rank = place;
		rc = paleo_cudnn_add(j, &ways[at], &offered, err);
		j->rank = rank;
		if (!rc)
			return add_rest(j, &ways[at], err);
		if (rc != PALEO_EUNSUPPORTED)
			return rc;
		engines[at] = offered < place ? offered : place;
	}
	return rc;
}

/* Maximum pooling leaves a mask for its backward pass, which cuDNN cannot use in this layout. */
int paleo_plan_pool(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_cudnn_way average = {.build = paleo_cudnn_graph_avg_pool};
	int may_ask = j->work.geom.pool.mode != PALEO_POOL_MAX && !j->options.own_norms;
	struct paleo_error why;

	j->has_other_way = may_ask && !paleo_cudnn_add(j, &average, NULL, &why);
	if (j->has_other_way)
		return PALEO_OK;
	return paleo_plan_pool_kernels(j, err);
}

/* Forward, cuDNN writes the statistics that it saves; backward, they are there. */
static int plan_norm_graph(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &j->work.geom.norm;
	const struct paleo_cudnn_way graph = {.build = paleo_cudnn_graph_norm};
	double groups = g->mode == PALEO_BATCH_NORM ? g->c : (double)g->n * g->h * g->w;
	int rc;

	if (j->work.pass == PALEO_BWD_DATA) {
		rc = paleo_plan_norm_statistics(j, err);
	} else {
		rc = paleo_job_hide(j, PALEO_STATE1, groups, sizeof(float), err);
		if (!rc)
			rc = paleo_job_hide(j, PALEO_STATE2, groups, sizeof(float), err);
	}
	return rc ? rc : paleo_cudnn_add(j, &graph, NULL, err);
}

int paleo_plan_norm(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_error why;

	/* cuDNN has no engine for given statistics. */
	if (j->work.geom.norm.mode == PALEO_BATCH_INFERENCE || j->options.own_norms)
		return paleo_plan_norm_kernels(j, err);
	j->has_other_way = !plan_norm_graph(j, &why);
	if (j->has_other_way)
		return PALEO_OK;
	paleo_job_clear(j);
	return paleo_plan_norm_kernels(j, err);
}
