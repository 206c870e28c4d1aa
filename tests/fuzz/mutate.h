/* mutate.h - changes of an input that follow its structure: what libFuzzer and replay.c call. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_FUZZ_MUTATE_H
#define PALEO_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Changes `data` in place, to at most `max` bytes. Returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* The same, blindly: libFuzzer's, or that of replay.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* Marsaglia's xorshift64: the same changes in every run. The state is never 0. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline size_t random_below(uint64_t *state, size_t n)
{
	return next_random(state) % n;
}

static inline uint64_t random_start(unsigned seed)
{
	return 0x9e3779b97f4a7c15u ^ ((uint64_t)seed << 20);
}

struct bytes {
	uint8_t *at;
	size_t size, max;
};

/* Puts n bytes, which are not of `b`, in the place of those in [from, to). Returns 0 if there is no
 * room. */
static inline int splice(struct bytes *b, size_t from, size_t to, const void *new, size_t n)
{
	if (b->size - (to - from) + n > b->max)
		return 0;
	memmove(b->at + from + n, b->at + to, b->size - to);
	if (n)
		memcpy(b->at + from, new, n);
	b->size = b->size - (to - from) + n;
	return 1;
}

#endif
