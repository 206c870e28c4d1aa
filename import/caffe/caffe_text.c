/* caffe_text.c - reads protobuf's text format, as Caffe's networks are written, as a tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "import/caffe/caffe_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "import/caffe/lex.h"

/* Syntax: Protocol Buffers Text Format Language Specification (protobuf.dev), "Syntax Elements". */

enum {
	CHUNK = 256
};

/* Fields come in chunks, so that pointers to them stay good. */
struct chunk {
	struct chunk *next;
	int used;
	struct paleo_caffe_field fields[CHUNK];
};

struct paleo_caffe_doc {
	char *name;
	char *pool; /* all words and strings */
	struct paleo_caffe_field root;
	struct chunk *chunks; /* the newest first */
	int count;
};

/* The first fault ends it: rc is not 0 then, and no more tokens come. */
struct parser {
	struct paleo_caffe_lexer lexer;
	struct paleo_caffe_doc *doc;
	struct paleo_error *err;
	int rc, depth;
};

static void next_token(struct parser *p)
{
	if (!p->rc)
		p->rc = paleo_caffe_lexer_next(&p->lexer, p->err);
}

/* 1 if the current token is this mark. */
static int at_mark(const struct parser *p, char mark)
{
	return !p->rc && p->lexer.token.type == PALEO_CAFFE_TOKEN_MARK &&
	       p->lexer.token.mark == mark;
}

static int at_message(const struct parser *p)
{
	return at_mark(p, '{') || at_mark(p, '<');
}

static void expected(struct parser *p, const char *what)
{
	if (!p->rc)
		p->rc = paleo_caffe_lexer_expected(&p->lexer, what, p->err);
}

/* EINPUT at the current token: more than `most` of something. */
static void too_many(struct parser *p, const char *before, int most, const char *behind)
{
	if (!p->rc)
		p->rc = paleo_fail(p->err, PALEO_EINPUT, "%s:%d:%d: %s %d%s", p->doc->name,
				   p->lexer.token.line, p->lexer.token.col, before, most, behind);
}

/* A new field at the end of `message`, at the place of the current token. NULL: out of memory, or
 * too many. */
static struct paleo_caffe_field *add_field(struct parser *p, struct paleo_caffe_field *message,
					   const char *name)
{
	struct paleo_caffe_doc *doc = p->doc;

	if (doc->count == PALEO_CAFFE_FIELDS_MAX)
		too_many(p, "more than", PALEO_CAFFE_FIELDS_MAX, " fields");
	if (p->rc)
		return NULL;
	if (!doc->chunks || doc->chunks->used == CHUNK) {
		struct chunk *chunk = malloc(sizeof(*chunk));
		if (!chunk) {
			p->rc = paleo_fail(p->err, PALEO_ENOMEM, "%s: out of memory", doc->name);
			return NULL;
		}
		chunk->used = 0;
		chunk->next = doc->chunks;
		doc->chunks = chunk;
	}
	struct paleo_caffe_field *f = &doc->chunks->fields[doc->chunks->used++];
	*f = (struct paleo_caffe_field){
		.name = name,
		.line = p->lexer.token.line,
		.col = p->lexer.token.col,
		.parent = message,
	};
	doc->count++;
	if (message->last)
		message->last->next = f;
	else
		message->first = f;
	message->last = f;
	return f;
}

/* Adjacent strings are one. Each was decoded right behind the one before. */
static void parse_string(struct parser *p, struct paleo_caffe_field *f)
{
	char *end = p->lexer.pool - 1;

	f->type = PALEO_CAFFE_STRING;
	f->text = p->lexer.token.text;
	next_token(p);
	while (!p->rc && p->lexer.token.type == PALEO_CAFFE_TOKEN_STRING) {
		size_t size = strlen(p->lexer.token.text);
		memmove(end, p->lexer.token.text, size + 1);
		end += size;
		p->lexer.pool = end + 1;
		next_token(p);
	}
}

