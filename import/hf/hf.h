/* hf.h - turns a config.json of Hugging Face into a transformer, or the text of a net file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_HF_HF_H
#define PALEO_IMPORT_HF_HF_H

#include "model/transformer/model.h"

/* 1 if a document is a config.json rather than a net file. */
int paleo_hf_is_config(const struct paleo_json *root);

/*
 * `quantised` is the accompanying hf_quant_config.json, or NULL. *out is the text of a net file,
 * owned by the caller: free(). EINPUT with file, line and key for an unknown family, an unknown key
 * that may change the computation, or inconsistent sizes; ENOMEM.
 */
int paleo_hf_convert(const struct paleo_json *root, const struct paleo_json *quantised,
		     const char *title, const struct paleo_hf_options *o, char **out,
		     struct paleo_error *err);

/* `quantised` as in paleo_hf_convert(); of the options (NULL: none) those that are of reading: the
 * type of weights, which overrides all, and ignore_keys. */
int paleo_hf_read(const struct paleo_json *root, const struct paleo_json *quantised,
		  const struct paleo_hf_options *o, struct paleo_hf_model *m,
		  struct paleo_error *err);

#endif
