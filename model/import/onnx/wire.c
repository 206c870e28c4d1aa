/* wire.c - reads the fields of a protocol buffer (protobuf.dev/programming-guides/encoding). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/onnx/wire.h"

#include <string.h>

enum {
	VARINT_BYTES = 10, /* of 64 bits, 7 a byte */
	WIRE_BITS = 3
};

int paleo_onnx_varint(struct paleo_onnx_span *s, uint64_t *out)
{
	uint64_t value = 0;

	if (s->at == s->end)
		return 0;
	for (int i = 0; i < VARINT_BYTES && s->at < s->end; i++) {
		unsigned char byte = *s->at++;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80)) {
			*out = value;
			return 1;
		}
	}
	return -1;
}

/* Little endian, as the wire is. */
static int fixed(struct paleo_onnx_span *s, size_t size, uint64_t *out)
{
	if ((size_t)(s->end - s->at) < size)
		return -1;
	*out = 0;
	for (size_t i = 0; i < size; i++)
		*out |= (uint64_t)s->at[i] << (8 * i);
	s->at += size;
	return 1;
}

static int bytes(struct paleo_onnx_span *s, struct paleo_onnx_span *out)
{
	uint64_t size;

	if (paleo_onnx_varint(s, &size) != 1 || size > (uint64_t)(s->end - s->at))
		return -1;
	*out = (struct paleo_onnx_span){s->at, s->at + size};
	s->at += size;
	return 1;
}

int paleo_onnx_next(struct paleo_onnx_span *message, struct paleo_onnx_field *out)
{
	uint64_t key;
	int got = paleo_onnx_varint(message, &key);

	if (got != 1)
		return got;
	*out = (struct paleo_onnx_field){.number = (unsigned)(key >> WIRE_BITS)};
	if (!out->number || key >> WIRE_BITS > UINT32_MAX)
		return -1;
	switch (key & ((1U << WIRE_BITS) - 1)) {
	case ONNX_VARINT:
		out->wire = ONNX_VARINT;
		return paleo_onnx_varint(message, &out->value) == 1 ? 1 : -1;
	case ONNX_FIXED64:
		out->wire = ONNX_FIXED64;
		return fixed(message, sizeof(uint64_t), &out->value);
	case ONNX_FIXED32:
		out->wire = ONNX_FIXED32;
		return fixed(message, sizeof(uint32_t), &out->value);
	case ONNX_BYTES:
		out->wire = ONNX_BYTES;
		return bytes(message, &out->bytes);
	default:
		return -1;
	}
}

int paleo_onnx_each(const struct paleo_onnx_field *f, int (*take)(void *to, uint64_t value),
		    void *to)
{
	struct paleo_onnx_span s = f->bytes;
	uint64_t value;
	int got;

	if (f->wire != ONNX_BYTES)
		return take(to, f->value);
	while ((got = paleo_onnx_varint(&s, &value)) == 1) {
		if (take(to, value))
			return -1;
	}
	return got;
}

struct paleo_onnx_span paleo_onnx_span_of(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	return (struct paleo_onnx_span){at, at + strlen(text)};
}

int paleo_onnx_span_is(struct paleo_onnx_span s, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(s.end - s.at) == size && (!size || !memcmp(s.at, text, size));
}
