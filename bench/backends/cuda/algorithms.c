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

static int ask(const struct question *q, const struct paleo_cudnn_way *way,
	       struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_cudnn_graph g = {.handle = q->session->cudnn, .device = q->session->described};
	struct paleo_engine_rules rules = q->rules;
	int rc = way->build(&g, q->work, err);

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

/* The engines of all ways in turn, as the plan of a convolution goes through them. */
static int ask_all(const struct question *q, struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_cudnn_way ways[PALEO_CUDNN_WAYS];
	struct paleo_algorithms lists[PALEO_CUDNN_WAYS];
	int engines[PALEO_CUDNN_WAYS], count = paleo_cudnn_conv_ways(q->work, ways);
	int rc = PALEO_OK, at, place;

	for (int i = 0; i < count; i++) {
		rc = ask(q, &ways[i], &lists[i], err);
		if (rc && rc != PALEO_EUNSUPPORTED)
			return rc;
		engines[i] = rc ? 0 : lists[i].count;
	}
	*out = (struct paleo_algorithms){.count = 0};
	while (out->count < q->most &&
	       (at = paleo_cudnn_turn(engines, count, out->count, &place)) >= 0)
		out->items[out->count++] = lists[at].items[place];
	return out->count ? PALEO_OK : rc;
}

int paleo_algorithms_list(struct paleo_session *s, const struct paleo_work *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err)
{
	struct question q = {
		.session = s, .work = w, .rules = paleo_cudnn_rules(w->dtype, o), .most = most};

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
	return ask_all(&q, out, err);
}
