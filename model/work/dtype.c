/* dtype.c - the number types: their names, the bytes of an element. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/work/dtype.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const paleo_dtype_names[PALEO_DTYPES + 1] = {[PALEO_F32] = "f32",
							 [PALEO_TF32] = "tf32",
							 [PALEO_F16] = "f16",
							 [PALEO_BF16] = "bf16",
							 [PALEO_FP8] = "fp8"};

static const struct {
	int bytes;
	enum paleo_dtype wide;
} types[PALEO_DTYPES] = {
	[PALEO_F32] = {4, PALEO_F32},  [PALEO_TF32] = {4, PALEO_TF32},
	[PALEO_F16] = {2, PALEO_F16},  [PALEO_BF16] = {2, PALEO_BF16},
	[PALEO_FP8] = {1, PALEO_BF16},
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
	return paleo_fail(err, PALEO_EINPUT, "unknown number type '%s', expected %s", word, list);
}

int paleo_dtype_of_table(const char *word, enum paleo_dtype *out)
{
	static const struct {
		const char *word;
		enum paleo_dtype dtype;
	} words[] = {
		{"fp32", PALEO_F32},      {"f32", PALEO_F32},    {"float32", PALEO_F32},
		{"float", PALEO_F32},     {"single", PALEO_F32}, {"tf32", PALEO_TF32},
		{"tfloat32", PALEO_TF32}, {"fp16", PALEO_F16},   {"f16", PALEO_F16},
		{"float16", PALEO_F16},   {"half", PALEO_F16},   {"bf16", PALEO_BF16},
		{"bfloat16", PALEO_BF16}, {"fp8", PALEO_FP8},    {"fp8_e4m3", PALEO_FP8},
		{"float8", PALEO_FP8},    {"e4m3", PALEO_FP8},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(word, words[i].word)) {
			*out = words[i].dtype;
			return 1;
		}
	}
	return 0;
}
