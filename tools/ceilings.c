/* ceilings.c - the command `ceilings`: the most that a device does, measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "tools/choice.h"
#include "tools/find.h"
#include "tools/options.h"
#include "tools/records.h"
#include "tools/session.h"

struct settings {
	const char *device;
	const char *output;
	int format;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_device, .offset = AT(device)},
	{.name = "output",
	 .type = OPTION_TEXT,
	 .offset = AT(output),
	 .argument = "FILE",
	 .help = "where they are kept (default paleo-results/DEVICE/ceilings.jsonl, where profile "
		 "and calibrate find them)"},
	{.like = &option_format, .offset = AT(format)},
	{0},
};

static void defaults(void *settings)
{
	struct settings *s = settings;

	s->device = "auto";
}

enum {
	NAME,
	SHOWN,
	SHOWN_UNIT,
	VALUE,
	UNIT,
	SPREAD,
	HOW,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[NAME] = {.name = "name", .title = "name", .type = PALEO_CELL_STRING},
	[SHOWN] = {.title = "best", .type = PALEO_CELL_NUMBER, .decimals = 2, .text_only = 1},
	[SHOWN_UNIT] = {.title = "unit", .type = PALEO_CELL_STRING, .text_only = 1},
	[VALUE] = {.name = "value", .type = PALEO_CELL_NUMBER, .data_only = 1},
	[UNIT] = {.name = "unit", .type = PALEO_CELL_STRING, .data_only = 1},
	[SPREAD] = {.name = "spread",
		    .title = "spread %",
		    .type = PALEO_CELL_NUMBER,
		    .scale = 100,
		    .decimals = 1},
	[HOW] = {.name = "how", .title = "how", .type = PALEO_CELL_STRING},
};

/* How people read a unit. */
static const struct {
	const char *unit, *shown;
	double scale;
} units[] = {
	{"FLOP/s", "GFLOP/s", 1e-9},
	{"B/s", "GB/s", 1e-9},
	{"s", "us", 1e6},
};

static int add_row(struct paleo_table *t, const struct paleo_ceiling *c, struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS] = {
		[NAME] = {.text = c->name},       [SHOWN] = {.number = c->value},
		[SHOWN_UNIT] = {.text = c->unit}, [VALUE] = {.number = c->value},
		[UNIT] = {.text = c->unit},       [SPREAD] = {.number = c->spread},
		[HOW] = {.text = c->how},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(c->unit, units[i].unit) != 0)
			continue;
		cells[SHOWN].number = c->value * units[i].scale;
		cells[SHOWN_UNIT].text = units[i].shown;
	}
	return paleo_table_add(t, cells, err);
}

static int print_table(const struct paleo_ceilings *list, enum paleo_table_format format,
		       struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for the table");
	for (int i = 0; i < list->count && !rc; i++)
		rc = add_row(t, &list->items[i], err);
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

/* Keeps them in a file of their own, the peaks that follow from them in its first line. */
static int save(struct session *s, const char *output, const struct paleo_ceilings *list,
		char path[FIND_PATH_MAX], struct paleo_error *err)
{
	struct records records = {.lock = -1};

	if (output)
		snprintf(path, FIND_PATH_MAX, "%s", output);
	else
		find_ceilings(s->info.device.name, path);
	paleo_ceilings_apply(list->items, list->count, &s->info.device);
	int rc = records_open(path, 0, s, &records, err);
	for (int i = 0; i < list->count && !rc; i++)
		rc = records_add_ceiling(&records, &list->items[i], err);
	if (!rc)
		rc = records_end(&records, err);
	records_close(&records);
	return rc;
}

static int measure(const struct settings *settings, struct session *s, struct paleo_error *err)
{
	const struct session_wish wish = {.peaks = 0};
	enum paleo_table_format format = (enum paleo_table_format)settings->format;
	FILE *notes = format == PALEO_TABLE_TEXT ? stdout : stderr;
	struct paleo_ceilings list = {.count = 0};
	char path[FIND_PATH_MAX];

	int rc = session_open(settings->device, &wish, s, err);
	if (rc)
		return rc;
	session_tell(s, notes);
	fflush(notes);
	rc = paleo_worker_ceilings(s->worker, &list, err);
	if (!rc)
		rc = save(s, settings->output, &list, path, err);
	if (rc)
		return rc;
	if (format == PALEO_TABLE_TEXT)
		putchar('\n');
	rc = print_table(&list, format, err);
	fprintf(notes, "\nceilings: %s\n", path);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct session s = {0};
	struct paleo_error err = {0};

	if (count) {
		fprintf(stderr, "paleo-ceilings: '%s' is not expected (see --help)\n",
			arguments[0]);
		return EXIT_MISUSE;
	}
	int rc = measure(settings, &s, &err);
	session_close(&s);
	return rc ? command_fail(&command_ceilings, &err) : EXIT_GOOD;
}

const struct command command_ceilings = {
	.name = "ceilings",
	.what = "measures the most that a device does: arithmetic, memory, launches",
	.usage = "",
	.about =
		"Measures the FLOP/s of every number type on random values and on zeros, the bytes "
		"that memory and caches read, write and copy in a second, and what starting a work "
		"costs; on a GPU also the transfers between host and device. Each number is the "
		"best of its samples; the spread is that of their middle half.\n"
		"They are kept in the device's folder of results. There profile and calibrate take "
		"them for the device's peaks, if threads and library versions are the same.\n"
		"Exit status: 0 good, 1 it failed, 2 wrong options or files, 3 the vendor's "
		"libraries are unusable, 4 no such device.",
	.examples = "paleo-ceilings\n"
		    "paleo-ceilings --device 0 --format csv\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
