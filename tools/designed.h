/* designed.h - measures the works that a calibration is designed from. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_DESIGNED_H
#define PALEO_TOOLS_DESIGNED_H

#include <stdint.h>
#include <stdio.h>

#include "bench/backend.h"
#include "model/record.h"

struct designed_settings {
	const char *device; /* as for session_open() */
	double budget_s;
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	enum paleo_cache_mode mode;
	int threads; /* 0: one per core */
	uint64_t seed;
	const char *records; /* the file they go to; NULL: paleo-results/DEVICE/design-TYPE.jsonl */
	int resume;          /* 1: keep what the file holds and measure the rest */
	FILE *notes;         /* where to say what is done */
};

/*
 * Opens the device, measures its design until the budget ends, records each work
 * in the file and adds it to *results, beside what the file held when resuming.
 * *interrupted is 1 when a signal ended it. Fails as session_open() and
 * runner_run() do; results then stay to be released.
 */
int designed_measure(const struct designed_settings *s, struct paleo_results *results,
		     int *interrupted, struct paleo_error *err);

#endif
