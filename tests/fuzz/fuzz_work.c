/* fuzz_work.c - any text as the key of a work; what is accepted must have one key, and counts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/work/work.h"
#include "tests/fuzz/fuzz.h"

/* Counts are whole and not negative, whatever the dimensions. */
static void demand_count(double count)
{
	demand(isfinite(count) && count >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char key[PALEO_WORK_KEY_MAX], again[PALEO_WORK_KEY_MAX];
	struct paleo_work work, copy;
	struct paleo_error err;

	demand(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	if (paleo_work_parse(text, &work, &err) == 0) {
		demand_count(work.flops);
		demand_count(work.read_bytes);
		demand_count(work.write_bytes);
		paleo_work_key(&work, key, sizeof(key));
		demand(strlen(key) + 1 < sizeof(key));
		demand(paleo_work_parse(key, &copy, &err) == 0);
		demand(paleo_work_equal(&work, &copy));
		paleo_work_key(&copy, again, sizeof(again));
		demand(strcmp(key, again) == 0);
	}
	free(text);
	return 0;
}
