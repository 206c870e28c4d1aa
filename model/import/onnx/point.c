/* point.c - functions of one number: what exporters take apart is found again by its values. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/point.h"

#include <math.h>
#include <string.h>

#include "base/grow.h"

/* Where a function is compared, and how close it must be: closer than any two of ours are to each
 * other, wide enough for GELU by tanh, which is within 0.0005 of GELU by erf. */
enum {
	SAMPLES = 14,
	ZERO = 6,      /* which of them is 0 */
	DEPTH_MAX = 16 /* of functions within functions */
};
static const double samples[SAMPLES] = {-7.5, -4,  -2.5, -1.3, -0.7, -0.2, 0,
					0.3,  0.9, 1.7,  2.6,  3.4,  5,    8};
static const double close_enough = 2e-3;

int paleo_onnx_express(struct paleo_onnx_job *job, enum paleo_onnx_op op, int a, int b, double c)
{
	struct paleo_onnx_expression *more = paleo_grow(job->expressions, job->expression_count,
							&job->expression_room, sizeof(*more));

	if (!more)
		return -1;
	job->expressions = more;
	more[job->expression_count] = (struct paleo_onnx_expression){op, a, b, c};
	return job->expression_count++;
}

static double gelu(double x)
{
	return x * (1 + erf(x / sqrt(2))) / 2;
}

