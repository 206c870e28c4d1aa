/* experts.c - MoE and QMoE, mixtures of experts as ONNX Runtime has them (domain com.microsoft). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/products.h"
#include "model/net/layers/common.h"

/* Which inputs are of the first, the second and the third product. */
struct inputs {
	int weights[3], biases[3];
};

/* Weights of a product, also of a few bits, of which a byte may hold several. */
static double numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input,
		      int bits)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, input);
	const int packed = v && v->type == ONNX_UINT8 && bits == 4 ? 2 : 1;

	return v ? paleo_onnx_count(v) * packed : 0;
}

static int tokens_and_scores(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			     struct paleo_onnx_value x[2], struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < 2 && !rc; i++) {
		rc = paleo_onnx_tensor(job, n, i, &x[i], err);
		if (!rc)
			rc = paleo_onnx_lay(job, n, &x[i], x[i].rank - 1, x[i].rank - 1, err);
	}
	if (rc < 0)
		return rc;
	const struct paleo_shape *s = &job->layers[x[0].view.layer].out,
				 *t = &job->layers[x[1].view.layer].out;
	if (!rc && s->rank == 3 && t->rank == 3 && s->n == t->n && s->h == t->h)
		return PALEO_OK;
	rc = paleo_onnx_refuse(job, n, "of tokens and scores that do not fit", err);
	return rc ? rc : 1;
}

int paleo_onnx_op_experts(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_error *err)
{
	static const struct inputs plain = {{2, 4, 6}, {3, 5, 7}}, few = {{2, 5, 8}, {4, 7, 10}};
	const int quantised = paleo_onnx_span_is(n->type, "QMoE"),
		  bits = quantised ? (int)paleo_onnx_int(n, "expert_weight_bits", 4) : 0,
		  top = (int)paleo_onnx_int(n, "k", 1);
	const struct inputs *in = quantised ? &few : &plain;
	struct paleo_onnx_value x[2];
	int rc = tokens_and_scores(job, n, x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const double hidden = job->layers[x[0].view.layer].out.c,
		     experts = job->layers[x[1].view.layer].out.c,
		     first = numbers(job, n, in->weights[0], bits),
		     second = numbers(job, n, in->weights[1], bits),
		     inner = second / experts / hidden;
	const int third = numbers(job, n, in->weights[2], bits) == second,
		  gated = third || first == 2 * second;
	const int bias = paleo_onnx_in(job, n, in->biases[0]) != NULL;
	if (!(inner >= 1 && inner <= PALEO_DIM_MAX) || fmod(inner, 1) != 0 || top < 1 ||
	    top > experts || first != (gated && !third ? 2 : 1) * second ||
	    bias != (paleo_onnx_in(job, n, in->biases[1]) != NULL))
		return paleo_onnx_refuse(job, n, "of experts of another form", err);
	const int parents[2] = {x[0].view.layer, x[1].view.layer};
	int layer = paleo_onnx_add_layer(job, n, "Experts", parents, 2);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "experts", (int)experts);
	paleo_onnx_put_int(job, "top", top);
	paleo_onnx_put_int(job, "inner", (int)inner);
	paleo_onnx_put_flag(job, "gated", gated);
	paleo_onnx_put_flag(job, "bias", bias);
	if (quantised)
		paleo_onnx_put_word(job, "weights",
				    paleo_onnx_stored(bits, paleo_onnx_int(n, "block_size", 128)));
	paleo_onnx_on_layer(&x[0], layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}
