/* norms.c - normalisations and softmax; LayerNorm and RMSNorm also in the steps of an exporter. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "import/onnx/ops.h"

/* A layer of this type that keeps the shape. */
static int plain(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, const char *type,
		 const struct paleo_onnx_value *x)
{
	return paleo_onnx_on_layer(job, n, x,
				   paleo_onnx_add_layer(job, n, type, &x->view.layer, 1));
}

int paleo_onnx_op_batch_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	struct paleo_onnx_value x;

	if (v && v->state == ONNX_WEIGHT) /* filters that are normalised before they are used */
		return paleo_onnx_put(job, n, 0, v);
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	const int rank = x.rank;
	if ((rank > 2 && paleo_onnx_as_picture(job, n, &x)) || rank < 2 ||
	    !paleo_onnx_axis_is(job, &x, 1, ONNX_C))
		return paleo_onnx_refuse(job, n, "of another axis than the channels");
	x.rank = rank; /* of a line, too */
	plain(job, n, "BatchNorm", &x);
	paleo_onnx_put_learned(job, paleo_onnx_in(job, n, 1));
	return 0;
}

static int is_learned(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	return v && v->state == ONNX_WEIGHT;
}

int paleo_onnx_op_layer_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const char *type =
		paleo_onnx_span_is(n->type, "LayerNormalization") ? "LayerNorm" : "RMSNorm";
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	const int axis = paleo_onnx_axis(n, -1, x.rank);
	if (axis < 0)
		return paleo_onnx_refuse(job, n, "along an invalid axis");
	if (axis < x.rank - 1 && paleo_onnx_lay(job, n, &x, axis, axis)) /* of several together */
		return paleo_onnx_refuse(job, n, "of rows in another order");
	if (paleo_onnx_normalise(job, n, type, &x))
		return 1;
	job->layers[job->last].open = /* the node may have its weights */
		(is_learned(job, n, 1) ? 0 : ONNX_OPEN_SCALE) |
		(is_learned(job, n, 2) ? 0 : ONNX_OPEN_SHIFT);
	if (is_learned(job, n, 1))
		paleo_onnx_put_learned(job, paleo_onnx_in(job, n, 1));
	return 0;
}

/* Group or instance normalisation: the same reads, writes and parameters as LayerNorm. Factors for
 * each group come from an exporter, which multiplies by the learned ones afterwards. */
int paleo_onnx_op_group_norm(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (x.rank == 4)
		paleo_onnx_as_picture(job, n, &x);
	plain(job, n, "LayerNorm", &x);
	if (w && w->learned == job->layers[x.view.layer].out.c)
		paleo_onnx_put_learned(job, w);
	else
		job->layers[job->last].open = ONNX_OPEN_SCALE | ONNX_OPEN_SHIFT;
	return 0;
}

/* PReLU: one negative slope, or one for each channel. */
int paleo_onnx_op_prelu(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *w = paleo_onnx_in(job, n, 1);
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (w && w->learned == job->layers[x.view.layer].out.c)
		return plain(job, n, "Scale", &x);
	plain(job, n, "Activation", &x);
	paleo_onnx_put_word(job, "fn", "leaky_relu");
	return 0;
}

int paleo_onnx_op_softmax(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), x;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	const int axis = paleo_onnx_axis(n, job->graph->opset < 13 ? 1 : -1, v->rank);
	if (v->state == ONNX_SCORES && axis == v->rank - 1 && !v->weighted) {
		x = *v;
		x.weighted = 1;
		return paleo_onnx_put(job, n, 0, &x);
	}
	if (v->state == ONNX_SCORES && paleo_onnx_unfold(job, n, v))
		return 1;
	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (axis < 0)
		return paleo_onnx_refuse(job, n, "along an invalid axis");
	if (!paleo_onnx_axis_is(job, &x, axis, ONNX_C) &&
	    paleo_onnx_lay_apart(job, n, &x, 1 << axis))
		return paleo_onnx_refuse(job, n, "of rows in another order");
	return plain(job, n, "Softmax", &x);
}

