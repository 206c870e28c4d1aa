/* scan.c - writes a layer's scan or short convolution with its projections. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transformer/write.h"

/* This worker's part of a scan: heads are divided, and groups as far as they go. */
struct part {
	int heads, groups, values, keys;
};

static struct part part_of(const struct paleo_hf_job *j)
{
	const struct paleo_hf_scan *s = &j->m->scan;
	int heads = s->heads / j->o.tp, groups = s->groups / j->o.tp;

	groups = groups ? groups : 1;
	return (struct part){heads, groups, heads * s->v, groups * s->qk};
}

static int has(const struct paleo_hf_job *j, int bias)
{
	return (j->m->bias & bias) != 0;
}

static const char *convolve(struct paleo_hf_job *j, const char *x, int act)
{
	return paleo_hf_layer(j, "conv", "CausalConvolution", PARENTS(x),
			      KEYS(INT("taps", j->m->scan.taps),
				   FLAG("bias", has(j, PALEO_HF_BIAS_CONV)),
				   WHERE(act, WORD("activation_fn", "silu")),
				   WHERE(j->o.phase != PALEO_HF_TRAIN, FLAG("cache", 1))));
}

static const char *scan(struct paleo_hf_job *j, const char *rule, const struct part *p,
			const char *const *parents)
{
	const struct paleo_hf_scan *s = &j->m->scan;
	int cache = j->o.phase != PALEO_HF_TRAIN;

	return paleo_hf_layer(
		j, "scan", "Scan", parents,
		KEYS(WORD("rule", rule), INT("heads", p->heads), INT("groups", p->groups),
		     INT("qk", s->qk), INT("v", s->v), WHERE(s->chunk, INT("chunk", s->chunk)),
		     WHERE(cache, FLAG("cache", 1)),
		     WHERE(cache, WORD("cache_type", paleo_dtype_name(j->m->state)))));
}

static const char *norm(struct paleo_hf_job *j, const char *what, const char *x, int heads)
{
	return paleo_hf_rms_norm(j, what, x, heads, !j->m->is.fixed_norms);
}

static const char *out_of(struct paleo_hf_job *j, const char *x)
{
	return paleo_hf_product(j, "scan_project", x, j->m->hidden, has(j, PALEO_HF_BIAS_SCAN));
}

/* Mamba 2 (Dao, Gu 2024): the gate comes before the norm. */
static const char *mamba2(struct paleo_hf_job *j, const char *x)
{
	const struct part p = part_of(j);
	int mixed = p.values + 2 * p.keys;
	const struct paleo_hf_parts in = paleo_hf_together(j, "in", x, p.values + mixed + p.heads,
							   has(j, PALEO_HF_BIAS_SCAN));
	const char *z = paleo_hf_part(j, "z", &in, 0, p.values);
	const char *conv = convolve(j, paleo_hf_part(j, "mixed", &in, p.values, mixed), 1);
	const char *gates = paleo_hf_part(j, "gates", &in, p.values + mixed, p.heads);

	x = scan(j, "ssd", &p, PARENTS(conv, gates));
	x = paleo_hf_of_two(j, "scan_gated", "silu_mul", z, x);
	if (j->m->scan.norm)
		x = norm(j, "scan_norm", x, 1);
	return out_of(j, x);
}

/* Mamba 1 (Gu, Dao 2023); d has a low-rank projection. Its bias is the scan's. */
static const char *mamba1(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_scan *s = &j->m->scan;
	const struct part p = part_of(j);
	int norms = j->m->is.rule == PALEO_HF_MAMBA1_NORMS;
	const struct paleo_hf_parts in =
		paleo_hf_together(j, "in", x, 2 * p.values, has(j, PALEO_HF_BIAS_SCAN));
	const char *conv = convolve(j, paleo_hf_part(j, "mixed", &in, 0, p.values), 1);
	const char *z = paleo_hf_part(j, "z", &in, p.values, p.values);
	const struct paleo_hf_parts from =
		paleo_hf_together(j, "keys", conv, s->rank + 2 * s->qk, 0);
	const char *d = paleo_hf_part(j, "d", &from, 0, s->rank);
	const char *k = paleo_hf_part(j, "k", &from, s->rank, s->qk);
	const char *q = paleo_hf_part(j, "q", &from, s->rank + s->qk, s->qk);

	if (norms) {
		d = norm(j, "d_norm", d, 1);
		k = norm(j, "k_norm", k, 1);
		q = norm(j, "q_norm", q, 1);
	}
	d = paleo_hf_product(j, "gates", d, p.values, 0);
	x = scan(j, "selective", &p, PARENTS(q, k, conv, d));
	return out_of(j, paleo_hf_of_two(j, "scan_gated", "silu_mul", z, x));
}

