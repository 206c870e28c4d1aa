/* reduce.c - sums, means and maxima along axes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/onnx/ops.h"

/* A kernel squares in passing; minimum costs as much as maximum, product as sum. */
static const struct {
	const char *type, *op;
} kinds[] = {
	{"ReduceMean", "mean"},     {"ReduceSum", "sum"},       {"ReduceMax", "max"},
	{"ReduceMin", "max"},       {"ReduceProd", "sum"},      {"ReduceL1", "sum"},
	{"ReduceL2", "sum"},        {"ReduceSumSquare", "sum"}, {"ReduceLogSum", "sum"},
	{"ReduceLogSumExp", "sum"}, {"ArgMax", "max"},          {"ArgMin", "max"},
};

static size_t kind_of(const struct paleo_onnx_node *n)
{
	size_t i = 0;

	while (i + 1 < sizeof(kinds) / sizeof(kinds[0]) &&
	       !paleo_onnx_span_is(n->type, kinds[i].type))
		i++;
	return i;
}

/* Axes as flags: an input in newer files, an attribute in older ones. -1: not known. */
static int axes_of(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int rank)
{
	const int all = (1 << rank) - 1, is_arg = paleo_onnx_span_in(n->type, "ArgMax ArgMin");
	double axes[ONNX_RANK_MAX] = {paleo_onnx_int(n, "axis", 0)};
	const int count = is_arg ? 1 : paleo_onnx_list(job, n, 1, "axes", axes, ONNX_RANK_MAX);
	int flags = 0;

	if (count < -1)
		return -1;
	if (count <= 0)
		return paleo_onnx_int(n, "noop_with_empty_axes", 0) != 0 ? 0 : all;
	for (int i = 0; i < count; i++) {
		const int axis = paleo_onnx_fit_int(axes[i] < 0 ? axes[i] + rank : axes[i]);
		if (axis < 0 || axis >= rank)
			return -1;
		flags |= 1 << axis;
	}
	return flags;
}

static double combine(double a, double b, size_t which)
{
	if (!strcmp(kinds[which].type, "ReduceProd"))
		return a * b;
	if (!strcmp(kinds[which].type, "ReduceMin"))
		return a < b ? a : b;
	return strcmp(kinds[which].op, "max") != 0 ? a + b : a > b ? a : b;
}

/* For masks, shapes and tables: known if all axes of known numbers are reduced. */
static int aux(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
	       const struct paleo_onnx_value *v, int flags)
{
	const double count = paleo_onnx_count(v);
	struct paleo_onnx_value made = *v;

	made.numbers = NULL;
	if (v->numbers && flags == (1 << v->rank) - 1 && count >= 1) {
		made.numbers = paleo_onnx_new_numbers(job, 1);
		for (size_t i = 0; made.numbers && i < (size_t)count; i++)
			made.numbers[0] = i ? combine(made.numbers[0], v->numbers[i], kind_of(n))
					    : v->numbers[0];
	} else if (v->state == ONNX_NUMBERS) {
		made.state = ONNX_SIDE;
	}
	paleo_onnx_drop_axes(&made, flags, paleo_onnx_int(n, "keepdims", 1) != 0);
	return paleo_onnx_put(job, n, 0, &made);
}

/* The layer's dimensions that the axes are, as flags; 0 where they are not whole ones. */
static int whole_dims(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v, int flags)
{
	const struct paleo_shape *s = &job->layers[v->view.layer].out;
	int dims = 0;

	for (int i = 0; i < v->rank; i++) {
		int found = v->dims[i] == 1;
		for (enum paleo_onnx_axis a = ONNX_H; a < ONNX_AXES && flags & 1 << i && !found;
		     a++) {
			found = paleo_onnx_axis_size(s, a) > 1 && paleo_onnx_axis_is(job, v, i, a);
			if (found)
				dims |= 1 << paleo_onnx_file_dim(s, a);
		}
		if (flags & 1 << i && !found)
			return 0;
	}
	return dims;
}

/* Takes the steps of these axes out of the value's view. */
static void forget(struct paleo_onnx_value *v, int flags)
{
	struct paleo_onnx_view kept = {.layer = v->view.layer};

	for (int i = 0; i < v->rank; i++) {
		int first, count;
		paleo_onnx_view_axis(v, i, &first, &count);
		for (int k = first; k < first + count && !(flags & 1 << i); k++)
			kept.atoms[kept.count++] = v->view.atoms[k];
	}
	v->view = kept;
}

