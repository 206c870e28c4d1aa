/* ceilings.c - the command `ceilings`: the most that a device does, measured. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "library/find.h"
#include "tools/choice.h"
#include "tools/option_rows.h"
#include "tools/session/records.h"
#include "tools/session/session.h"

struct settings {
	const char *device;
	const char *output;
	int force, threads, format, quiet;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_device, .offset = AT(device)},
	TEXT("output", AT(output), "FILE",
	     "where they are kept (default paleo-results/DEVICE/ceilings.jsonl, where profile "
	     "and calibrate find them)"),
	{.like = &option_force, .offset = AT(force)},
	{.like = &option_threads, .offset = AT(threads)},
	{.like = &option_format, .offset = AT(format)},
	{.like = &option_quiet, .offset = AT(quiet)},
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

/* Where they are kept: the file is opened for the first of them, and has each as soon as it is
 * measured. */
struct keeper {
	struct session *session;
	int count; /* measured so far */
	struct records_wish wish;
	const char *path;
	struct records records;
};

static int keep(const struct paleo_ceiling *c, void *listener, struct paleo_error *err)
{
	struct keeper *k = listener;
	char what[64];
	int rc = PALEO_OK;

	snprintf(what, sizeof(what), "%d ceilings measured; two minutes at most", ++k->count);
	progress_step(&k->session->progress, 0, 0, NAN, what); /* how many there are is not known */

	if (!k->records.file)
		rc = records_open(k->path, &k->wish, k->session, &k->records, err);
	return rc ? rc : records_add_ceiling(&k->records, c, err);
}

static int measure(const struct settings *settings, struct session *s, struct paleo_error *err)
{
	const struct session_wish wish = {.worker.options.threads = settings->threads,
					  .quiet = settings->quiet};
	enum paleo_table_format format = (enum paleo_table_format)settings->format;
	FILE *notes = paleo_table_is_data(format) ? stderr : stdout;
	char found[PALEO_PATH_MAX];
	struct keeper k = {.session = s,
			   .wish = {.force = settings->force, .notes = notes},
			   .path = settings->output ? settings->output : found};
	struct paleo_ceilings list = {.told = keep, .listener = &k};
	struct paleo_error unprinted;

	int rc = session_open(settings->device, &wish, s, err);
	if (rc)
		return rc;
	session_tell(s, notes);
	fflush(notes);
	if (!settings->output)
		paleo_find_ceilings(s->info.device.name, found);
	progress_begin(&s->progress, "measuring the ceilings; two minutes at most");
	rc = paleo_worker_ceilings(s->worker, &list, err);
	progress_clear(&s->progress);
	int is_kept = k.records.file != NULL;
	if (!rc && is_kept)
		rc = records_finish(&k.records, 1, err);
	records_close(&k.records);
	if (!is_kept && !rc)
		rc = paleo_fail(err, PALEO_EBACKEND, "nothing could be measured: %s", list.why);
	if (!is_kept) /* or it could not be written */
		return rc;
	/* What was measured is shown also where the rest failed. */
	if (!paleo_table_is_data(format))
		putchar('\n');
	int printed = print_table(&list, format, rc ? &unprinted : err);
	if (list.skipped)
		paleo_print(notes, "\n%d could not be measured, the first %s\n", list.skipped,
			    list.why);
	paleo_print(notes, "\nceilings: %s\n", k.path);
	return rc ? rc : printed;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct session s = {0};
	struct paleo_error err = {0};

	if (count) {
		paleo_print(stderr, "paleo-ceilings: '%s' is not expected (see --help)\n",
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
		"best of its samples; the spread is that of their middle half. What cannot be "
		"measured is left out, and the first reason is told.\n"
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
