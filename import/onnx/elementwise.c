/* elementwise.c - elementwise functions: decomposed activations are recognised by their values. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "import/onnx/ops.h"

/* Sample points and tolerance of the comparison: smaller than the distance of any two of our
 * functions, wide enough for GELU by tanh, which is within 0.0005 of GELU by erf. */
enum {
	SAMPLES = 14,
	ZERO = 6,      /* which of them is 0 */
	DEPTH_MAX = 16 /* of functions within functions */
};
static const double samples[SAMPLES] = {-7.5, -4,  -2.5, -1.3, -0.7, -0.2, 0,
					0.3,  0.9, 1.7,  2.6,  3.4,  5,    8};
static const double close_enough = 2e-3;

static const struct {
	const char *type;
	enum paleo_onnx_op op;
	const char *attribute; /* name of c, or NULL */
	double fallback;
} known[] = {
#define TWO(type, op, function, value) {#type, OP_##op, NULL, 0},
#define ONE(type, op, attribute, fallback, value) {#type, OP_##op, attribute, fallback},
#define ALSO(type, op, function, attribute, fallback) {#type, OP_##op, attribute, fallback},
#include "import/onnx/elementwise.def"
};

/* Its index among these; that of Relu if none has as many operands. */
static size_t find_type(const struct paleo_onnx_node *n, int two)
{
	size_t relu = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		relu = known[i].op == OP_RELU && !relu ? i : relu;
		if (two == (known[i].op <= OP_XOR) && paleo_onnx_span_is(n->type, known[i].type))
			return i;
	}
	return relu;
}

enum paleo_onnx_op paleo_onnx_op_of(const struct paleo_onnx_node *n)
{
	return known[find_type(n, 1)].op;
}

int paleo_onnx_express(struct paleo_onnx_job *job, enum paleo_onnx_op op, int a, int b, double c)
{
	struct paleo_onnx_expression *more = paleo_grow(job->expressions, job->expression_count,
							&job->expression_room, sizeof(*more));

	if (!more) {
		paleo_onnx_no_memory(job);
		return 0;
	}
	job->expressions = more;
	more[job->expression_count] = (struct paleo_onnx_expression){op, a, b, c};
	return job->expression_count++;
}

int paleo_onnx_expression_of(struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	if (v->state == ONNX_POINT)
		return v->expression;
	if (v->state == ONNX_TENSOR)
		return 0; /* x itself */
	return paleo_onnx_express(job, OP_CONSTANT, -1, -1, paleo_onnx_first(v, 0.5));
}

int paleo_onnx_put_point(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			 const struct paleo_onnx_value *v, int expression)
{
	struct paleo_onnx_value made = *v;

	made.state = ONNX_POINT;
	made.expression = expression;
	made.by = n->number;
	made.numbers = NULL;
	return paleo_onnx_put(job, n, 0, &made);
}

static double softplus(double x)
{
	return x > 30 ? x : log1p(exp(x));
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

double paleo_onnx_apply(enum paleo_onnx_op op, double a, double b, double c)
{
	switch (op) {
	case OP_X:
	case OP_CONSTANT:
		return c;
	case OP_RELU6:
		return clamp(a, 0, 6);
#define TWO(type, op, function, value)                                                             \
	case OP_##op:                                                                              \
		return value;
#define ONE(type, op, attribute, fallback, value)                                                  \
	case OP_##op:                                                                              \
		return value;
#define ALSO(type, op, function, attribute, fallback)
#include "import/onnx/elementwise.def"
	case OP_PAIR:
	case OP_SELECT:
		break;
	}
	return NAN;
}

/* Exporters need fewer than a dozen steps for one function; deeper ones are not evaluated. */
static double evaluate(const struct paleo_onnx_job *job, int e, double x, int depth)
{
	const struct paleo_onnx_expression *s = &job->expressions[e];

	if (depth == 0)
		return NAN;
	if (s->op == OP_X)
		return x;
	if (s->op == OP_SELECT) {
		const struct paleo_onnx_expression *pair = &job->expressions[s->b];
		const double is = evaluate(job, s->a, x, depth - 1);
		return isnan(is) ? NAN : evaluate(job, is != 0 ? pair->a : pair->b, x, depth - 1);
	}
	const double a = s->a < 0 ? 0 : evaluate(job, s->a, x, depth - 1);
	const double b = s->b < 0 ? 0 : evaluate(job, s->b, x, depth - 1);
	return paleo_onnx_apply(s->op, a, b, s->c);
}

int paleo_onnx_is_square(const struct paleo_onnx_job *job, int e)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		const double x = samples[i];
		if (!(fabs(evaluate(job, e, x, DEPTH_MAX) - x * x) <= close_enough))
			return 0;
	}
	return 1;
}

