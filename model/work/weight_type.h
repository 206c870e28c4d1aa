/* weight_type.h - what weights are stored in: a number type, or one that weights alone have. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_WORK_WEIGHT_TYPE_H
#define PALEO_MODEL_WORK_WEIGHT_TYPE_H

#include "model/work/dtype.h"

struct paleo_weight_type {
	int dtype;  /* 1 + enum paleo_dtype of the products; 0: that of the net */
	int stored; /* position in paleo_stored_names; 0: as the products are done */
};

/* "own", then the lines of weight_types.def, and NULL. */
extern const char *const paleo_stored_names[];

/* By a name of either kind. EINPUT for an unknown one, with the names there are. */
int paleo_weight_type_parse(const char *word, struct paleo_weight_type *out,
			    struct paleo_error *err);
const char *paleo_weight_type_name(const struct paleo_weight_type *t, enum paleo_dtype net);

/* 1 + the number type that products with such weights are done in; 0: the net's. */
int paleo_stored_dtype(int stored);

/* Bytes of one weight with its share of scales, where products are done in `dtype`. */
double paleo_stored_bytes(int stored, enum paleo_dtype dtype);
double paleo_weight_type_bytes(const struct paleo_weight_type *t, enum paleo_dtype net);

#endif
