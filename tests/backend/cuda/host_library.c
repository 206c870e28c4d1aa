/* host_library.c - what cuDNN computes between our kernels, on the CPU. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "host_library.h"

#include <math.h>
#include <stdlib.h>

#include "bench/backends/cuda/plans/plans.h"
#include "bench/backends/cuda/plans/product.h"
#include "bench/fill.h"
#include "bench/reference.h"
#include "host_kernels.h"
#include "model/op/dtype.h"
#include "tests/unit/unit.h"

/* A head of the hidden operands: queries, keys or values of [batch, rows, heads, width]. */
static float of_head(const struct paleo_job *j, enum paleo_role role, const int at[3],
		     const int dims[3], int d)
{
	long long head = ((long long)at[0] * dims[0] + at[1]) * dims[1] + at[2];

	return host_element(paleo_job_address(j, role, 0, 1), head * dims[2] + d);
}

/* The score of a query and a key. */
static double score(const struct paleo_job *j, const int query[3], int key)
{
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	const int rows[3] = {g->q, g->heads, g->qk};
	const int keys[3] = {paleo_attention_seen(g), g->kv_heads, g->qk};
	const int at[3] = {query[0], key, query[2] / (g->heads / g->kv_heads)};
	double sum = 0;

	for (int d = 0; d < g->qk; d++)
		sum += (double)of_head(j, g->rope ? PALEO_DX : PALEO_X, query, rows, d) *
		       (double)of_head(j, PALEO_DK, at, keys, d);
	return sum / sqrt(g->qk);
}

/* Number d of a query's result, from what the cache holds. */
static double attended(const struct paleo_job *j, const int query[3], int d)
{
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	const int seen = paleo_attention_seen(g), width = g->latent ? g->qk : g->v;
	const int dims[3] = {seen, g->kv_heads, width};
	double sum = 0, all = 0;

	for (int key = 0; key < seen; key++) {
		const int at[3] = {query[0], key, query[2] / (g->heads / g->kv_heads)};
		int last = seen - g->q + query[1];
		if (key > last || (g->window && key <= last - g->window))
			continue;
		double weight = exp(score(j, query, key)); /* of inputs in [-1, 1] */
		sum += weight * (double)of_head(j, g->latent ? PALEO_DK : PALEO_DV, at, dims, d);
		all += weight;
	}
	return sum / all;
}

/* cuDNN's part: its result from what lies in the cache, as the reference has it from operands. */
void library_attends(struct paleo_job *j)
{
	const struct paleo_attention_geom *g = &j->op.geom.attention;
	double tolerance = paleo_reference_tolerance(&j->op);
	int count = g->batch * g->q * g->heads * g->v;

	for (int i = 0; i < count; i++) {
		const int head = i / g->v, row = head / g->heads;
		const int query[3] = {row / g->q, row % g->q, head % g->heads};
		struct paleo_error err;
		double expected, magnitude;
		assert_int_equal(
			paleo_reference_value(&j->op, PALEO_Y, 0, i, &expected, &magnitude, &err),
			PALEO_OK);
		double found = attended(j, query, i % g->v);
		if (!(fabs(found - expected) <= tolerance * magnitude))
			fail_msg("attention at %d is %.9g, not %.9g", i, found, expected);
	}
}

/* cuDNN's part of experts: each row times the weights of its expert, whose rows begin where the
 * first operand says. */
static int multiply_rows(const struct paleo_step *step, const struct paleo_job *j, int copy,
			 struct paleo_error *err)
{
	const struct paleo_moe_geom *g = &j->op.geom.moe;
	int is_second = step->state != NULL, first_width = g->inter * (g->gated ? 2 : 1);
	int inputs = is_second ? g->inter : g->hidden,
	    outputs = is_second ? g->hidden : first_width;
	const void *x = paleo_job_address(j, is_second ? PALEO_DINNER : PALEO_DX, 0, copy);
	const void *w = paleo_job_address(j, is_second ? PALEO_W2 : PALEO_W, 0, copy);
	void *y = paleo_job_address(j, is_second ? PALEO_DY : PALEO_INNER, 0, copy);
	const int *begin = paleo_job_address(j, PALEO_STATE1, 0, copy);
	int rows = (int)paleo_fill_expert_rows(g);

	(void)err;
	for (int expert = 0; expert < g->local; expert++) {
		int end = expert + 1 < g->local ? begin[expert + 1] : rows;
		for (long long i = (long long)begin[expert] * outputs; i < (long long)end * outputs;
		     i++) {
			long long row = i / outputs, column = i % outputs;
			float sum = 0;
			for (int k = 0; k < inputs; k++)
				sum += host_element(x, row * inputs + k) *
				       host_element(
					       w,
					       (expert * (long long)outputs + column) * inputs + k);
			host_store(y, i, sum);
		}
	}
	return PALEO_OK;
}

static void keep(struct paleo_step *step)
{
	step->state = NULL;
}

