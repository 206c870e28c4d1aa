/* fuzz_op.c - any text as the key of an op; what is accepted must have one key, and counts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/op/op.h"
#include "tests/fuzz/fuzz.h"

/* Counts are whole and not negative, whatever the dimensions. */
static void demand_count(double count)
{
	demand(isfinite(count) && count >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char key[PALEO_OP_KEY_MAX], again[PALEO_OP_KEY_MAX];
	struct paleo_op op, copy;
	struct paleo_error err;

	demand(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	if (paleo_op_parse(text, &op, &err) == 0) {
		demand_count(op.flops);
		demand_count(op.read_bytes);
		demand_count(op.write_bytes);
		paleo_op_key(&op, key, sizeof(key));
		demand(strlen(key) + 1 < sizeof(key));
		demand(paleo_op_parse(key, &copy, &err) == 0);
		demand(paleo_op_equal(&op, &copy));
		paleo_op_key(&copy, again, sizeof(again));
		demand(strcmp(key, again) == 0);
	}
	free(text);
	return 0;
}
