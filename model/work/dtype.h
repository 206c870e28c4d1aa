/* dtype.h - the number types: their names, the bytes of an element. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_WORK_DTYPE_H
#define PALEO_MODEL_WORK_DTYPE_H

#include "base/error.h"

/* PALEO_F32, PALEO_TF32 ...: a line of dtypes.def each. */
enum paleo_dtype {
#define DTYPE(constant, ...) PALEO_##constant,
#include "model/work/dtypes.def"
#undef DTYPE
	PALEO_DTYPES
};

/* "f32", "tf32" ..., in the order of the enum, and NULL at the end. */
extern const char *const paleo_dtype_names[PALEO_DTYPES + 1];

const char *paleo_dtype_name(enum paleo_dtype dtype); /* "f32" */
int paleo_dtype_bytes(enum paleo_dtype dtype);        /* of one stored element */

/* The type of what a net in `dtype` keeps and computes outside of its products: bf16 for fp8,
 * `dtype` itself for all others. */
enum paleo_dtype paleo_dtype_wide(enum paleo_dtype dtype);

/* 1 if only forward products are done in it, and all else in its wide type: fp8. */
int paleo_dtype_is_narrow(enum paleo_dtype dtype);

/* By its name. EINPUT for an unknown one, with the names there are. */
int paleo_dtype_parse(const char *word, enum paleo_dtype *out, struct paleo_error *err);

/* By what tables of measured times call it, in any case of letters: "fp32", "float32", "half". 0 if
 * there is none. */
int paleo_dtype_of_table(const char *word, enum paleo_dtype *out);

#endif
