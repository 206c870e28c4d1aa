/* convert.c - the command `convert`: makes a net file of a network in another format. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/save.h"
#include "import/import.h"
#include "library/find.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"

struct settings {
	struct option_list shapes;
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

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE(shape, AT(shapes)),
	LIKE(phase_of_file, AT(phase)),
	LIKE_MORE(output, AT(output), ", written whole or not at all (default: standard output)"),
	LIKE(force, AT(force)),
	LIKE(seq, AT(model.seq)),
	MODEL_PART_ROWS(AT(model)),
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
	int is_caffe = strstr(path, ".prototxt") != NULL;
	struct paleo_import_options o = {.test = s->phase == TEST,
					 .shapes = s->shapes.items,
					 .shape_count = s->shapes.count};
	char *json = NULL, file[PALEO_PATH_MAX];

	/* which networks of Caffe's have not, and say so of the words; "train" both have */
	if (s->phase > TEST || (s->phase == TRAIN && !is_caffe))
		model.phase = choice_phase[s->phase];
	PALEO_TRY(model_names_make(&model, &path, 1, &names, err));
	o.words = paleo_import_words(names->items[0]);
	size_t length = o.words ? (size_t)(o.words - names->items[0]) - 1 : strlen(path);
	names->text[0][length] = '\0';
	int rc = paleo_find_net(names->text[0], file, err);
	if (!rc)
		rc = paleo_import_convert(file, &o, &json, err);
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
	.what = "convert ONNX, config.json or Caffe models into network files",
	.usage = "NET.onnx | NET.prototxt | config.json",
	.about =
		"Reads an ONNX model, or a network in Caffe's text format, current or old, and "
		"prints it in the format of nets/README.md; with --output into a file. Of a "
		"Hugging Face config.json it writes one worker's part of the model, in one phase.\n"
		"Every layer is converted or refused; docs/reference/onnx.md and caffe.md list "
		"the conversions. Weights are not read. --shape gives shapes that the file leaves "
		"open.\n"
		"Exit status: 0 success, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-convert --output net.json model.onnx\n"
		    "paleo-convert --shape batch=8 --shape sequence=128 model.onnx > net.json\n"
		    "paleo-convert --shape 64x3x224x224 deploy.prototxt > net.json\n"
		    "paleo-convert --phase decode --past 4096 config.json > net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
