/* backend.h - interface of a backend: one table of functions, exported by its plug-in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKEND_H
#define PALEO_BENCH_BACKEND_H

#include <stddef.h>

#include "model/device/ceiling.h"
#include "model/device/device.h"
#include "model/net/graph.h"
#include "model/op/op.h"
#include "model/op/operand.h"
#include "model/record/record.h"

/* Raised when anything of the table changes; a plug-in of another number is refused. */
#define PALEO_BACKEND_ABI 9

/* The symbol a plug-in exports: `const struct paleo_backend *paleo_backend_table(void)`. */
#define PALEO_BACKEND_SYMBOL "paleo_backend_table"

enum paleo_cache_mode {
	PALEO_COLD, /* operands rotate, so that none is in the last-level cache from the run before
		     */
	PALEO_HOT,  /* the same operands every time */
	PALEO_WEIGHTS_COLD, /* a layer's weights rotate, the rest is the same: as in a network */
	PALEO_ENQUEUE,      /* not the device's time but the host's, of handing it one op; hot */
	PALEO_CACHE_MODES
};

/* "cold", "hot", "weights-cold", "enqueue": the name in records. */
static inline const char *paleo_cache_mode_name(enum paleo_cache_mode mode)
{
	static const char *const names[PALEO_CACHE_MODES] = {"cold", "hot", "weights-cold",
							     "enqueue"};

	return names[mode];
}

/* 1 if copy `i` of this operand differs from copy 0, in this mode: weights-cold rotates only a
 * layer's weights and their gradients. */
static inline int paleo_role_rotates(enum paleo_cache_mode mode, enum paleo_role role)
{
	const unsigned own = 1u << PALEO_W | 1u << PALEO_BIAS | 1u << PALEO_DW | 1u << PALEO_DBIAS |
			     1u << PALEO_SCALE | 1u << PALEO_SHIFT | 1u << PALEO_DSCALE |
			     1u << PALEO_DSHIFT | 1u << PALEO_STATE1 | 1u << PALEO_STATE2 |
			     1u << PALEO_MASTER;

	return mode == PALEO_COLD || (mode == PALEO_WEIGHTS_COLD && (own >> role & 1));
}

/* Options for preparing an op. A plain value; zero is a good default but for memory_limit_bytes. */
struct paleo_bench_options {
	enum paleo_cache_mode mode;
	double memory_limit_bytes;    /* for all copies of the operands; 0: the backend's choice */
	double workspace_limit_bytes; /* 0: the backend's choice, 4 GiB at least */
	int rank;      /* rank of the algorithm in algorithms(); 0: the library's own choice */
	int threads;   /* of a CPU backend; 0: those that it was opened for */
	int zeros;     /* 1: all inputs are 0, which a chip may compute faster */
	int own_norms; /* 1: norms and poolings by the backend's own kernels, not the library's */
};

/* Result of preparing; a plain value. */
struct paleo_job_info {
	struct paleo_algorithm algorithm; /* algorithm that will run */
	int operand_sets;                 /* sets of operands rotated through */
	double fill_s; /* of the time that it took: filling and copying operands */
	int cold_reps; /* cold mode: so many repetitions of a run() find their operands outside of
			* the last cache, and more of them do not; 0: all do */
};

/* Result of preparing a whole graph; a plain value. */
struct paleo_pass_info {
	char how[32];       /* "graph", "stream", "primitives": the form of one run */
	int layout_changes; /* in one run, between steps that need one tensor in other orders */
	struct paleo_graph_memory memory; /* that was taken */
};

/* Breakdown of the time of one run; arrays of the caller's, one number for each step. */
struct paleo_pass_times {
	double *step_s;   /* the step itself */
	double *change_s; /* layout changes before it */
};

enum {
	PALEO_DOUBT_MAX = 192
};

