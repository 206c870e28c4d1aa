/* slice.c - operators that take a part of a value: slices, rows, elements of a sequence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "import/onnx/ops.h"

/* A range along one axis of a value. */
struct range {
	int axis;
	double from, size, step;
};

int paleo_onnx_add_slice(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *behind, int layer, int dim, int from, int size)
{
	const struct paleo_shape s = job->layers[layer].out;
	const int made = paleo_onnx_add_before(job, n, behind, "Slice", &layer, 1);
	int dims[4] = {0};

	paleo_onnx_put_int(job, "dim", dim);
	paleo_onnx_put_int(job, "from", from);
	paleo_onnx_put_int(job, "size", size);
	paleo_shape_dims(&s, dims);
	dims[dim] = size;
	job->layers[made].out = paleo_shape_of(s.rank, dims);
	return made;
}

/* Makes the first step of this axis `taken` ones of a Slice of its dimension. After a GEMM, such as
 * that of packed queries, keys and values, attention reads the slices in place. */
static void take_steps(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_onnx_value *v, int step, int from, int size, int taken)
{
	const struct paleo_onnx_layer *l = &job->layers[v->view.layer];
	struct paleo_onnx_atom *a = &v->view.atoms[step];
	const int dim = paleo_onnx_file_dim(&l->out, a->axis);

	const int packed = !strcmp(l->type, "InnerProduct");

	v->view.layer = paleo_onnx_add_slice(job, n, "", v->view.layer, dim, from, size);
	if (packed)
		paleo_onnx_put_flag(job, "view", 1);
	a->size = taken;
	if (taken == 1) {
		v->view.count--;
		memmove(a, a + 1, (size_t)(v->view.count - step) * sizeof(*a));
	}
}

/* One part of a dimension with outer steps: the surrounding elements move together. */
static int cut_inside(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v, const struct range *r)
{
	int first, count;

	paleo_onnx_view_axis(v, r->axis, &first, &count);
	if (count != 1)
		return 1;
	const struct paleo_onnx_atom a = v->view.atoms[first];
	const int whole = paleo_onnx_axis_size(&job->layers[v->view.layer].out, a.axis),
		  taken = (int)r->size;
	for (int i = 0; i < v->view.count; i++) {
		struct paleo_onnx_atom *o = &v->view.atoms[i];
		if (o->axis == a.axis && o->stride > a.stride)
			o->stride = o->stride / a.size * taken;
	}
	take_steps(job, n, v, first, 0, whole / a.size * taken, taken);
	v->dims[r->axis] = r->size;
	return 0;
}

/* Every `step`th number of the axis: it becomes two, of which the second has one place alone. */
static int thin(struct paleo_onnx_value *v, struct range *r, double step)
{
	struct paleo_onnx_value made = *v;

	if (v->rank == ONNX_RANK_MAX || fmod(v->dims[r->axis], step) != 0 ||
	    r->size * step != v->dims[r->axis] || r->from >= step)
		return -1;
	memmove(made.dims + r->axis + 1, made.dims + r->axis,
		(size_t)(v->rank - r->axis) * sizeof(made.dims[0]));
	made.rank++;
	made.dims[r->axis] = r->size;
	made.dims[++r->axis] = step;
	r->size = 1;
	if (paleo_onnx_view_reshape(&made.view, made.dims, made.rank))
		return -1;
	*v = made;
	return 0;
}

/* A layer for the range, or for one step of those that a layer's dimension is divided into. 1 where
 * it cannot be. */
static int cut(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
	       struct paleo_onnx_value *v, const struct range *r)
{
	int first, count, inner = 1;

	if (r->from == 0 && r->size == v->dims[r->axis])
		return 0;
	paleo_onnx_view_axis(v, r->axis, &first, &count);
	const struct paleo_onnx_atom *a = &v->view.atoms[first];
	for (int i = 1; i < count; i++)
		inner *= a[i].size;
	if (!count || a->axis == ONNX_N || a->axis == ONNX_AXES || fmod(r->from, inner) != 0 ||
	    fmod(r->size, inner) != 0)
		return 1;
	if (a->size * a->stride != paleo_onnx_axis_size(&job->layers[v->view.layer].out, a->axis))
		return cut_inside(job, n, v, r);
	const int taken = (int)(r->size / inner), from = (int)(r->from / inner);
	take_steps(job, n, v, first, from * a->stride, taken * a->stride, taken);
	v->dims[r->axis] = r->size;
	return 0;
}

