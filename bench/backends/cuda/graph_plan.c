/* graph_plan.c - asks cuDNN's heuristics for engines and makes the plan of one of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>

#include "bench/backends/cuda/graph.h"
#include "bench/backends/cuda/status.h"

enum {
	CONFIGS_MAX = 64,
	NOTES_MAX = 16
};

/* What is known of an engine before it is planned. */
struct engine {
	int64_t number;
	int notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
	int is_runtime_compiled;
};

/* The search: what is sought, and why nothing has been found so far. */
struct search {
	struct paleo_graph *graph;
	cudnnBackendDescriptor_t operations;
	const struct paleo_engine_rules *rules;
	int left; /* engines to pass over before one is taken */
	int too_large, too_rough, unplanned;
	cudnnStatus_t status; /* of the last one that could not be planned */
	char words[192];
};

/* The graph as a whole; it belongs to g. NULL on failure, which g keeps. */
static cudnnBackendDescriptor_t whole_graph(struct paleo_graph *g)
{
	cudnnBackendDescriptor_t d = paleo_graph_new(g, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

	paleo_graph_set(g, d, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
			g->operation_count, g->operations);
	if (g->handle)
		paleo_graph_set(g, d, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
				&g->handle);
	paleo_graph_finalize(g, d, "accept the graph");
	return g->status == CUDNN_STATUS_SUCCESS ? d : NULL;
}

static void read_notes(cudnnBackendDescriptor_t d, struct engine *e)
{
	cudnnBackendNumericalNote_t notes[NOTES_MAX];
	cudnnBackendBehaviorNote_t habits[NOTES_MAX];
	int64_t count = 0;

	if (cudnnBackendGetAttribute(d, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
				     NOTES_MAX, &count, notes) == 0)
		for (int64_t i = 0; i < count && i < NOTES_MAX; i++)
			if ((int)notes[i] < CUDNN_NUMERICAL_NOTE_TYPE_COUNT)
				e->notes[notes[i]] = 1;
	count = 0;
	if (cudnnBackendGetAttribute(d, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
				     NOTES_MAX, &count, habits) == 0)
		for (int64_t i = 0; i < count && i < NOTES_MAX; i++)
			e->is_runtime_compiled |=
				habits[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
}

/* Who the engine of a configuration is. */
static struct engine read_engine(cudnnBackendDescriptor_t config)
{
	struct engine e = {.number = -1};
	cudnnBackendDescriptor_t d = NULL;
	int64_t count = 0;

	if (cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &d))
		return e;
	if (cudnnBackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_ENGINE,
				     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &d) == 0) {
		cudnnBackendGetAttribute(d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
					 &count, &e.number);
		read_notes(d, &e);
	}
	cudnnBackendDestroyDescriptor(d);
	return e;
}

static void name_engine(const struct engine *e, int is_fallback, char *out, size_t size)
{
	static const struct {
		int note;
		const char *word;
	} words[] = {
		{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, " tc"},
		{CUDNN_NUMERICAL_NOTE_WINOGRAD, " wino"},
		{CUDNN_NUMERICAL_NOTE_FFT, " fft"},
		{CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, " cast"},
		{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, " nondet"},
	};
	size_t used = (size_t)snprintf(out, size, "eng%lld", (long long)e->number);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (e->notes[words[i].note])
			used += (size_t)snprintf(out + used, size - used, "%s", words[i].word);
	snprintf(out + used, size - used, "%s%s", e->is_runtime_compiled ? " rtc" : "",
		 is_fallback ? " fallback" : "");
}

/* True single precision: neither tensor cores nor rounded inputs. */
static int is_rough(const struct engine *e)
{
	return e->notes[CUDNN_NUMERICAL_NOTE_TENSOR_CORE] ||
	       e->notes[CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS];
}

static double workspace_of(cudnnBackendDescriptor_t plan)
{
	int64_t bytes = 0, count = 0;

	cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
				 1, &count, &bytes);
	return (double)bytes;
}

/* Makes the plan of a configuration; NULL if that fails, and why in s. */
static cudnnBackendDescriptor_t make_plan(struct search *s, cudnnBackendDescriptor_t config)
{
	const struct paleo_graph *g = s->graph;
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
	s->status = status;
	s->words[0] = '\0';
	cudnnGetLastErrorString(s->words, sizeof(s->words));
	if (plan)
		cudnnBackendDestroyDescriptor(plan);
	return NULL;
}

/* Takes the configuration if it keeps the rules, can be planned, and its turn has come. */
static int try_config(struct search *s, cudnnBackendDescriptor_t config, int is_fallback,
		      struct paleo_plan *out)
{
	struct engine e = read_engine(config);

	if (s->rules->forbid_tensor_cores && is_rough(&e)) {
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
	if (is_too_large || s->left-- > 0) {
		cudnnBackendDestroyDescriptor(plan);
		return 0;
	}
	*out = (struct paleo_plan){.plan = plan, .workspace_bytes = bytes};
	name_engine(&e, is_fallback, out->name, sizeof(out->name));
	return 1;
}

/* The plan and what it is made of stay with the graph, which has kept room for two more. */
static void keep(struct paleo_graph *g, cudnnBackendDescriptor_t plan,
		 cudnnBackendDescriptor_t config)
{
	assert(g->made_count + 2 <= PALEO_GRAPH_DESCRIPTORS);
	g->made[g->made_count++] = config;
	g->made[g->made_count++] = plan;
}

/* Asks for a list of configurations, best first; returns how many were written. */
static int list_configs(const struct search *s, cudnnBackendHeurMode_t mode,
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
	cudnnBackendDestroyDescriptor(heuristics);
	int found = status ? 0 : count < made ? (int)count : made;
	while (made > found)
		cudnnBackendDestroyDescriptor(configs[--made]);
	return found;
}

/* 1 if a configuration of this list was taken. */
static int search_list(struct search *s, cudnnBackendHeurMode_t mode, struct paleo_plan *out)
{
	cudnnBackendDescriptor_t configs[CONFIGS_MAX];
	int count = list_configs(s, mode, configs), taken = 0;

	for (int i = 0; i < count; i++) {
		int is_fallback = mode == CUDNN_HEUR_MODE_FALLBACK;
		if (!taken && try_config(s, configs[i], is_fallback, out)) {
			keep(s->graph, out->plan, configs[i]);
			taken = 1;
		} else {
			cudnnBackendDestroyDescriptor(configs[i]);
		}
	}
	return taken;
}

int paleo_plan_choose(struct paleo_graph *g, const struct paleo_engine_rules *rules,
		      struct paleo_plan *out, struct paleo_error *err)
{
	struct paleo_plan plan;
	struct search s = {.graph = g, .rules = rules, .left = rules->rank};

	s.operations = whole_graph(g);
	if (!s.operations)
		return paleo_graph_check(g, err);
	int found = search_list(&s, CUDNN_HEUR_MODE_A, &plan);
	if (!found && !rules->first_choice_only)
		found = search_list(&s, CUDNN_HEUR_MODE_FALLBACK, &plan);
	if (found) {
		*out = plan;
		return PALEO_OK;
	}
	return paleo_fail(err, PALEO_EUNSUPPORTED,
			  "cudnn offers no engine for this: %d use tensor cores, %d take more than "
			  "%.2f GiB of workspace, %d cannot be planned%s%s%s%s",
			  s.too_rough, s.too_large, rules->workspace_limit_bytes / 1073741824.0,
			  s.unplanned, s.unplanned ? ": " : "",
			  s.unplanned ? cudnnGetErrorString(s.status) : "", s.words[0] ? " " : "",
			  s.words);
}
