/* hash.h - a hash of a number, for choices that look random and are always the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_HASH_H
#define PALEO_BASE_HASH_H

#include <stdint.h>

#define PALEO_HASH_STEP UINT64_C(0x9E3779B97F4A7C15) /* from one number of a stream to the next */

/* 64 bits of which neighbours' are unlike (SplitMix64; Steele, Lea and Flood 2014). */
static inline uint64_t paleo_hash(uint64_t x)
{
	x += PALEO_HASH_STEP;
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

#endif
