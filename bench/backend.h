/* backend.h - what a backend must provide: one table of functions, exported by its plug-in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_BACKEND_H
#define PALEO_BENCH_BACKEND_H

#include <stddef.h>

#include "model/device/ceiling.h"
#include "model/device/device.h"
#include "model/net/graph.h"
#include "model/record/state.h"
#include "model/work/algorithm.h"
#include "model/work/operand.h"
#include "model/work/work.h"

/* Raised when anything below changes; a plug-in of another number is refused. */
#define PALEO_BACKEND_ABI 6

/* The symbol a plug-in exports: `const struct paleo_backend *paleo_backend_table(void)`. */
#define PALEO_BACKEND_SYMBOL "paleo_backend_table"

enum paleo_cache_mode {
	PALEO_COLD, /* operands rotate, so that none is in the last-level cache from the run before
		     */
	PALEO_HOT,  /* the same operands every time */
	PALEO_WEIGHTS_COLD, /* what a layer learns rotates, the rest is the same: as in a network */
	PALEO_ENQUEUE,      /* not the device's time but the host's, of handing it one work; hot */
	PALEO_CACHE_MODES
};

/* "cold", "hot", "weights-cold", "enqueue": what a record calls it. */
static inline const char *paleo_cache_mode_name(enum paleo_cache_mode mode)
{
	static const char *const names[PALEO_CACHE_MODES] = {"cold", "hot", "weights-cold",
							     "enqueue"};

	return names[mode];
}

/* 1 if copy `i` of this operand is another one than copy 0, in this mode: weights-cold rotates only
 * what a layer has of its own, and the gradients of that. */
static inline int paleo_role_rotates(enum paleo_cache_mode mode, enum paleo_role role)
{
	const unsigned own = 1u << PALEO_W | 1u << PALEO_BIAS | 1u << PALEO_DW | 1u << PALEO_DBIAS |
			     1u << PALEO_SCALE | 1u << PALEO_SHIFT | 1u << PALEO_DSCALE |
			     1u << PALEO_DSHIFT | 1u << PALEO_STATE1 | 1u << PALEO_STATE2;

	return mode == PALEO_COLD || (mode == PALEO_WEIGHTS_COLD && (own >> role & 1));
}

/* How one work is to be prepared. A plain value; zero is a good default but for memory_limit_bytes.
 */
struct paleo_bench_options {
	enum paleo_cache_mode mode;
	double memory_limit_bytes;    /* for all copies of the operands; 0: the backend's choice */
	double workspace_limit_bytes; /* 0: the backend's choice, 4 GiB at least */
	int rank; /* which of what algorithms() lists is to be taken; 0: the library's own choice */
	int threads;   /* of a CPU backend; 0: those that it was opened for */
	int zeros;     /* 1: all inputs are 0, which a chip may compute faster */
	int own_norms; /* 1: norms and poolings by the backend's own kernels, not the library's */
};

/* What was prepared; a plain value. */
struct paleo_job_info {
	struct paleo_algorithm algorithm; /* what will run */
	int operand_sets;                 /* sets of operands rotated through */
	double fill_s;   /* of the time that it took: filling and copying operands */
	int is_resident; /* cold, but between two uses of a set less is touched than the last cache
			  * holds */
};

/* What was prepared to run a whole graph; a plain value. */
struct paleo_pass_info {
	char how[32];       /* "graph", "stream", "primitives": what one run of it is */
	int layout_changes; /* in one run, between steps that want one tensor in other orders */
	struct paleo_graph_memory memory; /* that was taken */
};

/* Where the time of one run went; arrays of the caller's, one number for each step. */
struct paleo_pass_times {
	double *step_s;   /* the step itself */
	double *change_s; /* layout changes before it */
};

enum {
	PALEO_DOUBT_MAX = 192
};

/* Why measured peaks are not to be believed, as where other processes used the machine: a clause
 * each; "": they are. A plain value. */
struct paleo_doubts {
	char arithmetic[PALEO_DOUBT_MAX], memory[PALEO_DOUBT_MAX];
};

