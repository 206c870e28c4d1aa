/* calibrate_comm.c - the command `calibrate-comm`: fits a link to measured collectives. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "calib/fit_comm.h"
#include "tools/options.h"

static const char *const collectives[] = {"all-reduce", "all-gather", "reduce-scatter", NULL};

struct settings {
	const char *name, *title, *out;
	int ranks, ranges, collective;
};

#define AT(field) offsetof(struct settings, field)
static const struct option_spec options[] = {
	{.name = "name",
	 .type = OPTION_TEXT,
	 .offset = AT(name),
	 .argument = "NAME",
	 .help = "what the link is called in the file (default fitted)"},
	{.name = "title",
	 .type = OPTION_TEXT,
	 .offset = AT(title),
	 .argument = "TEXT",
	 .help = "what it is, for people"},
	{.name = "out",
	 .type = OPTION_TEXT,
	 .offset = AT(out),
	 .argument = "FILE",
	 .help = "where to write it (default: only print)"},
	{.name = "collective",
	 .type = OPTION_WORD,
	 .offset = AT(collective),
	 .argument = "NAME",
	 .help = "what was measured: all-reduce, all-gather, reduce-scatter (default all-reduce)",
	 .words = collectives},
	{.name = "ranks",
	 .type = OPTION_INT,
	 .offset = AT(ranks),
	 .argument = "N",
	 .help = "ranks that took part (default: as the file says)",
	 .low = 2,
	 .high = 1 << 20},
	{.name = "ranges",
	 .type = OPTION_INT,
	 .offset = AT(ranges),
	 .argument = "N",
	 .help = "ranges of size at most (default 4)",
	 .low = 1,
	 .high = PALEO_LINK_RANGES_MAX},
	{0},
};

static void set_defaults(void *settings)
{
	struct settings *s = settings;

	s->name = "fitted";
	s->title = "";
	s->ranges = 4;
}

static int set_text(char *to, size_t size, const char *option, const char *text,
		    struct paleo_error *err)
{
	if (strlen(text) >= size)
		return paleo_fail(err, PALEO_EINPUT, "--%s has %zu bytes, expected at most %zu",
				  option, strlen(text), size - 1);
	memcpy(to, text, strlen(text) + 1);
	return PALEO_OK;
}

static int write_file(const char *path, const struct paleo_link *link, struct paleo_error *err)
{
	char *text = NULL;
	int rc = paleo_links_text(link, 1, &text, err);

	if (rc)
		return rc;
	FILE *f = fopen(path, "w");
	int failed = !f || fputs(text, f) < 0;
	if (f && fclose(f))
		failed = 1;
	free(text);
	return failed ? paleo_fail(err, PALEO_EIO, "writing '%s' failed", path) : PALEO_OK;
}

static const struct paleo_column columns[] = {
	{.name = "to_bytes", .title = "up to bytes", .type = PALEO_CELL_NUMBER},
	{.name = "latency_s",
	 .title = "latency us",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e6,
	 .decimals = 3},
	{.name = "se_latency_s",
	 .title = "+-",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e6,
	 .decimals = 3},
	{.name = "bytes_per_s",
	 .title = "GB/s",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e-9,
	 .decimals = 3},
	{.name = "se_bytes_per_s",
	 .title = "+-",
	 .type = PALEO_CELL_NUMBER,
	 .scale = 1e-9,
	 .decimals = 3},
};

enum {
	COLUMNS = sizeof(columns) / sizeof(columns[0])
};

static int print_link(const struct paleo_link *link, const struct paleo_comm_fit *fit,
		      struct paleo_error *err)
{
	struct paleo_table *t = paleo_table_new(columns, COLUMNS);
	int rc = t ? PALEO_OK : paleo_fail(err, PALEO_ENOMEM, "out of memory");

	for (int i = 0; !rc && i < link->range_count; i++) {
		const struct paleo_link_range *r = &link->ranges[i];
		struct paleo_cell cells[COLUMNS] = {{.number = r->to_bytes},
						    {.number = r->latency_s},
						    {.number = r->se_latency_s},
						    {.number = r->bytes_per_s},
						    {.number = r->se_bytes_per_s}};
		rc = paleo_table_add(t, cells, err);
	}
	if (!rc)
		rc = paleo_table_print(t, PALEO_TABLE_TEXT, stdout, err);
	if (!rc)
		printf("%d times, of which half are met within %.1f %%, all within %.1f %%\n",
		       fit->points, 100 * fit->median_error, 100 * fit->max_error);
	paleo_table_free(t);
	return rc;
}

static int calibrate(const struct settings *s, const char *const *files, int count,
		     struct paleo_error *err)
{
	struct paleo_comm_points points = {0};
	struct paleo_link link = {0};
	struct paleo_comm_fit fit;
	int rc = set_text(link.name, sizeof(link.name), "name", s->name, err);

	if (!rc)
		rc = set_text(link.title, sizeof(link.title), "title", s->title, err);
	for (int i = 0; !rc && i < count; i++)
		rc = paleo_comm_log_read(files[i], s->ranks, &points, err);
	if (!rc)
		rc = paleo_fit_comm(&points, s->collective == 0 ? 2 : 1, s->ranges, &link, &fit,
				    err);
	if (!rc) {
		snprintf(link.source, sizeof(link.source),
			 "fitted to %d measured times of %s by paleo calibrate-comm", fit.points,
			 collectives[s->collective]);
		rc = print_link(&link, &fit, err);
	}
	if (!rc && s->out)
		rc = write_file(s->out, &link, err);
	paleo_comm_points_release(&points);
	return rc;
}

static int run(const void *settings, const char *const *arguments, int count)
{
	struct paleo_error err = {0};

	if (!count) {
		fprintf(stderr, "paleo-calibrate-comm: no file was given: a log of nccl-tests, or "
				"what they write with -J (see --help)\n");
		return EXIT_MISUSE;
	}
	return calibrate(settings, arguments, count, &err)
		       ? command_fail(&command_calibrate_comm, &err)
		       : EXIT_GOOD;
}

const struct command command_calibrate_comm = {
	.name = "calibrate-comm",
	.what = "fits a link's latency and rate to measured collective operations",
	.usage = "FILE...",
	.about = "Reads logs of nccl-tests (all_reduce_perf and its siblings), or the JSON they "
		 "write with -J, and fits latency and bytes per second by ranges of size, with "
		 "standard errors. 'paleo simulate --link-calibration FILE' takes what --out "
		 "writes.",
	.options = options,
	.settings_size = sizeof(struct settings),
	.defaults = set_defaults,
	.run = run,
};
