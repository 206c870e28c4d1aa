/* join.c - layers of several blobs: Concat, Eltwise, Split, Silence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/import/caffe/kinds.h"
#include "model/import/caffe/values.h"
#include "model/import/caffe/write.h"

enum {
	SUM_MAX = 64 /* parents of a net's sum */
};

/* The size along one of Caffe's axes: n, c, h, w. */
static int *size_at(struct paleo_shape *s, int axis)
{
	int *const sizes[] = {&s->n, &s->c, &s->h, &s->w};

	return sizes[axis];
}

/* EINPUT unless all bottoms have the shape of the first; `axis` -1, or one along which they may
 * differ. */
static int check_alike(const struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		       int axis, struct paleo_error *err)
{
	const struct paleo_shape *first = paleo_caffe_in(job, l, 0);
	char a[48], b[48];

	for (int i = 1; i < l->bottom_count; i++) {
		const struct paleo_shape *other = paleo_caffe_in(job, l, i);
		struct paleo_shape s = *other;
		if (axis >= 0)
			*size_at(&s, axis) = axis == 1 ? first->c : axis == 2 ? first->h : first->w;
		if (s.rank == first->rank && s.n == first->n && s.c == first->c &&
		    s.h == first->h && s.w == first->w)
			continue;
		paleo_caffe_shape_text(first, a, sizeof(a));
		paleo_caffe_shape_text(other, b, sizeof(b));
		return paleo_caffe_fail(
			l->field, err, "the shapes do not fit: '%s' has %s, '%s' %s",
			job->blobs[l->bottoms[0]].name, a, job->blobs[l->bottoms[i]].name, b);
	}
	return PALEO_OK;
}

/* concat_dim is the old name of axis. */
static int read_concat_axis(const struct paleo_caffe_layer *l, int rank, int *axis,
			    struct paleo_error *err)
{
	int is_old = paleo_caffe_count(l->param, "concat_dim") > 0;
	int rc;

	if (is_old && paleo_caffe_count(l->param, "axis") > 0)
		return paleo_caffe_fail(paleo_caffe_first(l->param, "concat_dim"), err,
					"expected either this or 'axis'");
	*axis = 1;
	rc = paleo_caffe_get_axis(l, is_old ? "concat_dim" : "axis", rank, axis, err);
	if (!rc && *axis == 0)
		rc = paleo_caffe_fail(paleo_caffe_first(l->param, is_old ? "concat_dim" : "axis"),
				      err, "a net cannot put batches together");
	return rc;
}

static int convert_concat(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			  struct paleo_error *err)
{
	static const int dims[] = {0, 3, 1, 2}; /* of c, h, w in a net's n, h, w, c */
	struct paleo_shape out = *paleo_caffe_in(job, l, 0);
	const char *source;
	double sum = 0;
	int axis;
	int rc = read_concat_axis(l, out.rank, &axis, err);

	if (!rc)
		rc = check_alike(job, l, axis, err);
	for (int i = 0; i < l->bottom_count && !rc; i++) {
		struct paleo_shape s = *paleo_caffe_in(job, l, i);
		sum += *size_at(&s, axis);
	}
	if (!rc)
		rc = paleo_caffe_check_dim(l, sum, "the sum of the sizes", err);
	if (!rc)
		rc = paleo_caffe_begin_layer(job, l, "Concatenate", &source, err);
	if (rc)
		return rc;
	*size_at(&out, axis) = (int)sum;
	paleo_json_put_int(job->writer, "dim", out.rank == 2 ? 1 : dims[axis]);
	paleo_caffe_end_layer(job, l, source, &out);
	return PALEO_OK;
}

