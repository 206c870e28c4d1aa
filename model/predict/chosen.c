/* chosen.c - reads what a library would run for convolutions, and finds it by work. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/chosen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/gzip.h"
#include "base/json_fields.h"
#include "base/json_schema.h"

static const struct paleo_json_schema schema = {
	.name = "paleo-algorithms/1", .advice = "ask the library again by paleo algorithms"};

struct answer {
	struct paleo_work work;
	struct paleo_algorithm first;
};

struct paleo_chosen {
	char device[64], library[128];
	struct answer *answers;
	int count, room;
};

#define WORDS(name)                                                                                \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct paleo_algorithm, name),                   \
			sizeof(((struct paleo_algorithm *)0)->name), 0, 0, 1, 0                    \
	}

static const struct paleo_json_field fields[] = {
	WORDS(name),
	WORDS(knobs),
	WORDS(notes),
	WORDS(behaviour),
	{"workspace_bytes", PALEO_FIELD_NUMBER, offsetof(struct paleo_algorithm, workspace_bytes),
	 0, 0, 1e18, 0, 0},
	{0},
};

static int read_flag(const struct paleo_json *object, const char *key, int *out,
		     struct paleo_error *err)
{
	const struct paleo_json *v = paleo_json_get(object, key);

	return v ? paleo_json_to_bool(v, out, err) : PALEO_OK;
}

static int read_algorithm(const struct paleo_json *v, struct paleo_algorithm *out,
			  struct paleo_error *err)
{
	static const char *const others[] = {"engine", "bias", "act", "fallback", NULL};
	const struct paleo_json *number = paleo_json_get(v, "engine");
	int engine = 0;
	int rc = paleo_json_fields_read(v, fields, others, out, err);

	if (!rc && number) {
		rc = paleo_json_to_int(number, 0, 1 << 20, &engine, err);
		if (!rc)
			snprintf(out->engine, sizeof(out->engine), "%d", engine);
	}
	if (!rc)
		rc = read_flag(v, "bias", &out->has_bias, err);
	if (!rc)
		rc = read_flag(v, "act", &out->has_act, err);
	return rc ? rc : read_flag(v, "fallback", &out->is_fallback, err);
}

/* A work without an answer says why in its status, and is left out. */
static int take_work(const struct paleo_json *line, struct paleo_chosen *c, struct paleo_error *err)
{
	struct answer answer = {.first = {.is_fallback = 0}};
	const struct paleo_json *v = NULL, *list = paleo_json_get(line, "algorithms");
	const char *key = NULL;
	struct paleo_error inner;
	int rc = paleo_json_need(line, "work", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &key, err);
	if (!rc && paleo_work_parse(key, &answer.work, &inner))
		rc = paleo_json_fail(v, err, "%s", inner.text);
	if (rc || !paleo_json_first(list ? list : line) || !list)
		return rc;
	rc = read_algorithm(paleo_json_first(list), &answer.first, err);
	if (rc)
		return rc;
	struct answer *answers = paleo_grow(c->answers, c->count, &c->room, sizeof(*answers));
	if (!answers)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d answers", c->count);
	c->answers = answers;
	answers[c->count++] = answer;
	return PALEO_OK;
}

/* Takes a text of the first line, of which all others of its kind in the file are equals. */
static int take_text(const struct paleo_json *line, const char *key, char *to, size_t size,
		     struct paleo_error *err)
{
	const struct paleo_json *v = NULL;
	const char *text = NULL;
	int rc = paleo_json_need(line, key, &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &text, err);
	if (rc)
		return rc;
	if (strlen(text) >= size)
		return paleo_json_fail(v, err, "is longer than %zu bytes", size - 1);
	if (to[0] && strcmp(to, text) != 0)
		return paleo_json_fail(v, err, "is '%s', but the file began with '%s'", text, to);
	snprintf(to, size, "%s", text);
	return PALEO_OK;
}

static int take_meta(const struct paleo_json *line, struct paleo_chosen *c, struct paleo_error *err)
{
	int behind = 0;
	int rc = paleo_json_schema_read(line, &schema, &behind, err);

	if (!rc)
		rc = take_text(line, "device", c->device, sizeof(c->device), err);
	return rc ? rc : take_text(line, "library", c->library, sizeof(c->library), err);
}

static int take_line(const char *path, int number, const char *text, size_t size,
		     struct paleo_chosen *c, struct paleo_error *err)
{
	struct paleo_json_doc *doc = NULL;
	int rc = paleo_json_parse(path, number, text, size, &doc, err);

	if (rc)
		return rc;
	const struct paleo_json *line = paleo_json_root(doc);
	if (paleo_json_get(line, "schema") || !c->device[0])
		rc = take_meta(line, c, err);
	else
		rc = take_work(line, c, err);
	paleo_json_free(doc);
	return rc;
}

static int read_lines(const char *path, const char *text, size_t size, struct paleo_chosen *c,
		      struct paleo_error *err)
{
	const char *end = text + size;
	int number = 0, rc = PALEO_OK;

	while (!rc && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		rc = take_line(path, ++number, text, (size_t)(stop - text), c, err);
		text = stop + 1;
	}
	if (!rc && !c->count)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: no answers in it; paleo algorithms --format jsonl writes them",
				path);
	return rc;
}

int paleo_chosen_load(const char *path, struct paleo_chosen **out, struct paleo_error *err)
{
	struct paleo_chosen *c = calloc(1, sizeof(*c));
	char *text = NULL;
	size_t size = 0;

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = paleo_gzip_read(path, PALEO_JSON_FILE_MAX, "a file of paleo algorithms", &text,
				 &size, err);
	if (!rc)
		rc = read_lines(path, text, size, c, err);
	free(text);
	if (rc) {
		paleo_chosen_free(c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

void paleo_chosen_free(struct paleo_chosen *c)
{
	if (c)
		free(c->answers);
	free(c);
}

const struct paleo_algorithm *paleo_chosen_find(const struct paleo_chosen *c,
						const struct paleo_work *w)
{
	for (int i = 0; i < c->count; i++)
		if (paleo_work_equal(&c->answers[i].work, w))
			return &c->answers[i].first;
	return NULL;
}

const char *paleo_chosen_device(const struct paleo_chosen *c)
{
	return c->device;
}

const char *paleo_chosen_library(const struct paleo_chosen *c)
{
	return c->library;
}

int paleo_chosen_is_for(const struct paleo_chosen *c, const char *device)
{
	const char *asked = c->device;

	for (; *asked; asked++, device++) {
		if (*device == '-' && *asked != '-') /* rtx-4090 is the rtx4090 */
			device++;
		if (*device != *asked)
			return 0;
	}
	return !*device || *device == '-';
}
