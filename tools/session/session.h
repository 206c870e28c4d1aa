/* session.h - what --device means: which backend and device, who it is, which calibration. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_SESSION_H
#define PALEO_TOOLS_SESSION_SESSION_H

#include <stdio.h>

#include "bench/worker.h"

/* An open device. */
struct session {
	struct paleo_worker *worker;
	struct paleo_device_info info;      /* with peaks: the datasheet's, or measured */
	const char *backend;                /* "cuda", "cpu", "fake" */
	struct paleo_measure_policy policy; /* the usual one for this backend */
	struct paleo_bench_options options; /* as it was opened with */
	char why_not_gpu[PALEO_ERROR_MAX];  /* for "auto" that took the CPU: the reason; else "" */
	char peaks[512]; /* which file the peaks are from, or why it was left aside; else "" */
};

/* How a device is to be opened. */
struct session_wish {
	struct paleo_worker_config worker; /* but for the backend and its device's number */
	int peaks;                         /* 1: its peaks are wanted, as measured */
};

/*
 * Opens `device`: "auto" (GPU 0 if one is usable, otherwise the CPU), a GPU's
 * number, "cpu", "fake" and "fake1" (for tests). Peaks are those that paleo ceilings has measured
 * of this device, on as many threads and with the same libraries; where there are none, they are
 * measured. Release with session_close().
 */
int session_open(const char *device, const struct session_wish *wish, struct session *out,
		 struct paleo_error *err);
void session_close(struct session *s);

/* Whether session_open() knows the name; opens nothing. EINPUT. */
int session_check(const char *device, struct paleo_error *err);

/* One line that says who it is: "cpu: AMD EPYC, 2 threads, oneDNN 2.6.3". */
void session_title(const struct session *s, char *buf, size_t size);

/* Says that, why it is not a GPU, and where the peaks are from, a line each. */
void session_tell(const struct session *s, FILE *notes);

#endif
