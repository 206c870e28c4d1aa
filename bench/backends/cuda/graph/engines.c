/* engines.c - asks cuDNN's heuristics for engines, describes each, plans one of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "bench/backends/cuda/graph/graph.h"
#include "bench/backends/cuda/session.h"

enum {
	NOTES_MAX = 16,
	KNOBS_MAX = 32
};

/* Older headers lack the last ones. */
static const char *const knob_words[] = {
#define KNOB(word, people) #word,
#include "model/op/algorithm_words.def"
};

static const char *const note_words[] = {
#define NOTE(word, people) #word,
#include "model/op/algorithm_words.def"
};

static const char *const habit_words[] = {
#define HABIT(word) #word,
#include "model/op/algorithm_words.def"
};

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Adds one word; a word that does not fit is omitted. */
static void add_word(char *text, size_t size, const char *word)
{
	size_t used = strlen(text), wanted = strlen(word) + (used > 0);

	if (used + wanted < size)
		snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

static void add_knob(char *text, size_t size, int type, long long value)
{
	char word[48];

	if (type >= 0 && type < COUNT(knob_words))
		snprintf(word, sizeof(word), "%s=%lld", knob_words[type], value);
	else
		snprintf(word, sizeof(word), "knob%d=%lld", type, value);
	add_word(text, size, word);
}

static void read_knobs(cudnnBackendDescriptor_t config, char *text, size_t size)
{
	cudnnBackendDescriptor_t choices[KNOBS_MAX];
	int64_t count = 0, one;
	int made = 0;

	while (made < KNOBS_MAX &&
	       !cudnnBackendCreateDescriptor(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, &choices[made]))
		made++;
	if (cudnnBackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
				     CUDNN_TYPE_BACKEND_DESCRIPTOR, made, &count, choices))
		count = 0;
	for (int i = 0; i < made; i++) {
		cudnnBackendKnobType_t type;
		int64_t value;
		if (i < count &&
		    !cudnnBackendGetAttribute(choices[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
					      CUDNN_TYPE_KNOB_TYPE, 1, &one, &type) &&
		    !cudnnBackendGetAttribute(choices[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE,
					      CUDNN_TYPE_INT64, 1, &one, &value))
			add_knob(text, size, (int)type, value);
		cudnnBackendDestroyDescriptor(choices[i]);
	}
}

static void read_notes(cudnnBackendDescriptor_t d, struct paleo_engine *e)
{
	cudnnBackendNumericalNote_t notes[NOTES_MAX];
	cudnnBackendBehaviorNote_t habits[NOTES_MAX];
	int64_t count = 0;

	if (cudnnBackendGetAttribute(d, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
				     NOTES_MAX, &count, notes) == 0)
		for (int64_t i = 0; i < count && i < NOTES_MAX; i++)
			e->notes |= 1u << ((unsigned)notes[i] & 31);
	count = 0;
	if (cudnnBackendGetAttribute(d, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
				     NOTES_MAX, &count, habits) == 0)
		for (int64_t i = 0; i < count && i < NOTES_MAX; i++)
			e->habits |= 1u << ((unsigned)habits[i] & 31);
}

static struct paleo_engine read_engine(cudnnBackendDescriptor_t config, int is_fallback)
{
	struct paleo_engine e = {.number = -1, .is_fallback = is_fallback};
	cudnnBackendDescriptor_t d = NULL;
	int64_t count = 0, number = -1;

	if (cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &d))
		return e;
	if (cudnnBackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_ENGINE,
				     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &d) == 0) {
		cudnnBackendGetAttribute(d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
					 &count, &number);
		e.number = (int)number;
		read_notes(d, &e);
		read_knobs(config, e.knobs, sizeof(e.knobs));
	}
	cudnnBackendDestroyDescriptor(d);
	return e;
}

int paleo_engine_is_rough(const struct paleo_engine *e, int may_use_tensor_cores)
{
	return (e->notes >> CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS & 1) ||
	       (!may_use_tensor_cores && (e->notes >> CUDNN_NUMERICAL_NOTE_TENSOR_CORE & 1));
}

static void name_engine(const struct paleo_engine *e, char *out, size_t size)
{
	static const struct {
		int note;
		const char *word;
	} words[] = {
		{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, "tc"},
		{CUDNN_NUMERICAL_NOTE_WINOGRAD, "wino"},
		{CUDNN_NUMERICAL_NOTE_FFT, "fft"},
		{CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, "cast"},
		{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, "nondet"},
	};

	snprintf(out, size, "eng%d", e->number);
	for (int i = 0; i < COUNT(words); i++)
		if (e->notes >> words[i].note & 1)
			add_word(out, size, words[i].word);
	if (e->habits >> CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION & 1)
		add_word(out, size, "rtc");
	if (e->is_fallback)
		add_word(out, size, "fallback");
}

static void tell_engine(const struct paleo_engine *e, double bytes, struct paleo_algorithm *out)
{
	char name[64];

	*out = (struct paleo_algorithm){.is_fallback = e->is_fallback, .workspace_bytes = bytes};
	name_engine(e, name, sizeof(name));
	snprintf(out->name, sizeof(out->name), "cudnn %s", name);
	if (e->number >= 0)
		snprintf(out->engine, sizeof(out->engine), "%d", e->number);
	memcpy(out->knobs, e->knobs, sizeof(out->knobs));
	for (int i = 0; i < COUNT(note_words); i++)
		if (e->notes >> i & 1)
			add_word(out->notes, sizeof(out->notes), note_words[i]);
	for (int i = 0; i < COUNT(habit_words); i++)
		if (e->habits >> i & 1)
			add_word(out->behaviour, sizeof(out->behaviour), habit_words[i]);
}

enum {
	CONFIGS_MAX = 64
};

/* The search: its rules, and why nothing has been found so far. */
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

	paleo_cudnn_set(&status, plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
			CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
	if (g->handle)
		paleo_cudnn_set(&status, plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE,
				1, &g->handle);
	if (g->device)
		paleo_cudnn_set(&status, plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
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

/* Takes the configuration if it keeps the rules, can be planned, and its turn has come. */
static int try_config(struct search *s, cudnnBackendDescriptor_t config, int is_fallback,
		      struct paleo_plan *out)
{
	struct paleo_engine e = read_engine(config, is_fallback);

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
		tell_engine(&e, bytes, &s->list->items[s->list->count++]);
	if (s->list || is_too_large || s->left-- > 0) {
		cudnnBackendDestroyDescriptor(plan);
		return 0;
	}
	*out = (struct paleo_plan){.plan = plan, .workspace_bytes = bytes};
	name_engine(&e, out->name, sizeof(out->name));
	tell_engine(&e, bytes, &out->algorithm);
	return 1;
}

/* The plan and its parts belong to the graph, which has space for two more. */
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
	cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
	paleo_cudnn_set(&status, heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
			CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &s->operations);
	paleo_cudnn_set(&status, heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1,
			&mode);
	if (s->graph->device)
		paleo_cudnn_set(&status, heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
				CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &s->graph->device);
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
	struct paleo_plan none; /* a listing makes no plan */
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
