/* calibrate.h - measures what a calibration is designed from, and prints its factors. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CALIBRATE_CALIBRATE_H
#define PALEO_TOOLS_CALIBRATE_CALIBRATE_H

#include <stdint.h>
#include <stdio.h>

#include "base/table.h"
#include "bench/backend.h"
#include "model/predict/calibration.h"
#include "model/record/record.h"
#include "tools/session/divided.h"

struct designed_settings {
	const char *device; /* as for session_open() */
	double budget_s;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	enum paleo_cache_mode mode;
	enum paleo_regime regime;
	int threads; /* 0: one per core */
	uint64_t seed;
	const char *const *nets; /* whose ops are measured next to the drawn ones */
	int net_count;
	const char *const *graph_nets; /* those of the nets whose whole passes are measured, too */
	int graph_net_count;
	int batch;           /* of the nets; 0: their own, at most the backend's batch_max */
	const char *records; /* the file they go to; NULL: paleo-results/DEVICE/design-TYPE.jsonl */
	int verbose;         /* 1: prints at the end where the wall time went */
	int resume;          /* 1: keep what the file holds and measure the rest */
	int retry_failed;    /* 1: as resume, but what failed there is measured again */
	int force;           /* 1: write over whatever the file holds */
	int quiet;           /* 1: no line of progress */
	FILE *notes;         /* where to say what is done */
	struct divided *divided; /* of several devices that divide the ops: which this is */
};

/* Checks that the nets can be read and their full passes run, to report a mistake before
 * anything else is done. EINPUT, EUNSUPPORTED, ENOMEM. */
int designed_check(const struct designed_settings *s, struct paleo_error *err);

/*
 * Opens the device, measures its design until the budget ends, records each op
 * in the file and adds it to *results, next to what the file held when resuming.
 * Ops of nets take turns with drawn ones, the longest predicted last; equal
 * ops are measured once. A quarter of the budget is for whole passes: each
 * extent of each net gets an equal part. Of several devices each measures its part, and rank 0 has
 * the records of all. *interrupted is 1 when a signal ended it. Fails as
 * session_open(), plan_make() and runner_run() do; results then stay to be
 * released.
 */
int designed_measure(const struct designed_settings *s, struct paleo_results *results,
		     int *interrupted, struct paleo_error *err);

/* Kernel models of few rows keep the parameters of the presets where their own are not clearly
 * better; says so on `notes`. ENOMEM, and those of errors of reading presets. */
int lean_on_presets(const struct paleo_results *results, const char *mode,
		    struct paleo_calibration *calibration, FILE *notes, struct paleo_error *err);

/* A row for each kind of op and dtype, and one for all: records, range of PALEO's
 * percentage, held-out error. ENOMEM, EIO. */
int factors_print_brief(const struct paleo_calibration *c, enum paleo_table_format format,
			FILE *out, struct paleo_error *err);

/* A row for each factor: values, standard errors, records, held-out error; in text then what is
 * known of the parameters of kernel models. ENOMEM, EIO. */
int factors_print(const struct paleo_calibration *c, enum paleo_table_format format, FILE *out,
		  struct paleo_error *err);

enum {
	LINK_NO_TRANSPORT = -1 /* no --transport */
};

/* Arguments of --link; 0 and NULL: not given. */
struct link_settings {
	const char *name, *output, *records;
	int workers, collective, transport, rounds, force, quiet;
};

/* Fits a link to logs of collective operations, or measures them, and prints it: the command.
 * Returns the exit code. */
int link_calibrate(const struct link_settings *s, const char *const *files, int count);

#endif
