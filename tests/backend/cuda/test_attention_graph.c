/* test_attention_graph.c - what the graphs of attention compute, evaluated here in double. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/backends/cuda/graph/graph.h"
#include "bench/fill.h"
#include "bench/reference.h"
#include "tests/unit/unit.h"

/*
 * graph_attention.c is built with the functions below in the place of cuDNN's: what it describes is
 * computed at once, on the inputs of fill.h, and compared with the reference. cuDNN itself is asked
 * in test_plans.c whether it takes the same graphs.
 */
enum {
	VALUES = 96,
	UIDS = PALEO_UID_BETWEEN
};

struct value {
	int64_t dims[4], strides[4];
	double *data;
};

static struct {
	const struct paleo_op *op;
	struct value values[VALUES];
	int count;
	double *memory[UIDS]; /* of tensors in memory, by identifier; kept from graph to graph */
} run;

static int64_t length(const int64_t dims[4])
{
	return dims[0] * dims[1] * dims[2] * dims[3];
}

static struct value *make(const int64_t dims[4], const int64_t strides[4], double *data)
{
	struct value *v = &run.values[run.count++];

	assert_true(run.count <= VALUES);
	memcpy(v->dims, dims, sizeof(v->dims));
	memcpy(v->strides, strides, sizeof(v->strides));
	v->data = data ? data : calloc((size_t)length(dims), sizeof(double));
	assert_non_null(v->data);
	return v;
}

/* Dense: each distance is the product of what is inside of it. */
static struct value *make_dense(const int64_t dims[4])
{
	const int64_t strides[4] = {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};

	return make(dims, strides, NULL);
}

/* An element by its place; along a dimension of length 1 it is repeated, and heads may share. */
static double *at(const struct value *v, const int64_t place[4], const int64_t dims[4])
{
	int64_t offset = 0;

	for (int i = 0; i < 4; i++) {
		assert_int_equal(dims[i] % v->dims[i], 0);
		offset += place[i] / (dims[i] / v->dims[i]) * v->strides[i];
	}
	return &v->data[offset];
}

/* Goes through all places of `dims`. */
static int next(int64_t place[4], const int64_t dims[4])
{
	for (int i = 3; i >= 0; i--) {
		if (++place[i] < dims[i])
			return 1;
		place[i] = 0;
	}
	return 0;
}

cudnnDataType_t paleo_cudnn_graph_type(enum paleo_dtype dtype)
{
	return dtype == PALEO_F16 ? CUDNN_DATA_HALF : CUDNN_DATA_BFLOAT16;
}

int paleo_cudnn_graph_check(const struct paleo_cudnn_graph *g, struct paleo_error *err)
{
	(void)g;
	(void)err;
	return PALEO_OK;
}

/* Number i of [batch, q, heads, width], turned by the angles of its query, as rope.c has it. */
static double turned(enum paleo_role role, int64_t i, int64_t heads, int64_t width)
{
	const struct paleo_attention_geom *g = &run.op->geom.attention;
	int64_t d = i % width, half = g->rope / 2, at = d - (g->qk - g->rope);
	double angles = (double)(i / width / heads % g->q * g->rope);
	double own = paleo_fill_value(run.op, role, 0, (double)i);

	if (at < 0 || d >= g->qk)
		return own;
	double pair = (double)(at % half), other = (double)(at < half ? i + half : i - half);
	double cosine = paleo_fill_value(run.op, PALEO_ANGLES, 0, angles + pair);
	double sine = paleo_fill_value(run.op, PALEO_ANGLES, 0, angles + pair + (double)half);
	other = paleo_fill_value(run.op, role, 0, other) * sine;
	return own * cosine + (at < half ? -other : other);
}

/* Number i of a cache [batch, seen, kv_heads, width]: the past, then what is new. */
static double cached(enum paleo_role role, int64_t i)
{
	const struct paleo_attention_geom *g = &run.op->geom.attention;
	int64_t width = role == PALEO_K ? g->qk : g->v, both = g->qk + (g->latent ? 0 : g->v);
	int64_t seen = paleo_attention_seen(g), old = seen - g->q;
	int64_t d = i % width, head = i / width % g->kv_heads, row = i / width / g->kv_heads;
	int64_t batch = row / seen, key = row % seen;

	if (key < old)
		return paleo_fill_value(
			run.op, role, 0,
			(double)(((batch * old + key) * g->kv_heads + head) * width + d));
	row = (batch * g->q + key - old) * g->kv_heads + head;
	return turned(PALEO_NEW, row * both + d + (role == PALEO_V ? g->qk : 0), g->kv_heads, both);
}

