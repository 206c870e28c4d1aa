/* mlp.c - writes what is behind a layer's attention: products, experts, or both. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/import/hf/write.h"

/* Gates that are less than their mean and so many deviations are 0: as costly as a norm. */
static const char *sparse(struct paleo_hf_job *j, const char *gate)
{
	if (!j->m->layer[j->layer].sparse)
		return gate;
	gate = paleo_hf_begin(j, "gate_sparse", "LayerNorm", gate, NULL);
	paleo_json_put_bool(j->w, "scale", 0);
	paleo_json_put_bool(j->w, "shift", 0);
	paleo_json_close(j->w);
	return gate;
}

/* Two products and what is between; with a gate they are three. GELU's gate costs as SiLU's. */
const char *paleo_hf_dense(struct paleo_hf_job *j, const char *x, int inner, const char *prefix)
{
	const struct paleo_hf_model *m = j->m;
	int bias = (m->bias & PALEO_HF_BIAS_MLP) != 0, part = paleo_hf_divided(inner, j->o.tp);
	int last = bias || (m->bias & PALEO_HF_BIAS_CONTRACT);
	char what[4][32];
	static const char *const parts[] = {"expand", "gate", "up", "contract"};

	for (int i = 0; i < 4; i++)
		snprintf(what[i], sizeof(what[i]), "%s%s", prefix, parts[i]);
	if (!m->plain) {
		const struct paleo_hf_parts both = paleo_hf_together(j, what[0], x, 2 * part, bias);
		const char *gate = sparse(j, paleo_hf_part(j, what[1], &both, 0, part));
		const char *up = paleo_hf_part(j, what[2], &both, part, part);
		char act[32];
		snprintf(act, sizeof(act), "%sact", prefix);
		x = paleo_hf_begin(j, act, "Elementwise", gate, up);
		paleo_json_put_string(j->w, "op", "silu_mul");
		paleo_json_close(j->w);
		if (m->family->inner_norms)
			x = paleo_hf_norm(j, "norm_inner", x, 0);
		return paleo_hf_product(j, what[3], x, m->hidden, last);
	}
	const char *up = paleo_hf_begin(j, what[0], "InnerProduct", x, NULL);
	paleo_json_put_int(j->w, "num_outputs", part);
	paleo_json_put_bool(j->w, "bias", bias);
	paleo_json_put_string(j->w, "activation_fn", m->activation);
	paleo_hf_put_stored(j);
	paleo_hf_put_shared(j);
	paleo_json_close(j->w);
	if (m->family->act_numbers)
		paleo_hf_learned(j, "act_numbers", up, m->family->act_numbers);
	return paleo_hf_product(j, what[3], up, m->hidden, last);
}

int paleo_hf_busy_experts(const struct paleo_hf_model *m)
{
	double part = (double)m->experts / ((double)m->experts + m->idle_experts);
	int busy = (int)(m->topk * part + 0.5);

	return busy > 0 ? busy : 1;
}

/* `x` goes to the experts that what `from` gives the router has chosen. */
static const char *experts(struct paleo_hf_job *j, const char *x, const char *from)
{
	const struct paleo_hf_model *m = j->m;
	int bias = (m->bias & PALEO_HF_BIAS_MLP) != 0;
	const char *whole = x;
	const char *scores = paleo_hf_wide_product(
		j, "router", from, m->experts + m->idle_experts,
		bias || (m->family->routing_bias && !m->layer[j->layer].hashed));
	if (m->idle_experts)
		scores = paleo_hf_slice(j, "scores", scores, 0, m->experts);
	if (m->latent_experts)
		x = paleo_hf_product(j, "latent_in", whole, m->latent_experts, 0);
	const char *out = paleo_hf_begin(j, "experts", "Experts", x, scores);

	paleo_json_put_int(j->w, "experts", m->experts);
	paleo_json_put_int(j->w, "top", paleo_hf_busy_experts(m));
	paleo_json_put_int(j->w, "inner", paleo_hf_divided(m->expert_inner, j->o.experts_tp));
	paleo_json_put_int(j->w, "local", paleo_hf_divided(m->experts, j->o.ep));
	paleo_json_put_int(j->w, "groups", j->o.groups);
	if (j->o.skew)
		paleo_json_put_int(j->w, "skew", j->o.skew);
	if (m->plain)
		paleo_json_put_bool(j->w, "gated", 0);
	paleo_json_put_bool(j->w, "bias", bias);
	paleo_hf_put_experts_stored(j);
	paleo_json_close(j->w);
	if (m->latent_experts)
		out = paleo_hf_product(j, "latent_out", out, m->hidden, 0);
	if (!m->shared_inner)
		return out;
	const char *shared = paleo_hf_dense(j, whole, m->shared_inner, "shared_");
	if (m->family->shared_gate)
		shared = paleo_hf_gated(j, "shared_gated", shared, whole, 1);
	return paleo_hf_sum(j, "experts_sum", out, shared);
}

/* An MLP and experts beside it, each with its own norm behind; experts have one before, too, and
 * their router another (Gemma 4). */
static const char *beside(struct paleo_hf_job *j, const char *stream, const char *x)
{
	const char *one = paleo_hf_norm(j, "norm_dense",
					paleo_hf_dense(j, x, j->m->layer[j->layer].inner, ""), 0);
	const char *scores = paleo_hf_norm(j, "norm_router", stream, 0);
	const char *two = paleo_hf_norm(j, "norm_to_experts", stream, 0);

	two = paleo_hf_norm(j, "norm_experts", experts(j, two, scores), 0);
	return paleo_hf_sum(j, "mlp_sum", one, two);
}

const char *paleo_hf_mlp(struct paleo_hf_job *j, const char *stream, const char *x)
{
	const struct paleo_hf_layer *l = &j->m->layer[j->layer];

	if (l->dense)
		return paleo_hf_dense(j, x, l->inner, "");
	if (j->m->family->twice)
		return paleo_hf_sum(j, "mlp_sum", paleo_hf_dense(j, x, l->inner, ""),
				    experts(j, x, x));
	return j->m->beside ? beside(j, stream, x) : experts(j, x, x);
}
