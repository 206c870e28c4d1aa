/* export_attention.c - AIConfigurator's tables of attention: of prompts, and of one new token. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/table.h"
#include "paleo/version.h"
#include "tools/devices/export.h"

/* The columns of context_attention_perf.txt and generation_attention_perf.txt. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("framework", "framework"), .text = "paleo")                            \
	X(PALEO_COLUMN_TEXT("version", "version"), .text = PALEO_VERSION)                          \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = c->device.name)                           \
	X(PALEO_COLUMN_TEXT("op_name", "op_name"),                                                 \
	  .text = past ? "generation_attention" : "context_attention")                             \
	X(PALEO_COLUMN_TEXT("kernel_source", "kernel_source"), .text = "predicted")                \
	X(PALEO_COLUMN_WHOLE("batch_size", "batch_size"), .number = g->batch)                      \
	X(PALEO_COLUMN_WHOLE("isl", "isl"), .number = g->q)                                        \
	X(PALEO_COLUMN_WHOLE("num_heads", "num_heads"), .number = g->heads)                        \
	X(PALEO_COLUMN_WHOLE("num_key_value_heads", "num_key_value_heads"), .number = g->kv_heads) \
	X(PALEO_COLUMN_WHOLE("head_dim", "head_dim"), .number = g->qk)                             \
	X(PALEO_COLUMN_WHOLE("beam_width", "beam_width"), .number = 1)                             \
	X(PALEO_COLUMN_TEXT("attn_dtype", "attn_dtype"), .text = "bfloat16")                       \
	X(PALEO_COLUMN_TEXT("kv_cache_dtype", "kv_cache_dtype"),                                   \
	  .text = g->kv ? "fp8" : "bfloat16")                                                      \
	X(PALEO_COLUMN_WHOLE("step", "step"), .number = past)                                      \
	X(PALEO_COLUMN_NUMBER("latency", "latency", 1, 6), .number = p.parts.total_s * 1e3)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

enum {
	HEAD_DIM = 128,
	TOKENS_MAX = 1 << 17, /* of all prompts */
	CACHED_MAX = 1 << 22  /* of all sequences */
};

static int add_row(struct paleo_table *t, const struct paleo_calibration *c,
		   const struct paleo_attention_geom *g, struct paleo_error *err)
{
	struct paleo_op w = {.kind = PALEO_ATTENTION,
			     .pass = PALEO_FWD,
			     .dtype = PALEO_BF16,
			     .geom.attention = *g};
	int past = g->keys - g->q;
	struct paleo_prediction p;

	PALEO_TRY(paleo_op_finish(&w, err));
	PALEO_TRY(paleo_predict_op(c, &w, &p, err));
	const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
	return paleo_table_add(t, cells, err);
}

/* All numbers of heads and of their groups, and both dtypes of the cache. */
static int add_heads(struct paleo_table *t, const struct paleo_calibration *c,
		     struct paleo_attention_geom g, struct paleo_error *err)
{
	static const int heads[] = {4, 8, 12, 16, 24, 32, 40, 48, 64, 96};
	static const int kv_heads[] = {1, 2, 4, 8, 0}; /* 0: as many as heads */
	int has_fp8 = c->device.flop_per_s[PALEO_FP8] > 0, rc = PALEO_OK;

	for (int i = 0; !rc && i < 10 * 5 * 2; i++) {
		g.heads = heads[i / 10];
		g.kv_heads = kv_heads[i / 2 % 5] ? kv_heads[i / 2 % 5] : g.heads;
		g.kv = i % 2 ? 1 + PALEO_FP8 : 0;
		if ((kv_heads[i / 2 % 5] && g.kv_heads >= g.heads) || g.heads % g.kv_heads ||
		    (g.kv && !has_fp8))
			continue;
		rc = add_row(t, c, &g, err);
	}
	return rc;
}

/* Batches and lengths in powers of two: of prompts, or of what is cached with one new token. */
static int add_lengths(struct paleo_table *t, const struct paleo_calibration *c, int is_prompt,
		       struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int batch = 1; batch <= (is_prompt ? 256 : 2048); batch *= 2)
		for (int n = is_prompt ? 16 : 2; !rc && n <= (is_prompt ? 1 << 14 : 1 << 17);
		     n *= 2) {
			const struct paleo_attention_geom g = {.batch = batch,
							       .q = is_prompt ? n : 1,
							       .keys = n,
							       .qk = HEAD_DIM,
							       .v = HEAD_DIM,
							       .causal = 1,
							       .cache = 1};
			if (batch <= (is_prompt ? TOKENS_MAX : CACHED_MAX) / n)
				rc = add_heads(t, c, g, err);
		}
	return rc;
}

static int export_lengths(const struct paleo_device *d, const char *file, int is_prompt,
			  struct paleo_error *err)
{
	struct paleo_source source;

	PALEO_TRY(export_aiconfigurator_source(d, file, &source, err));
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = t ? add_lengths(t, &source.calibration, is_prompt, err)
		   : paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_CSV, stdout, err);
	paleo_table_free(t);
	paleo_source_release(&source);
	return rc;
}

int export_aiconfigurator_context(const struct paleo_device *d, const char *file,
				  struct paleo_error *err)
{
	return export_lengths(d, file, 1, err);
}

int export_aiconfigurator_generation(const struct paleo_device *d, const char *file,
				     struct paleo_error *err)
{
	return export_lengths(d, file, 0, err);
}
