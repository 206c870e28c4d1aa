/* aten_memory.c - PyTorch's ops that are bound by memory: elementwise, norms, pooling, copies. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/op/kind.h"
#include "model/record/traces/aten.h"

static int dim(double size)
{
	return size >= 1 && size <= PALEO_OP_DIM_MAX ? (int)size : 0;
}

/* Rows and columns of a tensor whose order does not matter: as few rows as columns allow. */
static void as_matrix(const struct aten_shape *s, int *rows, int *cols)
{
	double left = 1, right = paleo_aten_elements(s);

	for (int i = 0; i < s->rank && right > PALEO_OP_DIM_MAX; i++) {
		left *= s->dims[i];
		right /= s->dims[i];
	}
	*rows = dim(left);
	*cols = dim(right);
}

int paleo_aten_eltwise(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);

	out->ops[0].kind = PALEO_ELTWISE;
	out->ops[0].geom.eltwise = (struct paleo_eltwise_geom){
		.op = of->what, .inputs = 1, .count = paleo_aten_elements(&x)};
	return paleo_aten_finish(a, of->at[0], out);
}

/* Without training it does nothing. */
int paleo_aten_dropout(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	return paleo_aten_flag(a, of->at[1]) && paleo_aten_eltwise(a, of, out);
}

/* Two or three tensors; one that is repeated is small, and by a number it is like a copy. */
int paleo_aten_binary(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]),
				y = paleo_aten_shape(a, of->at[1]);
	const struct aten_shape z = paleo_aten_shape(a, of->at[2]);
	const double more = fmax(paleo_aten_elements(&x), paleo_aten_elements(&y));
	const double fewer = fmin(paleo_aten_elements(&x), paleo_aten_elements(&y));
	enum paleo_dtype first;

	if (y.rank <= 0 || x.rank <= 0)
		return paleo_aten_copy(a, of, out);
	out->ops[0].kind = PALEO_ELTWISE;
	out->ops[0].geom.eltwise = (struct paleo_eltwise_geom){
		.op = of->what,
		.inputs = 2 + (z.rank > 0),
		.count = more,
		.small = fewer > 0 && fewer < more && fmod(more, fewer) == 0 &&
					 of->what != PALEO_MAX && z.rank <= 0
				 ? fewer
				 : 0};
	return paleo_aten_finish(a, of->at[paleo_aten_dtype(a, of->at[0], &first) ? 0 : 1], out);
}

int paleo_aten_batch_norm(const struct aten_args *a, const struct aten_op *of,
			  struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]),
				w = paleo_aten_shape(a, of->at[1]);
	const int has_weight = w.rank > 0 || of->pass != PALEO_FWD;

	if (x.rank < 2)
		return 0;
	out->ops[0].kind = PALEO_NORM;
	out->ops[0].geom.norm = (struct paleo_norm_geom){
		.mode = of->what || paleo_aten_flag(a, of->at[2]) ? PALEO_BATCH_NORM
								  : PALEO_BATCH_INFERENCE,
		.n = dim(x.dims[0]),
		.c = dim(x.dims[1]),
		.h = x.rank > 2 ? dim(x.dims[2]) : 1,
		.w = x.rank > 3 ? dim(paleo_aten_product(&x, 3, x.rank)) : 1,
		.scale = has_weight,
		.shift = has_weight};
	return paleo_aten_finish(a, of->at[0], out);
}

/* The dimensions that are normalised are the last ones, as many as its shape or its weight has. */
int paleo_aten_layer_norm(const struct aten_args *a, const struct aten_op *of,
			  struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]),
				w = paleo_aten_shape(a, of->at[1]);
	const struct aten_shape bias = paleo_aten_shape(a, of->at[2]);
	const char *shape = paleo_aten_value(a, of->at[3]);
	int inner = 1;

	for (; *shape; shape++)
		inner += *shape == ',';
	inner = w.rank > 0 ? w.rank : inner;
	if (x.rank < inner)
		return 0;
	out->ops[0].kind = PALEO_NORM;
	out->ops[0].geom.norm =
		(struct paleo_norm_geom){.mode = of->what,
					 .n = dim(paleo_aten_product(&x, 0, x.rank - inner)),
					 .c = dim(paleo_aten_product(&x, x.rank - inner, x.rank)),
					 .h = 1,
					 .w = 1,
					 .scale = w.rank > 0,
					 .shift = bias.rank > 0};
	return paleo_aten_finish(a, of->at[0], out);
}