struct paleo_session;   /* a backend's own: one open device */
struct paleo_job;       /* a backend's own: one prepared work */
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

	/* Opens device number `index` (0 for a CPU), for so many threads of a CPU (0: one per core,
	 * EINPUT for more than that). ENODEVICE where there is none, ELIBRARY where the vendor's
	 * library is unusable. */
	int (*open)(int index, int threads, struct paleo_session **out, struct paleo_error *err);
	void (*close)(struct paleo_session *s); /* NULL allowed */

	/* Fills *out. Quick: runs nothing. */
	int (*describe)(struct paleo_session *s, struct paleo_device_info *out,
			struct paleo_error *err);

	/* Measures the device's peaks into d->flop_per_s (0 where a type is not offered) and
	 * d->mem_bytes_per_s, sets d->measured and d->source; of a type that could not be measured
	 * what stands there stays. *doubts, empty before, says which of them are not to be
	 * believed. About a second, on a busy host some. NULL: datasheet only. */
	int (*ceilings)(struct paleo_session *s, struct paleo_device *d,
			struct paleo_doubts *doubts, struct paleo_error *err);

	/* Makes everything a run needs: descriptors, buffers, workspace, algorithm; fills inputs
	 * with paleo_fill_value(); does one run, so that results can be read. EUNSUPPORTED where it
	 * cannot run this work or has no algorithm of this rank, ENOMEM where memory does not
	 * suffice. */
	int (*prepare)(struct paleo_session *s, const struct paleo_work *w,
		       const struct paleo_bench_options *o, struct paleo_job **out,
		       struct paleo_job_info *info, struct paleo_error *err);

	/* Runs it `reps` times back to back; *elapsed_s covers all of them and nothing else. */
	int (*run)(struct paleo_job *j, int reps, double *elapsed_s, struct paleo_error *err);

	/* Reads `n` elements of a result, as after one run on freshly filled inputs: of the operand
	 * `role`, tensor `copy` of that role, at the row-major positions `index`. Called before the
	 * first run(). */
	int (*output)(struct paleo_job *j, enum paleo_role role, int copy, const double *index,
		      int n, float *out, struct paleo_error *err);

	void (*release)(struct paleo_job *j); /* NULL allowed */

	/* Opens a device that is only described, by `text` in the library's own words; nothing runs
	 * on it: describe(), algorithms() and close() are all that is allowed. EINPUT with the
	 * library's words for a wrong description. NULL: the backend cannot. */
	int (*open_described)(const char *text, struct paleo_session **out,
			      struct paleo_error *err);

	/* Lists at most `most` of what the library offers for a work, 1 .. PALEO_ALGORITHMS_MAX:
	 * the one at place `rank` is what prepare() takes at this rank. EUNSUPPORTED in the
	 * library's words where there is none, or no choice. NULL: the backend cannot. */
	int (*algorithms)(struct paleo_session *s, const struct paleo_work *w,
			  const struct paleo_bench_options *o, int most,
			  struct paleo_algorithms *out, struct paleo_error *err);

	/* Measures all that limits the device into *out (model/device/ceiling.h says what is called
	 * how), passing over what cannot be measured. Takes from seconds to a minute. NULL: the
	 * backend cannot. */
	int (*list_ceilings)(struct paleo_session *s, struct paleo_ceilings *out,
			     struct paleo_error *err);

	/* Makes everything that running a whole program needs, with its buffers connected: fills
	 * what is given (bench/fill.h, paleo_fill_buffer()), poisons the rest, runs it once. The
	 * program outlives it. EUNSUPPORTED where a step cannot be run, ENOMEM; both say which
	 * step. NULL: the backend cannot run whole programs, and has none of the next three. */
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

	/* Begin to watch the device, and say what was seen of its clock, power and heat: called
	 * around the timed runs of a work. Neither sets anything or can fail: what is not known is
	 * 0. A begin may be NULL where an end alone can tell; no end: nothing is known. */
	void (*observe_begin)(struct paleo_session *s);
	void (*observe_end)(struct paleo_session *s, struct paleo_state *out);

	/* How fast the device is at this moment, by short loops that take about a millisecond:
	 * by what was measured beside them, works can be compared that were measured at other
	 * times. One probe says little, and may take the place of a work's data in the caches. A
	 * rate that other processes disturbed is 0.
	 * NULL: the backend cannot, or need not. */
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

#endif
