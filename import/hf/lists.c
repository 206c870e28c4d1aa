/* lists.c - THE list of a config.json's lists with a word for each layer: mixers, windows, MLPs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "import/hf/read.h"

/* Meaning of a list's word for its layer. */
enum what {
	SEES,       /* keys: all, or those of a window, or of a chunk of the text */
	COMPRESSED, /* 1: plus an indexer that selects compressed keys, in addition to a window */
	CHOOSES,    /* 1: an index chooses its keys */
	TURNS,      /* 1: it has rotary positions */
	COMPUTES,   /* an MLP or experts */
	MIXES       /* its mixers; where it has none, an MLP or experts */
};

enum {
	ALL_KEYS,
	WINDOW,
	CHUNK,
	EXPERTS = 0, /* in addition to mixers */
	DENSE = 4,
	HASHED = 8,
	SCAN = PALEO_HF_SCAN,
	ATTENTION = PALEO_HF_ATTENTION
};

/* Lists with a word or a number for each layer. Those of one key are adjacent. */
static const struct listed {
	const char *key, *words;
	enum what what;
	int value;
} listed[] = {
	{"compress_ratios", "0", SEES, WINDOW},
	{"compress_ratios", "4", COMPRESSED, 1},
	{"compress_ratios", "128", COMPRESSED, 0},
	{"layer_types", "full_attention", SEES, ALL_KEYS},
	{"layer_types", "sliding_attention", SEES, WINDOW},
	{"layer_types", "chunked_attention", SEES, CHUNK},
	{"layer_types", "indexed_attention minimax_m3_sparse", CHOOSES, 1},
	{"layer_types", "compressed_sparse_attention", COMPRESSED, 1},
	{"layer_types", "heavily_compressed_attention", COMPRESSED, 0},
	{"layer_types", "linear_attention mamba conv", MIXES, SCAN},
	{"layer_types", "attention", MIXES, ATTENTION},
	{"layer_types", "hybrid", MIXES, SCAN | ATTENTION},
	{"layer_types", "mlp", MIXES, DENSE},
	{"layer_types", "moe", MIXES, EXPERTS},
	{"layers_block_type", "full_attention attention", MIXES, ATTENTION},
	{"layers_block_type", "linear_attention mamba", MIXES, SCAN},
	{"layers_block_type", "hybrid", MIXES, SCAN | ATTENTION},
	{"layers_block_type", "mlp", MIXES, DENSE},
	{"layers_block_type", "moe", MIXES, EXPERTS},
	{"attention_layers", "global", SEES, ALL_KEYS},
	{"attention_layers", "local", SEES, WINDOW},
	{"hybrid_layer_pattern", "0", SEES, ALL_KEYS},
	{"hybrid_layer_pattern", "1", SEES, WINDOW},
	{"no_rope_layers", "0", TURNS, 0},
	{"no_rope_layers", "1", TURNS, 1},
	{"moe_layer_freq", "0", COMPUTES, DENSE},
	{"moe_layer_freq", "1", COMPUTES, EXPERTS},
	{"mlp_layer_types", "dense", COMPUTES, DENSE},
	{"mlp_layer_types", "sparse moe", COMPUTES, EXPERTS},
	{"mlp_layer_types", "hash_moe", COMPUTES, HASHED},
	{"sparse_attention_freq", "0", CHOOSES, 0},
	{"sparse_attention_freq", "1", CHOOSES, 1},
};

enum {
	LISTED = sizeof(listed) / sizeof(listed[0])
};

/* Layers with a single norm are either a mixer or an MLP. */
static void set_mixers(const struct paleo_hf_config *c, struct paleo_hf_layer *l, int mixers)
{
	l->mixers = mixers;
	l->no_mlp = c->family->scan_alone || (c->family->one_each && mixers != PALEO_HF_NO_MIXER);
}

