/* runner.h - measures works on an open device within a time budget, and records each one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_RUNNER_H
#define PALEO_TOOLS_SESSION_RUNNER_H

#include "bench/repetitions.h"
#include "tools/session/candidates.h"
#include "tools/session/records.h"
#include "tools/session/session.h"

/* One thing to measure. */
struct runner_item {
	struct paleo_work work;
	enum paleo_cache_mode mode;
	double expected_s;             /* predicted time of one run; 0: unknown */
	struct paleo_record *record;   /* filled here: what stands for the work */
	int *done;                     /* set to 1 when filled */
	struct candidates *candidates; /* what there is of it; each new record is added. NULL: the
					  library's choice alone is measured */
	struct paleo_repetitions repetitions; /* the runner's: what it measured of the choice */
	int is_tried;     /* the runner's: 1: it was measured now, with all its algorithms */
	int is_revisited; /* the runner's: 1: what stands may not be what is written */
	double last_s;    /* the runner's: its latest time; 0: none */
};

struct runner {
	struct session *session;
	struct records *records; /* each record is appended; NULL: none */
	double budget_s;         /* for all of it, from runner_run()'s start */
	int most;                /* so many of the library's algorithms for each item; 0: 1 */
	int rounds;   /* the list is gone through so often, so that what others do to the device for
			 seconds meets one repetition of a work and not all; 0: 1, as where there are
			 several algorithms */
	int may_mend; /* 1: peaks are measured again if works or probes are faster than they */
	int divide;   /* 1: the budget is divided among all items; 0: as many as it lasts for */
	struct paleo_measure_policy
		policy; /* of one work; when dividing, long works may exceed its budget_s */
};

enum {
	RUNNER_TAGS = 5
};

/* The tags that a report tells. */
extern const char *const runner_tags[RUNNER_TAGS];

struct runner_result {
	int measured, failed, unsupported, disturbed; /* items, by what stands for them */
	int tried, lost; /* algorithms that were measured now, and those that gave no time */
	int unlisted;    /* items whose algorithms the library could not list */
	char why_unlisted[PALEO_ERROR_MAX]; /* the first of them */
	int skipped;             /* items left, or left half done, when the budget ended or the user
				    interrupted */
	int mended;              /* 1: the session has other peaks now */
	int interrupted;         /* 1: by SIGINT or SIGTERM */
	int tagged[RUNNER_TAGS]; /* with each of the tags that a report tells, in its order */
	int again;               /* times that an item was gone back to for its noise */
	int visited;             /* items that were measured at several moments */
	int rounds,
		rounds_wanted; /* that were gone through to the end, and that should have been */
	double range;          /* the longest over the shortest of these times, less 1, in the
				  median of those items */
	double elapsed_s;
};

/*
 * Measures the items in their order; what their candidates hold already is not measured
 * again. Of several repetitions the middle stands for an item; its record is then written once
 * more, behind that of the first. An algorithm that crashes, hangs or fails costs its own record.
 * When dividing, what is left of the budget is shared by the items that are left, in proportion to
 * how long each is expected to take. Fails only when the device cannot be used any more or a record
 * cannot be written.
 */
int runner_run(const struct runner *r, struct runner_item *items, int count,
	       struct runner_result *out, struct paleo_error *err);

/* Continues a line with how many works were disturbed, if there are any. */
void runner_print_disturbed(const struct runner_result *r, FILE *out);

/* Says how far repetitions agree, how many measured works have a tag, and how often one was gone
 * back to; nothing where there is none of it. */
void runner_print_tags(const struct runner_result *r, FILE *out);

#endif
