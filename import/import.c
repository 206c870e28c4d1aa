/* import.c - reads a net from a file of any format, found by its extension or its keys. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/caffe/caffe.h"
#include "import/checks.h"
#include "import/hf/hf.h"
#include "import/onnx/onnx.h"

enum {
	INPUTS_MAX = 64
};

static int convert_caffe(const char *path, const struct paleo_import_options *o, char **json,
			 double *floats, struct paleo_error *err)
{
	struct paleo_caffe_input inputs[INPUTS_MAX];
	struct paleo_caffe_options options = {.test = o->test, .inputs = inputs};
	struct paleo_caffe_doc *doc = NULL;
	int rc = PALEO_OK;

	*floats = 0; /* weights are in another file */
	for (; !rc && options.input_count < o->shape_count; options.input_count++)
		rc = paleo_caffe_input_parse(o->shapes[options.input_count],
					     &inputs[options.input_count], err);
	if (!rc)
		rc = paleo_caffe_doc_load(path, &doc, err);
	if (!rc)
		rc = paleo_caffe_convert(doc, &options, json, err);
	paleo_caffe_doc_free(doc);
	return rc;
}

static int convert_onnx(const char *path, const struct paleo_import_options *o, char **json,
			double *floats, struct paleo_error *err)
{
	struct paleo_onnx_options options = {0};
	struct paleo_onnx_graph *graph = NULL;
	int rc = PALEO_OK;

	if (o->test || o->shape_count > ONNX_SIZES_MAX)
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: an ONNX model takes named sizes (--shape), at most %d, and "
				  "no phases",
				  path, ONNX_SIZES_MAX);
	for (; !rc && options.size_count < o->shape_count; options.size_count++)
		rc = paleo_onnx_size_parse(o->shapes[options.size_count],
					   &options.sizes[options.size_count], err);
	if (!rc)
		rc = paleo_onnx_graph_load(path, &graph, err);
	if (!rc)
		rc = paleo_onnx_convert(graph, &options, json, err);
	if (!rc)
		*floats = paleo_onnx_floats_of(graph, 0, 0) + paleo_onnx_floats_of(graph, 1, 0);
	paleo_onnx_graph_free(graph);
	return rc;
}

static const struct format {
	const char *ending;
	/* *floats: numbers in the file that may be learned */
	int (*convert)(const char *path, const struct paleo_import_options *o, char **json,
		       double *floats, struct paleo_error *err);
} formats[] = {
	{".prototxt", convert_caffe},
	{".onnx", convert_onnx},
};

/* Converts a file with the sizes in its words, too; *json and *net are the caller's. */
static int convert_net(const struct format *f, const char *path,
		       const struct paleo_import_options *given, int batch, char **json,
		       struct paleo_net **net, struct paleo_error *err)
{
	struct paleo_import_options o = *given;
	const char *shapes[INPUTS_MAX];
	char *words = strdup(given->words ? given->words : ""), *rest = NULL, *text = NULL;

	if (!words || o.shape_count > INPUTS_MAX) {
		free(words);
		return words ? paleo_fail(err, PALEO_EINPUT, "%s: too many shapes", path)
			     : paleo_fail(err, PALEO_ENOMEM, "out of memory");
	}
	for (int i = 0; i < o.shape_count; i++)
		shapes[i] = o.shapes[i];
	o.shapes = shapes;
	for (char *w = strtok_r(words, ",", &rest); w && o.shape_count < INPUTS_MAX;
	     w = strtok_r(NULL, ",", &rest))
		shapes[o.shape_count++] = w;
	double floats = 0;
	int rc = f->convert(path, &o, &text, &floats, err);
	if (!rc) {
		rc = paleo_net_parse(path, text, strlen(text), batch, net, err);
		if (rc == PALEO_EINPUT)
			paleo_error_prefix(err, "in the net that 'paleo convert' makes of it");
	}
	if (!rc && (rc = paleo_check_floats(floats, *net, err)))
		paleo_net_free(*net);
	free(words);
	if (rc)
		free(text);
	else
		*json = text;
	return rc;
}

static int ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), size = strlen(ending);

	return length >= size && !strcmp(path + length - size, ending);
}

/* The format of this path, or NULL. */
static const struct format *find(const char *path)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (ends_with(path, formats[i].ending))
			return &formats[i];
	return NULL;
}

