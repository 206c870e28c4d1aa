/* import.c - reads a net from a file of any format: its ending says which, or its keys. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/import/caffe/caffe.h"
#include "model/import/hf/model.h"
#include "model/import/onnx/onnx.h"

enum {
	INPUTS_MAX = 64
};

static int convert_caffe(const char *path, const struct paleo_import_options *o, char **json,
			 struct paleo_error *err)
{
	struct paleo_caffe_input inputs[INPUTS_MAX];
	struct paleo_caffe_options options = {.test = o->test, .inputs = inputs};
	struct paleo_caffe_doc *doc = NULL;
	int rc = PALEO_OK;

	if (o->size_count || o->input_count > INPUTS_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: a network of Caffe's has inputs with shapes (--input), at "
				  "most %d, and no sizes with names",
				  path, INPUTS_MAX);
	for (; !rc && options.input_count < o->input_count; options.input_count++)
		rc = paleo_caffe_input_parse(o->inputs[options.input_count],
					     &inputs[options.input_count], err);
	if (!rc)
		rc = paleo_caffe_doc_load(path, &doc, err);
	if (!rc)
		rc = paleo_caffe_convert(doc, &options, json, err);
	paleo_caffe_doc_free(doc);
	return rc;
}

static int convert_onnx(const char *path, const struct paleo_import_options *o, char **json,
			struct paleo_error *err)
{
	struct paleo_onnx_options options = {0};
	struct paleo_onnx_graph *graph = NULL;
	int rc = PALEO_OK;

	if (o->input_count || o->test || o->size_count > ONNX_SIZES_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: an ONNX model has sizes with names (--size), at most %d, "
				  "and no phases and shapes of inputs",
				  path, ONNX_SIZES_MAX);
	for (; !rc && options.size_count < o->size_count; options.size_count++)
		rc = paleo_onnx_size_parse(o->sizes[options.size_count],
					   &options.sizes[options.size_count], err);
	if (!rc)
		rc = paleo_onnx_graph_load(path, &graph, err);
	if (!rc)
		rc = paleo_onnx_convert(graph, &options, json, err);
	paleo_onnx_graph_free(graph);
	return rc;
}

static const struct format {
	const char *ending;
	int (*convert)(const char *path, const struct paleo_import_options *o, char **json,
		       struct paleo_error *err);
} formats[] = {
	{".onnx", convert_onnx},
	{".prototxt", convert_caffe},
};

/* The format of this path, or NULL. */
static const struct format *find(const char *path)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		size_t length = strlen(path), size = strlen(formats[i].ending);
		if (length >= size && !strcmp(path + length - size, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}

static int ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), size = strlen(ending);

	return length >= size && !strcmp(path + length - size, ending);
}

const char *paleo_import_words(const char *name)
{
	const char *slash = strrchr(name, '/'), *colon = strrchr(name, ':');

	return colon && (!slash || colon > slash) && access(name, F_OK) ? colon + 1 : NULL;
}

/* The file that a path means: of a folder its config.json. */
static int file_of(const char *path, char file[PATH_MAX], struct paleo_error *err)
{
	struct stat s;
	int is_folder = !stat(path, &s) && S_ISDIR(s.st_mode);
	int n = snprintf(file, PATH_MAX, "%s%s", path, is_folder ? "/config.json" : "");

	if (n < 0 || n >= PATH_MAX || (is_folder && access(file, F_OK)))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: is a folder without a config.json, expected a net's file or "
				  "a model's folder",
				  path);
	return PALEO_OK;
}

/* A model's name: its file's without ".json", or its folder's where that is called config.json. */
static void name_of(const char *file, char name[PATH_MAX])
{
	static const char config[] = "config.json";
	size_t end = strlen(file);

	if (ends_with(file, config) &&
	    (end == strlen(config) || file[end - strlen(config) - 1] == '/'))
		end -= strlen(config);
	else if (ends_with(file, ".json"))
		end -= strlen(".json");
	while (end > 1 && file[end - 1] == '/')
		end--;
	size_t start = end;
	while (start > 0 && file[start - 1] != '/')
		start--;
	if (start == end)
		snprintf(name, PATH_MAX, "%s", "config");
	else
		snprintf(name, PATH_MAX, "%.*s", (int)(end - start), file + start);
}

/* What NVIDIA's tools say of weights in a file of their own: hf_quant_config.json beside
 * config.json, X_hf_quant.json beside X.json. */
static int load_beside(const char *file, struct paleo_json_doc **out, struct paleo_error *err)
{
	static const char config[] = "config.json";
	char path[PATH_MAX + 32];
	size_t length = strlen(file);

	if (ends_with(file, config))
		snprintf(path, sizeof(path), "%.*shf_quant_config.json",
			 (int)(length - strlen(config)), file);
	else
		snprintf(path, sizeof(path), "%.*s_hf_quant.json", (int)(length - strlen(".json")),
			 file);
	return access(path, R_OK) ? PALEO_OK : paleo_json_load(path, out, err);
}

static int read_words(const char *file, const char *words, struct paleo_hf_options *o,
		      struct paleo_error *err)
{
	int rc = words ? paleo_hf_options_read(words, o, err) : PALEO_OK;

