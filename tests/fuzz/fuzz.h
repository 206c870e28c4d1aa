/* fuzz.h - what libFuzzer, or replay.c in its place, calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_FUZZ_FUZZ_H
#define PALEO_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Gives `size` bytes to the reader under test; ends the process if the reader did wrong. Returns 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
