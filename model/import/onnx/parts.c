/* parts.c - operators that take a part of a value, or put values together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/turn.h"

/* A range along one axis of a value. */
struct range {
	int axis;
	double from, size, step;
};

/* The dimension as net files count it. */
static int file_dim(const struct paleo_shape *s, enum paleo_onnx_axis axis)
{
	return axis == ONNX_C ? s->rank - 1 : axis == ONNX_W ? 2 : 1;
}

/* 1 if nothing but attention reads what the node gives: its products take it where it lies. A
 * Slice, Split or Gather whose outputs go through MatMul is that of packed queries, keys, values.
 */
static int is_packed(const struct paleo_onnx_value *v, const struct paleo_onnx_job *job)
{
	return !strcmp(job->layers[v->view.layer].type, "InnerProduct");
}

/* One part of a dimension that is divided by steps further out: what lies around it moves together.
 */
static int cut_inside(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *v, const struct range *r, struct paleo_error *err)
{
	int first, count;

	paleo_onnx_view_axis(v, r->axis, &first, &count);
	const struct paleo_onnx_atom a = v->view.atoms[first];
	const struct paleo_shape s = job->layers[v->view.layer].out;
	if (count != 1)
		return 1;
	const int dim = file_dim(&s, a.axis), taken = (int)r->size;
	const int left = paleo_onnx_axis_size(&s, a.axis) / a.size * taken;
	int dims[4];
	int layer = paleo_onnx_add_layer(job, n, "Slice", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "dim", dim);
	paleo_onnx_put_int(job, "from", 0);
	paleo_onnx_put_int(job, "size", left);
	if (is_packed(v, job))
		paleo_onnx_put_flag(job, "view", 1);
	paleo_shape_dims(&s, dims);
	dims[dim] = left;
	job->layers[layer].out = paleo_shape_of(s.rank, dims);
	v->view.layer = layer;
	v->dims[r->axis] = r->size;
	for (int i = 0; i < v->view.count; i++) {
		struct paleo_onnx_atom *o = &v->view.atoms[i];
		if (o->axis == a.axis && o->stride > a.stride)
			o->stride = o->stride / a.size * taken;
	}
	v->view.atoms[first].size = taken;
	if (taken == 1) {
		v->view.count--;
		memmove(&v->view.atoms[first], &v->view.atoms[first + 1],
			(size_t)(v->view.count - first) * sizeof(a));
	}
	return PALEO_OK;
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

/* A layer for the range, or for one step of those that a layer's dimension is divided into. 0; 1
 * where it cannot be; or ENOMEM. */
static int cut(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
	       struct paleo_onnx_value *v, const struct range *r, struct paleo_error *err)
{
	int first, count, inner = 1;

	if (r->from == 0 && r->size == v->dims[r->axis])
		return PALEO_OK;
	paleo_onnx_view_axis(v, r->axis, &first, &count);
	struct paleo_onnx_atom *a = &v->view.atoms[first];
	const struct paleo_shape s = job->layers[v->view.layer].out;
	for (int i = 1; i < count; i++)
		inner *= a[i].size;
	if (!count || a->axis == ONNX_N || a->axis == ONNX_AXES || fmod(r->from, inner) != 0 ||
	    fmod(r->size, inner) != 0)
		return 1;
	if (a->size * a->stride != paleo_onnx_axis_size(&s, a->axis))
		return cut_inside(job, n, v, r, err);
	const int dim = file_dim(&s, a->axis), taken = (int)(r->size / inner);
	const int packed = is_packed(v, job);
	int dims[4];
	int layer = paleo_onnx_add_layer(job, n, "Slice", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_int(job, "dim", dim);
	paleo_onnx_put_int(job, "from", (int)(r->from / inner) * a->stride);
	paleo_onnx_put_int(job, "size", taken * a->stride);
	if (packed)
		paleo_onnx_put_flag(job, "view", 1);
	paleo_shape_dims(&s, dims);
	dims[dim] = taken * a->stride;
	job->layers[layer].out = paleo_shape_of(s.rank, dims);
	v->view.layer = layer;
	a->size = taken;
	v->dims[r->axis] = r->size;
	if (taken == 1) {
		v->view.count--;
		memmove(a, a + 1, (size_t)(v->view.count - first) * sizeof(*a));
	}
	return PALEO_OK;
}

/* A part of what is no layer's output: of known numbers in a list they stay known. */
static int cut_beside(struct paleo_onnx_job *job, const struct paleo_onnx_value *v,
		      const struct range *r, struct paleo_onnx_value *out, struct paleo_error *err)
{
	const double whole = v->dims[r->axis];
	double *numbers = NULL;
	size_t inner = 1;

	for (int i = r->axis + 1; i < v->rank; i++)
		inner *= (size_t)v->dims[i];
	if (v->numbers) {
		const size_t size = (size_t)r->size * inner, old = (size_t)whole * inner;
		const size_t outer = old ? (size_t)paleo_onnx_count(v) / old : 0;
		numbers = malloc((outer * size + 1) * sizeof(*numbers));
		if (!numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		for (size_t i = 0; i < outer * size; i++) {
			const size_t k = i % size / inner;
			const size_t at = (size_t)(r->from + (double)k * r->step);
			numbers[i] = v->numbers[i / size * old + at * inner + i % inner];
		}
	}
	struct paleo_onnx_value made = *v;
	made.dims[r->axis] = r->size;
	made.learned = whole > 0 ? v->learned * r->size / whole : 0;
	made.numbers = numbers;
	if (made.learned < v->learned) /* each part is learned by itself */
		made.source = 1 + (int)(out - job->values);
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* No numbers at all, as the part of heads behind the last one that is turned. */
static int take_nothing(const struct paleo_onnx_value *v, int axis, struct paleo_onnx_value *out,
			struct paleo_error *err)
{
	struct paleo_onnx_value made = {.state = ONNX_NUMBERS, .type = v->type, .rank = v->rank};

	memcpy(made.dims, v->dims, sizeof(made.dims));
	made.dims[axis] = 0;
	made.numbers = calloc(1, sizeof(*made.numbers));
	if (!made.numbers)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* Lays the value out so that the axis is a dimension of its own. */
static int lay_for(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   struct paleo_onnx_value *v, int axis, struct paleo_error *err)
{
	const int last = v->rank - 1;

	if (v->rank == 4)
		return paleo_onnx_as_picture(job, n, v, err);
	return paleo_onnx_lay(job, n, v, axis, axis == last ? last : axis + 1, err);
}

/* The range of `v`, in which `step` numbers lie between two, into `out`. */
static int take(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		struct paleo_onnx_value *v, struct paleo_onnx_value *out, const struct range *given,
		struct paleo_error *err)
{
	struct range r = *given;

	if (paleo_onnx_is_beside(v))
		return cut_beside(job, v, &r, out, err);
	if (r.size == 0)
		return take_nothing(v, r.axis, out, err);
	if (paleo_onnx_turn_part(job, n, v, r.axis) &&
	    (r.size < v->dims[r.axis] || v->state == ONNX_TURN)) {
		paleo_onnx_turn_begin(v, out);
		out->dims[r.axis] = r.size;
		return PALEO_OK;
	}
	int rc = v->state == ONNX_POINT    ? paleo_onnx_settle(job, v, err)
		 : v->state == ONNX_PADDED ? paleo_onnx_surround(job, n, v, err)
					   : PALEO_OK;
	if (rc < 0)
		return rc;
	if (v->state != ONNX_TENSOR)
		return paleo_onnx_refuse(job, n, "of what is no layer's output", err);
	struct paleo_onnx_value x = *v;
	x.numbers = NULL;
	const int thinned = r.step != 1 && !thin(&x, &r, r.step);
	rc = r.step == 1 || thinned ? cut(job, n, &x, &r, err) : 1;
	if (rc == 1 && r.step == 1) { /* in an order that has to be made first */
		x = *v;
		x.numbers = NULL;
		rc = lay_for(job, n, &x, r.axis, err);
		if (!rc)
			rc = cut(job, n, &x, &r, err);
	}
	if (rc == 1) { /* one by one */
		double dims[ONNX_RANK_MAX];
		memcpy(dims, v->dims, sizeof(dims));
		dims[given->axis] = given->size;
		return paleo_onnx_choose(job, n, v, dims, v->rank, err);
	}
	if (rc < 0)
		return rc;
	if (thinned) {
		x.rank--;
		memmove(x.dims + r.axis, x.dims + r.axis + 1,
			(size_t)(x.rank - r.axis) * sizeof(x.dims[0]));
	}
	free(out->numbers);
	*out = x;
	return PALEO_OK;
}

int paleo_onnx_part(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		    struct paleo_onnx_value *v, int axis, double from, double size,
		    struct paleo_error *err)
{
	const struct range r = {axis, from, size, 1};

	return take(job, n, v, paleo_onnx_out(job, n, 0), &r, err);
}

/* A bound of Slice as an index, those from the end and beyond it resolved. */
static double index_of(double given, double size)
{
	double index = given < 0 ? given + size : given;

	return index < 0 ? 0 : index > size ? size : index;
}

/* One number of Slice's lists: inputs since opset 10, attributes before. */
static int slice_list(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int input,
		      const char *name, double *out)
{
	int count;
	const double *given = paleo_onnx_numbers(job, n, input, &count);

	if (given && count <= ONNX_RANK_MAX)
		memcpy(out, given, (size_t)count * sizeof(*out));
	else if (paleo_onnx_in(job, n, input))
		return -1;
	else
		count = paleo_onnx_ints(n, name, out, ONNX_RANK_MAX);
	return count > ONNX_RANK_MAX ? -1 : count;
}

/* The range that one entry of Slice's lists says. 0; 1 if it is all of the axis; -1 if it is none.
 */
static int range_of(const struct paleo_onnx_value *v, double from, double to, struct range *r)
{
	const double size = v->dims[r->axis];
	double first = index_of(from, size), last = index_of(to, size);
	const int beside = paleo_onnx_is_beside(v);

	if (r->step < 0 && beside) { /* backwards, to before the first one */
		first = first < size ? first : size - 1;
		last = to < -size ? -1 : last;
	}
	if (r->step == 1 && first == 0 && last == size)
		return 1;
	const double taken = r->step == 0 || size < 1 ? 0 : ceil((last - first) / r->step);
	if (r->step < 1 && !beside)
		return -1;
	r->from = first;
	r->size = taken > 0 ? taken : 0;
	return 0;
}

/* One range after another. */
int paleo_onnx_op_slice(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0), now = {0};
	double from[ONNX_RANK_MAX], to[ONNX_RANK_MAX], axes[ONNX_RANK_MAX], steps[ONNX_RANK_MAX];
	const int count = slice_list(job, n, 1, "starts", from);

	if (!v || count < 1 || slice_list(job, n, 2, "ends", to) != count)
		return paleo_onnx_refuse(job, n, "of a range that is not known", err);
	const int named = slice_list(job, n, 3, "axes", axes),
		  stepped = slice_list(job, n, 4, "steps", steps);
	int rc = v->state == ONNX_POINT ? paleo_onnx_settle(job, v, err) : PALEO_OK;
	if (rc >= 0)
		rc = paleo_onnx_copy(v, &now, err);
	for (int i = 0; i < count && !rc && now.state != ONNX_UNKNOWN; i++) {
		struct range r = {.axis = named == count ? paleo_onnx_fit_int(axes[i]) : i,
				  .step = stepped == count ? steps[i] : 1};
		r.axis += r.axis < 0 ? v->rank : 0;
		const int all =
			r.axis < 0 || r.axis >= v->rank ? -1 : range_of(&now, from[i], to[i], &r);
		if (all > 0)
			continue;
		if (!all)
			rc = take(job, n, &now, out, &r, err);
		else
			rc = paleo_onnx_refuse(job, n, "of a range that is none, or backwards",
					       err);
		if (!rc && (all < 0 || out->state == ONNX_UNKNOWN))
			now.state = ONNX_UNKNOWN;
		else if (!rc)
			rc = paleo_onnx_copy(out, &now, err);
	}
	free(out->numbers);
	*out = now;
	return rc;
}

int paleo_onnx_op_split(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	double sizes[ONNX_SIZES_MAX], at = 0;
	int given, rc = PALEO_OK;
	const double *list = paleo_onnx_numbers(job, n, 1, &given);

	if (!v || n->output_count > ONNX_SIZES_MAX)
		return paleo_onnx_refuse(job, n, "into so many parts", err);
	int axis = (int)paleo_onnx_int(n, "axis", 0);
	axis += axis < 0 ? v->rank : 0;
	if (axis < 0 || axis >= v->rank)
		return paleo_onnx_refuse(job, n, "along an axis that is none", err);
	if (!list)
		given = paleo_onnx_ints(n, "split", sizes, ONNX_SIZES_MAX);
	const double whole = v->dims[axis], even = ceil(whole / n->output_count);
	for (int i = 0; i < n->output_count && !rc; i++) {
		const double left = whole - at;
		const double size = given == n->output_count ? (list ? list[i] : sizes[i])
				    : even < left            ? even
							     : left;
		const struct range r = {axis, at, size, 1};
		if (size < 0 || at + size > whole)
			return paleo_onnx_refuse(job, n, "into parts that do not fit", err);
		rc = take(job, n, v, paleo_onnx_out(job, n, i), &r, err);
		at += size;
	}
	return rc;
}

/* Rows of a learned table, one for each number that comes in. */
static int look_up(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		   const struct paleo_onnx_value *table, const struct paleo_onnx_value *tokens,
		   struct paleo_error *err)
{
	if (table->rank != 2 || tokens->rank < 1 || tokens->rank > 2 ||
	    !paleo_onnx_is_small(table) || !paleo_onnx_is_small(tokens) ||
	    paleo_onnx_int(n, "axis", 0) != 0)
		return paleo_onnx_refuse(job, n, "of a table of another form", err);
	const int batch = tokens->rank == 2 ? (int)tokens->dims[job->tokens_first] : 1;
	const struct paleo_shape s = {
		.rank = 3,
		.n = batch,
		.h = (int)tokens->dims[tokens->rank - 1 - job->tokens_first * (tokens->rank - 1)],
		.w = 1,
		.c = (int)table->dims[1]};
	return paleo_onnx_embed(job, n, (int)table->dims[0], &s, err);
}

static int is_in_order(const double *index, int count)
{
	for (int i = 0; i < count; i++) {
		if (index[i] != i)
			return 0;
	}
	return 1;
}

/* Some rows of a layer's output, in any order: as many as there are numbers. */
static int choose_rows(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int axis,
		       struct paleo_error *err)
{
	const struct paleo_onnx_value *at = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;
	double dims[ONNX_RANK_MAX];
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);

	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int rank = x.rank - 1 + at->rank;
	for (int i = 0; i < rank; i++)
		dims[i] = i < axis              ? x.dims[i]
			  : i < axis + at->rank ? at->dims[i - axis]
						: x.dims[i - at->rank + 1];
	return paleo_onnx_choose(job, n, &x, dims, rank, err);
}

/* A table of words that is stored as whole numbers is learned. */
static void learn_table(const struct paleo_onnx_node *n, struct paleo_onnx_value *v,
			const struct paleo_onnx_value *at)
{
	if (v->state == ONNX_NUMBERS && v->rank == 2 &&
	    (at->state == ONNX_SIDE || at->state == ONNX_NUMBERS) &&
	    (v->type == ONNX_INT8 || v->type == ONNX_UINT8)) {
		v->state = ONNX_WEIGHT;
		v->learned = paleo_onnx_count(v);
		v->source = 1 + n->inputs[0];
	}
}

int paleo_onnx_op_gather(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	const struct paleo_onnx_value *at = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);
	int count;
	const double *index = paleo_onnx_numbers(job, n, 1, &count);

	if (!v || !at || v->rank < 1)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int axis = (int)paleo_onnx_int(n, "axis", 0);
	axis += axis < 0 ? v->rank : 0;
	if (axis < 0 || axis >= v->rank || v->rank - 1 + at->rank > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "along an axis that is none", err);
	learn_table(n, v, at);
	const int places = job->batch && at->rank == 2 && at->dims[job->tokens_first] != job->batch;
	if (v->state == ONNX_WEIGHT && at->state == ONNX_SIDE && !places)
		return look_up(job, n, v, at, err);
	if (index && count == 1) {
		const struct range r = {axis, index_of(index[0], v->dims[axis]), 1, 1};
		if (r.from >= v->dims[axis])
			return paleo_onnx_refuse(job, n, "beyond the end", err);
		int rc = take(job, n, v, out, &r, err);
		if (!rc && out->state && out->rank && !at->rank) {
			memmove(out->dims + axis, out->dims + axis + 1,
				(size_t)(out->rank - axis - 1) * sizeof(out->dims[0]));
			out->rank--;
		}
		return rc;
	}
	if (!paleo_onnx_is_beside(v) && v->rank == 1 && index && count == v->dims[0] &&
	    is_in_order(index, count))
		return paleo_onnx_resize(job, n, at->dims, at->rank, err);
	if (!paleo_onnx_is_beside(v))
		return choose_rows(job, n, axis, err);
	struct paleo_onnx_value made = *v;
	const double per = v->dims[axis] > 0 ? v->learned / v->dims[axis] : 0;
	made.numbers = NULL;
	made.rank = v->rank - 1 + at->rank;
	for (int i = 0; i < made.rank; i++)
		made.dims[i] = i < axis              ? v->dims[i]
			       : i < axis + at->rank ? at->dims[i - axis]
						     : v->dims[i - at->rank + 1];
	/* The whole table was learned, also if not all of it is looked up. */
	made.learned = v->state == ONNX_WEIGHT ? per * v->dims[axis] : 0;
	if (index && v->numbers && v->rank == 1) {
		made.numbers = malloc(((size_t)count + 1) * sizeof(double));
		if (!made.numbers)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		for (int i = 0; i < count; i++) {
			const double k = index_of(index[i], v->dims[0]);
			made.numbers[i] = k < v->dims[0] ? v->numbers[(size_t)k] : 0;
		}
	}
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}
