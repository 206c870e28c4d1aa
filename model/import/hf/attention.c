/* attention.c - writes a layer's attention with its projections: plain, or latent. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

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
	return (j->m->encoder && !j->m->family->reads_forward) || j->layer >= j->m->layers;
}

static int has_cache(const struct paleo_hf_job *j)
{
	return !j->m->encoder && !sees_all(j) && j->o.phase != PALEO_HF_TRAIN;
}

/* Positions, outside of attention where that has no cache. */
static const char *rope(struct paleo_hf_job *j, const char *what, const char *x, int heads, int dim)
{
	const char *name = paleo_hf_begin(j, what, "Rope", x, NULL);

	paleo_json_put_int(j->w, "heads", heads);
	paleo_json_put_int(j->w, "rope", dim);
	paleo_json_close(j->w);
	return name;
}

static const char *put_norm(struct paleo_hf_job *j, const char *what, const char *x, int heads,
			    int learns)
{
	const char *name = paleo_hf_begin(j, what, "RMSNorm", x, NULL);

	if (heads > 1)
		paleo_json_put_int(j->w, "heads", heads);
	if (!learns)
		paleo_json_put_bool(j->w, "scale", 0);
	paleo_json_close(j->w);
	return name;
}

static const char *norm(struct paleo_hf_job *j, const char *what, const char *x, int heads)
{
	int each = j->m->qk_norm == PALEO_HF_NORM_EACH;

	if (!each && (j->m->qk_norm != PALEO_HF_NORM_HEADS || j->m->norm != PALEO_HF_LAYER_NORM))
		return put_norm(j, what, x, heads, j->m->qk_norm != PALEO_HF_NORM_ROPE);
	const char *name = paleo_hf_begin(j, what, "LayerNorm", x, NULL);
	paleo_json_put_int(j->w, "heads", heads);
	if (each) {
		paleo_json_put_bool(j->w, "each", 1);
		paleo_json_put_bool(j->w, "shift", 0);
	}
	paleo_json_close(j->w);
	return name;
}

/* It is not divided over workers. */
void paleo_hf_index(struct paleo_hf_job *j, const char *q, const char *k, const char *weights)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	const char *const parents[] = {q, k, weights};

	paleo_hf_begin_of(j, "index", "Index", parents, weights ? 3 : 2);
	paleo_json_put_int(j->w, "heads", m->index_heads);
	paleo_json_put_int(j->w, "top", m->index_top);
	paleo_json_put_int(j->w, "rope", m->kv_rank ? m->rope : l->heads.rotary);
	if (j->o.past)
		paleo_json_put_int(j->w, "past", j->o.past);
	if (l->ratio)
		paleo_json_put_int(j->w, "compressed", l->ratio);
	if (weights)
		paleo_json_put_string(j->w, "cache_type", "fp8"); /* as published */
	paleo_json_close(j->w);
}

/* What chooses the keys that attention reads; its queries are made of `from`, and with latent
 * attention each of its heads has a weight. */
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
	k = paleo_hf_begin(j, "index_k_norm", latent ? "LayerNorm" : "RMSNorm", k, NULL);
	paleo_json_close(j->w);
	paleo_hf_index(j, q, k,
		       latent ? paleo_hf_product(j, "index_weights", x, m->index_heads, 0) : NULL);
}

static void put_cache_type(struct paleo_hf_job *j)
{
	if (j->o.kv)
		paleo_json_put_string(j->w, "cache_type",
				      paleo_dtype_name((enum paleo_dtype)(j->o.kv - 1)));
}

void paleo_hf_put_heads(struct paleo_hf_job *j, int heads, int kv_heads, int cache, int rope)
{
	paleo_json_put_int(j->w, "heads", heads);
	paleo_json_put_int(j->w, "kv_heads", kv_heads);
	paleo_json_put_bool(j->w, "causal", !sees_all(j));
	if (j->o.past)
		paleo_json_put_int(j->w, "past", j->o.past);
	if (cache)
		paleo_json_put_bool(j->w, "cache", 1);
	if (cache && rope)
		paleo_json_put_int(j->w, "rope", rope);
	if (j->m->layer[j->layer].chunk)
		paleo_json_put_int(j->w, "chunk", j->m->layer[j->layer].chunk);
	if (j->m->layer[j->layer].chooses)
		paleo_json_put_int(j->w, "top", j->m->index_top);
	/* on both sides as many, and the query's own key */
	if (j->m->layer[j->layer].window)
		paleo_json_put_int(j->w, "window", j->m->layer[j->layer].window | j->m->encoder);
	if (j->m->layer[j->layer].buckets)
		paleo_json_put_int(j->w, "table", j->m->layer[j->layer].buckets * heads);
	put_cache_type(j);
}

