/* measured_row.c - from the cells of a table of measured times to an op and its time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/op/dtype.h"
#include "model/record/measured.h"

#define ACCEPTED (-1)

#define TIME_MAX_S 3600.0 /* of one operation */
#define ELEMENTS_MAX 1e12

/* A decimal number; NaN where the cell is none. */
static double number(const char *cell)
{
	char *end;
	double value = strtod(cell, &end);

	return !cell[0] || *end || cell[strspn(cell, "0123456789.eE+-")] ? NAN : value;
}

/* A whole number of at most `most`; `missing` where the cell is empty, -1 where it is none. */
static double whole_count(const char *cell, double missing, double most)
{
	double value = number(cell);

	if (!cell[0])
		return missing;
	return value >= 0 && value <= most && value == floor(value) ? value : -1;
}

static int whole(const char *cell, int missing)
{
	return (int)whole_count(cell, missing, 1 << 24);
}

/* Pads may be halves: the extra pixel is at the bottom and the right, as with SAME. */
static int read_pad(const char *cell, int *before, int *after)
{
	double value = cell[0] ? number(cell) : 0;

	if (!(value >= 0 && value <= 1 << 20) || 2 * value != floor(2 * value))
		return 0;
	*before = (int)value;
	*after = (int)ceil(value);
	return 1;
}

static int parse_pass(const char *cell, enum paleo_pass *out)
{
	struct paleo_error err;

	*out = PALEO_FWD;
	return !cell[0] || paleo_pass_parse(cell, out, &err) == PALEO_OK;
}

/* "NT": whether the two matrices are transposed. 0 for other words. */
static int read_trans(const char *word, int *a, int *b)
{
	*a = *b = 0;
	if (!word[0])
		return 1;
	if (strlen(word) != 2 || strspn(word, "NTnt") != 2)
		return 0;
	*a = word[0] == 'T' || word[0] == 't';
	*b = word[1] == 'T' || word[1] == 't';
	return 1;
}

static int fill_gemm(const char *const *cells, struct paleo_op *w)
{
	struct paleo_gemm_geom *g = &w->geom.gemm;

	w->kind = PALEO_GEMM;
	g->m = whole(cells[PALEO_MEASURED_M], -1);
	g->n = whole(cells[PALEO_MEASURED_N], -1);
	g->k = whole(cells[PALEO_MEASURED_K], -1);
	g->batch = whole(cells[PALEO_MEASURED_BATCH], 1);
	if (!read_trans(cells[PALEO_MEASURED_TRANS], &g->trans_a, &g->trans_b))
		return PALEO_REFUSED_SHAPE;
	g->bias = g->batch == 1 && strstr(cells[PALEO_MEASURED_NOTE], "bias") != NULL;
	if (!strcmp(cells[PALEO_MEASURED_LAYOUT], "col")) {
		/* In column order it is the transposed GEMM: C' = B' A'. */
		struct paleo_gemm_geom by_columns = *g;
		g->m = by_columns.n;
		g->n = by_columns.m;
		g->trans_a = by_columns.trans_b;
		g->trans_b = by_columns.trans_a;
	}
	return ACCEPTED;
}

static int fill_conv(const char *const *cells, struct paleo_op *w)
{
	struct paleo_conv_geom *g = &w->geom.conv;
	const char *pad_h = cells[PALEO_MEASURED_PAD_H], *pad_w = cells[PALEO_MEASURED_PAD_W];

	w->kind = PALEO_CONV;
	g->n = whole(cells[PALEO_MEASURED_N], whole(cells[PALEO_MEASURED_BATCH], -1));
	g->c = whole(cells[PALEO_MEASURED_C], -1);
	g->h = whole(cells[PALEO_MEASURED_H], -1);
	g->w = whole(cells[PALEO_MEASURED_W], g->h);
	g->k = whole(cells[PALEO_MEASURED_K], -1);
	g->r = whole(cells[PALEO_MEASURED_R], -1);
	g->s = whole(cells[PALEO_MEASURED_S], g->r);
	g->stride_h = whole(cells[PALEO_MEASURED_STRIDE_H], 1);
	g->stride_w = whole(cells[PALEO_MEASURED_STRIDE_W], g->stride_h);
	g->dil_h = g->dil_w = whole(cells[PALEO_MEASURED_DIL], 1);
	g->groups = whole(cells[PALEO_MEASURED_GROUPS], 1);
	if (!read_pad(pad_h, &g->pad_t, &g->pad_b) ||
	    !read_pad(pad_w[0] ? pad_w : pad_h, &g->pad_l, &g->pad_r))
		return PALEO_REFUSED_SHAPE;
	return ACCEPTED;
}

