/* attention.c - attention and its gradients as cuDNN graphs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/backends/cuda/graph/graph.h"

/*
 * Dimensions are [batch, heads, rows, columns]; in memory a row of all heads lies
 * together. Scores, their softmax and their gradients are values between operations:
 * cuDNN has an engine for the whole graph, or none.
 */
struct attention {
	struct paleo_cudnn_graph *graph;
	const struct paleo_attention_geom *geom;
	cudnnDataType_t type; /* of queries, keys, values and results */
	int64_t seen;         /* keys that any query sees */
	int64_t scores[4];    /* [batch, heads, q, seen] */
	int64_t rows[4];      /* [batch, heads, q, 1] */
	cudnnBackendDescriptor_t scale;
};

/* Transposition of the keys and the values: cuDNN requires GEMMs of rows by columns. */
enum turn {
	AS_IT_IS,
	TURNED
};

static struct attention begin(struct paleo_cudnn_graph *g, const struct paleo_op *w)
{
	const struct paleo_attention_geom *a = &w->geom.attention;
	const int64_t seen = paleo_attention_seen(a);

	return (struct attention){
		.graph = g,
		.geom = a,
		.type = paleo_cudnn_graph_type(w->dtype),
		.seen = seen,
		.scores = {a->batch, a->heads, a->q, seen},
		.rows = {a->batch, a->heads, a->q, 1},
		.scale = paleo_cudnn_graph_real(g, (float)(1 / sqrt(a->qk))),
	};
}

/* The dimensions and distances of [batch, rows, heads, width] in memory. */
static void place(int64_t batch, int64_t rows, int64_t heads, int64_t width, enum turn turn,
		  int64_t dims[4], int64_t strides[4])
{
	const int64_t own_dims[4] = {batch, heads, turn ? width : rows, turn ? rows : width};
	const int64_t step = heads * width;
	const int64_t own_strides[4] = {rows * step, width, turn ? 1 : step, turn ? step : 1};

	for (int i = 0; i < 4; i++) {
		dims[i] = own_dims[i];
		strides[i] = own_strides[i];
	}
}

/* Rows of the queries: x, y and their gradients. */
static cudnnBackendDescriptor_t of_queries(const struct attention *t, enum paleo_role role,
					   int width)
{
	int64_t dims[4], strides[4];

	place(t->geom->batch, t->geom->q, t->geom->heads, width, AS_IT_IS, dims, strides);
	return paleo_cudnn_graph_strided(t->graph, paleo_graph_uid(role), t->type, dims, strides);
}

/* Operand that has the keys, old and new. */
static enum paleo_role role_of_keys(const struct paleo_attention_geom *a)
{
	return a->cache ? PALEO_DK : PALEO_K;
}

/* Rows of the keys: k, v and their gradients. */
static cudnnBackendDescriptor_t of_keys(const struct attention *t, enum paleo_role role, int width,
					enum turn turn)
{
	int64_t dims[4], strides[4];

	place(t->geom->batch, t->seen, t->geom->kv_heads, width, turn, dims, strides);
	return paleo_cudnn_graph_strided(t->graph, paleo_graph_uid(role), t->type, dims, strides);
}

/* The values; latent ones are the first numbers of each key. */
static cudnnBackendDescriptor_t of_values(const struct attention *t)
{
	const struct paleo_attention_geom *a = t->geom;
	int64_t dims[4], strides[4];

	if (!a->latent)
		return of_keys(t, a->cache ? PALEO_DV : PALEO_V, a->v, AS_IT_IS);
	place(a->batch, t->seen, a->kv_heads, a->qk, AS_IT_IS, dims, strides);
	dims[3] = a->v;
	return paleo_cudnn_graph_strided(t->graph,
					 PALEO_UID_AGAIN + paleo_graph_uid(role_of_keys(a)),
					 t->type, dims, strides);
}

static cudnnBackendDescriptor_t score(const struct attention *t)
{
	return paleo_cudnn_graph_between(t->graph, CUDNN_DATA_FLOAT, t->scores);
}

