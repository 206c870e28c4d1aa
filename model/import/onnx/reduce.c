/* reduce.c - sums, means and maxima along axes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/stat.h"

/* A kernel squares on the way; the smallest costs as the largest, a product as a sum. */
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

/* Which axes, as flags: an input in newer files, an attribute in older ones. -1: not known. */
static int axes_of(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int rank)
{
	const int all = (1 << rank) - 1;
	double axes[ONNX_RANK_MAX];
	int count, flags = 0;

	if (paleo_onnx_span_is(n->type, "ArgMax") || paleo_onnx_span_is(n->type, "ArgMin")) {
		axes[0] = paleo_onnx_int(n, "axis", 0);
		count = 1;
	} else if (paleo_onnx_in(job, n, 1)) {
		const double *given = paleo_onnx_numbers(job, n, 1, &count);
		if (!given || count > ONNX_RANK_MAX)
			return -1;
		memcpy(axes, given, (size_t)count * sizeof(*axes));
	} else {
		count = paleo_onnx_ints(n, "axes", axes, ONNX_RANK_MAX);
	}
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

/* The value without these axes, or with 1 instead. */
static void drop_axes(struct paleo_onnx_value *v, int flags, int keep)
{
	int rank = 0;

	for (int i = 0; i < v->rank; i++) {
		if (!(flags & 1 << i))
			v->dims[rank++] = v->dims[i];
		else if (keep)
			v->dims[rank++] = 1;
	}
	v->rank = rank;
}

static double product(double a, double b, size_t which)
{
	static const char *const types[] = {"ReduceProd", "ReduceMin"};

	if (!strcmp(kinds[which].type, types[0]))
		return a * b;
	if (!strcmp(kinds[which].type, types[1]))
		return a < b ? a : b;
	return strcmp(kinds[which].op, "max") != 0 ? a + b : a > b ? a : b;
}

/* Of masks, shapes and tables: known if all axes of known numbers go. */
static int beside(const struct paleo_onnx_node *n, const struct paleo_onnx_value *v, int flags,
		  struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value made = *v;
	const double count = paleo_onnx_count(v);
	double *one = NULL;

	if (v->numbers && flags == (1 << v->rank) - 1 && count >= 1) {
		one = malloc(2 * sizeof(*one));
		if (!one)
			return paleo_fail(err, PALEO_ENOMEM, "out of memory");
		one[0] = v->numbers[0];
		for (size_t i = 1; i < (size_t)count; i++)
			one[0] = product(one[0], v->numbers[i], kind_of(n));
	} else if (v->state == ONNX_NUMBERS) {
		made.state = ONNX_SIDE;
	}
	drop_axes(&made, flags, paleo_onnx_int(n, "keepdims", 1) != 0);
	made.numbers = one;
	free(out->numbers);
	*out = made;
	return PALEO_OK;
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
				dims |= 1 << (a == ONNX_C ? s->rank - 1 : a == ONNX_W ? 2 : 1);
		}
		if (flags & 1 << i && !found)
			return 0;
	}
	return dims;
}

/* Lays the value out with these axes as its features. */
static int lay_apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		     struct paleo_onnx_value *v, int flags, struct paleo_error *err)
{
	struct paleo_onnx_value turned = *v;
	int perm[ONNX_RANK_MAX], back[ONNX_RANK_MAX], count = 0, kept = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < v->rank; i++) {
			if (!(flags & 1 << i) == !pass)
				perm[count++] = i;
		}
		kept = pass ? kept : count;
	}
	for (int i = 0; i < v->rank; i++) {
		turned.dims[i] = v->dims[perm[i]];
		back[perm[i]] = i;
	}
	paleo_onnx_view_transpose(&turned.view, v->dims, v->rank, perm);
	int rc = paleo_onnx_lay(job, n, &turned, kept, kept, err);
	if (rc)
		return rc;
	paleo_onnx_view_transpose(&turned.view, turned.dims, v->rank, back);
	v->view = turned.view;
	return PALEO_OK;
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
		  struct paleo_onnx_value *x, int flags, struct paleo_error *err)
{
	int dims = whole_dims(job, x, flags), sizes[4], rc = PALEO_OK;