/* As libraries without a kernel for all of it run it; a mask changes none of it. */
static void unfused(struct paleo_hf_job *j, const char *const qkv[3],
		    const struct paleo_hf_heads *h)
{
	const char *parents[5] = {qkv[0], qkv[1], qkv[2]};
	int count = 3 + paleo_hf_places(j, h->q * h->qk, parents + 3);

	paleo_hf_begin_of(j, "attention", "Attention", parents, count);
	paleo_json_put_int(j->w, "heads", h->q);
	paleo_json_put_int(j->w, "kv_heads", h->kv);
	if (j->m->layer[j->layer].buckets)
		paleo_json_put_int(j->w, "table", j->m->layer[j->layer].buckets * h->q);
}

/* Each number that attention gives, by one of its own. */
static const char *gated_wide(struct paleo_hf_job *j, const char *gate, const char *x)
{
	const char *by = paleo_hf_begin(j, "gate_by", "Sigmoid", gate, NULL);

	paleo_json_close(j->w);
	return paleo_hf_of_two(j, "gated", "mul", x, by);
}

/* Keys and values of this layer, for it and for others: `qkv` has the queries first. */
static void keys_and_values(struct paleo_hf_job *j, const struct paleo_hf_parts *qkv, int from,
			    const char *kv[2])
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	const struct paleo_hf_heads h = heads_of(j);
	int normed = m->qk_norm == PALEO_HF_NORM_ROPE ? h.rotary > 0 : m->qk_norm != 0;
	int size = h.kv * h.qk;

	kv[0] = paleo_hf_part(j, "k", qkv, from, size);
	kv[1] = l->shared_kv ? kv[0] : paleo_hf_part(j, "v", qkv, from + size, h.kv * h.v);
	if (m->family->v_norm)
		kv[1] = put_norm(j, "v_norm", kv[1], h.kv, 0);
	if (normed)
		kv[0] = norm(j, "k_norm", kv[0], m->qk_norm == PALEO_HF_NORM_WIDTH ? 1 : h.kv);
	if (!has_cache(j) && h.rotary)
		kv[0] = rope(j, "k_rope", kv[0], h.kv, h.rotary);
	for (int i = 0; i < 2; i++)
		snprintf(j->kept[l->window > 0][i], sizeof(j->kept[0][0]), "%s", kv[i]);
}

static const char *plain(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_heads h = heads_of(j);
	const struct paleo_hf_layer *l = &m->layer[j->layer];
	int cache = has_cache(j) && !l->reads;
	int q_size = h.q * h.qk, gate_size = m->family->wide_gate == 1 ? q_size : 0;
	int kv_size = l->reads ? 0 : h.kv * (h.qk + (l->shared_kv ? 0 : h.v));
	const char *kv[2] = {j->kept[l->window > 0][0], j->kept[l->window > 0][1]};
	int bare = m->family->bare_keys, k_size = h.kv * h.qk;

	const struct paleo_hf_parts qkv = paleo_hf_together(
		j, bare ? "qv" : "qkv", x, gate_size + q_size + kv_size - (bare ? k_size : 0),
		m->bias & PALEO_HF_BIAS_QKV);
	const char *q = paleo_hf_part(j, "q", &qkv, 0, q_size);
	if (bare) {
		kv[0] = paleo_hf_product(j, "k", x, k_size, 0);
		if (!cache && h.rotary)
			kv[0] = rope(j, "k_rope", kv[0], h.kv, h.rotary);
		kv[1] = paleo_hf_part(j, "v", &qkv, q_size, h.kv * h.v);
	} else if (!l->reads)
		keys_and_values(j, &qkv, q_size, kv);
	if (m->qk_norm == PALEO_HF_NORM_ROPE ? h.rotary > 0 : m->qk_norm != 0)
		q = norm(j, "q_norm", q, m->qk_norm == PALEO_HF_NORM_WIDTH ? 1 : h.q);
	if (!cache && h.rotary)
		q = rope(j, "q_rope", q, h.q, h.rotary);
	choose(j, x, x);
	const char *const parents[] = {q, kv[0], kv[1]};
	if (j->o.unfused || m->places_rows) {
		unfused(j, parents, &h);
	} else {
		paleo_hf_begin_of(j, "attention", "FusedAttention", parents, 3);
		paleo_hf_put_heads(j, h.q, h.kv, cache, h.rotary);
		if (l->reads || m->family->reads_forward)
			paleo_json_put_int(j->w, "cached", 0);
		if (l->sinks)
			paleo_json_put_bool(j->w, "sinks", 1);
	}
	paleo_json_close(j->w);
	const char *out = paleo_hf_name(j, "attention"), *normed = x;
	x = m->family->head_gate ? paleo_hf_gated(j, "gated", out, x, h.q) : out;
	if (m->family->wide_gate == 2)
		x = gated_wide(j, paleo_hf_product(j, "q_gate", normed, q_size, 0), x);
	if (gate_size)
		x = gated_wide(j, paleo_hf_part(j, "q_gate", &qkv, q_size + kv_size, gate_size), x);
	if (m->family->inner_norms)
		x = paleo_hf_norm(j, "norm_heads", x, 0);
	return paleo_hf_product(j, "project", x, m->hidden, (m->bias & PALEO_HF_BIAS_OUT) != 0);
}

