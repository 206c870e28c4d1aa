/* mlp.c - writes the part of a layer after attention: MLP, experts, or both. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/transformer/write.h"

/* Gates that are less than their mean and so many deviations are 0: as costly as a norm. */
static const char *sparse(struct paleo_hf_job *j, const char *gate)
{
	if (j->layer < 0 || !j->m->layer[j->layer].sparse)
		return gate;
	return paleo_hf_layer(j, "gate_sparse", "LayerNorm", PARENTS(gate),
			      KEYS(FLAG("scale", 0), FLAG("shift", 0)));
}

/* An MLP: two GEMMs with an activation; three with a gate. GELU's gate costs the same as SiLU's. */
const char *paleo_hf_dense(struct paleo_hf_job *j, const char *x, int inner, const char *prefix)
{
	static const char *const parts[] = {"expand", "gate", "up", "contract", "act"};
	const struct paleo_hf_model *m = j->m;
	int bias = (m->bias & PALEO_HF_BIAS_MLP) != 0, part = paleo_hf_divided(inner, j->o.tp);
	int last = bias || (m->bias & PALEO_HF_BIAS_CONTRACT);
	char what[5][32];

	for (int i = 0; i < 5; i++)
		snprintf(what[i], sizeof(what[i]), "%s%s", prefix, parts[i]);
	if (m->is.plain) {
		const struct paleo_weight_type *t = paleo_hf_type_of(j, what[0]);
		x = paleo_hf_layer(j, what[0], "InnerProduct", PARENTS(x),
				   KEYS(INT("num_outputs", part), FLAG("bias", bias),
					WORD("activation_fn", m->activation), paleo_hf_stored(j, t),
					paleo_hf_codes(j, t), paleo_hf_shared(j)));
		if (m->is.act_numbers)
			paleo_hf_learned(j, "act_numbers", x, m->is.act_numbers);
	} else {
		const struct paleo_hf_parts both = paleo_hf_together(j, what[0], x, 2 * part, bias);
		const char *gate = sparse(j, paleo_hf_part(j, what[1], &both, 0, part));
		const char *up = paleo_hf_part(j, what[2], &both, part, part);
		x = paleo_hf_of_two(j, what[4], "silu_mul", gate, up);
		if (m->is.inner_norms)
			x = paleo_hf_norm(j, "norm_inner", x, 0);
	}
	return paleo_hf_product(j, what[3], x, m->hidden, last);
}

int paleo_hf_busy_experts(const struct paleo_hf_model *m)
{
	double part = (double)m->experts / ((double)m->experts + m->idle_experts);
	int busy = (int)(m->topk * part + 0.5);

	return busy > 0 ? busy : 1;
}

/* `x` is sent to the experts that the router selects from `from`. */
static const char *experts(struct paleo_hf_job *j, const char *x, const char *from)
{
	const struct paleo_hf_model *m = j->m;
	int bias = (m->bias & PALEO_HF_BIAS_MLP) != 0;
	const char *whole = x;
	const char *scores =
		paleo_hf_wide_product(j, "router", from, m->experts + m->idle_experts,
				      bias || (m->is.routing_bias && !m->layer[j->layer].hashed));
	if (m->idle_experts)
		scores = paleo_hf_slice(j, "scores", scores, 0, m->experts);
	if (m->latent_experts)
		x = paleo_hf_product(j, "latent_in", whole, m->latent_experts, 0);
	const char *out = paleo_hf_layer(
		j, "experts", "Experts", PARENTS(x, scores),
		KEYS(INT("experts", m->experts), INT("top", paleo_hf_busy_experts(m)),
		     INT("inner", paleo_hf_divided(m->expert_inner, j->o.experts_tp)),
		     INT("local", paleo_hf_divided(m->experts, j->o.ep)),
		     INT("groups", j->o.groups), WHERE(j->o.skew, INT("skew", j->o.skew)),
		     WHERE(m->is.plain, FLAG("gated", 0)), FLAG("bias", bias),
		     paleo_hf_stored(j, paleo_hf_type_of(j, "experts"))));
	if (m->latent_experts)
		out = paleo_hf_product(j, "latent_out", out, m->hidden, 0);
	if (!m->shared_inner)
		return out;
	const char *shared = paleo_hf_dense(j, whole, m->shared_inner, "shared_");
	if (m->is.shared_gate)
		shared = paleo_hf_gated(j, "shared_gated", shared, whole, 1);
	return paleo_hf_sum(j, "experts_sum", out, shared);
}

/* An MLP with experts in parallel, each with its own norm after it; experts have one before, too,
 * and their router another (Gemma 4). */
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
	if (!j->m->is.twice)
		return j->m->beside ? beside(j, stream, x) : experts(j, x, x);
	const char *chosen = experts(j, x, x);
	return paleo_hf_sum(j, "mlp_sum", paleo_hf_dense(j, x, l->inner, ""), chosen);
}
