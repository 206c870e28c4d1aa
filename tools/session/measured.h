/* measured.h - what was measured, as one: results files, or tables and traces of others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_MEASURED_H
#define PALEO_TOOLS_SESSION_MEASURED_H

#include <stdio.h>

#include "model/record/measured.h"
#include "model/record/record.h"

/*
 * Reads the files into *out (zero before), records and nets; an op that stands in
 * several counts once, as the last file has it. What each file had stays with its
 * nets: paleo_results_of_net(). EINPUT when they are not of the
 * same backend, device and number of threads. *out is released by the caller, also
 * on failure.
 */
int merge_results(const char *const *paths, int count, struct paleo_results *out,
		  struct paleo_error *err);

/* paleo_results_load(), which says on stderr if the file's last line was cut, or is not its end. */
int merge_load(const char *path, struct paleo_results *out, struct paleo_error *err);

/* Properties of published tables of times. */
struct tables_settings {
	const char *device;  /* that was measured; NULL: what the tables call it */
	const char *devices; /* a JSON file of more devices, or NULL */
	const char *dtype;   /* of tables without such a column, or NULL */
	int any_device;      /* 1: it may stay unknown, where neither says it */
	int as_nets;         /* 1: the rows of a table are a net, as those of a trace are */
	enum paleo_timed_by timed_by; /* how, where tables do not say it */
	FILE *notes;                  /* how many rows of each were refused, and why */
};

enum tables_kind {
	TABLES_NONE,
	TABLES_ALONE, /* by their names, .csv or .csv.gz */
	TABLES_TRACES /* by their content; beside tables, or alone */
};

/* What these files are, enum tables_kind. EINPUT for tables or traces beside others; EIO. */
int tables_given(const char *const *paths, int count, struct paleo_error *err);

/*
 * Reads tables or traces (model/record/measured.h) of one device into *out (zero before) as records
 * in mode "hot" of the backend "table"; rows that the device cannot have are refused. Of an op that
 * stands several times in a table the row with the median time counts, of several tables the last
 * one's. Tables timed in different ways are refused. *out is released by the caller, also on
 * failure. EINPUT, also when no row is left; EIO, ENOMEM.
 */
int tables_read(const struct tables_settings *s, const char *const *paths, int count,
		struct paleo_results *out, struct paleo_error *err);

/* Says on `notes` what was refused. */
void tables_tell_refused(const struct paleo_measured *m, const char *path, FILE *notes);

#endif
