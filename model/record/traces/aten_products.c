/* aten_products.c - PyTorch's convolutions, GEMMs and attention. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#include "model/record/traces/aten.h"

/* As an op's dimension; 0, which no op has, where it is too large. */
static int dim(double size)
{
	return size >= 1 && size <= INT_MAX ? (int)size : 0;
}

/* Where a convolution's arguments are. */
enum {
	CONV_X,
	CONV_W,
	CONV_BIAS, /* of a gradient, which of them are wanted */
	CONV_STRIDE,
	CONV_PAD,
	CONV_DIL,
	CONV_GROUPS,
	CONV_TRANSPOSED
};

/* Output pixels of pictures are the same as rows: a picture of height 1. */
static int fill_image(const struct aten_shape *x, const struct aten_shape *w,
		      struct paleo_conv_geom *g)
{
	const int flat = w->rank == 3, batched = x->rank == w->rank;

	if ((w->rank != 3 && w->rank != 4) || x->rank < w->rank - 1 || x->rank > w->rank)
		return 0;
	g->n = batched ? dim(x->dims[0]) : 1;
	g->c = dim(x->dims[batched]);
	g->h = flat ? 1 : dim(x->dims[batched + 1]);
	g->w = dim(x->dims[x->rank - 1]);
	g->k = dim(w->dims[0]);
	g->r = flat ? 1 : dim(w->dims[2]);
	g->s = dim(w->dims[w->rank - 1]);
	return 1;
}

/* Padding by its name; else by numbers. */
static int fill_pads(const struct aten_args *a, const int *at, int flat, struct paleo_conv_geom *g)
{
	const char *word = paleo_aten_value(a, at[CONV_PAD]);
	int pad[2] = {0, 0};

	if (strstr(word, "same")) {
		int rows = g->dil_h * (g->r - 1), cols = g->dil_w * (g->s - 1);
		g->pad_t = rows / 2;
		g->pad_b = rows - rows / 2;
		g->pad_l = cols / 2;
		g->pad_r = cols - cols / 2;
		return 1;
	}
	if (!strstr(word, "valid") && !paleo_aten_numbers(a, at[CONV_PAD], 2, pad))
		return 0;
	g->pad_t = g->pad_b = flat ? 0 : pad[0];
	g->pad_l = g->pad_r = pad[1];
	return 1;
}

static int fill_conv(const struct aten_args *a, const int *at, const struct aten_shape *x,
		     struct paleo_op *op)
{
	const struct aten_shape w = paleo_aten_shape(a, at[CONV_W]);
	struct paleo_conv_geom *g = &op->geom.conv;
	int stride[2], dil[2] = {1, 1}, groups = 1, flat = w.rank == 3;

	op->kind = PALEO_CONV;
	if (!fill_image(x, &w, g) || !paleo_aten_numbers(a, at[CONV_STRIDE], 2, stride))
		return 0;
	paleo_aten_numbers(a, at[CONV_DIL], 2, dil);
	paleo_aten_numbers(a, at[CONV_GROUPS], 1, &groups);
	g->stride_h = flat ? 1 : stride[0];
	g->stride_w = stride[1];
	g->dil_h = flat ? 1 : dil[0];
	g->dil_w = dil[1];
	g->groups = groups;
	return fill_pads(a, at, flat, g);
}

/* A transposed convolution is the gradient of one from its output to its input. */
static void transpose(struct paleo_op *op, const struct aten_shape *w)
{
	struct paleo_conv_geom *g = &op->geom.conv;

	op->pass = op->pass == PALEO_FWD ? PALEO_BWD_DATA : PALEO_FWD;
	g->k = g->c;
	g->c = dim(w->dims[1]) * g->groups;
	g->h = (g->h - 1) * g->stride_h - g->pad_t - g->pad_b + g->dil_h * (g->r - 1) + 1;
	g->w = (g->w - 1) * g->stride_w - g->pad_l - g->pad_r + g->dil_w * (g->s - 1) + 1;
	g->bias = 0;
}

int paleo_aten_conv(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[CONV_X]),
				w = paleo_aten_shape(a, of->at[CONV_W]);
	const struct aten_shape bias = paleo_aten_shape(a, of->at[CONV_BIAS]);

	if (!a->values || paleo_json_type(a->values) != PALEO_JSON_ARRAY) {
		out->why = "no 'Concrete Inputs': they need PyTorch 2.1 or later";
		return 0;
	}
	if (!fill_conv(a, of->at, &x, &out->ops[0]))
		return 0;
	out->ops[0].geom.conv.bias = bias.rank > 0;
	if (of->what || paleo_aten_flag(a, of->at[CONV_TRANSPOSED]))
		transpose(&out->ops[0], &w);
	if (strstr(of->name, "relu"))
		out->ops[0].geom.conv.act = 1 + PALEO_RELU;
	return paleo_aten_finish(a, of->at[CONV_X], out);
}

