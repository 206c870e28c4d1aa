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
/* Seconds, and bytes: the table chooses the unit that people see. */
#define PALEO_COLUMN_TIME(key, heading)                                                            \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_TIME, .decimals = 3, .significant = 3                           \
	}
#define PALEO_COLUMN_BYTES(key, heading)                                                           \
	{                                                                                          \
		.name = (key), .title = (heading), .type = PALEO_CELL_NUMBER,                      \
		.unit = PALEO_UNIT_BYTES, .significant = 3                                         \
	}
/* Numbers that programs alone see. */
#define PALEO_COLUMN_DATA(key)                                                                     \
	{                                                                                          \
		.name = (key), .type = PALEO_CELL_NUMBER, .data_only = 1                           \
	}

#endif
