/* dtype.c - dtypes and storage types of weights: names, bytes of an element. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/op/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const paleo_dtype_names[PALEO_DTYPES + 1] = {
#define DTYPE(constant, name, ...) [PALEO_##constant] = (name),
#include "model/op/dtypes.def"
#undef DTYPE
};

enum {
	WORDS_MAX = 8
};

static const struct {
	int bytes;
	enum paleo_dtype wide;
	const char *words[WORDS_MAX]; /* of tables, NULL-ended */
} types[PALEO_DTYPES] = {
#define DTYPE(constant, name, bytes, wide, ...)                                                    \
	[PALEO_##constant] = {bytes, PALEO_##wide, {name, __VA_ARGS__}},
#include "model/op/dtypes.def"
#undef DTYPE
};

const char *paleo_dtype_name(enum paleo_dtype dtype)
{
	return paleo_dtype_names[dtype];
}

int paleo_dtype_bytes(enum paleo_dtype dtype)
{
	return types[dtype].bytes;
}

enum paleo_dtype paleo_dtype_wide(enum paleo_dtype dtype)
{
	return types[dtype].wide;
}

int paleo_dtype_is_narrow(enum paleo_dtype dtype)
{
	return types[dtype].wide != dtype;
}

int paleo_dtype_parse(const char *word, enum paleo_dtype *out, struct paleo_error *err)
{
	char list[64];
	size_t used = 0;

	for (int i = 0; i < PALEO_DTYPES; i++) {
		if (!strcmp(word, paleo_dtype_names[i])) {
			*out = (enum paleo_dtype)i;
			return PALEO_OK;
		}
		const char *join = i == 0 ? "" : i == PALEO_DTYPES - 1 ? " or " : ", ";
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", join,
					 paleo_dtype_names[i]);
	}
	return paleo_fail(err, PALEO_EINPUT, "unknown dtype '%s', expected %s", word, list);
}

int paleo_dtype_of_table(const char *word, enum paleo_dtype *out)
{
	for (int t = 0; t < PALEO_DTYPES; t++) {
		for (const char *const *w = types[t].words; *w; w++) {
			if (!strcasecmp(word, *w)) {
				*out = (enum paleo_dtype)t;
				return 1;
			}
		}
	}
	return 0;
}

/* Storage types of weights: a dtype, or one that only weights have. */

const char *const paleo_stored_names[] = {
	"own",
#define STORED(name, ...) name,
#include "model/op/weight_types.def"
#undef STORED
	NULL,
};

static const struct {
	double bits;
	int dtype;
	struct paleo_blocks blocks;
} weight_types[] = {
	{0, 0, {0}},
#define STORED(name, bits, dtype, rows, columns, code_bits, code, scale, narrow_x)                 \
	{bits, dtype, {rows, columns, code_bits, PALEO_CODE_##code, PALEO_SCALE_##scale, narrow_x}},
#include "model/op/weight_types.def"
#undef STORED
};

int paleo_weight_type_parse(const char *word, struct paleo_weight_type *out,
			    struct paleo_error *err)
{
	enum paleo_dtype dtype;
	struct paleo_error inner;

	for (int i = 1; paleo_stored_names[i]; i++) {
		if (!strcasecmp(word, paleo_stored_names[i])) {
			*out = (struct paleo_weight_type){weight_types[i].dtype, i};
			return PALEO_OK;
		}
	}
	if (paleo_dtype_of_table(word, &dtype)) {
		*out = (struct paleo_weight_type){1 + (int)dtype, 0};
		return PALEO_OK;
	}
	paleo_dtype_parse(word, &dtype, &inner);
	char list[320] = "";
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

const char *paleo_stored_whole(int code_bits, double bits)
{
	const char *closest = NULL;
	double least = 0;

	for (int i = 1; paleo_stored_names[i]; i++) {
		const struct paleo_blocks *b = &weight_types[i].blocks;
		const double off = fabs(weight_types[i].bits - bits);
		if (b->code != PALEO_CODE_WHOLE || b->code_bits != code_bits || b->narrow_x ||
		    (closest && off >= least))
			continue;
		closest = paleo_stored_names[i];
		least = off;
	}
	return closest;
}

int paleo_stored_dtype(int stored)
{
	return weight_types[stored].dtype;
}

enum paleo_cores paleo_stored_cores(int stored)
{
	const struct paleo_blocks *b = &weight_types[stored].blocks;

	if (b->code == PALEO_CODE_E2M1 && b->narrow_x)
		return PALEO_CORES_FP4;
	return b->code == PALEO_CODE_WHOLE && b->code_bits == 8 && b->narrow_x ? PALEO_CORES_INT8
									       : PALEO_CORES_NONE;
}

const struct paleo_blocks *paleo_stored_blocks(int stored)
{
	return &weight_types[stored].blocks;
}

double paleo_stored_bytes(int stored, enum paleo_dtype dtype)
{
	return stored ? weight_types[stored].bits / 8 : paleo_dtype_bytes(dtype);
}

double paleo_weight_type_bytes(const struct paleo_weight_type *t, enum paleo_dtype net)
{
	return paleo_stored_bytes(t->stored, t->dtype ? (enum paleo_dtype)(t->dtype - 1) : net);
}
