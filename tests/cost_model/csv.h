/* csv.h - reads the tables of the original's numbers, row by row. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_COST_MODEL_CSV_H
#define PALEO_TESTS_COST_MODEL_CSV_H

#include <stdio.h>

enum {
	CSV_FIELDS = 64,
	CSV_LINE = 16384
};

struct csv {
	FILE *in;
	char header[CSV_LINE], line[CSV_LINE];
	char *names[CSV_FIELDS], *fields[CSV_FIELDS];
	int count;
};

/* Opens tests/golden/paleo2017/NAME.csv.gz; the test fails if there is none. */
void csv_open(struct csv *c, const char *name);
/* The same for any PATH, a gzip. */
void csv_open_path(struct csv *c, const char *path);
void csv_close(struct csv *c); /* fails the test if it could not be read to its end */

/* Reads the next row; 0 at the end. */
int csv_next(struct csv *c);

/* A field of the row by the name of its column, which there must be. */
const char *csv_text(const struct csv *c, const char *column);
double csv_number(const struct csv *c, const char *column);

#endif
