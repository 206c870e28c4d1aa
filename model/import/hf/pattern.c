/* pattern.c - what differs from layer to layer of a model: windows, places, heads, experts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/hf/read.h"

/* What a list's word says of its layer. */
enum mark {
	ALL_KEYS,
	WINDOW,
	CHUNK,
	ROPE,
	NO_ROPE,
	DENSE,
	EXPERTS,
	CHOSEN, /* keys, by an index */
	NOT_CHOSEN,
	COMPRESSED, /* keys, beside a window: of families that have them */
	COMPRESSED_CHOSEN,
	HASHED,
	SCAN, /* from here on: of families with a scan */
	ATTENTION,
	BOTH,
	NO_MIXER_DENSE,
	NO_MIXER_EXPERTS
};

/* Lists with a word or a number for each layer. Those of one key stand together. */
static const struct listed {
	const char *key, *word;
	enum mark mark;
} listed[] = {
	{"compress_ratios", "0", WINDOW},
	{"compress_ratios", "4", COMPRESSED_CHOSEN},
	{"compress_ratios", "128", COMPRESSED},
	{"layer_types", "full_attention", ALL_KEYS},
	{"layer_types", "sliding_attention", WINDOW},
	{"layer_types", "chunked_attention", CHUNK},
	{"layer_types", "indexed_attention", CHOSEN},
	{"layer_types", "minimax_m3_sparse", CHOSEN},
	{"layer_types", "compressed_sparse_attention", COMPRESSED_CHOSEN},
	{"layer_types", "heavily_compressed_attention", COMPRESSED},
	{"layer_types", "linear_attention", SCAN},
	{"layer_types", "mamba", SCAN},
	{"layer_types", "conv", SCAN},
	{"layer_types", "attention", ATTENTION},
	{"layer_types", "hybrid", BOTH},
	{"layer_types", "mlp", NO_MIXER_DENSE},
	{"layer_types", "moe", NO_MIXER_EXPERTS},
	{"layers_block_type", "full_attention", ATTENTION},
	{"layers_block_type", "attention", ATTENTION},
	{"layers_block_type", "linear_attention", SCAN},
	{"layers_block_type", "mamba", SCAN},
	{"layers_block_type", "hybrid", BOTH},
	{"layers_block_type", "mlp", NO_MIXER_DENSE},
	{"layers_block_type", "moe", NO_MIXER_EXPERTS},
	{"attention_layers", "global", ALL_KEYS},
	{"attention_layers", "local", WINDOW},
	{"hybrid_layer_pattern", "0", ALL_KEYS},
	{"hybrid_layer_pattern", "1", WINDOW},
	{"no_rope_layers", "0", NO_ROPE},
	{"no_rope_layers", "1", ROPE},
	{"moe_layer_freq", "0", DENSE},
	{"moe_layer_freq", "1", EXPERTS},
	{"mlp_layer_types", "dense", DENSE},
	{"mlp_layer_types", "sparse", EXPERTS},
	{"mlp_layer_types", "moe", EXPERTS},
	{"mlp_layer_types", "hash_moe", HASHED},
	{"sparse_attention_freq", "0", NOT_CHOSEN},
	{"sparse_attention_freq", "1", CHOSEN},
};

enum {
	LISTED = sizeof(listed) / sizeof(listed[0])
};

/* Layers with a window by a count alone: each full_every'th has none. */
static int count_windows(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	static const char *const keys[] = {"sliding_window_pattern", "_sliding_window_pattern"};
	int chosen = paleo_hf_is_of(m, "use_sliding_window"), last = !m->family->full_first;

	if (!m->full_every)
		m->full_every = m->family->full_every;
	for (int i = 0; i < 2; i++) {
		const struct paleo_json *v = paleo_hf_get(root, keys[i]);
		const char *letters;
		if (!v || !paleo_hf_is_of(m, keys[i]))
			continue;
		int is_word = paleo_json_type(v) == PALEO_JSON_STRING;
		int rc = is_word ? paleo_json_to_string(v, &letters, err)
				 : paleo_json_to_int(v, 1, PALEO_HF_SIZE_MAX, &m->full_every, err);
		if (rc)
			return rc;
		if (is_word && (strspn(letters, "L") + 1 != strlen(letters) ||
				letters[strlen(letters) - 1] != 'G'))
			return paleo_json_fail(v, err, "'%s' is not known, expected a word as LLLG",
					       letters);
		m->full_every = is_word ? (int)strlen(letters) : m->full_every;
	}
	for (int i = 0; i < m->layers; i++) {
		int at = m->family->windows_behind_dense ? i - m->first_dense : i;
		int has = chosen ? m->use_window && i >= m->first_window
				 : !m->full_every || (at >= 0 && (at + last) % m->full_every != 0);
		m->layer[i].window = has ? m->window : 0;
	}
	return PALEO_OK;
}

