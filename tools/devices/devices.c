/* devices.c - the command `devices`: lists what is known of devices, or exports it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "model/device/device.h"
#include "tools/cli/choice.h"
#include "tools/cli/options.h"
#include "tools/devices/export.h"

struct settings {
	const char *devices;
	int format;
	int export; /* of choice_export; NO_EXPORT: a list */
};

enum {
	NO_EXPORT = -1
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	LIKE(device_file, AT(devices)),
	LIKE(format, AT(format)),
	LIKE(export, AT(export)),
	{0},
};

#define MIB (1024.0 * 1024.0)

#define NAME_COLUMNS(X)                                                                            \
	X(PALEO_COLUMN_TEXT("name", "name"), .text = if_any(d->name))                              \
	X(PALEO_COLUMN_TEXT("title", "title"), .text = if_any(d->title))
#define PEAK_COLUMN(X, constant, dtype)                                                            \
	X(PALEO_COLUMN_NUMBER("flop_per_s_" dtype, dtype, 1e-12, (constant) == PALEO_F32 ? 2 : 1), \
	  .number = if_known(d->flop_per_s[constant]))
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_NUMBER("fp4_flop_per_s", "fp4", 1e-12, 1),                                  \
	  .number = if_known(d->fp4_flop_per_s))                                                   \
	X(PALEO_COLUMN_NUMBER("int8_flop_per_s", "int8", 1e-12, 1),                                \
	  .number = if_known(d->int8_flop_per_s))                                                  \
	X(PALEO_COLUMN_NUMBER("mem_bytes_per_s", "GB/s", 1e-9, 0),                                 \
	  .number = if_known(d->mem_bytes_per_s))                                                  \
	X(PALEO_COLUMN_NUMBER("mem_bytes", "GiB", 1 / (1024 * MIB), 1),                            \
	  .number = if_known(d->mem_bytes))                                                        \
	X(PALEO_COLUMN_NUMBER("cache_bytes", "cache MiB", 1 / MIB, 2),                             \
	  .number = if_known(d->cache_bytes))                                                      \
	X(PALEO_COLUMN_NUMBER("sm_count", "SMs", 1, 0), .number = if_known(d->sm_count))           \
	X(PALEO_COLUMN_NUMBER("clock_hz", "GHz", 1e-9, 3), .number = if_known(d->clock_hz))        \
	X(PALEO_COLUMN_NUMBER("tdp_w", "W", 1, 0), .number = if_known(d->tdp_w))                   \
	X(PALEO_COLUMN_NUMBER("compute_capability", "cc", 0.1, 1),                                 \
	  .number = if_known(d->compute_capability))                                               \
	X(PALEO_COLUMN_DATA_TEXT("match"), .text = if_any(d->match))                               \
	X(PALEO_COLUMN_DATA_TEXT("source"), .text = if_any(d->source))

static const struct paleo_column columns[] = {NAME_COLUMNS(PALEO_COLUMN_OF)
#define DTYPE(constant, dtype, ...) PEAK_COLUMN(PALEO_COLUMN_OF, PALEO_##constant, dtype)
#include "model/op/dtypes.def"
#undef DTYPE
						      COLUMNS(PALEO_COLUMN_OF)};

static double if_known(double value)
{
	return value > 0 ? value : NAN;
}

static const char *if_any(const char *text)
{
	return text[0] ? text : NULL;
}

static int add_row(struct paleo_table *t, const struct paleo_device *d, struct paleo_error *err)
{
	const struct paleo_cell cells[] = {NAME_COLUMNS(PALEO_CELL_OF)
#define DTYPE(constant, dtype, ...) PEAK_COLUMN(PALEO_CELL_OF, PALEO_##constant, dtype)
#include "model/op/dtypes.def"
#undef DTYPE
						   COLUMNS(PALEO_CELL_OF)};

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
	struct paleo_table *t = PALEO_TABLE_OF(columns);
	int rc = PALEO_OK;

	if (!t)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a table");
	for (int i = 0; !rc && i < count; i++)
		rc = add_row(t, &list[i], err);
	if (!rc && !paleo_table_is_data(format))
		puts("Dense peaks in TFLOP/s per dtype, boost clock in GHz, TDP in W, compute "
		     "capability (cc); '-': none or unknown\n");
	if (!rc)
		rc = paleo_table_print(t, format, stdout, err);
	paleo_table_free(t);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	const struct paleo_device *x = a, *y = b;

	return strcmp(x->name, y->name);
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

static int export_device(const struct settings *s, const char *name, struct paleo_error *err)
{
	static int (*const formats[])(const struct paleo_device *d, const char *file,
				      struct paleo_error *err) = {
#define EXPORT(format) export_##format,
#include "tools/cli/exports.def"
#undef EXPORT
	};
	struct paleo_device d;

	PALEO_TRY(paleo_choose_device(s->devices, name, NULL, &d, err));
	return formats[s->export](&d, s->devices, err);
}

static void defaults(void *settings)
{
	((struct settings *)settings)->export = NO_EXPORT;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	const struct settings *s = settings;
	enum paleo_table_format format = (enum paleo_table_format)s->format;
	struct paleo_catalog c = {0};
	struct paleo_error err = {0};
	int rc;

	if (s->export != NO_EXPORT && count != 1)
		return command_misuse(&command_devices,
				      "--export takes one device, for example h100-sxm");
	if (s->export != NO_EXPORT && s->format)
		return command_misuse(&command_devices, "--export takes no --format");
	rc = paleo_catalog_make(s->devices, &c, &err);
	if (!rc && s->export != NO_EXPORT) {
		rc = export_device(s, arguments[0], &err);
	} else if (!rc && count) {
		rc = print_chosen(&c, arguments, count, format, &err);
	} else if (!rc) {
		qsort(c.devices, (size_t)c.count, sizeof(*c.devices), by_name);
		rc = print_devices(c.devices, c.count, format, &err);
	}
	paleo_catalog_release(&c);
	return rc ? command_fail(&command_devices, &err) : EXIT_GOOD;
}

const struct command command_devices = {
	.name = "devices",
	.what = "list known devices: peak FLOP/s, bandwidth, memory",
	.usage = "[NAME...]",
	.about = "Prints datasheets: dense peak per dtype (f32 on the cores; all others on tensor "
		 "cores with f32 accumulation), bandwidth, memory, cache, multiprocessors, boost "
		 "clock, power and compute capability.\n"
		 "With names, in any spelling, only these, and the sources of the numbers; csv and "
		 "jsonl always have them. docs/reference/devices.md explains how to add a device.\n"
		 "--export writes what paleo-predict says of one device for other programs: "
		 "docs/guide/export.md.\n"
		 "Exit status: 0 success, 1 out of memory or nothing to predict from, 2 wrong "
		 "options or files.",
	.examples = "paleo-devices\n"
		    "paleo-devices h200\n"
		    "paleo-devices h100-sxm --export aiconfigurator\n",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = defaults,
	.run = run,
};