	if (!dims) {
		rc = lay_apart(job, n, x, flags, err);
		dims = 1 << 2;
	}
	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "across the images of a batch", err);
	const struct paleo_shape s = job->layers[x->view.layer].out;
	if (s.rank == 2)
		dims = 1 << 1;
	int layer = paleo_onnx_add_layer(job, n, "Reduce", &x->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
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
	return PALEO_OK;
}

int paleo_onnx_settle_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_onnx_value *v, struct paleo_error *err)
{
	const int layers = job->layer_count;
	struct paleo_onnx_value x = *v;

	x.state = ONNX_TENSOR;
	int rc = reduce(job, n, "mean", &x, 1 << v->mean_axis, err);
	if (!rc && job->layer_count > layers && x.view.layer == job->layer_count - 1)
		*v = x;
	else
		v->state = ONNX_UNKNOWN;
	return rc;
}

/* TopK: the scores are read once and the best of them written; that is the least it can take. Where
 * they lie is known when the net runs. */
int paleo_onnx_op_top_k(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0), *at = paleo_onnx_out(job, n, 1);
	struct paleo_onnx_value x, best = {.state = ONNX_SIDE, .type = ONNX_INT64};
	int count;
	const double *given = paleo_onnx_numbers(job, n, 1, &count);
	const double taken = given && count == 1 ? *given : paleo_onnx_int(n, "k", 0);
	const int axis = (int)paleo_onnx_int(n, "axis", -1) +
			 (v && paleo_onnx_int(n, "axis", -1) < 0 ? v->rank : 0);

	if (!v || axis < 0 || axis >= v->rank || !(taken >= 1 && taken <= v->dims[axis]))
		return paleo_onnx_refuse(job, n, "of so many as are not known, or not there", err);
	best.rank = v->rank;
	memcpy(best.dims, v->dims, sizeof(best.dims));
	best.dims[axis] = taken;
	free(at->numbers);
	if (paleo_onnx_is_beside(v)) {
		free(out->numbers);
		*out = *at = best;
		out->type = v->type;
		return PALEO_OK;
	}
	int rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	const int from = x.view.layer;
	rc = reduce(job, n, "max", &x, 1 << axis, err);
	if (rc || x.view.layer == from)
		return rc;
	rc = paleo_onnx_choose(job, n, &x, best.dims, best.rank, err);
	*at = best;
	return rc;
}

/* A mean over height and width is a pooling; that over channels may be a step of a normalisation.
 */
int paleo_onnx_op_reduce(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);
	const size_t kind = kind_of(n);
	struct paleo_onnx_value x;
	int done = 0, rc = PALEO_OK;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	const int flags = axes_of(job, n, v->rank), keep = paleo_onnx_int(n, "keepdims", 1) != 0;
	if (flags < 0)
		return paleo_onnx_refuse(job, n, "along axes that are not known", err);
	if (paleo_onnx_is_beside(v))
		return beside(n, v, flags, out, err);
	if (keep && !strcmp(kinds[kind].type, "ReduceMean"))
		rc = paleo_onnx_stat_mean(job, n, out, &done, err);
	if (rc || done)
		return rc;
	rc = paleo_onnx_tensor(job, n, 0, &x, err);
	if (rc)
		return rc < 0 ? rc : PALEO_OK;
	if (x.rank == 4 && flags == 12 && !strcmp(kinds[kind].op, "mean") &&
	    paleo_onnx_axis_is(job, &x, 1, ONNX_C)) {
		rc = paleo_onnx_as_picture(job, n, &x, err);
		if (rc < 0)
			return rc;
		if (!rc)
			return paleo_onnx_pool_pixels(job, n, &x, keep, err);
	}
	if (!flags)
		return paleo_onnx_copy(&x, out, err);
	const int from = x.view.layer;
	rc = reduce(job, n, kinds[kind].op, &x, flags, err);
	if (rc || x.view.layer == from)
		return rc;
	drop_axes(&x, flags, keep);
	paleo_onnx_on_layer(&x, x.view.layer, out);
	return PALEO_OK;
}
