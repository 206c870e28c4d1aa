/* caffe_text.c - reads protobuf's text format, in which Caffe's networks are written, as a tree. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/caffe/caffe_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "model/import/caffe/lex.h"

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

struct parser {
	struct paleo_caffe_lexer lexer;
	struct paleo_caffe_doc *doc;
	int depth;
};

static int next_token(struct parser *p, struct paleo_error *err)
{
	return paleo_caffe_lexer_next(&p->lexer, err);
}

static int at_mark(const struct parser *p, char mark)
{
	return paleo_caffe_lexer_at(&p->lexer, mark);
}

static int expected(const struct parser *p, const char *what, struct paleo_error *err)
{
	return paleo_caffe_lexer_expected(&p->lexer, what, err);
}

/* A new field at the end of `message`, at the place of the current token. NULL: out of memory, or
 * too many. */
static struct paleo_caffe_field *add_field(struct parser *p, struct paleo_caffe_field *message,
					   const char *name)
{
	struct paleo_caffe_doc *doc = p->doc;

	if (doc->count == PALEO_CAFFE_FIELDS_MAX)
		return NULL;
	if (!doc->chunks || doc->chunks->used == CHUNK) {
		struct chunk *chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return NULL;
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
static int parse_string(struct parser *p, struct paleo_caffe_field *f, struct paleo_error *err)
{
	f->type = PALEO_CAFFE_STRING;
	f->text = p->lexer.token.text;
	char *end = p->lexer.pool - 1;
	int rc = next_token(p, err);

	while (!rc && p->lexer.token.type == PALEO_CAFFE_TOKEN_STRING) {
		size_t size = strlen(p->lexer.token.text);
		memmove(end, p->lexer.token.text, size + 1);
		end += size;
		p->lexer.pool = end + 1;
		rc = next_token(p, err);
	}
	return rc;
}

/* Behind a '-'. */
static int parse_negative(struct parser *p, struct paleo_caffe_field *f, struct paleo_error *err)
{
	const struct paleo_caffe_token *t = &p->lexer.token;

	f->type = PALEO_CAFFE_NUMBER;
	if (t->type == PALEO_CAFFE_TOKEN_NUMBER) {
		f->number = -t->number;
		f->integer = t->integer;
	} else if (t->type == PALEO_CAFFE_TOKEN_WORD &&
		   (!strcasecmp(t->text, "inf") || !strcasecmp(t->text, "infinity"))) {
		f->number = -INFINITY;
	} else if (t->type == PALEO_CAFFE_TOKEN_WORD && !strcasecmp(t->text, "nan")) {
		f->number = NAN;
	} else {
		return expected(p, "a number behind the '-'", err);
	}
	return next_token(p, err);
}

static int parse_scalar(struct parser *p, struct paleo_caffe_field *f, struct paleo_error *err)
{
	const struct paleo_caffe_token *t = &p->lexer.token;

	switch (t->type) {
	case PALEO_CAFFE_TOKEN_STRING:
		return parse_string(p, f, err);
	case PALEO_CAFFE_TOKEN_WORD:
		f->type = PALEO_CAFFE_WORD;
		f->text = t->text;
		return next_token(p, err);
	case PALEO_CAFFE_TOKEN_NUMBER:
		f->type = PALEO_CAFFE_NUMBER;
		f->number = t->number;
		f->integer = t->integer;
		return next_token(p, err);
	case PALEO_CAFFE_TOKEN_MARK:
		if (t->mark == '-') {
			int rc = next_token(p, err);
			return rc ? rc : parse_negative(p, f, err);
		}
		break;
	case PALEO_CAFFE_TOKEN_END:
		break;
	}
	return expected(p, "a value", err);
}

static int parse_message(struct parser *p, struct paleo_caffe_field *f, struct paleo_error *err);

static int parse_value(struct parser *p, struct paleo_caffe_field *f, struct paleo_error *err)
{
	if (at_mark(p, '{') || at_mark(p, '<'))
		return parse_message(p, f, err);
	return parse_scalar(p, f, err);
}

static int no_field(const struct parser *p, struct paleo_error *err)
{
	if (p->doc->count == PALEO_CAFFE_FIELDS_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d:%d: more than %d fields", p->doc->name,
				  p->lexer.token.line, p->lexer.token.col, PALEO_CAFFE_FIELDS_MAX);
	return paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", p->doc->name);
}

/* At the '[' of a list: each element becomes a field of `message`. Without a colon before it, the
 * elements are messages. */
static int parse_list(struct parser *p, struct paleo_caffe_field *message, const char *name,
		      int colon, struct paleo_error *err)
{
	int rc = next_token(p, err);

	if (!rc && at_mark(p, ']'))
		return next_token(p, err);
	while (!rc) {
		if (!colon && !at_mark(p, '{') && !at_mark(p, '<'))
			return expected(p, "a message in a list without ':' before it", err);
		struct paleo_caffe_field *f = add_field(p, message, name);
		if (!f)
			return no_field(p, err);
		rc = parse_value(p, f, err);
		if (rc)
			break;
		if (at_mark(p, ']'))
			return next_token(p, err);
		if (!at_mark(p, ','))
			return expected(p, "',' or ']' in a list", err);
		rc = next_token(p, err);
	}
	return rc;
}

/* Behind the name and the colon, if there is one, which only messages may leave out. */
static int parse_named(struct parser *p, struct paleo_caffe_field *message,
		       const struct paleo_caffe_token *name, int colon, struct paleo_error *err)
{
	if (at_mark(p, '['))
		return parse_list(p, message, name->text, colon, err);
	if (!colon && !at_mark(p, '{') && !at_mark(p, '<'))
		return expected(p, "':' or '{' behind the name of a field", err);
	struct paleo_caffe_field *f = add_field(p, message, name->text);
	if (!f)
		return no_field(p, err);
	f->line = name->line;
	f->col = name->col;
	return parse_value(p, f, err);
}

static int parse_field(struct parser *p, struct paleo_caffe_field *message, struct paleo_error *err)
{
	const struct paleo_caffe_token name = p->lexer.token;
	int colon;

	if (name.type != PALEO_CAFFE_TOKEN_WORD)
		return expected(p, "the name of a field", err);
	int rc = next_token(p, err);
	colon = !rc && at_mark(p, ':');
	if (colon)
		rc = next_token(p, err);
	if (!rc)
		rc = parse_named(p, message, &name, colon, err);
	if (!rc && (at_mark(p, ',') || at_mark(p, ';')))
		rc = next_token(p, err);
	return rc;
}

/* At the '{' or '<'. */
static int parse_message(struct parser *p, struct paleo_caffe_field *f, struct paleo_error *err)
{
	char close = at_mark(p, '{') ? '}' : '>';

	if (p->depth == PALEO_CAFFE_DEPTH_MAX)
		return paleo_fail(err, PALEO_EINPUT, "%s:%d:%d: messages nested deeper than %d",
				  p->doc->name, p->lexer.token.line, p->lexer.token.col,
				  PALEO_CAFFE_DEPTH_MAX);
	p->depth++;
	f->type = PALEO_CAFFE_MESSAGE;
	int rc = next_token(p, err);
	while (!rc && !at_mark(p, close)) {
		if (p->lexer.token.type == PALEO_CAFFE_TOKEN_END)
			return paleo_caffe_fail(f, err, "expected a '%c' that closes this", close);
		rc = parse_field(p, f, err);
	}
	p->depth--;
	return rc ? rc : next_token(p, err);
}

static int parse_all(struct parser *p, struct paleo_error *err)
{
	int rc = next_token(p, err);

	while (!rc && p->lexer.token.type != PALEO_CAFFE_TOKEN_END)
		rc = parse_field(p, &p->doc->root, err);
	return rc;
}

int paleo_caffe_doc_parse(const char *name, const char *text, size_t size,
			  struct paleo_caffe_doc **out, struct paleo_error *err)
{
	struct paleo_caffe_doc *doc = calloc(1, sizeof(*doc));
	struct parser p = {.doc = doc};
	int rc;

	if (doc) {
		doc->name = strdup(name);
		doc->pool = malloc(PALEO_CAFFE_POOL_SIZE(size));
	}
	if (!doc || !doc->name || !doc->pool) {
		rc = paleo_fail(err, PALEO_ENOMEM, "%s: out of memory", name);
		goto out;
	}
	doc->root.name = doc->name;
	doc->root.line = doc->root.col = 1;
	paleo_caffe_lexer_start(&p.lexer, doc->name, text, size, doc->pool);
	rc = parse_all(&p, err);
	if (!rc) {
		*out = doc;
		doc = NULL;
	}
out:
	paleo_caffe_doc_free(doc);
	return rc;
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
