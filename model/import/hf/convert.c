/* convert.c - from a config.json to the text of a net file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/import/hf/model.h"

int paleo_hf_is_config(const struct paleo_json *root)
{
	return paleo_json_type(root) == PALEO_JSON_OBJECT && !paleo_json_get(root, "layers") &&
	       paleo_json_get(root, "model_type");
}

int paleo_hf_convert(const struct paleo_json *root, const struct paleo_json *quantised,
		     const char *title, const struct paleo_hf_options *o, char **out,
		     struct paleo_error *err)
{
	struct paleo_hf_model *m = malloc(sizeof(*m));

	if (!m)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = paleo_hf_read(root, quantised, o->has_weights ? &o->weights : NULL, m, err);
	if (!rc)
		rc = paleo_hf_write(m, title, o, out, err);
	free(m);
	return rc;
}