/* Slices a value that is not a layer's output: lists of known numbers stay known. */
static int cut_aux(struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		   const struct range *r, struct paleo_onnx_value *out)
{
	const double whole = v->dims[r->axis];
	struct paleo_onnx_value made = *v;
	size_t inner = 1;

	for (int i = r->axis + 1; i < v->rank; i++)
		inner *= (size_t)v->dims[i];
	made.dims[r->axis] = r->size;
	if (v->numbers) {
		const size_t size = (size_t)r->size * inner, old = (size_t)whole * inner;
		const size_t outer = old ? (size_t)paleo_onnx_count(v) / old : 0;
		made.numbers = paleo_onnx_new_numbers(job, (double)(outer * size));
		for (size_t i = 0; made.numbers && i < outer * size; i++) {
			const size_t k = i % size / inner;
			const size_t at = (size_t)(r->from + (double)k * r->step);
			made.numbers[i] = v->numbers[i / size * old + at * inner + i % inner];
		}
	}
	made.learned = whole > 0 ? v->learned * r->size / whole : 0;
	if (made.learned < v->learned) /* each part is learned by itself */
		made.source = 1 + (int)(out - job->values);
	*out = made;
	return 0;
}

/* No numbers at all, as the part of heads behind the last one that is turned. */
static int take_nothing(struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int axis,
			struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = {.state = ONNX_NUMBERS, .type = v->type, .rank = v->rank};

	memcpy(made.dims, v->dims, sizeof(made.dims));
	made.dims[axis] = 0;
	made.numbers = paleo_onnx_new_numbers(job, 0);
	*out = made;
	return 0;
}

/* Changes the value's layout so that the axis is a separate dimension. */
static int lay_for(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_onnx_value *v, int axis)
{
	const int last = v->rank - 1;

	if (v->rank == 4)
		return paleo_onnx_as_picture(job, n, v);
	return paleo_onnx_lay(job, n, v, axis, axis == last ? last : axis + 1);
}

/* The range of `v`, in which `step` numbers lie between two, into `out`, a value of the job's. */
static int take(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		struct paleo_onnx_value *v, struct paleo_onnx_value *out, const struct range *given)
{
	struct range r = *given;

	if (paleo_onnx_is_aux(v))
		return cut_aux(job, v, &r, out);
	if (r.size == 0)
		return take_nothing(job, v, r.axis, out);
	if (paleo_onnx_turn_part(job, n, v, r.axis) &&
	    (r.size < v->dims[r.axis] || v->state == ONNX_TURN)) {
		paleo_onnx_turn_begin(v, out);
		out->dims[r.axis] = r.size;
		return 0;
	}
	paleo_onnx_settle(job, v);
	if (v->state == ONNX_PADDED)
		paleo_onnx_surround(job, n, v);
	if (v->state != ONNX_TENSOR)
		return paleo_onnx_refuse(job, n, "of a value that is not a layer's output");
	struct paleo_onnx_value x = *v;
	const int thinned = r.step != 1 && !thin(&x, &r, r.step);
	int is_none = r.step == 1 || thinned ? cut(job, n, &x, &r) : 1;
	if (is_none && r.step == 1) { /* in an order that has to be made first */
		x = *v;
		is_none = lay_for(job, n, &x, r.axis) || cut(job, n, &x, &r);
	}
	if (is_none) { /* one by one */
		x = *v;
		x.dims[given->axis] = given->size;
		return paleo_onnx_choose(job, n, &x, x.dims, x.rank);
	}
	if (thinned)
		paleo_onnx_drop_axes(&x, 1 << r.axis, 0);
	*out = x;
	return 0;
}

int paleo_onnx_part(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *v, int axis, double from, double size)
{
	const struct range r = {axis, from, size, 1};

	return take(job, n, v, paleo_onnx_out(job, n, 0), &r);
}

/* A bound of Slice as an index, those from the end and beyond it resolved. */
static double index_of(double given, double size)
{
	double index = given < 0 ? given + size : given;

	return index > 0 ? fmin(index, size) : 0; /* 0 of what is no number, too */
}

/* The range given by one entry of Slice's lists. 0; 1 if it is the whole axis; -1 if it is
 * invalid. */
static int range_of(const struct paleo_onnx_value *v, double from, double to, struct range *r)
{
	const double size = v->dims[r->axis];
	double first = index_of(from, size), last = index_of(to, size);
	const int auxiliary = paleo_onnx_is_aux(v);

	if (r->step < 0 && auxiliary) { /* backwards, to before the first one */
		first = first < size ? first : size - 1;
		last = to < -size ? -1 : last;
	}
	if (r->step == 1 && first == 0 && last == size)
		return 1;
	const double taken = r->step == 0 || size < 1 ? 0 : ceil((last - first) / r->step);
	if (r->step < 1 && !auxiliary)
		return -1;
	r->from = first;
	r->size = taken > 0 ? taken : 0;
	return 0;
}

