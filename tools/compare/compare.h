/* compare.h - two sides of a comparison, what they have in common, and its printing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_COMPARE_COMPARE_H
#define PALEO_TOOLS_COMPARE_COMPARE_H

#include "base/table.h"
#include "base/texts.h"
#include "calib/compare.h"

/* An op, with how it ran. Texts are the side's, NULL: not known; numbers are 0 then. */
struct compare_op {
	const char *key, *algorithm, *engine, *knobs, *notes;
	const char *limits; /* why its clock was reduced */
	double clock_mhz, power_w, workspace_bytes;
	double energy_j; /* of one run; NaN or 0: not known */
	struct paleo_noisy time;
};

/* A row of a net, or, with no net, an op by itself. Texts likewise. */
struct compare_row {
	const char *net, *dtype, *layer, *kind, *pass;
	int batch;
	int op; /* its place among the ops */
};

/* A zero struct is empty. */
struct compare_side {
	struct compare_op *ops; /* different ones, by rising key */
	int op_count, op_room;
	struct compare_row *rows;
	int row_count, row_room;
	struct paleo_texts texts;      /* of ops and rows */
	struct paleo_record_meta meta; /* of the last run; all empty for tables */
	char mode[16];                 /* cache state; likewise */
	char regime[PALEO_REGIME_MAX]; /* of all runs; likewise */
	int runs;
	int is_table, is_predicted;
};

/* Reads the runs of a side: `files` has one name, or several with commas between. `mode` is that of
 * the records to use. An op of several runs has the mean of its logarithms; one that a run lacks
 * has no time. EINPUT where a file is neither records nor a table of rows, or has no time in it; as
 * paleo_results_load(). */
int compare_side_load(const char *files, const char *mode, struct compare_side *out,
		      struct paleo_error *err);
void compare_side_release(struct compare_side *s);

/* The same of records in memory. */
int compare_side_of(const struct paleo_results *r, const char *mode, struct compare_side *out,
		    struct paleo_error *err);

/* The place of the op of this key; -1: there is none. */
int compare_side_find(const struct compare_side *s, const char *key);

/* 1 in *is_table if the file's first line is a row, and not the beginning of records. EIO. */
int compare_table_is(const char *file, int *is_table, struct paleo_error *err);

/* Reads all rows: what was measured, or, where nothing was, what is predicted. EINPUT with the
 * line. */
int compare_table_load(const char *file, struct compare_side *out, struct paleo_error *err);

/* Of side.c: each adds a copy; ops are sorted before rows can name them. ENOMEM. */
int compare_side_add_op(struct compare_side *s, const struct compare_op *like,
			struct paleo_error *err);
int compare_side_add_row(struct compare_side *s, const struct compare_row *like,
			 struct paleo_error *err);
void compare_side_sort(struct compare_side *s);

/* A row of both, by its place in each side, and the pair of ops whose times it has. */
struct compare_pair {
	int a, b, item;
	int is_changed; /* 1: its time, or its net's, changed beyond noise */
};

/* A zero struct is empty. */
struct compare_joined {
	struct compare_pair *pairs; /* in the order of the first side's rows */
	int pair_count;
	struct paleo_compared *items; /* one for each different pair of ops */
	int item_count;
	int only_a, only_b; /* rows of one side alone, or without a time in the other */
	const char *by;     /* what made rows the same: a constant, for people */
	double faster;    /* B's machine speed over A's, where times are compared at equal speed; 0:
			     they are not */
	int has_moved;    /* 1: that is further from 1 than the speeds within the runs */
	int is_per_image; /* 1: batch sizes differ, and times are those of one image */
};

struct compare_view {
	const struct compare_side *a, *b;
	const char *a_name, *b_name;
	struct compare_joined *joined;
	struct paleo_compare_how how;
	enum paleo_table_format format;
	int top; /* rows that are shown; 0: all */
};

/* Who was compared, and what differs between them. */
void compare_print_heading(const struct compare_view *v, FILE *out);

/* The sum of one net, whose first row is *net, as a line. */
void compare_print_sum(const struct compare_view *v, const struct compare_pair *net,
		       const struct paleo_compared *sum, FILE *out);

/* The energy of one net as a line, if all its rows have one on both sides: its pairs are those from
 * `from` until `to`. */
void compare_print_energy(const struct compare_view *v, int from, int to, FILE *out);

/* What a change of time is put down to. */
enum compare_cause {
	COMPARE_ALGORITHM,
	COMPARE_CLOCK,
	COMPARE_REST,
	COMPARE_CAUSES
};

enum {
	COMPARE_WHY_MAX = 640
};

/* Divides a row's difference in seconds among its causes: a clock explains as much as it changes a
 * time that follows it, another algorithm what is left. */
void compare_divide(const struct compare_view *v, const struct compare_pair *p,
		    double parts_s[COMPARE_CAUSES]);

/* What differs in how a row's op ran: "engine 62 -> 57; clock 1980 -> 1830 MHz"; "": nothing. */
void compare_why(const struct compare_view *v, const struct compare_pair *p,
		 char text[COMPARE_WHY_MAX]);

/* How much of a net's change comes from each cause, a line each; nothing where there is none but
 * the rest. Its pairs are those from `from` until `to`. ENOMEM. */
int compare_print_why(const struct compare_view *v, int from, int to, FILE *out,
		      struct paleo_error *err);

/* What differs between the runs: "cudnn 9.1.0 -> 9.19.0; threads 1 -> 2"; "": nothing known. */
void compare_run_why(const struct compare_view *v, char text[COMPARE_WHY_MAX]);

/* How many ops are FASTER, SLOWER, SAME and UNCLEAR, and how fine a change could be seen. */
void compare_print_counts(const struct compare_view *v, FILE *out);

/* The rows, those first whose time differs most beyond noise. */
int compare_print_rows(const struct compare_view *v, FILE *out, struct paleo_error *err);

/* 1 in *are if both files are answers of `paleo algorithms`. EINPUT where only one is. */
int compare_answers_are(const char *const files[2], int *are, struct paleo_error *err);

/* In per cent: what of the sum, and of an op, makes a comparison fail; negative: nothing. */
struct compare_limits {
	double slower, layer;
};

/* Compares two such files, as answers_print() of tools/print/print.h; *failed becomes 1 if a
 * predicted time grows by a limit. EINPUT also where there is a limit and no predicted time. */
int compare_answers(const char *const files[2], enum paleo_table_format format, int top,
		    const struct compare_limits *limits, int *failed, struct paleo_error *err);

#endif