/* A number, behind its '-' if that is its sign. */
static void parse_number(struct parser *p, struct paleo_caffe_field *f, int sign)
{
	const struct paleo_caffe_token *t = &p->lexer.token;
	const int is_word = t->type == PALEO_CAFFE_TOKEN_WORD;

	f->type = PALEO_CAFFE_NUMBER;
	if (t->type == PALEO_CAFFE_TOKEN_NUMBER) {
		f->number = sign * t->number;
		f->integer = t->integer;
	} else if (is_word && (!strcasecmp(t->text, "inf") || !strcasecmp(t->text, "infinity"))) {
		f->number = -INFINITY;
	} else if (is_word && !strcasecmp(t->text, "nan")) {
		f->number = NAN;
	} else {
		expected(p, "a number after the '-'");
	}
	next_token(p);
}

static void parse_message(struct parser *p, struct paleo_caffe_field *f);

static void parse_value(struct parser *p, struct paleo_caffe_field *f)
{
	const struct paleo_caffe_token *t = &p->lexer.token;

	if (p->rc)
		return;
	if (at_message(p)) {
		parse_message(p, f);
	} else if (t->type == PALEO_CAFFE_TOKEN_STRING) {
		parse_string(p, f);
	} else if (t->type == PALEO_CAFFE_TOKEN_NUMBER) {
		parse_number(p, f, 1);
	} else if (t->type == PALEO_CAFFE_TOKEN_WORD) {
		f->type = PALEO_CAFFE_WORD;
		f->text = t->text;
		next_token(p);
	} else if (at_mark(p, '-')) {
		next_token(p);
		parse_number(p, f, -1);
	} else {
		expected(p, "a value");
	}
}

/* At the '[' of a list: each element becomes a field of `message`. Without a colon before it, the
 * elements are messages. */
static void parse_list(struct parser *p, struct paleo_caffe_field *message, const char *name,
		       int colon)
{
	next_token(p);
	for (int first = 1; !p->rc && !(first && at_mark(p, ']')); first = 0) {
		if (!colon && !at_message(p))
			expected(p, "a message in a list without ':' before it");
		struct paleo_caffe_field *f = add_field(p, message, name);
		if (f)
			parse_value(p, f);
		if (at_mark(p, ']'))
			break;
		if (!at_mark(p, ','))
			expected(p, "',' or ']' in a list");
		next_token(p);
	}
	next_token(p);
}

static void parse_field(struct parser *p, struct paleo_caffe_field *message)
{
	const struct paleo_caffe_token name = p->lexer.token;

	if (name.type != PALEO_CAFFE_TOKEN_WORD)
		expected(p, "the name of a field");
	next_token(p);
	const int colon = at_mark(p, ':'); /* only messages may leave it out */
	if (colon)
		next_token(p);
	if (at_mark(p, '[')) {
		parse_list(p, message, name.text, colon);
	} else {
		if (!colon && !at_message(p))
			expected(p, "':' or '{' after the name of a field");
		struct paleo_caffe_field *f = add_field(p, message, name.text);
		if (f) {
			f->line = name.line;
			f->col = name.col;
			parse_value(p, f);
		}
	}
	if (at_mark(p, ',') || at_mark(p, ';'))
		next_token(p);
}

/* At the '{' or '<'. */
static void parse_message(struct parser *p, struct paleo_caffe_field *f)
{
	const char close = at_mark(p, '{') ? '}' : '>';

	if (p->depth == PALEO_CAFFE_DEPTH_MAX)
		too_many(p, "messages nested deeper than", PALEO_CAFFE_DEPTH_MAX, "");
	p->depth++;
	f->type = PALEO_CAFFE_MESSAGE;
	next_token(p);
	while (!p->rc && !at_mark(p, close)) {
		if (p->lexer.token.type == PALEO_CAFFE_TOKEN_END)
			p->rc = paleo_caffe_fail(f, p->err, "expected a '%c' that closes this",
						 close);
		else
			parse_field(p, f);
	}
	p->depth--;
	next_token(p);
}

int paleo_caffe_doc_parse(const char *name, const char *text, size_t size,
			  struct paleo_caffe_doc **out, struct paleo_error *err)
{
	struct paleo_caffe_doc *doc = calloc(1, sizeof(*doc));
	struct parser p = {.doc = doc, .err = err};

