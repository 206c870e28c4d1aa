/* graph_runs.h - runs whole nets on an open device, each pass as one thing, and records them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_GRAPH_RUNS_H
#define PALEO_TOOLS_SESSION_GRAPH_RUNS_H

#include <stdio.h>

#include "model/record/graph_record.h"
#include "tools/session/records.h"
#include "tools/session/session.h"

struct passes_settings {
	int batch; /* 0: the net's own, at most the backend's batch_max */
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fuse; /* 1: as at inference; PALEO_EXTENT_FWD alone */
	enum paleo_update_rule rule;
	double budget_s;                   /* of each pass */
	int retry_failed;                  /* 1: what failed before is run again */
	const struct paleo_results *alone; /* works measured alone, cold: the rows' isolated time */
	struct records *records;           /* where they go, and what is known; NULL: nowhere */
	int done, count;                   /* passes before this one, and all, for the progress */
	FILE *notes;                       /* where failures are told */
};

/* Whether passes_run() could build this pass of a net, by the name of paleo_net_open(); for telling
 * a user's mistake before anything else is done. EINPUT, EUNSUPPORTED, ENOMEM. */
int passes_check(const struct passes_settings *ps, const char *name, enum paleo_extent extent,
		 struct paleo_error *err);

/*
 * Runs a pass of a net, unless the records hold it already. What goes wrong on the
 * device is the pass's status; its rows are there in any case. *out is the caller's
 * to release, also after a failure. ENOMEM, EIO, and as paleo_graph_build().
 */
int passes_run(const struct passes_settings *ps, struct session *s, const struct paleo_net *net,
	       enum paleo_extent extent, struct paleo_graph_record *out, struct paleo_error *err);

#endif
