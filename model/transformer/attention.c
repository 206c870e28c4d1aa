/* attention.c - writes a layer's attention with its projections: plain, latent, or compressed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/transformer/write.h"

/* The heads of this worker. */
static struct paleo_hf_heads heads_of(const struct paleo_hf_job *j)
{
	struct paleo_hf_heads h = j->m->layer[j->layer].heads;

	h.q /= j->o.tp;
	h.kv = h.kv > j->o.tp ? h.kv / j->o.tp : 1;
	return h;
}

static int sees_all(const struct paleo_hf_job *j)
{
	return (j->m->is.encoder && !j->m->is.reads_forward) || j->layer >= j->m->layers;
}

static int has_cache(const struct paleo_hf_job *j)
{
	return !j->m->is.encoder && !sees_all(j) && j->o.phase != PALEO_HF_TRAIN;
}

/* Rotary embedding, outside of attention where that has no cache. */
static const char *rope(struct paleo_hf_job *j, const char *what, const char *x, int heads, int dim)
{
	return paleo_hf_layer(j, what, "Rope", PARENTS(x),
			      KEYS(INT("heads", heads), INT("rope", dim)));
}

static const char *norm(struct paleo_hf_job *j, const char *what, const char *x, int heads)
{
	int each = j->m->qk_norm == PALEO_HF_NORM_EACH;

	if (!each && (j->m->qk_norm != PALEO_HF_NORM_HEADS || j->m->norm != PALEO_HF_LAYER_NORM))
		return paleo_hf_rms_norm(j, what, x, heads, j->m->qk_norm != PALEO_HF_NORM_ROPE);
	return paleo_hf_layer(j, what, "LayerNorm", PARENTS(x),
			      KEYS(INT("heads", heads), WHERE(each, FLAG("each", 1)),
				   WHERE(each, FLAG("shift", 0))));
}

/* 1 if queries and keys of such heads are normalised. */
static int normed(const struct paleo_hf_model *m, const struct paleo_hf_heads *h)
{
	return m->qk_norm == PALEO_HF_NORM_ROPE ? h->rotary > 0 : m->qk_norm != PALEO_HF_NO_QK_NORM;
}

/* It is not divided over workers. */
static void put_index(struct paleo_hf_job *j, const char *q, const char *k, const char *weights)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];

	paleo_hf_layer(j, "index", "Index", PARENTS(q, k, weights),
		       KEYS(INT("heads", m->index_heads), INT("top", m->index_top),
			    INT("rope", m->kv_rank ? m->rope : l->heads.rotary),
			    WHERE(j->o.past, INT("past", j->o.past)),
			    WHERE(l->ratio, INT("compressed", l->ratio)),
			    WHERE(weights, WORD("cache_type", "fp8")))); /* as published */
}

/* The indexer that selects the keys that attention reads; its queries are made of `from`, and with
 * latent attention each of its heads has a weight. */
static void choose(struct paleo_hf_job *j, const char *x, const char *from)
{
	const struct paleo_hf_model *m = j->m;
	int latent = m->kv_rank > 0;

	if (!m->layer[j->layer].chooses)
		return;
	const char *q = paleo_hf_product(j, "index_q", from, m->index_heads * m->index_dim, 0);
	if (!latent)
		q = norm(j, "index_q_norm", q, m->index_heads);
	const char *k = paleo_hf_product(j, "index_k", x, m->index_dim, 0);
	k = paleo_hf_layer(j, "index_k_norm", latent ? "LayerNorm" : "RMSNorm", PARENTS(k), NULL);
	put_index(j, q, k,
		  latent ? paleo_hf_product(j, "index_weights", x, m->index_heads, 0) : NULL);
}

static struct paleo_hf_key cache_type(const struct paleo_hf_job *j)
{
	return WHERE(j->o.kv,
		     WORD("cache_type", paleo_dtype_name((enum paleo_dtype)(j->o.kv - 1))));
}

