/* import.c - reads a net from a file of any format: the path's ending says which. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "model/import/caffe/caffe.h"

/* The converted net has its file's path for a name, in messages too: the places these name beyond
 * the path are those of the net file that was made. */
static int load_caffe(const char *path, int batch, struct paleo_net **out, struct paleo_error *err)
{
	const struct paleo_caffe_options options = {.test = 0};
	struct paleo_caffe_doc *doc = NULL;
	char *json = NULL;

	int rc = paleo_caffe_doc_load(path, &doc, err);
	if (!rc)
		rc = paleo_caffe_convert(doc, &options, &json, err);
	if (!rc)
		rc = paleo_net_parse(path, json, strlen(json), batch, out, err);
	free(json);
	paleo_caffe_doc_free(doc);
	return rc;
}

static const struct {
	const char *ending;
	int (*load)(const char *path, int batch, struct paleo_net **out, struct paleo_error *err);
} formats[] = {
	{".prototxt", load_caffe}, {"", paleo_net_load}, /* all else */
};

static int ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), size = strlen(ending);

	return length >= size && !strcmp(path + length - size, ending);
}

int paleo_import_net(const char *path, int batch, struct paleo_net **out, struct paleo_error *err)
{
	size_t i = 0;

	while (!ends_with(path, formats[i].ending)) /* the last one fits */
		i++;
	return formats[i].load(path, batch, out, err);
}