static const char *const concat_fields[] = {"axis", "concat_dim", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_concat = {
	.type = "Concat",
	.old = "CONCAT",
	.param = "concat_param",
	.fields = concat_fields,
	.min_bottoms = 1,
	.max_bottoms = PALEO_CAFFE_MANY,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_concat,
};

enum {
	OP_PROD,
	OP_SUM,
	OP_MAX
};

/* Factors of 1 and -1 make a sum or a difference, which cost the same; others cost a product. */
static int check_factors(const struct paleo_caffe_layer *l, struct paleo_error *err)
{
	const struct paleo_caffe_field *f = l->param ? paleo_caffe_first(l->param, "coeff") : NULL;
	double value;

	for (; f; f = paleo_caffe_again(f)) {
		int rc = paleo_caffe_to_double(f, -HUGE_VAL, HUGE_VAL, &value, err);
		if (rc)
			return rc;
		if (fabs(value) != 1)
			return paleo_caffe_fail(f, err,
						"expected 1 or -1: a net's sum has no factors");
	}
	return PALEO_OK;
}

/* A net's product and maximum take two parents: of more it is a chain. */
static int write_chain(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		       const char *op, struct paleo_error *err)
{
	const char *source = job->blobs[l->bottoms[0]].source;
	int rc = paleo_caffe_check_parents(job, l, err);

	for (int i = 1; i < l->bottom_count && !rc; i++) {
		const char *const parents[] = {source, job->blobs[l->bottoms[i]].source};
		rc = paleo_caffe_begin(job, l->name, "Elementwise", parents, 2, &source, err);
		if (rc)
			break;
		paleo_json_put_string(job->writer, "op", op);
		if (i + 1 < l->bottom_count)
			paleo_caffe_end(job);
		else
			paleo_caffe_end_layer(job, l, source, paleo_caffe_in(job, l, 0));
	}
	return rc;
}

static int write_sum(struct paleo_caffe_job *job, const struct paleo_caffe_layer *l,
		     struct paleo_error *err)
{
	const char *source;
	int rc;

	if (l->bottom_count > SUM_MAX)
		return paleo_caffe_fail(l->field, err, "a net's sum has at most %d parents",
					SUM_MAX);
	rc = paleo_caffe_begin_layer(job, l, "Elementwise", &source, err);
	if (rc)
		return rc;
	paleo_json_put_string(job->writer, "op", "add");
	paleo_caffe_end_layer(job, l, source, paleo_caffe_in(job, l, 0));
	return PALEO_OK;
}

static int convert_eltwise(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	static const char *const words[] = {"PROD", "SUM", "MAX", NULL};
	int op = OP_SUM;
	int rc = paleo_caffe_get_enum(l->param, "operation", words, &op, err);

	if (!rc && op == OP_SUM)
		rc = check_factors(l, err);
	if (!rc)
		rc = check_alike(job, l, -1, err);
	if (rc)
		return rc;
	return op == OP_SUM ? write_sum(job, l, err)
			    : write_chain(job, l, op == OP_PROD ? "mul" : "max", err);
}

static const char *const eltwise_fields[] = {"operation", "coeff", "stable_prod_grad", NULL};

const struct paleo_caffe_kind paleo_caffe_kind_eltwise = {
	.type = "Eltwise",
	.old = "ELTWISE",
	.param = "eltwise_param",
	.fields = eltwise_fields,
	.min_bottoms = 2,
	.max_bottoms = PALEO_CAFFE_MANY,
	.min_tops = 1,
	.max_tops = 1,
	.convert = convert_eltwise,
};

/* In a net anyone may read an output: the copies are the blob itself. */
static int convert_split(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			 struct paleo_error *err)
{
	(void)err;
	for (int i = 0; i < l->top_count; i++)
		paleo_caffe_alias(job, l->bottoms[0], l->tops[i]);
	return PALEO_OK;
}

const struct paleo_caffe_kind paleo_caffe_kind_split = {
	.type = "Split",
	.old = "SPLIT",
	.min_bottoms = 1,
	.max_bottoms = 1,
	.min_tops = 1,
	.max_tops = PALEO_CAFFE_MANY,
	.convert = convert_split,
};

/* It keeps Caffe from printing a blob, and does nothing else. */
static int convert_silence(struct paleo_caffe_job *job, struct paleo_caffe_layer *l,
			   struct paleo_error *err)
{
	(void)job;
	(void)l;
	(void)err;
	return PALEO_OK;
}

const struct paleo_caffe_kind paleo_caffe_kind_silence = {
	.type = "Silence",
	.old = "SILENCE",
	.reads = PALEO_CAFFE_READS_NONE,
	.min_bottoms = 1,
	.max_bottoms = PALEO_CAFFE_MANY,
	.convert = convert_silence,
};