static struct paleo_hf_key table(const struct paleo_hf_job *j, int heads)
{
	int buckets = j->m->layer[j->layer].buckets;

	return WHERE(buckets, INT("table", buckets * heads));
}

static struct paleo_hf_key dropped_scores(const struct paleo_hf_job *j)
{
	double rate = j->o.phase == PALEO_HF_TRAIN ? j->m->scores_dropout : 0;

	return WHERE(rate > 0 && rate < 1, RATE("dropout_keep_prob", 1 - rate));
}

/* `more` keys are added to those that all have. */
static const char *fused(struct paleo_hf_job *j, const char *const *parents,
			 const struct paleo_hf_heads *h, int cache, const struct paleo_hf_key *more)
{
	const struct paleo_hf_layer *l = &j->m->layer[j->layer];

	return paleo_hf_layer(
		j, "attention", "FusedAttention", parents,
		KEYS(INT("heads", h->q), INT("kv_heads", h->kv), FLAG("causal", !sees_all(j)),
		     WHERE(j->o.past, INT("past", j->o.past)), WHERE(cache, FLAG("cache", 1)),
		     WHERE(cache && h->rotary, INT("rope", h->rotary)),
		     WHERE(l->chunk, INT("chunk", l->chunk)),
		     WHERE(l->chooses, INT("top", j->m->index_top)),
		     /* on both sides as many, and the query's own key */
		     WHERE(l->window, INT("window", l->window | j->m->is.encoder)), table(j, h->q),
		     dropped_scores(j), cache_type(j), MORE(more)));
}

/* A row for each place, as many numbers as queries have. */
static const char *row(struct paleo_hf_job *j, const char *what, int outputs, int bias)
{
	return paleo_hf_layer(j, what, "InnerProduct", PARENTS(j->places),
			      KEYS(INT("num_outputs", outputs), FLAG("bias", bias),
				   paleo_hf_stored(j, &j->m->weights[0]),
				   WHERE(j->m->places_shared, FLAG("shared", 1))));
}

/* Scores by relative places, as DeBERTa has them. No library has a fused kernel for distances that
 * are rows of their own. */
static const char *by_places(struct paleo_hf_job *j, const char *q, const char *const kv[2],
			     const struct paleo_hf_heads *h)
{
	const struct paleo_hf_model *m = j->m;
	const char *parents[6] = {q, kv[0], kv[1]};
	int count = 3, width = h->q * h->qk;

	if (m->places_terms & PALEO_HF_TERM_QUERIES)
		parents[count++] = row(j, "places_k", width, m->is.relative == 1);
	if (m->places_terms & PALEO_HF_TERM_KEYS)
		parents[count++] = row(j, "places_q", width, 1);
	return paleo_hf_layer(j, "attention", "Attention", parents,
			      KEYS(INT("heads", h->q), INT("kv_heads", h->kv), table(j, h->q),
				   dropped_scores(j)));
}

/* Elementwise gate on attention's output. */
static const char *gated_wide(struct paleo_hf_job *j, const char *gate, const char *x)
{
	const char *by = paleo_hf_layer(j, "gate_by", "Sigmoid", PARENTS(gate), NULL);

	return paleo_hf_of_two(j, "gated", "mul", x, by);
}

/* Keys and values of this layer, for it and for others: `qkv` has the queries first. */
static void keys_and_values(struct paleo_hf_job *j, const struct paleo_hf_parts *qkv, int from,
			    const char *kv[2])
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	const struct paleo_hf_heads h = heads_of(j);
	int size = h.kv * h.qk;

	kv[0] = paleo_hf_part(j, "k", qkv, from, size);
	kv[1] = l->shared_kv ? kv[0] : paleo_hf_part(j, "v", qkv, from + size, h.kv * h.v);
	if (m->is.v_norm)
		kv[1] = paleo_hf_rms_norm(j, "v_norm", kv[1], h.kv, 0);
	if (normed(m, &h))
		kv[0] = norm(j, "k_norm", kv[0], m->qk_norm == PALEO_HF_NORM_WIDTH ? 1 : h.kv);
	if (!has_cache(j) && h.rotary)
		kv[0] = rope(j, "k_rope", kv[0], h.kv, h.rotary);
	for (int i = 0; i < 2; i++)
		snprintf(j->kept[l->window > 0][i], sizeof(j->kept[0][0]), "%s", kv[i]);
}

