/* draw.h - numbers by chance that are the same in every run. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_UNIT_DRAW_H
#define PALEO_TESTS_UNIT_DRAW_H

#include <math.h>
#include <stdint.h>

#include "base/hash.h"

/* The state of a sequence of numbers. */
struct draw {
	uint64_t seed, number;
};

/* Uniform in (0, 1). */
static inline double uniform(struct draw *d)
{
	return ((double)(paleo_hash(d->seed ^ d->number++) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller 1958. */
static inline double normal(struct draw *d)
{
	double a = uniform(d), b = uniform(d);

	return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

#endif
