/* wire.c - reads protocol buffers: fields, and ONNX's attributes and tensors. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* protobuf.dev/programming-guides/encoding; onnx.proto of github.com/onnx/onnx */

enum {
	VARINT_BYTES = 10, /* of 64 bits, 7 a byte */
	WIRE_BITS = 3
};

/* Takes the next number off packed ones: 1, 0 at the end, -1 where they are broken. */
static int varint(struct paleo_onnx_span *s, uint64_t *out)
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

/* The number of `size` bytes, little endian as the wire is. */
static uint64_t little_endian(const unsigned char *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static int fixed(struct paleo_onnx_span *s, size_t size, uint64_t *out)
{
	if ((size_t)(s->end - s->at) < size)
		return -1;
	*out = little_endian(s->at, size);
	s->at += size;
	return 1;
}

static int bytes(struct paleo_onnx_span *s, struct paleo_onnx_span *out)
{
	uint64_t size;

	if (varint(s, &size) != 1 || size > (uint64_t)(s->end - s->at))
		return -1;
	*out = (struct paleo_onnx_span){s->at, s->at + size};
	s->at += size;
	return 1;
}

int paleo_onnx_next(struct paleo_onnx_span *message, struct paleo_onnx_field *out)
{
	uint64_t key;
	int got = varint(message, &key);

	if (got != 1)
		return got;
	*out = (struct paleo_onnx_field){.number = (unsigned)(key >> WIRE_BITS)};
	if (!out->number || key >> WIRE_BITS > UINT32_MAX)
		return -1;
	switch (key & ((1U << WIRE_BITS) - 1)) {
	case ONNX_VARINT:
		out->wire = ONNX_VARINT;
		return varint(message, &out->value) == 1 ? 1 : -1;
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

int paleo_onnx_span_in(struct paleo_onnx_span s, const char *words)
{
	const size_t size = (size_t)(s.end - s.at);

	for (size_t length = 0; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		if (length == size && !memcmp(s.at, words, size))
			return 1;
	}
	return 0;
}

enum { /* fields of the messages */
	ATTRIBUTE_F = 2,
	ATTRIBUTE_I = 3,
	ATTRIBUTE_S = 4,
	ATTRIBUTE_FLOATS = 7,
	ATTRIBUTE_INTS = 8,
	TENSOR_DIMS = 1,
	TENSOR_TYPE = 2,
	TENSOR_FLOATS = 4,
	TENSOR_INT32S = 5,
	TENSOR_INT64S = 7,
	TENSOR_NAME = 8,
	TENSOR_RAW = 9,
	TENSOR_DOUBLES = 10
};

int paleo_onnx_attribute(const struct paleo_onnx_node *n, const char *name,
			 struct paleo_onnx_span *out)
{
	for (int i = 0; i < n->attribute_count; i++) {
		if (paleo_onnx_span_is(n->attributes[i].name, name)) {
			*out = n->attributes[i].message;
			return 1;
		}
	}
	return 0;
}

int paleo_onnx_find_field(const struct paleo_onnx_node *n, const char *name, unsigned number,
			  struct paleo_onnx_field *out)
{
	struct paleo_onnx_span message;

	if (!paleo_onnx_attribute(n, name, &message))
		return 0;
	while (paleo_onnx_next(&message, out) == 1) {
		if (out->number == number)
			return 1;
	}
	return 0;
}

double paleo_onnx_int(const struct paleo_onnx_node *n, const char *name, double fallback)
{
	struct paleo_onnx_field f;

	if (!paleo_onnx_find_field(n, name, ATTRIBUTE_I, &f) || f.wire != ONNX_VARINT)
		return fallback;
	return paleo_onnx_fit_int((double)(int64_t)f.value);
}

int paleo_onnx_fit_int(double value)
{
	if (!(value > INT_MIN))
		return INT_MIN;
	return value < INT_MAX ? (int)value : INT_MAX;
}

static double float_of(uint64_t bits)
{
	const uint32_t half = (uint32_t)bits;
	float value;

	memcpy(&value, &half, sizeof(value));
	return value;
}

double paleo_onnx_float(const struct paleo_onnx_node *n, const char *name, double fallback)
{
	struct paleo_onnx_field f;

	if (!paleo_onnx_find_field(n, name, ATTRIBUTE_F, &f) || f.wire != ONNX_FIXED32)
		return fallback;
	return float_of(f.value);
}

int paleo_onnx_word(const struct paleo_onnx_node *n, const char *name, const char *is)
{
	struct paleo_onnx_field f;

	return paleo_onnx_find_field(n, name, ATTRIBUTE_S, &f) && f.wire == ONNX_BYTES &&
	       paleo_onnx_span_is(f.bytes, is);
}

int paleo_onnx_text(const struct paleo_onnx_node *n, const char *name, char *out, size_t size)
{
	struct paleo_onnx_field f;

	if (!paleo_onnx_find_field(n, name, ATTRIBUTE_S, &f) || f.wire != ONNX_BYTES)
		return -1;
	const size_t length = (size_t)(f.bytes.end - f.bytes.at);
	if (length >= size)
		return -1;
	memcpy(out, f.bytes.at, length);
	out[length] = '\0';
	return 0;
}

struct numbers {
	double *out;
	int count, room;
};

static void take(struct numbers *to, double value)
{
	if (to->count < to->room)
		to->out[to->count] = value;
	to->count++;
}

/* Whole numbers, one by one or packed. 0, or -1 where they are broken. */
static int take_ints(const struct paleo_onnx_field *f, struct numbers *to)
{
	struct paleo_onnx_span s = f->bytes;
	uint64_t value;
	int got = 0;

	if (f->wire != ONNX_BYTES)
		take(to, (double)(int64_t)f->value);
	while (f->wire == ONNX_BYTES && (got = varint(&s, &value)) == 1)
		take(to, (double)(int64_t)value);
	return got;
}

/* The same of real ones. */
static int take_floats(const struct paleo_onnx_field *f, struct numbers *to)
{
	struct paleo_onnx_span s = f->bytes;

	if (f->wire == ONNX_FIXED32)
		take(to, float_of(f->value));
	for (; f->wire == ONNX_BYTES && s.end - s.at >= 4; s.at += 4)
		take(to, float_of(little_endian(s.at, 4)));
	return 0;
}

/* The numbers of an attribute's fields of one kind; -1: there is none, or it is broken. */
static int list_of(const struct paleo_onnx_node *n, const char *name, unsigned field,
		   int (*take_field)(const struct paleo_onnx_field *f, struct numbers *to),
		   double *out, int room)
{
	struct numbers to = {.room = room};
	struct paleo_onnx_span message;
	struct paleo_onnx_field f;

	to.out = out;
	if (!paleo_onnx_attribute(n, name, &message))
		return -1;
	while (paleo_onnx_next(&message, &f) == 1)
		if (f.number == field && take_field(&f, &to))
			return -1;
	return to.count;
}

int paleo_onnx_ints(const struct paleo_onnx_node *n, const char *name, double *out, int room)
{
	return list_of(n, name, ATTRIBUTE_INTS, take_ints, out, room);
}

int paleo_onnx_floats(const struct paleo_onnx_node *n, const char *name, double *out, int room)
{
	return list_of(n, name, ATTRIBUTE_FLOATS, take_floats, out, room);
}

int paleo_onnx_read_tensor(struct paleo_onnx_span message, struct paleo_onnx_tensor *out,
			   struct paleo_onnx_span *name)
{
	struct numbers dims = {.out = out->dims, .room = ONNX_RANK_MAX};
	struct paleo_onnx_field f;
	int got;

	memset(out, 0, sizeof(*out));
	out->message = message;
	while ((got = paleo_onnx_next(&message, &f)) == 1) {
		if (f.number == TENSOR_DIMS && take_ints(&f, &dims))
			return -1;
		if (f.number == TENSOR_TYPE && f.wire == ONNX_VARINT)
			out->type = (int)f.value;
		if (f.number == TENSOR_NAME && f.wire == ONNX_BYTES)
			*name = f.bytes;
	}
	out->rank = dims.count;
	for (int i = 0; i < dims.count && i < ONNX_RANK_MAX; i++) {
		if (out->dims[i] < 0)
			return -1;
	}
	return got < 0 || dims.count > ONNX_RANK_MAX ? -1 : 0;
}

double paleo_onnx_tensor_count(const struct paleo_onnx_tensor *t)
{
	double count = 1;

	for (int i = 0; i < t->rank; i++)
		count *= t->dims[i];
	return count;
}

int paleo_onnx_is_float(int type)
{
	return type == ONNX_FLOAT || type == ONNX_DOUBLE || type == ONNX_FLOAT16 ||
	       type == ONNX_BFLOAT16;
}

/* IEEE 754 binary16, and bfloat16, by their fields. */
static double small_float(uint64_t bits, int exponent_bits, int mantissa_bits)
{
	const int bias = (1 << (exponent_bits - 1)) - 1;
	const int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
	const double mantissa = (double)(bits & ((1U << mantissa_bits) - 1));
	const double size = exponent ? ldexp(1 + ldexp(mantissa, -mantissa_bits), exponent - bias)
				     : ldexp(mantissa, 1 - bias - mantissa_bits);

	return bits >> (exponent_bits + mantissa_bits) & 1 ? -size : size;
}

static double decode(int type, uint64_t bits)
{
	double value;

	switch (type) {
	case ONNX_FLOAT:
		return float_of(bits);
	case ONNX_DOUBLE:
		memcpy(&value, &bits, sizeof(value));
		return value;
	case ONNX_FLOAT16:
		return small_float(bits, 5, 10);
	case ONNX_BFLOAT16:
		return small_float(bits, 8, 7);
	case ONNX_INT8:
		return (int8_t)bits;
	case ONNX_INT32:
		return (int32_t)bits;
	default:
		return (double)(int64_t)bits;
	}
}

static size_t size_of(int type)
{
	switch (type) {
	case ONNX_DOUBLE:
	case ONNX_INT64:
		return 8;
	case ONNX_FLOAT:
	case ONNX_INT32:
		return 4;
	case ONNX_FLOAT16:
	case ONNX_BFLOAT16:
		return 2;
	case ONNX_BOOL:
	case ONNX_UINT8:
	case ONNX_INT8:
		return 1;
	default:
		return 0;
	}
}

/* Little-endian numbers of `size` bytes each, one after another. */
static int read_raw(struct paleo_onnx_span s, size_t size, int type, struct numbers *to)
{
	if (!size || (size_t)(s.end - s.at) != size * (size_t)to->room)
		return -1;
	for (; to->count < to->room; s.at += size)
		to->out[to->count++] = decode(type, little_endian(s.at, size));
	return 0;
}

/* One field with numbers of a tensor; those of other fields are left alone. */
static int read_numbers(const struct paleo_onnx_field *f, int type, struct numbers *to)
{
	switch (f->number) {
	case TENSOR_RAW:
		return f->wire == ONNX_BYTES ? read_raw(f->bytes, size_of(type), type, to) : -1;
	case TENSOR_FLOATS:
	case TENSOR_DOUBLES:
		if (f->wire == ONNX_BYTES)
			return read_raw(f->bytes, f->number == TENSOR_FLOATS ? 4 : 8,
					f->number == TENSOR_FLOATS ? ONNX_FLOAT : ONNX_DOUBLE, to);
		if (to->count >= to->room)
			return -1;
		to->out[to->count++] =
			decode(f->wire == ONNX_FIXED32 ? ONNX_FLOAT : ONNX_DOUBLE, f->value);
		return 0;
	case TENSOR_INT32S:
	case TENSOR_INT64S: {
		int first = to->count;
		if (take_ints(f, to) || to->count > to->room)
			return -1;
		int is_half = type == ONNX_FLOAT16 || type == ONNX_BFLOAT16;
		for (int i = first; i < to->count && is_half; i++) { /* 16 bits of each */
			if (!(to->out[i] >= 0 && to->out[i] <= UINT16_MAX))
				return -1;
			to->out[i] = decode(type, (uint64_t)to->out[i]);
		}
		return 0;
	}
	default:
		return 0;
	}
}

int paleo_onnx_tensor_numbers(const struct paleo_onnx_tensor *t, double *out, int count)
{
	struct numbers to = {.room = count};
	struct paleo_onnx_span message = t->message;
	struct paleo_onnx_field f;

	to.out = out;
	while (paleo_onnx_next(&message, &f) == 1) {
		if (read_numbers(&f, t->type, &to))
			return -1;
	}
	return to.count == count ? 0 : -1;
}
