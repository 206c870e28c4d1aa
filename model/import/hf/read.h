/* read.h - what the readers of a config.json share. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_IMPORT_HF_READ_H
#define PALEO_MODEL_IMPORT_HF_READ_H

#include "model/import/hf/model.h"

/* Only for the files in this folder. */

enum {
	PALEO_HF_SIZE_MAX = 1 << 24
};

/* A member; NULL where it is not there, or null. */
const struct paleo_json *paleo_hf_get(const struct paleo_json *root, const char *key);
/* Sizes that are multiplied or added up: EINPUT where `what` is of more than PALEO_HF_SIZE_MAX. */
int paleo_hf_check_size(const struct paleo_json *at, const char *what, double size,
			struct paleo_error *err);
int paleo_hf_is_in(const char *const *list, const char *key); /* which ends with NULL */
/* 1 if the model's family has such a key. */
int paleo_hf_is_of(const struct paleo_hf_model *m, const char *key);

/* fields.c: what a file leaves out of text_config is as transformers has it; numbers and flags; the
 * name of this family's key for what is kept at `offset`, for messages. */
void paleo_hf_fill_sizes(struct paleo_hf_model *m);
int paleo_hf_read_fields(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err);
const char *paleo_hf_named(const struct paleo_hf_model *m, size_t offset);

/* words.c: each refuses with EINPUT what is not known. */
int paleo_hf_check_values(const struct paleo_json *root, struct paleo_hf_model *m,
			  struct paleo_error *err);
int paleo_hf_read_activation(const struct paleo_json *root, struct paleo_hf_model *m,
			     struct paleo_error *err);
int paleo_hf_read_biases(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err);
int paleo_hf_read_rotary(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err);

/* mixer.c: the sizes of scans, before others are complete; then which layers have them. */
int paleo_hf_complete_scan(const struct paleo_json *root, struct paleo_hf_model *m,
			   struct paleo_error *err);
void paleo_hf_set_mixers(const struct paleo_hf_model *m, struct paleo_hf_layer *l, int mixers);
int paleo_hf_read_mixers(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err);

/* stored.c; `outer` is the document, whose text_config `root` may be. */
int paleo_hf_read_dtype(const struct paleo_json *root, const struct paleo_json *outer,
			struct paleo_hf_model *m, struct paleo_error *err);
int paleo_hf_read_quantisation(const struct paleo_json *root, const struct paleo_json *q,
			       const struct paleo_weight_type *asked, struct paleo_hf_model *m,
			       struct paleo_error *err);

/* methods.c: the word for the numbers that weights are stored in, which stands at *v; of a list of
 * `mixed` types that of the others. */
int paleo_hf_read_method(const struct paleo_json *q, int mixed, const struct paleo_json **v,
			 const char **out, struct paleo_error *err);

/* compressed_read.c: after the sizes that all models have. */
int paleo_hf_complete_compressed(const struct paleo_json *root, struct paleo_hf_model *m,
				 struct paleo_error *err);

/* shared_read.c: which layers read the keys of others; windows and sizes are read. */
int paleo_hf_share_keys(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err);
int paleo_hf_read_altup(const struct paleo_json *root, struct paleo_hf_model *m,
			struct paleo_error *err);

/* relative_read.c: scores by relative places, after the sizes that all models have. */
int paleo_hf_complete_relative(const struct paleo_json *root, struct paleo_hf_model *m,
			       struct paleo_error *err);

/* pattern.c: what differs from layer to layer; sizes are complete. */
int paleo_hf_read_layers(const struct paleo_json *root, struct paleo_hf_model *m,
			 struct paleo_error *err);

#endif
