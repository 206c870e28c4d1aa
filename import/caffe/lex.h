/* lex.h - tokenises protobuf text: words, numbers, strings and punctuation. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_IMPORT_CAFFE_LEX_H
#define PALEO_IMPORT_CAFFE_LEX_H

#include <stddef.h>

#include "base/error.h"

/* Only for caffe_text.c. */

enum paleo_caffe_token_type {
	PALEO_CAFFE_TOKEN_END,
	PALEO_CAFFE_TOKEN_WORD,   /* kernel_size, MAX, true */
	PALEO_CAFFE_TOKEN_NUMBER, /* without its sign, which is a mark */
	PALEO_CAFFE_TOKEN_STRING,
	PALEO_CAFFE_TOKEN_MARK, /* one of : { } < > [ ] , ; - */
};

struct paleo_caffe_token {
	enum paleo_caffe_token_type type;
	int line, col;    /* from 1; columns count characters, not bytes */
	char mark;        /* of a mark */
	const char *text; /* of a word or string, decoded; in the pool */
	double number;    /* of a number */
	int integer;      /* 1: the number is written without point, exponent and 'f' */
};

struct paleo_caffe_lexer {
	const char *name; /* the file, for messages */
	const char *at, *end;
	int line;
	const char *counted;            /* up to here the columns are counted ... */
	int col;                        /* ... and this is the column of `counted` */
	char *pool;                     /* where the next decoded text goes */
	struct paleo_caffe_token token; /* the current one */
};

/* Bytes that the decoded texts of `size` bytes of source can need: each text is at most as long as
 * its source, and its terminator makes space for its NUL. */
#define PALEO_CAFFE_POOL_SIZE(size) ((size) + 1)

/* Starts at the beginning of `text`; `name`, `text` and `pool` are borrowed. */
void paleo_caffe_lexer_start(struct paleo_caffe_lexer *x, const char *name, const char *text,
			     size_t size, char *pool);

/* Makes the next token the current one; behind the last comes END again and again. EINPUT. */
int paleo_caffe_lexer_next(struct paleo_caffe_lexer *x, struct paleo_error *err);

/* EINPUT "file:line:col: expected ..., found ..." at the current token. */
int paleo_caffe_lexer_expected(const struct paleo_caffe_lexer *x, const char *what,
			       struct paleo_error *err);

#endif
