/* export_vidur.c - Vidur's tables of a model: GEMMs and norms by tokens, and attention. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/table.h"
#include "tools/serving/export.h"

/* Its layers. Rotary positions and the cache's writes are part of attention; embedding, last norm
 * and head are in none of its steps. */
enum {
	OTHERS,
	INPUT_NORM,
	POST_NORM,
	ADD,
	PRE_PROJ,
	ROPE,
	POST_PROJ,
	MLP_UP,
	MLP_ACT,
	MLP_DOWN,
	ATTENTION,
	LAYERS
};

static const struct serving_export_layer layers[LAYERS] = {
	[OTHERS] = {NULL, " embedding norm last head ", SERVING_EXPORT_ONCE},
	[INPUT_NORM] = {"input_layernorm", " norm1 ", SERVING_EXPORT_LAYERS},
	[POST_NORM] = {"post_attention_layernorm", " norm2 ", SERVING_EXPORT_LAYERS},
	[ADD] = {"add", " sum1 sum2 ", SERVING_EXPORT_LAYERS},
	[PRE_PROJ] = {"attn_pre_proj", " qkv ", SERVING_EXPORT_LAYERS},
	[ROPE] = {"attn_rope", "", SERVING_EXPORT_LAYERS},
	[POST_PROJ] = {"attn_post_proj", " project ", SERVING_EXPORT_LAYERS},
	[MLP_UP] = {"mlp_up_proj", " expand ", SERVING_EXPORT_MLPS},
	[MLP_ACT] = {"mlp_act", " act ", SERVING_EXPORT_MLPS},
	[MLP_DOWN] = {"mlp_down_proj", " contract ", SERVING_EXPORT_MLPS},
	[ATTENTION] = {"attn", " attention ", SERVING_EXPORT_LAYERS},
};
static const struct serving_export_layers all = {"Vidur", layers, LAYERS};

/* In milliseconds; what the model has not takes no time. */
static double ms(double s)
{
	return isnan(s) ? 0 : s * 1e3;
}

/* The columns by which its reader finds a model's rows, and the times. */
#define MLP_COLUMNS(X)                                                                             \
	X(PALEO_COLUMN_DATA("time_stats.input_layernorm.median"), .number = ms(s[INPUT_NORM]))     \
	X(PALEO_COLUMN_DATA("time_stats.attn_pre_proj.median"), .number = ms(s[PRE_PROJ]))         \
	X(PALEO_COLUMN_DATA("time_stats.attn_rope.median"), .number = ms(s[ROPE]))                 \
	X(PALEO_COLUMN_DATA("time_stats.attn_post_proj.median"), .number = ms(s[POST_PROJ]))       \
	X(PALEO_COLUMN_DATA("time_stats.post_attention_layernorm.median"),                         \
	  .number = ms(s[POST_NORM]))                                                              \
	X(PALEO_COLUMN_DATA("time_stats.mlp_up_proj.median"), .number = ms(s[MLP_UP]))             \
	X(PALEO_COLUMN_DATA("time_stats.mlp_act.median"), .number = ms(s[MLP_ACT]))                \
	X(PALEO_COLUMN_DATA("time_stats.mlp_down_proj.median"), .number = ms(s[MLP_DOWN]))         \
	X(PALEO_COLUMN_DATA("time_stats.add.median"), .number = ms(s[ADD]))                        \
	X(PALEO_COLUMN_DATA("n_head"), .number = m->heads)                                         \
	X(PALEO_COLUMN_DATA("n_kv_head"), .number = m->layer[0].heads.kv)                          \
	X(PALEO_COLUMN_DATA("n_embd"), .number = m->hidden)                                        \
	X(PALEO_COLUMN_DATA("n_expanded_embd"), .number = m->inner)                                \
	X(PALEO_COLUMN_DATA("vocab_size"), .number = m->words)                                     \
	X(PALEO_COLUMN_DATA_TEXT("use_gated_mlp"), .text = m->is.plain ? "False" : "True")         \
	X(PALEO_COLUMN_DATA("num_tokens"), .number = tokens)                                       \
	X(PALEO_COLUMN_DATA("num_tensor_parallel_workers"), .number = e->on->serving.split.tp)

static const struct paleo_column mlp_columns[] = {MLP_COLUMNS(PALEO_COLUMN_OF)};