	if (rc)
		paleo_error_prefix(err, "%s:%s", file, words);
	return rc;
}

/* *text is NULL if the document is no config.json. */
static int convert_config(const struct paleo_json *root, const char *file, const char *words,
			  int batch, char **text, struct paleo_error *err)
{
	struct paleo_hf_options o = {0};
	char name[PATH_MAX];

	*text = NULL;
	if (!paleo_hf_is_config(root))
		return words ? paleo_fail(err, PALEO_EINPUT,
					  "%s: ':%s' goes with a config.json alone", file, words)
			     : PALEO_OK;
	int rc = read_words(file, words, &o, err);
	if (rc)
		return rc;
	o.batch = batch ? batch : o.batch;
	name_of(file, name);
	struct paleo_json_doc *beside = NULL;
	rc = load_beside(file, &beside, err);
	if (!rc)
		rc = paleo_hf_convert(root, beside ? paleo_json_root(beside) : NULL, name, &o, text,
				      err);
	paleo_json_free(beside);
	return rc;
}

static int config_text(const char *path, const char *words, int *is_config, char **out,
		       struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	char file[PATH_MAX], *text = NULL;

	int rc = file_of(path, file, err);
	*is_config = !rc && ends_with(file, ".json");
	if (!rc)
		rc = *is_config ? paleo_json_load_python(file, &doc, err) : PALEO_OK;
	if (!rc && doc)
		rc = convert_config(paleo_json_root(doc), file, words, 0, &text, err);
	paleo_json_free(doc);
	*is_config = text != NULL;
	if (!rc && text)
		*out = text;
	return rc;
}

static int load_json(const char *file, const char *words, int batch, struct paleo_net **out,
		     struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	char *text = NULL, name[PATH_MAX];
	int rc = paleo_json_load_python(file, &doc, err);

	if (rc == PALEO_EINPUT && !ends_with(file, ".json")) {
		const struct paleo_error why = *err;
		return paleo_fail(err, rc,
				  "%.350s; a net is a file of JSON, as a config.json, or ends in "
				  ".onnx or .prototxt",
				  why.text);
	}
	if (!rc)
		rc = convert_config(paleo_json_root(doc), file, words, batch, &text, err);
	if (!rc && text) {
		name_of(file, name);
		rc = paleo_net_parse(name, text, strlen(text), 0, out, err);
	} else if (!rc) {
		rc = paleo_net_of_json(paleo_json_root(doc), file, batch, out, err);
	}
	free(text);
	paleo_json_free(doc);
	return rc;
}

int paleo_import_convert(const char *path, const struct paleo_import_options *o, char **json,
			 struct paleo_error *err)
{
	const struct format *f = find(path);
	int is_config = 0;
	int rc = f ? PALEO_OK : config_text(path, o->words, &is_config, json, err);

	if (rc || is_config)
		return rc;
	if (o->words)
		return paleo_fail(err, PALEO_EINPUT, "%s: ':%s' goes with a config.json alone",
				  path, o->words);
	return (f ? f->convert : convert_caffe)(path, o, json, err);
}

int paleo_import_net(const char *path, const char *words, int batch, struct paleo_net **out,
		     struct paleo_error *err)
{
	const struct paleo_import_options options = {0};
	const struct format *f = find(path);
	char *json = NULL, file[PATH_MAX];
	int rc = f ? PALEO_OK : file_of(path, file, err);

	if (rc)
		return rc;
	if (!f)
		return load_json(file, words, batch, out, err);
	if (words)
		return paleo_fail(err, PALEO_EINPUT, "%s: ':%s' goes with a config.json alone",
				  path, words);
	rc = f->convert(path, &options, &json, err);
	if (!rc) {
		rc = paleo_net_parse(path, json, strlen(json), batch, out, err);
		if (rc == PALEO_EINPUT)
			paleo_error_prefix(err, "in the net that 'paleo convert' makes of it");
	}
	free(json);
	return rc;
}

/* What is read of a document that may be a config.json. */
static int read_model(const struct paleo_json *root, const char *file,
		      const struct paleo_hf_options *o, struct paleo_hf_model *out,
		      struct paleo_error *err)
{
	struct paleo_json_doc *beside = NULL;

	if (!paleo_hf_is_config(root))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: is no config.json of a model, which alone has a cache of "
				  "keys and values to serve from",
				  file);
	int rc = load_beside(file, &beside, err);
	if (!rc)
		rc = paleo_hf_read(root, beside ? paleo_json_root(beside) : NULL,
				   o->has_weights ? &o->weights : NULL, out, err);
	paleo_json_free(beside);
	return rc;
}

int paleo_import_model(const char *path, const char *words, struct paleo_hf_options *o,
		       struct paleo_hf_model *out, char *name, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	char file[PATH_MAX];
	int rc = file_of(path, file, err);

	if (!rc)
		rc = read_words(file, words, o, err);
	if (!rc)
		rc = paleo_json_load_python(file, &doc, err);
	if (!rc)
		rc = read_model(paleo_json_root(doc), file, o, out, err);
	paleo_json_free(doc);
	if (!rc)
		name_of(file, name);
	return rc;
}
