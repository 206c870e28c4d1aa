/* side.c - operators that go with masks, positions and shapes: what is beside the layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"

/* Makes `out` something beside the layers with the sizes of `like`, of which no number is known. */
static int put_side(const struct paleo_onnx_value *like, struct paleo_onnx_value *out)
{
	struct paleo_onnx_value made = {
		.state = ONNX_SIDE, .type = like->type, .rank = like->rank, .tokens = 0};

	if (like->state == ONNX_WEIGHT) { /* with other numbers here and there */
		made.state = ONNX_WEIGHT;
		made.learned = like->learned;
		made.source = like->source;
	}
	memcpy(made.dims, like->dims, sizeof(made.dims));
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

/* The one input that is a layer's output: its number, -1 without one, -2 for several. */
static int only_output(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	int found = -1;

	for (int i = 0; i < n->input_count; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
		if (v && !paleo_onnx_is_beside(v))
			found = found == -1 ? i : -2;
	}
	return found;
}

/* A layer's output of the size of `like`, each number written once. */
static int pass_over(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int which,
		     const struct paleo_onnx_value *like, struct paleo_error *err)
{
	double dims[ONNX_RANK_MAX];
	struct paleo_onnx_value x;
	const int rank = like->rank;

	memcpy(dims, like->dims, sizeof(dims));
	int rc = which < 0 ? paleo_onnx_refuse(job, n, "of several outputs", err)
			   : paleo_onnx_tensor(job, n, which, &x, err);
	if (rc || which < 0)
		return rc < 0 ? rc : PALEO_OK;
	return paleo_onnx_choose(job, n, &x, dims, rank, err);
}

/* CumSum, Trilu, ScatterND and the like: as large as the first input. */
int paleo_onnx_op_as_first(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	const int which = only_output(job, n);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	return which == -1 ? put_side(v, paleo_onnx_out(job, n, 0))
			   : pass_over(job, n, which, v, err);
}

/* GatherElements: as large as the second. */
int paleo_onnx_op_as_second(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);

	if (!v || !at)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	if (only_output(job, n) != -1)
		return pass_over(job, n, only_output(job, n), at, err);
	return put_side(at, paleo_onnx_out(job, n, 0));
}

/* GatherND: for each list of places the part that it leads to. */
int paleo_onnx_op_gather_nd(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);
	const int batch = (int)paleo_onnx_int(n, "batch_dims", 0);

	if (!v || !at || at->rank < 1 || batch < 0 || batch >= at->rank)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	const double depth = at->dims[at->rank - 1] + batch;
	if (!(depth >= 1 && depth <= v->rank) || at->rank - 1 + v->rank - depth > ONNX_RANK_MAX)
		return paleo_onnx_refuse(job, n, "along axes that are not known", err);
	struct paleo_onnx_value like = *v;
	like.rank = at->rank - 1 + v->rank - (int)depth;
	for (int i = 0; i < like.rank; i++)
		like.dims[i] =
			i < at->rank - 1 ? at->dims[i] : v->dims[(int)depth + i - at->rank + 1];
	if (only_output(job, n) != -1)
		return pass_over(job, n, only_output(job, n), &like, err);
	return put_side(&like, paleo_onnx_out(job, n, 0));
}

/* GridSample: places of a picture that come in, each between its neighbours. */
int paleo_onnx_op_grid_sample(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			      struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *at = paleo_onnx_in(job, n, 1);

	if (!v || !at || v->rank != 4 || at->rank != 4)
		return paleo_onnx_refuse(job, n, "of what is no picture", err);
	struct paleo_onnx_value like = *v;
	like.dims[2] = at->dims[1];
	like.dims[3] = at->dims[2];
	return paleo_onnx_is_beside(v) ? put_side(&like, paleo_onnx_out(job, n, 0))
				       : pass_over(job, n, 0, &like, err);
}

/* Quantised: what is computed stays as it is, as numbers of the file that are not stored as whole
 * ones do; whole numbers that were stored are weights. */
int paleo_onnx_op_quantised(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			    struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value *out = paleo_onnx_out(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	const int bytes = v->type == ONNX_INT8 || v->type == ONNX_UINT8;
	int rc = paleo_onnx_copy(v, out, err);
	if (rc || out->state != ONNX_NUMBERS || !out->rank || paleo_onnx_is_float(v->type))
		return rc;
	free(out->numbers);
	out->numbers = NULL;
	out->state = ONNX_WEIGHT;
	out->type = ONNX_FLOAT;
	out->learned = paleo_onnx_count(out);
	out->source = 1 + n->inputs[0];
	out->stored = bytes ? "int8" : NULL;
	return PALEO_OK;
}

/* Which scores are no numbers: exporters write that behind a softmax, for rows that are all
 * masked. */
int paleo_onnx_op_is_nan(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	return v ? put_side(v, paleo_onnx_out(job, n, 0))
		 : paleo_onnx_refuse(job, n, "of nothing", err);
}