static cudnnBackendDescriptor_t row(const struct attention *t)
{
	return paleo_cudnn_graph_between(t->graph, CUDNN_DATA_FLOAT, t->rows);
}

static cudnnBackendDescriptor_t whole(const struct attention *t)
{
	return paleo_cudnn_graph_between(t->graph, CUDNN_DATA_INT32, t->scores);
}

static cudnnBackendDescriptor_t point(const struct attention *t, cudnnPointwiseMode_t mode,
				      cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b)
{
	cudnnBackendDescriptor_t y = score(t);

	paleo_graph_point(t->graph, mode, x, b, y);
	return y;
}

static cudnnBackendDescriptor_t sum_whole(const struct attention *t, cudnnBackendDescriptor_t x,
					  int64_t more)
{
	cudnnBackendDescriptor_t y = whole(t);

	paleo_graph_point_whole(t->graph, CUDNN_POINTWISE_ADD, x,
				paleo_cudnn_graph_whole(t->graph, (int32_t)more), y);
	return y;
}

/* The last key that each query sees: the last query sees all. */
static cudnnBackendDescriptor_t last_key(const struct attention *t, cudnnBackendDescriptor_t s)
{
	const int64_t before = t->seen - t->geom->q;
	cudnnBackendDescriptor_t query = whole(t);

	paleo_graph_place(t->graph, s, 2, query);
	return before ? sum_whole(t, query, before) : query;
}

static cudnnBackendDescriptor_t key_number(const struct attention *t, cudnnBackendDescriptor_t s)
{
	cudnnBackendDescriptor_t key = whole(t);

	paleo_graph_place(t->graph, s, 3, key);
	return key;
}

/* The scores where a >= b, or a > b; -infinity elsewhere. */
static cudnnBackendDescriptor_t keep_where(const struct attention *t, cudnnPointwiseMode_t compare,
					   cudnnBackendDescriptor_t a, cudnnBackendDescriptor_t b,
					   cudnnBackendDescriptor_t s)
{
	cudnnBackendDescriptor_t is_seen =
		paleo_cudnn_graph_between(t->graph, CUDNN_DATA_BOOLEAN, t->scores);
	cudnnBackendDescriptor_t y = score(t);
	struct paleo_graph_inputs in = {s, paleo_cudnn_graph_real(t->graph, -INFINITY), is_seen};

	paleo_graph_point_whole(t->graph, compare, a, b, is_seen);
	paleo_graph_select(t->graph, in, y);
	return y;
}

/* No key after a query, and none that is a window or more before it. A single query sees all. */
static cudnnBackendDescriptor_t mask(const struct attention *t, cudnnBackendDescriptor_t s)
{
	const struct paleo_attention_geom *a = t->geom;

	if (a->q == 1)
		return s;
	if (a->causal) {
		cudnnBackendDescriptor_t last = last_key(t, s);
		s = keep_where(t, CUDNN_POINTWISE_CMP_GE, last, key_number(t, s), s);
	}
	if (a->window && a->window < t->seen) {
		cudnnBackendDescriptor_t last = last_key(t, s);
		cudnnBackendDescriptor_t end = sum_whole(t, key_number(t, s), a->window);
		s = keep_where(t, CUDNN_POINTWISE_CMP_GT, end, last, s);
	}
	return s;
}

/* The scaled and masked scores, q k^T. */
static cudnnBackendDescriptor_t masked_scores(const struct attention *t, cudnnBackendDescriptor_t x,
					      cudnnBackendDescriptor_t turned_keys)
{
	cudnnBackendDescriptor_t s = score(t);

	paleo_graph_product(t->graph, x, turned_keys, s);
	return mask(t, point(t, CUDNN_POINTWISE_MUL, s, t->scale));
}

/* Forward. The log-sum-exp of each row is saved for the gradients: without it cuDNN has no engine
 * for the graph. */