static int only_config(const char *path, const char *words, struct paleo_error *err)
{
	return words ? paleo_fail(err, PALEO_EINPUT, "%s: ':%s' requires a config.json", path,
				  words)
		     : PALEO_OK;
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

/* Weight quantisation in a separate file of NVIDIA's tools: hf_quant_config.json for config.json,
 * X_hf_quant.json for X.json. */
static int load_quantisation(const char *file, struct paleo_json_doc **out, struct paleo_error *err)
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

/* 1 if an object has no key of a net file. */
static int is_of_others(const struct paleo_json *root)
{
	static const char *const keys[] = {"layers", "name",      "dtype",
					   "note",   "inference", "number_type"};
	int found = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		found |= paleo_json_get(root, keys[i]) != NULL;
	return paleo_json_type(root) == PALEO_JSON_OBJECT && paleo_json_first(root) && !found;
}

/* The batch of `o` overrides that of the words. *text is NULL if the document is not a config.json.
 */
static int convert_config(const struct paleo_json *root, const char *file, const char *words,
			  struct paleo_hf_options *o, char **text, struct paleo_error *err)
{
	const int batch = o->batch;
	char name[PATH_MAX];

	*text = NULL;
	if (!paleo_hf_is_config(root))
		return is_of_others(root) ? paleo_json_fail(root, err,
							    "neither a net file, which has "
							    "'layers', nor a transformer's "
							    "config.json, which has 'model_type': "
							    "take an ONNX export of the model")
					  : only_config(file, words, err);
	PALEO_TRY(read_words(file, words, o, err));
	o->batch = batch ? batch : o->batch;
	name_of(file, name);
	struct paleo_json_doc *beside = NULL;
	int rc = load_quantisation(file, &beside, err);
	if (!rc)
		rc = paleo_hf_convert(root, beside ? paleo_json_root(beside) : NULL, name, o, text,
				      err);
	paleo_json_free(beside);
	return rc;
}

static int config_text(const char *path, const char *words, int *is_config, char **out,
		       struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	struct paleo_hf_options o = {0};
	char file[PATH_MAX], *text = NULL;

	int rc = file_of(path, file, err);
	*is_config = !rc && ends_with(file, ".json");
	if (!rc)
		rc = *is_config ? paleo_json_load_python(file, &doc, err) : PALEO_OK;
	if (!rc && doc)
		rc = convert_config(paleo_json_root(doc), file, words, &o, &text, err);
	if (!rc && doc && !text)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: expected a config.json, found other JSON; a net file needs "
				"no conversion",
				file);
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
	struct paleo_hf_options o = {.batch = batch};
	struct paleo_net *net = NULL;
	char *text = NULL, name[PATH_MAX];
	int rc = paleo_json_load_python(file, &doc, err);

	if (rc == PALEO_EINPUT && !ends_with(file, ".json")) {
		const struct paleo_error why = *err;
		return paleo_fail(err, rc,
				  "%.350s; a net is a JSON file, such as a config.json, or ends in "
				  ".onnx or .prototxt",
				  why.text);
	}
	if (!rc)
		rc = convert_config(paleo_json_root(doc), file, words, &o, &text, err);
	if (!rc && text) {
		name_of(file, name);
		rc = paleo_net_parse(name, text, strlen(text), 0, &net, err);
		if (!rc)
			rc = paleo_check_config(paleo_json_root(doc), file, &o, net, err);
		if (rc)
			paleo_net_free(net);
		else
			*out = net;
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
	struct paleo_net *net = NULL;
	int is_config = 0;
	int rc = f ? PALEO_OK : config_text(path, o->words, &is_config, json, err);

	if (rc || is_config)
		return rc;
	rc = convert_net(f ? f : formats, path, o, 0, json, &net, err);
	paleo_net_free(net);
	return rc;
}

int paleo_import_net(const char *path, const char *words, int batch, struct paleo_net **out,
		     struct paleo_error *err)
{
	const struct paleo_import_options options = {.words = words};
	const struct format *f = find(path);
	char *json = NULL, file[PATH_MAX];

	PALEO_TRY(f ? PALEO_OK : file_of(path, file, err));
	if (!f)
		return load_json(file, words, batch, out, err);
	int rc = convert_net(f, path, &options, batch, &json, out, err);
	free(json);
	return rc;
}

/* State of reading a document that may be a config.json. */
static int read_model(const struct paleo_json *root, const char *file,
		      const struct paleo_hf_options *o, struct paleo_hf_model *out,
		      struct paleo_error *err)
{
	struct paleo_json_doc *beside = NULL;

	if (!paleo_hf_is_config(root))
		return paleo_fail(err, PALEO_EINPUT,
				  "%s: not a config.json of a model: only these have a KV cache "
				  "and can be served",
				  file);
	int rc = load_quantisation(file, &beside, err);
	if (!rc)
		rc = paleo_hf_read(root, beside ? paleo_json_root(beside) : NULL, o, out, err);
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