/* A set of a device's peaks: bit t for dtype t, and this one for its memory. */
#define PALEO_PEAK_OF_MEMORY (1u << PALEO_DTYPES)
#define PALEO_PEAKS_ALL (2 * PALEO_PEAK_OF_MEMORY - 1)

/* Why measured peaks are not to be believed, as where other processes used the machine: a clause
 * each; "": they are. A plain value. */
struct paleo_doubts {
	char arithmetic[PALEO_DOUBT_MAX], memory[PALEO_DOUBT_MAX];
};

struct paleo_session;   /* a backend's own: one open device */
struct paleo_job;       /* a backend's own: one prepared op */
struct paleo_graph_run; /* a backend's own: one prepared program */

/*
 * Hooks are called from one thread, in a worker process. All return PALEO_OK or a
 * negative status with a sentence in `err`. A crash or hang of a hook costs one row.
 * ECRASH: the device is lost to this process, which must be replaced.
 */
struct paleo_backend {
	int abi;          /* PALEO_BACKEND_ABI */
	const char *name; /* "cpu" */
	const char *what; /* one line of help */
	int host_timed;   /* 1: times are the host's, so other processes disturb them */
	int replays;      /* 1: run() replays recorded launches, so its results are checked again
			     afterwards */

	/* Opens device number `index` (0 for a CPU), for so many threads of a CPU (0: one per core,
	 * EINPUT for more than that). ENODEVICE where there is none, ELIBRARY where the vendor's
	 * library is unusable. */
	int (*open)(int index, int threads, struct paleo_session **out, struct paleo_error *err);
	void (*close)(struct paleo_session *s); /* NULL allowed */

	/* Fills *out. Quick: runs nothing. */
	int (*describe)(struct paleo_session *s, struct paleo_device_info *out,
			struct paleo_error *err);

	/* Measures the wanted peaks (PALEO_PEAK_OF_MEMORY above), at least, into d->flop_per_s (0
	 * where a type is not offered) and d->mem_bytes_per_s, sets d->measured and d->source;
	 * values not measured are unchanged. *doubts, empty before, names the unreliable ones.
	 * About a second, on a busy host some. NULL: datasheet only. */
	int (*ceilings)(struct paleo_session *s, unsigned wanted, struct paleo_device *d,
			struct paleo_doubts *doubts, struct paleo_error *err);

	/* Allocates and sets up everything a run needs: descriptors, buffers, workspace, algorithm;
	 * fills inputs with paleo_fill_value(); does one run, so that results can be read.
	 * EUNSUPPORTED where it cannot run this op or has no algorithm of this rank, ENOMEM where
	 * memory is insufficient. */
	int (*prepare)(struct paleo_session *s, const struct paleo_op *w,
		       const struct paleo_bench_options *o, struct paleo_job **out,
		       struct paleo_job_info *info, struct paleo_error *err);

	/* Runs it `reps` times back to back; *elapsed_s covers all of them and nothing else. */
	int (*run)(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err);

	/* Reads `n` elements of a result, as after one run on freshly filled inputs: of the
	 * operand `role`, tensor `copy` of that role, at the row-major positions `index`. Called
	 * before the first run(), and for a backend that replays again later, for the results of
	 * the last run. */
	int (*output)(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		      int n, float *out, struct paleo_error *err);

	void (*release)(struct paleo_job *j); /* NULL allowed */

	/* Opens a device from a description, `text` in the library's format; nothing runs on it:
	 * describe(), algorithms() and close() are the only calls allowed. EINPUT with the
	 * library's message for an invalid description. NULL: not supported. */
	int (*open_described)(const char *text, struct paleo_session **out,
			      struct paleo_error *err);

	/* Lists at most `most` of the library's algorithms for an op, 1 .. PALEO_ALGORITHMS_MAX:
	 * entry `rank` is the one that prepare() takes at this rank. EUNSUPPORTED with the
	 * library's message where there is none, or no choice. NULL: not supported. */
	int (*algorithms)(struct paleo_session *s, const struct paleo_op *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err);