static int forward(struct paleo_cudnn_graph *g, const struct paleo_op *w, enum paleo_role result,
		   struct paleo_error *err)
{
	const struct attention t = begin(g, w);
	const struct paleo_attention_geom *a = t.geom;
	cudnnBackendDescriptor_t x = of_queries(&t, a->rope ? PALEO_DX : PALEO_X, a->qk);
	cudnnBackendDescriptor_t s =
		masked_scores(&t, x, of_keys(&t, role_of_keys(a), a->qk, TURNED));
	cudnnBackendDescriptor_t most = row(&t), sum = row(&t), log = row(&t);
	cudnnBackendDescriptor_t p = paleo_cudnn_graph_between(g, t.type, t.scores);

	paleo_graph_reduce(g, CUDNN_REDUCE_TENSOR_MAX, s, most);
	s = point(&t, CUDNN_POINTWISE_SUB, s, most);
	s = point(&t, CUDNN_POINTWISE_EXP, s, NULL);
	paleo_graph_reduce(g, CUDNN_REDUCE_TENSOR_ADD, s, sum);
	paleo_graph_point(g, CUDNN_POINTWISE_LOG, sum, NULL, log);
	paleo_graph_point(g, CUDNN_POINTWISE_ADD, log, most,
			  paleo_cudnn_graph_tensor(g, paleo_graph_uid(PALEO_STATE1),
						   CUDNN_DATA_FLOAT, t.rows));
	paleo_graph_point(g, CUDNN_POINTWISE_DIV, s, sum, p);
	paleo_graph_product(g, p, of_values(&t), of_queries(&t, result, a->v));
	return paleo_cudnn_graph_check(g, err);
}

/* A virtual tensor between operations, its last two dimensions transposed. */
static cudnnBackendDescriptor_t turned_scores(const struct attention *t, cudnnBackendDescriptor_t s)
{
	const int64_t q = t->geom->q, heads = t->geom->heads;
	const int64_t dims[4] = {t->geom->batch, heads, t->seen, q};
	const int64_t strides[4] = {heads * q * t->seen, q * t->seen, 1, t->seen};
	cudnnBackendDescriptor_t y =
		paleo_cudnn_graph_between_strided(t->graph, t->type, dims, strides);

	paleo_graph_reshape(t->graph, s, y);
	return y;
}

/* The gradient of keys or values: of heads that share them, the sum. */
static void gradient_of_keys(const struct attention *t, cudnnBackendDescriptor_t turned,
			     cudnnBackendDescriptor_t by, enum paleo_role role, int width)
{
	const struct paleo_attention_geom *a = t->geom;
	cudnnBackendDescriptor_t result = of_keys(t, role, width, AS_IT_IS);
	int64_t dims[4], strides[4];

	if (a->heads == a->kv_heads) {
		paleo_graph_product(t->graph, turned, by, result);
		return;
	}
	place(a->batch, t->seen, a->heads, width, AS_IT_IS, dims, strides);
	cudnnBackendDescriptor_t each =
		paleo_cudnn_graph_between_strided(t->graph, t->type, dims, strides);
	paleo_graph_product(t->graph, turned, by, each);
	paleo_graph_reduce(t->graph, CUDNN_REDUCE_TENSOR_ADD, each, result);
}

/* The sum of dy y over a row: the term common to every score's gradient. cuDNN's engine stores it
 * as a tensor multiplied by 1; without that, its kernels write to a null address. */
static cudnnBackendDescriptor_t common(const struct attention *t, cudnnBackendDescriptor_t dy)
{
	const struct paleo_attention_geom *a = t->geom;
	const int64_t dims[4] = {a->batch, a->heads, a->q, a->v};
	cudnnBackendDescriptor_t products =
		paleo_cudnn_graph_between(t->graph, CUDNN_DATA_FLOAT, dims);
	cudnnBackendDescriptor_t sum = row(t);
	cudnnBackendDescriptor_t kept = paleo_cudnn_graph_tensor(
		t->graph, paleo_graph_uid(PALEO_STATE2), CUDNN_DATA_FLOAT, t->rows);

	paleo_graph_point(t->graph, CUDNN_POINTWISE_MUL, dy, of_queries(t, PALEO_Y, a->v),
			  products);
	paleo_graph_reduce(t->graph, CUDNN_REDUCE_TENSOR_ADD, products, sum);
	paleo_graph_point(t->graph, CUDNN_POINTWISE_MUL, sum, paleo_cudnn_graph_real(t->graph, 1),
			  kept);
	return kept;
}

