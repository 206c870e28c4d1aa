/* samples.h - a file with each sample of a run as a line, CSV or JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_SAMPLES_H
#define PALEO_TOOLS_SESSION_SAMPLES_H

#include "base/append.h"
#include "bench/measure.h"

struct samples {
	struct paleo_append *file;
	int is_csv;
	int round;                           /* of the list of ops, from 1 on: the caller's */
	int visit;                           /* measurements so far */
	double times[PALEO_RAW_SAMPLES_MAX]; /* of the measurement that is going on */
};

/* Opens `path`, which ends in .csv or .jsonl, as the files of records are opened. EINPUT, EIO,
 * ENOMEM. *out is owned: samples_close(). */
int samples_open(const char *path, int resume, int force, struct samples **out,
		 struct paleo_error *err);

/* Adds the times of a record that has a time, one line each. EIO, ENOMEM. */
int samples_add(struct samples *s, const struct paleo_record *record, struct paleo_error *err);

void samples_close(struct samples *s); /* NULL is allowed */

#endif
