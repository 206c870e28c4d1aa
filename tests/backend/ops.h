/* ops.h - the small ops that every backend is checked on. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_OPS_H
#define PALEO_TESTS_BACKEND_OPS_H

/* One geometry, in several passes and every dtype: "kind PASS DTYPE fields". */
struct small_op {
	const char *kind;
	const char *passes; /* f: fwd, d: bwd_data, w: bwd_filter, u: update */
	const char *fields;
};

/* The list, ended by an entry without a kind. */
extern const struct small_op small_ops[];

#endif
