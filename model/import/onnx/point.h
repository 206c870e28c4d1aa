/* point.h - functions of one number, as exporters write them: operator by operator. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_POINT_H
#define PALEO_MODEL_IMPORT_ONNX_POINT_H

#include "model/import/onnx/job.h"

enum paleo_onnx_op {
	OP_X,        /* the number itself */
	OP_CONSTANT, /* c */
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_POW,
	OP_MAX,
	OP_MIN,
	OP_MOD,
	OP_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_RELU,
	OP_LEAKY, /* slope c */
	OP_ELU,   /* alpha c */
	OP_SIGMOID,
	OP_HARD_SIGMOID, /* slope c */
	OP_HARD_SWISH,
	OP_TANH,
	OP_ERF,
	OP_EXP,
	OP_LOG,
	OP_SQRT,
	OP_RECIPROCAL,
	OP_NEG,
	OP_ABS,
	OP_FLOOR,
	OP_CEIL,
	OP_ROUND,
	OP_SIN,
	OP_COS,
	OP_NOT,
	OP_SIGN,
	OP_SOFTPLUS,
	OP_MISH,
	OP_GELU,
	OP_SWISH, /* slope c within the sigmoid */
	OP_PAIR,  /* both branches of a choice */
	OP_SELECT /* the first of the pair b if a is not 0, else its second */
};

struct paleo_onnx_expression {
	enum paleo_onnx_op op;
	int a, b; /* expressions; -1: none */
	double c;
};

/* Adds an expression. Its number, or -1: out of memory. */
int paleo_onnx_express(struct paleo_onnx_job *job, enum paleo_onnx_op op, int a, int b, double c);

double paleo_onnx_apply(enum paleo_onnx_op op, double a, double b, double c);

/* 1 if the expression is x^2. */
int paleo_onnx_is_square(const struct paleo_onnx_job *job, int e);

#endif