static void set(const struct paleo_hf_model *m, struct paleo_hf_layer *l, enum mark mark)
{
	if (mark == ALL_KEYS || mark == WINDOW || mark == CHUNK) {
		l->window = mark == WINDOW ? m->window : 0;
		l->chunk = mark == CHUNK ? m->chunk : 0;
		l->chooses = l->ratio = 0;
		l->mixers = PALEO_HF_ATTENTION;
	} else if (mark == COMPRESSED || mark == COMPRESSED_CHOSEN) {
		l->window = m->window;
		l->chooses = mark == COMPRESSED_CHOSEN;
		l->ratio = m->ratios[l->chooses];
	} else if (mark >= SCAN) {
		paleo_hf_set_mixers(m, l,
				    mark == SCAN        ? PALEO_HF_SCAN
				    : mark == ATTENTION ? PALEO_HF_ATTENTION
				    : mark == BOTH      ? PALEO_HF_SCAN | PALEO_HF_ATTENTION
							: PALEO_HF_NO_MIXER);
		l->dense = mark == NO_MIXER_DENSE || l->dense || !m->experts;
	} else if (mark == ROPE || mark == NO_ROPE) {
		l->heads.rotary = mark == ROPE ? l->heads.rotary : 0;
	} else if (mark == CHOSEN || mark == NOT_CHOSEN) {
		l->chooses = mark == CHOSEN && m->index_top;
	} else {
		l->dense = mark == DENSE || !m->experts;
		l->hashed = mark == HASHED;
	}
}

/* 1: models of this family may have such a layer. */
static int may_have(const struct paleo_hf_model *m, enum mark mark)
{
	return mark >= SCAN        ? m->family->rule != PALEO_HF_NO_RULE
	       : mark < COMPRESSED ? 1
				   : m->family->compressed;
}

static int not_listed(const struct paleo_hf_model *m, const struct paleo_json *v, const char *word,
		      int first, struct paleo_error *err)
{
	char known[256] = "";
	size_t used = 0;

	for (int i = first; i < LISTED && !strcmp(listed[i].key, listed[first].key); i++) {
		if (may_have(m, listed[i].mark))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? " or " : "", listed[i].word);
	}
	return paleo_json_fail(v, err, "'%s' is not known, expected %s", word, known);
}

/* Reads the list whose words begin at `first`, if the file has it. */
static int read_list(const struct paleo_json *root, struct paleo_hf_model *m, int first, int *has,
		     struct paleo_error *err)
{
	const char *key = listed[first].key, *word;
	const struct paleo_json *inner = paleo_hf_get(root, "sparse_attention_config"), *v;
	const struct paleo_json *list = paleo_hf_get(root, key);
	struct paleo_hf_layer *l = m->layer;
	char number[16];

	int known = paleo_hf_is_of(m, key);
	if (!list && inner && paleo_json_type(inner) == PALEO_JSON_OBJECT) {
		list = paleo_hf_get(inner, key);
		known = paleo_hf_is_of(m, "sparse_attention_config");
	}
	*has = list && known && paleo_json_type(list) == PALEO_JSON_ARRAY;
	if (!*has)
		return PALEO_OK;
	int told = paleo_json_size(list);
	if (told != m->layers && told != m->layers + m->more_layers)
		return paleo_json_fail(list, err, "expected a word for each of %d layers",
				       m->layers);
	for (v = paleo_json_first(list); v && l < m->layer + m->layers;
	     v = paleo_json_next(v), l++) {
		int i = first, n = 0, is_number = paleo_json_type(v) == PALEO_JSON_NUMBER;
		int rc = is_number ? paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, &n, err)
				   : paleo_json_to_string(v, &word, err);
		if (rc)
			return rc;
		if (is_number) {
			snprintf(number, sizeof(number), "%d", n);
			word = number;
		}
		while (i < LISTED &&
		       (strcmp(listed[i].key, key) != 0 || strcmp(listed[i].word, word) != 0))
			i++;
		if (i == LISTED || !may_have(m, listed[i].mark))
			return not_listed(m, v, word, first, err);
		set(m, l, listed[i].mark);
	}
	return PALEO_OK;
}

/* A list of layers' numbers, from 0: those that are in it. */
static int read_numbers(const struct paleo_json *list, struct paleo_hf_model *m, int dense,
			struct paleo_error *err)
{
	const struct paleo_json *v;

	for (int i = 0; i < m->layers && !dense; i++)
		m->layer[i].dense = 1;
	for (v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int layer;
		int rc = paleo_json_to_int(v, 0, m->layers - 1, &layer, err);
		if (rc)
			return rc;
		m->layer[layer].dense = dense || !m->experts;
	}
	return PALEO_OK;
}

