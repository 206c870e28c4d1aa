/* session.h - what --device means: which backend and device, who it is, which calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_SESSION_H
#define PALEO_TOOLS_SESSION_SESSION_H

#include <stdio.h>

#include "bench/worker.h"
#include "model/device/backends.h"
#include "model/record/spent.h"
#include "tools/session/progress.h"

/* What --device may be, "auto|N|cpu", and what each of these is. */
extern const char session_device_argument[];
extern const char session_device_help[];

/* An open device. It stays where it is in memory: its worker tells its line of progress. */
struct session {
	struct progress progress;
	struct paleo_worker *worker;
	struct paleo_device_info info; /* with peaks: the datasheet's, or measured */
	const struct paleo_backend_entry *backend;
	struct paleo_measure_policy policy; /* the usual one for this backend */
	struct paleo_bench_options options; /* as it was opened with */
	double begun_s;                     /* of the host's clock: when it began to open */
	struct paleo_spent spent;           /* where its time went since then */
	char passed_over[PALEO_ERROR_MAX];  /* by "auto", and why: "no GPU: ..."; else "" */
	char busy[256];  /* a host that others use: by what it is seen; else "" */
	char peaks[512]; /* which file the peaks are from, or why it was left aside; else "" */
};

/* How a device is to be opened. */
struct session_wish {
	struct paleo_worker_config worker; /* but for the backend and its device's number */
	int peaks;                         /* 1: its peaks are wanted, as measured */
	int quiet;                         /* 1: no line of progress */
};

/*
 * Opens `device`: "auto" (the first usable backend of model/device/backends.def), or as that list
 * says: a GPU's number, "cpu", "fake" and "fake1" (for tests). Peaks are those that paleo ceilings
 * has measured of this device, on as many threads and with the same libraries; where there are
 * none, they are measured. Release with session_close().
 */
int session_open(const char *device, const struct session_wish *wish, struct session *out,
		 struct paleo_error *err);
void session_close(struct session *s);

/* What is left of a budget that began when the device was opened; half of it at least, as a busy
 * machine may take as long to open it. */
double session_left_s(const struct session *s, double budget_s);

/* Whether session_open() knows the name; opens nothing. EINPUT. */
int session_check(const char *device, struct paleo_error *err);

enum {
	SESSION_NAME_MAX = 64
};

/* For commands that run nothing: the name of the device that a word of session_open() stands for,
 * as tables and calibrations have it, found by opening it; any other name as it is. NULL becomes
 * "". `calibrated` 1: a calibration is given. EINPUT for a name that is too long, and for a
 * processor without a calibration; else as session_open(). */
int session_name(const char *device, int calibrated, char name[SESSION_NAME_MAX],
		 struct paleo_error *err);

/* One line that says who it is: "cpu: AMD EPYC, 2 threads, oneDNN 2.6.3". */
void session_title(const struct session *s, char *buf, size_t size);

/* Says that, what auto passed over and why, whether others use the machine, and where the peaks are
 * from, a line each. */
void session_tell(const struct session *s, FILE *notes);

#endif
