/* weight_type.h - what weights are stored in: a number type, or one that weights alone have. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_WORK_WEIGHT_TYPE_H
#define PALEO_MODEL_WORK_WEIGHT_TYPE_H

#include "model/work/dtype.h"

struct paleo_weight_type {
	int dtype;  /* 1 + enum paleo_dtype of the products; 0: that of the net */
	int stored; /* position in paleo_stored_names; 0: as the products are done */
};

/* What the weights of a block share. */
enum paleo_scale_type {
	PALEO_SCALE_FLOAT,
	PALEO_SCALE_HALF,  /* f16 or bf16, as the net is in */
	PALEO_SCALE_UE8M0, /* a power of two, a byte */
	PALEO_SCALE_UE4M3  /* e4m3 without a sign, a byte */
};

/* What a weight is without its scale. */
enum paleo_code_type {
	PALEO_CODE_E4M3,
	PALEO_CODE_E2M1,
	PALEO_CODE_WHOLE /* -2^(bits - 1) .. 2^(bits - 1) - 1 */
};

struct paleo_blocks {
	int rows,
		columns; /* of the weights [outputs, inputs] that share a scale; columns 0: a row */
	int code_bits;
	enum paleo_code_type code;
	enum paleo_scale_type scale;
	int narrow_x; /* activations become codes with such scales, too; else they stay */
};

/* Tensor cores that multiply codes by codes, where a device has them. */
enum paleo_cores {
	PALEO_CORES_NONE, /* products are done in a number type */
	PALEO_CORES_FP4,  /* e2m1, with scales of blocks */
	PALEO_CORES_INT8  /* whole numbers of 8 bits */
};

/* "own", then the lines of weight_types.def, and NULL. */
extern const char *const paleo_stored_names[];

/* By a name of either kind. EINPUT for an unknown one, with the names there are. */
int paleo_weight_type_parse(const char *word, struct paleo_weight_type *out,
			    struct paleo_error *err);
const char *paleo_weight_type_name(const struct paleo_weight_type *t, enum paleo_dtype net);

/* 1 + the number type that products with such weights are done in; 0: the net's. */
int paleo_stored_dtype(int stored);

/* The blocks of such weights; `stored` is not 0. */
const struct paleo_blocks *paleo_stored_blocks(int stored);

/* What multiplies such weights by activations that became codes, too. */
enum paleo_cores paleo_stored_cores(int stored);

/* Bytes of one weight with its share of scales, where products are done in `dtype`. */
double paleo_stored_bytes(int stored, enum paleo_dtype dtype);
double paleo_weight_type_bytes(const struct paleo_weight_type *t, enum paleo_dtype net);

#endif
