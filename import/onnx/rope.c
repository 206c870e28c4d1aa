/* rope.c - rotary positions, as exporters write them: parts of heads, tables of factors, sums. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/onnx/ops.h"

int paleo_onnx_heads_along(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
			   int axis)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	int first, count;

	paleo_onnx_view_axis(v, axis, &first, &count);
	const struct paleo_onnx_atom *a = &v->view.atoms[first];
	if (s->rank != 3 || count != 1 || a->axis != ONNX_C || a->stride != 1 || s->c % a->size)
		return 0;
	return s->c / a->size;
}

int paleo_onnx_heads_in(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	return v->rank == 4 ? paleo_onnx_heads_along(job, v, 3) : 0;
}

int paleo_onnx_turn_part(const struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const struct paleo_onnx_value *v, int axis)
{
	if (v->state == ONNX_TURN)
		return 1;
	if (job->no_turns)
		return 0;
	/* three parts are queries, keys and values of each head */
	return v->state == ONNX_TENSOR && axis == 3 && n->output_count < 3 &&
	       paleo_onnx_heads_in(job, v) > 0;
}

void paleo_onnx_turn_begin(const struct paleo_onnx_value *v, struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = *v;

	if (v->state != ONNX_TURN)
		memcpy(made.whole, v->dims, sizeof(made.whole));
	made.state = ONNX_TURN;
	made.numbers = NULL;
	*out = made;
}

static int is_whole(const struct paleo_onnx_value *v)
{
	for (int i = 0; i < 4; i++) {
		if (v->dims[i] != v->whole[i])
			return 0;
	}
	return v->rank == 4;
}

int paleo_onnx_add_rope(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			const char *behind, int layer, int heads, int numbers)
{
	const int rope = paleo_onnx_add_before(job, n, behind, "Rope", &layer, 1);

	paleo_onnx_put_int(job, "heads", heads);
	paleo_onnx_put_int(job, "rope", numbers);
	return rope;
}

enum role {
	ROLE_NONE, /* reads whole heads */
	ROLE_JOIN,
	ROLE_CONCAT,
	ROLE_SAME,
	ROLE_PLACE /* done by its own converter */
};

static enum role role_of(const struct paleo_onnx_node *n)
{
	static const struct {
		const char *types;
		enum role role;
	} roles[] = {
		{"Mul Add Sub", ROLE_JOIN},
		{"Concat", ROLE_CONCAT},
		{"Neg Cast Identity QuantizeLinear DequantizeLinear", ROLE_SAME},
		{"Reshape Flatten Squeeze Unsqueeze Slice Split", ROLE_PLACE},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (paleo_onnx_span_in(n->type, roles[i].types))
			return roles[i].role;
	}
	return ROLE_NONE;
}

/* 1 if `table` has a factor for each place and number of a head. */
static int is_table(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		    const struct paleo_onnx_value *table)
{
	if (v->state != ONNX_TENSOR || !paleo_onnx_is_aux(table) || table->rank < 2 ||
	    !paleo_onnx_heads_in(job, v) || table->dims[table->rank - 1] != v->dims[3])
		return 0;
	return paleo_onnx_count(table) > v->dims[3] || table->rank > 2;
}

static int count_turns(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	int turns = 0;

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		turns += v && v->state == ONNX_TURN;
	}
	return turns;
}

/* Not a rotary embedding after all: converts everything again without it. */
static int refuse(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *why)
{
	job->not_turned = 1;
	return paleo_onnx_refuse(job, n, why);
}

/* A sum or product of parts, or of one and a table. */
static void join(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis)
{
	const struct paleo_onnx_value *first = NULL;

	for (int i = 0; i < n->input_count && !first; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		first = v && v->state == ONNX_TURN ? v : NULL;
	}
	if (!first)
		return;
	struct paleo_onnx_value made = *first;
	if (axis >= 0)
		made.dims[axis] = 0;
	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		const int same = v && (v->state == ONNX_TURN || v->state == ONNX_TENSOR) &&
				 v->view.layer == first->view.layer;
		if (v && axis >= 0 && paleo_onnx_count(v) == 0)
			continue; /* nothing is left of heads that are turned whole */
		if (!v || (axis < 0 ? !same && !paleo_onnx_is_aux(v) : !same) ||
		    v->rank > made.rank) {
			refuse(job, n, "of a part of heads and another value");
			return;
		}
		if (axis >= 0)
			made.dims[axis] += v->dims[axis];
		for (int k = 0; axis < 0 && k < v->rank; k++) {
			double *to = &made.dims[made.rank - v->rank + k];
			*to = v->dims[k] > *to ? v->dims[k] : *to;
		}
	}
	paleo_onnx_turn_begin(&made, paleo_onnx_out(job, n, 0));
}

/* Makes layers of whole heads, where the node is not a step of a rotary embedding. */
static void settle_whole(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 enum role role)
{
	int by_number = role == ROLE_JOIN && count_turns(job, n) == 1;

	for (int i = 0; i < n->input_count && by_number; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		by_number = v && (v->state == ONNX_TURN ||
				  (v->state == ONNX_NUMBERS && paleo_onnx_count(v) == 1));
	}
	for (int i = 0; i < n->input_count; i++) {
		struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (!v || v->state != ONNX_TURN || !is_whole(v) ||
		    !(by_number || role == ROLE_NONE || role == ROLE_PLACE))
			continue;
		const int heads = paleo_onnx_heads_in(job, v);
		v->state = ONNX_TENSOR;
		v->view.layer =
			paleo_onnx_add_rope(job, n, "/rope", v->view.layer, heads, (int)v->dims[3]);
	}
}

int paleo_onnx_turn(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const enum role role = role_of(n);
	const struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);

	if (job->no_turns)
		return 0;
	if (a && b && paleo_onnx_span_is(n->type, "Mul") &&
	    (is_table(job, a, b) || is_table(job, b, a))) {
		paleo_onnx_turn_begin(is_table(job, a, b) ? a : b, paleo_onnx_out(job, n, 0));
		return 1;
	}
	settle_whole(job, n, role);
	if (!count_turns(job, n) || role == ROLE_PLACE)
		return 0;
	const int axis =
		role == ROLE_CONCAT ? paleo_onnx_axis(n, 0, a ? a->rank : ONNX_RANK_MAX) : -1;
	if (role == ROLE_NONE)
		refuse(job, n, "of a part of heads");
	else if (role == ROLE_SAME && a)
		paleo_onnx_put(job, n, 0, a);
	else if (role == ROLE_CONCAT && axis < 0)
		paleo_onnx_refuse(job, n, "along an invalid axis");
	else
		join(job, n, axis);
	return 1;
}
