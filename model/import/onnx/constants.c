/* constants.c - operators that give known numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"

enum { /* fields of AttributeProto */
	ATTRIBUTE_TENSOR = 5
};

/* Replaces `out` by a list of `count` whole numbers, or one alone, of which a copy is made. */
static int put_numbers(struct paleo_onnx_value *out, const double *numbers, int count, int is_list,
		       struct paleo_error *err)
{
	double *copy = malloc(((size_t)count + 1) * sizeof(*copy));

	if (!copy)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	memcpy(copy, numbers, (size_t)count * sizeof(*copy));
	free(out->numbers);
	*out = (struct paleo_onnx_value){
		.state = ONNX_NUMBERS, .type = ONNX_INT64, .rank = is_list, .numbers = copy};
	out->dims[0] = count;
	return PALEO_OK;
}

/* The tensor of an attribute. 0 if there is none. */
static int tensor_of(const struct paleo_onnx_node *n, const char *name,
		     struct paleo_onnx_tensor *out)
{
	struct paleo_onnx_span message, ignored;
	struct paleo_onnx_field f;

	if (!paleo_onnx_attribute(n, name, &message))
		return 0;
	while (paleo_onnx_next(&message, &f) == 1) {
		if (f.number == ATTRIBUTE_TENSOR && f.wire == ONNX_BYTES)
			return !paleo_onnx_read_tensor(f.bytes, out, &ignored);
	}
	return 0;
}

int paleo_onnx_op_constant(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_error *err)
{
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	struct paleo_onnx_span message;
	struct paleo_onnx_tensor t;
	double numbers[ONNX_SIZES_MAX];

	if (tensor_of(n, "value", &t)) {
		const double count = paleo_onnx_tensor_count(&t);
		free(out->numbers);
		*out = (struct paleo_onnx_value){
			.state = ONNX_NUMBERS, .type = t.type, .rank = t.rank};
		memcpy(out->dims, t.dims, sizeof(out->dims));
		if (count > ONNX_NUMBERS_MAX)
			return PALEO_OK;
		out->numbers = calloc((size_t)count + 1, sizeof(double));
		if (!out->numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		if (!paleo_onnx_tensor_numbers(&t, out->numbers, (int)count))
			return PALEO_OK;
		free(out->numbers);
		out->numbers = NULL;
		return PALEO_OK;
	}
	if (paleo_onnx_attribute(n, "value_int", &message)) {
		numbers[0] = paleo_onnx_int(n, "value_int", 0);
		return put_numbers(out, numbers, 1, 0, err);
	}
	if (paleo_onnx_attribute(n, "value_float", &message)) {
		numbers[0] = paleo_onnx_float(n, "value_float", 0);
		int rc = put_numbers(out, numbers, 1, 0, err);
		out->type = ONNX_FLOAT;
		return rc;
	}
	int count = paleo_onnx_ints(n, "value_ints", numbers, ONNX_SIZES_MAX);
	if (count >= 0 && count <= ONNX_SIZES_MAX)
		return put_numbers(out, numbers, count, 1, err);
	return paleo_onnx_refuse(job, n, "of this form", err);
}

/* Fills a new tensor of these sizes with one number; large ones are left unread. */
static int fill(struct paleo_onnx_value *out, const double *dims, int rank, double number, int type,
		struct paleo_error *err)
{
	struct paleo_onnx_value made = {.state = ONNX_NUMBERS, .type = type, .rank = rank};

	memcpy(made.dims, dims, (size_t)rank * sizeof(*dims));
	const double count = paleo_onnx_count(&made);
	if (count >= 0 && count <= ONNX_NUMBERS_MAX) {
		made.numbers = malloc(((size_t)count + 1) * sizeof(double));
		if (!made.numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		for (size_t i = 0; i < (size_t)count; i++)
			made.numbers[i] = number;
	}
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

int paleo_onnx_op_constant_of_shape(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
				    struct paleo_error *err)
{
	struct paleo_onnx_tensor t = {.type = ONNX_FLOAT};
	double number = 0;
	int rank;
	const double *dims = paleo_onnx_numbers(job, n, 0, &rank);

	if (!dims || rank > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "of a shape that is not known", err);
	if (tensor_of(n, "value", &t))
		paleo_onnx_tensor_numbers(&t, &number, 1);
	return fill(paleo_onnx_out(job, n, 0), dims, rank, number, t.type, err);
}

int paleo_onnx_op_range(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	int a, b, c;
	const double *start = paleo_onnx_numbers(job, n, 0, &a),
		     *limit = paleo_onnx_numbers(job, n, 1, &b),
		     *delta = paleo_onnx_numbers(job, n, 2, &c);

	if (!start || !limit || !delta || a != 1 || b != 1 || c != 1 || *delta == 0)
		return paleo_onnx_refuse(job, n, "of a range that is not known", err);
	const double first = *start, by = *delta, count = ceil((*limit - first) / by);
	if (!(count >= 0 && count <= ONNX_NUMBERS_MAX))
		return paleo_onnx_refuse(job, n, "of a range that is too long", err);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	int rc = fill(out, &count, 1, 0, ONNX_INT64, err);
	for (size_t i = 0; i < (size_t)count && !rc; i++)
		out->numbers[i] = first + by * (double)i;
	return rc;
}

int paleo_onnx_op_shape(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int from = (int)paleo_onnx_int(n, "start", 0), to = (int)paleo_onnx_int(n, "end", v->rank);
	from += from < 0 ? v->rank : 0;
	to += to < 0 ? v->rank : 0;
	if (from < 0 || to > v->rank || from > to)
		return paleo_onnx_refuse(job, n, "of a part that is not there", err);
	double dims[ONNX_RANK_MAX];
	memcpy(dims, v->dims, sizeof(dims));
	return put_numbers(paleo_onnx_out(job, n, 0), dims + from, to - from, 1, err);
}

int paleo_onnx_op_size(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	const double count = paleo_onnx_count(v);
	return put_numbers(paleo_onnx_out(job, n, 0), &count, 1, 0, err);
}