/* The same where keys have no bias: they are a separate GEMM. */
static void bare_keys(struct paleo_hf_job *j, const char *x, const struct paleo_hf_parts *qv,
		      const char *kv[2])
{
	const struct paleo_hf_heads h = heads_of(j);

	kv[0] = paleo_hf_product(j, "k", x, h.kv * h.qk, 0);
	if (!has_cache(j) && h.rotary)
		kv[0] = rope(j, "k_rope", kv[0], h.kv, h.rotary);
	kv[1] = paleo_hf_part(j, "v", qv, h.q * h.qk, h.kv * h.v);
}

/* Attention's output gated per head or per element, with gates from a slice of a GEMM. */
static const char *gated(struct paleo_hf_job *j, const char *out, const char *x,
			 const struct paleo_hf_parts *qkv, int from)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_heads h = heads_of(j);

	if (m->is.head_gate)
		out = paleo_hf_gated(j, "gated", out, x, h.q);
	if (m->is.wide_gate == 2)
		out = gated_wide(j, paleo_hf_product(j, "q_gate", x, h.q * h.qk, 0), out);
	if (m->is.wide_gate == 1)
		out = gated_wide(j, paleo_hf_part(j, "q_gate", qkv, from, h.q * h.qk), out);
	return m->is.inner_norms ? paleo_hf_norm(j, "norm_heads", out, 0) : out;
}

static const char *plain(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_heads h = heads_of(j);
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	int cache = has_cache(j) && !l->reads, bare = m->is.bare_keys;
	int q_size = h.q * h.qk, k_size = bare ? 0 : h.kv * h.qk;
	int kv_size = l->reads ? 0 : k_size + (l->shared_kv ? 0 : h.kv * h.v);
	const char *kv[2] = {j->kept[l->window > 0][0], j->kept[l->window > 0][1]};

	const struct paleo_hf_parts qkv = paleo_hf_together(
		j, bare ? "qv" : "qkv", x, (m->is.wide_gate == 1 ? 2 : 1) * q_size + kv_size,
		m->bias & PALEO_HF_BIAS_QKV);
	const char *q = paleo_hf_part(j, "q", &qkv, 0, q_size);
	if (bare)
		bare_keys(j, x, &qkv, kv);
	else if (!l->reads)
		keys_and_values(j, &qkv, q_size, kv);
	if (normed(m, &h))
		q = norm(j, "q_norm", q, m->qk_norm == PALEO_HF_NORM_WIDTH ? 1 : h.q);
	if (!cache && h.rotary)
		q = rope(j, "q_rope", q, h.q, h.rotary);
	choose(j, x, x);
	const char *out =
		m->places_rows
			? by_places(j, q, kv, &h)
			: fused(j, PARENTS(q, kv[0], kv[1]), &h, cache,
				KEYS(WHERE(l->reads || m->is.reads_forward, INT("cached", 0)),
				     WHERE(l->sinks, FLAG("sinks", 1))));
	return paleo_hf_product(j, "project", gated(j, out, x, &qkv, q_size + kv_size), m->hidden,
				(m->bias & PALEO_HF_BIAS_OUT) != 0);
}

