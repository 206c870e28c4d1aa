/* session.h - what --device means: which device, who it is, where its peaks are from. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_SESSION_H
#define PALEO_TOOLS_SESSION_SESSION_H

#include <stdio.h>

#include "base/error.h"
#include "bench/worker.h"
#include "model/device/backends.h"
#include "model/record/record.h"
#include "tools/session/progress.h"

/* Values of --device, "auto|N|cpu", and what each of these is. */
extern const char session_device_argument[];
extern const char session_device_help[];

/* An open device. It stays where it is in memory: its worker says its line of progress. */
struct session {
	struct progress progress;
	struct paleo_worker *worker;
	struct paleo_device_info info; /* with peaks: the datasheet's, or measured */
	const struct paleo_backend_entry *backend;
	struct paleo_measure_policy policy; /* the usual one for this backend and regime */
	struct paleo_bench_options options; /* as it was opened with */
	double begun_s;                     /* of the host's clock: when it began to open */
	struct paleo_spent spent;           /* where its time went since then */
	char passed_over[PALEO_ERROR_MAX];  /* by "auto", and why: "no GPU: ..."; else "" */
	char unit[PALEO_UNIT_MAX]; /* of several that ops are divided over: "NODE UNIT"; else "" */
	int lacks_energy;          /* 1: the energy of ops is wanted, and cannot be measured */
	char busy[256];            /* a host that others use: by what it is seen; else "" */
	char peaks[512]; /* which file the peaks are from, or why it was left aside; else "" */
};

/* Options for opening a device. */
struct session_wish {
	struct paleo_worker_config worker; /* but for the backend and its device's number */
	unsigned peaks;           /* of these dtypes, a bit each, peaks are wanted as measured */
	enum paleo_regime regime; /* of the times that are measured on it */
	int energy;               /* 1: the energy of each op, too */
	int quiet;                /* 1: no line of progress */
};

/*
 * Opens `device`: "auto" (the first usable backend of model/device/backends.def), or as that list
 * says: a GPU's number, "cpu", "fake" and "fake1" (for tests). Peaks are those that paleo check
 * has measured of this device, on as many threads and with the same libraries; what is wanted and
 * not among them is measured. Release with session_close().
 */
int session_open(const char *device, const struct session_wish *wish, struct session *out,
		 struct paleo_error *err);
void session_close(struct session *s);

/* The name of this machine. */
void session_node(char *text, size_t size);

/* What is known of the device's state, with its node and with its unit there: where the driver does
 * not say that, the backend and `device`. */
void session_condition(const struct session *s, const char *device, struct paleo_condition *out);

/* Checks that session_open() knows the name; opens nothing. EINPUT. */
int session_check(const char *device, struct paleo_error *err);

/* For commands that run nothing: the device that a word of session_open() stands for, found by
 * opening it, with its threads, libraries and the peaks that are known without measuring; of any
 * other name (NULL: "") nothing but the name. `calibrated` 1: a calibration is given. EINPUT for a
 * name that is too long, and for a CPU with neither a calibration nor known peaks; else as
 * session_open(). */
int session_who(const char *device, int calibrated, struct paleo_device_info *who,
		struct paleo_error *err);

/* One line that says who it is: "cpu: AMD EPYC, 2 threads, oneDNN 2.6.3". */
void session_title(const struct session *s, char *buf, size_t size);

/* Says that, what auto passed over and why, whether others use the machine, and where the peaks are
 * from, a line each. */
void session_tell(const struct session *s, FILE *notes);

enum {
	DEVICE_LIST_MAX = 16,
	DEVICE_NAME_MAX = 32
};

/* Names as for session_open(). */
struct device_list {
	char names[DEVICE_LIST_MAX][DEVICE_NAME_MAX];
	int count;
};

/* Splits at commas, or plus signs. EINPUT for an empty or repeated name, or too many. */
int device_list_parse(const char *text, struct device_list *out, struct paleo_error *err);

/*
 * Fills in the wanted peaks of the open device (bits as for paleo_worker_peaks(); that of its
 * memory always), and says in s->peaks where they are from. In this order: what paleo check has
 * measured of it, on as many threads and with the same libraries, each of them alone; of a
 * CPU what was measured since it was booted; measured now, unless the machine is busy, and then
 * kept if nothing disturbed it. What was disturbed is taken from the last that was kept of this
 * CPU, else from the calibration of it (paleo_choose_own()), else as it is measured. EIO, EINPUT;
 * and where nothing is known as the backend fails.
 */
int peaks_find(struct session *s, unsigned wanted, struct paleo_error *err);

/* Fills in the peaks that are known without measuring: those of paleo check, else of a CPU those
 * measured since it was booted. *found is 1 if there are any. EIO, EINPUT. */
int peaks_recall(struct session *s, int *found, struct paleo_error *err);

/* Measures the peaks of a CPU again, because ops were faster. *changed is 1 if nothing
 * disturbed it and one of them is larger by what shows: then these are taken, kept, and told in
 * s->peaks. A failure to measure is none. EIO. */
int peaks_again(struct session *s, int *changed, struct paleo_error *err);

#endif