int paleo_onnx_op_lrn(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int size = (int)paleo_onnx_int(n, "size", 0);
	struct paleo_onnx_value x;

	if (paleo_onnx_tensor(job, n, 0, &x))
		return 1;
	if (paleo_onnx_as_picture(job, n, &x) || size < 1 || size % 2 == 0)
		return paleo_onnx_refuse(job, n, "of another form");
	plain(job, n, "LRN", &x);
	paleo_onnx_put_int(job, "size", size);
	return 0;
}

int paleo_onnx_normalise(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const char *type, const struct paleo_onnx_value *v)
{
	const int rms = !strcmp(type, "RMSNorm");
	struct paleo_onnx_value x = *v;
	int heads =
		paleo_onnx_axis_is(job, &x, x.rank - 1, ONNX_C) ? 1 : paleo_onnx_heads_in(job, &x);

	if (!heads || (heads > 1 && !rms)) {
		heads = 1;
		if (paleo_onnx_lay(job, n, &x, x.rank - 1, x.rank - 1))
			return paleo_onnx_refuse(job, n, "of rows in another order");
	}
	plain(job, n, type, &x);
	if (heads > 1)
		paleo_onnx_put_int(job, "heads", heads);
	job->layers[job->last].open = ONNX_OPEN_SCALE | (rms ? 0 : ONNX_OPEN_SHIFT);
	return 0;
}

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
static int step(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		const struct paleo_onnx_value *from, enum paleo_onnx_stat stat)
{
	struct paleo_onnx_value made = *from;

	made.state = ONNX_STAT;
	made.stat = stat;
	made.numbers = NULL;
	paleo_onnx_put(job, n, 0, &made);
	return 1;
}

/* The layer normalisation formed by both steps, with its parameters. */
static int normalise_with(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			  const struct paleo_onnx_value *scaled,
			  const struct paleo_onnx_value *offset)
{
	const int factor = scaled->with_factor, shift = offset->with_factor;

	if (paleo_onnx_normalise(job, n, "LayerNorm", scaled))
		return 1;
	if (factor)
		paleo_onnx_learn(job, &job->values[factor - 1]);
	if (shift)
		paleo_onnx_learn(job, &job->values[shift - 1]);
	job->layers[job->last].open &=
		~((factor ? ONNX_OPEN_SCALE : 0) | (shift ? ONNX_OPEN_SHIFT : 0));
	return 1;
}

/* The one axis that a mean is taken over, or -1. */
static int mean_axis(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int rank)
{
	double axis;

	if (paleo_onnx_list(job, n, 1, "axes", &axis, 1) != 1)
		return -1;
	axis += axis < 0 ? rank : 0;
	return axis < 0 || axis >= rank ? -1 : (int)axis;
}

int paleo_onnx_stat_mean(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *x = paleo_onnx_in(job, n, 0);
	const int axis = mean_axis(job, n, x->rank);

	if (axis < 0 || x->state < ONNX_TENSOR || x->state > ONNX_STAT ||
	    (!paleo_onnx_axis_is(job, x, axis, ONNX_C) && axis != x->rank - 1))
		return 0;
	if (is(x, STAT_SQUARE))
		return step(job, n, x, STAT_VARIANCE);
	if (x->state == ONNX_POINT && paleo_onnx_is_square(job, x->expression))
		return step(job, n, x, STAT_MEAN_SQUARE);
	paleo_onnx_settle(job, x);
	if (x->state != ONNX_TENSOR)
		return 0;
	step(job, n, x, STAT_MEAN);
	paleo_onnx_out(job, n, 0)->mean_axis = axis;
	return 1;
}

int paleo_onnx_stat_unary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
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
		return 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (x->stat == steps[i].from && paleo_onnx_span_is(n->type, steps[i].type))
			return step(job, n, x, steps[i].to);
	}
	return paleo_onnx_refuse(job, n, "within a partial normalisation");
}

