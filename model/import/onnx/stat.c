/* stat.c - follows the steps of a normalisation until it is whole. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/stat.h"

#include <stdlib.h>
#include <string.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/point.h"
#include "model/import/onnx/turn.h"

static int is(const struct paleo_onnx_value *v, enum paleo_onnx_stat stat)
{
	return v->state == ONNX_STAT && v->stat == stat;
}

static int is_number(const struct paleo_onnx_value *v)
{
	return v->state == ONNX_NUMBERS && v->numbers && paleo_onnx_count(v) == 1;
}

static int is_of(const struct paleo_onnx_value *v, const struct paleo_onnx_value *x)
{
	return v->view.layer == x->view.layer && paleo_onnx_view_same(&v->view, &x->view);
}

/* The step after `from`, of the same elements. */
static int step(const struct paleo_onnx_value *from, enum paleo_onnx_stat stat,
		struct paleo_onnx_value *out, int *done)
{
	struct paleo_onnx_value made = *from;

	made.state = ONNX_STAT;
	made.stat = stat;
	made.numbers = NULL;
	free(out->numbers);
	*out = made;
	*done = 1;
	return PALEO_OK;
}

int paleo_onnx_normalise(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const struct paleo_onnx_value *given,
			 struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value x = *given;
	const int all = paleo_onnx_axis_is(job, &x, x.rank - 1, ONNX_C);
	int heads = all ? 1 : paleo_onnx_heads_in(job, &x), rc = PALEO_OK;

	if (!heads || (heads > 1 && strcmp(type, "RMSNorm") != 0)) {
		heads = 1;
		rc = paleo_onnx_lay(job, n, &x, x.rank - 1, x.rank - 1, err);
	}
	if (rc)
		return rc < 0 ? rc : paleo_onnx_refuse(job, n, "of rows in another order", err);
	const struct paleo_onnx_value *v = &x;
	int layer = paleo_onnx_add_layer(job, n, type, &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (heads > 1)
		paleo_onnx_put_int(job, "heads", heads);
	job->layers[layer].open =
		ONNX_OPEN_SCALE | (!strcmp(type, "LayerNorm") ? ONNX_OPEN_SHIFT : 0);
	paleo_onnx_on_layer(v, layer, out);
	return PALEO_OK;
}

/* The layer normalisation that both steps are, with what they have learned. */
static int normalise_with(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const struct paleo_onnx_value *scaled,
			  const struct paleo_onnx_value *offset, struct paleo_onnx_value *out,
			  struct paleo_error *err)
{
	const int with[2] = {scaled->with_factor, offset->with_factor}, layers = job->layer_count;
	int rc = paleo_onnx_normalise(job, n, "LayerNorm", scaled, out, err);

	if (rc || job->layer_count == layers)
		return rc;
	for (int i = 0; i < 2; i++) {
		if (with[i]) {
			paleo_onnx_learn(job, &job->values[with[i] - 1]);
			job->layers[job->layer_count - 1].open &=
				i ? ~ONNX_OPEN_SHIFT : ~ONNX_OPEN_SCALE;
		}
	}
	return PALEO_OK;
}

/* The one axis that a mean is taken over, or -1. */
static int mean_axis(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int rank)
{
	double axis;
	int count;
	const double *given = paleo_onnx_numbers(job, n, 1, &count);

	if (given)
		axis = count == 1 ? given[0] : rank;
	else if (paleo_onnx_ints(n, "axes", &axis, 1) != 1)
		return -1;
	axis += axis < 0 ? rank : 0;
	return axis < 0 || axis >= rank ? -1 : (int)axis;
}

int paleo_onnx_stat_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 struct paleo_onnx_value *out, int *done, struct paleo_error *err)
{
	struct paleo_onnx_value *x = paleo_onnx_in(job, n, 0);
	const int axis = mean_axis(job, n, x->rank);

	if (axis < 0 || x->state < ONNX_TENSOR || x->state > ONNX_STAT ||
	    (!paleo_onnx_axis_is(job, x, axis, ONNX_C) && axis != x->rank - 1))
		return PALEO_OK;
	if (is(x, STAT_SQUARE))
		return step(x, STAT_VARIANCE, out, done);
	if (x->state == ONNX_POINT && paleo_onnx_is_square(job, x->expression))
		return step(x, STAT_MEAN_SQUARE, out, done);
	if (x->state == ONNX_POINT) {
		int rc = paleo_onnx_settle(job, x, err);
		if (rc < 0)
			return rc;
	}
	if (x->state != ONNX_TENSOR)
		return PALEO_OK;
	int rc = step(x, STAT_MEAN, out, done);
	out->mean_axis = axis;
	return rc;
}

int paleo_onnx_stat_unary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  struct paleo_onnx_value *out, int *done, struct paleo_error *err)
{
	static const struct {
		const char *type;
		enum paleo_onnx_stat from, to;
	} steps[] = {
		{"Sqrt", STAT_VARIANCE, STAT_DEVIATION},
		{"Sqrt", STAT_MEAN_SQUARE, STAT_RMS},
		{"Reciprocal", STAT_DEVIATION, STAT_INVERSE},
		{"Reciprocal", STAT_RMS, STAT_INVERSE_RMS},
		{"Neg", STAT_MEAN, STAT_NEGATIVE},
	};
	const struct paleo_onnx_value *x = paleo_onnx_in(job, n, 0);

	if (x->state != ONNX_STAT)
		return PALEO_OK;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (x->stat == steps[i].from && paleo_onnx_span_is(n->type, steps[i].type))
			return step(x, steps[i].to, out, done);
	}
	*done = 1;
	return paleo_onnx_refuse(job, n, "of a step of a normalisation", err);
}

