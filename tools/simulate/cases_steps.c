/* cases_steps.c - training steps that others published, of a shipped table, next to predictions. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/table.h"
#include "library/find.h"
#include "tools/cli/choice.h"
#include "tools/simulate/cases.h"
#include "tools/simulate/simulate.h"

/* The columns of results/cases/training.csv: a command line of `simulate`, and what was measured.
 */
enum {
	SOURCE,
	MODEL,
	WORDS,
	DEVICE,
	DTYPE,
	WORKERS,
	PER_NODE,
	NODE_LINK,
	LINK,
	LINKS,
	BATCH,
	STRATEGY,
	FRAMEWORK,
	LAYOUT,
	OPTIMIZER,
	STEP_S,
	FIELDS
};

enum {
	LINE_BYTES = 1024
};

#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_TEXT("model", "model"), .text = f[MODEL])                                   \
	X(PALEO_COLUMN_TEXT("words", "words"), .text = f[WORDS])                                   \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = paleo_dtype_name(r->dtype))                  \
	X(PALEO_COLUMN_TEXT("strategy", "strategy"), .text = f[STRATEGY])                          \
	X(PALEO_COLUMN_TEXT("framework", "framework"), .text = f[FRAMEWORK])                       \
	X(PALEO_COLUMN_TEXT("device", "device"), .text = f[DEVICE])                                \
	X(PALEO_COLUMN_WHOLE("workers", "workers"), .number = r->workers)                          \
	X(PALEO_COLUMN_WHOLE("batch", "batch"), .number = r->batch)                                \
	X(PALEO_COLUMN_NUMBER("published_s", "published s", 1, 3), .number = published)            \
	X(PALEO_COLUMN_NUMBER("predicted_s", "predicted s", 1, 3), .number = r->step.step_s)       \
	X(PALEO_COLUMN_NUMBER("error", "error %", 100, 1),                                         \
	  .number = r->step.step_s / published - 1)                                                \
	X(PALEO_COLUMN_DATA("step_low_s"), .number = r->step.low_s)                                \
	X(PALEO_COLUMN_DATA("step_high_s"), .number = r->step.high_s)                              \
	X(PALEO_COLUMN_TEXT("source", "source"), .text = f[SOURCE])

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

struct paleo_table *steps_table(void)
{
	return PALEO_TABLE_OF(columns);
}

/* The last parameter source, which neighbouring rows share. */
struct steps {
	char device[64];
	int dtype, is_known;
	struct paleo_source source;
};

static int know(struct steps *s, const char *device, int dtype, struct paleo_error *err)
{
	const struct paleo_source_wish wish = {.cost_model = PALEO_COST_MODEL_PRESETS,
					       .dtype = (enum paleo_dtype)dtype,
					       .device = device};

	if (s->is_known && s->dtype == dtype && !strcmp(s->device, device))
		return PALEO_OK;
	if (s->is_known)
		paleo_source_release(&s->source);
	s->is_known = 0;
	int rc = paleo_choose_source(&wish, &s->source, err);
	snprintf(s->device, sizeof(s->device), "%s", device);
	s->dtype = dtype;
	s->is_known = !rc;
	return rc;
}

static int place_of(const char *word, const char *const *words)
{
	int i = 0;

	while (*word && words[i] && strcmp(words[i], word) != 0)
		i++;
	return *word && words[i] ? i : 0;
}

/* The net by its words: a shipped one, or the config.json of a model that is only published. */
static int name_net(char *const *f, char *name, size_t size, struct paleo_error *err)
{
	char file[128], path[PALEO_PATH_MAX];

	if (!*f[WORDS]) {
		snprintf(name, size, "%s", f[MODEL]);
		return PALEO_OK;
	}
	snprintf(file, sizeof(file), "results/cases/models/%.80s.json", f[MODEL]);
	int rc = paleo_find_net(f[MODEL], path, err);
	if (rc)
		rc = paleo_find_shipped(file, path, err);
	snprintf(name, size, "%.3000s:%s", path, f[WORDS]);
	return rc;
}

/* The row that `simulate` has for the command line of a line of the table. */
static int predict(struct steps *s, char *const *f, struct simulate_rows *rows,
		   struct paleo_error *err)
{
	char name[SIMULATE_NET_MAX + PALEO_PATH_MAX];
	const char *net = name;
	int dtype = CHOICE_DTYPE_OWN, rc = name_net(f, name, sizeof(name), err);
	struct simulate_settings o = {.device = f[DEVICE],
				      .workers = f[WORKERS],
				      .workers_per_node = (int)strtol(f[PER_NODE], NULL, 10),
				      .node_link = f[NODE_LINK],
				      .link = *f[LINK] ? f[LINK] : NULL,
				      .links_per_node = (int)strtol(f[LINKS], NULL, 10),
				      .strategy = f[STRATEGY],
				      .scaling = "strong",
				      .schemes = "ring",
				      .batch = (int)strtol(f[BATCH], NULL, 10),
				      .overlap = 1,
				      .bucket_mib = 25,
				      .ppp_link = 1,
				      .servers = 1,
				      .layout = !strcmp(f[LAYOUT], "nhwc"),
				      .framework = place_of(f[FRAMEWORK], paleo_framework_names),
				      .optimizer = place_of(f[OPTIMIZER], choice_optimizer)};
	struct simulate_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	if (!rc && *f[DTYPE]) {
		enum paleo_dtype given = PALEO_F32;
		rc = paleo_dtype_parse(f[DTYPE], &given, err);
		dtype = (int)given;
	} else if (!rc) {
		rc = choice_own_dtype(&net, 1, 0, &dtype, NULL, err);
	}
	o.dtype = dtype;
	if (!rc)
		rc = know(s, f[DEVICE], dtype, err);
	if (!rc)
		rc = simulate_plan_make(&o, &s->source.calibration.device, plan, err);
	if (!rc)
		rc = simulate_rows(plan, &s->source.calibration, rows, name, err);
	free(plan);
	return rc;
}

static int add_line(struct steps *s, struct paleo_table *t, char *line, struct paleo_error *err)
{
	char *f[FIELDS + 1];
	struct simulate_rows rows = {0};

	if (paleo_csv_split(line, f, FIELDS) != FIELDS)
		return paleo_fail(err, PALEO_EINPUT, "expected %d fields", FIELDS);
	double published = strtod(f[STEP_S], NULL);
	if (!(published > 0))
		return PALEO_OK; /* the heading */
	int rc = predict(s, f, &rows, err);
	if (rc) {
		paleo_error_prefix(err, "%s, %s", f[MODEL], f[STRATEGY]);
	} else {
		const struct simulate_row *r = &rows.items[0];
		const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
		rc = paleo_table_add(t, cells, err);
	}
	free(rows.items);
	return rc;
}

int steps_add(struct paleo_table *t, struct paleo_error *err)
{
	char path[PALEO_PATH_MAX];
	struct paleo_lines *lines = NULL;
	struct paleo_line line;
	struct steps s = {.is_known = 0};
	int is_there = 1, at = 0;
	int rc = paleo_find_shipped("results/cases/training.csv", path, err);

	if (!rc)
		rc = paleo_lines_open(path, LINE_BYTES, "a table of training steps", &lines, err);
	while (!rc && !(rc = paleo_lines_next(lines, &line, &is_there, err)) && is_there) {
		at++;
		rc = add_line(&s, t, line.text, err);
		if (rc)
			paleo_error_prefix(err, "%s:%d", path, at);
	}
	paleo_lines_close(lines);
	if (s.is_known)
		paleo_source_release(&s.source);
	return rc;
}
