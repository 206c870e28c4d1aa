/* json_stream.c - the values of a JSON file of any size, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

enum {
	DEPTH_MAX = 2, /* a member's array in an object */
	KEY_MAX = 128
};

struct paleo_json_stream {
	char *path;
	struct paleo_lines *lines;
	struct paleo_json_doc *doc; /* the last part */
	char open[DEPTH_MAX];       /* the brackets we are in */
	int depth;
	int is_first;      /* nothing has been read behind the last opened bracket */
	char key[KEY_MAX]; /* of the member we are in, cut */
	int line;
	double bytes; /* read till now */
};

int paleo_json_stream_open(const char *path, const char *what, struct paleo_json_stream **out,
			   struct paleo_error *err)
{
	struct paleo_json_stream *s = calloc(1, sizeof(*s));

	if (!s || !(s->path = strdup(path))) {
		free(s);
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", path);
	}
	s->line = 1;
	int rc = paleo_lines_open(path, PALEO_JSON_FILE_MAX, what, &s->lines, err);
	if (rc) {
		paleo_json_stream_close(s);
		return rc;
	}
	*out = s;
	return PALEO_OK;
}

void paleo_json_stream_close(struct paleo_json_stream *s)
{
	if (!s)
		return;
	paleo_json_free(s->doc);
	paleo_lines_close(s->lines);
	free(s->path);
	free(s);
}

static void skip(struct paleo_json_stream *s, const char *text, size_t size)
{
	for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))); at++)
		s->line++;
	s->bytes += (double)size;
	paleo_lines_skip(s->lines, size);
}

/* The next character that is no blank, which stays; '\0' at the end of the text. */
static int look(struct paleo_json_stream *s, char *out, struct paleo_error *err)
{
	const char *text;
	size_t size = 0, blanks;

	do {
		int rc = paleo_lines_peek(s->lines, 0, &text, &size, err);
		if (rc)
			return rc;
		for (blanks = 0; blanks < size && strchr(" \t\r\n", text[blanks]); blanks++)
			if (!text[blanks])
				break;
		*out = '\0';
		if (blanks < size)
			*out = text[blanks];
		skip(s, text, blanks);
	} while (size > 0 && blanks == size);
	if (blanks < size && !*out)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: a NUL byte, expected JSON", s->path,
				  s->line);
	return PALEO_OK;
}

static int ends(const struct paleo_json_stream *s, const char *within, int line,
		struct paleo_error *err)
{
	return paleo_fail(err, PALEO_EINPUT,
			  "%s:%d: ends within %s, at byte %.0f: the file is truncated", s->path,
			  line, within, s->bytes);
}

static int expect(struct paleo_json_stream *s, char wanted, struct paleo_error *err)
{
	const char *text;
	size_t size;
	char found;
	int rc = look(s, &found, err);

	if (rc)
		return rc;
	if (!found)
		return ends(s, "an object", s->line, err);
	if (found != wanted)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: expected '%c', found '%c'", s->path,
				  s->line, wanted, found);
	rc = paleo_lines_peek(s->lines, 0, &text, &size, err);
	if (!rc)
		skip(s, text, 1);
	return rc;
}

/* How much of a value is in the text so far. */
struct extent {
	size_t size;
	int depth, in_string, is_escaped, is_whole;
};

/* Goes on with a value; it is whole where its brackets are closed, or something follows a bare one.
 */
static void extend(struct extent *e, const char *text, size_t size)
{
	for (; e->size < size && !e->is_whole; e->size++) {
		char c = text[e->size];
		if (e->in_string) {
			e->in_string = e->is_escaped || c != '"';
			e->is_escaped = !e->is_escaped && c == '\\';
			e->is_whole = !e->in_string && !e->depth;
		} else if (c == '"') {
			e->in_string = 1;
		} else if (c == '{' || c == '[') {
			e->depth++;
		} else if ((c == '}' || c == ']') && e->depth) {
			e->is_whole = !--e->depth;
		} else if (!e->depth && (strchr(",}] \t\r\n", c) || !c)) {
			e->is_whole = 1;
			return;
		}
	}
}

