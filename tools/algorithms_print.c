/* algorithms_print.c - the algorithms of a net's convolutions as a table, or as JSON lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/json.h"
#include "base/text.h"
#include "tools/algorithms.h"

enum {
	COL_DEVICE,
	COL_LIBRARY,
	COL_NET,
	COL_BATCH,
	COL_LAYER,
	COL_LAYERS,
	COL_KIND,
	COL_PASS,
	COL_DTYPE,
	COL_RANK,
	COL_ENGINE,
	COL_BIAS,
	COL_ACT,
	COL_FALLBACK,
	COL_WORKSPACE,
	COL_NOTES,
	COL_BEHAVIOUR,
	COL_KNOBS,
	COL_STATUS,
	COL_REASON,
	COL_WORK,
	COLUMNS
};

static const struct paleo_column columns[COLUMNS] = {
	[COL_DEVICE] = {.name = "device", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_LIBRARY] = {.name = "library", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_NET] = {.name = "net", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_BATCH] = {.name = "batch", .type = PALEO_CELL_NUMBER, .data_only = 1},
	[COL_LAYER] = PALEO_COLUMN_TEXT("layer", "layer"),
	[COL_LAYERS] = PALEO_COLUMN_WHOLE("layers", "layers"),
	[COL_KIND] = PALEO_COLUMN_TEXT("kind", "kind"),
	[COL_PASS] = PALEO_COLUMN_TEXT("pass", "pass"),
	[COL_DTYPE] = {.name = "dtype", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_RANK] = PALEO_COLUMN_WHOLE("rank", "rank"),
	[COL_ENGINE] = PALEO_COLUMN_TEXT("engine", "engine"),
	[COL_BIAS] = PALEO_COLUMN_TEXT("bias", "bias"),
	[COL_ACT] = PALEO_COLUMN_TEXT("act", "act"),
	[COL_FALLBACK] = PALEO_COLUMN_TEXT("list", "list"),
	[COL_WORKSPACE] = {.name = "workspace_bytes",
			   .title = "workspace MB",
			   .type = PALEO_CELL_NUMBER,
			   .scale = 1e-6,
			   .decimals = 2},
	[COL_NOTES] = PALEO_COLUMN_TEXT("notes", "notes"),
	[COL_BEHAVIOUR] = PALEO_COLUMN_TEXT("behaviour", "behaviour"),
	[COL_KNOBS] = PALEO_COLUMN_TEXT("knobs", "knobs"),
	[COL_STATUS] = PALEO_COLUMN_TEXT("status", "status"),
	[COL_REASON] = {.name = "reason", .type = PALEO_CELL_STRING, .data_only = 1},
	[COL_WORK] = {.name = "work", .type = PALEO_CELL_STRING, .data_only = 1},
};

struct paleo_table *algorithms_table(void)
{
	return paleo_table_new(columns, COLUMNS);
}

static void put_text(struct paleo_cell *cells, int column, const char *text)
{
	cells[column].text = text && text[0] ? text : NULL;
}

static void fill_algorithm(const struct paleo_algorithm *a, int rank, struct paleo_cell *cells)
{
	cells[COL_RANK].number = rank;
	put_text(cells, COL_ENGINE, a->engine[0] ? a->engine : a->name);
	cells[COL_WORKSPACE].number = a->workspace_bytes;
	put_text(cells, COL_BIAS, a->has_bias ? "in it" : NULL);
	put_text(cells, COL_ACT, a->has_act ? "in it" : NULL);
	put_text(cells, COL_FALLBACK, a->is_fallback ? "fallback" : NULL);
	put_text(cells, COL_NOTES, a->notes);
	put_text(cells, COL_BEHAVIOUR, a->behaviour);
	put_text(cells, COL_KNOBS, a->knobs);
}

/* The rows of one work: as many as it has algorithms, or one that says why it has none. */
static int add_choice(struct paleo_table *t, const struct choices *c, const struct choice *item,
		      struct paleo_error *err)
{
	const struct paleo_worker_answer *answer = &item->answer;
	struct paleo_cell cells[COLUMNS];
	char key[PALEO_WORK_KEY_MAX];
	int rc = PALEO_OK, rows = answer->status ? 1 : answer->list.count;

