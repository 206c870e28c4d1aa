/* convert.c - the command `convert`: makes a net file of a network in another format. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/save.h"
#include "model/import/import.h"
#include "tools/choice.h"
#include "tools/model_options.h"
#include "tools/option_rows.h"

struct settings {
	struct option_list inputs;
	struct option_list sizes;
	int phase;
	const char *output; /* NULL: standard output */
	int force;
	struct model_options model; /* its phase is the one above */
};

enum {
	NOT_GIVEN = -1,
	TRAIN,
	TEST
};

static const char *const phases[] = {"train", "test", "prefill", "decode", NULL};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	EACH("input", AT(inputs), "[NAME=]SHAPE",
	     "of Caffe: shape of an input, as 64x3x224x224: images, channels, height, width"),
	EACH("size", AT(sizes), "NAME=SIZE",
	     "of ONNX: size of a dimension that the file leaves open, as sequence=128"),
	WORD("phase", AT(phase), "P", phases,
	     "of Caffe train or test: whose layers are taken (default train); of a config.json "
	     "prefill, decode or train (default prefill)"),
	TEXT("output", AT(output), "FILE",
	     "where the net is written, whole or not at all (default: standard output)"),
	{.like = &option_force, .offset = AT(force)},
	{.like = &option_model_seq, .offset = AT(model.seq)},
	{.like = &option_model_source, .offset = AT(model.source)},
	{.like = &option_model_past, .offset = AT(model.past)},
	{.like = &option_model_tp, .offset = AT(model.tp)},
	{.like = &option_model_pp, .offset = AT(model.pp)},
	{.like = &option_model_ep, .offset = AT(model.ep)},
	{.like = &option_model_weights, .offset = AT(model.weights)},
	{.like = &option_model_kv, .offset = AT(model.kv)},
	{0},
};

static const struct paleo_file_kind net_kind = {.what = "a net", .marks = {"{", "\"layers\""}};

static int print_text(const char *text, struct paleo_error *err)
{
	if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return paleo_fail(err, PALEO_EIO, "cannot write the net: %s", strerror(errno));
	return PALEO_OK;
}

static int convert(const struct settings *s, const char *path, struct paleo_error *err)
{
	struct model_options model = s->model;
	struct model_names *names = NULL;
	struct paleo_import_options o = {.test = s->phase == TEST,
					 .inputs = s->inputs.items,
					 .input_count = s->inputs.count,
					 .sizes = s->sizes.items,
					 .size_count = s->sizes.count};
	char *json = NULL;

	/* which networks of Caffe's have not, and say so of the words; "train" both have */
	if (s->phase > TEST || (s->phase == TRAIN && !strstr(path, ".prototxt")))
		model.phase = phases[s->phase];
	int rc = model_names_make(&model, &path, 1, &names, err);
	if (rc)
		return rc;
	o.words = paleo_import_words(names->items[0]);
	size_t length = o.words ? (size_t)(o.words - names->items[0]) - 1 : strlen(path);
	names->text[0][length] = '\0';
	rc = paleo_import_convert(names->text[0], &o, &json, err);
	free(names);

	if (!rc)
		rc = s->output ? paleo_save(s->output, &net_kind, s->force, json, err)
			       : print_text(json, err);
	free(json);
	return rc;
}

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->phase = NOT_GIVEN;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};
	int rc;

	if (count == 1)
		rc = convert(settings, arguments[0], &err);
	else
		rc = paleo_fail(&err, PALEO_EINPUT,
				"expected one network, as model.onnx, found %d (see --help)",
				count);
	return rc ? command_fail(&command_convert, &err) : EXIT_GOOD;
}

const struct command command_convert = {
	.name = "convert",
	.what = "turns an ONNX model, a config.json or a network of Caffe's into a net file",
	.usage = "NET.onnx | NET.prototxt | config.json",
	.about =
		"Reads an ONNX model, or a network in Caffe's text form, of today or of old, and "
		"prints it in the format of nets/README.md; with --output into a file. Of a "
		"config.json of Hugging Face it writes one worker's part of the model, in one "
		"phase.\n"
		"Every layer is converted or refused; docs/reference/onnx.md and caffe.md say what "
		"becomes of what. Weights are not read. Shapes that the file does not say are "
		"given "
		"with --size or --input.\n"
		"Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-convert --output net.json model.onnx\n"
		    "paleo-convert --size batch=8 --size sequence=128 model.onnx > net.json\n"
		    "paleo-convert --input 64x3x224x224 deploy.prototxt > net.json\n"
		    "paleo-convert --phase decode --past 4096 config.json > net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
