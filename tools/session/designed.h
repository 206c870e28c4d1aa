/* designed.h - measures the works that a calibration is designed from. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_DESIGNED_H
#define PALEO_TOOLS_SESSION_DESIGNED_H

#include <stdint.h>
#include <stdio.h>

#include "bench/backend.h"
#include "model/record/record.h"

struct designed_settings {
	const char *device; /* as for session_open() */
	double budget_s;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	enum paleo_cache_mode mode;
	int threads; /* 0: one per core */
	uint64_t seed;
	const char *const *nets; /* whose works are measured beside the drawn ones */
	int net_count;
	const char *const *graph_nets; /* those of the nets whose whole passes are measured, too */
	int graph_net_count;
	int batch;           /* of the nets; 0: their own, at most the backend's batch_max */
	const char *records; /* the file they go to; NULL: paleo-results/DEVICE/design-TYPE.jsonl */
	int verbose;         /* 1: tells at the end where the wall time went */
	int resume;          /* 1: keep what the file holds and measure the rest */
	int retry_failed;    /* 1: as resume, but what failed there is measured again */
	int force;           /* 1: write over whatever the file holds */
	int quiet;           /* 1: no line of progress */
	FILE *notes;         /* where to say what is done */
};

/* Whether the nets can be read and their whole passes be run; for telling a user's mistake before
 * anything else is done. EINPUT, EUNSUPPORTED, ENOMEM. */
int designed_check(const struct designed_settings *s, struct paleo_error *err);

/*
 * Opens the device, measures its design until the budget ends, records each work
 * in the file and adds it to *results, beside what the file held when resuming.
 * Works of nets take turns with drawn ones, the longest predicted last; equal
 * works are measured once. A quarter of the budget is for whole passes: each
 * extent of each net gets an equal part. *interrupted is 1 when a signal ended it. Fails as
 * session_open(), plan_make() and runner_run() do; results then stay to be
 * released.
 */
int designed_measure(const struct designed_settings *s, struct paleo_results *results,
		     int *interrupted, struct paleo_error *err);

#endif
