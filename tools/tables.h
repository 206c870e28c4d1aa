/* tables.h - tables of times that others measured, read as records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TABLES_H
#define PALEO_TOOLS_TABLES_H

#include <stdio.h>

#include "model/record/measured.h"
#include "model/record/record.h"

/* What to know of them. */
struct tables_settings {
	const char *device;  /* that was measured; NULL: what the tables call it */
	const char *devices; /* a JSON file of more devices, or NULL */
	FILE *notes;         /* how many rows of each were refused, and why */
};

/* 1 if this is a table's name: it ends in .csv or .csv.gz. */
int is_table(const char *path);

/* 1 when all are tables, 0 when none is; EINPUT for some of each. */
int tables_given(const char *const *paths, int count, struct paleo_error *err);

/*
 * Reads tables (model/record/measured.h) of one device into *out (zero before) as records in
 * mode "hot" of the backend "table"; rows that the device cannot have are refused. Of
 * a work that stands several times in a table the row with the median time counts, of several
 * tables the last one's. *out is released by the
 * caller, also on failure. EINPUT, also
 * when no row is left; EIO, ENOMEM.
 */
int tables_read(const struct tables_settings *s, const char *const *paths, int count,
		struct paleo_results *out, struct paleo_error *err);

/* Says on `notes` what was refused. */
void tables_tell_refused(const struct paleo_measured *m, const char *path, FILE *notes);

#endif
