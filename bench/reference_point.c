/* reference_point.c - reference of element-wise ops, copies and optimiser steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/reference_kinds.h"

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* Probability that a standard normal number is below x. */
static double normal_cdf(double x)
{
	return 0.5 * (1 + erf(x * sqrt(0.5)));
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* An operation of one input, and its slope. */
struct curve {
	double y, slope;
};

static struct curve curve_at(enum paleo_eltwise_op op, double x)
{
	const double inverse_sqrt_2pi = 0.39894228040143267794, s = sigmoid(x);

	switch (op) {
	case PALEO_RELU:
		return (struct curve){x > 0 ? x : 0, x > 0};
	case PALEO_RELU6:
		return (struct curve){clamp(x, 0, 6), x > 0 && x < 6};
	case PALEO_LEAKY_RELU:
		return (struct curve){x > 0 ? x : 0.01 * x, x > 0 ? 1 : 0.01};
	case PALEO_ELU:
		return (struct curve){x > 0 ? x : expm1(x), x > 0 ? 1 : exp(x)};
	case PALEO_SIGMOID:
		return (struct curve){s, s * (1 - s)};
	case PALEO_TANH:
		return (struct curve){tanh(x), 1 - tanh(x) * tanh(x)};
	case PALEO_GELU:
		return (struct curve){x * normal_cdf(x),
				      normal_cdf(x) + x * inverse_sqrt_2pi * exp(-x * x / 2)};
	case PALEO_SILU:
		return (struct curve){x * s, s * (1 + x * (1 - s))};
	case PALEO_HARDSWISH:
		return (struct curve){x * clamp(x / 6 + 0.5, 0, 1),
				      x <= -3 || x >= 3 ? x > 0 : x / 3 + 0.5};
	case PALEO_DROPOUT:
	case PALEO_ADD:
	case PALEO_MUL:
	case PALEO_MAX:
	case PALEO_SILU_MUL:
	case PALEO_ELTWISE_OPS:
		break;
	}
	return (struct curve){NAN, NAN};
}

/* Index of the largest input at this position; the first of equal ones. */
static int largest(const struct paleo_op *w, uint64_t index)
{
	int best = 0;

	for (int i = 1; i < w->geom.eltwise.inputs; i++) {
		if (paleo_fill_value(w, PALEO_X, i, (double)index) >
		    paleo_fill_value(w, PALEO_X, best, (double)index))
			best = i;
	}
	return best;
}

/* An input's value; of the second one that is repeated, too. */
static double input_at(const struct paleo_op *w, int input, double at)
{
	double small = w->geom.eltwise.small;

	if (input && small > 0)
		return paleo_fill_value(w, PALEO_W, 0, fmod(at, small));
	return paleo_fill_value(w, PALEO_X, input, at);
}

static double product_but(const struct paleo_op *w, int left_out, uint64_t index)
{
	double v = 1;

	for (int i = 0; i < w->geom.eltwise.inputs; i++) {
		if (i != left_out)
			v *= input_at(w, i, (double)index);
	}
	return v;
}

static void eltwise_y(const struct paleo_op *w, struct paleo_reference *e)
{
	enum paleo_eltwise_op op = (enum paleo_eltwise_op)w->geom.eltwise.op;
	double at = (double)e->index;

	if (op == PALEO_ADD) {
		for (int i = 0; i < w->geom.eltwise.inputs; i++)
			paleo_reference_add(e, input_at(w, i, at));
	} else if (op == PALEO_MUL) {
		paleo_reference_add(e, product_but(w, -1, e->index));
	} else if (op == PALEO_SILU_MUL) {
		double b = paleo_fill_value(w, PALEO_X, 1, at);
		paleo_reference_add(e, curve_at(PALEO_SILU, paleo_fill_value(w, PALEO_X, 0, at)).y *
					       b);
	} else if (op == PALEO_MAX) {
		paleo_reference_add(e, paleo_fill_value(w, PALEO_X, largest(w, e->index), at));
	} else if (op == PALEO_DROPOUT) {
		double x = paleo_fill_value(w, PALEO_X, 0, at);
		paleo_reference_add(e, paleo_fill_keep(at) ? 2 * x : 0);
	} else {
		paleo_reference_add(e, curve_at(op, paleo_fill_value(w, PALEO_X, 0, at)).y);
	}
}

/* Slope of silu(a) b with respect to its first or second input. */
static double silu_mul_slope(const struct paleo_op *w, int copy, double at)
{
	double a = paleo_fill_value(w, PALEO_X, 0, at);

	return copy ? curve_at(PALEO_SILU, a).y
		    : curve_at(PALEO_SILU, a).slope * paleo_fill_value(w, PALEO_X, 1, at);
}

static void eltwise_dx(const struct paleo_op *w, struct paleo_reference *e)
{
	enum paleo_eltwise_op op = (enum paleo_eltwise_op)w->geom.eltwise.op;
	double at = (double)e->index;
	double slope;

	if (op == PALEO_MUL)
		slope = product_but(w, e->copy, e->index);
	else if (op == PALEO_SILU_MUL)
		slope = silu_mul_slope(w, e->copy, at);
	else if (op == PALEO_MAX)
		slope = largest(w, e->index) == e->copy;
	else if (op == PALEO_DROPOUT)
		slope = paleo_fill_keep(at) ? 2 : 0;
	else
		slope = curve_at(op, paleo_fill_value(w, PALEO_X, 0, at)).slope;
	paleo_reference_add(e, slope * paleo_fill_value(w, PALEO_DY, 0, at));
}

/* Results of exp, tanh or erf are exact relative to 1, not to their own size. */
static void add_unit(enum paleo_eltwise_op op, struct paleo_reference *e)
{
	if (op == PALEO_ELU || op == PALEO_SIGMOID || op == PALEO_TANH || op == PALEO_GELU ||
	    op == PALEO_SILU || op == PALEO_SILU_MUL)
		e->squares += 1;
}

void paleo_reference_activate(struct paleo_reference *e, int act)
{
	if (!act)
		return;
	e->value = curve_at((enum paleo_eltwise_op)(act - 1), e->value).y;
	add_unit((enum paleo_eltwise_op)(act - 1), e);
}

int paleo_reference_eltwise(const struct paleo_op *w, struct paleo_reference *e)
{
	int op = w->geom.eltwise.op;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y)
		eltwise_y(w, e);
	else if (w->pass == PALEO_FWD && e->role == PALEO_MASK && op == PALEO_DROPOUT)
		paleo_reference_add(e, paleo_fill_keep((double)e->index));
	else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX && op != PALEO_ADD)
		eltwise_dx(w, e);
	else
		return 0;
	add_unit((enum paleo_eltwise_op)op, e);
	return 1;
}

