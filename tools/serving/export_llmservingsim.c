/* export_llmservingsim.c - the tables that LLMServingSim has of a model at one degree of tp. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/table.h"
#include "tools/serving/export.h"

/* Its layers (profiler/models/). Rotary positions are part of attention here, and sampling has no
 * op. */
enum {
	EMBEDDING,
	NORM,
	QKV_PROJ,
	QK_NORM,
	ROTARY_EMB,
	O_PROJ,
	GATE_UP_PROJ,
	ACT_FN,
	DOWN_PROJ,
	FINAL_NORM,
	LM_HEAD,
	SAMPLER,
	ATTENTION,
	MOE,
	LAYERS
};

static const struct serving_export_layer layers[LAYERS] = {
	[EMBEDDING] = {"embedding", " embedding ", SERVING_EXPORT_ONCE},
	[NORM] = {"layernorm", " norm1 norm2 sum1 sum2 ", SERVING_EXPORT_TWICE},
	[QKV_PROJ] = {"qkv_proj", " qkv ", SERVING_EXPORT_LAYERS},
	[QK_NORM] = {"qk_norm", " q_norm k_norm ", SERVING_EXPORT_LAYERS},
	[ROTARY_EMB] = {"rotary_emb", "", SERVING_EXPORT_LAYERS},
	[O_PROJ] = {"o_proj", " project ", SERVING_EXPORT_LAYERS},
	[GATE_UP_PROJ] = {"gate_up_proj", " expand ", SERVING_EXPORT_MLPS},
	[ACT_FN] = {"act_fn", " act ", SERVING_EXPORT_MLPS},
	[DOWN_PROJ] = {"down_proj", " contract ", SERVING_EXPORT_MLPS},
	[FINAL_NORM] = {"final_layernorm", " norm ", SERVING_EXPORT_ONCE},
	[LM_HEAD] = {"lm_head", " head last ", SERVING_EXPORT_ONCE},
	[SAMPLER] = {"sampler", "", SERVING_EXPORT_ONCE},
	[ATTENTION] = {"attention", " attention ", SERVING_EXPORT_LAYERS},
	[MOE] = {"moe", " router experts ", SERVING_EXPORT_EXPERTS},
};

static const struct serving_export_layers all = {"LLMServingSim", layers, LAYERS};

/* Its own sizes: each of the small ones, then more seldom, and the last. */
static int next_size(int n, int most)
{
	int next = n + (n < 16 ? 1 : n < 64 ? 4 : 16);

	return n >= most ? 0 : next < most ? next : most;
}

#define LAYER_COLUMNS(X, axis)                                                                     \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = layers[i].name)                             \
	X(PALEO_COLUMN_WHOLE(axis, axis), .number = size)                                          \
	X(PALEO_COLUMN_NUMBER("time_us", "time_us", 1, 6), .number = s[i] * 1e6)

static const struct paleo_column dense_columns[] = {LAYER_COLUMNS(PALEO_COLUMN_OF, "tokens")};
static const struct paleo_column sequence_columns[] = {LAYER_COLUMNS(PALEO_COLUMN_OF, "sequences")};

/* Layers from `first` to `last` that the model has, at each size up to `most`. */
static int add_layers(struct paleo_table *t, const struct serving_export *e, int first, int last,
		      int most, struct paleo_error *err)
{
	double s[LAYERS];

	for (int size = 1; size; size = next_size(size, most)) {
		const struct paleo_serving_step step = {.decoding = size, .past = 1};
		PALEO_TRY(serving_export_times(e, &e->on->served, &all, &step, s, err));
		for (int i = first; i <= last; i++) {
			const struct paleo_cell cells[] = {LAYER_COLUMNS(PALEO_CELL_OF, "")};
			if (!isnan(s[i]))
				PALEO_TRY(paleo_table_add(t, cells, err));
		}
	}
	return PALEO_OK;
}

int serving_export_llmservingsim_dense(const struct serving_export *e, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(dense_columns);

	return serving_export_print(
		t, t ? add_layers(t, e, EMBEDDING, FINAL_NORM, e->tokens, err) : 0, err);
}

int serving_export_llmservingsim_per_sequence(const struct serving_export *e,
					      struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(sequence_columns);

	return serving_export_print(
		t, t ? add_layers(t, e, LM_HEAD, SAMPLER, e->sequences, err) : 0, err);
}

/* A prompt's key is the mean of those that its tokens see: the ones before, and half of the prompt.
 */
#define ATTENTION_COLUMNS(X)                                                                       \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = layers[ATTENTION].name)                     \
	X(PALEO_COLUMN_WHOLE("prefill_chunk", "prefill_chunk"), .number = chunk)                   \
	X(PALEO_COLUMN_WHOLE("prefill_key", "prefill_key"), .number = key)                         \
	X(PALEO_COLUMN_WHOLE("n_decode", "n_decode"), .number = decoding)                          \
	X(PALEO_COLUMN_WHOLE("kv_decode", "kv_decode"), .number = past)                            \
	X(PALEO_COLUMN_WHOLE("decode_q_len", "decode_q_len"), .number = 1)                         \
	X(PALEO_COLUMN_NUMBER("time_us", "time_us", 1, 6), .number = time_s * 1e6)