	/* Measures all ceilings of the device into *out (named as in model/device/ceiling.h),
	 * skipping those that cannot be measured. Takes from seconds to a minute. Sustained
	 * (out->regime), each has run for PALEO_SUSTAIN_S before its samples, and ceilings that are
	 * not a load, such as launches, are skipped. NULL: not supported. */
	int (*list_ceilings)(struct paleo_session *s, struct paleo_ceilings *out,
			     struct paleo_error *err);

	/* Sets up everything that running a whole program needs, with its buffers connected: fills
	 * the inputs (bench/fill.h, paleo_fill_buffer()), poisons the rest, runs it once. The
	 * program outlives it. EUNSUPPORTED where a step cannot be run, ENOMEM; both say which
	 * step. NULL: not supported; the next three are NULL, too. */
	int (*whole_prepare)(struct paleo_session *s, const struct paleo_graph *p,
			     const struct paleo_bench_options *o, struct paleo_graph_run **out,
			     struct paleo_pass_info *info, struct paleo_error *err);

	/* Runs all steps once, in order; *elapsed_s is the time from the first to the end of the
	 * last. Where `times` is not NULL, clocks are read between steps, too. */
	int (*whole_run)(struct paleo_graph_run *w, double *elapsed_s,
			 struct paleo_pass_times *times, struct paleo_error *err);

	/* Reads `n` elements of a buffer as the last run left it, at row-major positions of its
	 * dims. Only of buffers that are kept to the end. */
	int (*whole_read)(struct paleo_graph_run *w, int buffer, const double *index, int n,
			  float *out, struct paleo_error *err);

	void (*whole_release)(struct paleo_graph_run *w); /* NULL allowed */

	/* Begin monitoring the device, and report its clock, power and temperature: called around
	 * the timed runs of an op. Neither changes settings or can fail: unknown values are 0. A
	 * begin may be NULL where the end suffices; no end: nothing is known. */
	void (*observe_begin)(struct paleo_session *s);
	void (*observe_end)(struct paleo_session *s, struct paleo_state *out);

	/* Reads the device's energy counter, in joules since some fixed moment; it may move in
	 * steps of 100 ms. EUNSUPPORTED where there is none. NULL: there never is. */
	int (*energy)(struct paleo_session *s, double *joules, struct paleo_error *err);

	/* Probes the device's speed with short loops of about a millisecond: ops measured at
	 * different times can be compared by it. One probe is noisy, and may evict an op's data
	 * from the caches. A rate disturbed by other processes is 0. NULL: not supported, or not
	 * needed. */
	int (*probe)(struct paleo_session *s, struct paleo_rates *out, struct paleo_error *err);

	/* Writes the open device as open_described() would read it, into `text` of `size` bytes.
	 * NULL: the backend cannot. */
	int (*description)(struct paleo_session *s, char *text, size_t size,
			   struct paleo_error *err);
};

/* The type of the exported function. */
typedef const struct paleo_backend *paleo_backend_function(void);

/* The exported function itself: a plug-in defines it, nothing else calls it by name. */
__attribute__((visibility("default"))) paleo_backend_function paleo_backend_table;

/*
 * Looks for libpaleo-<name>.so in the folder named by the environment variable PALEO_PLUGIN_DIR if
 * set, else in ../lib/paleo relative to the running program's folder, which is right in the build
 * folder and where it is installed. The plug-in stays open until the process ends. ELIBRARY when it
 * is not there or does not load, with the loader's message and a remedy; EBACKEND for another ABI
 * number. Called in a worker only.
 *
 * Libraries preloaded by its line in model/device/backends.def are loaded first, from the
 * colon-separated folders in the environment variable named there, and are used by the plug-in.
 */
int paleo_plugin_open(const char *name, const struct paleo_backend **out, struct paleo_error *err);

#endif