/* Which layers have experts, where no list has a word for each. Qwen counts from 1, DeepSeek from
 * 0: the same where every layer has experts. */
static int count_dense(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const struct paleo_json *dense = paleo_hf_get(root, "mlp_only_layers");
	const struct paleo_json *sparse = paleo_hf_get(root, "moe_layers");
	int every = m->expert_every ? m->expert_every : 1, rc = PALEO_OK;

	for (int i = 0; i < m->layers; i++) {
		m->layer[i].dense = !m->experts || i < m->first_dense ||
				    (m->last_sparse && i > m->last_sparse) ||
				    (m->kv_rank ? i % every != 0 : (i + 1) % every != 0);
		m->layer[i].hashed = i < m->hashed_layers;
	}
	if (sparse && paleo_hf_is_of(m, "moe_layers"))
		rc = read_numbers(sparse, m, 0, err);
	return !rc && dense ? read_numbers(dense, m, 1, err) : rc;
}

/* Which layers have rotary positions, where no list says it. */
static void count_rope(struct paleo_hf_model *m)
{
	int every = m->no_rope_every ? m->no_rope_every : m->family->no_rope_every;

	for (int i = 0; i < m->layers && every; i++)
		if ((i + 1) % every == 0)
			set(m, &m->layer[i], NO_ROPE);
}

/* What follows for a layer from its window or its place. */
static void complete(const struct paleo_hf_model *m, struct paleo_hf_layer *l)
{
	const struct paleo_hf_heads *o = &m->local;
	struct paleo_hf_heads *h = &l->heads;

	l->sinks |= l->window && m->family->local_sinks;
	l->shared_kv = m->shared_kv && !l->window;
	if (!l->window) {
		h->rotary = m->family->local_rope ? 0 : h->rotary;
		h->kv = m->global.kv && m->shared_kv ? m->global.kv : h->kv;
		h->qk = m->global.qk ? m->global.qk : h->qk;
		h->v = m->global.qk ? m->global.qk : h->v;
		return;
	}
	*h = (struct paleo_hf_heads){o->q ? o->q : h->q, o->kv ? o->kv : h->kv,
				     o->qk ? o->qk : h->qk, o->v ? o->v : h->v, h->rotary};
}

/* MiniMax M3: what chooses blocks of keys. */
static int read_index(const struct paleo_json *root, struct paleo_hf_model *m,
		      struct paleo_error *err)
{
	const struct paleo_json *c = paleo_hf_get(root, "sparse_attention_config"), *v;
	int rc = PALEO_OK;
	const struct {
		const char *key;
		int *to;
	} sizes[] = {{"sparse_num_index_heads", &m->index_heads},
		     {"sparse_index_dim", &m->index_dim},
		     {"sparse_block_size", &m->index_block},
		     {"sparse_topk_blocks", &m->index_blocks}};

	if (!c || !paleo_hf_is_of(m, "sparse_attention_config"))
		c = NULL;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && c && !rc; i++) {
		rc = paleo_json_need(c, sizes[i].key, &v, err);
		if (!rc)
			rc = paleo_json_to_int(v, 1, PALEO_HF_SIZE_MAX, sizes[i].to, err);
	}
	if (!rc)
		rc = paleo_hf_check_size(root, "an index", (double)m->index_heads * m->index_dim,
					 err);
	if (!rc)
		rc = paleo_hf_check_size(root, "chosen blocks of keys",
					 (double)m->index_block * m->index_blocks, err);
	if (!rc && m->index_blocks)
		m->index_top = m->index_block * m->index_blocks;
	return rc;
}

/* A part of a block of nemotron-nas; *none: it is not there. */
static int read_part(const struct paleo_json *block, const char *what,
		     const struct paleo_json **part, int *none, struct paleo_error *err)
{
	static const char *const flags[] = {"no_op", "replace_with_linear"};
	int rc = paleo_json_need(block, what, part, err), is[2] = {0};

	for (int i = 0; i < 2 && !rc; i++) {
		const struct paleo_json *v = paleo_hf_get(*part, flags[i]);
		if (v)
			rc = paleo_json_to_bool(v, &is[i], err);
	}
	*none = is[0];
	return !rc && is[1] ? paleo_json_fail(*part, err, "a product in its place is not known")
			    : rc;
}

/* Heads of a layer share keys by so many, and its MLP is so many times as wide. */
static int read_block(const struct paleo_json *block, const struct paleo_hf_model *m,
		      struct paleo_hf_layer *l, struct paleo_error *err)
{
	const struct paleo_json *part = NULL, *v;
	int shares = 1;
	double times = 0;
	int none = 0;
	int rc = read_part(block, "attention", &part, &none, err);

