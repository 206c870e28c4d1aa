/* summary.c - the command `summary`: what a net consists of, layer by layer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/text.h"
#include "paleo/net.h"
#include "tools/choice.h"
#include "tools/model_options.h"
#include "tools/option_rows.h"
#include "tools/summary_rows.h"
#include "tools/transformer.h"
#include "tools/words.h"

enum {
	LAW_PALEO,
	LAW_2017,
	FORMAT_PALEO = PALEO_TABLE_MD + 1,
	TITLE_MAX = 200
};

static const char *const laws[] = {"paleo", "paleo2017", NULL};
static const char *const formats[] = {"text", "csv", "jsonl", "md", "paleo", NULL};

struct settings {
	int batch;
	int law;
	int format;
	struct model_options model;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_batch, .offset = AT(batch)},
	WORD("law", AT(law), "LAW", laws,
	     "paleo, or paleo2017 for what the original counts (default paleo)"),
	WORD("format", AT(format), "F", formats,
	     "text, csv, jsonl, md, or paleo for the original's layout (default text)"),
	MODEL_OPTION_ROWS(AT(model)),
	{0},
};

enum {
	COL_NET,
	COL_BATCH,
	COL_LAYER,
	COL_TYPE,
	COL_DETAILS,
	COL_OUTPUT,
	COL_WEIGHTS,
	COL_BYTES,
	COL_FORWARD,
	COL_BACKWARD,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_NET] = PALEO_COLUMN_DATA_TEXT("net"),
	[COL_BATCH] = PALEO_COLUMN_DATA("batch"),
	[COL_LAYER] = PALEO_COLUMN_TEXT("layer", "layer"),
	[COL_TYPE] = PALEO_COLUMN_TEXT("type", "type"),
	[COL_DETAILS] = PALEO_COLUMN_TEXT("details", "details"),
	[COL_OUTPUT] = PALEO_COLUMN_TEXT("output", "output"),
	[COL_WEIGHTS] = PALEO_COLUMN_WHOLE("weights", "weights"),
	[COL_BYTES] = PALEO_COLUMN_BYTES("output_bytes", "output"),
	[COL_FORWARD] = PALEO_COLUMN_FLOP("forward_flops", "fwd"),
	[COL_BACKWARD] = PALEO_COLUMN_FLOP("backward_flops", "bwd"),
};

static int add_row(const char *net, int batch, const struct summary_row *row, struct paleo_table *t,
		   struct paleo_error *err)
{
	const struct paleo_cell cells[COLUMNS] = {
		[COL_NET] = {.text = net},
		[COL_BATCH] = {.number = batch},
		[COL_LAYER] = {.text = row->layer},
		[COL_TYPE] = {.text = row->type[0] ? row->type : NULL},
		[COL_DETAILS] = {.text = row->details[0] ? row->details : NULL},
		[COL_OUTPUT] = {.text = row->output[0] ? row->output : NULL},
		[COL_WEIGHTS] = {.number = row->weights},
		[COL_BYTES] = {.number = row->output_bytes},
		[COL_FORWARD] = {.number = row->forward_flops},
		[COL_BACKWARD] = {.number = row->backward_flops},
	};

	return paleo_table_add(t, cells, err);
}

/* Text is a table for each net, with its sums below; the other formats have one header for all. */
static int add_net(const struct paleo_net *net, const struct summary *s, int format,
		   struct paleo_table *t, struct paleo_error *err)
{
	const struct summary_row sums = {
		.layer = "sum",
		.weights = s->weights,
		.output_bytes = s->output_bytes,
		.forward_flops = s->forward_flops,
		.backward_flops = s->backward_flops,
	};
	int rc = PALEO_OK;

	for (int i = 0; !rc && i < s->count; i++)
		rc = add_row(net->name, s->batch, &s->rows[i], t, err);
	if (rc || paleo_table_is_data(format))
		return rc;
	rc = paleo_table_rule(t, err);
	if (!rc)
		rc = add_row(net->name, s->batch, &sums, t, err);
	return rc;
}