/* Elementwise functions by their names in tables. */
static int parse_function(const char *word, int *op)
{
	for (int i = 0; i < PALEO_ELTWISE_OPS; i++) {
		if (!strcmp(word, paleo_eltwise_name((enum paleo_eltwise_op)i))) {
			*op = i;
			return 1;
		}
	}
	return 0;
}

static int fill_eltwise(const char *const *cells, struct paleo_op *w)
{
	struct paleo_eltwise_geom *g = &w->geom.eltwise;
	const char *inputs = strstr(cells[PALEO_MEASURED_NOTE], "nin=");
	double rows = whole_count(cells[PALEO_MEASURED_ROWS], 1, ELEMENTS_MAX);
	double cols = whole_count(cells[PALEO_MEASURED_COLS], -1, ELEMENTS_MAX);

	w->kind = PALEO_ELTWISE;
	if (!parse_function(cells[PALEO_MEASURED_ALGO], &g->op))
		return PALEO_REFUSED_OP;
	g->inputs = inputs ? (int)strtol(inputs + 4, NULL, 10) : 1;
	g->count = rows < 0 || cols < 0 ? -1 : rows * cols;
	return ACCEPTED;
}

static int fill_rows(const char *const *cells, struct paleo_op *w)
{
	int rows = whole(cells[PALEO_MEASURED_ROWS], -1);
	int cols = whole(cells[PALEO_MEASURED_COLS], -1);

	if (!strcmp(cells[PALEO_MEASURED_OP], "softmax")) {
		w->kind = PALEO_SOFTMAX;
		w->geom.softmax = (struct paleo_softmax_geom){.rows = rows, .cols = cols};
		return ACCEPTED;
	}
	w->kind = PALEO_NORM;
	w->geom.norm = (struct paleo_norm_geom){.mode = PALEO_LAYER_NORM,
						.n = rows,
						.c = cols,
						.h = 1,
						.w = 1,
						.scale = 1,
						.shift = 1};
	return ACCEPTED;
}

/* Causal attention has a cache, and so does attention whose keys have another dtype. */
static int fill_attention(const char *const *cells, struct paleo_op *w)
{
	struct paleo_attention_geom *g = &w->geom.attention;
	const char *kv = cells[PALEO_MEASURED_KV_DTYPE];
	int past = whole(cells[PALEO_MEASURED_PAST], 0);
	enum paleo_dtype stored = w->dtype;

	w->kind = PALEO_ATTENTION;
	g->batch = whole(cells[PALEO_MEASURED_BATCH], -1);
	g->q = whole(cells[PALEO_MEASURED_SEQ_Q], -1);
	g->keys = past < 0 ? -1 : past + g->q;
	g->heads = whole(cells[PALEO_MEASURED_HEADS], -1);
	g->kv_heads = whole(cells[PALEO_MEASURED_KV_HEADS], g->heads);
	g->qk = whole(cells[PALEO_MEASURED_QK_HEAD_DIM], whole(cells[PALEO_MEASURED_HEAD_DIM], -1));
	g->v = whole(cells[PALEO_MEASURED_V_HEAD_DIM], whole(cells[PALEO_MEASURED_HEAD_DIM], -1));
	g->causal = g->cache = whole(cells[PALEO_MEASURED_CAUSAL], 1);
	g->window = whole(cells[PALEO_MEASURED_WINDOW], 0);
	g->rope = whole(cells[PALEO_MEASURED_ROPE], 0);
	if (kv[0] && !paleo_dtype_of_table(kv, &stored))
		return PALEO_REFUSED_DTYPE;
	g->kv = stored == w->dtype ? 0 : 1 + (int)stored;
	return g->kv_heads > 0 ? ACCEPTED : PALEO_REFUSED_SHAPE;
}

