/* kind.h - what a kind of work provides: a constant in kinds/, a line in kinds.def. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_WORK_KIND_H
#define PALEO_MODEL_WORK_KIND_H

#include "model/work/operand.h"
#include "model/work/work_fields.h"

/* Which of a device's two speeds, as probes see them, the kind's works follow (device/speed.h). */
enum paleo_follows {
	PALEO_FOLLOWS_NEITHER,
	PALEO_FOLLOWS_PRODUCTS,
	PALEO_FOLLOWS_MEMORY
};

struct paleo_kind_of_work {
	const char *name;
	unsigned passes; /* that it has, as bits 1 << PALEO_FWD ... */
	const struct paleo_field *fields;
	/* Checks what concerns several fields, derives sizes, counts w->flops. What counts as an
	 * operation: every addition, multiplication, comparison, division; a transcendental
	 * function (exp, tanh, erf, pow) counts as one too. Padding is counted as if it were data.
	 * The numbers follow from the formulas in work.h. */
	int (*finish)(struct paleo_work *w, struct paleo_error *err);
	/* Lists the tensors of a work that passed its checks. */
	void (*operands)(const struct paleo_work *w, struct paleo_operand_list *out);
	/* The names of its classes, in each layout; the last is {NULL, NULL}. */
	const char *const (*classes)[PALEO_LAYOUTS];
	/* The work's place among them. NULL: there is one. */
	int (*variant)(const struct paleo_work *w);
	/* 1 if this work is done in narrow number types (dtype.h). NULL: none is. */
	int (*has_narrow)(const struct paleo_work *w);
	/* The number type of an operand. NULL: the work's own of PALEO_W, else its wide one. */
	enum paleo_dtype (*dtype_of)(const struct paleo_work *w, enum paleo_role role);
	/* The numbers of PALEO_INDEX are below this. NULL: there is no such operand. */
	int (*index_limit)(const struct paleo_work *w);
	enum paleo_follows follows;
};

const struct paleo_kind_of_work *paleo_kind_of_work(enum paleo_work_kind kind);

#define WORK(constant, name) extern const struct paleo_kind_of_work paleo_work_##name;
#include "model/work/kinds.def"
#undef WORK

/* The rows of a table of fields. `of` is what they say of a work, as bits. */
#define PALEO_FIELD_AT(geometry, member) offsetof(struct paleo_work, geom.geometry.member)
#define PALEO_NUMBER(geometry, member, normal, low, high, of)                                      \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), normal, low, high, NULL,                \
			PALEO_GEOM_INT, of                                                         \
	}
#define PALEO_DIM(geometry, member, of)                                                            \
	PALEO_NUMBER(geometry, member, -1, 1, PALEO_WORK_DIM_MAX, of)
#define PALEO_ONE(geometry, member, of) PALEO_NUMBER(geometry, member, 1, 1, PALEO_WORK_DIM_MAX, of)
#define PALEO_PAD(geometry, member) PALEO_NUMBER(geometry, member, 0, 0, PALEO_WORK_PAD_MAX, 0)
#define PALEO_FLAG(geometry, member) PALEO_NUMBER(geometry, member, 0, 0, 1, 0)
#define PALEO_COUNT(geometry, member, of)                                                          \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), -1, 1, PALEO_WORK_COUNT_MAX, NULL,      \
			PALEO_GEOM_COUNT, of                                                       \
	}
/* A count that may be 0, and is left out of the key then. */
#define PALEO_SIZE(geometry, member)                                                               \
	{                                                                                          \
#member, PALEO_FIELD_AT(geometry, member), 0, 0, PALEO_WORK_COUNT_MAX, NULL,       \
			PALEO_GEOM_COUNT, 0                                                        \
	}
/* A choice that always stands in the key; one whose first word is left out. */
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
		"layout", offsetof(struct paleo_work, layout), PALEO_NCHW, 0, 0,                   \
			paleo_layout_names, PALEO_GEOM_WORD, 0                                     \
	}
#define PALEO_FIELDS_END                                                                           \
	{                                                                                          \
		NULL, 0, 0, 0, 0, NULL, PALEO_GEOM_INT, 0                                          \
	}

/* The operations of an activation that ends a product, added to w->flops. EINPUT in other passes
 * than the forward one. `act` is as in work.h. */
int paleo_count_act(struct paleo_work *w, int act, double outputs, struct paleo_error *err);

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
/* Anew, after its copies or the bytes of an element have been changed. */
void paleo_operand_count_bytes(struct paleo_operand *o);

#endif
