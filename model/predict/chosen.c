/* chosen.c - library algorithms of convolutions: read, looked up, and their costs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/predict/chosen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/lines.h"

static const struct paleo_json_schema schema = {
	.name = "paleo-algorithms/2", .advice = "query the library again with paleo algorithms"};

struct paleo_chosen {
	char device[64], library[128], title[128];
	char net[64]; /* that is being read */
	struct paleo_answer *answers;
	int count, room;
};

#define WORDS(name)                                                                                \
	{                                                                                          \
#name, PALEO_FIELD_TEXT, offsetof(struct paleo_algorithm, name),                   \
			.size = sizeof(((struct paleo_algorithm *)0)->name), .optional = 1         \
	}

#define FLAG(key, name)                                                                            \
	{                                                                                          \
		key, PALEO_FIELD_FLAG, offsetof(struct paleo_algorithm, name), .optional = 1       \
	}

static const struct paleo_json_field fields[] = {
	WORDS(name),
	WORDS(knobs),
	WORDS(notes),
	WORDS(behaviour),
	{"workspace_bytes", PALEO_FIELD_NUMBER, offsetof(struct paleo_algorithm, workspace_bytes),
	 .high = 1e18},
	FLAG("bias", has_bias),
	FLAG("act", has_act),
	FLAG("fallback", is_fallback),
	{0},
};

static int read_algorithm(const struct paleo_json *v, struct paleo_algorithm *out,
			  struct paleo_error *err)
{
	static const char *const others[] = {"engine", NULL};
	const struct paleo_json *number = paleo_json_get(v, "engine");
	int engine = 0;
	int rc = paleo_json_fields_read(v, fields, others, out, err);

	if (!rc && number) {
		rc = paleo_json_to_int(number, 0, 1 << 20, &engine, err);
		if (!rc)
			snprintf(out->engine, sizeof(out->engine), "%d", engine);
	}
	return rc;
}

static const struct paleo_json_field answer_fields[] = {
	{"layer", PALEO_FIELD_TEXT, offsetof(struct paleo_answer, layer),
	 .size = sizeof(((struct paleo_answer *)0)->layer), .optional = 1},
	{"layers", PALEO_FIELD_INT, offsetof(struct paleo_answer, layers), .low = 1,
	 .high = 1 << 30, .optional = 1},
	{0},
};

/* An op without an answer has a status with the reason. */
static int take_op(const struct paleo_json *line, struct paleo_chosen *c, struct paleo_error *err)
{
	static const char *const others[] = {"op", "algorithms", "status", "reason", NULL};
	struct paleo_answer answer = {.layers = 1};
	const struct paleo_json *v = NULL, *list = paleo_json_get(line, "algorithms");
	const struct paleo_json *first = list ? paleo_json_first(list) : NULL;
	const char *key = NULL;
	struct paleo_error inner;
	int rc = paleo_json_need(line, "op", &v, err);

	if (!rc)
		rc = paleo_json_to_string(v, &key, err);
	if (!rc && paleo_op_parse(key, &answer.op, &inner))
		rc = paleo_json_fail(v, err, "%s", inner.text);
	if (!rc)
		rc = paleo_json_fields_read(line, answer_fields, others, &answer, err);
	answer.is_empty = !first;
	if (!rc && first)
		rc = read_algorithm(first, &answer.first, err);
	if (rc)
		return rc;
	struct paleo_answer *answers = paleo_grow(c->answers, c->count, &c->room, sizeof(*answers));
	if (!answers)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory for %d answers", c->count);
	c->answers = answers;
	memcpy(answer.net, c->net, sizeof(answer.net));
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
	int rc = paleo_json_schema_check(line, &schema, err);

	c->net[0] = '\0';
	if (!rc)
		rc = take_text(line, "device", c->device, sizeof(c->device), err);
	if (!rc && paleo_json_get(line, "title"))
		rc = take_text(line, "title", c->title, sizeof(c->title), err);
	if (!rc && paleo_json_get(line, "net"))
		rc = take_text(line, "net", c->net, sizeof(c->net), err);
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
		rc = take_op(line, c, err);
	paleo_json_free(doc);
	return rc;
}

static int read_lines(const char *path, const char *text, size_t size, struct paleo_chosen *c,
		      struct paleo_error *err)
{
	const char *end = text + size;
	int number = 0, answered = 0, rc = PALEO_OK;

	while (!rc && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		rc = take_line(path, ++number, text, (size_t)(stop - text), c, err);
		text = stop + 1;
	}
	for (int i = 0; i < c->count; i++)
		answered += !c->answers[i].is_empty;
	if (!rc && !answered)
		rc = paleo_fail(err, PALEO_EINPUT,
				"%s: no answers in it; paleo algorithms --format jsonl writes them",
				path);
	return rc;
}

int paleo_chosen_parse(const char *name, const char *text, size_t size, struct paleo_chosen **out,
		       struct paleo_error *err)
{
	struct paleo_chosen *c = calloc(1, sizeof(*c));

