/* cudnn_step.c - a cuDNN graph as a step of a job. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/cudnn_step.h"

#include <assert.h>
#include <stdlib.h>

#include "bench/backends/cuda/session.h"
#include "bench/backends/cuda/status.h"

#define WORKSPACE_LIMIT_BYTES 4294967296.0 /* 4 GiB, unless the user says otherwise */

struct call {
	struct paleo_cudnn_graph graph;
	struct paleo_plan plan;
	/* Which tensor lies where, for each copy: made once, as that costs the host time. */
	cudnnBackendDescriptor_t packs[PALEO_JOB_COPIES];
	int pack_count;
};

static void *address(struct call *c, const struct paleo_job *j, int64_t uid, int copy)
{
	if (uid >= PALEO_UID_NUMBER)
		return &c->graph.numbers[uid - PALEO_UID_NUMBER];
	int is_scalar = uid >= PALEO_UID_SCALAR;
	int64_t role = is_scalar ? PALEO_SCALE : uid % PALEO_UID_AGAIN - 1;
	char *at = paleo_job_address(j, (enum paleo_role)role, 0, copy);
	assert(at);
	return is_scalar ? at + (uid - PALEO_UID_SCALAR) * PALEO_PACK_BYTES : at;
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
	status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
					  CUDNN_TYPE_INT64, c->graph.uid_count, c->graph.uids);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
						  CUDNN_TYPE_VOID_PTR, c->graph.uid_count,
						  addresses);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
						  CUDNN_TYPE_VOID_PTR, 1, &workspace);
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

int paleo_cudnn_conv_ways(const struct paleo_work *w, struct paleo_cudnn_way out[PALEO_CUDNN_WAYS])
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

int paleo_cudnn_turn(const int engines[], int ways, int rank, int *place)
{
	int is_left = 1;

	for (int round = 0; is_left; round++) {
		is_left = 0;
		for (int i = 0; i < ways; i++) {
			if (engines[i] <= round)
				continue;
			is_left = 1;
			if (rank-- == 0) {
				*place = round;
				return i;
			}
		}
	}
	return -1;
}

int paleo_cudnn_count(const struct paleo_job *j, const struct paleo_cudnn_way *way, int most,
		      int *count, struct paleo_error *err)
{
	struct paleo_engine_rules rules = paleo_cudnn_rules(j->work.dtype, &j->options);
	struct paleo_cudnn_graph g = {.handle = j->session->cudnn, .device = j->session->described};
	struct paleo_plan plan;

	rules.first_choice_only = way->first_choice_only;
	rules.rank = most - 1;
	*count = 0;
	int rc = way->build(&g, &j->work, err);
	if (!rc)
		rc = paleo_plan_choose(&g, &rules, &plan, count, err);
	paleo_cudnn_graph_release(&g);
	if (!rc)
		*count = most;
	return rc == PALEO_EUNSUPPORTED ? PALEO_OK : rc;
}

int paleo_cudnn_add(struct paleo_job *j, const struct paleo_cudnn_way *way, int *offered,
		    struct paleo_error *err)
{
	struct paleo_engine_rules rules = paleo_cudnn_rules(j->work.dtype, &j->options);
	struct call *c = calloc(1, sizeof(*c));

	rules.first_choice_only = way->first_choice_only;
	rules.rank = way->is_setup ? 0 : j->rank;
	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "no memory for a step");
	c->graph.handle = j->session->cudnn;
	c->graph.device = j->session->described;
	int rc = way->build(&c->graph, &j->work, err);
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
