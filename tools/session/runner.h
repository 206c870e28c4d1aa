/* runner.h - measures ops, and runs whole nets, on an open device, and records each one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_RUNNER_H
#define PALEO_TOOLS_SESSION_RUNNER_H

#include <stdio.h>

#include "bench/repetitions.h"
#include "model/record/graph_record.h"
#include "tools/session/plan.h"
#include "tools/session/records.h"
#include "tools/session/samples.h"
#include "tools/session/session.h"

/* One thing to measure. */
struct runner_item {
	struct paleo_op op;
	enum paleo_cache_mode mode;
	double expected_s;             /* predicted time of one run; 0: unknown */
	struct paleo_record *record;   /* filled here: what stands for the op */
	int *done;                     /* set to 1 when filled */
	struct candidates *candidates; /* what there is of it; each new record is added. NULL: the
					  library's choice alone is measured */
	struct paleo_repetitions repetitions; /* the runner's: what it measured of the choice */
	int is_tried;      /* the runner's: 1: it was measured now, with all its algorithms */
	int is_revisited;  /* the runner's: 1: what stands may not be what is written */
	double last_s;     /* the runner's: its latest time; 0: none */
	double overhead_s; /* the runner's: what its latest measurement took besides samples */
};

struct runner {
	struct session *session;
	struct records *records; /* each record is appended; NULL: none */
	struct samples *samples; /* likewise each sample */
	double budget_s;         /* for all of it, from runner_run()'s start */
	int most;                /* so many of the library's algorithms for each item; 0: 1 */
	int rounds; /* the list is gone through at least so often, so that what others do to the
		       device for seconds meets one repetition of an op and not all; 0: 1, as
		       where there are several algorithms */
	int rounds_most; /* and, where `rounds` is over 1, as often as time allows up to this */
	int may_mend;    /* 1: peaks are measured again if ops or probes are faster than they */
	int show_items;  /* 1: on a terminal each item leaves a line as soon as it is measured */
	int divide;      /* 1: the budget is divided among all items; 0: as many as it lasts for */
	struct paleo_measure_policy
		policy; /* of one op; when dividing, long ops may exceed its budget_s */
};

enum {
	RUNNER_TAGS = 5
};

/* The tags that a report says. */
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
	int tagged[RUNNER_TAGS]; /* with each of the tags that a report says, in its order */
	int again;               /* times that an item was gone back to for its noise */
	int visited;             /* items that were measured at several times */
	int rounds,
		rounds_wanted; /* that were gone through to the end, and that should have been */
	double range;          /* the longest over the shortest of these times, less 1, in the
				  median of those items */
	double elapsed_s;
	double prepare_s; /* that preparing, checking and probing `prepared` ops took */
	int prepared;
};

/* Seconds that so many items' sustained times and energy windows add to the budget of bursts. */
double runner_sustain_s(const struct runner *r, int count);

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

/* Leaves a line of progress: what came of an item, next to its prediction. */
void runner_show_item(const struct runner *r, const struct runner_item *item, double predicted_s);

/* The times of all items in each round. Of runner.c and runner_rounds.c. */
struct runner_rounds {
	double *times; /* round by round; NaN: none */
	int items, done;
};

/* Notes the latest times of the items as those of the round that has ended, early or not. */
void runner_rounds_end(struct runner_rounds *all, struct runner_item *items);

/* The share of the budget of the first of several rounds. It finds what each op costs, so that the
 * others can be planned, and gives a time to every op early. */
#define RUNNER_FIRST_SHARE 0.15

/* Rounds that fit into the time left if samples are half of it: `overhead_s` is what else a round
 * takes. At least and at most so many. */
int runner_rounds_fit(double left_s, double overhead_s, int least, int most);

/* Gives every item the time and interval that all repetitions together show. ENOMEM. */
int runner_rounds_pool(const struct runner_rounds *all, struct runner_item *items,
		       struct paleo_error *err);

/* Counts an item by what represents it. */
void runner_count(const struct paleo_record *r, struct runner_result *res);

/* Counts the items by what represents them, and how far repetitions agree; writes again what was
 * measured several times, also where a clean repetition took the place of a disturbed one. */
int runner_settle(const struct runner *r, const struct runner_item *items, int count,
		  struct runner_result *res, struct paleo_error *err);

/* Continues a line with how many ops were disturbed, if there are any. */
void runner_print_disturbed(const struct runner_result *r, FILE *out);

/* Says how far repetitions agree, how many measured ops have a tag, and how often one was gone
 * back to; nothing where there is none of it. */
void runner_print_tags(const struct runner_result *r, FILE *out);

/* Where the wall time went since the device was opened, with what writing these records took;
 * *wall_s is how long that is. */
struct paleo_spent spent_of(const struct session *s, const struct records *r, double *wall_s);

/* A line for each phase that took any of this time, and one for the rest. */
void spent_print(const struct session *s, const struct records *r, FILE *out);

struct passes_settings {
	int batch; /* 0: the net's own, at most the backend's batch_max */
	enum paleo_dtype dtype;
	enum paleo_layout layout;
	int fuse;               /* 1: as at inference; PALEO_EXTENT_FWD alone */
	int separate_attention; /* 1: as in struct paleo_ops_options */
	enum paleo_update_rule rule;
	double budget_s;                   /* of each pass */
	int retry_failed;                  /* 1: what failed before is run again */
	const struct paleo_results *alone; /* ops measured alone, cold: the rows' isolated time */
	struct records *records;           /* where they go, and what is known; NULL: nowhere */
	int done, count;                   /* passes before this one, and all, for the progress */
	FILE *notes;                       /* where failures are printed */
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
