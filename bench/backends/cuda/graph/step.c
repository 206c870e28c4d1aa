/* step.c - a cuDNN graph as a step of a job. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>

#include "bench/backends/cuda/graph/graph.h"
#include "bench/backends/cuda/session.h"

#define WORKSPACE_LIMIT_BYTES 4294967296.0 /* 4 GiB, unless set by the user */

struct call {
	struct paleo_cudnn_graph graph;
	struct paleo_plan plan;
	/* Variant packs for each copy: made once, to save launch overhead. */
	cudnnBackendDescriptor_t packs[PALEO_JOB_COPIES];
	int pack_count;
};

static void *address(struct call *c, const struct paleo_job *j, int64_t uid, int copy)
{
	if (uid >= PALEO_UID_NUMBER)
		return &c->graph.numbers[uid - PALEO_UID_NUMBER];
	void *at = paleo_job_address(j, (enum paleo_role)(uid % PALEO_UID_AGAIN - 1), 0, copy);
	assert(at);
	return at;
}

static int make_pack(struct call *c, const struct paleo_job *j, int copy, struct paleo_error *err)
{
	void *addresses[PALEO_GRAPH_TENSORS];
	void *workspace = paleo_job_workspace(j);
	cudnnBackendDescriptor_t pack = NULL;
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);

	if (status)
		return paleo_cudnn_check(status, "make a list of addresses", err);
	c->packs[c->pack_count++] = pack;
	for (int i = 0; i < c->graph.uid_count; i++)
		addresses[i] = address(c, j, c->graph.uids[i], copy);
	paleo_cudnn_set(&status, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
			c->graph.uid_count, c->graph.uids);
	paleo_cudnn_set(&status, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
			c->graph.uid_count, addresses);
	paleo_cudnn_set(&status, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
			&workspace);
	if (!status)
		status = cudnnBackendFinalize(pack);
	return paleo_cudnn_check(status, "take the addresses", err);
}

static int bind(struct paleo_step *step, const struct paleo_job *j, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int copy = 0; copy < j->layout.copies && !rc; copy++)
		rc = make_pack(step->state, j, copy, err);
	return rc;
}

static int launch(const struct paleo_step *step, const struct paleo_job *j, int copy,
		  struct paleo_error *err)
{
	const struct call *c = step->state;

	return paleo_cudnn_check(
		cudnnBackendExecute(j->session->cudnn, c->plan.plan, c->packs[copy]),
		"run the plan", err);
}

static void free_call(struct call *c)
{
	while (c->pack_count)
		cudnnBackendDestroyDescriptor(c->packs[--c->pack_count]);
	paleo_cudnn_graph_release(&c->graph);
	free(c);
}

static void release(struct paleo_step *step)
{
	free_call(step->state);
}

struct paleo_engine_rules paleo_cudnn_rules(enum paleo_dtype dtype,
					    const struct paleo_bench_options *o)
{
	double limit = o->workspace_limit_bytes;

	return (struct paleo_engine_rules){
		.workspace_limit_bytes = limit > 0 ? limit : WORKSPACE_LIMIT_BYTES,
		.forbid_tensor_cores = dtype == PALEO_F32,
	};
}

int paleo_cudnn_conv_ways(const struct paleo_op *w, struct paleo_cudnn_way out[PALEO_CUDNN_WAYS])
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	int count = 0;

	if (w->pass == PALEO_FWD && g->act)
		out[count++] = (struct paleo_cudnn_way){.build = paleo_cudnn_graph_conv_act,
							.first_choice_only = 1,
							.has_bias = g->bias,
							.has_act = 1};
	if (w->pass == PALEO_FWD && g->bias)
		out[count++] = (struct paleo_cudnn_way){.build = paleo_cudnn_graph_conv_bias,
							.first_choice_only = 1,
							.has_bias = 1};
	out[count++] = (struct paleo_cudnn_way){.build = paleo_cudnn_graph_conv};
	return count;
}

int paleo_cudnn_add(struct paleo_job *j, const struct paleo_cudnn_way *way, int *offered,
		    struct paleo_error *err)
{
	struct paleo_engine_rules rules = paleo_cudnn_rules(j->op.dtype, &j->options);
	struct call *c = calloc(1, sizeof(*c));

	rules.first_choice_only = way->first_choice_only;
	rules.rank = way->is_setup ? 0 : j->rank;
	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	c->graph.handle = j->session->cudnn;
	c->graph.device = j->session->described;
	int rc = way->build(&c->graph, &j->op, err);
	if (!rc)
		rc = paleo_plan_choose(&c->graph, &rules, &c->plan, offered, err);
	if (rc) {
		free_call(c);
		return rc;
	}
	paleo_job_need_workspace(j, c->plan.workspace_bytes);
	if (!way->is_setup) {
		paleo_job_name(j, "cudnn", c->plan.name);
		j->chosen = c->plan.algorithm;
	}
	struct paleo_step step = {.state = c, .bind = bind, .launch = launch, .release = release};
	return paleo_job_add(j, way->is_setup ? PALEO_SETUP : PALEO_TIMED, &step, err);
}