const char *paleo_hf_cross(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_model *m = j->m;
	const struct paleo_hf_heads h = heads_of(j);
	int biased = (m->bias & PALEO_HF_BIAS_QKV) != 0, width = h.q * h.qk;
	const char *parents[3] = {paleo_hf_product(j, "cross_q", x, width, biased)};
	int fresh = j->o.phase != PALEO_HF_DECODE; /* else keys and values are there already */

	if (fresh && m->family->bare_keys) {
		parents[1] = paleo_hf_product(j, "cross_k", j->memory, width, 0);
		parents[2] = paleo_hf_product(j, "cross_v", j->memory, width, biased);
	} else if (fresh) {
		const struct paleo_hf_parts kv =
			paleo_hf_together(j, "cross_kv", j->memory, 2 * width, biased);
		parents[1] = paleo_hf_part(j, "cross_k", &kv, 0, width);
		parents[2] = paleo_hf_part(j, "cross_v", &kv, width, width);
	}
	x = paleo_hf_begin_of(j, "cross", "FusedAttention", parents, fresh ? 3 : 1);
	paleo_json_put_int(j->w, "heads", h.q);
	if (j->o.phase != PALEO_HF_TRAIN)
		paleo_json_put_int(j->w, "memory", j->o.source);
	put_cache_type(j);
	paleo_json_close(j->w);
	return paleo_hf_product(j, "cross_project", x, m->hidden,
				(m->bias & PALEO_HF_BIAS_OUT) != 0);
}

static const char *batched(struct paleo_hf_job *j, const char *what, const char *x,
			   const int sizes[4])
{
	static const char *const keys[] = {"heads", "inputs", "num_outputs", "keep"};
	const char *name = paleo_hf_begin(j, what, "BatchedProduct", x, NULL);

	for (int i = 0; i < 4; i++)
		paleo_json_put_int(j->w, keys[i], sizes[i]);
	paleo_json_close(j->w);
	return name;
}

/* Keys and values expanded from what is latent, for each head. */
static void expanded(struct paleo_hf_job *j, const char *q, const char *latent, const char *turned,
		     int heads)
{
	const struct paleo_hf_model *m = j->m;

	if (m->positions == PALEO_HF_ROTARY) {
		q = rope(j, "q_rope", q, heads, m->rope);
		turned = rope(j, "k_rope", turned, 1, m->rope);
	}
	const char *kv = paleo_hf_product(j, "kv_b", latent, heads * (m->nope + m->v_dim), 0);
	const char *parts = paleo_hf_slice(j, "k_nope", kv, 0, heads * m->nope);
	const char *v = paleo_hf_slice(j, "v", kv, heads * m->nope, heads * m->v_dim);
	const char *k = paleo_hf_begin(j, "k", "Spread", parts, turned);
	paleo_json_put_int(j->w, "heads", heads);
	paleo_json_close(j->w);
	const char *const parents[] = {q, k, v};
	paleo_hf_begin_of(j, "attention", "FusedAttention", parents, 3);
	paleo_hf_put_heads(j, heads, heads, 0, 0);
	paleo_json_put_int(j->w, "cached", m->kv_rank + m->rope);
	paleo_json_close(j->w);
}

/* The matrices that expand keys and values go with queries and results instead. */
static const char *absorbed(struct paleo_hf_job *j, const char *q, const char *key, int heads)
{
	const struct paleo_hf_model *m = j->m;
	const int before[4] = {heads, m->nope, m->kv_rank, m->rope};
	const int behind[4] = {heads, m->kv_rank, m->v_dim, 0};
	const char *const parents[] = {batched(j, "absorb_k", q, before), key};

	paleo_hf_begin_of(j, "attention", "FusedAttention", parents, 2);
	paleo_hf_put_heads(j, heads, 1, 1, m->positions == PALEO_HF_ROTARY ? m->rope : 0);
	paleo_json_put_int(j->w, "latent", m->kv_rank);
	paleo_json_close(j->w);
	return batched(j, "absorb_v", paleo_hf_name(j, "attention"), behind);
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
		const char *both = paleo_hf_begin(j, "key", "Spread", lat, turned);
		paleo_json_put_int(j->w, "heads", 1);
		paleo_json_close(j->w);
		x = absorbed(j, q, both, heads);
	} else {
		expanded(j, q, lat, turned, heads);
		x = paleo_hf_name(j, "attention");
	}
	return paleo_hf_product(j, "project", x, m->hidden, 0);
}

const char *paleo_hf_attention(struct paleo_hf_job *j, const char *x)
{
	if (j->m->family->compressed)
		return paleo_hf_compressed(j, x);
	return j->m->kv_rank ? latent(j, x) : plain(j, x);
}
