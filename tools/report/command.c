/* command.c - the command `report`: one page to look at, of nets, records, steps and choices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collect.h"
#include "base/save.h"
#include "base/text.h"
#include "paleo/net.h"
#include "tools/choice.h"
#include "tools/model_options.h"
#include "tools/option_rows.h"
#include "tools/report/page.h"

struct settings {
	const char *output;
	const char *device, *devices, *calibration, *filter;
	int law, batch, dtype, layout, fuse, passes, mode, force;
	struct model_options model;
};

enum {
	NOT_GIVEN = -1,
	DEVICE_NAME_MAX = 128
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	TEXT("output", AT(output), "FILE.html",
	     "where the page goes, whole or not at all (default report.html)"),
	TEXT("device", AT(device), "NAME",
	     "predict nets on this device, or on several with commas between; records know "
	     "theirs (default: that of the calibration)"),
	{.like = &option_devices, .offset = AT(devices)},
	{.like = &option_law_of_works, .offset = AT(law)},
	{.like = &option_calibration, .offset = AT(calibration)},
	{.like = &option_batch, .offset = AT(batch)},
	{.like = &option_dtype,
	 .offset = AT(dtype),
	 .help = "number type of nets: {words} (default: the first net's own, else f32)"},
	{.like = &option_layout, .offset = AT(layout)},
	{.like = &option_fuse, .offset = AT(fuse)},
	{.like = &option_pass, .offset = AT(passes)},
	{.like = &option_filter, .offset = AT(filter)},
	{.like = &option_mode,
	 .offset = AT(mode),
	 .help = "of the records to show: cold, hot, "
		 "weights-cold or enqueue (default cold)"},
	{.like = &option_force, .offset = AT(force)},
	MODEL_OPTION_ROWS(AT(model)),
	{0},
};

static const struct paleo_file_kind page_kind = {.what = "a report of paleo",
						 .marks = {PAGE_BEGINNING}};

static struct view_wish wish_of(const struct settings *s)
{
	return (struct view_wish){
		.law = choice_law_of[s->law],
		.devices = s->devices,
		.calibration = s->calibration,
		.plan = {.batch = s->batch,
			 .layout = (enum paleo_layout)s->layout,
			 .fuse = s->fuse ? PALEO_FUSE_CHAINS : PALEO_FUSE_NOTHING,
			 .passes = choice_pass_bits[s->passes],
			 .filter = s->filter},
	};
}

/* The number type that the first net names, where none was asked for. */
static int choose_dtype(const struct settings *s, const char *net_name, enum paleo_dtype *out,
			struct paleo_error *err)
{
	struct paleo_net *net = NULL;

	if (s->dtype != NOT_GIVEN) {
		*out = (enum paleo_dtype)s->dtype;
		return PALEO_OK;
	}
	int rc = paleo_net_open(net_name, s->batch, &net, err);
	if (rc)
		return rc;
	*out = net->number_type ? (enum paleo_dtype)(net->number_type - 1) : PALEO_F32;
	paleo_net_free(net);
	return PALEO_OK;
}

/* A run for each device that is named. */
static int add_on_devices(const struct settings *s, const struct view_wish *wish,
			  const char *const *nets, int count, struct view *v,
			  struct paleo_error *err)
{
	char name[DEVICE_NAME_MAX];
	int rc = PALEO_OK;

	if (!s->device)
		return view_add_nets(v, wish, NULL, nets, count, err);
	for (const char *at = s->device; !rc && at;) {
		size_t length = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		rc = view_add_nets(v, wish, name, nets, count, err);
		at = at[length] ? at + length + 1 : NULL;
	}
	return rc;
}

static int add_nets(const struct settings *s, const char *const *nets, int count, struct view *v,
		    struct paleo_error *err)
{
	struct view_wish wish = wish_of(s);
	struct model_names *names = NULL;
	int rc = model_names_make(&s->model, nets, count, &names, err);

	if (!rc)
		rc = choose_dtype(s, names->items[0], &wish.plan.dtype, err);
	if (!rc)
		rc = add_on_devices(s, &wish, names->items, count, v, err);
	free(names);
	return rc;
}

static int add_all(const struct settings *s, const char *const *inputs, int count, struct view *v,
		   struct paleo_error *err)
{
	const struct view_wish wish = wish_of(s);
	const char **nets = calloc((size_t)count + 1, sizeof(*nets));
	int net_count = 0, rc = PALEO_OK;

	if (!nets)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d inputs", count);
	for (int i = 0; !rc && i < count; i++)
		switch (view_kind_of(inputs[i])) {
		case VIEW_RECORDS:
			rc = view_add_records(v, &wish, inputs[i], choice_mode[s->mode], err);
			break;
		case VIEW_STEPS:
			rc = view_read_lines(&v->steps, inputs[i], err);
			break;
		case VIEW_CHOICES:
			rc = view_read_lines(&v->choices, inputs[i], err);
			break;
		case VIEW_OTHER:
			nets[net_count++] = inputs[i];
			break;
		}
	if (!rc && net_count)
		rc = add_nets(s, nets, net_count, v, err);
	free(nets);
	return rc;
}

/* The page in memory, then in its file. */
static int write_page(const struct view *v, struct paleo_save *save, struct paleo_error *err)
{
	struct paleo_collected text = {0};
	FILE *out = paleo_collect(&text);
	int rc = out ? page_print(v, out, err) : PALEO_OK;

	if (!out || (paleo_collect_close(out) && !rc))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the report");
	if (!rc)
		rc = paleo_save_commit(save, text.text, text.size, err);
	free(text.text);
	return rc;
}

static int report(const struct settings *s, const char *const *inputs, int count,
		  struct paleo_error *err)
{
	struct paleo_save *save = NULL;
	struct view v = {0};
	int rc = paleo_save_begin(s->output, &page_kind, s->force, &save, err);

	if (!rc)
		rc = add_all(s, inputs, count, &v, err);
	if (!rc)
		rc = write_page(&v, save, err);
	if (!rc)
		paleo_print(stdout, "report: %s, for any browser\n", s->output);
	paleo_save_end(save);
	view_release(&v);
	return rc;
}

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->output = "report.html";
	s->dtype = NOT_GIVEN;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(stderr, "paleo-report: nothing to show was given, for example vgg16 or "
				    "paleo-results/DEVICE/*.jsonl (see --help)\n");
		return EXIT_MISUSE;
	}
	return report(settings, arguments, count, &err) ? command_fail(&command_report, &err)
							: EXIT_GOOD;
}

const struct command command_report = {
	.name = "report",
	.what = "makes one page of charts and tables to look at",
	.usage = "INPUT...",
	.about =
		"Writes a page of HTML that needs nothing else and asks no network: rooflines, "
		"time "
		"by kind and by layer, predicted against measured, what predictions stand on, and "
		"a table of all rows that can be sorted and filtered.\n"
		"An input is a net, which is predicted; a file of records (paleo profile), shown "
		"as measured and as predicted; or what paleo simulate or paleo explore print with "
		"--format jsonl, shown as curves over workers and as a front. Two runs of one net, "
		"or one net on two devices, are also shown side by side.\n"
		"Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-report --device h100-sxm --dtype bf16 --batch 64 resnet50\n"
		    "paleo-report --output vgg.html paleo-results/cpu-amd-epyc/vgg16-b4-f32.jsonl\n"
		    "paleo-report --device h100-sxm vgg16 steps.jsonl choices.jsonl\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