static void set(const struct paleo_hf_config *c, struct paleo_hf_layer *l, const struct listed *by)
{
	switch (by->what) {
	case SEES:
		l->window = by->value == WINDOW ? c->window : 0;
		l->chunk = by->value == CHUNK ? c->chunk : 0;
		l->chooses = l->ratio = 0;
		l->mixers = PALEO_HF_ATTENTION;
		break;
	case COMPRESSED:
		l->window = c->window;
		l->chooses = by->value;
		l->ratio = c->ratios[l->chooses];
		break;
	case CHOOSES:
		l->chooses = by->value && c->m->index_top;
		break;
	case TURNS:
		l->heads.rotary *= by->value;
		break;
	case COMPUTES:
		l->dense = by->value == DENSE || !c->m->experts;
		l->hashed = by->value == HASHED;
		break;
	case MIXES:
		set_mixers(c, l, by->value & (SCAN | ATTENTION));
		l->dense = by->value == DENSE || l->dense || !c->m->experts;
		break;
	}
}

/* 1: models of this family may have such a layer. */
static int may_have(const struct paleo_hf_config *c, const struct listed *l)
{
	return l->what == MIXES ? c->m->is.rule != PALEO_HF_NO_RULE
	       : l->what == COMPRESSED || (l->what == COMPUTES && l->value == HASHED)
		       ? c->m->is.compressed
		       : 1;
}

static int not_listed(const struct paleo_hf_config *c, const struct paleo_json *v, const char *word,
		      const struct listed *of)
{
	char known[256] = "", next[PALEO_HF_KEY_BYTES];
	size_t used = 0;

	for (int i = 0; i < LISTED; i++) {
		const char *words = listed[i].words;
		while (!strcmp(listed[i].key, of->key) && may_have(c, &listed[i]) &&
		       paleo_hf_next_word(&words, next))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? " or " : "", next);
	}
	return paleo_json_fail(v, c->err, "'%s' is not supported, expected %s", word, known);
}

/* One layer's word or number of a list. */
static int read_listed(struct paleo_hf_config *c, const struct listed *of,
		       const struct paleo_json *v, struct paleo_hf_layer *l)
{
	int n = 0, i = 0, is_number = paleo_json_type(v) == PALEO_JSON_NUMBER;
	const char *word = "";
	char number[16];

	PALEO_TRY(is_number ? paleo_json_to_int(v, 0, PALEO_HF_SIZE_MAX, &n, c->err)
			    : paleo_json_to_string(v, &word, c->err));
	snprintf(number, sizeof(number), "%d", n);
	word = is_number ? number : word;
	while (i < LISTED &&
	       (strcmp(listed[i].key, of->key) != 0 || !paleo_hf_is_in(listed[i].words, word)))
		i++;
	if (i == LISTED || !may_have(c, &listed[i]))
		return not_listed(c, v, word, of);
	set(c, l, &listed[i]);
	return PALEO_OK;
}

/* Reads the list whose words begin at `of`, if the file has it. */
static int read_list(struct paleo_hf_config *c, const struct listed *of, int *has)
{
	const struct paleo_json *list = paleo_hf_get(c->root, of->key), *in = c->sparse_attention;
	int known = paleo_hf_is_of(c, of->key), rc = PALEO_OK, i = 0;

	if (!list && in && paleo_json_type(in) == PALEO_JSON_OBJECT) {
		list = paleo_hf_get(in, of->key);
		known = 1;
	}
	*has = list && known && paleo_json_type(list) == PALEO_JSON_ARRAY;
	if (!*has)
		return PALEO_OK;
	int count = paleo_json_size(list), layers = c->m->layers;
	if (count != layers && count != layers + c->more_layers)
		return paleo_json_fail(list, c->err, "expected a word for each of %d layers",
				       layers);
	for (const struct paleo_json *v = paleo_json_first(list); v && i < layers && !rc;
	     v = paleo_json_next(v))
		rc = read_listed(c, of, v, &c->m->layer[i++]);
	return rc;
}

