/* stored.h - reads quantisation settings of a checkpoint: a type of all weights, or by module. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_HF_STORED_H
#define PALEO_IMPORT_HF_STORED_H

#include "import/hf/read.h"

/* Follows a path of keys separated by spaces; "*" is the first member. NULL where one is
 * missing. */
const struct paleo_json *paleo_hf_part_of(const struct paleo_json *o, const char *path);
/* A word, or NULL where there is none. */
const char *paleo_hf_word_of(const struct paleo_json *o, const char *path);
/* The word of integers alone, by a tool's settings, or by a module's `own` (NULL: none), which take
 * precedence. *out stays where they are not quantised. */
int paleo_hf_read_groups(const struct paleo_json *q, const struct paleo_json *own, const char **out,
			 struct paleo_error *err);
/* A word's type. EINPUT at `v`. */
int paleo_hf_parse_type(const struct paleo_json *v, const char *word, struct paleo_weight_type *out,
			struct paleo_error *err);
/* The words of Quark's settings, and of a group of compressed-tensors. */
int paleo_hf_read_quark(const struct paleo_json *q, const char **out, struct paleo_error *err);
int paleo_hf_read_group(const struct paleo_json *group, const char **out, struct paleo_error *err);

#endif
