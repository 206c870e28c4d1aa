/* json_file.c - reads a JSON file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"

int paleo_json_load_python(const char *path, struct paleo_json_doc **out, struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc = paleo_file_read(path, PALEO_JSON_FILE_MAX, "a JSON file", &text, &size, err);

	if (rc)
		return rc;
	rc = paleo_json_parse_python(path, text, size, out, err);
	free(text);
	return rc;
}

int paleo_json_load(const char *path, struct paleo_json_doc **out, struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc = paleo_file_read(path, PALEO_JSON_FILE_MAX, "a JSON file", &text, &size, err);

	if (rc)
		return rc;
	rc = paleo_json_parse(path, 1, text, size, out, err);
	free(text);
	return rc;
}