/* Gated delta rule (Yang, Kautz, Hatamizadeh 2025): the gate comes behind the norm of each head. */
static const char *delta(struct paleo_hf_job *j, const char *x)
{
	const struct part p = part_of(j);
	int mixed = 2 * p.keys + p.values;
	const struct paleo_hf_parts in =
		paleo_hf_together(j, "in", x, mixed + p.values + 2 * p.heads, 0);
	const char *conv = convolve(j, paleo_hf_part(j, "mixed", &in, 0, mixed), 1);
	const char *z = paleo_hf_part(j, "z", &in, mixed, p.values);
	const char *gates = paleo_hf_part(j, "gates", &in, mixed + p.values, 2 * p.heads);

	x = scan(j, "delta", &p, PARENTS(conv, gates));
	x = norm(j, "scan_norm", x, p.heads);
	return out_of(j, paleo_hf_of_two(j, "scan_gated", "silu_mul", z, x));
}

/* Kimi's delta attention (Kimi team 2025): decays and gate go through fewer numbers first. */
static const char *kda(struct paleo_hf_job *j, const char *x)
{
	const struct paleo_hf_scan *s = &j->m->scan;
	const struct part p = part_of(j);
	int mixed = 2 * p.keys + p.values;
	const struct paleo_hf_parts in =
		paleo_hf_together(j, "in", x, mixed + 2 * s->v + p.heads, 0);
	const char *conv = convolve(j, paleo_hf_part(j, "mixed", &in, 0, mixed), 1);
	const char *f = paleo_hf_part(j, "f", &in, mixed, s->v);
	const char *g = paleo_hf_part(j, "g", &in, mixed + s->v, s->v);
	const char *b = paleo_hf_part(j, "b", &in, mixed + 2 * s->v, p.heads);

	f = paleo_hf_product(j, "decays", f, p.keys, 0);
	x = scan(j, "kda", &p, PARENTS(conv, f, b));
	x = norm(j, "scan_norm", x, p.heads);
	g = paleo_hf_product(j, "scan_gate", g, p.values, 0);
	const char *by = paleo_hf_layer(j, "scan_gate_by", "Sigmoid", PARENTS(g), NULL);
	return out_of(j, paleo_hf_of_two(j, "scan_gated", "mul", x, by));
}

/* LFM2's (Liquid AI 2025): a gate before the convolution, and one behind it. */
static const char *short_conv(struct paleo_hf_job *j, const char *x)
{
	int width = j->m->hidden / j->o.tp;
	const struct paleo_hf_parts in =
		paleo_hf_together(j, "in", x, 3 * width, has(j, PALEO_HF_BIAS_SCAN));
	const char *before = paleo_hf_part(j, "gate_in", &in, 0, width);
	const char *behind = paleo_hf_part(j, "gate_out", &in, width, width);
	const char *values = paleo_hf_part(j, "values", &in, 2 * width, width);

	x = convolve(j, paleo_hf_of_two(j, "gated_in", "mul", before, values), 0);
	return out_of(j, paleo_hf_of_two(j, "gated_out", "mul", behind, x));
}

const char *paleo_hf_scan(struct paleo_hf_job *j, const char *x)
{
	switch (j->m->is.rule) {
	case PALEO_HF_MAMBA2:
		return mamba2(j, x);
	case PALEO_HF_MAMBA1:
	case PALEO_HF_MAMBA1_NORMS:
		return mamba1(j, x);
	case PALEO_HF_DELTA:
		return delta(j, x);
	case PALEO_HF_KDA:
		return kda(j, x);
	case PALEO_HF_SHORT_CONV:
		return short_conv(j, x);
	case PALEO_HF_NO_RULE:
		break;
	}
	return x;
}