/* Decoding over a latent cache: values are the first numbers of the keys, the last ones of which
 * are turned by their place. */
static int fill_latent(const char *const *cells, struct paleo_op *w)
{
	struct paleo_attention_geom *g = &w->geom.attention;
	int refusal = fill_attention(cells, w);

	g->q = 1;
	g->keys = whole(cells[PALEO_MEASURED_PAST], -2) + 1;
	g->kv_heads = g->causal = g->cache = g->latent = 1;
	g->rope = g->qk - g->v;
	return refusal;
}

/* A GPU's part of each expert, and of the experts. 0 if not an integer. */
static int part_of(int all, int parts)
{
	return all > 0 && parts > 0 && all % parts == 0 ? all / parts : 0;
}

static int fill_moe(const char *const *cells, struct paleo_op *w)
{
	struct paleo_moe_geom *g = &w->geom.moe;
	const char *alpha = cells[PALEO_MEASURED_ALPHA];
	double skew = alpha[0] ? 100 * number(alpha) : 0;

	w->kind = PALEO_MOE;
	g->tokens = whole(cells[PALEO_MEASURED_TOKENS], -1);
	g->hidden = whole(cells[PALEO_MEASURED_HIDDEN], -1);
	g->inter =
		part_of(whole(cells[PALEO_MEASURED_INTER], -1), whole(cells[PALEO_MEASURED_TP], 1));
	g->experts = whole(cells[PALEO_MEASURED_EXPERTS], -1);
	g->local = part_of(g->experts, whole(cells[PALEO_MEASURED_EP], 1));
	g->topk = whole(cells[PALEO_MEASURED_TOPK], -1);
	g->gated = whole(cells[PALEO_MEASURED_GATED], 1);
	if (!(skew >= 0 && skew <= 1000))
		return PALEO_REFUSED_SHAPE;
	g->skew = (int)lrint(skew);
	return ACCEPTED;
}

/* With a state, as servers run it. */
static int fill_causal_conv(const char *const *cells, struct paleo_op *w)
{
	struct paleo_causal_conv_geom *g = &w->geom.causal_conv;

	w->kind = PALEO_CAUSAL_CONV;
	g->batch = whole(cells[PALEO_MEASURED_BATCH], -1);
	g->tokens = whole(cells[PALEO_MEASURED_SEQ_Q], -1);
	g->channels = whole(cells[PALEO_MEASURED_CHANNELS], -1);
	g->taps = whole(cells[PALEO_MEASURED_TAPS], -1);
	g->act = g->cache = 1;
	return ACCEPTED;
}

static int fill_scan(const char *const *cells, struct paleo_op *w)
{
	struct paleo_scan_geom *g = &w->geom.scan;
	const char *kv = cells[PALEO_MEASURED_KV_DTYPE];
	enum paleo_dtype stored = PALEO_F32;

	w->kind = PALEO_SCAN;
	while (g->rule < PALEO_SCAN_RULES &&
	       strcmp(cells[PALEO_MEASURED_RULE], paleo_scan_rules[g->rule]) != 0)
		g->rule++;
	if (g->rule == PALEO_SCAN_RULES)
		return PALEO_REFUSED_OP;
	g->batch = whole(cells[PALEO_MEASURED_BATCH], -1);
	g->tokens = whole(cells[PALEO_MEASURED_SEQ_Q], -1);
	g->heads = whole(cells[PALEO_MEASURED_HEADS], -1);
	g->groups = whole(cells[PALEO_MEASURED_KV_HEADS], g->heads);
	g->qk = whole(cells[PALEO_MEASURED_QK_HEAD_DIM], -1);
	g->v = whole(cells[PALEO_MEASURED_V_HEAD_DIM], -1);
	g->chunk = whole(cells[PALEO_MEASURED_CHUNK], 0);
	g->cache = 1;
	if (kv[0] && !paleo_dtype_of_table(kv, &stored))
		return PALEO_REFUSED_DTYPE;
	g->kv = stored == PALEO_F32 ? 0 : 1 + (int)stored;
	return g->groups > 0 && g->heads > 0 ? ACCEPTED : PALEO_REFUSED_SHAPE;
}

