/* unary.c - operators on one value, element by element. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/import/onnx/ops.h"
#include "model/import/onnx/point.h"
#include "model/import/onnx/stat.h"

static const struct {
	const char *type;
	enum paleo_onnx_op op;
	const char *attribute; /* what c is, or NULL */
	double fallback;
} names[] = {
	{"Relu", OP_RELU, NULL, 0},
	{"LeakyRelu", OP_LEAKY, "alpha", 0.01},
	{"Elu", OP_ELU, "alpha", 1},
	{"Sigmoid", OP_SIGMOID, NULL, 0},
	{"HardSigmoid", OP_HARD_SIGMOID, "alpha", 0.2},
	{"HardSwish", OP_HARD_SWISH, NULL, 0},
	{"Tanh", OP_TANH, NULL, 0},
	{"Erf", OP_ERF, NULL, 0},
	{"Exp", OP_EXP, NULL, 0},
	{"Log", OP_LOG, NULL, 0},
	{"Sqrt", OP_SQRT, NULL, 0},
	{"Reciprocal", OP_RECIPROCAL, NULL, 0},
	{"Neg", OP_NEG, NULL, 0},
	{"Abs", OP_ABS, NULL, 0},
	{"Floor", OP_FLOOR, NULL, 0},
	{"Ceil", OP_CEIL, NULL, 0},
	{"Round", OP_ROUND, NULL, 0},
	{"Sin", OP_SIN, NULL, 0},
	{"Cos", OP_COS, NULL, 0},
	{"Not", OP_NOT, NULL, 0},
	{"Sign", OP_SIGN, NULL, 0},
	{"Softplus", OP_SOFTPLUS, NULL, 0},
	{"Mish", OP_MISH, NULL, 0},
	{"Gelu", OP_GELU, NULL, 0},
	{"QuickGelu", OP_GELU, NULL, 0},
	{"Swish", OP_SWISH, "alpha", 1},
	{"Selu", OP_ELU, "alpha", 1.67326},
	{"Celu", OP_ELU, "alpha", 1},
	{"Softsign", OP_TANH, NULL, 0}, /* one pass, as any other */
	{"ThresholdedRelu", OP_RELU, NULL, 0},
};

static int on_numbers(enum paleo_onnx_op op, double c, struct paleo_onnx_value *v)
{
	const double count = paleo_onnx_count(v);

	if (!v->numbers)
		return PALEO_OK;
	for (size_t i = 0; i < (size_t)count; i++)
		v->numbers[i] = paleo_onnx_apply(op, v->numbers[i], 0, c);
	return PALEO_OK;
}

/* Puts the function around what `v` is already. */
static int around(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		  enum paleo_onnx_op op, double c, struct paleo_onnx_value *out,
		  struct paleo_error *err)
{
	struct paleo_onnx_value made = *paleo_onnx_in(job, n, 0);
	int x = made.state == ONNX_POINT ? made.expression
					 : paleo_onnx_express(job, OP_X, -1, -1, 0);

	made.expression = x < 0 ? -1 : paleo_onnx_express(job, op, x, -1, c);
	if (made.expression < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	made.state = ONNX_POINT;
	made.by = n->number;
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}

static int apply(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, enum paleo_onnx_op op,
		 double c, struct paleo_error *err)
{
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);
	int done = 0;

	if (!v)
		return paleo_onnx_refuse(job, n, "of nothing", err);
	int rc = paleo_onnx_stat_unary(job, n, out, &done, err);
	if (!rc && v->state == ONNX_PADDED)
		rc = paleo_onnx_surround(job, n, v, err);
	if (rc || done)
		return rc < 0 ? rc : PALEO_OK;
	switch (v->state) {
	case ONNX_TENSOR:
	case ONNX_POINT:
		return around(job, n, op, c, out, err);
	case ONNX_NUMBERS:
		rc = paleo_onnx_copy(v, out, err);
		return rc ? rc : on_numbers(op, c, out);
	case ONNX_WEIGHT:
	case ONNX_SIDE:
		return paleo_onnx_copy(v, out, err);
	case ONNX_UNKNOWN:
	case ONNX_STAT:
	case ONNX_SCORES:
	case ONNX_PADDED:
	case ONNX_TURN:
		break;
	}
	return paleo_onnx_refuse(job, n, "of attention's scores", err);
}

int paleo_onnx_op_unary(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
			struct paleo_error *err)
{
	size_t i = 0;

	while (i + 1 < sizeof(names) / sizeof(names[0]) &&
	       !paleo_onnx_span_is(n->type, names[i].type))
		i++;
	const double c =
		names[i].attribute ? paleo_onnx_float(n, names[i].attribute, names[i].fallback) : 0;
	return apply(job, n, names[i].op, c, err);
}

/* A bound of Clip: an input since opset 11, an attribute before. */
static double bound(struct paleo_onnx_job *job, const struct paleo_onnx_node *n, int i,
		    const char *name, double fallback)
{
	int count;
	const double *given = paleo_onnx_numbers(job, n, i, &count);

	return given && count == 1 ? given[0] : paleo_onnx_float(n, name, fallback);
}

int paleo_onnx_op_clip(struct paleo_onnx_job *job, const struct paleo_onnx_node *n,
		       struct paleo_error *err)
{
	const double low = bound(job, n, 1, "min", -INFINITY),
		     high = bound(job, n, 2, "max", INFINITY);
	struct paleo_onnx_value *v = paleo_onnx_in(job, n, 0), *out = paleo_onnx_out(job, n, 0);

	if (!v || (v->state != ONNX_TENSOR && v->state != ONNX_POINT))
		return v ? paleo_onnx_copy(v, out, err)
			 : paleo_onnx_refuse(job, n, "of nothing", err);
	struct paleo_onnx_value made = *v;
	int x = v->state == ONNX_POINT ? v->expression : paleo_onnx_express(job, OP_X, -1, -1, 0);
	int l = paleo_onnx_express(job, OP_CONSTANT, -1, -1, low);
	int h = paleo_onnx_express(job, OP_CONSTANT, -1, -1, high);
	int larger = x < 0 || l < 0 ? -1 : paleo_onnx_express(job, OP_MAX, x, l, 0);
	made.expression = larger < 0 || h < 0 ? -1 : paleo_onnx_express(job, OP_MIN, larger, h, 0);
	if (made.expression < 0)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	made.state = ONNX_POINT;
	made.by = n->number;
	free(out->numbers);
	*out = made;
	return PALEO_OK;
}
