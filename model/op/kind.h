/* kind.h - the interface of a kind of op: a constant in kinds/, a line in kinds.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_OP_KIND_H
#define PALEO_MODEL_OP_KIND_H

#include "model/op/op_fields.h"
#include "model/op/operand.h"

/* The probe of machine speed that a kind's ops follow (model/device/device.h). */
enum paleo_follows {
	PALEO_FOLLOWS_NEITHER,
	PALEO_FOLLOWS_PRODUCTS,
	PALEO_FOLLOWS_MEMORY
};

struct paleo_op_kind_info {
	const char *name;
	unsigned passes; /* that it has, as bits 1 << PALEO_FWD ... */
	const struct paleo_field *fields;
	/* Checks combinations of fields, derives sizes, counts w->flops. Operations are: every
	 * addition, multiplication, comparison, division; a transcendental function (exp, tanh,
	 * erf, pow) counts as one too. Padding is counted as if it were data. The numbers follow
	 * from the formulas in op.h. */
	int (*finish)(struct paleo_op *w, struct paleo_error *err);
	/* Lists the tensors of an op that passed its checks. */
	void (*operands)(const struct paleo_op *w, struct paleo_operand_list *out);
	/* The names of its classes, in each layout; the last is {NULL, NULL}. */
	const char *const (*classes)[PALEO_LAYOUTS];
	/* The op's place among them. NULL: there is one. */
	int (*variant)(const struct paleo_op *w);
	/* 1 if this op is done in narrow dtypes (dtype.h). NULL: none is. */
	int (*has_narrow)(const struct paleo_op *w);
	/* The dtype of an operand. NULL: the op's own of PALEO_W, else its wide one. */
	enum paleo_dtype (*dtype_of)(const struct paleo_op *w, enum paleo_role role);
	/* Upper limit of the numbers of PALEO_INDEX. NULL: no such operand. */
	int (*index_limit)(const struct paleo_op *w);
	enum paleo_follows follows;
};

const struct paleo_op_kind_info *paleo_op_kind_info(enum paleo_op_kind kind);

#define OP(constant, name) extern const struct paleo_op_kind_info paleo_op_##name;
#include "model/op/kinds.def"
#undef OP

/* The rows of a table of fields. `of` are the field's properties, as bits. */
#define PALEO_FIELD_AT(geometry, member) offsetof(struct paleo_op, geom.geometry.member)
#define PALEO_NUMBER(geometry, member, normal, low, high, of)                                      \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), normal, low, high, NULL,                \
			PALEO_GEOM_INT, of                                                         \
	}
#define PALEO_DIM(geometry, member, of) PALEO_NUMBER(geometry, member, -1, 1, PALEO_OP_DIM_MAX, of)
#define PALEO_ONE(geometry, member, of) PALEO_NUMBER(geometry, member, 1, 1, PALEO_OP_DIM_MAX, of)
#define PALEO_PAD(geometry, member) PALEO_NUMBER(geometry, member, 0, 0, PALEO_OP_PAD_MAX, 0)
#define PALEO_FLAG(geometry, member) PALEO_NUMBER(geometry, member, 0, 0, 1, 0)
#define PALEO_COUNT(geometry, member, of)                                                          \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), -1, 1, PALEO_OP_COUNT_MAX, NULL,        \
			PALEO_GEOM_COUNT, of                                                       \
	}
/* A count that may be 0, and is left out of the key then. */
#define PALEO_SIZE(geometry, member)                                                               \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), 0, 0, PALEO_OP_COUNT_MAX, NULL,         \
			PALEO_GEOM_COUNT, 0                                                        \
	}
/* A choice that is always in the key; one whose first word is omitted. */
#define PALEO_WORD(geometry, member, words)                                                        \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), -1, 0, 0, words, PALEO_GEOM_WORD, 0     \
	}
#define PALEO_CHOICE(geometry, member, words)                                                      \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), 0, 0, 0, words, PALEO_GEOM_WORD, 0      \
	}
#define PALEO_LAYOUT                                                                               \
	{                                                                                          \
		"layout", offsetof(struct paleo_op, layout), PALEO_NCHW, 0, 0, paleo_layout_names, \
			PALEO_GEOM_WORD, 0                                                         \
	}
#define PALEO_FIELDS_END                                                                           \
	{                                                                                          \
		NULL, 0, 0, 0, 0, NULL, PALEO_GEOM_INT, 0                                          \
	}

/* Adds the operations of a fused activation to w->flops. EINPUT in other passes than the forward
 * one. `act` is as in op.h. */
int paleo_count_act(struct paleo_op *w, int act, double outputs, struct paleo_error *err);

/* Positions of a window along one dimension; 0 if it does not fit. */
int paleo_window_count(int in, int pads, int window, int stride, int dilation);

/* Tensors, added to a list. */
struct paleo_operand *paleo_operand_add(struct paleo_operand_list *l, enum paleo_role role,
					enum paleo_access access);
struct paleo_operand *paleo_operand_1d(struct paleo_operand_list *l, enum paleo_role role,
				       enum paleo_access access, double a);
struct paleo_operand *paleo_operand_matrix(struct paleo_operand_list *l, enum paleo_role role,
					   enum paleo_access access, double batch, double rows,
					   double cols);
struct paleo_operand *paleo_operand_4d(struct paleo_operand_list *l, enum paleo_role role,
				       enum paleo_access access, const double dims[4]);
/* Numbers of rows, four bytes each. */
void paleo_operand_index(struct paleo_operand_list *l, double count);
/* Recounts after its copies or the bytes of an element have changed. */
void paleo_operand_count_bytes(struct paleo_operand *o);

#endif