/* The text of the value that begins here. A bare one may end with the text. */
static int find_value(struct paleo_json_stream *s, const char **text, size_t *size,
		      struct paleo_error *err)
{
	struct extent e = {0};
	size_t before;

	do {
		before = e.size;
		int rc = paleo_lines_peek(s->lines, e.size, text, size, err);
		if (rc)
			return rc;
		extend(&e, *text, *size);
	} while (!e.is_whole && e.size > before);
	if (!e.is_whole && (e.depth || e.in_string || s->depth)) {
		int line = s->line;
		skip(s, *text, e.size);
		return ends(s, "a value that begins here", line, err);
	}
	*size = e.size;
	return PALEO_OK;
}

static int take_value(struct paleo_json_stream *s, struct paleo_json_part *out,
		      struct paleo_error *err)
{
	const char *text;
	size_t size;
	int rc = find_value(s, &text, &size, err);

	if (!rc)
		rc = paleo_json_parse(s->path, s->line, text, size, &s->doc, err);
	if (rc)
		return rc;
	skip(s, text, size);
	*out = (struct paleo_json_part){s->key, paleo_json_root(s->doc)};
	return PALEO_OK;
}

/* Reads a key and its colon. */
static int take_key(struct paleo_json_stream *s, struct paleo_error *err)
{
	struct paleo_json_part key;
	const char *text;
	char c;
	int rc = look(s, &c, err);

	if (!rc && !c)
		return ends(s, "an object", s->line, err);
	if (!rc && c != '"')
		return paleo_fail(err, PALEO_EINPUT, "%s:%d: expected a key, found '%c'", s->path,
				  s->line, c);
	if (!rc)
		rc = take_value(s, &key, err);
	if (!rc)
		rc = paleo_json_to_string(key.value, &text, err);
	if (rc)
		return rc;
	size_t size = strlen(text) < KEY_MAX ? strlen(text) : KEY_MAX - 1;
	memcpy(s->key, text, size);
	s->key[size] = '\0';
	paleo_json_free(s->doc);
	s->doc = NULL;
	return expect(s, ':', err);
}

/* Closes the innermost bracket where it ends here, else goes to its next value. */
static int go_on(struct paleo_json_stream *s, int *closed, struct paleo_error *err)
{
	const char opened = s->open[s->depth - 1], closing = opened == '{' ? '}' : ']';
	char c;
	int rc = look(s, &c, err);

	if (rc)
		return rc;
	if (!c)
		return ends(s, opened == '{' ? "an object" : "an array", s->line, err);
	*closed = c == closing;
	if (*closed) {
		s->depth--;
		s->is_first = 0;
		if (!s->depth)
			s->key[0] = '\0';
		return expect(s, closing, err);
	}
	if (!s->is_first)
		rc = expect(s, ',', err);
	s->is_first = 0;
	return rc || opened != '{' ? rc : take_key(s, err);
}

/* 1 in *opened if a bracket begins here whose values are parts. */
static int open_bracket(struct paleo_json_stream *s, int *opened, struct paleo_error *err)
{
	char c;
	int rc = look(s, &c, err);

	*opened = !rc && (c == '[' || (c == '{' && !s->depth)) &&
		  (!s->depth || (s->depth == 1 && s->open[0] == '{'));
	if (rc || !*opened)
		return rc;
	s->open[s->depth++] = c;
	s->is_first = 1;
	return expect(s, c, err);
}

int paleo_json_stream_next(struct paleo_json_stream *s, struct paleo_json_part *out,
			   struct paleo_error *err)
{
	int again = 1, rc = PALEO_OK;
	char c = '\0';

	paleo_json_free(s->doc);
	s->doc = NULL;
	while (!rc && again) {
		again = 0;
		if (s->depth)
			rc = go_on(s, &again, err);
		if (!rc && !again)
			rc = open_bracket(s, &again, err);
	}
	if (!rc)
		rc = look(s, &c, err);
	if (rc)
		return rc;
	if (!c && s->depth)
		return ends(s, "a value", s->line, err);
	if (c)
		return take_value(s, out, err);
	*out = (struct paleo_json_part){"", NULL};
	return PALEO_OK;
}