const char *paleo_hf_cross(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_heads h = heads_of(j);
	int biased = (m->bias & PALEO_HF_BIAS_QKV) != 0, width = h.q * h.qk;
	const char *q = paleo_hf_product(j, "cross_q", x, width, biased), *k = NULL, *v = NULL;
	int fresh = j->o.phase != PALEO_HF_DECODE; /* else keys and values are there already */

	if (fresh && m->is.bare_keys) {
		k = paleo_hf_product(j, "cross_k", j->memory, width, 0);
		v = paleo_hf_product(j, "cross_v", j->memory, width, biased);
	} else if (fresh) {
		const struct paleo_hf_parts kv =
			paleo_hf_together(j, "cross_kv", j->memory, 2 * width, biased);
		k = paleo_hf_part(j, "cross_k", &kv, 0, width);
		v = paleo_hf_part(j, "cross_v", &kv, width, width);
	}
	x = paleo_hf_layer(j, "cross", "FusedAttention", PARENTS(q, k, v),
			   KEYS(INT("heads", h.q),
				WHERE(j->o.phase != PALEO_HF_TRAIN, INT("memory", j->o.source)),
				cache_type(j)));
	return paleo_hf_product(j, "cross_project", x, m->hidden,
				(m->bias & PALEO_HF_BIAS_OUT) != 0);
}

/* Keys and values expanded from the latent vector, for each head. */
static const char *expanded(struct paleo_hf_job *j, const char *q, const char *latent,
			    const char *turned, int heads)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_heads h = {.q = heads, .kv = heads};

	if (m->is.positions == PALEO_HF_ROTARY) {
		q = rope(j, "q_rope", q, heads, m->rope);
		turned = rope(j, "k_rope", turned, 1, m->rope);
	}
	const char *kv = paleo_hf_product(j, "kv_b", latent, heads * (m->nope + m->v_dim), 0);
	const char *parts = paleo_hf_slice(j, "k_nope", kv, 0, heads * m->nope);
	const char *v = paleo_hf_slice(j, "v", kv, heads * m->nope, heads * m->v_dim);
	const char *k =
		paleo_hf_layer(j, "k", "Spread", PARENTS(parts, turned), KEYS(INT("heads", heads)));
	return fused(j, PARENTS(q, k, v), &h, 0, KEYS(INT("cached", m->kv_rank + m->rope)));
}

/* The matrices that expand keys and values go with queries and results instead. */
static const char *absorbed(struct paleo_hf_job *j, const char *q, const char *key, int heads)
{
	const struct paleo_hf_model *m = j->m;
	int turned = m->is.positions == PALEO_HF_ROTARY ? m->rope : 0;
	const struct paleo_hf_heads h = {.q = heads, .kv = 1, .rotary = turned};

	q = paleo_hf_layer(j, "absorb_k", "BatchedProduct", PARENTS(q),
			   KEYS(INT("heads", heads), INT("inputs", m->nope),
				INT("num_outputs", m->kv_rank), INT("keep", m->rope)));
	q = fused(j, PARENTS(q, key), &h, 1, KEYS(INT("latent", m->kv_rank)));
	return paleo_hf_layer(j, "absorb_v", "BatchedProduct", PARENTS(q),
			      KEYS(INT("heads", heads), INT("inputs", m->kv_rank),
				   INT("num_outputs", m->v_dim), INT("keep", 0)));
}

int paleo_hf_absorbs(const struct paleo_hf_model *m, const struct paleo_hf_options *o)
{
	return o->phase == PALEO_HF_DECODE || (m->index_top && o->seq + o->past > m->index_top);
}

/* Multi-head latent attention (DeepSeek-AI 2024, section 2.1). */
static const char *latent(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	int heads = heads_of(j).q, kv = m->kv_rank + m->rope, key = m->nope + m->rope;
	int at = m->q_rank ? m->q_rank : heads * key;
	const struct paleo_hf_parts down = paleo_hf_together(j, "down", x, at + kv, 0);
	const char *q = paleo_hf_part(j, "q_a", &down, 0, at);

	if (m->q_rank) {
		q = norm(j, "q_norm", q, 1);
		choose(j, x, q);
		q = paleo_hf_product(j, "q_b", q, heads * key, 0);
	}
	const char *lat = norm(j, "kv_norm", paleo_hf_part(j, "latent", &down, at, m->kv_rank), 1);
	const char *turned = paleo_hf_part(j, "k_turned", &down, at + m->kv_rank, m->rope);
	if (paleo_hf_absorbs(m, &j->o)) {
		const char *both = paleo_hf_layer(j, "key", "Spread", PARENTS(lat, turned),
						  KEYS(INT("heads", 1)));
		x = absorbed(j, q, both, heads);
	} else {
		x = expanded(j, q, lat, turned, heads);
	}
	return paleo_hf_product(j, "project", x, m->hidden, 0);
}

