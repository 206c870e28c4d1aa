/* wire.h - reads the fields of a protocol buffer where they lie. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_ONNX_WIRE_H
#define PALEO_MODEL_IMPORT_ONNX_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the file; nothing is copied. */
struct paleo_onnx_span {
	const unsigned char *at, *end;
};

enum paleo_onnx_wire { /* protobuf's wire types that ONNX uses */
	ONNX_VARINT = 0,
	ONNX_FIXED64 = 1,
	ONNX_BYTES = 2,
	ONNX_FIXED32 = 5
};

struct paleo_onnx_field {
	unsigned number;
	enum paleo_onnx_wire wire;
	uint64_t value;               /* of all but ONNX_BYTES */
	struct paleo_onnx_span bytes; /* of ONNX_BYTES: a text, a message, packed numbers */
};

/* Takes the next field off the front of a message: 1. At its end 0; where it is broken -1. */
int paleo_onnx_next(struct paleo_onnx_span *message, struct paleo_onnx_field *out);

/* Takes the next number off packed ones: 1, 0 at the end, -1 where they are broken. */
int paleo_onnx_varint(struct paleo_onnx_span *s, uint64_t *out);

/* Calls take() with each number of a repeated field, packed or not. Stops where it fails: 0 or -1.
 */
int paleo_onnx_each(const struct paleo_onnx_field *f, int (*take)(void *to, uint64_t value),
		    void *to);

/* The span of a text. */
struct paleo_onnx_span paleo_onnx_span_of(const char *text);
int paleo_onnx_span_is(struct paleo_onnx_span s, const char *text);

#endif