static void put_dims(struct paleo_onnx_job *job, int flags)
{
	int dims[4] = {0}, count = 0;

	for (int i = 1; i < 4; i++) {
		if (flags & 1 << i)
			dims[count++] = i;
	}
	paleo_onnx_put_ints(job, "dims", count, dims[0], dims[1], dims[2], 0);
}

static int reduce(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *op,
		  struct paleo_onnx_value *x, int flags)
{
	int dims = whole_dims(job, x, flags), sizes[4];

	if (!dims && paleo_onnx_lay_apart(job, n, x, flags))
		return paleo_onnx_refuse(job, n, "across the images of a batch");
	const struct paleo_shape s = job->layers[x->view.layer].out;
	if (!dims || s.rank == 2)
		dims = s.rank == 2 ? 1 << 1 : 1 << 2;
	int layer = paleo_onnx_add_layer(job, n, "Reduce", &x->view.layer, 1);
	paleo_onnx_put_word(job, "op", op);
	put_dims(job, dims);
	paleo_shape_dims(&s, sizes);
	for (int i = 1; i < s.rank; i++)
		sizes[i] = dims & 1 << i ? 1 : sizes[i];
	job->layers[layer].out = paleo_shape_of(s.rank, sizes);
	forget(x, flags);
	x->view.layer = layer;
	for (int i = 0; i < x->rank; i++)
		x->dims[i] = flags & 1 << i ? 1 : x->dims[i];
	return 0;
}

void paleo_onnx_settle_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_onnx_value *v)
{
	struct paleo_onnx_value x = *v;

	x.state = ONNX_TENSOR;
	if (reduce(job, n, "mean", &x, 1 << v->mean_axis))
		v->state = ONNX_UNKNOWN;
	else
		*v = x;
}

/* TopK: the scores are read once and the best of them written; that is the least it can take. Where
 * they lie is known when the net runs. */
int paleo_onnx_op_top_k(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value x, best = {.state = ONNX_SIDE, .type = ONNX_INT64};
	int count;
	const double *given = paleo_onnx_numbers(job, n, 1, &count);
	const double taken = given && count == 1 ? *given : paleo_onnx_int(n, "k", 0);
	const int axis = v ? paleo_onnx_axis(n, -1, v->rank) : -1;

	if (axis < 0 || !(taken >= 1 && taken <= v->dims[axis]))
		return paleo_onnx_refuse(job, n, "of an unknown or invalid number");
	best.rank = v->rank;
	memcpy(best.dims, v->dims, sizeof(best.dims));
	best.dims[axis] = taken;
	if (paleo_onnx_is_aux(v)) {
		paleo_onnx_put(job, n, 1, &best);
		best.type = v->type;
		return paleo_onnx_put(job, n, 0, &best);
	}
	if (paleo_onnx_tensor(job, n, 0, &x) || reduce(job, n, "max", &x, 1 << axis))
		return 1;
	paleo_onnx_choose(job, n, &x, best.dims, best.rank);
	return paleo_onnx_put(job, n, 1, &best);
}

/* A mean over height and width is a pooling; that over channels may be a step of a normalisation.
 */
int paleo_onnx_op_reduce(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	const size_t kind = kind_of(n);
	struct paleo_onnx_value x;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	const int flags = axes_of(job, n, v->rank), keep = paleo_onnx_int(n, "keepdims", 1) != 0;
	if (flags < 0)
		return paleo_onnx_refuse(job, n, "along unknown axes");
	if (paleo_onnx_is_aux(v))
		return aux(job, n, v, flags);
	if (keep && !strcmp(kinds[kind].type, "ReduceMean") && paleo_onnx_stat_mean(job, n))
		return 0;
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (x.rank == 4 && flags == 12 && !strcmp(kinds[kind].op, "mean") &&
	    paleo_onnx_axis_is(job, &x, 1, ONNX_C) && !paleo_onnx_as_picture(job, n, &x))
		return paleo_onnx_pool_pixels(job, n, &x, keep);
	if (!flags)
		return paleo_onnx_put(job, n, 0, &x);
	if (reduce(job, n, kinds[kind].op, &x, flags))
		return 1;
	paleo_onnx_drop_axes(&x, flags, keep);
	return paleo_onnx_put(job, n, 0, &x);
}
