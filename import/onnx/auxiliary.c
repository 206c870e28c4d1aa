/* auxiliary.c - operators on auxiliary values: constants, shapes, masks, positions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/onnx/ops.h"

enum { /* fields of AttributeProto */
	ATTRIBUTE_TENSOR = 5
};

/* Makes the node's output a list of `count` numbers, or one alone, of which a copy is made. */
static int put_numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int type,
		       const double *numbers, int count, int is_list)
{
	struct paleo_onnx_value made = {.state = ONNX_NUMBERS,
					.type = type,
					.rank = is_list,
					.dims = {count},
					.numbers = paleo_onnx_new_numbers(job, count)};

	if (made.numbers)
		memcpy(made.numbers, numbers, (size_t)count * sizeof(*numbers));
	return paleo_onnx_put(job, n, 0, &made);
}

int paleo_onnx_tensor_of(const struct paleo_onnx_node *n, const char *name,
			 struct paleo_onnx_tensor *out)
{
	struct paleo_onnx_span ignored;
	struct paleo_onnx_field f;

	return paleo_onnx_find_field(n, name, ATTRIBUTE_TENSOR, &f) && f.wire == ONNX_BYTES &&
	       !paleo_onnx_read_tensor(f.bytes, out, &ignored);
}

int paleo_onnx_op_constant(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_span message;
	struct paleo_onnx_tensor t;
	double numbers[ONNX_SIZES_MAX];

	if (paleo_onnx_tensor_of(n, "value", &t)) {
		struct paleo_onnx_value made = {.state = ONNX_NUMBERS,
						.type = t.type,
						.rank = t.rank,
						.numbers = paleo_onnx_tensor_new(job, &t)};
		memcpy(made.dims, t.dims, sizeof(made.dims));
		if (job->learns_constants && paleo_onnx_count(&made) > 1 &&
		    paleo_onnx_is_float(t.type) && n->output_count)
			paleo_onnx_make_learned(&made, n->outputs[0]);
		return paleo_onnx_put(job, n, 0, &made);
	}
	numbers[0] = paleo_onnx_int(n, "value_int", 0);
	if (paleo_onnx_attribute(n, "value_int", &message))
		return put_numbers(job, n, ONNX_INT64, numbers, 1, 0);
	numbers[0] = paleo_onnx_float(n, "value_float", 0);
	if (paleo_onnx_attribute(n, "value_float", &message))
		return put_numbers(job, n, ONNX_FLOAT, numbers, 1, 0);
	const int count = paleo_onnx_ints(n, "value_ints", numbers, ONNX_SIZES_MAX);
	if (count >= 0 && count <= ONNX_SIZES_MAX)
		return put_numbers(job, n, ONNX_INT64, numbers, count, 1);
	return paleo_onnx_refuse(job, n, "of this form");
}

/* Makes the node's output a tensor of these sizes, of which each number is `by` more than the one
 * before; large ones are left unread. */
static int fill(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const double *dims,
		int rank, int type, double first, double by)
{
	struct paleo_onnx_value made = {.state = ONNX_NUMBERS, .type = type, .rank = rank};

	memcpy(made.dims, dims, (size_t)rank * sizeof(*dims));
	const double count = paleo_onnx_count(&made);
	made.numbers = paleo_onnx_new_numbers(job, count);
	for (size_t i = 0; made.numbers && i < (size_t)count; i++)
		made.numbers[i] = first + by * (double)i;
	return paleo_onnx_put(job, n, 0, &made);
}

int paleo_onnx_op_constant_of_shape(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_tensor t = {.type = ONNX_FLOAT};
	double number = 0;
	int rank;
	const double *dims = paleo_onnx_numbers(job, n, 0, &rank);

	if (!dims || rank > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "of an unknown shape");
	if (paleo_onnx_tensor_of(n, "value", &t))
		paleo_onnx_tensor_numbers(&t, &number, 1);
	return fill(job, n, dims, rank, t.type, number, 0);
}

int paleo_onnx_op_range(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	int a, b, c;
	const double *start = paleo_onnx_numbers(job, n, 0, &a),
		     *limit = paleo_onnx_numbers(job, n, 1, &b),
		     *delta = paleo_onnx_numbers(job, n, 2, &c);

	if (!start || !limit || !delta || a != 1 || b != 1 || c != 1 || *delta == 0)
		return paleo_onnx_refuse(job, n, "of an unknown range");
	const double count = ceil((*limit - *start) / *delta);
	if (!(count >= 0 && count <= ONNX_NUMBERS_MAX))
		return paleo_onnx_refuse(job, n, "of too long a range");
	return fill(job, n, &count, 1, ONNX_INT64, *start, *delta);
}