/* A step and a number: epsilon, the exponent, the 1 of a reciprocal. */
static int with_number(const struct paleo_onnx_node *n, const struct paleo_onnx_value *a,
		       const struct paleo_onnx_value *b, struct paleo_onnx_value *out, int *done)
{
	const struct paleo_onnx_value *v = a->state == ONNX_STAT ? a : b;
	const double number = (v == a ? b : a)->numbers[0];

	if (paleo_onnx_span_is(n->type, "Add") &&
	    (v->stat == STAT_VARIANCE || v->stat == STAT_MEAN_SQUARE))
		return step(v, v->stat, out, done);
	if (paleo_onnx_span_is(n->type, "Pow") && v == a) {
		if (v->stat == STAT_CENTRED && number == 2)
			return step(v, STAT_SQUARE, out, done);
		if (v->stat == STAT_VARIANCE)
			return step(v, number > 0 ? STAT_DEVIATION : STAT_INVERSE, out, done);
		if (v->stat == STAT_MEAN_SQUARE)
			return step(v, number > 0 ? STAT_RMS : STAT_INVERSE_RMS, out, done);
	}
	if (paleo_onnx_span_is(n->type, "Div") && v == b) {
		if (v->stat == STAT_DEVIATION)
			return step(v, STAT_INVERSE, out, done);
		if (v->stat == STAT_RMS)
			return step(v, STAT_INVERSE_RMS, out, done);
	}
	return PALEO_OK;
}

/* x / root + (shift - mean / root), as Keras writes it: learned factors go with 1 / root. */
static int apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		 struct paleo_onnx_value *out, int *done, struct paleo_error *err)
{
	const int product = paleo_onnx_span_is(n->type, "Mul");

	for (int i = 0; i < 2 && !*done; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i),
					      *w = paleo_onnx_in(job, n, !i);
		const int scales = is(w, STAT_INVERSE) || is(w, STAT_FACTOR);
		if (product && is(v, STAT_INVERSE) && w->state == ONNX_WEIGHT) {
			step(v, STAT_FACTOR, out, done);
			out->with_factor = 1 + n->inputs[!i];
		} else if (product && v->state == ONNX_TENSOR && scales && is_of(v, w)) {
			step(w, STAT_SCALED, out, done);
		} else if (product && (is(v, STAT_MEAN) || is(v, STAT_NEGATIVE)) && scales) {
			step(v, STAT_OFFSET, out, done);
		} else if (!product && is(v, STAT_OFFSET) && w->state == ONNX_WEIGHT) {
			step(v, STAT_OFFSET, out, done);
			out->with_factor = 1 + n->inputs[!i];
		} else if (!product && is(v, STAT_SCALED) && is(w, STAT_OFFSET) && is_of(v, w)) {
			*done = 1;
			return normalise_with(job, n, v, w, out, err);
		}
	}
	return PALEO_OK;
}

/* x and a step of its normalisation. */
static int with_output(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const struct paleo_onnx_value *a, const struct paleo_onnx_value *b,
		       struct paleo_onnx_value *out, int *done, struct paleo_error *err)
{
	const struct paleo_onnx_value *x = a->state == ONNX_TENSOR ? a : b, *v = x == a ? b : a;

	if (x->state != ONNX_TENSOR || v->state != ONNX_STAT || !is_of(v, x))
		return PALEO_OK;
	if (paleo_onnx_span_is(n->type, "Sub") && x == a && v->stat == STAT_MEAN)
		return step(x, STAT_CENTRED, out, done);
	if ((paleo_onnx_span_is(n->type, "Mul") && v->stat == STAT_INVERSE_RMS) ||
	    (paleo_onnx_span_is(n->type, "Div") && x == a && v->stat == STAT_RMS)) {
		*done = 1;
		return paleo_onnx_normalise(job, n, "RMSNorm", x, out, err);
	}
	return PALEO_OK;
}

int paleo_onnx_stat_binary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			   struct paleo_onnx_value *out, int *done, struct paleo_error *err)
{
	struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);

	if (a->state != ONNX_STAT && b->state != ONNX_STAT)
		return PALEO_OK;
	for (int i = 0; i < 2; i++) { /* a mean of a function: the function is a layer now */
		struct paleo_onnx_value *v = i ? b : a;
		if (v->state == ONNX_POINT) {
			int rc = paleo_onnx_settle(job, v, err);
			if (rc < 0)
				return rc;
		}
	}
	if (is_number(a) || is_number(b))
		return with_number(n, a, b, out, done);
	int rc = apart(job, n, out, done, err);
	if (rc || *done)
		return rc;
	if (!is(a, STAT_CENTRED) && !is(b, STAT_CENTRED))
		return with_output(job, n, a, b, out, done, err);
	const struct paleo_onnx_value *centred = is(a, STAT_CENTRED) ? a : b,
				      *other = centred == a ? b : a;
	if (!is_of(centred, other))
		return PALEO_OK;
	if (paleo_onnx_span_is(n->type, "Mul") && is(other, STAT_CENTRED))
		return step(centred, STAT_SQUARE, out, done);
	if ((paleo_onnx_span_is(n->type, "Div") && centred == a && is(other, STAT_DEVIATION)) ||
	    (paleo_onnx_span_is(n->type, "Mul") && is(other, STAT_INVERSE))) {
		*done = 1;
		return paleo_onnx_normalise(job, n, "LayerNorm", centred, out, err);
	}
	return PALEO_OK;
}
