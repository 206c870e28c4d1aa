/* layers.c - differences between layers of a model: windows, positions, heads, experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "import/hf/read.h"

/* 1 if the weights of layer `i` are those of the one before: both are of one group. */
static int again(const struct paleo_hf_config *c, int i)
{
	double each = c->weight_groups ? (double)c->m->layers / c->weight_groups : 1;

	return i > 0 && (int)(i / each) == (int)((i - 1) / each);
}

static int buckets_of(const struct paleo_hf_config *c, int i)
{
	return i == 0 || c->family->buckets_each ? c->buckets : 0;
}

/* Initialises every layer from the model, before deviations are read; an encoder's layers, stored
 * after the decoder's, have none. */
static void fill_layers(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	int turned = paleo_hf_or(c->rotary, m->head_dim), heads = c->encoder_heads;
	int rotary = m->is.positions == PALEO_HF_ROTARY ? turned : 0;
	int value = m->v_dim && !m->kv_rank ? m->v_dim : m->head_dim;
	int dim = heads && heads != m->heads ? m->hidden / heads : m->head_dim;

	for (int i = 0; i < m->layers; i++)
		m->layer[i] = (struct paleo_hf_layer){
			.mixers = PALEO_HF_ATTENTION,
			.heads = {m->heads, c->kv_heads, m->head_dim, value, rotary},
			.inner = paleo_hf_or(c->dense_inner, m->inner),
			.sinks = c->family->sinks,
			.chooses = m->index_top > 0,
			.again = again(c, i),
			.buckets = buckets_of(c, i)};
	for (int i = 0; i < m->encoder_layers; i++)
		m->layer[m->layers + i] =
			(struct paleo_hf_layer){.mixers = PALEO_HF_ATTENTION,
						.heads = {heads, heads, dim, dim, 0},
						.inner = c->encoder_inner,
						.dense = 1,
						.buckets = buckets_of(c, i)};
}

/* Every n-th layer has no window, given as a number, or a word like LLLG. */
static int read_full_every(struct paleo_hf_config *c, const struct paleo_json *v)
{
	const char *letters = "";

	if (paleo_json_type(v) != PALEO_JSON_STRING)
		return paleo_json_to_int(v, 1, PALEO_HF_SIZE_MAX, &c->full_every, c->err);
	PALEO_TRY(paleo_json_to_string(v, &letters, c->err));
	size_t length = strlen(letters);
	if (strspn(letters, "L") + 1 != length || letters[length - 1] != 'G')
		return paleo_json_fail(
			v, c->err, "'%s' is not supported, expected a word such as LLLG", letters);
	c->full_every = (int)length;
	return PALEO_OK;
}

/* Layers with a window by a count alone: each full_every'th has none. */
static int count_windows(struct paleo_hf_config *c)
{
	int chosen = paleo_hf_is_of(c, "use_sliding_window"), last = !c->family->full_first;

	if (!c->full_every)
		c->full_every = c->family->full_every;
	for (int i = 0; i < 2; i++)
		if (c->window_patterns[i])
			PALEO_TRY(read_full_every(c, c->window_patterns[i]));
	for (int i = 0; i < c->m->layers; i++) {
		int at = c->family->windows_behind_dense ? i - c->first_dense : i;
		int has = chosen ? c->use_window && i >= c->first_window
				 : !c->full_every || (at >= 0 && (at + last) % c->full_every != 0);
		c->m->layer[i].window = has ? c->window : 0;
	}
	return PALEO_OK;
}

/* A list of layers' numbers, from 0: those that are in it. */
static int read_numbers(struct paleo_hf_config *c, const struct paleo_json *list, int dense)
{
	struct paleo_hf_model *m = c->m;
	const struct paleo_json *v;

	for (int i = 0; i < m->layers && !dense; i++)
		m->layer[i].dense = 1;
	for (v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int layer;

		PALEO_TRY(paleo_json_to_int(v, 0, m->layers - 1, &layer, c->err));
		m->layer[layer].dense = dense || !m->experts;
	}
	return PALEO_OK;
}

