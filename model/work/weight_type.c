/* weight_type.c - what weights are stored in: a number type, or one that weights alone have. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/weight_type.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const paleo_stored_names[] = {
	"own",
#define STORED(name, ...) name,
#include "model/work/weight_types.def"
#undef STORED
	NULL,
};

static const struct {
	double bits;
	int dtype;
	struct paleo_blocks blocks;
} types[] = {
	{0, 0, {0}},
#define STORED(name, bits, dtype, rows, columns, code_bits, code, scale, narrow_x)                 \
	{bits, dtype, {rows, columns, code_bits, PALEO_CODE_##code, PALEO_SCALE_##scale, narrow_x}},
#include "model/work/weight_types.def"
#undef STORED
};

int paleo_weight_type_parse(const char *word, struct paleo_weight_type *out,
			    struct paleo_error *err)
{
	enum paleo_dtype dtype;
	struct paleo_error inner;

	for (int i = 1; paleo_stored_names[i]; i++) {
		if (!strcasecmp(word, paleo_stored_names[i])) {
			*out = (struct paleo_weight_type){types[i].dtype, i};
			return PALEO_OK;
		}
	}
	if (paleo_dtype_of_table(word, &dtype)) {
		*out = (struct paleo_weight_type){1 + (int)dtype, 0};
		return PALEO_OK;
	}
	paleo_dtype_parse(word, &dtype, &inner);
	char list[128] = "";
	size_t used = 0;

	for (int i = 1; paleo_stored_names[i] && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, ", %s",
					 paleo_stored_names[i]);
	return paleo_fail(err, PALEO_EINPUT, "%s%s", inner.text, list);
}

const char *paleo_weight_type_name(const struct paleo_weight_type *t, enum paleo_dtype net)
{
	if (t->stored)
		return paleo_stored_names[t->stored];
	return paleo_dtype_name(t->dtype ? (enum paleo_dtype)(t->dtype - 1) : net);
}

int paleo_stored_dtype(int stored)
{
	return types[stored].dtype;
}

enum paleo_cores paleo_stored_cores(int stored)
{
	const struct paleo_blocks *b = &types[stored].blocks;

	if (b->code == PALEO_CODE_E2M1 && b->narrow_x)
		return PALEO_CORES_FP4;
	return b->code == PALEO_CODE_WHOLE && b->code_bits == 8 && b->narrow_x ? PALEO_CORES_INT8
									       : PALEO_CORES_NONE;
}

const struct paleo_blocks *paleo_stored_blocks(int stored)
{
	return &types[stored].blocks;
}

double paleo_stored_bytes(int stored, enum paleo_dtype dtype)
{
	return stored ? types[stored].bits / 8 : paleo_dtype_bytes(dtype);
}

double paleo_weight_type_bytes(const struct paleo_weight_type *t, enum paleo_dtype net)
{
	return paleo_stored_bytes(t->stored, t->dtype ? (enum paleo_dtype)(t->dtype - 1) : net);
}
