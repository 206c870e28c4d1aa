/* columns.h - the usual kinds of columns of a table, each in one line of a list. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_COLUMNS_H
#define PALEO_BASE_COLUMNS_H

#include "base/table.h"

/* `key` is the name in CSV and JSON, `heading` the one for people. */
#define PALEO_COLUMN_TEXT(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_STRING                       \
	}
#define PALEO_COLUMN_WHOLE(key, heading)                                                           \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER                       \
	}
/* People see value * factor with so many decimals. */
#define PALEO_COLUMN_NUMBER(key, heading, factor, digits)                                          \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER, .scale = (factor),   \
		.decimals = (digits)                                                               \
	}
#define PALEO_COLUMN_PERCENT(key, heading) PALEO_COLUMN_NUMBER(key, heading, 100, 1)
#define PALEO_COLUMN_RATIO(key, heading) PALEO_COLUMN_NUMBER(key, heading, 1, 3)
/* Seconds, bytes, FLOPs and FLOP/s: the table chooses the unit that people see. */
#define PALEO_COLUMN_TIME(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_TIME, .decimals = 3, .significant = 3                           \
	}
/* Seconds that are much longer, or shorter, than the table's other times. */
#define PALEO_COLUMN_TIME_APART(key, heading)                                                      \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_TIME, .size = 1, .decimals = 3, .significant = 3                \
	}
#define PALEO_COLUMN_BYTES(key, heading)                                                           \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_BYTES, .significant = 3                                         \
	}
#define PALEO_COLUMN_FLOP(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_FLOP, .decimals = 1, .significant = 3                           \
	}
#define PALEO_COLUMN_FLOP_PER_S(key, heading)                                                      \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_FLOP_PER_S, .decimals = 1, .significant = 3                     \
	}
/* Numbers, and texts, that programs alone see. */
#define PALEO_COLUMN_DATA(key)                                                                     \
	{                                                                                          \
		.name = (key), .type = PALEO_CELL_NUMBER, .data_only = 1                           \
	}
#define PALEO_COLUMN_DATA_TEXT(key)                                                                \
	{                                                                                          \
		.name = (key), .type = PALEO_CELL_STRING, .data_only = 1                           \
	}
/* Half of an interval, in percent, of which programs see both ends. */
#define PALEO_COLUMN_HALF(heading)                                                                 \
	{                                                                                          \
		.title = (heading), .type = PALEO_CELL_NUMBER, .decimals = 1, .text_only = 1       \
	}

#endif