/* The gradient of the queries, summed up in single precision in memory, then rounded. */
static void gradient_of_queries(const struct attention *t, cudnnBackendDescriptor_t ds,
				cudnnBackendDescriptor_t keys)
{
	const struct paleo_attention_geom *a = t->geom;
	const int64_t dims[4] = {a->batch, a->heads, a->q, a->qk};
	cudnnBackendDescriptor_t sums = paleo_cudnn_graph_tensor(
		t->graph, paleo_graph_uid(PALEO_DINNER), CUDNN_DATA_FLOAT, dims);

	paleo_graph_product(t->graph, ds, keys, sums);
	paleo_graph_point(t->graph, CUDNN_POINTWISE_IDENTITY, sums, NULL,
			  of_queries(t, PALEO_DX, a->qk));
}

/* The keys as they are, of which the graph has a tensor turned round. */
static cudnnBackendDescriptor_t turned_back(const struct attention *t, cudnnBackendDescriptor_t k)
{
	int64_t dims[4], strides[4];

	place(t->geom->batch, t->seen, t->geom->kv_heads, t->geom->qk, AS_IT_IS, dims, strides);
	cudnnBackendDescriptor_t y =
		paleo_cudnn_graph_between_strided(t->graph, t->type, dims, strides);
	paleo_graph_reshape(t->graph, k, y);
	return y;
}

static int backward(struct paleo_cudnn_graph *g, const struct paleo_op *w, struct paleo_error *err)
{
	const struct attention t = begin(g, w);
	const struct paleo_attention_geom *a = t.geom;
	cudnnBackendDescriptor_t dy = of_queries(&t, PALEO_DY, a->v), sum = common(&t, dy);
	cudnnBackendDescriptor_t x = of_queries(&t, PALEO_X, a->qk);
	cudnnBackendDescriptor_t k = of_keys(&t, PALEO_K, a->qk, TURNED);
	cudnnBackendDescriptor_t p = masked_scores(&t, x, k), dp = score(&t), ds;

	p = point(&t, CUDNN_POINTWISE_SUB, p,
		  paleo_cudnn_graph_tensor(g, paleo_graph_uid(PALEO_STATE1), CUDNN_DATA_FLOAT,
					   t.rows));
	p = point(&t, CUDNN_POINTWISE_EXP, p, NULL);
	gradient_of_keys(&t, turned_scores(&t, p), dy, PALEO_DV, a->v);
	paleo_graph_product(g, dy, of_keys(&t, PALEO_V, a->v, TURNED), dp);
	dp = point(&t, CUDNN_POINTWISE_SUB, dp, sum);
	dp = point(&t, CUDNN_POINTWISE_MUL, dp, p);
	ds = point(&t, CUDNN_POINTWISE_MUL, dp, t.scale);
	gradient_of_keys(&t, turned_scores(&t, ds), x, PALEO_DK, a->qk);
	gradient_of_queries(&t, ds, turned_back(&t, k));
	return paleo_cudnn_graph_check(g, err);
}

static int can_measure(const struct paleo_op *w)
{
	const struct paleo_attention_geom *a = &w->geom.attention;

	return (w->dtype == PALEO_F16 || w->dtype == PALEO_BF16) &&
	       (!a->kv || (enum paleo_dtype)(a->kv - 1) == w->dtype) && (!a->window || a->causal);
}

int paleo_cudnn_graph_attention(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				struct paleo_error *err)
{
	if (!can_measure(w))
		return paleo_fail(
			err, PALEO_EUNSUPPORTED,
			"CUDA measures attention in f16 and bf16, with keys in the same dtype and "
			"only causal windows, as supported by cuDNN on every GPU; predict others, "
			"or measure their GEMMs and softmax with --separate-attention");
	return w->pass == PALEO_FWD ? forward(g, w, PALEO_Y, err) : backward(g, w, err);
}

int paleo_cudnn_graph_attention_state(struct paleo_cudnn_graph *g, const struct paleo_op *w,
				      struct paleo_error *err)
{
	return forward(g, w, PALEO_MASK, err);
}