	if (!c)
		return paleo_fail(err, PALEO_ENOMEM, "out of memory");
	int rc = read_lines(name, text, size, c, err);
	if (rc) {
		paleo_chosen_free(c);
		return rc;
	}
	*out = c;
	return PALEO_OK;
}

int paleo_chosen_load(const char *path, struct paleo_chosen **out, struct paleo_error *err)
{
	char *text = NULL;
	size_t size = 0;

	int rc = paleo_gzip_read(path, PALEO_JSON_FILE_MAX, "a file of paleo algorithms", &text,
				 &size, err);
	if (!rc)
		rc = paleo_chosen_parse(path, text, size, out, err);
	free(text);
	return rc;
}

int paleo_chosen_is(const char *path, int *is, struct paleo_error *err)
{
	struct paleo_lines *lines = NULL;
	struct paleo_line line = {0};
	int there = 0;
	int rc = paleo_lines_open(path, PALEO_JSON_FILE_MAX, "a file of JSON lines", &lines, err);

	if (!rc)
		rc = paleo_lines_next(lines, &line, &there, err);
	*is = !rc && there && strstr(line.text, "\"paleo-algorithms/") != NULL;
	paleo_lines_close(lines);
	return rc;
}

void paleo_chosen_free(struct paleo_chosen *c)
{
	if (c)
		free(c->answers);
	free(c);
}

const struct paleo_algorithm *paleo_chosen_find(const struct paleo_chosen *c,
						const struct paleo_op *w)
{
	for (int i = 0; i < c->count; i++)
		if (!c->answers[i].is_empty && paleo_op_equal(&c->answers[i].op, w))
			return &c->answers[i].first;
	return NULL;
}

const struct paleo_answer *paleo_chosen_answers(const struct paleo_chosen *c, int *count)
{
	*count = c->count;
	return c->answers;
}

const char *paleo_chosen_title(const struct paleo_chosen *c)
{
	return c->title;
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

/* Effect of an algorithm on a convolution's operations and bytes. */

const char *paleo_method_name(enum paleo_method method)
{
	static const char *const names[PALEO_METHODS] = {
		[PALEO_METHOD_IMPLICIT] = "implicit",
		[PALEO_METHOD_EXPLICIT] = "explicit",
		[PALEO_METHOD_TRANSPOSED] = "transposed",
		[PALEO_METHOD_WINOGRAD] = "winograd",
		[PALEO_METHOD_WINOGRAD_STEPS] = "winograd in steps",
		[PALEO_METHOD_FFT] = "fft",
	};

	return names[method];
}

/* The edge of Winograd's tiles in "winograd winograd_4x4"; 0 where the notes do not say. */
static int tile_of(const char *notes)
{
	static const char word[] = "winograd_";
	const char *at = strstr(notes, word);

	return at ? (int)strtol(at + sizeof(word) - 1, NULL, 10) : 0;
}

static double fewer_flops(const struct paleo_conv_geom *g, int tile)
{
	int rows = tile - g->r + 1, columns = tile - g->s + 1;

	if (rows < 1 || columns < 1)
		return 1;
	return (double)rows * columns * g->r * g->s / ((double)tile * tile);
}

static enum paleo_method find_method(const struct paleo_op *w, const struct paleo_algorithm *a)
{
	const struct paleo_conv_geom *g = &w->geom.conv;
	double bytes = paleo_dtype_bytes(w->dtype);
	double x = bytes * g->n * g->c * g->h * g->w, y = bytes * g->n * g->k * g->p * g->q;
	double patches = bytes * g->n * g->p * g->q * g->c * g->r * g->s;

	if (strstr(a->notes, "fft"))
		return PALEO_METHOD_FFT;
	if (strstr(a->notes, "winograd"))
		return a->workspace_bytes >= x ? PALEO_METHOD_WINOGRAD_STEPS
					       : PALEO_METHOD_WINOGRAD;
	if ((g->r > 1 || g->s > 1) && a->workspace_bytes >= patches)
		return PALEO_METHOD_EXPLICIT;
	if (w->layout == PALEO_NCHW && strstr(a->notes, "tensor_core") &&
	    a->workspace_bytes >= x + y)
		return PALEO_METHOD_TRANSPOSED;
	return PALEO_METHOD_IMPLICIT;
}

struct paleo_method_cost paleo_method_cost(const struct paleo_op *w,
					   const struct paleo_algorithm *a)
{
	struct paleo_method_cost cost = {
		.method = find_method(w, a),
		.fewer_flops = 1,
		.more_bytes = 2 * a->workspace_bytes,
		.on_cuda_cores = !strstr(a->notes, "tensor_core"),
	};

	if (cost.method == PALEO_METHOD_WINOGRAD || cost.method == PALEO_METHOD_WINOGRAD_STEPS)
		cost.fewer_flops = fewer_flops(&w->geom.conv, tile_of(a->notes));
	return cost;
}

struct paleo_op paleo_method_op(const struct paleo_op *w, const struct paleo_method_cost *cost)
{
	struct paleo_op done = *w;

	done.flops /= cost->fewer_flops;
	done.read_bytes += cost->more_bytes / 2;
	done.write_bytes += cost->more_bytes / 2;
	return done;
}