static int print_text(const struct paleo_net *net, const struct summary *s, int first,
		      enum paleo_table_format format, struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	char weights[32];

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	words_group_digits(s->weights, weights, sizeof(weights));
	if (!first)
		putchar('\n');
	paleo_text_put(net->title, TITLE_MAX, stdout);
	paleo_print(stdout, ", batch %d, %d layer%s, %s weights\n", s->batch, s->count,
		    s->count == 1 ? "" : "s", weights);
	transformer_print(net,
			  net->number_type ? (enum paleo_dtype)(net->number_type - 1) : PALEO_F32,
			  NULL, stdout);
	int rc = add_net(net, s, format, t, err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* The original's layout, to the byte. */
static void print_paleo(const struct summary *s)
{
	char weights[32], weight_bytes[32], output_bytes[32];

	words_group_digits(s->weights, weights, sizeof(weights));
	words_group_digits(4 * s->weights, weight_bytes, sizeof(weight_bytes));
	words_group_digits(s->output_bytes, output_bytes, sizeof(output_bytes));
	paleo_print(stdout, "A summary of static characteristics of network.\n  LAYER\tOUTPUTS\n");
	for (int i = 0; i < s->count; i++) {
		paleo_print(stdout, "  ");
		paleo_text_put(s->rows[i].layer, 0, stdout);
		paleo_print(stdout, "\t%s  %s\n", s->rows[i].shape, s->rows[i].words);
	}
	paleo_print(stdout, "Number of params: %s (%s Bytes)\nActivation: %s Bytes\n", weights,
		    weight_bytes, output_bytes);
}

/* What the original leaves out or counts twice without a word is told here. */
static void warn_of_walk(const struct paleo_net *net, const struct summary *s)
{
	if (s->dropped_count)
		paleo_print(stderr, "paleo-summary: %s: the original leaves %d of %d layers out:",
			    net->name, s->dropped_count, net->count);
	for (int i = 0; i < s->dropped_count; i++)
		paleo_print(stderr, "%s '%s'", i ? "," : "", s->dropped[i]);
	if (s->dropped_count)
		paleo_print(stderr, "; --law paleo does not\n");
	for (int i = 0; i < s->count; i++)
		if (s->rows[i].again)
			paleo_print(
				stderr,
				"paleo-summary: %s: the original counts '%s' twice; --law paleo "
				"does not\n",
				net->name, s->rows[i].layer);
}

static int summarise(const struct settings *s, const char *name, int first, struct paleo_table *t,
		     struct paleo_error *err)
{
	struct paleo_net *net = NULL;
	struct summary sum = {0};

	int rc = paleo_net_open(name, s->batch, &net, err);
	if (!rc && s->law == LAW_PALEO)
		rc = summary_make(net, &sum, err);
	else if (!rc)
		rc = summary_make_2017(net, s->batch, &sum, err);
	if (rc) {
		paleo_net_free(net);
		return rc;
	}
	warn_of_walk(net, &sum);
	if (s->format == FORMAT_PALEO)
		print_paleo(&sum);
	else if (!paleo_table_is_data(s->format))
		rc = print_text(net, &sum, first, (enum paleo_table_format)s->format, err);
	else
		rc = add_net(net, &sum, s->format, t, err);
	summary_release(&sum);
	paleo_net_free(net);
	return rc;
}

static int summarise_all(const struct settings *s, const char *const *nets, int count,
			 struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; !rc && i < count; i++)
		rc = summarise(s, nets[i], i == 0, t, err);
	if (!rc && (paleo_table_is_data(s->format)))
		rc = paleo_table_print(t, (enum paleo_table_format)s->format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	struct model_names *names = NULL;
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(
			stderr,
			"paleo-summary: no net was given, for example vgg16.json (see --help)\n");
		return EXIT_MISUSE;
	}
	int rc = model_names_make(&s->model, arguments, count, &names, &err);
	if (!rc)
		rc = summarise_all(s, names->items, count, &err);
	free(names);
	return rc ? command_fail(&command_summary, &err) : EXIT_GOOD;
}

const struct command command_summary = {
	.name = "summary",
	.what = "tells what nets consist of: shapes, weights, FLOPs",
	.usage = "NET.json...",
	.about = "Lists the layers of each net with their output shapes, weights, the bytes of "
		 "their outputs in f32 and their FLOPs. Needs no device.\n"
		 "--law paleo2017 --format paleo prints what the original Paleo prints, byte for "
		 "byte.\n"
		 "Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-summary vgg16\n"
		    "paleo-summary --batch 8 --format csv my-net.json\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.run = run,
};
