/* graph_plan.c - asks cuDNN's heuristics for engines and makes the plan of one of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "bench/backends/cuda/engine.h"
#include "bench/backends/cuda/graph.h"
#include "bench/backends/cuda/status.h"

enum {
	CONFIGS_MAX = 64
};

/* The search: what is sought, and why nothing has been found so far. */
struct search {
	struct paleo_cudnn_graph *graph;
	cudnnBackendDescriptor_t operations;
	const struct paleo_engine_rules *rules;
	int left;                      /* engines to pass over before one is taken */
	struct paleo_algorithms *list; /* NULL, or none is taken: they are written down here */
	int most;                      /* so many of them */
	int too_large, too_rough, unplanned;
	cudnnStatus_t status; /* of the last list or plan that could not be made */
	char words[192];
};

/* The graph as a whole; it belongs to g. NULL on failure, which g keeps. */
static cudnnBackendDescriptor_t whole_graph(struct paleo_cudnn_graph *g)
{
	cudnnBackendDescriptor_t d =
		paleo_cudnn_graph_new(g, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

	paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
			      g->operation_count, g->operations);
	if (g->handle)
		paleo_cudnn_graph_set(g, d, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
				      &g->handle);
	paleo_cudnn_graph_finalize(g, d, "accept the graph");
	return g->status == CUDNN_STATUS_SUCCESS ? d : NULL;
}

static double workspace_of(cudnnBackendDescriptor_t plan)
{
	int64_t bytes = 0, count = 0;

	cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
				 1, &count, &bytes);
	return (double)bytes;
}

/* cuDNN's reason: its first line, but not the one that only repeats the engine's configuration. */
static void keep_words(struct search *s, cudnnStatus_t status)
{
	char all[sizeof(s->words) + 512] = "";
	const char *line = all;

	cudnnGetLastErrorString(all, sizeof(all));
	if (*line == '{' && strchr(line, '\n'))
		line = strchr(line, '\n') + 1;
	s->status = status;
	size_t length = strcspn(line, "\n");
	if (length >= sizeof(s->words))
		length = sizeof(s->words) - 1;
	memcpy(s->words, line, length);
	s->words[length] = '\0';
}

/* Makes the plan of a configuration; NULL if that fails, and why in s. */
static cudnnBackendDescriptor_t make_plan(struct search *s, cudnnBackendDescriptor_t config)
{
	const struct paleo_cudnn_graph *g = s->graph;
	cudnnBackendDescriptor_t plan = NULL;
	cudnnStatus_t status =
		cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &plan);

	if (!status)
		status = cudnnBackendSetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
						  CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
	if (!status && g->handle)
		status = cudnnBackendSetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
						  CUDNN_TYPE_HANDLE, 1, &g->handle);
	if (!status && g->device)
		status = cudnnBackendSetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
						  CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &g->device);
	if (!status)
		status = cudnnBackendFinalize(plan);
	if (!status)
		return plan;
	keep_words(s, status);
	if (plan)
		cudnnBackendDestroyDescriptor(plan);
	return NULL;
}

static void write_down(struct paleo_algorithms *list, const struct paleo_engine *e, double bytes)
{
	struct paleo_algorithm *a = &list->items[list->count++];

	paleo_engine_tell(e, a);
	a->workspace_bytes = bytes;
}

/* Takes the configuration if it keeps the rules, can be planned, and its turn has come. */
static int try_config(struct search *s, cudnnBackendDescriptor_t config, int is_fallback,
		      struct paleo_plan *out)
{
	struct paleo_engine e = paleo_engine_read(config, is_fallback);

	if (paleo_engine_is_rough(&e, !s->rules->forbid_tensor_cores)) {
		s->too_rough++;
		return 0;
	}
	cudnnBackendDescriptor_t plan = make_plan(s, config);
	if (!plan) {
		s->unplanned++;
		return 0;
	}
	double bytes = workspace_of(plan);
	int is_too_large = bytes > s->rules->workspace_limit_bytes;
	s->too_large += is_too_large;
	if (s->list && !is_too_large)
		write_down(s->list, &e, bytes);
	if (s->list || is_too_large || s->left-- > 0) {
		cudnnBackendDestroyDescriptor(plan);
		return 0;
	}
	*out = (struct paleo_plan){.plan = plan, .workspace_bytes = bytes};
	paleo_engine_name(&e, out->name, sizeof(out->name));
	paleo_engine_tell(&e, &out->algorithm);
	out->algorithm.workspace_bytes = bytes;
	return 1;
}