int paleo_hf_read_lists(struct paleo_hf_config *c, int *rope, int *keys)
{
	int rc = PALEO_OK, has;

	for (int i = 0; i < LISTED && !rc; i++) {
		if (i && !strcmp(listed[i].key, listed[i - 1].key))
			continue;
		rc = read_list(c, &listed[i], &has);
		/* a list is known by its first word; that of compressed keys begins with a window
		 */
		*rope |= has && listed[i].what == TURNS;
		*keys |= has && listed[i].what == SEES && listed[i].value == ALL_KEYS;
	}
	return rc;
}

/* Numbers of the layers with attention; `from` is that of the first layer. */
static int read_indices(struct paleo_hf_config *c, const struct paleo_json *list, int from)
{
	struct paleo_hf_model *m = c->m;

	for (const struct paleo_json *v = paleo_json_first(list); v; v = paleo_json_next(v)) {
		int layer;

		PALEO_TRY(paleo_json_to_int(v, from, m->layers - 1 + from, &layer, c->err));
		set_mixers(c, &m->layer[layer - from], PALEO_HF_ATTENTION);
	}
	return PALEO_OK;
}

/* A letter for each layer: M is a scan, * attention, E experts, - an MLP. */
static int read_letters(struct paleo_hf_config *c)
{
	struct paleo_hf_model *m = c->m;
	const char *letters;

	PALEO_TRY(paleo_json_to_string(c->letters, &letters, c->err));
	if ((int)strlen(letters) != m->layers || strspn(letters, "M*E-") != strlen(letters))
		return paleo_json_fail(
			c->letters, c->err,
			"expected %d characters of M, *, E and -, one for each layer", m->layers);
	for (int i = 0; i < m->layers; i++) {
		set_mixers(c, &m->layer[i],
			   letters[i] == 'M'   ? PALEO_HF_SCAN
			   : letters[i] == '*' ? PALEO_HF_ATTENTION
					       : PALEO_HF_NO_MIXER);
		m->layer[i].dense = letters[i] == '-' || !m->experts;
	}
	return PALEO_OK;
}

static void count_mixers(struct paleo_hf_config *c)
{
	const struct paleo_hf_family *f = c->family;
	struct paleo_hf_model *m = c->m;
	int every = paleo_hf_or(c->attention_every, f->attention_every);
	int first = c->attention_first ? c->attention_first : every - 1;

	for (int i = 0; i < m->layers; i++) {
		int attends = every && i % every == first;
		set_mixers(c, &m->layer[i],
			   f->both   ? PALEO_HF_ATTENTION | PALEO_HF_SCAN
			   : attends ? PALEO_HF_ATTENTION
				     : PALEO_HF_SCAN);
		if (c->experts_every)
			m->layer[i].dense = !m->experts || i % c->experts_every != c->experts_first;
		if (f->shared_mlp && !m->experts)
			m->layer[i].inner = m->shared_inner;
	}
}

/* A model that gives its position encoding may state that there is none. */
static int read_places(struct paleo_hf_config *c)
{
	const struct paleo_json *v = c->position_type;
	const char *word = "nope";
	int rc = v ? paleo_json_to_string(v, &word, c->err) : PALEO_OK;

	if (rc || !paleo_hf_is_of(c, "position_embedding_type") || !strcmp(word, "rope"))
		return rc;
	for (int i = 0; i < c->m->layers; i++)
		c->m->layer[i].heads.rotary = 0;
	return PALEO_OK;
}

int paleo_hf_read_mixers(struct paleo_hf_config *c)
{
	const struct paleo_json *const indices[] = {c->attention_indices, c->full_indices};
	const struct paleo_json *full = NULL;

	if (c->m->is.rule == PALEO_HF_NO_RULE)
		return PALEO_OK;
	count_mixers(c);
	int rc = read_places(c);
	for (int i = 0; i < 2 && !rc; i++)
		rc = indices[i] ? read_indices(c, indices[i], 0) : PALEO_OK;
	if (!rc && c->linear_attention) { /* Kimi's object with two lists, counted from 1 */
		rc = paleo_json_need(c->linear_attention, "full_attn_layers", &full, c->err);
		rc = rc ? rc : read_indices(c, full, 1);
	}
	return rc || !c->letters ? rc : read_letters(c);
}
