/* mutate_proto.c - changes protocol buffers by their fields: sizes, signs, ranks, names, paths. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>

#include "tests/fuzz/mutate.h"

enum {
	FIELDS_MAX = 4096,
	DEPTH_MAX = 16,
	VARINT_MAX = 10,
	COPY_MAX = 1 << 16,
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5
};

/* A field is [from, end), what it holds [at, end); `of` is the message that it is in, or -1. */
struct field {
	size_t from, at, end;
	uint64_t key;
	int of, is_message;
};

struct fields {
	struct field of[FIELDS_MAX];
	int count;
};

static const int64_t numbers[] = {
	0, 1, -1, 2, 3, 4, 7, 1 << 16, INT_MAX, INT_MIN, 1LL << 32, INT64_MAX, INT64_MIN,
};

/* Tensors of ONNX whose numbers lie elsewhere: data_location, and external_data with its keys. */
static const char elsewhere[] = "\x70\x01"
				"\x6a\x15\x0a\x08location\x12\x09/dev/zero"
				"\x6a\x1e\x0a\x06offset\x12\x14-9223372036854775808";

/* Returns the bytes of a number that begins at `at`, or 0. */
static size_t read_varint(const struct bytes *b, size_t at, size_t end, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < VARINT_MAX && at + i < end; i++) {
		*out |= (uint64_t)(b->at[at + i] & 0x7f) << (7 * i);
		if (!(b->at[at + i] & 0x80))
			return i + 1;
	}
	return 0;
}

static size_t write_varint(uint8_t *to, uint64_t v)
{
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	return n;
}

/* Reads the field at x->from, which ends before `end`. Returns 0 if there is none. */
static int read_field(const struct bytes *b, size_t end, struct field *x)
{
	uint64_t n = 0;
	size_t used = read_varint(b, x->from, end, &x->key);

	x->at = x->from + used;
	if (!used || x->key >> 3 == 0)
		return 0;
	switch (x->key & 7) {
	case WIRE_VARINT:
		n = read_varint(b, x->at, end, &n);
		break;
	case WIRE_64:
		n = 8;
		break;
	case WIRE_32:
		n = 4;
		break;
	case WIRE_BYTES:
		used = read_varint(b, x->at, end, &n);
		x->at += used;
		x->end = x->at + n;
		return used && n <= end - x->at;
	default:
		return 0;
	}
	x->end = x->at + n;
	return n && n <= end - x->at;
}

/* Bytes that are fields to their end are a message, whatever they are for the reader. */
static int is_message(const struct bytes *b, const struct field *x)
{
	struct field inner = {.from = x->at};

	if ((x->key & 7) != WIRE_BYTES)
		return 0;
	while (inner.from < x->end && read_field(b, x->end, &inner))
		inner.from = inner.end;
	return inner.from == x->end;
}

static void find(const struct bytes *b, size_t from, size_t end, int of, int depth,
		 struct fields *f)
{
	struct field x = {.from = from, .of = of};

	while (x.from < end && f->count < FIELDS_MAX && read_field(b, end, &x)) {
		int i = f->count++;

		x.is_message = is_message(b, &x);
		f->of[i] = x;
		if (x.is_message && depth < DEPTH_MAX)
			find(b, x.at, x.end, i, depth + 1, f);
		x.from = x.end;
	}
}

/* A splice in the message `of`, after which it and those around it have their new sizes. */
static void splice_in(struct bytes *b, const struct fields *f, int of, size_t from, size_t to,
		      const void *new, size_t n)
{
	size_t grown = b->size;

	if (!splice(b, from, to, new, n))
		return;
	for (; of >= 0; of = f->of[of].of) {
		const struct field *x = &f->of[of];
		uint8_t size[VARINT_MAX];
		uint64_t key, old;
		size_t at = x->from + read_varint(b, x->from, b->size, &key);
		size_t used = read_varint(b, at, b->size, &old);

		/* Every message around begins before the place, so that only the end moves. */
		if (!splice(b, at, at + used, size,
			    write_varint(size, x->end - x->at + b->size - grown)))
			return;
	}
}

/* Random numbers, packed. */
static size_t some_numbers(uint64_t *random, uint8_t *to)
{
	size_t n = 0;

	for (size_t i = random_below(random, 8); i; i--)
		n += write_varint(to + n, (uint64_t)numbers[random_below(
						  random, sizeof(numbers) / sizeof(numbers[0]))]);
	return n;
}

/* Another field with this key: what one tensor, node or name has goes to another. Else itself. */
static const struct field *another(const struct fields *f, const struct field *x, uint64_t *random)
{
	int start = (int)random_below(random, (size_t)f->count);

	for (int i = 0; i < f->count; i++) {
		const struct field *y = &f->of[(start + i) % f->count];

		if (y->key == x->key && y != x)
			return y;
	}
	return x;
}

/* The field's key, and these bytes with their size. */
static size_t with_key(const struct field *x, const uint8_t *bytes, size_t n, uint8_t *to)
{
	size_t at = write_varint(to, x->key);

	at += write_varint(to + at, n);
	memcpy(to + at, bytes, n);
	return at + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static struct fields fields;
	static uint8_t new[COPY_MAX + 2 * VARINT_MAX];
	uint64_t random = random_start(seed);
	struct bytes b = {data, size, max};

	fields.count = 0;
	find(&b, 0, size, -1, 0, &fields);
	if (!fields.count || random_below(&random, 4) == 0)
		return LLVMFuzzerMutate(data, size, max);

	const struct field *x = &fields.of[random_below(&random, (size_t)fields.count)];
	const struct field *y = another(&fields, x, &random);
	uint8_t packed[8 * VARINT_MAX];
	size_t n = 0, from = x->from, to = x->end;
	int of = x->of;

	switch (random_below(&random, 6)) {
	case 0: /* gone */
		break;
	case 1: /* another's in its place: wrong shapes, names that lead back */
		n = y->end - y->from;
		memcpy(new, data + y->from, n < COPY_MAX ? n : 0);
		break;
	case 2: /* another's next to it: one rank more, a name twice */
		n = y->end - y->from;
		memcpy(new, data + y->from, n < COPY_MAX ? n : 0);
		from = to;
		break;
	case 3: /* a tensor's numbers are elsewhere */
		if (!x->is_message)
			return LLVMFuzzerMutate(data, size, max);
		n = sizeof(elsewhere) - 1;
		memcpy(new, elsewhere, n);
		of = (int)(x - fields.of);
		from = to;
		break;
	default: /* numbers at an edge */
		if ((x->key & 7) == WIRE_BYTES) {
			n = with_key(x, packed, some_numbers(&random, packed), new);
		} else if ((x->key & 7) == WIRE_VARINT) {
			n = write_varint(new, x->key);
			n += write_varint(new + n,
					  (uint64_t)numbers[random_below(
						  &random, sizeof(numbers) / sizeof(numbers[0]))]);
		} else {
			return LLVMFuzzerMutate(data, size, max);
		}
	}
	if (n < COPY_MAX)
		splice_in(&b, &fields, of, from, to, new, n);
	return b.size;
}