/* The parts are X or DX, the joined tensor is Y or DY. */
int paleo_reference_copy(const struct paleo_op *w, struct paleo_reference *e)
{
	const struct paleo_copy_geom *g = &w->geom.copy;
	uint64_t columns = (uint64_t)g->cols;
	int start = 0;

	if (w->pass == PALEO_FWD && e->role == PALEO_Y) {
		uint64_t row = e->index / columns;
		int column = (int)(e->index % columns), part = 0;
		int width = paleo_copy_part(g, 0, &start);
		while (column >= start + width)
			width = paleo_copy_part(g, ++part, &start);
		uint64_t at = row * (uint64_t)width + (uint64_t)(column - start);
		paleo_reference_add(e, paleo_fill_value(w, PALEO_X, part, (double)at));
	} else if (w->pass == PALEO_BWD_DATA && e->role == PALEO_DX) {
		uint64_t width = (uint64_t)paleo_copy_part(g, e->copy, &start);
		uint64_t row = e->index / width;
		uint64_t at = row * columns + (uint64_t)start + e->index % width;
		paleo_reference_add(e, paleo_fill_value(w, PALEO_DY, 0, (double)at));
	} else {
		return 0;
	}
	return 1;
}

/* Adam at step 1: both moments are divided by 1 - beta. */
static void adam(double weight, double m, double v, struct paleo_reference *e)
{
	const double rate = 0x1p-10, epsilon = 1e-8;

	paleo_reference_add(e, weight);
	paleo_reference_add(e, -rate * (m / (1 - 0.9)) / (sqrt(v / (1 - 0.999)) + epsilon));
}

int paleo_reference_update(const struct paleo_op *w, struct paleo_reference *e)
{
	const double rate = 0x1p-10;
	double at = (double)e->index;
	double gradient = paleo_fill_value(w, PALEO_DY, 0, at);
	int has_master = paleo_dtype_bytes(w->dtype) < paleo_dtype_bytes(PALEO_F32);
	double weight = paleo_fill_value(w, has_master ? PALEO_MASTER : PALEO_W, 0, at);
	double first = paleo_fill_value(w, PALEO_STATE1, 0, at);
	double second = paleo_fill_value(w, PALEO_STATE2, 0, at);
	int is_adam = w->geom.update.rule == PALEO_ADAM;
	int is_weight = e->role == PALEO_W || e->role == PALEO_MASTER;
	double old = 0.9 * first, new = is_adam ? (1 - 0.9) * gradient : gradient;
	double old2 = 0.999 * second, new2 = (1 - 0.999) * gradient * gradient;

	if (e->role == PALEO_STATE1 && w->geom.update.rule != PALEO_SGD) {
		paleo_reference_add(e, old);
		paleo_reference_add(e, new);
	} else if (e->role == PALEO_STATE2 && is_adam) {
		paleo_reference_add(e, old2);
		paleo_reference_add(e, new2);
	} else if (is_weight && is_adam) {
		adam(weight, old + new, old2 + new2, e);
	} else if (is_weight) {
		paleo_reference_add(e, weight);
		paleo_reference_add(
			e, -rate * (w->geom.update.rule == PALEO_SGD ? gradient : old + new));
	} else {
		return 0;
	}
	return 1;
}
