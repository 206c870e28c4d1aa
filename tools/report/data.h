/* data.h - what a report shows, as JSON: nets, records, rows of other commands. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_DATA_H
#define PALEO_TOOLS_REPORT_DATA_H

#include "base/json.h"
#include "library/source.h"
#include "tools/session/plan.h"

/* Where predictions come from. */
struct data_wish {
	enum paleo_cost_model cost_model;
	const char *device; /* on which tables and traces were measured; NULL: they say it */
	const char *devices, *calibration;
	int dtype; /* of a profile's net: 0: its own; 1 + enum paleo_dtype */
	struct plan_settings plan;
};

/*
 * A run is one object: its title, the device, what its predictions are based on, its nets with
 * their sums and rows, and the factors in use. Times are in seconds; what is not known has no key.
 * page.js reads it.
 */

/* Puts a run: nets predicted on the device of a name (NULL: that of the calibration). As
 * paleo_choose_source() and plan_make(). */
int data_put_nets(struct paleo_json_writer *w, const struct data_wish *wish, const char *device,
		  const char *const *nets, int count, struct paleo_error *err);

/* Puts a run: the nets of a results file with what was measured of them in `mode`, or the rows of a
 * table or trace. As paleo_results_load() and tables_read(); EINPUT where it holds no net. */
int data_put_records(struct paleo_json_writer *w, const struct data_wish *wish, const char *path,
		     const char *mode, struct paleo_error *err);

/* Puts a run: the layers of a profile beside those of its net, as engine_given() has found them. As
 * engine_open(). */
int data_put_engine(struct paleo_json_writer *w, const struct data_wish *wish,
		    const char *const *given, int count, struct paleo_error *err);

/* Puts a factor that so many rows are based on. */
void data_put_factor(struct paleo_json_writer *w, const struct paleo_calibration *c,
		     const struct paleo_class_model *f, int rows);

/* Unknown values are left out. */
void data_put_number(struct paleo_json_writer *w, const char *key, double value);

/* The kind of a file, by its first line. */
enum data_file {
	DATA_OTHER,   /* a net, to be refused by its reader if it is none */
	DATA_RECORDS, /* or a table of measured times, or a trace */
	DATA_STEPS,   /* JSON lines of `simulate` */
	DATA_CHOICES  /* of `explore` */
};
enum data_file data_kind_of(const char *path);

/* Puts an object for each line, with its texts and numbers. EINPUT with file and line; EIO, ENOMEM.
 */
int data_put_lines(struct paleo_json_writer *w, const char *path, struct paleo_error *err);

#endif
