/* check.h - checks of devices: measured here or read from files, judged, printed. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_CHECK_CHECK_H
#define PALEO_TOOLS_CHECK_CHECK_H

#include <stdio.h>

#include "base/grow.h"
#include "base/table.h"
#include "calib/health.h"
#include "library/find.h"
#include "model/record/record.h"
#include "tools/cli/choice.h"
#include "tools/session/ranks.h"

/* As the options say it. */
struct check_settings {
	const char *device;
	const char *output;
	int collective;          /* enum paleo_collective, measured between ranks; -1: none */
	struct option_list from; /* files and folders to judge in place of measuring */
	double budget_s;
	double margin; /* what is less slower does not count, in per cent */
	int sustained; /* enum paleo_regime */
	int force, threads, format, quiet, all;
	int is_silent; /* not an option: another rank prints */
};

enum check_verdict {
	CHECK_GOOD,
	CHECK_SLOW,
	CHECK_NOT_JUDGED, /* nothing to compare it with, or nothing measured */
	CHECK_FAULTY,     /* an op failed on it, or had a wrong result */
	CHECK_VERDICTS
};

/* What a device is compared with. */
enum check_beside {
	CHECK_KIND,     /* predictions for its kind: its own calibration, or shipped presets */
	CHECK_SIBLINGS, /* the other devices of its kind that were checked */
	CHECK_PAST,     /* its own earlier checks */
	CHECK_PEAKS,    /* the share of its datasheet that a shipped one of its kind has reached */
	CHECK_BESIDES
};

/* The check of one device. */
struct checked {
	struct paleo_results results; /* with its condition; empty where `missing` says why */
	char missing[256];
	int is_now;     /* 1: to be judged; 0: of before */
	int is_shipped; /* 1: peaks of its kind, shipped; not of before */
	enum check_verdict verdict;
	struct paleo_health_finding worst; /* of what is slow, else of the median part */
	enum check_beside beside;          /* that is compared with */
	char part[64];                     /* "all parts" or the name of one */
	int slow_parts;
	char why[256]; /* likely cause of being slow, or of no verdict; "" none */
	struct paleo_health_finding *findings[CHECK_BESIDES]; /* of the parts and all; owned */
	double *kind_s;                                       /* predicted, of each part; owned */
};

/* All of them, and the parts that any of them has: names of ceilings, keys of ops. */
struct checks {
	struct checked *items;
	int count, room;
	struct check_part {
		char name[PALEO_OP_KEY_MAX];
		int is_op;
	} * parts;
	int part_count, part_room;
};

/* Adds the checks in a text: records files, one after another. Records without a condition are not
 * of a check, and left out. EINPUT with the line. */
int checks_add_text(struct checks *all, const char *name, const char *text, size_t size, int is_now,
		    struct paleo_error *err);

/* Adds those in a file, or in the .jsonl files of a folder. EINPUT where there are none. */
int checks_add_path(struct checks *all, const char *path, struct paleo_error *err);

/* Adds the latest checks of a kind of device that are in paleo-results/DEVICE/, without those in
 * the file `except`. */
int checks_add_past(struct checks *all, const char *device, const char *except,
		    struct paleo_error *err);

/* Adds the shipped peaks of each kind of device that is to be judged, results/DEVICE/, as far as
 * there are any. */
int checks_add_shipped(struct checks *all, struct paleo_error *err);

/* The datasheet's peak that a ceiling of this name should reach; 0: there is none. */
double check_datasheet(const struct paleo_device *measured, const struct paleo_ceiling *x);

/* Adds a device of which there are no numbers, and why. */
int checks_add_missing(struct checks *all, const char *node, const char *device, const char *why,
		       struct paleo_error *err);

/* 1 if both are of one device: kind, node and unit. */
int checked_same_device(const struct checked *a, const struct checked *b);

/* Of each device the latest check is judged, and the others are its past. */
void checks_take_latest(struct checks *all);
void checks_release(struct checks *all);

/* "node fake-1", or the title of a CPU. */
void checked_name(const struct checked *c, char *text, size_t size);

/* A part of a check, for comparison. */
struct paleo_health_value checked_value(const struct checked *c, const struct check_part *part);

/* Judges all that are to be judged. ENOMEM; errors of reading calibrations. */
int checks_judge(struct checks *all, double margin, struct paleo_error *err);

/* The table of devices, or with `all` 1 or one device that of their parts; then the verdicts. */
int checks_print(const struct checks *all, const struct check_settings *s, struct paleo_error *err);

/* How many of those judged have each verdict. */
void checks_count(const struct checks *all, int count[CHECK_VERDICTS]);

/* EXIT_ROWS where one is faulty, else EXIT_SLOWER, EXIT_UNMEASURED or EXIT_GOOD. */
int checks_exit_code(const struct checks *all);

/* A file of records that a check has written. */
struct check_file {
	char path[PALEO_PATH_MAX]; /* "": where ceilings are kept */
	char device[64];           /* the kind of device */
	int has_peaks;             /* 1: something was measured */
};

enum {
	CHECK_BYTES_MAX = 64 << 20
};

/* Measures one device into out->path: ceilings until the ops need the time, then ops. What was
 * measured before a failure is in the file. */
int check_measure(const struct check_settings *s, const char *device, struct check_file *out,
		  struct paleo_error *err);

/* The same into memory: *text is owned by the caller. */
int check_measure_text(const struct check_settings *s, const char *device, struct check_file *out,
		       char **text, size_t *size, struct paleo_error *err);

/* Measures the device of this rank. In rank 0 *all then has the checks of all ranks, and `lines`
 * their records; of a rank that does not answer it says so. In the others *rank is above 0, and
 * there is nothing left to do. *out is owned: ranks_end(), also after a failure. */
int check_ranks(const struct check_settings *s, const char *transport, struct checks *all,
		FILE *lines, struct ranks **out, int *rank, struct paleo_error *err);

#endif