#define ATTENTION_COLUMNS(X)                                                                       \
	X(PALEO_COLUMN_DATA("time_stats.attn_prefill.median"),                                     \
	  .number = chunk ? ms(s[ATTENTION]) : NAN)                                                \
	X(PALEO_COLUMN_DATA("time_stats.attn_decode.median"),                                      \
	  .number = chunk ? NAN : ms(s[ATTENTION]))                                                \
	X(PALEO_COLUMN_DATA("time_stats.attn_kv_cache_save.median"), .number = 0)                  \
	X(PALEO_COLUMN_DATA("n_embd"), .number = m->hidden)                                        \
	X(PALEO_COLUMN_DATA("n_q_head"), .number = m->heads)                                       \
	X(PALEO_COLUMN_DATA("n_kv_head"), .number = m->layer[0].heads.kv)                          \
	X(PALEO_COLUMN_DATA("block_size"), .number = BLOCK)                                        \
	X(PALEO_COLUMN_DATA("num_tensor_parallel_workers"), .number = e->on->serving.split.tp)     \
	X(PALEO_COLUMN_DATA("batch_size"), .number = chunk ? 1 : decoding)                         \
	X(PALEO_COLUMN_DATA("prefill_chunk_size"), .number = chunk)                                \
	X(PALEO_COLUMN_DATA("kv_cache_size"), .number = past)

static const struct paleo_column attention_columns[] = {ATTENTION_COLUMNS(PALEO_COLUMN_OF)};

enum {
	BLOCK = 16,            /* tokens of a block of the cache: its default */
	CONTEXT_MAX = 1 << 14, /* the longest for which it has tables */
	BATCH_MAX = 128,       /* each number of answers up to it */
	CHUNK_SMALLEST = 64,
	LENGTH_SMALLEST = 32
};

/* Its own sizes of a step, of a chunk of a prompt, and of a sequence: steps of a power of 2 that
 * grow. 0 after the last. */
static int grow(int n, int most, const int (*steps)[2])
{
	while (n >= (*steps)[0])
		steps++;
	return n + (*steps)[1] <= most ? n + (*steps)[1] : 0;
}

static int next_tokens(int n, int most)
{
	static const int steps[][2] = {{2, 1},         {4, 2},         {8, 4},
				       {1 << 10, 8},   {1 << 11, 16},  {1 << 12, 32},
				       {1 << 13, 64},  {1 << 14, 128}, {1 << 15, 256},
				       {1 << 16, 512}, {1 << 30, 1024}};

	return grow(n, most, steps);
}

static int next_chunk(int n, int most)
{
	static const int steps[][2] = {
		{1 << 7, 16}, {1 << 10, 32}, {1 << 12, 64}, {1 << 14, 128}, {1 << 30, 256}};

	return grow(n, most, steps);
}

static int next_length(int n, int most)
{
	static const int steps[][2] = {{1 << 10, 32}, {1 << 12, 64}, {1 << 30, 256}};

	return grow(n, most, steps);
}

static int add_steps(struct paleo_table *t, const struct serving_export *e, struct paleo_error *err)
{
	const struct paleo_hf_model *m = &e->on->model->model;
	double s[LAYERS];

	for (int tokens = 1; tokens; tokens = next_tokens(tokens, e->tokens)) {
		const struct paleo_serving_step step = {.decoding = tokens, .past = 1};
		PALEO_TRY(serving_export_times(e, &e->on->served, &all, &step, s, err));
		const struct paleo_cell cells[] = {MLP_COLUMNS(PALEO_CELL_OF)};
		PALEO_TRY(paleo_table_add(t, cells, err));
	}
	return PALEO_OK;
}

int serving_export_vidur_mlp(const struct serving_export *e, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(mlp_columns);

	return serving_export_print(t, t ? add_steps(t, e, err) : 0, err);
}

/* A part of a prompt behind the parts before, or one token of each of several sequences. */
static int add_row(struct paleo_table *t, const struct serving_export *e, int chunk, int decoding,
		   int past, struct paleo_error *err)
{
	const struct paleo_serving_step step = {.decoding = decoding, .past = past};
	const struct paleo_hf_model *m = &e->on->model->model;
	double s[LAYERS];

	if (chunk)
		PALEO_TRY(serving_export_prompts(e, &all, 1, chunk, past, s, err));
	else
		PALEO_TRY(serving_export_times(e, &e->on->served, &all, &step, s, err));
	const struct paleo_cell cells[] = {ATTENTION_COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

static int add_attention(struct paleo_table *t, const struct serving_export *e,
			 struct paleo_error *err)
{
	int context = e->context < CONTEXT_MAX ? e->context : CONTEXT_MAX;
	int longest = e->tokens < context ? e->tokens : context;
	int batch = e->sequences < BATCH_MAX ? e->sequences : BATCH_MAX;

	for (int chunk = CHUNK_SMALLEST; chunk && chunk <= longest;
	     chunk = next_chunk(chunk, longest))
		for (int past = 0; past + chunk <= context; past += chunk)
			PALEO_TRY(add_row(t, e, chunk, 0, past, err));
	for (int past = LENGTH_SMALLEST; past && past <= context; past = next_length(past, context))
		for (int decoding = 1; decoding <= batch; decoding++)
			PALEO_TRY(add_row(t, e, 0, decoding, past, err));
	return PALEO_OK;
}

int serving_export_vidur_attention(const struct serving_export *e, struct paleo_error *err)
{
	struct paleo_table *t = PALEO_TABLE_OF(attention_columns);

	return serving_export_print(t, t ? add_attention(t, e, err) : 0, err);
}