enum {
	SIZES = 5
};

/* A missing width is the height's; n may be called batch. */
#define CONV_SIZES                                                                                 \
	{                                                                                          \
		PALEO_MEASURED_C, PALEO_MEASURED_H, PALEO_MEASURED_K, PALEO_MEASURED_R             \
	}

#define ATTENTION_SIZES                                                                            \
	{                                                                                          \
		PALEO_MEASURED_BATCH, PALEO_MEASURED_SEQ_Q, PALEO_MEASURED_HEADS,                  \
			PALEO_MEASURED_HEAD_DIM                                                    \
	}

#define LATENT_SIZES                                                                               \
	{                                                                                          \
		PALEO_MEASURED_BATCH, PALEO_MEASURED_PAST, PALEO_MEASURED_HEADS,                   \
			PALEO_MEASURED_QK_HEAD_DIM, PALEO_MEASURED_V_HEAD_DIM                      \
	}

#define MOE_SIZES                                                                                  \
	{                                                                                          \
		PALEO_MEASURED_TOKENS, PALEO_MEASURED_HIDDEN, PALEO_MEASURED_INTER,                \
			PALEO_MEASURED_EXPERTS, PALEO_MEASURED_TOPK                                \
	}

/* Operations with the columns required for their sizes; the rest is 0, the GPU's column. */
static const struct {
	const char *op;
	int (*fill)(const char *const *cells, struct paleo_op *w);
	enum paleo_measured_column sizes[SIZES];
} ops[] = {
	{"gemm", fill_gemm, {PALEO_MEASURED_M, PALEO_MEASURED_N, PALEO_MEASURED_K}},
	{"matmul", fill_gemm, {PALEO_MEASURED_M, PALEO_MEASURED_N, PALEO_MEASURED_K}},
	{"bmm", fill_gemm, {PALEO_MEASURED_M, PALEO_MEASURED_N, PALEO_MEASURED_K}},
	{"conv2d", fill_conv, CONV_SIZES},
	{"conv", fill_conv, CONV_SIZES},
	{"elementwise", fill_eltwise, {PALEO_MEASURED_COLS}},
	{"softmax", fill_rows, {PALEO_MEASURED_ROWS, PALEO_MEASURED_COLS}},
	{"layernorm", fill_rows, {PALEO_MEASURED_ROWS, PALEO_MEASURED_COLS}},
	{"attention", fill_attention, ATTENTION_SIZES},
	{"prefill_attn", fill_attention, ATTENTION_SIZES},
	{"decode_attn", fill_attention, ATTENTION_SIZES},
	{"encoder_attn", fill_attention, ATTENTION_SIZES},
	{"context_attention", fill_attention, ATTENTION_SIZES},
	{"generation_attention", fill_attention, ATTENTION_SIZES},
	{"mla_decode", fill_latent, LATENT_SIZES},
	{"mla_prefill",
	 fill_attention,
	 {PALEO_MEASURED_BATCH, PALEO_MEASURED_SEQ_Q, PALEO_MEASURED_HEADS,
	  PALEO_MEASURED_QK_HEAD_DIM, PALEO_MEASURED_V_HEAD_DIM}},
	{"moe", fill_moe, MOE_SIZES},
	{"causal_conv",
	 fill_causal_conv,
	 {PALEO_MEASURED_BATCH, PALEO_MEASURED_SEQ_Q, PALEO_MEASURED_CHANNELS,
	  PALEO_MEASURED_TAPS}},
	{"scan",
	 fill_scan,
	 {PALEO_MEASURED_RULE, PALEO_MEASURED_BATCH, PALEO_MEASURED_HEADS,
	  PALEO_MEASURED_QK_HEAD_DIM, PALEO_MEASURED_V_HEAD_DIM}},
	{"allreduce", NULL, {PALEO_MEASURED_BYTES, PALEO_MEASURED_RANKS}},
	{"allgather", NULL, {PALEO_MEASURED_BYTES, PALEO_MEASURED_RANKS}},
	{"reducescatter", NULL, {PALEO_MEASURED_BYTES, PALEO_MEASURED_RANKS}},
	{"send_recv", NULL, {PALEO_MEASURED_BYTES, PALEO_MEASURED_RANKS}},
};