/* A step and a number: epsilon, the exponent, the 1 of a reciprocal. */
static int with_number(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const struct paleo_onnx_value *a, const struct paleo_onnx_value *b)
{
	const struct paleo_onnx_value *v = a->state == ONNX_STAT ? a : b;
	const double number = (v == a ? b : a)->numbers[0];

	if (paleo_onnx_span_is(n->type, "Add") &&
	    (v->stat == STAT_VARIANCE || v->stat == STAT_MEAN_SQUARE))
		return step(job, n, v, v->stat);
	if (paleo_onnx_span_is(n->type, "Pow") && v == a) {
		if (v->stat == STAT_CENTRED && number == 2)
			return step(job, n, v, STAT_SQUARE);
		if (v->stat == STAT_VARIANCE)
			return step(job, n, v, number > 0 ? STAT_DEVIATION : STAT_INVERSE);
		if (v->stat == STAT_MEAN_SQUARE)
			return step(job, n, v, number > 0 ? STAT_RMS : STAT_INVERSE_RMS);
	}
	if (paleo_onnx_span_is(n->type, "Div") && v == b) {
		if (v->stat == STAT_DEVIATION)
			return step(job, n, v, STAT_INVERSE);
		if (v->stat == STAT_RMS)
			return step(job, n, v, STAT_INVERSE_RMS);
	}
	return 0;
}

/* x / root + (shift - mean / root), as Keras writes it: learned factors go with 1 / root. */
static int apart(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const int product = paleo_onnx_span_is(n->type, "Mul");

	for (int i = 0; i < 2; i++) {
		const struct paleo_onnx_value *v = paleo_onnx_in(job, n, i),
					      *w = paleo_onnx_in(job, n, !i);
		const int scales = is(w, STAT_INVERSE) || is(w, STAT_FACTOR),
			  has_factor = product && is(v, STAT_INVERSE) && w->state == ONNX_WEIGHT;
		if (has_factor || (!product && is(v, STAT_OFFSET) && w->state == ONNX_WEIGHT)) {
			step(job, n, v, has_factor ? STAT_FACTOR : STAT_OFFSET);
			paleo_onnx_out(job, n, 0)->with_factor = 1 + n->inputs[!i];
			return 1;
		}
		if (product && v->state == ONNX_TENSOR && scales && is_of(v, w))
			return step(job, n, w, STAT_SCALED);
		if (product && (is(v, STAT_MEAN) || is(v, STAT_NEGATIVE)) && scales)
			return step(job, n, v, STAT_OFFSET);
		if (!product && is(v, STAT_SCALED) && is(w, STAT_OFFSET) && is_of(v, w))
			return normalise_with(job, n, v, w);
	}
	return 0;
}

/* x and a step of its normalisation. */
static int with_output(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       const struct paleo_onnx_value *a, const struct paleo_onnx_value *b)
{
	const struct paleo_onnx_value *x = a->state == ONNX_TENSOR ? a : b, *v = x == a ? b : a;

	if (x->state != ONNX_TENSOR || v->state != ONNX_STAT || !is_of(v, x))
		return 0;
	if (paleo_onnx_span_is(n->type, "Sub") && x == a && v->stat == STAT_MEAN)
		return step(job, n, x, STAT_CENTRED);
	if ((paleo_onnx_span_is(n->type, "Mul") && v->stat == STAT_INVERSE_RMS) ||
	    (paleo_onnx_span_is(n->type, "Div") && x == a && v->stat == STAT_RMS)) {
		paleo_onnx_normalise(job, n, "RMSNorm", x);
		return 1;
	}
	return 0;
}

int paleo_onnx_stat_binary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *a = paleo_onnx_in(job, n, 0), *b = paleo_onnx_in(job, n, 1);

	if (a->state != ONNX_STAT && b->state != ONNX_STAT)
		return 0;
	/* a mean of a function: the function is a layer now */
	paleo_onnx_settle(job, a);
	paleo_onnx_settle(job, b);
	if (is_number(a) || is_number(b))
		return with_number(job, n, a, b);
	if (apart(job, n))
		return 1;
	if (!is(a, STAT_CENTRED) && !is(b, STAT_CENTRED))
		return with_output(job, n, a, b);
	const struct paleo_onnx_value *centred = is(a, STAT_CENTRED) ? a : b,
				      *other = centred == a ? b : a;
	if (!is_of(centred, other))
		return 0;
	if (paleo_onnx_span_is(n->type, "Mul") && is(other, STAT_CENTRED))
		return step(job, n, centred, STAT_SQUARE);
	if ((paleo_onnx_span_is(n->type, "Div") && centred == a && is(other, STAT_DEVIATION)) ||
	    (paleo_onnx_span_is(n->type, "Mul") && is(other, STAT_INVERSE))) {
		paleo_onnx_normalise(job, n, "LayerNorm", centred);
		return 1;
	}
	return 0;
}
