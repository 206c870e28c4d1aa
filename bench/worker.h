/* worker.h - runs a backend in a child process: a crash, a hang or lack of memory costs one row. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_WORKER_H
#define PALEO_BENCH_WORKER_H

#include "base/error.h"
#include "bench/measure.h"

/*
 * The parent never opens a plug-in: it forks, and the child opens the plug-in, the device, and
 * serves ops until it is closed. A child that dies, exceeds its time, or whose backend failed, is
 * replaced for the next op: one row is lost. SIGINT, SIGTERM and SIGHUP are left to the parent; a
 * child dies with its parent. Output of the vendor's libraries to stdout is redirected to stderr.
 */
struct paleo_worker;

struct paleo_worker_config {
	const char *backend; /* "cpu", "cuda", "fake" */
	int device;          /* its number */
	const char
		*description; /* not NULL: the device is only described by this text, which
			       * outlives the worker; it answers paleo_worker_algorithms() alone */
	const char *variable; /* not NULL: a variable of the child's environment, set to `value`
			       * before its plug-in is opened; both outlive the worker */
	const char *value;
	double op_timeout_s; /* time limit of one op in addition to its policy's budget; 0: 60 s */
	double op_limit_s;   /* and so long in all, its preparation included; 0: no such limit */
	struct paleo_bench_options options;
	struct paleo_progress
		progress; /* that it goes on, a few times a second while a child is waited for */
};

/* Opens the device in a child, within two minutes. *info is filled with who it is. Fails as the
 * backend's open does: ENODEVICE, ELIBRARY, EBACKEND, ECRASH, ETIMEOUT. *out is owned:
 * paleo_worker_close(). */
int paleo_worker_open(const struct paleo_worker_config *config, struct paleo_worker **out,
		      struct paleo_device_info *info, struct paleo_error *err);

/* Measures one op by this policy and these options (NULL: the configuration's); fills *out in any
 * case. Fails only when no child can be started any more, and as paleo_measure() for a wrong
 * policy. */
int paleo_worker_measure(struct paleo_worker *w, const struct paleo_op *op,
			 const struct paleo_bench_options *options,
			 const struct paleo_measure_policy *policy, struct paleo_record *out,
			 struct paleo_error *err);

/* Reply to a query for algorithms; a plain value. */
struct paleo_worker_answer {
	int status; /* PALEO_OK, or the reason for an empty list: EUNSUPPORTED, ECRASH, ETIMEOUT,
		       ... */
	struct paleo_algorithms list;
	struct paleo_error error; /* the reason */
};

/* Asks which algorithms the library offers for an op, `most` of them at most; fills *out in any
 * case. A crash or a hang of the library costs this answer only. Fails only when no child can be
 * started any more. */
int paleo_worker_algorithms(struct paleo_worker *w, const struct paleo_op *op, int most,
			    struct paleo_worker_answer *out, struct paleo_error *err);

/* Writes the open device's description, in the format of `config.description`, into `text` of
 * `size` bytes. EUNSUPPORTED where the backend has no such text; ENOMEM where the buffer is too
 * small. */
int paleo_worker_describe(struct paleo_worker *w, char *text, size_t size, struct paleo_error *err);

/* Probes the speed of the machine for a moment; 0 where the backend has no probe, or others
 * disturbed it. As the backend's probe, and with ECRASH or ETIMEOUT. */
int paleo_worker_speed(struct paleo_worker *w, struct paleo_rates *out, struct paleo_error *err);

/* Measures the wanted peaks of the device (PALEO_PEAK_OF_MEMORY), which takes seconds, into *d;
 * values not measured are unchanged. *doubts names the unreliable ones. Fails as the backend does,
 * and with ECRASH or ETIMEOUT. */
int paleo_worker_peaks(struct paleo_worker *w, unsigned wanted, struct paleo_device *d,
		       struct paleo_doubts *doubts, struct paleo_error *err);

/* Measures all ceilings of the device, within two minutes, into *out, whose callback is called for
 * each and which keeps those measured before a failure. Fails as the backend does, with
 * EUNSUPPORTED where it cannot, and with ECRASH or ETIMEOUT. */
int paleo_worker_ceilings(struct paleo_worker *w, struct paleo_ceilings *out,
			  struct paleo_error *err);

/* Measures a whole program by this policy; fills *out in any case. `medians` as for
 * paleo_measure_graph(). `options` as for paleo_worker_measure(). Fails only when no child can be
 * started any more, and for a wrong policy. */
int paleo_worker_graph(struct paleo_worker *w, const struct paleo_graph *p,
		       const struct paleo_bench_options *options,
		       const struct paleo_measure_policy *policy,
		       struct paleo_graph_run_result *out, struct paleo_pass_times *medians,
		       struct paleo_error *err);

void paleo_worker_close(struct paleo_worker *w); /* NULL allowed; ends the child */

#endif
