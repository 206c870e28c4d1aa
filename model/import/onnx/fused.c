/* fused.c - Attention and RotaryEmbedding, which are operators of their own since opset 23. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/products.h"
#include "model/import/onnx/turn.h"

/* Heads of an operand [N, heads, T, numbers], or by an attribute of [N, T, all]. 0: none. */
static int heads_of(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    const struct paleo_onnx_value *v, const char *attribute)
{
	const int given = (int)paleo_onnx_int(n, attribute, 0);

	if (v->rank == 4)
		return paleo_onnx_heads_in(job, v);
	return v->rank == 3 && given > 0 && paleo_onnx_axis_is(job, v, 2, ONNX_C) &&
			       job->layers[v->view.layer].out.c % given == 0
		       ? given
		       : 0;
}

int paleo_onnx_op_attention(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	static const char *const attributes[] = {"q_num_heads", "kv_num_heads", "kv_num_heads"};
	struct paleo_onnx_value x[3];
	int parents[3], heads[3];

	if (paleo_onnx_span_is(n->domain, "com.microsoft"))
		return paleo_onnx_op_packed_heads(job, n, err);
	const int past = paleo_onnx_past(job, n, 4);
	if (past < 0)
		return paleo_onnx_refuse(job, n, "with a cache of another form", err);
	for (int i = 0; i < 3; i++) {
		int rc = paleo_onnx_repeated(job, n, i, &x[i], err);
		if (rc)
			return rc < 0 ? rc : PALEO_OK;
		parents[i] = x[i].view.layer;
		heads[i] = heads_of(job, n, &x[i], attributes[i]);
	}
	if (!heads[0] || !heads[1] || heads[1] != heads[2] || heads[0] % heads[1] ||
	    x[0].rank != x[2].rank)
		return paleo_onnx_refuse(job, n, "of what are no heads", err);
	const struct paleo_onnx_heads h = {.heads = heads[0],
					   .kv_heads = heads[1],
					   .windows = 1,
					   .past = past,
					   .causal = paleo_onnx_int(n, "is_causal", 0) != 0};
	int layer = paleo_onnx_add_attention(job, n, parents, &h, err);
	if (layer < 0)
		return layer;
	struct paleo_onnx_value made = x[0];
	const int last = made.rank - 1, per_head = job->layers[parents[2]].out.c / heads[1];
	job->layers[layer].out.c = per_head * heads[0];
	made.dims[last] = made.rank == 4 ? per_head : per_head * heads[0];
	int first, count;
	paleo_onnx_view_axis(&x[0], last, &first, &count);
	if (count == 1)
		made.view.atoms[first].size = (int)made.dims[last];
	paleo_onnx_on_layer(&made, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}

int paleo_onnx_op_rotary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	struct paleo_onnx_value x;
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int heads = heads_of(job, n, &x, "num_heads");
	if (!heads)
		return paleo_onnx_refuse(job, n, "of what are no heads", err);
	const int all = job->layers[x.view.layer].out.c / heads,
		  part = (int)paleo_onnx_int(n, "rotary_embedding_dim", 0);
	int layer = paleo_onnx_add_layer(job, n, "Rope", &x.view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "heads", heads);
	paleo_onnx_put_int(job, "rope", part > 0 && part < all ? part : all);
	paleo_onnx_on_layer(&x, layer, paleo_onnx_out(job, n, 0));
	return PALEO_OK;
}
