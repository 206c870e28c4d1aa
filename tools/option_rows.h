/* option_rows.h - one line for one option of a command's table: a macro for each type. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_OPTION_ROWS_H
#define PALEO_TOOLS_OPTION_ROWS_H

#include "tools/options.h"

/* `word` is "batch" for --batch, `at` the offset of the field (0 of an option that commands share),
 * `called` how help calls what follows, `about` the help. */
#define OPTION_ROW(kind, word, at, called, about)                                                  \
	.name = (word), .type = (kind), .offset = (at), .argument = (called), .help = (about)
#define OPTION_ROW_WITHIN(kind, word, at, called, from, to, about)                                 \
	{                                                                                          \
		OPTION_ROW(kind, word, at, called, about), .low = (from), .high = (to)             \
	}
#define OPTION_ROW_OF(kind, word, at, called, list, about)                                         \
	{                                                                                          \
		OPTION_ROW(kind, word, at, called, about), .words = (list)                         \
	}

#define FLAG(word, at, about)                                                                      \
	{                                                                                          \
		OPTION_ROW(OPTION_FLAG, word, at, NULL, about)                                     \
	}
#define TEXT(word, at, called, about)                                                              \
	{                                                                                          \
		OPTION_ROW(OPTION_TEXT, word, at, called, about)                                   \
	}
#define EACH(word, at, called, about)                                                              \
	{                                                                                          \
		OPTION_ROW(OPTION_LIST, word, at, called, about)                                   \
	}
#define WORD(word, at, called, list, about)                                                        \
	OPTION_ROW_OF(OPTION_WORD, word, at, called, list, about)
#define WORDS(word, at, called, list, about)                                                       \
	OPTION_ROW_OF(OPTION_WORDS, word, at, called, list, about)
#define WHOLE(word, at, called, from, to, about)                                                   \
	OPTION_ROW_WITHIN(OPTION_INT, word, at, called, from, to, about)
#define WHOLES(word, at, called, from, to, about)                                                  \
	OPTION_ROW_WITHIN(OPTION_INTS, word, at, called, from, to, about)
#define NUMBER(word, at, called, from, to, about)                                                  \
	OPTION_ROW_WITHIN(OPTION_NUMBER, word, at, called, from, to, about)
#define TIME(word, at, called, from, to, about)                                                    \
	OPTION_ROW_WITHIN(OPTION_TIME, word, at, called, from, to, about)
#define PERCENT(word, at, called, from, to, about)                                                 \
	OPTION_ROW_WITHIN(OPTION_PERCENT, word, at, called, from, to, about)
#define BYTES(word, at, called, from, to, about)                                                   \
	OPTION_ROW_WITHIN(OPTION_BYTES, word, at, called, from, to, about)

#endif