int paleo_aten_softmax(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);
	int over = -1;

	paleo_aten_numbers(a, of->at[1], 1, &over);
	over += over < 0 ? x.rank : 0;
	if (x.rank < 1 || over < 0 || over >= x.rank)
		return 0;
	out->ops[0].kind = PALEO_SOFTMAX;
	out->ops[0].geom.softmax = (struct paleo_softmax_geom){
		.rows = dim(paleo_aten_elements(&x) / x.dims[over]), .cols = dim(x.dims[over])};
	return paleo_aten_finish(a, of->at[0], out);
}

int paleo_aten_cross_entropy(const struct aten_args *a, const struct aten_op *of,
			     struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);
	const int classes = x.rank > 1 ? 1 : 0;

	if (x.rank < 1)
		return 0;
	out->ops[0].kind = PALEO_CROSS_ENTROPY;
	out->ops[0].geom.cross_entropy = (struct paleo_cross_entropy_geom){
		.rows = dim(paleo_aten_elements(&x) / x.dims[classes]),
		.cols = dim(x.dims[classes])};
	return paleo_aten_finish(a, of->at[0], out);
}

/* Pixels of a picture, which may have no batch. */
static int fill_pool(const struct aten_shape *x, int mode, struct paleo_op *op)
{
	if (x->rank != 3 && x->rank != 4)
		return 0;
	op->kind = PALEO_POOL;
	op->geom.pool = (struct paleo_pool_geom){.mode = mode,
						 .n = x->rank == 4 ? dim(x->dims[0]) : 1,
						 .c = dim(x->dims[x->rank - 3]),
						 .h = dim(x->dims[x->rank - 2]),
						 .w = dim(x->dims[x->rank - 1])};
	return 1;
}

/* What a window more, which is begun behind the last whole one, needs of padding. */
static int ceiling(int size, int pads, int window, int stride)
{
	int rest = (size + pads - window) % stride;

	return rest > 0 ? stride - rest : 0;
}

int paleo_aten_pool(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);
	struct paleo_pool_geom *g = &out->ops[0].geom.pool;
	int window[2], stride[2], pad[2] = {0, 0};

	if (!fill_pool(&x, of->what, &out->ops[0]) || !paleo_aten_numbers(a, of->at[1], 2, window))
		return 0;
	if (!paleo_aten_numbers(a, of->at[2], 2, stride))
		memcpy(stride, window, sizeof(stride));
	paleo_aten_numbers(a, of->at[3], 2, pad);
	if (stride[0] < 1 || stride[1] < 1)
		return 0;
	g->r = window[0];
	g->s = window[1];
	g->stride_h = stride[0];
	g->stride_w = stride[1];
	g->pad_t = g->pad_b = pad[0];
	g->pad_l = g->pad_r = pad[1];
	if (paleo_aten_flag(a, of->at[4])) {
		g->pad_b += ceiling(g->h, 2 * pad[0], g->r, stride[0]);
		g->pad_r += ceiling(g->w, 2 * pad[1], g->s, stride[1]);
	}
	if (of->what == PALEO_POOL_AVG && (pad[0] || pad[1]) && paleo_aten_flag(a, of->at[5]))
		g->mode = PALEO_POOL_AVG_PAD;
	return paleo_aten_finish(a, of->at[0], out);
}

/* To a size that divides the picture's; of a gradient that size is the gradient's own. */
int paleo_aten_pool_to(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]),
				dy = paleo_aten_shape(a, of->at[2]);
	struct paleo_pool_geom *g = &out->ops[0].geom.pool;
	int to[2] = {0, 0};

	if (of->pass == PALEO_FWD)
		paleo_aten_numbers(a, of->at[1], 2, to);
	for (int i = 0; of->pass != PALEO_FWD && dy.rank >= 2 && i < 2; i++)
		to[i] = dim(dy.dims[dy.rank - 2 + i]);
	if (to[0] < 1 || to[1] < 1 || !fill_pool(&x, of->what, &out->ops[0]) || g->h % to[0] ||
	    g->w % to[1])
		return 0;
	g->r = g->stride_h = g->h / to[0];
	g->s = g->stride_w = g->w / to[1];
	return paleo_aten_finish(a, of->at[0], out);
}

