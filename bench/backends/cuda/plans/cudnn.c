/* cudnn.c - convolutions, norms, attention and experts by cuDNN's graphs; its engines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/graph/graph.h"
#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/session.h"

/* Adds kernels for the parts missing from the graph. */
static int add_rest(struct paleo_job *j, const struct paleo_cudnn_way *way, struct paleo_error *err)
{
	const struct paleo_conv_geom *g = &j->op.geom.conv;
	int rc = PALEO_OK;

	if (j->op.pass != PALEO_FWD)
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

int paleo_plan_experts_product(struct paleo_job *j, int is_second, struct paleo_error *err)
{
	const struct paleo_cudnn_way way = {.build = is_second ? paleo_cudnn_graph_experts_second
							       : paleo_cudnn_graph_experts_first};

	return paleo_cudnn_add(j, &way, NULL, err);
}

/* Ranks count the engines of one way after those of another. */
int paleo_plan_conv(struct paleo_job *j, struct paleo_error *err)
{
	struct paleo_cudnn_way ways[PALEO_CUDNN_WAYS];
	int count = paleo_cudnn_conv_ways(&j->op, ways), rank = j->rank, rc = PALEO_EUNSUPPORTED;

	for (int i = 0, left = rank; i < count && rc == PALEO_EUNSUPPORTED; i++) {
		int offered = 0;
		j->rank = left;
		rc = paleo_cudnn_add(j, &ways[i], &offered, err);
		j->rank = rank;
		if (!rc)
			return add_rest(j, &ways[i], err);
		left -= offered;
	}
	return rc;
}

/* Forward, cuDNN writes the statistics that it saves; backward, they are there. */
static int plan_norm_graph(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_norm_geom *g = &j->op.geom.norm;
	const struct paleo_cudnn_way graph = {.build = paleo_cudnn_graph_norm};
	double groups = g->mode == PALEO_BATCH_NORM ? g->c : (double)g->n * g->h * g->w;
	int rc;

	if (j->op.pass == PALEO_BWD_DATA) {
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

	/* cuDNN has no engine for stored statistics. */
	if (j->op.geom.norm.mode == PALEO_BATCH_INFERENCE || j->options.own_norms)
		return paleo_plan_norm_kernels(j, err);
	j->has_other_way = !plan_norm_graph(j, &why);
	if (j->has_other_way)
		return PALEO_OK;
	paleo_job_clear(j);
	return paleo_plan_norm_kernels(j, err);
}

/* The gradients need y as given, the statistics of a forward pass on x and the keys, and two sums
 * that cuDNN stores in memory. */
static int add_attention_state(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_cudnn_way state = {.build = paleo_cudnn_graph_attention_state,
					      .is_setup = 1};
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	const double rows = (double)g->batch * g->heads * g->q;
	int rc = paleo_job_hide(j, PALEO_STATE2, rows, sizeof(float), err);

	if (!rc)
		rc = paleo_job_hide(j, PALEO_DINNER, rows * g->qk, sizeof(float), err);
	if (!rc)
		rc = paleo_job_hide_like(j, PALEO_MASK, PALEO_Y, err);
	return rc ? rc : paleo_cudnn_add(j, &state, NULL, err);
}

int paleo_plan_attention(struct paleo_job *j, struct paleo_error *err)
{
	const struct paleo_cudnn_way graph = {.build = paleo_cudnn_graph_attention};
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	int rc = g->cache ? paleo_plan_cache(j, err) : PALEO_OK;

	if (!rc)
		rc = paleo_cudnn_add(j, &graph, NULL, err);
	if (!rc)
		rc = paleo_job_hide(j, PALEO_STATE1, (double)g->batch * g->heads * g->q,
				    sizeof(float), err);
	if (rc || j->op.pass == PALEO_FWD)
		return rc;
	return add_attention_state(j, err);
}

/* A query of engines: device, op, rules. */
struct question {
	struct paleo_session *session;
	const struct paleo_op *op;
	struct paleo_engine_rules rules;
	int most;
};

static int ask(const struct question *q, const struct paleo_cudnn_way *way,
	       struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_cudnn_graph g = {.handle = q->session->cudnn, .device = q->session->described};
	struct paleo_engine_rules rules = q->rules;
	int rc = way->build(&g, q->op, err);

	rules.first_choice_only = way->first_choice_only;
	if (!rc)
		rc = paleo_plan_list(&g, &rules, q->most, out, err);
	paleo_cudnn_graph_release(&g);
	for (int i = 0; !rc && i < out->count; i++) {
		out->items[i].has_bias = way->has_bias;
		out->items[i].has_act = way->has_act;
	}
	return rc;
}

/* The engines of all ways, as the plan of a convolution counts them. */
static int ask_all(struct question *q, struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_cudnn_way ways[PALEO_CUDNN_WAYS];
	int count = paleo_cudnn_conv_ways(q->op, ways), rc = PALEO_OK;

	*out = (struct paleo_algorithms){.count = 0};
	for (int i = 0; i < count && q->most > 0; i++) {
		struct paleo_algorithms more;
		rc = ask(q, &ways[i], &more, err);
		if (rc && rc != PALEO_EUNSUPPORTED)
			return rc;
		for (int k = 0; !rc && k < more.count; k++)
			out->items[out->count++] = more.items[k];
		q->most -= rc ? 0 : more.count;
	}
	return out->count ? PALEO_OK : rc;
}

int paleo_algorithms_list(struct paleo_session *s, const struct paleo_op *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err)
{
	struct question q = {
		.session = s, .op = w, .rules = paleo_cudnn_rules(w->dtype, o), .most = most};

	/* To cuDNN tensors of tf32 are f32: it has no separate type. */
	int rc = paleo_dtype_check(s, w->dtype, err);
	if (rc)
		return rc;
	if (w->kind == PALEO_GEMM && !s->described)
		return paleo_gemm_algorithms(s, w, o, most, out, err);
	if (w->kind != PALEO_CONV)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "algorithms are listed for convolutions, and on a GPU for GEMMs");
	return ask_all(&q, out, err);
}