/* Layers with experts, where no list names them. Qwen counts from 1, DeepSeek from 0: the same
 * where every layer has experts. */
static int count_dense(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	int every = paleo_hf_or(c->expert_every, 1), from = m->kv_rank ? 0 : 1;

	for (int i = 0; i < m->layers; i++) {
		m->layer[i].dense = !m->experts || i < c->first_dense ||
				    (c->last_sparse && i > c->last_sparse) ||
				    (i + from) % every != 0;
		m->layer[i].hashed = i < c->hashed_layers;
	}
	if (c->sparse_layers)
		PALEO_TRY(read_numbers(c, c->sparse_layers, 0));
	return c->dense_layers ? read_numbers(c, c->dense_layers, 1) : PALEO_OK;
}

/* Layers with rotary positions, where no list names them. */
static void count_rope(struct paleo_hf_config *c)
{
	int every = paleo_hf_or(c->no_rope_every, c->family->no_rope_every);

	for (int i = 0; i < c->m->layers && every; i++)
		if ((i + 1) % every == 0)
			c->m->layer[i].heads.rotary = 0;
}

/* Derives a layer's remaining values from its window or its position. */
static void complete(const struct paleo_hf_config *c, struct paleo_hf_layer *l)
{
	const struct paleo_hf_heads *o = &c->local, *all = &c->global;
	struct paleo_hf_heads *h = &l->heads;

	l->sinks |= l->window && c->family->local_sinks;
	l->shared_kv = c->shared_kv && !l->window;
	if (l->window) {
		*h = (struct paleo_hf_heads){paleo_hf_or(o->q, h->q), paleo_hf_or(o->kv, h->kv),
					     paleo_hf_or(o->qk, h->qk), paleo_hf_or(o->v, h->v),
					     h->rotary};
		return;
	}
	h->rotary = c->family->local_rope ? 0 : h->rotary;
	h->kv = c->shared_kv ? paleo_hf_or(all->kv, h->kv) : h->kv;
	h->qk = paleo_hf_or(all->qk, h->qk);
	h->v = paleo_hf_or(all->qk, h->v);
}

/* MiniMax M3: the indexer that selects blocks of keys. */
static int read_index(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	const struct paleo_json *v;
	const struct {
		const char *key;
		int *to;
	} sizes[] = {{"sparse_num_index_heads", &m->index_heads},
		     {"sparse_index_dim", &m->index_dim},
		     {"sparse_block_size", &c->index_block},
		     {"sparse_topk_blocks", &c->index_blocks}};

	for (int i = 0; i < 4 && c->sparse_attention; i++) {
		PALEO_TRY(paleo_json_need(c->sparse_attention, sizes[i].key, &v, c->err));
		PALEO_TRY(paleo_json_to_int(v, 1, PALEO_HF_SIZE_MAX, sizes[i].to, c->err));
	}
	PALEO_TRY(paleo_hf_check(
		c, SIZES({"an index", (double)m->index_heads * m->index_dim},
			 {"selected blocks of keys", (double)c->index_block * c->index_blocks})));
	if (c->index_blocks)
		m->index_top = c->index_block * c->index_blocks;
	return PALEO_OK;
}

/* A part of a block of nemotron-nas and its size; *none: it is not there. */
static int read_part(const struct paleo_json *block, const char *what, const char *size,
		     const struct paleo_json **v, int *none, struct paleo_error *err)
{
	const struct paleo_json *part = NULL;
	int linear = 0;

	PALEO_TRY(paleo_json_need(block, what, &part, err));
	*none = 0;
	PALEO_TRY(paleo_hf_to_flag(part, "no_op", none, err));
	PALEO_TRY(paleo_hf_to_flag(part, "replace_with_linear", &linear, err));
	if (linear)
		return paleo_json_fail(part, err,
				       "a replacement by a linear layer is not supported");
	return *none ? PALEO_OK : paleo_json_need(part, size, v, err);
}