int paleo_plan_experts_product(struct paleo_job *j, int is_second, struct paleo_error *err)
{
	static int second;
	struct paleo_step step = {
		.state = is_second ? &second : NULL, .launch = multiply_rows, .release = keep};

	return paleo_job_add(j, PALEO_TIMED, &step, err);
}

/* The value of a code of 8 or 4 bits, written down apart from bench/fill.c. */
static double of_e4m3(unsigned code)
{
	int e = (int)(code >> 3 & 15), m = (int)(code & 7);
	double size = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);

	return code & 0x80 ? -size : size;
}

static double of_e2m1(unsigned code)
{
	static const double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

	return code & 8 ? -sizes[code & 7] : sizes[code & 7];
}

static double of_code(const void *codes, long long at, int bits)
{
	unsigned byte = ((const unsigned char *)codes)[bits == 4 ? at / 2 : at];

	return bits == 4 ? of_e2m1(at % 2 ? byte >> 4 : byte & 15) : of_e4m3(byte);
}

/*
 * The scale of row and column of [rows, columns], by the pictures of cublasLt's documentation:
 * tiles of 128 rows and 4 scales, within a tile 32 lines of 16 bytes, each of rows 32 apart; or
 * floats, by rows of blocks that are padded to fours, or all rows of a block of columns together.
 */
static double scale_at(const void *scales, const struct paleo_blocks *b, int is_weight,
		       const long long size[2], const long long at[2])
{
	long long block = at[1] / b->columns, blocks = (size[1] + b->columns - 1) / b->columns;
	long long fours = (blocks + 3) / 4;

	if (b->scale == PALEO_SCALE_FLOAT && is_weight)
		return (double)((const float *)scales)[at[0] / 128 * fours * 4 + block];
	if (b->scale == PALEO_SCALE_FLOAT)
		return (double)((const float *)scales)[block * size[0] + at[0]];
	const unsigned char *tile =
		(const unsigned char *)scales + (at[0] / 128 * fours + block / 4) * 512;
	unsigned code = tile[at[0] % 32 * 16 + at[0] / 32 % 4 * 4 + block % 4];
	return b->scale == PALEO_SCALE_UE8M0 ? ldexp(1, (int)code - 127) : of_e4m3(code);
}

/* The state of a product's step, which the CPU does by the letter. */
static double number(const struct paleo_job *j, const struct paleo_product *p,
		     const struct paleo_factor *f, long long at, int copy)
{
	const void *data = paleo_job_address(j, f->role, 0, copy);
	int is_weight = f == &p->w;

	if (p->scaling == PALEO_NOT_SCALED)
		return (double)host_element(data, (long long)f->first + at);
	if (p->scaling == PALEO_TENSOR_SCALED) {
		const float *scales = paleo_job_address(j, PALEO_SCALE, 0, copy);
		return of_code(data, (long long)f->first + at, 8) *
		       (double)scales[is_weight ? PALEO_PACK_BYTES / sizeof(float) : 0];
	}
	const struct paleo_blocks *b = paleo_stored_blocks(p->stored);
	const void *scales = paleo_job_address(j, is_weight ? PALEO_SHIFT : PALEO_SCALE, 0, copy);
	const long long size[2] = {is_weight ? p->n : p->m, p->k};
	const long long place[2] = {at / p->k, at % p->k};
	return of_code(data, at, b->code_bits) * scale_at(scales, b, is_weight, size, place);
}

static int multiply(const struct paleo_step *step, const struct paleo_job *j, int copy,
		    struct paleo_error *err)
{
	const struct paleo_product *p = step->state;
	long long m = p->m, n = p->n, k = p->k;
	void *y = paleo_job_address(j, p->y.role, 0, copy);

	(void)err;
	for (long long i = 0; i < p->batch * m * n; i++) {
		long long matrix = i / (m * n), row = i / n % m, column = i % n;
		double sum = 0;
		for (long long l = 0; l < k; l++)
			sum += number(j, p, &p->x,
				      matrix * m * k + (p->trans_a ? l * m + row : row * k + l),
				      copy) *
			       number(j, p, &p->w,
				      matrix * n * k +
					      (p->trans_b ? column * k + l : l * n + column),
				      copy);
		host_store(y, (long long)p->y.first + i,
			   (float)(sum * (p->factor != 0 ? (double)p->factor : 1)));
	}
	return PALEO_OK;
}

static void free_state(struct paleo_step *step)
{
	free(step->state);
}

int paleo_product_add(struct paleo_job *j, const struct paleo_product *p, int rank, int *offered,
		      struct paleo_error *err)
{
	struct paleo_product *state = malloc(sizeof(*state));
	struct paleo_step step = {.state = state, .launch = multiply, .release = free_state};

	(void)rank;
	assert_non_null(state);
	*state = *p;
	if (offered)
		*offered = 1;
	return paleo_job_add(j, PALEO_TIMED, &step, err);
}
