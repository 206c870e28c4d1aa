/* op_fields.h - the named fields of every geometry: one table for key, parse and range check. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_OP_OP_FIELDS_H
#define PALEO_MODEL_OP_OP_FIELDS_H

#include "model/op/op.h"

/* Upper ends of the ranges: dimensions, padding, element counts. */
#define PALEO_OP_DIM_MAX 16777216.0
#define PALEO_OP_PAD_MAX 65536.0
#define PALEO_OP_COUNT_MAX 1099511627776.0

enum paleo_geom_type {
	PALEO_GEOM_INT,
	PALEO_GEOM_WORD,
	PALEO_GEOM_COUNT /* a double */
};

/* Properties of a field, as bits, for code that does not depend on the kind. */
enum {
	PALEO_OF_SHAPE = 1,    /* ops that have these in common are held out of a fit together */
	PALEO_OF_BATCH = 2,    /* how many images */
	PALEO_OF_CHANNELS = 4, /* divided among workers, where channels are independent */
	PALEO_OF_PART = 8      /* of a worker's part of a layer */
};

/* One field: `normal` is the value omitted from the key; -1: never omitted. */
struct paleo_field {
	const char *name;
	size_t offset;
	double normal, low, high;
	const char *const *words;
	enum paleo_geom_type type;
	unsigned of;
};

extern const char *const paleo_layout_names[PALEO_LAYOUTS + 1];
extern const char *const paleo_eltwise_names[PALEO_ELTWISE_OPS + 1];
/* "none", then the functions of one input, in the order of their enum. */
extern const char *const paleo_act_names[];

/* The fields of a kind, in the order of its key; ends with a NULL name. */
const struct paleo_field *paleo_op_fields(enum paleo_op_kind kind);
double paleo_field_get(const struct paleo_op *w, const struct paleo_field *f);
void paleo_field_put(struct paleo_op *w, const struct paleo_field *f, double number);

/* The first field with one of these bits; NULL if the kind has none. */
const struct paleo_field *paleo_field_of(enum paleo_op_kind kind, unsigned of);

/* Puts the default into every field that is 0 and whose default is not (strides, dilation, groups,
 * batch, inputs, parts), and the first layout where a kind has none. EINPUT names the first field
 * that is out of its range. */
int paleo_op_fields_fill(struct paleo_op *w, struct paleo_error *err);

#endif