	l->mixers = none ? PALEO_HF_NO_MIXER : PALEO_HF_ATTENTION;
	if (!rc && !none)
		rc = paleo_json_need(part, "n_heads_in_group", &v, err);
	if (!rc && !none)
		rc = paleo_json_to_int(v, 1, m->heads, &shares, err);
	if (!rc)
		rc = read_part(block, "ffn", &part, &l->no_mlp, err);
	if (!rc && !l->no_mlp)
		rc = paleo_json_need(part, "ffn_mult", &v, err);
	if (!rc && !l->no_mlp)
		rc = paleo_json_to_double(v, 0, 64, &times, err);
	if (!rc && m->heads % shares)
		rc = paleo_json_fail(part, err, "%d heads cannot be shared by %d", m->heads,
				     shares);
	if (rc)
		return rc;
	l->heads.kv = m->heads / shares;
	l->inner = ((int)(2 * times * m->hidden / 3) + 255) / 256 * 256;
	return l->no_mlp || l->inner ? PALEO_OK : paleo_json_fail(part, err, "an MLP of no width");
}

static int read_blocks(const struct paleo_json *root, struct paleo_hf_model *m,
		       struct paleo_error *err)
{
	const struct paleo_json *list = NULL, *v;
	int i = 0;

	if (!m->family->blocks)
		return PALEO_OK;
	int rc = paleo_json_need(root, "block_configs", &list, err);
	if (!rc && paleo_json_size(list) != m->layers)
		return paleo_json_fail(list, err, "expected a block for each of %d layers",
				       m->layers);
	for (v = rc ? NULL : paleo_json_first(list); v && !rc; v = paleo_json_next(v))
		rc = read_block(v, m, &m->layer[i++], err);
	return rc;
}

/* What transformers writes of layers that differ, by their numbers: {"05": {"head_dim": 512}}. */
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

static int read_all_apart(const struct paleo_json *root, struct paleo_hf_model *m,
			  struct paleo_error *err)
{
	const struct paleo_json *all = paleo_hf_get(root, "per_layer_config"), *v;
	int rc = PALEO_OK;

	for (v = all ? paleo_json_first(all) : NULL; v && !rc; v = paleo_json_next(v)) {
		const char *key = paleo_json_key(v);
		char *end = NULL;
		long layer = key ? strtol(key, &end, 10) : -1;
		if (!key || end == key || *end || layer < 0 || layer >= m->layers)
			return paleo_json_fail(v, err, "expected the number of one of %d layers",
					       m->layers);
		rc = read_apart(v, &m->layer[layer], err);
	}
	return rc;
}

/* A layer without experts needs the width of its MLP; what one product gives has to be a size. */
static int check_layers(const struct paleo_json *root, const struct paleo_hf_model *m,
			struct paleo_error *err)
{
	for (int i = 0; i < m->layers; i++) {
		const struct paleo_hf_layer *l = &m->layer[i];
		const struct paleo_hf_heads *h = &l->heads;
		double q = (double)h->q * h->qk, kv = h->kv * ((double)h->qk + h->v);
		int rc = paleo_hf_check_size(root, "queries, keys and values", 2 * q + kv, err);
		if (!rc)
			rc = paleo_hf_check_size(root, "an MLP", l->inner, err);
		if (rc)
			return rc;
		if (l->dense && !l->no_mlp && l->inner <= 0)
			return paleo_json_fail(root, err,
					       "'intermediate_size' is missing, which layer %d "
					       "without experts needs",
					       i);
	}
	return PALEO_OK;
}

int paleo_hf_read_layers(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err)
{
	int rc = count_windows(root, m, err), has, rope = 0, chunks = 0;

	if (!rc)
		rc = read_index(root, m, err);
	if (!rc)
		rc = count_dense(root, m, err);
	if (!rc)
		rc = paleo_hf_read_mixers(root, m, err);
	if (!rc)
		rc = read_blocks(root, m, err);
	for (int i = 0; i < LISTED && !rc; i++) {
		if (i && !strcmp(listed[i].key, listed[i - 1].key))
			continue;
		rc = read_list(root, m, i, &has, err);
		/* a list is known by its first word */
		rope |= has && listed[i].mark == NO_ROPE;
		chunks |= has && listed[i].mark == ALL_KEYS;
	}
	if (rc)
		return rc;
	if (!rope)
		count_rope(m);
	for (int i = 0; i < m->layers; i++) {
		if (m->family->chunked && !chunks && m->layer[i].heads.rotary)
			set(m, &m->layer[i], CHUNK);
		complete(m, &m->layer[i]);
	}
	rc = read_all_apart(root, m, err);
	if (!rc)
		rc = paleo_hf_share_keys(root, m, err);
	if (!rc)
		rc = paleo_hf_read_altup(root, m, err);
	return rc ? rc : check_layers(root, m, err);
}