int paleo_onnx_is_factor(const struct paleo_onnx_job *job, const struct paleo_onnx_value *v)
{
	const double by = evaluate(job, v->expression, 1, DEPTH_MAX);

	for (size_t i = 0; i < SAMPLES; i++) {
		const double want = by * samples[i];
		const double got = evaluate(job, v->expression, samples[i], DEPTH_MAX);
		if (!(fabs(got - want) <= close_enough * (1 + fabs(want))))
			return 0;
	}
	return 1;
}

/* Straight on each side of 0: a factor, a slope of another leaky ReLU. */
static int is_straight(const double f[SAMPLES])
{
	for (size_t i = 2; i < SAMPLES; i++) {
		const double left = (f[1] - f[0]) / (samples[1] - samples[0]);
		const double right = (f[SAMPLES - 1] - f[SAMPLES - 2]) /
				     (samples[SAMPLES - 1] - samples[SAMPLES - 2]);
		const double want = f[ZERO] + (samples[i] < 0 ? left : right) * samples[i];
		if (fabs(f[i] - want) > close_enough * (1 + fabs(want)))
			return 0;
	}
	return 1;
}

/* The matching activation; "" for x itself. An unmatched function is elementwise, too, and maps to
 * one of the same cost. NULL where it is not a number. */
static const char *find(const struct paleo_onnx_job *job, int e)
{
	static const struct {
		const char *name;
		enum paleo_onnx_op op;
		double c;
	} ours[] = {
		{"", OP_LEAKY, 1},          {"relu", OP_RELU, 0},
		{"relu6", OP_RELU6, 0},     {"leaky_relu", OP_LEAKY, 0.01},
		{"elu", OP_ELU, 1},         {"tanh", OP_TANH, 0},
		{"sigmoid", OP_SIGMOID, 0}, {"gelu", OP_GELU, 0},
		{"silu", OP_SWISH, 1},      {"hardswish", OP_HARD_SWISH, 0},
	};
	double f[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++)
		f[i] = evaluate(job, e, samples[i], DEPTH_MAX);
	for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++) {
		size_t same = 0;
		while (same < SAMPLES &&
		       fabs(f[same] - paleo_onnx_apply(ours[k].op, samples[same], 0, ours[k].c)) <=
			       close_enough)
			same++;
		if (same == SAMPLES)
			return ours[k].name;
	}
	return isnan(f[SAMPLES - 1]) ? NULL : is_straight(f) ? "leaky_relu" : "sigmoid";
}

void paleo_onnx_settle(struct paleo_onnx_job *job, struct paleo_onnx_value *v)
{
	const char *name = v->state == ONNX_POINT ? find(job, v->expression) : NULL;

	if (!name)
		return;
	v->state = ONNX_TENSOR;
	if (!*name)
		return;
	v->view.layer = paleo_onnx_add_layer(job, &job->graph->nodes[v->by], "Activation",
					     &v->view.layer, 1);
	paleo_onnx_put_word(job, "fn", name);
}

static int is_repeated(const struct paleo_onnx_value *v)
{
	for (int i = 0; i < v->view.count; i++) {
		if (v->view.atoms[i].axis == ONNX_AXES)
			return 1;
	}
	return 0;
}