int paleo_aten_embedding(const struct aten_args *a, const struct aten_op *of,
			 struct paleo_aten *out)
{
	const struct aten_shape table = paleo_aten_shape(a, of->at[0]),
				rows = paleo_aten_shape(a, of->at[1]);
	int vocab = 0;

	if (table.rank < 2)
		return 0;
	if (of->pass == PALEO_FWD)
		vocab = dim(table.dims[0]);
	else
		paleo_aten_numbers(a, of->at[2], 1, &vocab);
	out->ops[0].kind = PALEO_EMBEDDING;
	out->ops[0].geom.embedding =
		(struct paleo_embedding_geom){.tokens = dim(paleo_aten_elements(&rows)),
					      .vocab = vocab,
					      .dim = dim(table.dims[table.rank - 1])};
	return paleo_aten_finish(a, of->at[0], out);
}

/* Over the listed dimensions, in any order of memory; over all without a list. */
int paleo_aten_reduce(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);
	int over[ATEN_RANK_MAX] = {0}, count = 0;
	double cols = 1;

	if (strchr(paleo_aten_value(a, of->at[1]), '[') || of->what == PALEO_REDUCE_MAX)
		for (int most = ATEN_RANK_MAX; most > 0 && !count; most--) {
			int found = paleo_aten_numbers(a, of->at[1], most, over);
			count = found == most ? found : 0;
		}
	for (int i = 0; i < count; i++) {
		int at = over[i] + (over[i] < 0 ? x.rank : 0);
		if (at < 0 || at >= x.rank)
			return 0;
		cols *= x.dims[at];
	}
	cols = count ? cols : paleo_aten_elements(&x);
	out->ops[0].kind = PALEO_REDUCE;
	out->ops[0].geom.reduce = (struct paleo_reduce_geom){
		.op = of->what, .rows = dim(paleo_aten_elements(&x) / cols), .cols = dim(cols)};
	return cols > 0 && paleo_aten_finish(a, of->at[0], out);
}

int paleo_aten_copy(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);

	out->ops[0].kind = PALEO_COPY;
	out->ops[0].geom.copy.parts = 1;
	as_matrix(&x, &out->ops[0].geom.copy.rows, &out->ops[0].geom.copy.cols);
	return paleo_aten_finish(a, of->at[0], out);
}

/* The gradient of a sum writes what it does not read, too. */
int paleo_aten_fill(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct aten_shape x = paleo_aten_shape(a, of->at[0]);

	out->ops[0].kind = PALEO_REDUCE;
	out->ops[0].pass = PALEO_BWD_DATA;
	as_matrix(&x, &out->ops[0].geom.reduce.rows, &out->ops[0].geom.reduce.cols);
	return paleo_aten_finish(a, of->at[0], out);
}

int paleo_aten_cat(const struct aten_args *a, const struct aten_op *of, struct paleo_aten *out)
{
	const struct paleo_json *list = paleo_json_first(a->dims);
	const struct aten_args parts = {.dims = list};
	int count = list && paleo_json_type(list) == PALEO_JSON_ARRAY ? paleo_json_size(list) : 0;
	struct aten_shape s = paleo_aten_shape(&parts, 0);
	int along = 0;

	paleo_aten_numbers(a, of->at[1], 1, &along);
	along += along < 0 ? s.rank : 0;
	if (s.rank < 1 || along < 0 || along >= s.rank)
		return 0;
	const double rows = paleo_aten_product(&s, 0, along);
	out->ops[0].kind = PALEO_COPY;
	out->ops[0].geom.copy =
		(struct paleo_copy_geom){.rows = dim(rows),
					 .cols = dim(paleo_aten_list_elements(a, 0) / rows),
					 .parts = count};
	return paleo_aten_finish(a, of->at[0], out);
}