/* What lies in memory before the graph runs: operands, and what kernels have made of them. */
static double input(int64_t uid, int64_t i)
{
	const struct paleo_attention_geom *g = &run.op->geom.attention;
	enum paleo_role role = (enum paleo_role)(uid - 1);

	if (g->cache && (role == PALEO_DK || role == PALEO_DV))
		return cached(role == PALEO_DK ? PALEO_K : PALEO_V, i);
	if (run.op->pass == PALEO_FWD && role == PALEO_DX)
		return turned(PALEO_X, i, g->heads, g->qk);
	return paleo_fill_value(run.op, role, 0, (double)i);
}

/* Inputs get their values, results wait for them. */
cudnnBackendDescriptor_t paleo_cudnn_graph_strided(struct paleo_cudnn_graph *g, int64_t uid,
						   cudnnDataType_t type, const int64_t dims[4],
						   const int64_t strides[4])
{
	(void)g;
	(void)type;
	assert_true(uid < UIDS);
	if (uid > PALEO_UID_AGAIN) /* what a graph has before */
		return make(dims, strides, run.memory[uid - PALEO_UID_AGAIN]);
	struct value *v = make(dims, strides, run.memory[uid]);
	if (run.memory[uid])
		return v;
	run.memory[uid] = v->data;
	for (int64_t i = 0; i < length(dims); i++)
		v->data[i] = input(uid, i);
	return v;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_tensor(struct paleo_cudnn_graph *g, int64_t uid,
						  cudnnDataType_t type, const int64_t dims[4])
{
	const int64_t strides[4] = {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};

	return paleo_cudnn_graph_strided(g, uid, type, dims, strides);
}

cudnnBackendDescriptor_t paleo_cudnn_graph_between(struct paleo_cudnn_graph *g,
						   cudnnDataType_t type, const int64_t dims[4])
{
	(void)g;
	(void)type;
	return make_dense(dims);
}

cudnnBackendDescriptor_t paleo_cudnn_graph_between_strided(struct paleo_cudnn_graph *g,
							   cudnnDataType_t type,
							   const int64_t dims[4],
							   const int64_t strides[4])
{
	(void)g;
	(void)type;
	return make(dims, strides, NULL);
}

static struct value *number(double value)
{
	const int64_t dims[4] = {1, 1, 1, 1};
	struct value *v = make_dense(dims);

	v->data[0] = value;
	return v;
}

cudnnBackendDescriptor_t paleo_cudnn_graph_real(struct paleo_cudnn_graph *g, float value)
{
	(void)g;
	return number(value);
}

cudnnBackendDescriptor_t paleo_cudnn_graph_whole(struct paleo_cudnn_graph *g, int32_t value)
{
	(void)g;
	return number(value);
}

static double compute(cudnnPointwiseMode_t mode, double x, double b)
{
	switch ((int)mode) {
	case CUDNN_POINTWISE_ADD:
		return x + b;
	case CUDNN_POINTWISE_SUB:
		return x - b;
	case CUDNN_POINTWISE_MUL:
		return x * b;
	case CUDNN_POINTWISE_DIV:
		return x / b;
	case CUDNN_POINTWISE_EXP:
		return exp(x);
	case CUDNN_POINTWISE_IDENTITY:
		return x;
	case CUDNN_POINTWISE_LOG:
		return log(x);
	case CUDNN_POINTWISE_CMP_GE:
		return x >= b;
	case CUDNN_POINTWISE_CMP_GT:
		return x > b;
	default:
		fail_msg("no operation %d", (int)mode);
		return NAN;
	}
}

void paleo_graph_point(struct paleo_cudnn_graph *g, cudnnPointwiseMode_t mode,
		       cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
		       cudnnBackendDescriptor_t y)
{
	const struct value *out = y;
	int64_t place[4] = {0};

	(void)g;
	do
		*at(out, place, out->dims) =
			compute(mode, *at(x, place, out->dims), b ? *at(b, place, out->dims) : NAN);
	while (next(place, out->dims));
}

void paleo_graph_point_whole(struct paleo_cudnn_graph *g, cudnnPointwiseMode_t mode,
			     cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
			     cudnnBackendDescriptor_t y)
{
	paleo_graph_point(g, mode, x, b, y);
}

void paleo_graph_place(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x, int64_t dimension,
		       cudnnBackendDescriptor_t y)
{
	const struct value *out = y;
	int64_t place[4] = {0};

	(void)g;
	(void)x;
	do
		*at(out, place, out->dims) = (double)place[dimension];
	while (next(place, out->dims));
}

void paleo_graph_select(struct paleo_cudnn_graph *g, struct paleo_graph_inputs in,
			cudnnBackendDescriptor_t y)
{
	const struct value *out = y;
	int64_t place[4] = {0};

	(void)g;
	do {
		int is_x = *at(in.t, place, out->dims) != 0;
		*at(out, place, out->dims) = *at(is_x ? in.x : in.b, place, out->dims);
	} while (next(place, out->dims));
}

void paleo_graph_product(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t a,
			 cudnnBackendDescriptor_t b, cudnnBackendDescriptor_t c)
{
	const struct value *left = a, *right = b, *out = c;
	const int64_t terms = left->dims[3];
	int64_t place[4] = {0};

	(void)g;
	assert_int_equal(right->dims[2], terms);
	assert_int_equal(out->dims[2], left->dims[2]);
	assert_int_equal(out->dims[3], right->dims[3]);
	do {
		const int64_t l_dims[4] = {out->dims[0], out->dims[1], out->dims[2], terms};
		const int64_t r_dims[4] = {out->dims[0], out->dims[1], terms, out->dims[3]};
		double sum = 0;
		for (int64_t k = 0; k < terms; k++) {
			const int64_t l[4] = {place[0], place[1], place[2], k};
			const int64_t r[4] = {place[0], place[1], k, place[3]};
			sum += *at(left, l, l_dims) * *at(right, r, r_dims);
		}
		*at(out, place, out->dims) = sum;
	} while (next(place, out->dims));
}

void paleo_graph_reduce(struct paleo_cudnn_graph *g, cudnnReduceTensorOp_t op,
			cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t y)
{
	const struct value *in = x, *out = y;
	int is_max = op == CUDNN_REDUCE_TENSOR_MAX;
	int64_t place[4] = {0};

	(void)g;
	do
		*at(out, place, out->dims) = is_max ? -INFINITY : 0;
	while (next(place, out->dims));
	do {
		double *to = at(out, place, in->dims), v = *at(in, place, in->dims);
		*to = is_max ? fmax(*to, v) : *to + v;
	} while (next(place, in->dims));
}

/* Here only the last two dimensions are exchanged, or the memory is seen in another order. */
void paleo_graph_reshape(struct paleo_cudnn_graph *g, cudnnBackendDescriptor_t x,
			 cudnnBackendDescriptor_t y)
{
	const struct value *in = x;
	struct value *out = y;

	(void)g;
	assert_int_equal(length(in->dims), length(out->dims));
	free(out->data);
	out->data = calloc((size_t)length(in->dims), sizeof(double));
	assert_non_null(out->data);
	memcpy(out->data, in->data, (size_t)length(in->dims) * sizeof(double));
}

/* A graph's values between operations go, what is in memory stays. */
static void end_graph(void)
{
	for (int i = 0; i < run.count; i++) {
		int is_memory = 0;
		for (int uid = 0; uid < UIDS; uid++)
			is_memory |= run.memory[uid] == run.values[i].data;
		if (!is_memory)
			free(run.values[i].data);
	}
	run.count = 0;
}

static void end_run(void)
{
	for (int uid = 0; uid < UIDS; uid++) {
		free(run.memory[uid]);
		run.memory[uid] = NULL;
	}
}

/* Every element of every result. The scale is a float, so that errors are of its digits. */
static void compare(const struct paleo_op *w)
{
	struct paleo_operand list[PALEO_OPERANDS_MAX];
	int count = paleo_op_operands(w, list);

	for (int i = 0; i < count; i++) {
		if (!(list[i].access & PALEO_WRITE) || list[i].role == PALEO_APPENDED)
			continue;
		const double *found = run.memory[1 + list[i].role];
		assert_non_null(found);
		for (int64_t k = 0; k < (int64_t)paleo_operand_count(&list[i]); k++) {
			struct paleo_error err;
			double expected, magnitude;
			assert_int_equal(paleo_reference_value(w, list[i].role, 0, (double)k,
							       &expected, &magnitude, &err),
					 PALEO_OK);
			if (!(fabs(found[k] - expected) <= 1e-6 * magnitude))
				fail_msg("%s at %d is %.9g, not %.9g",
					 paleo_role_name(list[i].role), (int)k, found[k], expected);
		}
	}
}

static void check(const char *key)
{
	struct paleo_cudnn_graph g = {.layout = PALEO_NCHW};
	struct paleo_error err;
	struct paleo_op w;

	if (paleo_op_parse(key, &w, &err))
		fail_msg("%s: %s", key, err.text);
	run.op = &w;
	if (w.pass != PALEO_FWD) {
		assert_int_equal(paleo_cudnn_graph_attention_state(&g, &w, &err), PALEO_OK);
		end_graph();
	}
	if (paleo_cudnn_graph_attention(&g, &w, &err))
		fail_msg("%s: %s", key, err.text);
	compare(&w);
	end_graph();
	end_run();
}

static void graphs_compute_what_the_reference_does(void **state)
{
	static const char *const geometries[] = {
		"batch=2 q=5 keys=5 heads=2 kv_heads=2 qk=4 v=4",
		"batch=1 q=3 keys=7 heads=2 kv_heads=2 qk=4 v=6",
		"batch=2 q=5 keys=5 heads=4 kv_heads=2 qk=4 v=4 causal=1",
		"batch=1 q=4 keys=9 heads=4 kv_heads=1 qk=6 v=4 causal=1",
		"batch=1 q=7 keys=7 heads=2 kv_heads=1 qk=4 v=4 causal=1 window=3",
		"batch=1 q=4 keys=11 heads=2 kv_heads=2 qk=4 v=4 causal=1 window=3",
		"batch=1 q=4 keys=4 heads=2 kv_heads=2 qk=4 v=4 causal=1 window=9",
	};
	static const char *const caches[] = {
		"bf16 batch=3 q=1 keys=9 heads=4 kv_heads=2 qk=4 v=4 causal=1 cache=1",
		"bf16 batch=2 q=3 keys=9 heads=4 kv_heads=2 qk=6 v=4 causal=1 cache=1 rope=4",
		"f16 batch=1 q=1 keys=9 heads=2 kv_heads=1 qk=4 v=4 causal=1 window=4 cache=1",
		("bf16 batch=2 q=1 keys=7 heads=4 kv_heads=1 qk=8 v=6 causal=1 latent=1 cache=1 "
		 "rope=2"),
		"bf16 batch=1 q=3 keys=5 heads=2 kv_heads=1 qk=8 v=6 causal=1 latent=1",
	};
	static const char *const passes[] = {"fwd", "bwd_data"};

	(void)state;
	for (size_t i = 0; i < sizeof(geometries) / sizeof(*geometries); i++) {
		for (size_t k = 0; k < sizeof(passes) / sizeof(*passes); k++) {
			char key[PALEO_OP_KEY_MAX];
			snprintf(key, sizeof(key), "attention %s bf16 %s", passes[k],
				 geometries[i]);
			check(key);
		}
	}
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		char key[PALEO_OP_KEY_MAX];
		snprintf(key, sizeof(key), "attention fwd %s", caches[i]);
		check(key);
	}
}

static void what_no_graph_computes_is_said(void **state)
{
	static const char *const keys[] = {
		"attention fwd f32 batch=1 q=3 keys=3 heads=1 kv_heads=1 qk=4 v=4",
		"attention fwd fp8 batch=1 q=3 keys=3 heads=1 kv_heads=1 qk=4 v=4 causal=1",
		"attention fwd bf16 batch=1 q=3 keys=3 heads=1 kv_heads=1 qk=4 v=4 kv=fp8",
		"attention fwd bf16 batch=1 q=3 keys=3 heads=1 kv_heads=1 qk=4 v=4 window=3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct paleo_cudnn_graph g = {.layout = PALEO_NCHW};
		struct paleo_error err = {.text = ""};
		struct paleo_op w;
		assert_int_equal(paleo_op_parse(keys[i], &w, &err), PALEO_OK);
		assert_int_equal(paleo_cudnn_graph_attention(&g, &w, &err), PALEO_EUNSUPPORTED);
		assert_non_null(strstr(err.text, "predict"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_compute_what_the_reference_does),
		cmocka_unit_test(what_no_graph_computes_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