enum {
	OPS = sizeof(ops) / sizeof(ops[0])
};

/* Its number in the table; OPS if it is none. */
static int find_op(const char *word)
{
	int op = 0;

	while (op < OPS && strcmp(word, ops[op].op) != 0)
		op++;
	return op;
}

int paleo_measured_column_missing(const char *op, const int place[PALEO_MEASURED_COLUMNS])
{
	int found = find_op(op);

	for (int i = 0; found < OPS && i < SIZES; i++)
		if (place[ops[found].sizes[i]] < 0)
			return (int)ops[found].sizes[i];
	return found < OPS && ops[found].fill == fill_conv && place[PALEO_MEASURED_N] < 0 &&
			       place[PALEO_MEASURED_BATCH] < 0
		       ? PALEO_MEASURED_N
		       : -1;
}

/* Reads the time, or derives it from a rate and so many operations; 0: no rate applies. */
static int read_time(const char *const *cells, double flops, double *time_s)
{
	static const struct {
		double unit; /* seconds, or FLOP a second */
		enum paleo_measured_column column;
		int rate;
	} ways[] = {{1e-3, PALEO_MEASURED_CORRECTED, 0}, {1e-3, PALEO_MEASURED_TIME, 0},
		    {1e-6, PALEO_MEASURED_TIME_US, 0},   {1, PALEO_MEASURED_TIME_S, 0},
		    {1e12, PALEO_MEASURED_TFLOPS, 1},    {1e9, PALEO_MEASURED_GFLOPS, 1}};
	size_t i = 0;

	while (i < sizeof(ways) / sizeof(ways[0]) - 1 && !cells[ways[i].column][0])
		i++;
	double value = number(cells[ways[i].column]) * ways[i].unit;
	*time_s = ways[i].rate ? flops / value : value;
	return *time_s > 0 && *time_s <= TIME_MAX_S;
}

static int is_unusable(const char *const *cells)
{
	const char *cell = cells[PALEO_MEASURED_USABLE];

	return !strcmp(cell, "0") || !strcasecmp(cell, "false");
}

/* aiconfigurator's names of weight types. */
static const char *const stored_words[][2] = {{"int4_wo", "int4_g128"},
					      {"int8_wo", "int8"},
					      {"sq", "w8a8"},
					      {"w4a16_mxfp4", "mxfp4"},
					      {"w4a8_mxfp4_mxfp8", "mxfp4"}};

/* A dtype; or a block storage type of weights: its GEMMs' dtype, or bf16 where they have none. int8
 * in tables is an integer GEMM. */
static int read_dtype(const char *word, enum paleo_dtype *out, int *stored)
{
	struct paleo_weight_type t;
	struct paleo_error none;
	int is_narrow = !strncmp(word, "w4a8", 4), is_renamed = 0;

	for (size_t i = 0; !is_renamed && i < sizeof(stored_words) / sizeof(stored_words[0]); i++) {
		is_renamed = !strcmp(word, stored_words[i][0]);
		word = is_renamed ? stored_words[i][1] : word;
	}
	if (paleo_weight_type_parse(word, &t, &none) ||
	    (t.stored && !is_renamed && !paleo_stored_blocks(t.stored)->columns &&
	     !paleo_stored_cores(t.stored)))
		return 0;
	*out = is_narrow ? PALEO_FP8 : t.dtype ? (enum paleo_dtype)(t.dtype - 1) : PALEO_BF16;
	*stored = t.stored;
	return 1;
}