/* Both gradients, or the one that is wanted: "[True, True, False]" of data, filter, bias. */
int paleo_aten_conv_backward(const struct aten_args *a, const struct aten_op *of,
			     struct paleo_aten *out)
{
	const int *at = of->at;
	/* as paleo_aten_conv() has them */
	const int places[] = {at[1], at[2], -1, at[4], at[5], at[6], at[7], -1};
	const struct aten_shape x = paleo_aten_shape(a, at[1]), w = paleo_aten_shape(a, at[2]);
	const char *mask = paleo_aten_value(a, at[3]), *second = strchr(mask, ',');
	const int data = !strncmp(mask, "[True", 5),
		  filter = second && !strncmp(second, ", True", 6);
	struct paleo_error ignored;

	if (!fill_conv(a, places, &x, &out->ops[0]) || (!data && !filter))
		return 0;
	if (paleo_aten_flag(a, at[6] + 1))
		transpose(&out->ops[0], &w);
	out->ops[1] = out->ops[0];
	out->ops[1].pass = PALEO_BWD_FILTER;
	out->ops[1].geom.conv.bias =
		!paleo_aten_flag(a, at[6] + 1) && strstr(mask, "True]") != NULL;
	if (!data)
		out->ops[0] = out->ops[1];
	if (!paleo_aten_finish(a, at[1], out) || !data || !filter)
		return out->count;
	out->ops[1].dtype = out->ops[0].dtype;
	out->ops[1].layout = out->ops[0].layout;
	out->count = paleo_op_finish(&out->ops[1], &ignored) ? 1 : 2;
	return 1;
}

int paleo_aten_linear(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]),
				w = paleo_aten_shape(a, of->at[1]);
	const struct aten_shape bias = paleo_aten_shape(a, of->at[2]);
	struct paleo_gemm_geom *g = &out->ops[0].geom.gemm;

	if (x.rank < 1 || w.rank != 2)
		return 0;
	out->ops[0].kind = PALEO_GEMM;
	*g = (struct paleo_gemm_geom){.m = dim(paleo_aten_product(&x, 0, x.rank - 1)),
				      .n = dim(w.dims[0]),
				      .k = dim(w.dims[1]),
				      .batch = 1,
				      .trans_b = 1,
				      .bias = bias.rank > 0};
	return paleo_aten_finish(a, of->at[0], out);
}

/* Autograd calls one GEMM for the gradient of the input, and one, whose first operand is turned,
 * for that of the weights. */
static enum paleo_pass gemm_pass(const struct aten_args *a, int first_is_turned)
{
	if (!a->in_backward)
		return PALEO_FWD;
	return first_is_turned ? PALEO_BWD_FILTER : PALEO_BWD_DATA;
}

int paleo_aten_mm(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]),
				y = paleo_aten_shape(a, of->at[1]);
	const struct aten_shape bias = paleo_aten_shape(a, of->at[2]);
	struct paleo_gemm_geom *g = &out->ops[0].geom.gemm;
	const int r = x.rank;

	if ((r != 2 && r != 3) || (y.rank != r && y.rank != 1))
		return 0;
	out->ops[0].kind = PALEO_GEMM;
	*g = (struct paleo_gemm_geom){.m = dim(x.dims[r - 2]),
				      .n = y.rank == 1 ? 1 : dim(y.dims[r - 1]),
				      .k = dim(x.dims[r - 1]),
				      .batch = r == 3 ? dim(x.dims[0]) : 1,
				      .trans_a = paleo_aten_is_turned(a, of->at[0]),
				      .trans_b = paleo_aten_is_turned(a, of->at[1])};
	out->ops[0].pass = gemm_pass(a, g->trans_a);
	g->bias = bias.rank > 0 && g->batch == 1 && out->ops[0].pass == PALEO_FWD;
	g->codes = !strcmp(of->name, "_scaled_mm");
	return paleo_aten_finish(a, of->at[0], out);
}

int paleo_aten_attention(const struct aten_args *a, const struct aten_op *of,
			 struct paleo_aten *out)
{
	const struct aten_shape q = paleo_aten_shape(a, of->at[0]),
				k = paleo_aten_shape(a, of->at[1]);
	const struct aten_shape v = paleo_aten_shape(a, of->at[2]);
	struct paleo_attention_geom *g = &out->ops[0].geom.attention;
	const int r = q.rank, token = of->what ? 1 : r - 2, head = of->what ? 2 : 1;

	if ((r != 4 && (r != 3 || of->what)) || k.rank != r || v.rank != r)
		return 0;
	out->ops[0].kind = PALEO_ATTENTION;
	*g = (struct paleo_attention_geom){.batch = dim(q.dims[0]),
					   .q = dim(q.dims[token]),
					   .keys = dim(k.dims[token]),
					   .heads = r == 4 ? dim(q.dims[head]) : 1,
					   .kv_heads = r == 4 ? dim(k.dims[head]) : 1,
					   .qk = dim(q.dims[r - 1]),
					   .v = dim(v.dims[r - 1]),
					   .causal = paleo_aten_flag(a, of->at[3])};
	return paleo_aten_finish(a, of->at[0], out);
}