int paleo_onnx_repeated(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
			struct paleo_onnx_value *out)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);

	if (v)
		paleo_onnx_settle(job, v);
	if (v && v->state == ONNX_WEIGHT && v->learned > 0)
		paleo_onnx_parameter(job, n, v);
	if (v && v->state == ONNX_PADDED && paleo_onnx_surround(job, n, v))
		return 1;
	if (!v || v->state != ONNX_TENSOR)
		return paleo_onnx_refuse(job, n, "of a value that is not a layer's output");
	*out = *v;
	return 0;
}

int paleo_onnx_tensor(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		      struct paleo_onnx_value *out)
{
	if (paleo_onnx_repeated(job, n, i, out))
		return 1;
	if (is_repeated(out) && paleo_onnx_lay(job, n, out, out->rank - 1, out->rank - 1))
		return paleo_onnx_refuse(job, n, "of what is repeated");
	return 0;
}

int paleo_onnx_padded(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *out, int pads[4])
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	memset(pads, 0, 4 * sizeof(pads[0]));
	if (!v || v->state != ONNX_PADDED)
		return paleo_onnx_tensor(job, n, 0, out);
	*out = *v;
	out->state = ONNX_TENSOR;
	memcpy(pads, v->pads, sizeof(v->pads));
	memset(out->pads, 0, sizeof(out->pads));
	out->dims[2] -= pads[0] + pads[2];
	out->dims[3] -= pads[1] + pads[3];
	return 0;
}

/* Known numbers stay known. */
static int on_numbers(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      const struct paleo_onnx_value *v, enum paleo_onnx_op op, double c)
{
	const double count = paleo_onnx_count(v);
	struct paleo_onnx_value made = *v;

	made.numbers = v->numbers ? paleo_onnx_new_numbers(job, count) : NULL;
	for (size_t i = 0; made.numbers && i < (size_t)count; i++)
		made.numbers[i] = paleo_onnx_apply(op, v->numbers[i], 0, c);
	return paleo_onnx_put(job, n, 0, &made);
}

int paleo_onnx_op_unary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);
	const size_t i = find_type(n, 0);
	const enum paleo_onnx_op op = known[i].op;
	const double c =
		known[i].attribute ? paleo_onnx_float(n, known[i].attribute, known[i].fallback) : 0;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	if (paleo_onnx_stat_unary(job, n) ||
	    (v->state == ONNX_PADDED && paleo_onnx_surround(job, n, v)))
		return 1;
	switch (v->state) {
	case ONNX_TENSOR:
	case ONNX_POINT:
		return paleo_onnx_put_point(
			job, n, v,
			paleo_onnx_express(job, op, paleo_onnx_expression_of(job, v), -1, c));
	case ONNX_NUMBERS:
		return on_numbers(job, n, v, op, c);
	case ONNX_WEIGHT:
	case ONNX_SIDE:
		return paleo_onnx_put(job, n, 0, v);
	case ONNX_UNKNOWN:
	case ONNX_STAT:
	case ONNX_SCORES:
	case ONNX_PADDED:
	case ONNX_TURN:
		break;
	}
	return paleo_onnx_refuse(job, n, "of attention's scores");
}

/* The expression of a bound of Clip: an input since opset 11, an attribute before. */
static int bound(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		 const char *name, double fallback)
{
	int count;
	const double *given = paleo_onnx_numbers(job, n, i, &count);
	const double c = given && count == 1 ? given[0] : paleo_onnx_float(n, name, fallback);

	return paleo_onnx_express(job, OP_CONSTANT, -1, -1, c);
}

int paleo_onnx_op_clip(struct paleo_onnx_job *job, const struct paleo_onnx_node *n)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing");
	if (!paleo_onnx_is_output(v))
		return paleo_onnx_put(job, n, 0, v);
	const int x = paleo_onnx_expression_of(job, v), low = bound(job, n, 1, "min", -INFINITY),
		  high = bound(job, n, 2, "max", INFINITY);
	const int larger = paleo_onnx_express(job, OP_MAX, x, low, 0);
	return paleo_onnx_put_point(job, n, v, paleo_onnx_express(job, OP_MIN, larger, high, 0));
}