int paleo_measured_row_make(const char *const cells[PALEO_MEASURED_COLUMNS],
			    struct paleo_measured_row *row)
{
	int op = find_op(cells[PALEO_MEASURED_OP]);
	struct paleo_error err;

	if (is_unusable(cells))
		return PALEO_REFUSED_UNUSABLE;
	if (op == OPS || !ops[op].fill ||
	    !parse_pass(cells[PALEO_MEASURED_DIRECTION], &row->op.pass))
		return PALEO_REFUSED_OP;
	int stored = 0;
	if (!read_dtype(cells[PALEO_MEASURED_DTYPE], &row->op.dtype, &stored))
		return PALEO_REFUSED_DTYPE;
	int refusal = ops[op].fill(cells, &row->op);
	if (stored && row->op.kind == PALEO_GEMM)
		row->op.geom.gemm.stored = stored;
	else if (stored && row->op.kind == PALEO_MOE)
		row->op.geom.moe.stored = stored;
	else if (stored)
		return PALEO_REFUSED_DTYPE;
	if (refusal != ACCEPTED)
		return refusal;
	if (!paleo_op_has_dtype(&row->op))
		return PALEO_REFUSED_DTYPE;
	if (paleo_op_finish(&row->op, &err) != PALEO_OK)
		return PALEO_REFUSED_SHAPE;
	if (!read_time(cells, row->op.flops, &row->time_s))
		return PALEO_REFUSED_TIME;
	double watts = number(cells[PALEO_MEASURED_POWER_W]);
	row->power_w = watts > 0 && watts < 1e6 ? watts : 0;
	snprintf(row->algorithm, sizeof(row->algorithm), "%s", cells[PALEO_MEASURED_ALGO]);
	return ACCEPTED;
}

/* Adds a word behind a space, as far as there is room. */
static void add_word(char *text, size_t size, size_t *n, const char *word)
{
	if (word[0] && *n < size)
		*n += (size_t)snprintf(text + *n, size - *n, "%s%s", *n ? " " : "", word);
}

/* Parses "name=value" words of the note; the rank of a row is ignored. */
int paleo_measured_collective_make(const char *const cells[PALEO_MEASURED_COLUMNS],
				   struct paleo_measured_collective *out)
{
	const char *bytes = cells[PALEO_MEASURED_BYTES], *note = cells[PALEO_MEASURED_NOTE];
	int op = find_op(cells[PALEO_MEASURED_OP]);

	if (op == OPS || ops[op].fill)
		return -2;
	out->op = ops[op].op;
	out->ranks = whole(cells[PALEO_MEASURED_RANKS], -1);
	out->bytes = number(bytes);
	if (!(out->bytes > 0 && out->bytes < 1e15) || out->ranks < 2 ||
	    out->ranks > PALEO_WORKERS_MAX)
		return PALEO_REFUSED_SHAPE;
	if (!read_time(cells, 0, &out->time_s))
		return PALEO_REFUSED_TIME;
	if (is_unusable(cells))
		return PALEO_REFUSED_UNUSABLE;
	size_t n = 0;
	add_word(out->how, sizeof(out->how), &n, cells[PALEO_MEASURED_DTYPE]);
	add_word(out->how, sizeof(out->how), &n, cells[PALEO_MEASURED_ALGO]);
	while (*note) {
		char word[32];
		size_t length = strcspn(note, ";");
		snprintf(word, sizeof(word), "%.*s", (int)length, note);
		if (strchr(word, '=') && strncmp(word, "rank=", 5) != 0)
			add_word(out->how, sizeof(out->how), &n, word);
		note += length + (note[length] == ';');
	}
	return ACCEPTED;
}
