/* fuzz.h - what libFuzzer, or replay.c in its place, calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_FUZZ_FUZZ_H
#define PALEO_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* Gives `size` bytes to the reader under test; ends the process if it did wrong. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, so that the fuzzer keeps the input, unless `holds`. */
static inline void demand(int holds)
{
	if (!holds)
		abort();
}

/* A reader's message is shown as one line with the place in front, whatever it quotes from the
 * file. */
static inline void check_shown(const struct paleo_error *err)
{
	char *shown = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&shown, &size);

	demand(out != NULL);
	paleo_text_put(err->text, 0, out);
	fclose(out);
	demand(err->status == PALEO_EINPUT);
	demand(strncmp(shown, "fuzz:", 5) == 0);
	demand(!strpbrk(shown, "\n\r\t\x1b\x7f"));
	free(shown);
}

#endif