	for (int i = 0; i < COLUMNS; i++)
		cells[i] = (struct paleo_cell){.number = NAN};
	paleo_work_key(&item->first->work, key, sizeof(key));
	put_text(cells, COL_DEVICE, c->device);
	put_text(cells, COL_LIBRARY, c->info->versions);
	put_text(cells, COL_NET, c->net->name);
	cells[COL_BATCH].number = c->net->batch;
	put_text(cells, COL_LAYER, item->first->layer->name);
	cells[COL_LAYERS].number = item->layers;
	put_text(cells, COL_KIND, item->first->what);
	put_text(cells, COL_PASS, paleo_pass_name(item->first->pass));
	put_text(cells, COL_DTYPE, paleo_dtype_name(c->dtype));
	put_text(cells, COL_WORK, key);
	if (answer->status) {
		put_text(cells, COL_STATUS, paleo_status_name(answer->status));
		put_text(cells, COL_REASON, answer->error.text);
	}
	for (int rank = 0; rank < rows && !rc; rank++) {
		if (!answer->status)
			fill_algorithm(&answer->list.items[rank], rank, cells);
		rc = paleo_table_add(t, cells, err);
	}
	return rc;
}

int algorithms_add(struct paleo_table *t, const struct choices *c, struct paleo_error *err)
{
	int rc = PALEO_OK;

	for (int i = 0; i < c->count && !rc; i++)
		rc = add_choice(t, c, &c->items[i], err);
	return rc;
}

static void put_word(struct paleo_json_writer *w, const char *key, const char *word)
{
	if (word[0])
		paleo_json_put_string(w, key, word);
}

static void write_meta(const struct choices *c, struct paleo_json_writer *w)
{
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "type", "meta");
	paleo_json_put_string(w, "schema", "paleo-algorithms/1");
	paleo_json_put_string(w, "device", c->device);
	paleo_json_put_string(w, "title", c->info->device.title);
	paleo_json_put_string(w, "library", c->info->versions);
	paleo_json_put_string(w, "net", c->net->name);
	paleo_json_put_int(w, "batch", c->net->batch);
	paleo_json_put_string(w, "dtype", paleo_dtype_name(c->dtype));
	paleo_json_put_string(w, "layout", paleo_layout_name(c->layout));
	if (c->fuse)
		paleo_json_put_bool(w, "fuse", 1);
	paleo_json_put_double(w, "workspace_limit_bytes", c->workspace_limit_bytes);
	paleo_json_close(w);
}

/* What does not apply is left out: these lines are many. */
static void write_algorithm(const struct paleo_algorithm *a, struct paleo_json_writer *w)
{
	paleo_json_open_object(w, NULL);
	if (a->engine[0])
		paleo_json_put_double(w, "engine", strtod(a->engine, NULL));
	else
		paleo_json_put_string(w, "name", a->name);
	if (a->has_bias)
		paleo_json_put_bool(w, "bias", 1);
	if (a->has_act)
		paleo_json_put_bool(w, "act", 1);
	if (a->is_fallback)
		paleo_json_put_bool(w, "fallback", 1);
	paleo_json_put_double(w, "workspace_bytes", a->workspace_bytes);
	put_word(w, "notes", a->notes);
	put_word(w, "behaviour", a->behaviour);
	put_word(w, "knobs", a->knobs);
	paleo_json_close(w);
}

static void write_choice(const struct choice *item, struct paleo_json_writer *w)
{
	const struct paleo_worker_answer *answer = &item->answer;
	char key[PALEO_WORK_KEY_MAX];

	paleo_work_key(&item->first->work, key, sizeof(key));
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "work", key);
	paleo_json_put_string(w, "layer", item->first->layer->name);
	paleo_json_put_int(w, "layers", item->layers);
	if (answer->status) {
		paleo_json_put_string(w, "status", paleo_status_name(answer->status));
		paleo_json_put_string(w, "reason", answer->error.text);
	} else {
		paleo_json_open_array(w, "algorithms");
		for (int i = 0; i < answer->list.count; i++)
			write_algorithm(&answer->list.items[i], w);
		paleo_json_close(w);
	}
	paleo_json_close(w);
}

/* One line; `item` NULL: who was asked. */
static int print_line(const struct choices *c, const struct choice *item, FILE *out,
		      struct paleo_error *err)
{
	struct paleo_json_writer *w = paleo_json_writer_new();
	char *text = NULL;

	if (!w)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for a line");
	if (item)
		write_choice(item, w);
	else
		write_meta(c, w);
	int rc = paleo_json_writer_text(w, 0, &text, err);
	paleo_json_writer_free(w);
	if (!rc && (fputs(text, out) < 0 || fputc('\n', out) < 0))
		rc = paleo_fail(err, PALEO_EIO, "writing the list failed");
	free(text);
	return rc;
}

int algorithms_print_json(const struct choices *c, FILE *out, struct paleo_error *err)
{
	int rc = print_line(c, NULL, out, err);

	for (int i = 0; i < c->count && !rc; i++)
		rc = print_line(c, &c->items[i], out, err);
	return rc;
}
