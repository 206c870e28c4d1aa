/* fuzz.h - what libFuzzer, or replay.c in its place, calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_FUZZ_FUZZ_H
#define PALEO_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Gives `size` bytes to the reader under test; ends the process if it did wrong. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, so that the fuzzer keeps the input, unless `holds`. */
static inline void demand(int holds)
{
	if (!holds)
		abort();
}

#endif