int paleo_onnx_op_shape(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	int from = (int)paleo_onnx_int(n, "start", 0), to = (int)paleo_onnx_int(n, "end", v->rank);
	from += from < 0 ? v->rank : 0;
	to += to < 0 ? v->rank : 0;
	if (from < 0 || to > v->rank || from > to)
		return paleo_onnx_refuse(job, n, "of a missing part");
	return put_numbers(job, n, ONNX_INT64, v->dims + from, to - from, 1);
}

int paleo_onnx_op_size(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	const double count = paleo_onnx_count(v);
	return put_numbers(job, n, ONNX_INT64, &count, 1, 0);
}

/* Makes the node's output an auxiliary value with the sizes of `like`, without known numbers. */
static int put_side(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    const struct paleo_onnx_value *like)
{
	struct paleo_onnx_value made = {.state = ONNX_SIDE, .type = like->type, .rank = like->rank};

	if (like->state == ONNX_WEIGHT) { /* with other numbers here and there */
		made.state = ONNX_WEIGHT;
		made.learned = like->learned;
		made.source = like->source;
	}
	memcpy(made.dims, like->dims, sizeof(made.dims));
	return paleo_onnx_put(job, n, 0, &made);
}

/* Makes the node's output as large as `like`: auxiliary where no input is a layer's output, else an
 * elementwise result of the same layer. */
static int put_like(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    const struct paleo_onnx_value *like)
{
	const struct paleo_onnx_value sizes = *like;
	struct paleo_onnx_value x;
	int which = -1, outputs = 0;

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		const int is_output = v && !paleo_onnx_is_aux(v);
		which = is_output ? i : which;
		outputs += is_output;
	}
	if (!outputs)
		return put_side(job, n, &sizes);
	if (outputs > 1)
		return paleo_onnx_refuse(job, n, "of several outputs");
	return paleo_onnx_tensor(job, n, which, &x) ||
	       paleo_onnx_choose(job, n, &x, sizes.dims, sizes.rank);
}

/* CumSum, Trilu, ScatterND and the like: as large as the first input. */
int paleo_onnx_op_as_first(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	return v ? put_like(job, n, v) : paleo_onnx_refuse(job, n, "of nothing");
}

/* GatherElements: as large as the second. */
int paleo_onnx_op_as_second(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);

	return v && at ? put_like(job, n, at) : paleo_onnx_refuse(job, n, "of nothing");
}

/* GatherND: for each list of places the part that it leads to. */
int paleo_onnx_op_gather_nd(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);
	const int batch = (int)paleo_onnx_int(n, "batch_dims", 0);

	if (!v || !at || at->rank < 1 || batch < 0 || batch >= at->rank)
		return paleo_onnx_refuse(job, n, "of nothing");
	const double depth = at->dims[at->rank - 1] + batch;
	if (!(depth >= 1 && depth <= v->rank) || at->rank - 1 + v->rank - depth > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "along unknown axes");
	struct paleo_onnx_value like = *v;
	like.rank = at->rank - 1 + v->rank - (int)depth;
	for (int i = 0; i < like.rank; i++)
		like.dims[i] =
			i < at->rank - 1 ? at->dims[i] : v->dims[(int)depth + i - at->rank + 1];
	return put_like(job, n, &like);
}

/* GridSample: places of a picture that come in, each between its neighbours. */
int paleo_onnx_op_grid_sample(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;

	if (!v || !at || v->rank != 4 || at->rank != 4)
		return paleo_onnx_refuse(job, n, "of a value that is not an image");
	struct paleo_onnx_value like = *v;
	like.dims[2] = at->dims[1];
	like.dims[3] = at->dims[2];
	if (paleo_onnx_is_aux(v))
		return put_side(job, n, &like);
	return paleo_onnx_tensor(job, n, 0, &x) ||
	       paleo_onnx_choose(job, n, &x, like.dims, like.rank);
}

/* Quantised: activations are unchanged, as are constants not stored as integers; stored integers
 * are weights. */
int paleo_onnx_op_quantised(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	if (v->state != ONNX_NUMBERS || !v->rank || paleo_onnx_is_float(v->type))
		return paleo_onnx_put(job, n, 0, v);
	struct paleo_onnx_value made = *v;
	paleo_onnx_make_learned(&made, n->inputs[0]);
	made.numbers = NULL;
	made.type = ONNX_FLOAT;
	return paleo_onnx_put(job, n, 0, &made);
}

/* Scores that are NaN: exporters test for it after a softmax, for rows that are all masked. */
int paleo_onnx_op_is_nan(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	return v ? put_side(job, n, v) : paleo_onnx_refuse(job, n, "of nothing");
}