	if (doc) {
		doc->name = strdup(name);
		doc->pool = malloc(PALEO_CAFFE_POOL_SIZE(size));
	}
	if (!doc || !doc->name || !doc->pool) {
		paleo_caffe_doc_free(doc);
		return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", name);
	}
	doc->root.name = doc->name;
	doc->root.line = doc->root.col = 1;
	paleo_caffe_lexer_start(&p.lexer, doc->name, text, size, doc->pool);
	next_token(&p);
	while (!p.rc && p.lexer.token.type != PALEO_CAFFE_TOKEN_END)
		parse_field(&p, &doc->root);
	if (p.rc)
		paleo_caffe_doc_free(doc);
	else
		*out = doc;
	return p.rc;
}

int paleo_caffe_doc_load(const char *path, struct paleo_caffe_doc **out, struct paleo_error *err)
{
	char *text = NULL;
	size_t size;
	int rc = paleo_file_read(path, PALEO_CAFFE_FILE_MAX, "a Caffe network in text form", &text,
				 &size, err);

	if (!rc)
		rc = paleo_caffe_doc_parse(path, text, size, out, err);
	free(text);
	return rc;
}

void paleo_caffe_doc_free(struct paleo_caffe_doc *doc)
{
	if (!doc)
		return;
	while (doc->chunks) {
		struct chunk *next = doc->chunks->next;
		free(doc->chunks);
		doc->chunks = next;
	}
	free(doc->pool);
	free(doc->name);
	free(doc);
}

const struct paleo_caffe_field *paleo_caffe_doc_root(const struct paleo_caffe_doc *doc)
{
	return &doc->root;
}

const struct paleo_caffe_field *paleo_caffe_first(const struct paleo_caffe_field *message,
						  const char *name)
{
	const struct paleo_caffe_field *f = message->first;

	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	return f;
}

const struct paleo_caffe_field *paleo_caffe_again(const struct paleo_caffe_field *field)
{
	const struct paleo_caffe_field *f = field->next;

	while (f && strcmp(f->name, field->name) != 0)
		f = f->next;
	return f;
}

int paleo_caffe_count(const struct paleo_caffe_field *message, const char *name)
{
	const struct paleo_caffe_field *f = message ? paleo_caffe_first(message, name) : NULL;
	int count = 0;

	for (; f; f = paleo_caffe_again(f))
		count++;
	return count;
}

int paleo_caffe_one(const struct paleo_caffe_field *message, const char *name,
		    const struct paleo_caffe_field **out, struct paleo_error *err)
{
	const struct paleo_caffe_field *f = paleo_caffe_first(message, name);
	const struct paleo_caffe_field *second = f ? paleo_caffe_again(f) : NULL;

	if (second)
		return paleo_caffe_fail(second, err, "duplicate field, first in line %d", f->line);
	*out = f;
	return PALEO_OK;
}

static int is_among(const char *name, const char *const *names)
{
	while (*names) {
		if (!strcmp(*names++, name))
			return 1;
	}
	return 0;
}

int paleo_caffe_only(const struct paleo_caffe_field *message, const char *const *names,
		     struct paleo_error *err)
{
	for (const struct paleo_caffe_field *f = message->first; f; f = f->next) {
		if (is_among(f->name, names))
			continue;
		const char *near = paleo_nearest(f->name, names);
		return paleo_caffe_fail(f, err, "unknown field%s%s%s",
					near ? " (did you mean '" : "", near ? near : "",
					near ? "'?)" : "");
	}
	return PALEO_OK;
}

/* EINPUT: the field is of another type than this. */
static int is_other(const struct paleo_caffe_field *f, const char *expected,
		    struct paleo_error *err)
{
	static const char *const found[] = {
		[PALEO_CAFFE_MESSAGE] = "a message { ... }",
		[PALEO_CAFFE_STRING] = "a string",
		[PALEO_CAFFE_NUMBER] = "a number",
	};

	return paleo_caffe_fail(f, err, "expected %s, found %s", expected,
				f->type == PALEO_CAFFE_WORD ? f->text : found[f->type]);
}