/* Heads of a layer share keys by so many, and its MLP is so many times as wide. */
static int read_block(const struct paleo_json *block, const struct paleo_hf_model *m,
		      struct paleo_hf_layer *l, struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	int shares = 1, none = 0;
	double times = 0;

	PALEO_TRY(read_part(block, "attention", "n_heads_in_group", &v, &none, err));
	l->mixers = none ? PALEO_HF_NO_MIXER : PALEO_HF_ATTENTION;
	if (!none)
		PALEO_TRY(paleo_json_to_int(v, 1, m->heads, &shares, err));
	PALEO_TRY(read_part(block, "ffn", "ffn_mult", &v, &l->no_mlp, err));
	if (!l->no_mlp)
		PALEO_TRY(paleo_json_to_double(v, 0, 64, &times, err));
	const struct paleo_json *ffn = paleo_hf_get(block, "ffn");
	if (m->heads % shares)
		return paleo_json_fail(ffn, err, "%d heads cannot be shared by %d", m->heads,
				       shares);
	l->heads.kv = m->heads / shares;
	l->inner = ((int)(2 * times * m->hidden / 3) + 255) / 256 * 256;
	return l->no_mlp || l->inner ? PALEO_OK : paleo_json_fail(ffn, err, "an MLP of no width");
}

static int read_blocks(struct paleo_hf_config *c)
{
	const struct paleo_json *list = c->block_configs;
	int i = 0;

	if (!c->family->blocks)
		return PALEO_OK;
	PALEO_TRY(paleo_json_need(c->root, "block_configs", &list, c->err));
	if (paleo_json_size(list) != c->m->layers)
		return paleo_json_fail(list, c->err, "expected a block for each of %d layers",
				       c->m->layers);
	for (const struct paleo_json *v = paleo_json_first(list); v; v = paleo_json_next(v))
		PALEO_TRY(read_block(v, c->m, &c->m->layer[i++], c->err));
	return PALEO_OK;
}

/* Per-layer overrides written by transformers, by layer number: {"05": {"head_dim": 512}}. */
static int read_apart(const struct paleo_json *apart, struct paleo_hf_layer *l,
		      struct paleo_error *err)
{
	const struct {
		const char *key;
		int *to;
	} keys[] = {{"head_dim", &l->heads.qk},
		    {"num_attention_heads", &l->heads.q},
		    {"num_key_value_heads", &l->heads.kv}};
	int rc = PALEO_OK;

	for (const struct paleo_json *v = paleo_json_first(apart); v && !rc;
	     v = paleo_json_next(v)) {
		size_t i = 0;
		while (i < 3 && strcmp(paleo_json_key(v), keys[i].key) != 0)
			i++;
		rc = i < 3 ? paleo_json_to_int(v, 1, PALEO_HF_SIZE_MAX, keys[i].to, err)
			   : paleo_json_fail(v, err,
					     "expected head_dim, num_attention_heads or "
					     "num_key_value_heads");
		if (i == 0)
			l->heads.v = l->heads.qk;
	}
	if (!rc && l->heads.q % l->heads.kv)
		rc = paleo_json_fail(apart, err, "%d heads cannot share %d evenly", l->heads.q,
				     l->heads.kv);
	return rc;
}

static int read_all_apart(struct paleo_hf_config *c)
{
	const struct paleo_json *all = c->layers_apart, *v;

	for (v = all ? paleo_json_first(all) : NULL; v; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		char *end = NULL;
		long layer = key ? strtol(key, &end, 10) : -1;
		if (!key || end == key || *end || layer < 0 || layer >= c->m->layers)
			return paleo_json_fail(v, c->err, "expected the number of one of %d layers",
					       c->m->layers);
		PALEO_TRY(read_apart(v, &c->m->layer[layer], c->err));
	}
	return PALEO_OK;
}

