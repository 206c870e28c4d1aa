/* algorithms_print.c - the algorithms of a net's convolutions as a table, or as JSON lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/table.h"
#include "tools/algorithms/algorithms.h"

enum {
	WORDS_MAX = 320
};

/* An op without algorithms has one row, without `a`. */
#define COLUMNS(X)                                                                                 \
	X(PALEO_COLUMN_DATA_TEXT("device"), .text = if_any(c->device))                             \
	X(PALEO_COLUMN_DATA_TEXT("library"), .text = if_any(c->info->versions))                    \
	X(PALEO_COLUMN_DATA_TEXT("net"), .text = if_any(c->net->name))                             \
	X(PALEO_COLUMN_DATA("batch"), .number = c->net->batch)                                     \
	X(PALEO_COLUMN_TEXT("layer", "layer"), .text = if_any(item->first->layer->name))           \
	X(PALEO_COLUMN_WHOLE("layers", "layers"), .number = item->layers)                          \
	X(PALEO_COLUMN_TEXT("kind", "kind"), .text = if_any(item->first->what))                    \
	X(PALEO_COLUMN_TEXT("pass", "pass"), .text = paleo_pass_name(item->first->pass))           \
	X(PALEO_COLUMN_DATA_TEXT("dtype"), .text = paleo_dtype_name(c->dtype))                     \
	X(PALEO_COLUMN_WHOLE("rank", "rank"), .number = a ? rank : (double)NAN)                    \
	X(PALEO_COLUMN_SHOWN_TEXT("algorithm"), .text = a ? words : NULL)                          \
	X(PALEO_COLUMN_DATA_TEXT("engine"),                                                        \
	  .text = !a ? NULL : if_any(a->engine[0] ? a->engine : a->name))                          \
	X(PALEO_COLUMN_TEXT("bias", "bias"), .text = a && a->has_bias ? "in it" : NULL)            \
	X(PALEO_COLUMN_TEXT("act", "act"), .text = a && a->has_act ? "in it" : NULL)               \
	X(PALEO_COLUMN_TEXT("list", "list"), .text = a && a->is_fallback ? "fallback" : NULL)      \
	X(PALEO_COLUMN_NUMBER("workspace_bytes", "workspace MB", 1e-6, 2),                         \
	  .number = a ? a->workspace_bytes : NAN)                                                  \
	X(PALEO_COLUMN_DATA_TEXT("notes"), .text = a ? if_any(a->notes) : NULL)                    \
	X(PALEO_COLUMN_TEXT("behaviour", "behaviour"), .text = a ? if_any(a->behaviour) : NULL)    \
	X(PALEO_COLUMN_DATA_TEXT("knobs"), .text = a ? if_any(a->knobs) : NULL)                    \
	X(PALEO_COLUMN_TEXT("status", "status"),                                                   \
	  .text = a ? NULL : paleo_status_name(answer->status))                                    \
	X(PALEO_COLUMN_DATA_TEXT("reason"), .text = a ? NULL : if_any(answer->error.text))         \
	X(PALEO_COLUMN_DATA_TEXT("op"), .text = key)

static const struct paleo_column columns[] = {COLUMNS(PALEO_COLUMN_OF)};

struct paleo_table *algorithms_table(void)
{
	return PALEO_TABLE_OF(columns);
}

static const char *if_any(const char *text)
{
	return text && text[0] ? text : NULL;
}

static void tell(const struct paleo_algorithm *a, char words[WORDS_MAX])
{
	if (!a)
		return;
	const struct paleo_algorithm_texts texts = {a->name, a->engine, a->knobs, a->notes};

	paleo_algorithm_words(&texts, 0, words, WORDS_MAX);
}

/* The rows of one op: as many as it has algorithms, or one that says why it has none. */
static int add_choice(struct paleo_table *t, const struct choices *c, const struct choice *item,
		      struct paleo_error *err)
{
	const struct paleo_worker_answer *answer = &item->answer;
	char key[PALEO_OP_KEY_MAX], words[WORDS_MAX];
	int rc = PALEO_OK, rows = answer->status ? 1 : answer->list.count;

	paleo_op_key(&item->first->op, key, sizeof(key));
	for (int rank = 0; rank < rows && !rc; rank++) {
		const struct paleo_algorithm *a = answer->status ? NULL : &answer->list.items[rank];
		tell(a, words);
		const struct paleo_cell cells[] = {COLUMNS(PALEO_CELL_OF)};
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
	paleo_json_put_string(w, "schema", "paleo-algorithms/2");
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
	char key[PALEO_OP_KEY_MAX];

	paleo_op_key(&item->first->op, key, sizeof(key));
	paleo_json_open_object(w, NULL);
	paleo_json_put_string(w, "op", key);
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