int paleo_caffe_to_message(const struct paleo_caffe_field *f, struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_MESSAGE)
		return is_other(f, "a message { ... }", err);
	return PALEO_OK;
}

int paleo_caffe_to_int(const struct paleo_caffe_field *f, int low, int high, int *out,
		       struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_NUMBER)
		return is_other(f, "an integer", err);
	if (!f->integer || !(f->number >= low && f->number <= high))
		return paleo_caffe_fail(f, err, "expected an integer from %d to %d, found %.15g",
					low, high, f->number);
	*out = (int)f->number;
	return PALEO_OK;
}

int paleo_caffe_to_double(const struct paleo_caffe_field *f, double low, double high, double *out,
			  struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_NUMBER)
		return is_other(f, "a number", err);
	if (!(f->number >= low && f->number <= high))
		return paleo_caffe_fail(f, err, "expected a number from %g to %g, found %.15g", low,
					high, f->number);
	*out = f->number;
	return PALEO_OK;
}

int paleo_caffe_to_bool(const struct paleo_caffe_field *f, int *out, struct paleo_error *err)
{
	static const char *const no[] = {"false", "False", "f", NULL};
	static const char *const yes[] = {"true", "True", "t", NULL};

	if (f->type == PALEO_CAFFE_WORD && (is_among(f->text, no) || is_among(f->text, yes))) {
		*out = is_among(f->text, yes);
		return PALEO_OK;
	}
	if (f->type == PALEO_CAFFE_NUMBER && f->integer && (f->number == 0 || f->number == 1)) {
		*out = f->number == 1;
		return PALEO_OK;
	}
	return is_other(f, "true or false", err);
}

int paleo_caffe_to_string(const struct paleo_caffe_field *f, const char **out,
			  struct paleo_error *err)
{
	if (f->type != PALEO_CAFFE_STRING)
		return is_other(f, "a string in quotes", err);
	*out = f->text;
	return PALEO_OK;
}

int paleo_caffe_to_enum(const struct paleo_caffe_field *f, const char *const *words, int *out,
			struct paleo_error *err)
{
	char list[160] = "one of ";
	int count = 0;

	for (; words[count]; count++) {
		size_t at = strlen(list);
		snprintf(list + at, sizeof(list) - at, "%s%s", count ? ", " : "", words[count]);
		if (f->type == PALEO_CAFFE_WORD && !strcmp(f->text, words[count])) {
			*out = count;
			return PALEO_OK;
		}
	}
	if (f->type == PALEO_CAFFE_NUMBER && f->integer && f->number >= 0 && f->number < count) {
		*out = (int)f->number;
		return PALEO_OK;
	}
	return is_other(f, list, err);
}

/* The field's path from the outermost message: "layer 'conv1': convolution_param.stride". */
static void put_path(const struct paleo_caffe_field *f, char *buf, size_t size)
{
	buf[0] = '\0';
	if (!f->parent)
		return;
	if (f->parent->parent) {
		put_path(f->parent, buf, size);
		size_t at = strlen(buf);
		const char *between = f->parent->parent->parent ? "." : ": ";
		snprintf(buf + at, size - at, "%s%s", between, f->name);
		return;
	}
	const struct paleo_caffe_field *name =
		f->type == PALEO_CAFFE_MESSAGE ? paleo_caffe_first(f, "name") : NULL;
	if (name && name->type == PALEO_CAFFE_STRING)
		snprintf(buf, size, "layer '%.60s'", name->text);
	else
		snprintf(buf, size, "%.60s", f->name);
}

int paleo_caffe_complain(const struct paleo_caffe_field *f, struct paleo_error *err,
			 const char *format, ...)
{
	const struct paleo_caffe_field *root = f;
	char path[256];
	char text[PALEO_ERROR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	while (root->parent)
		root = root->parent;
	put_path(f, path, sizeof(path));
	paleo_error_set(err, PALEO_EINPUT, "%s:%d:%d: %s%s%s", root->name, f->line, f->col, path,
			path[0] ? ": " : "", text);
	return PALEO_EINPUT;
}
