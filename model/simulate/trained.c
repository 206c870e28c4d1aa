/* trained.c - the time of an op as a training step runs it: narrow gradients, experts, power. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/simulate/sim_parts.h"

/* The gradients of narrow weights are GEMMs of operands as narrow: they take the time of a forward
 * GEMM of the same size, with A quantised and both stored along the sum (Micikevicius et al. 2022,
 * arXiv 2209.05433; NVIDIA's Transformer Engine). */
static void narrow_down(struct paleo_op *w, const struct paleo_weight_type *type)
{
	int of_weights = w->pass == PALEO_BWD_FILTER;

	if (w->pass == PALEO_FWD || !(type->dtype || type->stored))
		return;
	w->pass = PALEO_FWD;
	if (type->dtype)
		w->dtype = (enum paleo_dtype)(type->dtype - 1);
	if (w->kind == PALEO_MOE) {
		w->geom.moe.stored = type->stored;
		return;
	}
	w->geom.gemm.stored = type->stored;
	w->geom.gemm.trans_a = w->geom.gemm.bias = w->geom.gemm.act = 0;
	w->geom.gemm.trans_b = 1;
	w->geom.gemm.codes = of_weights && paleo_gemm_quantises(w);
}

/* A worker routes its own tokens and is sent the pairs of its experts. Tables of servers count the
 * tokens of all workers, of which each picks its own. */
static void take_own_tokens(struct paleo_op *w)
{
	struct paleo_moe_geom *g = &w->geom.moe;
	double pairs = paleo_moe_pairs(g);

	if (w->kind != PALEO_MOE || g->local == g->experts)
		return;
	g->experts = g->local;
	g->topk = g->topk < g->local ? g->topk : g->local;
	g->tokens = (int)fmax(1, ceil(pairs / g->topk));
}

static int is_product(const struct paleo_op *w)
{
	return w->kind == PALEO_GEMM || w->kind == PALEO_CONV || w->kind == PALEO_MOE ||
	       w->kind == PALEO_ATTENTION;
}

/* 1 for a net of sequences: those of images are priced as their ops were timed. */
static int has_tokens(const struct paleo_sim_config *c)
{
	return c->net->layers[0]->out.rank < 4;
}

/* Slowdown of an op that computes by the power limit: its rate was timed in bursts. */
static double slowdown(const struct paleo_sim *sim, const struct paleo_op *w)
{
	const struct paleo_device *d = sim->config.device;

	if (!d || !has_tokens(&sim->config) || !is_product(w) ||
	    w->flops * d->mem_bytes_per_s <
		    (w->read_bytes + w->write_bytes) * paleo_device_peak(d, w))
		return 1;
	return 1 / sim->sustained;
}

/*
 * Factors on ops as PyTorch runs them, over the kernels that tables were timed with. Attention: its
 * FlashAttention 2 uses nothing that came with Hopper, where FlashAttention 3 is 1.5 to 2 times as
 * fast (Shah et al. 2024, arXiv 2407.08608). The values are fitted to published steps of some
 * models and judged by others (docs/method/training.md).
 */
static const double attention_before_hopper = 1.5, attention_since_hopper = 2.6, eager_rest = 1.55;

/* Over a scan of a server's prefill, of which there are tables: fitted likewise, to two nets. */
static const double trained_scan = 4;

static double of_framework(const struct paleo_sim_config *c, const struct paleo_op *w)
{
	int on_gpu = c->device && !c->device->is_processor;

	if (!on_gpu || !has_tokens(c))
		return c->factor > 0 ? c->factor : 1;
	if (w->kind == PALEO_SCAN || w->kind == PALEO_CAUSAL_CONV)
		return trained_scan;
	if (!c->framework)
		return 1;
	if (w->kind == PALEO_ATTENTION)
		return c->device->compute_capability >= 90 ? attention_since_hopper
							   : attention_before_hopper;
	return c->framework == PALEO_FRAMEWORK_EAGER && !is_product(w) ? eager_rest : 1;
}

/* An op of a training step that is priced as it is, with what its regime and framework add. */
static int priced(struct paleo_sim *sim, struct paleo_op *w, double *sum, struct paleo_error *err)
{
	double time = 0;

	PALEO_TRY(paleo_op_finish(w, err));
	PALEO_TRY(paleo_sim_op_s(sim, w, &time, err));
	*sum += time * slowdown(sim, w) * of_framework(&sim->config, w);
	return PALEO_OK;
}

