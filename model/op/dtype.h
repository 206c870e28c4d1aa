/* dtype.h - dtypes and storage types of weights: names, bytes of an element. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_OP_DTYPE_H
#define PALEO_MODEL_OP_DTYPE_H

#include "base/error.h"

/* PALEO_F32, PALEO_TF32 ...: a line of dtypes.def each. */
enum paleo_dtype {
#define DTYPE(constant, ...) PALEO_##constant,
#include "model/op/dtypes.def"
#undef DTYPE
	PALEO_DTYPES
};

/* "f32", "tf32" ..., in the order of the enum, and NULL at the end. */
extern const char *const paleo_dtype_names[PALEO_DTYPES + 1];

const char *paleo_dtype_name(enum paleo_dtype dtype); /* "f32" */
int paleo_dtype_bytes(enum paleo_dtype dtype);        /* of one stored element */

/* The type of all tensors and ops of a net in `dtype` other than its GEMMs: bf16 for fp8, `dtype`
 * itself for all others. */
enum paleo_dtype paleo_dtype_wide(enum paleo_dtype dtype);

/* 1 if only forward GEMMs run in it, and all else in its wide type: fp8. */
int paleo_dtype_is_narrow(enum paleo_dtype dtype);

/* By its name. EINPUT for an unknown one, with the names there are. */
int paleo_dtype_parse(const char *word, enum paleo_dtype *out, struct paleo_error *err);

/* Finds a dtype by its name in tables of measured times, in any case: "fp32", "float32", "half". 0
 * if there is none. */
int paleo_dtype_of_table(const char *word, enum paleo_dtype *out);

/* Storage type of weights: a dtype, or one that only weights have. */
struct paleo_weight_type {
	int dtype;  /* 1 + enum paleo_dtype of the GEMMs; 0: that of the net */
	int stored; /* position in paleo_stored_names; 0: the GEMMs' dtype */
};

/* Type of the scale that the weights of a block share. */
enum paleo_scale_type {
	PALEO_SCALE_FLOAT,
	PALEO_SCALE_HALF,  /* f16 or bf16, as the net is in */
	PALEO_SCALE_UE8M0, /* a power of two, a byte */
	PALEO_SCALE_UE4M3  /* e4m3 without a sign, a byte */
};

/* Type of a weight without its scale. */
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
	PALEO_CORES_NONE, /* GEMMs run in a dtype */
	PALEO_CORES_FP4,  /* e2m1, with scales of blocks */
	PALEO_CORES_INT8  /* whole numbers of 8 bits */
};

/* "own", then the lines of weight_types.def, and NULL. */
extern const char *const paleo_stored_names[];

/* By a name of either kind. EINPUT for an unknown one, with the names there are. */
int paleo_weight_type_parse(const char *word, struct paleo_weight_type *out,
			    struct paleo_error *err);
const char *paleo_weight_type_name(const struct paleo_weight_type *t, enum paleo_dtype net);

/* The name of whole numbers of so many bits that take `bits` each with scales and zeros, or nearly;
 * NULL: there are none. */
const char *paleo_stored_whole(int code_bits, double bits);

/* 1 + the dtype of GEMMs with such weights; 0: the net's. */
int paleo_stored_dtype(int stored);

/* The blocks of such weights; `stored` is not 0. */
const struct paleo_blocks *paleo_stored_blocks(int stored);

/* The units that multiply such weights by quantised activations. */
enum paleo_cores paleo_stored_cores(int stored);

/* Bytes of one weight with its share of scales, where GEMMs are in `dtype`. */
double paleo_stored_bytes(int stored, enum paleo_dtype dtype);
double paleo_weight_type_bytes(const struct paleo_weight_type *t, enum paleo_dtype net);

#endif
