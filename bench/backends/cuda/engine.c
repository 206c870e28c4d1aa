/* engine.c - what cuDNN tells of an engine: its number, how it is set, its notes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/backends/cuda/engine.h"

#include <stdio.h>
#include <string.h>

enum {
	NOTES_MAX = 16,
	KNOBS_MAX = 32
};

/* By the numbers of cudnnBackendKnobType_t, cudnnBackendNumericalNote_t and
 * cudnnBackendBehaviorNote_t; older headers lack the last ones. */
static const char *const knob_words[] = {
	"split_k",       "swizzle",    "tile_size", "use_tex",      "edge",        "kblock",
	"ldga",          "ldgb",       "chunk_k",   "split_h",      "wino_tile",   "multiply",
	"split_k_buf",   "tile_k",     "stages",    "reduction",    "cta_split_k", "split_k_slc",
	"idx_mode",      "sliced",     "split_rs",  "singlebuffer", "ldgc",        "specfilt",
	"kernel_cfg",    "workspace",  "tile_cga",  "tile_cga_m",   "tile_cga_n",  "block_size",
	"occupancy",     "array_size", "num_c",     "split_cols",   "tile_rows",   "tile_cols",
	"load_size",     "cta_count",  "stream_k",  "split_p_slc",  "tile_m",      "tile_n",
	"warp_spec_cfg", "swap_ab",
};

static const char *const note_words[] = {
	"tensor_core",
	"down_convert_inputs",
	"reduced_precision_reduction",
	"fft",
	"nondeterministic",
	"winograd",
	"winograd_4x4",
	"winograd_6x6",
	"winograd_13x13",
	"strict_nan_prop",
};

static const char *const habit_words[] = {
	"runtime_compilation", "filter_reorder", "bias_reorder", "cuda_graph_native", "cublaslt",
};

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Adds one word; what does not fit whole is left out. */
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

struct paleo_engine paleo_engine_read(cudnnBackendDescriptor_t config, int is_fallback)
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

void paleo_engine_name(const struct paleo_engine *e, char *out, size_t size)
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

void paleo_engine_tell(const struct paleo_engine *e, struct paleo_algorithm *out)
{
	char name[64];

	*out = (struct paleo_algorithm){.is_fallback = e->is_fallback};
	paleo_engine_name(e, name, sizeof(name));
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
