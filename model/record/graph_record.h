/* graph_record.h - a whole pass of a net, measured: one line of a results file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_GRAPH_RECORD_H
#define PALEO_MODEL_RECORD_GRAPH_RECORD_H

#include "base/json.h"
#include "model/net/graph.h"
#include "model/record/record.h"

/* One row of the net inside of the pass: medians over the runs in which clocks are read. */
struct paleo_graph_record_row {
	struct paleo_net_row row;
	double in_network_s; /* the row's own calls */
	double change_s;     /* layout changes before them */
	double isolated_s;   /* measured alone, cold; NaN: not known */
};

/* A full pass. A failed one has no rows and no timing. */
struct paleo_graph_record {
	char net[64];
	int batch;
	enum paleo_dtype dtype;
	enum paleo_extent extent;
	enum paleo_update_rule rule; /* of a step */
	enum paleo_layout layout;
	int fused;                     /* 1: as at inference, see paleo_op_list_fuse() */
	char regime[PALEO_REGIME_MAX]; /* as in struct paleo_record */
	char how[32];                  /* "graph", "stream", "primitives": see bench/backend.h */
	enum paleo_record_status status;
	char reason[256];
	int in_network_samples;              /* runs with clocks */
	struct paleo_timing timing;          /* of the full pass */
	struct paleo_graph_memory memory;    /* that was taken */
	struct paleo_graph_memory predicted; /* that the program needs at least */
	struct paleo_graph_record_row *rows; /* owned */
	int count;
	int layout_changes;
};

void paleo_graph_record_release(struct paleo_graph_record *f); /* NULL allowed */

enum {
	PALEO_GRAPH_RECORD_TITLE_MAX = 32
};

/* "fwd", "step, nhwc", "fwd, fused": which pass it is, for tables. */
void paleo_graph_record_title(enum paleo_extent extent, enum paleo_layout layout, int fused,
			      char text[PALEO_GRAPH_RECORD_TITLE_MAX]);

/* Sums over the rows, in seconds. */
double paleo_graph_record_in_network_s(const struct paleo_graph_record *f);
double paleo_graph_record_change_s(const struct paleo_graph_record *f);

/* The sum over the rows measured alone, and that of the updates among them; NaN where one is not
 * known. */
double paleo_graph_record_isolated_s(const struct paleo_graph_record *f);
double paleo_graph_record_updates_s(const struct paleo_graph_record *f);

/* Writes one "graph_run" line and flushes it. EIO. */
int paleo_graph_record_write(const struct paleo_graph_record *f, FILE *out,
			     struct paleo_error *err);

/* Reads such a line. *out is owned by the caller. EINPUT with its place. */
int paleo_graph_record_read(const struct paleo_json *line, struct paleo_graph_record *out,
			    struct paleo_error *err);

const char *paleo_update_rule_name(enum paleo_update_rule rule); /* "sgd" */

#endif
