/* view.h - what a report shows: runs with their nets and rows, steps, choices. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPORT_VIEW_H
#define PALEO_TOOLS_REPORT_VIEW_H

#include "base/json.h"
#include "library/choose.h"
#include "model/record/record.h"
#include "tools/session/plan.h"

/* One row of a net. */
struct view_row {
	const char *layer, *kind; /* borrowed from the run */
	enum paleo_pass pass;
	const struct paleo_work *work; /* likewise */
	int is_predicted;
	struct paleo_prediction prediction; /* before measuring */
	double at_speed_s;                  /* predicted at the speed seen beside it; NaN */
	double measured_s, low_s, high_s;   /* NaN: not measured; no interval */
	const char *status;                 /* why it has no time, or what is to be known of it */
	int was_fitted;                     /* 1: the calibration has seen this work */
};

/* One net of a run, at one batch, in one number type. */
struct view_net {
	char name[64], title[200];
	int batch;
	enum paleo_dtype dtype;
	struct view_row *rows; /* owned */
	int count;
	int measured; /* rows with a measured time */
};

/* Nets on one device: predicted, or measured and predicted. */
struct view_run {
	char title[300]; /* "NVIDIA H100 SXM 80 GB, predicted" */
	struct paleo_device device;
	struct paleo_source source;
	struct plan plan;             /* of nets that are predicted */
	struct paleo_results results; /* of records */
	struct view_net *nets;        /* owned */
	int count;
};

/* Rows that a command has printed as JSON lines. */
struct view_lines {
	struct paleo_json_doc **docs; /* owned */
	int count, room;
};

struct view {
	struct view_run *runs; /* owned */
	int count, room;
	struct view_lines steps;   /* of `simulate` */
	struct view_lines choices; /* of `explore` */
};

/* What tells where predictions come from. */
struct view_wish {
	enum paleo_law law;
	const char *devices, *calibration;
	struct plan_settings plan;
};

/* Adds a run: nets predicted on the device of a name (NULL: that of the calibration). As
 * paleo_choose_source() and plan_make(). */
int view_add_nets(struct view *v, const struct view_wish *wish, const char *device,
		  const char *const *nets, int count, struct paleo_error *err);

/* Adds a run: the nets of a results file with what was measured of them in `mode`. As
 * paleo_results_load(); EINPUT where it holds no net. */
int view_add_records(struct view *v, const struct view_wish *wish, const char *path,
		     const char *mode, struct paleo_error *err);

/* What a file is, by its first line. */
enum view_file {
	VIEW_OTHER, /* a net, to be refused by its reader if it is none */
	VIEW_RECORDS,
	VIEW_STEPS,
	VIEW_CHOICES
};
enum view_file view_kind_of(const char *path);

/* Reads JSON lines. EINPUT with file and line; EIO, ENOMEM. */
int view_read_lines(struct view_lines *to, const char *path, struct paleo_error *err);

/* A value of such a line: NaN, or "", where there is none. */
double view_number(const struct paleo_json_doc *row, const char *key);
const char *view_text(const struct paleo_json_doc *row, const char *key);

void view_release(struct view *v);

/* The time that counts of a row: measured where the net is, else predicted; NaN. */
double view_time(const struct view_net *n, const struct view_row *r);
double view_predicted(const struct view_row *r); /* NaN: not */

#endif