/* Keys of `size` channels, one for so many tokens; their inputs are not quantised. */
static const char *compress(struct paleo_hf_job *j, const char *prefix, const char *x, int size)
{
	const struct paleo_hf_layer *l = &j->m->layer[j->layer];
	char what[2][32];

	snprintf(what[0], sizeof(what[0]), "%sto_compress", prefix);
	snprintf(what[1], sizeof(what[1]), "%scompressed", prefix);
	x = paleo_hf_wide_product(j, what[0], x, 2 * (1 + l->chooses) * size, 0);
	return paleo_hf_layer(j, what[1], "Compress", PARENTS(x),
			      KEYS(INT("ratio", l->ratio), FLAG("overlap", l->chooses)));
}

static void choose_compressed(struct paleo_hf_job *j, const char *x, const char *from)
{
	const struct paleo_hf_model *m = j->m;
	const char *q = paleo_hf_product(j, "index_q", from, m->index_heads * m->index_dim, 0);
	const char *k = compress(j, "index_", x, m->index_dim);

	put_index(j, q, k, paleo_hf_wide_product(j, "index_weights", x, m->index_heads, 0));
}

/* Output projection in two stages: a GEMM for each group of heads, then one over all. */
static const char *project(struct paleo_hf_job *j, const char *x, int heads)
{
	const struct paleo_hf_model *m = j->m;
	int groups = m->out_groups / j->o.tp;

	x = paleo_hf_layer(j, "project_groups", "BatchedProduct", PARENTS(x),
			   KEYS(INT("heads", groups), INT("inputs", heads / groups * m->head_dim),
				INT("num_outputs", m->out_rank)));
	return paleo_hf_product(j, "project", x, m->hidden, 0);
}

/* Attention to a window and to compressed keys. Keys are values, too: one head of them, which all
 * workers have (DeepSeek-AI 2026, "DeepSeek-V4", section 2.3). */
static const char *compressed(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	int heads = l->heads.q / j->o.tp, dim = m->head_dim;
	const struct paleo_hf_heads h = {.q = heads, .kv = 1, .rotary = l->heads.rotary};
	const struct paleo_hf_parts down = paleo_hf_together(j, "down", x, m->q_rank + dim, 0);
	const char *q = paleo_hf_part(j, "q_a", &down, 0, m->q_rank);
	q = paleo_hf_rms_norm(j, "q_a_norm", q, 0, 1);
	const char *key = paleo_hf_part(j, "key", &down, m->q_rank, dim);
	key = paleo_hf_rms_norm(j, "k_norm", key, 0, 1);
	const char *more = l->ratio ? compress(j, "", x, dim) : NULL;

	if (l->chooses)
		choose_compressed(j, x, q);
	q = paleo_hf_product(j, "q_b", q, heads * dim, 0);
	q = paleo_hf_rms_norm(j, "q_norm", q, heads, 0);
	x = fused(j, PARENTS(q, key, more), &h, 1,
		  KEYS(INT("latent", dim), FLAG("sinks", 1),
		       WHERE(l->ratio, INT("compressed", l->ratio))));
	return project(j, x, heads);
}

const char *paleo_hf_attention(struct paleo_hf_job *j, const char *x)
{
	if (j->m->is.compressed)
		return compressed(j, x);
	return j->m->kv_rank ? latent(j, x) : plain(j, x);
}
