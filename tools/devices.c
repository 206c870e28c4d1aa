/* devices.c - the command `devices`: lists what is known of devices, shipped and the user's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/table.h"
#include "base/text.h"
#include "model/device/catalog.h"
#include "model/device/device.h"
#include "tools/choice.h"
#include "tools/options.h"

struct settings {
	const char *devices;
	int format;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.like = &option_devices, .offset = AT(devices)},
	{.like = &option_format, .offset = AT(format)},
	{0},
};

enum {
	NAME,
	TITLE,
	FLOP_PER_S, /* PALEO_DTYPES columns */
	FP4_FLOP_PER_S = FLOP_PER_S + PALEO_DTYPES,
	INT8_FLOP_PER_S,
	BANDWIDTH,
	MEMORY,
	CACHE,
	SM_COUNT,
	CLOCK,
	TDP,
	CAPABILITY,
	MATCH,
	SOURCE,
	COLUMNS
};

#define MIB (1024.0 * 1024.0)

static const struct paleo_column columns[COLUMNS] = {
	[NAME] = {.name = "name", .title = "name", .type = PALEO_CELL_STRING},
	[TITLE] = {.name = "title", .title = "title", .type = PALEO_CELL_STRING},
#define DTYPE(constant, dtype, ...)                                                                \
	[FLOP_PER_S + PALEO_##constant] = PALEO_COLUMN_NUMBER(                                     \
		"flop_per_s_" dtype, dtype, 1e-12, PALEO_##constant == PALEO_F32 ? 2 : 1),
#include "model/work/dtypes.def"
#undef DTYPE
	[FP4_FLOP_PER_S] = PALEO_COLUMN_NUMBER("fp4_flop_per_s", "fp4", 1e-12, 1),
	[INT8_FLOP_PER_S] = PALEO_COLUMN_NUMBER("int8_flop_per_s", "int8", 1e-12, 1),
	[BANDWIDTH] = PALEO_COLUMN_NUMBER("mem_bytes_per_s", "GB/s", 1e-9, 0),
	[MEMORY] = PALEO_COLUMN_NUMBER("mem_bytes", "GiB", 1 / (1024 * MIB), 0),
	[CACHE] = PALEO_COLUMN_NUMBER("cache_bytes", "cache MiB", 1 / MIB, 2),
	[SM_COUNT] = PALEO_COLUMN_NUMBER("sm_count", "SMs", 1, 0),
	[CLOCK] = PALEO_COLUMN_NUMBER("clock_hz", "GHz", 1e-9, 3),
	[TDP] = PALEO_COLUMN_NUMBER("tdp_w", "W", 1, 0),
	[CAPABILITY] = PALEO_COLUMN_NUMBER("compute_capability", "cc", 0.1, 1),
	[MATCH] = {.name = "match", .title = "match", .type = PALEO_CELL_STRING, .data_only = 1},
	[SOURCE] = {.name = "source", .title = "source", .type = PALEO_CELL_STRING, .data_only = 1},
};

static struct paleo_cell number_cell(double value)
{
	return (struct paleo_cell){.number = value > 0 ? value : NAN};
}

static struct paleo_cell text_cell(const char *text)
{
	return (struct paleo_cell){.text = text[0] ? text : NULL};
}

static int add_row(struct paleo_table *t, const struct paleo_device *d, struct paleo_error *err)
{
	struct paleo_cell cells[COLUMNS] = {
		[NAME] = text_cell(d->name),
		[TITLE] = text_cell(d->title),
		[FP4_FLOP_PER_S] = number_cell(d->fp4_flop_per_s),
		[INT8_FLOP_PER_S] = number_cell(d->int8_flop_per_s),
		[BANDWIDTH] = number_cell(d->mem_bytes_per_s),
		[MEMORY] = number_cell(d->mem_bytes),
		[CACHE] = number_cell(d->cache_bytes),
		[SM_COUNT] = number_cell(d->sm_count),
		[CLOCK] = number_cell(d->clock_hz),
		[TDP] = number_cell(d->tdp_w),
		[CAPABILITY] = number_cell(d->compute_capability),
		[MATCH] = text_cell(d->match),
		[SOURCE] = text_cell(d->source),
	};

	for (int i = 0; i < PALEO_DTYPES; i++)
		cells[FLOP_PER_S + i] = number_cell(d->flop_per_s[i]);
	return paleo_table_add(t, cells, err);
}

/* Sources are too long for a line of text, so they follow the table. */
static void print_sources(const struct paleo_device *list, int count)
{
	putchar('\n');
	for (int i = 0; i < count; i++)
		if (list[i].source[0])
			paleo_print(stdout, "%s: %s\n", list[i].name, list[i].source);
}

static int print_devices(const struct paleo_device *list, int count, enum paleo_table_format format,
			 struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");
	for (int i = 0; !rc && i < count; i++)
		rc = add_row(t, &list[i], err);
	if (!rc && !paleo_table_is_data(format))
		puts("dense peaks in TFLOP/s per number type, clock in GHz; '-': none, or not "
		     "known\n");
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int print_chosen(const struct paleo_catalog *c, const char *const *names, int count,
			enum paleo_table_format format, struct paleo_error *err)
{
	struct paleo_device *chosen = calloc((size_t)count, sizeof(*chosen));
	int rc = PALEO_OK;

	if (!chosen)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d devices", count);
	for (int i = 0; !rc && i < count; i++) {
		const struct paleo_device *d;
		rc = paleo_catalog_find(c, names[i], &d, err);
		if (!rc)
			chosen[i] = *d;
	}
	if (!rc)
		rc = print_devices(chosen, count, format, err);
	if (!rc && !paleo_table_is_data(format))
		print_sources(chosen, count);
	free(chosen);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	enum paleo_table_format format = (enum paleo_table_format)s->format;
	struct paleo_catalog c = {0};
	struct paleo_error err = {0};
	int rc = paleo_catalog_make(s->devices, &c, &err);

	if (!rc && count)
		rc = print_chosen(&c, arguments, count, format, &err);
	else if (!rc)
		rc = print_devices(c.devices, c.count, format, &err);
	paleo_catalog_release(&c);
	return rc ? command_fail(&command_devices, &err) : EXIT_GOOD;
}

const struct command command_devices = {
	.name = "devices",
	.what = "lists the devices whose peaks are known",
	.usage = "[NAME...]",
	.about = "Prints what makers say of their chips: dense peak per number type (f32 on the "
		 "cores; all others on tensor cores with f32 accumulation), bandwidth, "
		 "memory, cache, multiprocessors, boost clock, power and compute capability.\n"
		 "With names, in any spelling, only these, and where the numbers are from; csv and "
		 "jsonl always tell. docs/reference/devices.md says how to add a device.\n"
		 "Exit status: 0 good, 1 out of memory, 2 wrong options or files.",
	.examples = "paleo-devices\n"
		    "paleo-devices h200\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.run = run,
};