/* One range after another. Their lists are inputs since opset 10, attributes before. */
int paleo_onnx_op_slice(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);
	double from[ONNX_RANK_MAX], to[ONNX_RANK_MAX], axes[ONNX_RANK_MAX], steps[ONNX_RANK_MAX];
	const int count = paleo_onnx_list(job, n, 1, "starts", from, ONNX_RANK_MAX);

	if (!v || count < 1 || paleo_onnx_list(job, n, 2, "ends", to, ONNX_RANK_MAX) != count)
		return paleo_onnx_refuse(job, n, "of an unknown range");
	const int named = paleo_onnx_list(job, n, 3, "axes", axes, ONNX_RANK_MAX),
		  stepped = paleo_onnx_list(job, n, 4, "steps", steps, ONNX_RANK_MAX);
	paleo_onnx_settle(job, v);
	struct paleo_onnx_value now = *v;
	for (int i = 0; i < count && now.state != ONNX_UNKNOWN; i++) {
		struct range r = {.axis = named == count ? paleo_onnx_fit_int(axes[i]) : i,
				  .step = stepped == count ? steps[i] : 1};
		r.axis += r.axis < 0 ? v->rank : 0;
		const int all =
			r.axis < 0 || r.axis >= v->rank ? -1 : range_of(&now, from[i], to[i], &r);
		if (all > 0)
			continue;
		if (!all)
			take(job, n, &now, out, &r);
		else
			paleo_onnx_refuse(job, n, "of an empty or reversed range");
		if (all < 0 || out->state == ONNX_UNKNOWN)
			now.state = ONNX_UNKNOWN;
		else
			now = *out;
	}
	*out = now;
	return now.state == ONNX_UNKNOWN;
}

int paleo_onnx_op_split(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double sizes[ONNX_SIZES_MAX], at = 0;

	if (!v || n->output_count > ONNX_SIZES_MAX)
		return paleo_onnx_refuse(job, n, "into so many parts");
	const int axis = paleo_onnx_axis(n, 0, v->rank);
	if (axis < 0)
		return paleo_onnx_refuse(job, n, "along an invalid axis");
	const int given = paleo_onnx_list(job, n, 1, "split", sizes, ONNX_SIZES_MAX);
	const double whole = v->dims[axis], even = ceil(whole / n->output_count);
	for (int i = 0; i < n->output_count; i++) {
		const double left = whole - at;
		const double size = given == n->output_count ? sizes[i] : fmin(even, left);
		const struct range r = {axis, at, size, 1};
		if (size < 0 || at + size > whole)
			return paleo_onnx_refuse(job, n, "into parts that do not fit");
		take(job, n, v, paleo_onnx_out(job, n, i), &r);
		at += size;
	}
	return 0;
}

/* The list itself is auxiliary; its parts are sliced on demand. */
int paleo_onnx_op_split_to_sequence(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value made = {.state = ONNX_SIDE, .by = n->number};

	return paleo_onnx_in(job, n, 0) ? paleo_onnx_put(job, n, 0, &made)
					: paleo_onnx_refuse(job, n, "of nothing");
}

/* Start and size of part `k` of the whole: parts are as large as the numbers say, or all as large
 * as one number, or 1. 0, or -1. */
static int place(const double *sizes, int count, double whole, int k, double *from, double *size)
{
	const double each = count ? sizes[0] : 1;
	double at = 0;

	for (int i = 0; count > 1 && i < k && i < count; i++)
		at += sizes[i];
	*from = count > 1 ? at : each * k;
	*size = count > 1 ? (k < count ? sizes[k] : 0) : fmin(each, whole - *from);
	return *from >= 0 && *size >= 1 && *from + *size <= whole ? 0 : -1;
}

int paleo_onnx_op_sequence_at(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *list = paleo_onnx_in(job, n, 0);
	const struct paleo_onnx_node *split = list ? &job->graph->nodes[list->by] : NULL;
	int count, sizes;
	const double *index = paleo_onnx_numbers(job, n, 1, &count);

	if (!split || !paleo_onnx_span_is(split->type, "SplitToSequence") || !index || count != 1)
		return paleo_onnx_refuse(job, n, "of a list that is not a split");
	struct paleo_onnx_value *v = paleo_onnx_in(job, split, 0);
	const double *given = paleo_onnx_numbers(job, split, 1, &sizes);
	const int axis = paleo_onnx_axis(split, 0, v->rank);
	double from, size;
	if (axis < 0 || !(*index >= 0 && *index <= v->dims[axis]) ||
	    (!given && paleo_onnx_in(job, split, 1)) ||
	    place(given, sizes, v->dims[axis], (int)*index, &from, &size))
		return paleo_onnx_refuse(job, n, "of an unknown part");
	if (paleo_onnx_part(job, n, v, axis, from, size))
		return 1;
	/* parts of one number may lose their axis */
	if (!given && paleo_onnx_int(split, "keepdims", 1) == 0)
		paleo_onnx_drop_axes(paleo_onnx_out(job, n, 0), 1 << axis, 0);
	return 0;
}