/* The plan and what it is made of stay with the graph, which has kept room for two more. */
static void keep(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t plan,
		 cudnnBackendDescriptor_t config)
{
	assert(g->made_count + 2 <= PALEO_GRAPH_DESCRIPTORS);
	g->made[g->made_count++] = config;
	g->made[g->made_count++] = plan;
}

/* Asks for a list of configurations, best first; returns how many were written. */
static int list_configs(struct search *s, cudnnBackendHeurMode_t mode,
			cudnnBackendDescriptor_t *configs)
{
	cudnnBackendDescriptor_t heuristics = NULL;
	int64_t count = 0;
	int made = 0;

	if (cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, &heuristics))
		return 0;
	cudnnStatus_t status =
		cudnnBackendSetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
					 CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &s->operations);
	if (!status)
		status = cudnnBackendSetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE,
						  CUDNN_TYPE_HEUR_MODE, 1, &mode);
	if (!status && s->graph->device)
		status = cudnnBackendSetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
						  CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
						  &s->graph->device);
	if (!status)
		status = cudnnBackendFinalize(heuristics);
	while (!status && made < CONFIGS_MAX &&
	       !cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &configs[made]))
		made++;
	if (!status)
		status = cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
						  CUDNN_TYPE_BACKEND_DESCRIPTOR, made, &count,
						  configs);
	if (status || count == 0)
		keep_words(s, status);
	cudnnBackendDestroyDescriptor(heuristics);
	int found = status ? 0 : count < made ? (int)count : made;
	while (made > found)
		cudnnBackendDestroyDescriptor(configs[--made]);
	return found;
}

static int is_full(const struct search *s)
{
	return s->list && s->list->count >= s->most;
}

/* 1 if a configuration of this list was taken. */
static int search_list(struct search *s, cudnnBackendHeurMode_t mode, struct paleo_plan *out)
{
	cudnnBackendDescriptor_t configs[CONFIGS_MAX];
	int count = list_configs(s, mode, configs), taken = 0;

	for (int i = 0; i < count; i++) {
		int is_fallback = mode == CUDNN_HEUR_MODE_FALLBACK;
		if (!taken && !is_full(s) && try_config(s, configs[i], is_fallback, out)) {
			keep(s->graph, out->plan, configs[i]);
			taken = 1;
		} else {
			cudnnBackendDestroyDescriptor(configs[i]);
		}
	}
	return taken;
}

static int fail_without_engine(const struct search *s, struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "cudnn offers no engine for this: %d round their inputs%s, %d take more "
			  "than %.2f GiB of workspace, %d cannot be planned%s%s%s%s",
			  s->too_rough, s->rules->forbid_tensor_cores ? " or use tensor cores" : "",
			  s->too_large, s->rules->workspace_limit_bytes / 1073741824.0,
			  s->unplanned, s->status || s->words[0] ? ": " : "",
			  s->status ? cudnnGetErrorString(s->status) : "",
			  s->status && s->words[0] ? " " : "", s->words);
}

int paleo_plan_choose(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules,
		      struct paleo_plan *out, int *offered, struct paleo_error *err)
{
	struct paleo_plan plan;
	struct search s = {.graph = g, .rules = rules, .left = rules->rank};

	s.operations = whole_graph(g);
	if (!s.operations)
		return paleo_cudnn_graph_check(g, err);
	int found = search_list(&s, CUDNN_HEUR_MODE_A, &plan);
	if (!found && !rules->first_choice_only)
		found = search_list(&s, CUDNN_HEUR_MODE_FALLBACK, &plan);
	int before = rules->rank - s.left - found; /* a taken one was counted too */
	if (offered)
		*offered = before;
	if (!found && before > 0)
		return paleo_fail(err, PALEO_EUNSUPPORTED,
				  "cudnn offers %d engine%s for this, none of rank %d", before,
				  before == 1 ? "" : "s", rules->rank);
	if (!found)
		return fail_without_engine(&s, err);
	*out = plan;
	return PALEO_OK;
}

int paleo_plan_list(struct paleo_cudnn_graph *g, const struct paleo_engine_rules *rules, int most,
		    struct paleo_algorithms *out, struct paleo_error *err)
{
	struct paleo_algorithms list = {0};
	struct paleo_plan none; /* a listing takes no plan */
	struct search s = {.graph = g, .rules = rules, .list = &list, .most = most};

	s.operations = whole_graph(g);
	if (!s.operations)
		return paleo_cudnn_graph_check(g, err);
	search_list(&s, CUDNN_HEUR_MODE_A, &none);
	if (!is_full(&s) && !rules->first_choice_only)
		search_list(&s, CUDNN_HEUR_MODE_FALLBACK, &none);
	if (list.count == 0)
		return fail_without_engine(&s, err);
	*out = list;
	return PALEO_OK;
}
