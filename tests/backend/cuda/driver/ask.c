/* ask.c - asks cuDNN for the plan of an op, on a device that is only described. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "bench/backends/cuda/graph/graph.h"
#include "bench/backends/cuda/plans/plans.h"
#include "tests/backend/cuda/driver/sweep.h"

const char *sweep_verdict_name(enum sweep_verdict verdict)
{
	static const char *const names[SWEEP_VERDICTS] = {
		[SWEEP_PLANNED] = "planned", [SWEEP_DESCRIBED] = "described",
		[SWEEP_REFUSED] = "refused", [SWEEP_REFUSED_BY_US] = "not asked",
		[SWEEP_FAULT] = "fault",     [SWEEP_CRASH] = "crash",
		[SWEEP_TIMEOUT] = "timeout",
	};

	return names[verdict];
}

static void give_reason(struct sweep_answer *out, const char *text)
{
	size_t length = strcspn(text, "\n");

	if (length >= sizeof(out->reason))
		length = sizeof(out->reason) - 1;
	memcpy(out->reason, text, length);
	out->reason[length] = '\0';
	for (char *c = out->reason; *c; c++)
		if (*c == '\t')
			*c = ' ';
}

static enum sweep_verdict failure(int rc, enum sweep_verdict unsupported)
{
	return rc == PALEO_EUNSUPPORTED ? unsupported : SWEEP_FAULT;
}

/* One way of computing the op. */
static void ask_way(cudnnBackendDescriptor_t device, const struct paleo_op *w,
		    const struct paleo_cudnn_way *way, struct sweep_answer *out)
{
	const struct paleo_bench_options options = {0};
	struct paleo_engine_rules rules = paleo_cudnn_rules(w->dtype, &options);
	struct paleo_cudnn_graph g = {.device = device};
	struct paleo_error err = {0};
	struct paleo_plan plan;

	*out = (struct sweep_answer){.verdict = SWEEP_PLANNED};
	rules.first_choice_only = way->first_choice_only;
	int rc = way->build(&g, w, &err);
	if (rc) {
		out->verdict = failure(rc, SWEEP_REFUSED_BY_US);
	} else {
		rc = paleo_plan_choose(&g, &rules, &plan, NULL, &err);
		if (rc)
			out->verdict = failure(rc, SWEEP_REFUSED);
	}
	if (rc) {
		give_reason(out, err.text);
	} else {
		snprintf(out->engine, sizeof(out->engine), "%s", plan.name);
		out->workspace_bytes = plan.workspace_bytes;
		give_reason(out, way->has_bias && way->has_act ? "bias and activation in it"
				 : way->has_act                ? "activation in it"
				 : way->has_bias               ? "bias in it"
							       : "");
	}
	paleo_cudnn_graph_release(&g);
}

/* The first way that has an engine, as paleo_plan_conv() goes through them. */
static void ask_conv(cudnnBackendDescriptor_t device, const struct paleo_op *w,
		     struct sweep_answer *out)
{
	struct paleo_cudnn_way ways[PALEO_CUDNN_WAYS];
	int count = paleo_cudnn_conv_ways(w, ways);

	for (int i = 0; i < count; i++) {
		ask_way(device, w, &ways[i], out);
		if (out->verdict == SWEEP_PLANNED || out->verdict == SWEEP_FAULT)
			return;
	}
}

/* Both products; what the first says if it is not planned. */
static void ask_experts(cudnnBackendDescriptor_t device, const struct paleo_op *w,
			struct sweep_answer *out)
{
	const struct paleo_cudnn_way first = {.build = paleo_cudnn_graph_experts_first};
	const struct paleo_cudnn_way second = {.build = paleo_cudnn_graph_experts_second};

	ask_way(device, w, &first, out);
	if (out->verdict == SWEEP_PLANNED)
		ask_way(device, w, &second, out);
}

/* The older API has no plan to show before it runs. */
static void ask_older(const struct paleo_op *w, struct sweep_answer *out)
{
	const struct paleo_bench_options options = {0};
	struct paleo_error err = {0};
	struct paleo_job j;

	*out = (struct sweep_answer){.verdict = SWEEP_DESCRIBED};
	paleo_job_begin(&j, w, &options);
	int rc = w->kind == PALEO_LRN ? paleo_plan_lrn(&j, &err) : paleo_plan_softmax(&j, &err);
	if (rc) {
		out->verdict = failure(rc, SWEEP_REFUSED_BY_US);
		give_reason(out, err.text);
	}
	paleo_job_clear(&j);
}

void sweep_ask(cudnnBackendDescriptor_t device, const struct paleo_op *w, struct sweep_answer *out)
{
	const struct paleo_cudnn_way norm = {.build = paleo_cudnn_graph_norm};
	const struct paleo_cudnn_way attention = {.build = paleo_cudnn_graph_attention};

	if (w->kind == PALEO_CONV)
		ask_conv(device, w, out);
	else if (w->kind == PALEO_NORM)
		ask_way(device, w, &norm, out);
	else if (w->kind == PALEO_MOE)
		ask_experts(device, w, out);
	else if (w->kind == PALEO_ATTENTION)
		ask_way(device, w, &attention, out);
	else if (w->kind == PALEO_POOL) /* by kernels alone */
		*out = (struct sweep_answer){.verdict = SWEEP_REFUSED_BY_US};
	else
		ask_older(w, out);
}