/* A count as a dimension; one that is too large for any is refused with the op. */
static int dimension(double count)
{
	return (int)fmin(1 << 30, fmax(1, ceil(count)));
}

/* The GEMMs of all experts of a worker as one, which has their tiles: `o` outputs of `i` inputs. */
static struct paleo_op grouped(const struct paleo_op *w, int o, int i,
			       const struct paleo_weight_type *narrow)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	int all = dimension(paleo_moe_pairs(g)), each = dimension((double)all / g->local);
	struct paleo_op op = {.kind = PALEO_GEMM, .pass = w->pass, .dtype = w->dtype};

	if (w->pass == PALEO_FWD)
		op.geom.gemm = (struct paleo_gemm_geom){
			.m = all, .n = o, .k = i, .trans_b = 1, .stored = w->geom.moe.stored};
	else if (w->pass == PALEO_BWD_DATA)
		op.geom.gemm = (struct paleo_gemm_geom){.m = all, .n = i, .k = o};
	else
		op.geom.gemm = (struct paleo_gemm_geom){
			.m = dimension((double)o * g->local), .n = i, .k = each, .trans_a = 1};
	op.geom.gemm.batch = 1;
	narrow_down(&op, narrow);
	return op;
}

/*
 * Experts as training runs them: grouped GEMMs at the rate of others, as they have thousands of
 * tokens each; the activation; and tokens that are sorted by expert and back.
 */
static int experts_s(struct paleo_sim *sim, const struct paleo_op *w,
		     const struct paleo_weight_type *narrow, double *out, struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &w->geom.moe;
	enum paleo_dtype wide = paleo_dtype_wide(w->dtype);
	int pairs = dimension(paleo_moe_pairs(g));
	struct paleo_op first = grouped(w, (g->gated ? 2 : 1) * g->inter, g->hidden, narrow),
			second = grouped(w, g->hidden, g->inter, narrow),
			act = {.kind = PALEO_ELTWISE,
			       .pass = w->pass,
			       .dtype = wide,
			       .geom.eltwise = {.op = g->gated ? PALEO_SILU_MUL : PALEO_RELU,
						.inputs = g->gated ? 2 : 1,
						.count = (double)pairs * g->inter}},
			sort = {.kind = PALEO_COPY,
				.dtype = wide,
				.geom.copy = {.rows = dimension(2.0 * pairs),
					      .cols = g->hidden,
					      .parts = 1}};

	PALEO_TRY(priced(sim, &first, out, err));
	PALEO_TRY(priced(sim, &second, out, err));
	if (w->pass == PALEO_BWD_FILTER)
		return PALEO_OK;
	PALEO_TRY(priced(sim, &act, out, err));
	return priced(sim, &sort, out, err);
}

/* The sum of what a kernel gives and what those before it gave. */
static int add_up(struct paleo_sim *sim, const struct paleo_op *w, double count, double *sum,
		  struct paleo_error *err)
{
	struct paleo_op add = {
		.kind = PALEO_ELTWISE, .dtype = w->dtype, .geom.eltwise = {PALEO_ADD, 2, count, 0}};

	return priced(sim, &add, sum, err);
}

int paleo_trained_ring_s(struct paleo_sim *sim, const struct paleo_op *w, int cp, double *out,
			 struct paleo_error *err)
{
	const struct paleo_attention_geom *g = &w->geom.attention;
	const double outputs = (double)g->batch * g->q / cp * g->heads * g->v,
		     queries = (double)g->batch * g->q / cp * g->heads * g->qk,
		     keys = (double)g->batch * g->keys / cp * g->kv_heads * (g->qk + g->v);
	struct paleo_op own = *w;
	double sums = 0;

	own.geom.attention.q = g->q / cp;
	own.geom.attention.keys = g->keys / cp;
	*out = 0;
	PALEO_TRY(priced(sim, &own, out, err));
	PALEO_TRY(add_up(sim, w, w->pass == PALEO_FWD ? outputs : queries + keys, &sums, err));
	*out = cp * *out + (cp - 1) * sums;
	return PALEO_OK;
}

int paleo_trained_op_s(struct paleo_sim *sim, const struct paleo_op *w,
		       const struct paleo_weight_type *narrow, double *out, struct paleo_error *err)
{
	struct paleo_op as = *w;

	*out = 0;
	if (w->kind == PALEO_MOE && sim->config.device && !sim->config.device->is_processor)
		return experts_s(sim, w, narrow, out, err);
	narrow_down(&as, narrow);
	take_own_tokens(&as);
	return priced(sim, &as, out, err);
}
