/* command.c - the command `report`: one page to look at, of nets, records, steps and choices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/save.h"
#include "base/text.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/report/data.h"
#include "tools/report/page.h"
#include "tools/session/engine.h"

struct settings {
	const char *output;
	const char *device, *devices, *calibration, *filter;
	int cost_model, batch, dtype, layout, fuse, passes, mode, force;
	struct model_options model;
};

enum {
	DEVICE_NAME_MAX = 128
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE_BUT(output, AT(output),
		 "HTML file, written whole or not at all (default report.html)"),
	LIKE_MORE(device_predicted, AT(device), "; a comma-separated list gives a run for each"),
	LIKE(device_file, AT(devices)),
	LIKE(cost_model_of_ops, AT(cost_model)),
	LIKE(calibration, AT(calibration)),
	LIKE(batch, AT(batch)),
	LIKE_BUT(dtype, AT(dtype), "dtype of networks: {words} (default: their own, else f32)"),
	LIKE(layout, AT(layout)),
	LIKE(fuse, AT(fuse)),
	LIKE(pass, AT(passes)),
	LIKE(filter, AT(filter)),
	LIKE_BUT(mode, AT(mode), "cache state of the records to show: {words} (default cold)"),
	LIKE(force, AT(force)),
	MODEL_OPTION_ROWS(AT(model)),
	{0},
};

static const struct paleo_file_kind page_kind = {.what = "a report of paleo",
						 .marks = {PAGE_BEGINNING}};

static struct data_wish wish_of(const struct settings *s)
{
	return (struct data_wish){
		.cost_model = (enum paleo_cost_model)s->cost_model,
		.device = s->device,
		.devices = s->devices,
		.calibration = s->calibration,
		.dtype = s->dtype == CHOICE_DTYPE_OWN ? 0 : 1 + s->dtype,
		.plan = {.batch = s->batch,
			 .layout = (enum paleo_layout)s->layout,
			 .fuse = s->fuse ? PALEO_FUSE_CHAINS : PALEO_FUSE_NOTHING,
			 .passes = choice_pass_bits[s->passes],
			 .filter = s->filter},
	};
}

/* A run for each device that is named. */
static int put_on_devices(const struct settings *s, const struct data_wish *wish,
			  const char *const *nets, int count, struct paleo_json_writer *w,
			  struct paleo_error *err)
{
	char name[DEVICE_NAME_MAX];

	if (!s->device)
		return data_put_nets(w, wish, NULL, nets, count, err);
	for (const char *at = s->device; at;) {
		size_t length = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		PALEO_TRY(data_put_nets(w, wish, name, nets, count, err));
		at = at[length] ? at + length + 1 : NULL;
	}
	return PALEO_OK;
}

static int put_nets(const struct settings *s, const char *const *nets, int count,
		    struct paleo_json_writer *w, struct paleo_error *err)
{
	struct data_wish wish = wish_of(s);
	struct model_names *names = NULL;
	int dtype = s->dtype;
	int rc = model_names_make(&s->model, nets, count, &names, err);

	if (!rc)
		rc = choice_own_dtype(names->items, count, s->batch, &dtype, NULL, err);
	wish.plan.dtype = (enum paleo_dtype)dtype;
	if (!rc)
		rc = put_on_devices(s, &wish, names->items, count, w, err);
	free(names);
	return rc;
}

/* The inputs: `items` of `count`, each with its kind. */
struct inputs {
	const char *const *items;
	enum data_file *kinds; /* owned */
	int count;
};

/* Records in the order in which they are given, then nets. */
static int put_runs(const struct settings *s, const struct inputs *in, struct paleo_json_writer *w,
		    struct paleo_error *err)
{
	const struct data_wish wish = wish_of(s);
	const char **nets = calloc((size_t)in->count + 1, sizeof(*nets));
	int net_count = 0, rc = PALEO_OK;

	if (!nets)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d inputs", in->count);
	paleo_json_open_array(w, "runs");
	for (int i = 0; !rc && i < in->count; i++) {
		const int engine = engine_given(in->items + i, in->count - i);
		if (engine) {
			rc = data_put_engine(w, &wish, in->items + i, engine, err);
			i += engine - 1;
		} else if (in->kinds[i] == DATA_RECORDS)
			rc = data_put_records(w, &wish, in->items[i], choice_mode[s->mode], err);
		else if (in->kinds[i] == DATA_OTHER)
			nets[net_count++] = in->items[i];
	}
	if (!rc && net_count)
		rc = put_nets(s, nets, net_count, w, err);
	paleo_json_close(w);
	free(nets);
	return rc;
}