static const struct paleo_column attention_columns[] = {ATTENTION_COLUMNS(PALEO_COLUMN_OF)};

enum {
	SMALLEST = 16,        /* tokens of a prompt, and of a cache */
	CACHED_MAX = 1 << 22, /* of all sequences */
	SIZES = 32            /* powers of 2 */
};

/* Seconds of answers, [i][k] of 2^i sequences behind SMALLEST 2^k tokens. */
struct answers {
	double s[SIZES][SIZES];
};

static int price_answers(const struct serving_export *e, struct answers *a, struct paleo_error *err)
{
	double s[LAYERS];

	for (int i = 0; 1 << i <= e->sequences; i++)
		for (int k = 0; SMALLEST << k <= e->context; k++) {
			const struct paleo_serving_step step = {.decoding = 1 << i,
								.past = SMALLEST << k};
			a->s[i][k] = NAN;
			if (step.past > CACHED_MAX / step.decoding)
				continue;
			PALEO_TRY(serving_export_times(e, &e->on->served, &all, &step, s, err));
			a->s[i][k] = s[ATTENTION];
		}
	return PALEO_OK;
}

/* Prompts of so many tokens together: as few as have that key; NaN: none have. */
static int price_prompts(const struct serving_export *e, int chunk, int key, double *out,
			 struct paleo_error *err)
{
	int prompts = (chunk + 2 * key - 1) / (2 * key), fresh = chunk / prompts;
	int cached = key - fresh / 2;
	double s[LAYERS];

	*out = NAN;
	if (prompts > e->sequences || cached + fresh > e->context)
		return PALEO_OK;
	PALEO_TRY(serving_export_prompts(e, &all, prompts, fresh, cached, s, err));
	*out = s[ATTENTION];
	return PALEO_OK;
}

/* A prompt's seconds, alone and with each number of answers. */
static int add_mixed(struct paleo_table *t, const struct serving_export *e, const struct answers *a,
		     int chunk, int key, double prompt_s, struct paleo_error *err)
{
	for (int i = -1; i < 0 || 1 << i <= e->sequences; i++)
		for (int k = 0; i < 0 ? !k : SMALLEST << k <= e->context; k++) {
			int decoding = i < 0 ? 0 : 1 << i, past = i < 0 ? 0 : SMALLEST << k;
			double time_s = prompt_s + (i < 0 ? 0 : a->s[i][k]);
			const struct paleo_cell cells[] = {ATTENTION_COLUMNS(PALEO_CELL_OF)};
			if (!isnan(time_s) && chunk + decoding > 0)
				PALEO_TRY(paleo_table_add(t, cells, err));
		}
	return PALEO_OK;
}

static int add_attention(struct paleo_table *t, const struct serving_export *e,
			 struct paleo_error *err)
{
	struct answers a;
	double prompt_s;

	PALEO_TRY(price_answers(e, &a, err));
	PALEO_TRY(add_mixed(t, e, &a, 0, 0, 0, err));
	for (int chunk = SMALLEST; chunk <= e->tokens; chunk *= 2)
		for (int key = SMALLEST; key <= e->context; key *= 2) {
			PALEO_TRY(price_prompts(e, chunk, key, &prompt_s, err));
			PALEO_TRY(add_mixed(t, e, &a, chunk, key, prompt_s, err));
		}
	return PALEO_OK;
}

int serving_export_llmservingsim_attention(const struct serving_export *e, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(attention_columns);

	return serving_export_print(t, t ? add_attention(t, e, err) : 0, err);
}

/* Of experts that are chosen as --skew says: their number, which it looks up, changes nothing. */
#define MOE_COLUMNS(X)                                                                             \
	X(PALEO_COLUMN_WHOLE("ep", "ep"), .number = 1)                                             \
	X(PALEO_COLUMN_WHOLE("tokens", "tokens"), .number = size)                                  \
	X(PALEO_COLUMN_WHOLE("activated_experts", "activated_experts"), .number = m->experts)      \
	X(PALEO_COLUMN_NUMBER("time_us", "time_us", 1, 6), .number = s[MOE] * 1e6)

static const struct paleo_column moe_columns[] = {MOE_COLUMNS(PALEO_COLUMN_OF)};

static int add_experts(struct paleo_table *t, const struct serving_export *e,
		       struct paleo_error *err)
{
	const struct paleo_hf_model *m = &e->on->model->model;
	double s[LAYERS];

	if (!m->experts)
		return paleo_fail(err, PALEO_EINPUT, "%s has no experts to export",
				  e->on->model->name);
	if (e->on->serving.split.tp > 1)
		return paleo_fail(err, PALEO_EINPUT,
				  "LLMServingSim looks experts up at tp 1: leave --tp out");
	for (int size = 1; size; size = next_size(size, e->tokens)) {
		const struct paleo_serving_step step = {.decoding = size, .past = 1};
		PALEO_TRY(serving_export_times(e, &e->on->served, &all, &step, s, err));
		const struct paleo_cell cells[] = {MOE_COLUMNS(PALEO_CELL_OF)};
		PALEO_TRY(paleo_table_add(t, cells, err));
	}
	return PALEO_OK;
}

int serving_export_llmservingsim_moe(const struct serving_export *e, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(moe_columns);

	return serving_export_print(t, t ? add_experts(t, e, err) : 0, err);
}
