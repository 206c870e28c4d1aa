/* algorithms.c - the engines that cuDNN offers for a convolution. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/cudnn_step.h"
#include "bench/backends/cuda/plans.h"
#include "bench/backends/cuda/session.h"

/* A question to cuDNN: of which device, for which work, by which rules. */
struct question {
	struct paleo_session *session;
	const struct paleo_work *work;
	struct paleo_engine_rules rules;
	int most;
};

static int ask(const struct question *q, paleo_graph_builder *build, struct paleo_algorithms *out,
	       struct paleo_error *err)
{
	struct paleo_graph g = {.handle = q->session->cudnn, .device = q->session->described};
	int rc = build(&g, q->work, err);

	if (!rc)
		rc = paleo_plan_list(&g, &q->rules, q->most, out, err);
	paleo_graph_release(&g);
	return rc;
}

/* As the plan of a forward convolution: bias and activation within the engine if cuDNN's first list
 * has one. */
static int ask_as_one(const struct question *q, paleo_graph_builder *build,
		      struct paleo_algorithms *out, struct paleo_error *err)
{
	struct question first = *q;

	first.rules.first_choice_only = 1;
	int rc = ask(&first, build, out, err);
	for (int i = 0; !rc && i < out->count; i++)
		out->items[i].has_bias = q->work->geom.conv.bias;
	return rc;
}

int paleo_algorithms_list(struct paleo_session *s, const struct paleo_work *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err)
{
	struct question q = {
		.session = s, .work = w, .rules = paleo_cudnn_rules(w->dtype, o), .most = most};
	struct paleo_error why;

	/* To cuDNN tensors of tf32 are f32: it has no word of its own for this. */
	int rc = paleo_dtype_check(s, w->dtype, err);
	if (rc)
		return rc;
	if (w->kind == PALEO_GEMM && !s->described)
		return paleo_gemm_algorithms(s, w, o, most, out, err);
	if (w->kind != PALEO_CONV)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "algorithms are listed for convolutions, and with a GPU for "
				  "matrix products");
	if (w->geom.conv.act && !ask_as_one(&q, paleo_graph_conv_act, out, &why))
		return PALEO_OK;
	if (w->pass == PALEO_FWD && w->geom.conv.bias &&
	    !ask_as_one(&q, paleo_graph_conv_bias, out, &why))
		return PALEO_OK;
	return ask(&q, paleo_graph_conv, out, err);
}