static int put_lines(const struct inputs *in, enum data_file kind, const char *key,
		     struct paleo_json_writer *w, struct paleo_error *err)
{
	int rc = PALEO_OK;

	paleo_json_open_array(w, key);
	for (int i = 0; !rc && i < in->count; i++)
		if (in->kinds[i] == kind)
			rc = data_put_lines(w, in->items[i], err);
	paleo_json_close(w);
	return rc;
}

/* All that the page shows, as JSON: *out is owned. */
static int make_data(const struct settings *s, const struct inputs *in, char **out,
		     struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the report");
	paleo_json_open_object(w, NULL);
	int rc = put_lines(in, DATA_STEPS, "steps", w, err);
	if (!rc)
		rc = put_lines(in, DATA_CHOICES, "choices", w, err);
	if (!rc)
		rc = put_runs(s, in, w, err);
	if (!rc) {
		paleo_json_close(w);
		rc = paleo_json_writer_text(w, 0, out, err);
	}
	paleo_json_writer_free(w);
	return rc;
}

/* The page in memory, then in its file. */
static int write_page(const struct settings *s, const struct inputs *in, struct paleo_save *save,
		      struct paleo_error *err)
{
	struct paleo_collected text = {0};
	char *data = NULL;
	int rc = make_data(s, in, &data, err);

	if (rc)
		return rc;
	FILE *out = paleo_collect(&text);
	if (out)
		page_print(data, out);
	if (!out || paleo_collect_close(out))
		rc = paleo_fail(err, PALEO_ENOMEM, "out of memory for the report");
	if (!rc)
		rc = paleo_save_commit(save, text.text, text.size, err);
	free(text.text);
	free(data);
	return rc;
}

static int report(const struct settings *s, const char *const *inputs, int count,
		  struct paleo_error *err)
{
	struct inputs in = {inputs, calloc((size_t)count, sizeof(*in.kinds)), count};
	struct paleo_save *save = NULL;

	if (!in.kinds)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d inputs", count);
	int rc = paleo_save_begin(s->output, &page_kind, s->force, &save, err);
	for (int i = 0; !rc && i < count; i++)
		in.kinds[i] = data_kind_of(inputs[i]);
	if (!rc)
		rc = write_page(s, &in, save, err);
	if (!rc)
		paleo_print(stdout, "report: %s\n", s->output);
	paleo_save_end(save);
	free(in.kinds);
	return rc;
}

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->output = "report.html";
	s->dtype = CHOICE_DTYPE_OWN;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};

	if (!count) {
		paleo_print(stderr, "paleo-report: no input was given, for example vgg16 or "
				    "paleo-results/DEVICE/*.jsonl (see --help)\n");
		return EXIT_MISUSE;
	}
	return report(settings, arguments, count, &err) ? command_fail(&command_report, &err)
							: EXIT_GOOD;
}

const struct command command_report = {
	.name = "report",
	.what = "write an HTML report of predictions and measurements",
	.usage = "INPUT...",
	.about = "Writes one self-contained HTML page: rooflines, time by kind and by layer, "
		 "predicted against measured, what predictions are based on, and a table of all "
		 "rows to sort and filter.\n"
		 "INPUT is a network, which is predicted; a records file (paleo-profile), shown as "
		 "measured and predicted; a profile of trtexec, followed by its network (and its "
		 "layers' JSON); or rows of "
		 "paleo-simulate --format jsonl, shown as "
		 "curves over workers, or with --search as a Pareto front. Two runs of one "
		 "network, or one network on two devices, are also compared.\n"
		 "Exit status: 0 success, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-report --device h100-sxm --dtype bf16 --batch 64 resnet50\n"
		    "paleo-report --output vgg.html paleo-results/cpu-amd-epyc/vgg16-b4-f32.jsonl\n"
		    "paleo-report --device h100-sxm vgg16 steps.jsonl choices.jsonl\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