/* The last ones read those of the last layer before them that has a window, or none, as they do. */
static int share_keys(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	int first = m->layers - m->sharing_layers;

	for (int i = first; i < m->layers; i++) {
		int from = first - 1;
		while (from >= 0 && !m->layer[from].window != !m->layer[i].window)
			from--;
		if (from < 0)
			return paleo_hf_fail(c,
					     "%d layers share keys: no earlier layer provides "
					     "those that layer %d reads",
					     m->sharing_layers, i);
		m->layer[i].reads = from + 1;
		m->layer[i].inner *= 1 + c->double_wide;
	}
	return paleo_hf_check(c, SIZES({"per-layer embeddings", (double)m->layers * m->per_layer}));
}

/* Part of an MLP's gates that are 0, of each layer, or of all; without a word that of the first 10
 * of more. */
static int read_sparse(struct paleo_hf_config *c)
{
	const struct paleo_json *all = c->activation_sparsity, *v;
	struct paleo_hf_model *m = c->m;
	double part = m->layers > 10;
	int is_list = all && paleo_json_type(all) == PALEO_JSON_ARRAY;
	int rc = all && !is_list ? paleo_json_to_double(all, 0, 1, &part, c->err) : PALEO_OK;

	if (is_list && paleo_json_size(all) != m->layers)
		return paleo_json_fail(all, c->err, "expected a number for each of %d layers",
				       m->layers);
	v = is_list ? paleo_json_first(all) : NULL;
	for (int i = 0; i < m->layers && !rc; i++) {
		if (is_list) {
			rc = paleo_json_to_double(v, 0, 1, &part, c->err);
			v = paleo_json_next(v);
		}
		m->layer[i].sparse = part > 0 && (all || i < 10);
	}
	return rc;
}

static int read_altup(struct paleo_hf_config *c)
{
	const struct paleo_hf_model *m = c->m;

	if (!c->family->altup)
		return PALEO_OK;
	if (m->altup < 2 || m->altup > PALEO_HF_STREAMS_MAX || !m->laurel || !m->per_layer)
		return paleo_hf_fail(c,
				     "expected altup_num_inputs from 2 to %d, a laurel_rank and a "
				     "hidden_size_per_layer_input",
				     PALEO_HF_STREAMS_MAX);
	int rc = paleo_hf_check(c, SIZES({"streams", (double)m->altup * m->hidden}));
	return rc ? rc : read_sparse(c);
}

/* A layer without experts needs the width of its MLP; the output of a merged GEMM has to be a valid
 * size. */
static int check_layers(struct paleo_hf_config *c)
{
	for (int i = 0; i < c->m->layers; i++) {
		const struct paleo_hf_layer *l = &c->m->layer[i];
		const struct paleo_hf_heads *h = &l->heads;
		double q = (double)h->q * h->qk, kv = h->kv * ((double)h->qk + h->v);

		PALEO_TRY(paleo_hf_check(
			c, SIZES({"queries, keys and values", 2 * q + kv}, {"an MLP", l->inner})));
		if (l->dense && !l->no_mlp && l->inner <= 0)
			return paleo_hf_fail(c,
					     "'intermediate_size' is missing, required by layer %d "
					     "without experts",
					     i);
	}
	return PALEO_OK;
}

/* Reads per-layer lists, and sets the defaults without them. */
static int read_lists(struct paleo_hf_config *c)
{
	int rope = 0, keys = 0;

	PALEO_TRY(paleo_hf_read_lists(c, &rope, &keys));
	if (!rope)
		count_rope(c);
	for (int i = 0; i < c->m->layers; i++) {
		struct paleo_hf_layer *l = &c->m->layer[i];
		if (c->family->chunked && !keys && l->heads.rotary) {
			l->chunk = c->chunk;
			l->window = 0;
		}
		complete(c, l);
	}
	return PALEO_OK;
}

int paleo_hf_read_layers(struct paleo_hf_config *c)
{
	static int (*const steps[])(struct paleo_hf_config * c) = {
		count_windows, read_index,     count_dense, paleo_hf_read_mixers, read_blocks,
		read_lists,    read_all_apart, share_keys,  read_altup,           check_layers};

	fill_layers(c);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		PALEO_TRY(steps[i](c));
	return PALEO_OK;
}