static double softplus(double x)
{
	return x > 30 ? x : log1p(exp(x));
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* Of two numbers. */
static double apply_two(enum paleo_onnx_op op, double a, double b)
{
	switch ((int)op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		return a / b;
	case OP_POW:
		return pow(a, b);
	case OP_MAX:
		return a > b ? a : b;
	case OP_MIN:
		return a < b ? a : b;
	case OP_MOD:
		return fmod(a, b);
	case OP_EQUAL:
		return a == b;
	case OP_GREATER:
		return a > b;
	case OP_GREATER_EQUAL:
		return a >= b;
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_AND:
		return a != 0 && b != 0;
	case OP_OR:
		return a != 0 || b != 0;
	case OP_XOR:
		return (a != 0) != (b != 0);
	default:
		return NAN;
	}
}

/* Of one number, with a constant. */
static double apply_one(enum paleo_onnx_op op, double a, double c)
{
	switch ((int)op) {
	case OP_X:
	case OP_CONSTANT:
		return c;
	case OP_RELU:
		return a > 0 ? a : 0;
	case OP_LEAKY:
		return a > 0 ? a : c * a;
	case OP_ELU:
		return a > 0 ? a : c * expm1(a);
	case OP_SIGMOID:
		return 1 / (1 + exp(-a));
	case OP_HARD_SIGMOID:
		return clamp(c * a + 0.5, 0, 1);
	case OP_HARD_SWISH:
		return a * clamp(a / 6 + 0.5, 0, 1);
	case OP_TANH:
		return tanh(a);
	case OP_ERF:
		return erf(a);
	case OP_EXP:
		return exp(a);
	case OP_LOG:
		return log(a);
	case OP_SQRT:
		return sqrt(a);
	case OP_RECIPROCAL:
		return 1 / a;
	case OP_NEG:
		return -a;
	case OP_ABS:
		return fabs(a);
	case OP_FLOOR:
		return floor(a);
	case OP_CEIL:
		return ceil(a);
	case OP_ROUND:
		return nearbyint(a);
	case OP_SIN:
		return sin(a);
	case OP_COS:
		return cos(a);
	case OP_SIGN:
		return (a > 0) - (a < 0);
	case OP_NOT:
		return a == 0;
	case OP_SOFTPLUS:
		return softplus(a);
	case OP_MISH:
		return a * tanh(softplus(a));
	case OP_GELU:
		return gelu(a);
	case OP_SWISH:
		return a / (1 + exp(-c * a));
	default:
		return NAN;
	}
}

double paleo_onnx_apply(enum paleo_onnx_op op, double a, double b, double c)
{
	return op >= OP_ADD && op <= OP_XOR ? apply_two(op, a, b) : apply_one(op, a, c);
}

/* Exporters make less than a dozen for one function; what is deeper is no number. */
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

static double identity(double x)
{
	return x;
}

static double relu(double x)
{
	return x > 0 ? x : 0;
}

static double relu6(double x)
{
	return clamp(x, 0, 6);
}

static double leaky(double x)
{
	return x > 0 ? x : 0.01 * x;
}

static double elu(double x)
{
	return x > 0 ? x : expm1(x);
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double silu(double x)
{
	return x * sigmoid(x);
}

static double hard_swish(double x)
{
	return x * clamp(x / 6 + 0.5, 0, 1);
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

/* The activation of ours that the function is; "" for x itself. What none of ours is, is one pass
 * over the data, too, and goes by the one that costs as much. NULL where it is no number. */
static const char *find(const struct paleo_onnx_job *job, int e)
{
	static const struct {
		const char *name;
		double (*function)(double x);
	} known[] = {
		{"", identity},       {"relu", relu},
		{"relu6", relu6},     {"leaky_relu", leaky},
		{"elu", elu},         {"tanh", tanh},
		{"sigmoid", sigmoid}, {"gelu", gelu},
		{"silu", silu},       {"hardswish", hard_swish},
	};
	double f[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++)
		f[i] = evaluate(job, e, samples[i], DEPTH_MAX);
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		size_t same = 0;
		while (same < SAMPLES &&
		       fabs(f[same] - known[k].function(samples[same])) <= close_enough)
			same++;
		if (same == SAMPLES)
			return known[k].name;
	}
	return isnan(f[SAMPLES - 1]) ? NULL : is_straight(f) ? "leaky_relu" : "sigmoid";
}

int paleo_onnx_settle(struct paleo_onnx_job *job, struct paleo_onnx_value *v,
		      struct paleo_error *err)
{
	const char *name = find(job, v->expression);

	if (!name)
		return 1;
	if (!*name) {
		v->state = ONNX_TENSOR;
		return PALEO_OK;
	}
	const struct paleo_onnx_node *n = &job->graph->nodes[v->by];
	int layer = paleo_onnx_add_layer(job, n, "Activation", &v->view.layer, 1);
	if (layer < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	paleo_onnx_put_word(job, "fn", name);
	v->state = ONNX_TENSOR;
	v->view.layer = layer;
	return PALEO_OK;
}

static int is_repeated(const struct paleo_onnx_value *v)
{
	for (int i = 0; i < v->view.count; i++) {
		if (v->view.atoms[i].axis == ONNX_AXES)
			return 1;
	}
	return 0;
}

int paleo_onnx_tensor(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		      struct paleo_onnx_value *out, struct paleo_error *err)
{
	int rc = paleo_onnx_repeated(job, n, i, out, err);

	if (rc || !is_repeated(out))
		return rc;
	rc = paleo_onnx_lay(job, n, out, out->rank - 1, out->rank - 1, err);
	if (rc <= 0)
		return rc;
	rc = paleo_onnx_refuse(job, n, "of what is repeated", err);
	return rc ? rc : 1;
}

int paleo_onnx_repeated(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
			struct paleo_onnx_value *out, struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, i);
	int rc = PALEO_OK;

	if (v && v->state == ONNX_POINT) {
		rc = paleo_onnx_settle(job, v, err);
		if (rc < 0)
			return rc;
	}
	if (v && v->state == ONNX_WEIGHT && v->learned > 0) {
		rc = paleo_onnx_parameter(job, n, v, err);
		if (rc)
			return rc;
	}
	if (v && v->state == ONNX_PADDED) {
		rc = paleo_onnx_surround(job, n, v, err);
		if (rc)
			return rc;
	}
	if (!v || v->state != ONNX_TENSOR) {
		rc = paleo_onnx_refuse(job, n, "of what is no layer's output", err);
		return rc ? rc : 1;
	}
	*out = *v;
	return PALEO_OK;
}

int paleo_onnx_padded(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		      struct paleo_onnx_value *out, int pads[4], struct paleo_error *err)
{
	const struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0);

	memset(pads, 0, 4 * sizeof(pads[0]));
	if (!v || v->state != ONNX_PADDED)
		return paleo_onnx_tensor(job, n, 0, out, err);
	*out = *v;
	out->state = ONNX_TENSOR;
	memcpy(pads, v->pads, sizeof(v->pads));
	memset(out->pads, 0, sizeof(out->pads));
	out->dims[2] -= pads[0] + pads[2];
	out->dims[3] -= pads[1] + pads[3];
	return PALEO_OK;
}
