/* hash.h - hashes of a number and of bytes: choices that look random and are always the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_HASH_H
#define PALEO_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PALEO_HASH_STEP UINT64_C(0x9E3779B97F4A7C15) /* from one number of a stream to the next */

/* Hash of a number; neighbours have unrelated ones (SplitMix64; Steele, Lea and Flood 2014). */
static inline uint64_t paleo_hash(uint64_t x)
{
	x += PALEO_HASH_STEP;
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/* Hash of `size` bytes (FNV-1a; Fowler, Noll and Vo 1991), continuing from `before`, the hash of
 * the preceding bytes; 0 to start. */
static inline uint64_t paleo_hash_bytes(uint64_t before, const void *bytes, size_t size)
{
	const unsigned char *at = (const unsigned char *)bytes;
	uint64_t h = before ^ UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < size; i++)
		h = (h ^ at[i]) * UINT64_C(0x100000001B3);
	return h;
}

#endif