/* Rows of a learned table, one for each number that comes in. */
static int look_up(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   const struct paleo_onnx_value *table, const struct paleo_onnx_value *tokens)
{
	if (table->rank != 2 || tokens->rank < 1 || tokens->rank > 2 ||
	    !paleo_onnx_is_small(table) || !paleo_onnx_is_small(tokens) ||
	    paleo_onnx_int(n, "axis", 0) != 0)
		return paleo_onnx_refuse(job, n, "of a table of another form");
	const int t = job->tokens_first, batch = tokens->rank == 2 ? (int)tokens->dims[t] : 1,
		  length = (int)tokens->dims[t ? 0 : tokens->rank - 1];
	const struct paleo_shape s = paleo_onnx_sequence(batch, length, (int)table->dims[1]);
	return paleo_onnx_embed(job, n, (int)table->dims[0], &s);
}

static int is_in_order(const double *index, int count)
{
	for (int i = 0; i < count; i++) {
		if (index[i] != i)
			return 0;
	}
	return 1;
}

/* Shape of a Gather along the axis of `v` with indices `at`. */
static struct paleo_onnx_value gathered(const struct paleo_onnx_value *v, int axis,
					const struct paleo_onnx_value *at)
{
	struct paleo_onnx_value made = *v;

	made.numbers = NULL;
	made.rank = v->rank - 1 + at->rank;
	for (int i = 0; i < made.rank; i++)
		made.dims[i] = i < axis              ? v->dims[i]
			       : i < axis + at->rank ? at->dims[i - axis]
						     : v->dims[i - at->rank + 1];
	return made;
}

/* An embedding table stored as integers is a parameter. */
static void learn_table(const struct paleo_onnx_node *n, struct paleo_onnx_value *v,
			const struct paleo_onnx_value *at)
{
	if (v->state == ONNX_NUMBERS && v->rank == 2 &&
	    (at->state == ONNX_SIDE || at->state == ONNX_NUMBERS) &&
	    (v->type == ONNX_INT8 || v->type == ONNX_UINT8))
		paleo_onnx_make_learned(v, n->inputs[0]);
}

/* One index: a part of size 1, without its axis if the index is a scalar. */
static int gather_one(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v, int axis, double index, int is_list)
{
	const struct range r = {axis, index_of(index, v->dims[axis]), 1, 1};
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);

	if (r.from >= v->dims[axis])
		return paleo_onnx_refuse(job, n, "beyond the end");
	if (take(job, n, v, out, &r))
		return 1;
	if (out->rank && !is_list)
		paleo_onnx_drop_axes(out, 1 << axis, 0);
	return 0;
}

/* Gathers from a value that is not a layer's output: lists of known numbers stay known. */
static int gather_aux(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *v, struct paleo_onnx_value *made)
{
	int count;
	const double *index = paleo_onnx_numbers(job, n, 1, &count);

	/* The whole table was learned, also if not all of it is looked up. */
	made->learned = v->state == ONNX_WEIGHT ? v->learned : 0;
	if (index && v->numbers && v->rank == 1)
		made->numbers = paleo_onnx_new_numbers(job, count);
	for (int i = 0; made->numbers && i < count; i++) {
		const double k = index_of(index[i], v->dims[0]);
		made->numbers[i] = k < v->dims[0] ? v->numbers[(size_t)k] : 0;
	}
	return paleo_onnx_put(job, n, 0, made);
}

int paleo_onnx_op_gather(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), x;
	const struct paleo_onnx_value *at = paleo_onnx_in(job, n, 1);
	int count;
	const double *index = paleo_onnx_numbers(job, n, 1, &count);

	if (!v || !at || v->rank < 1)
		return paleo_onnx_refuse(job, n, "of nothing");
	const int axis = paleo_onnx_axis(n, 0, v->rank);
	if (axis < 0 || v->rank - 1 + at->rank > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "along an invalid axis");
	learn_table(n, v, at);
	/* places or distances, not tokens */
	const int places =
		job->batch &&
		(at->rank > 2 || (at->rank == 2 && at->dims[job->tokens_first] != job->batch));
	if (v->state == ONNX_WEIGHT && at->state == ONNX_SIDE && !places)
		return look_up(job, n, v, at);
	if (index && count == 1)
		return gather_one(job, n, v, axis, index[0], at->rank > 0);
	struct paleo_onnx_value made = gathered(v, axis, at);
	if (paleo_onnx_is_aux(v))
		return gather_aux(job, n, v, &made);
	if (v->rank == 1 && index && count == v->dims[0] && is_in_order(index, count))
		return paleo_onnx_resize(job, n, at->dims, at->rank);
	return paleo_onnx_tensor(job, n, 0, &x) || /* rows in any order */
	       paleo_onnx_choose(job, n, &x, made.dims, made.rank);
}
