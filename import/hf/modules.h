/* modules.h - types of the weights of single GEMMs, by names of a checkpoint's modules. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_HF_MODULES_H
#define PALEO_IMPORT_HF_MODULES_H

#include "import/hf/read.h"

/* How a list's texts match names of modules, unless they begin with "re:" or have wildcards. */
enum paleo_hf_match {
	PALEO_HF_MATCH_NAME, /* the whole name of one */
	PALEO_HF_MATCH_PART, /* parts of names, between dots */
	PALEO_HF_MATCH_REGEX /* the begin of whole names */
};

struct paleo_hf_modules;

/* Of a model whose layers were read. *out: paleo_hf_modules_free(). ENOMEM. */
int paleo_hf_modules_new(struct paleo_hf_config *c, struct paleo_hf_modules **out);
/* The modules that `text` names get the type (as in `stored` of a layer), unless an earlier text
 * named them. EINPUT at `at`. */
int paleo_hf_modules_set(struct paleo_hf_modules *s, const struct paleo_json *at, const char *text,
			 enum paleo_hf_match match, int type);
/* Sets the types of all layers, `rest` where no text names them; a note lists texts that name
 * nothing. EINPUT where the parts of a GEMM differ. */
int paleo_hf_modules_end(struct paleo_hf_modules *s, const struct paleo_json *at, int rest);
void paleo_hf_modules_free(struct paleo_hf_modules *s); /* NULL allowed */

#endif
