/* transport.h - what runs collective operations between workers: one table, from its plug-in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_TRANSPORT_H
#define PALEO_BENCH_TRANSPORT_H

#include <stddef.h>

#include "base/error.h"
#include "model/device/backends.h"

/* Raised when anything below changes; a plug-in of another number is refused. */
#define PALEO_TRANSPORT_ABI 1

/* The symbol a plug-in exports: `const struct paleo_transport *paleo_transport_table(void)`. */
#define PALEO_TRANSPORT_SYMBOL "paleo_transport_table"

/* One line of transports.def; a field that is left out there is empty. */
struct paleo_transport_entry {
	const char *name;           /* of its file, and of its plug-in: "mpi" */
	const char *launched_by[8]; /* environment variables of its launcher; NULL at the end */
	struct paleo_preload preload;
};

/* All of them. */
const struct paleo_transport_entry *paleo_transports(int *count);

/* By its name. Never NULL: an unknown one has an empty name. */
const struct paleo_transport_entry *paleo_transport_find(const char *name);

enum paleo_collective {
	PALEO_ALL_REDUCE,     /* every rank gets the sum of all vectors */
	PALEO_ALL_GATHER,     /* every rank has a part of the vector and gets all of it */
	PALEO_REDUCE_SCATTER, /* every rank gets its part of the sum of all vectors */
};

/* Who takes part; a plain value. */
struct paleo_transport_info {
	int ranks;      /* >= 1 */
	int rank;       /* of this process; 0 where one process runs them all */
	char what[192]; /* library, version, and what it runs on */
};

struct paleo_transport_session; /* a transport's own: the ranks, joined */

/*
 * Every process of a run calls the same hooks in the same order. All return
 * PALEO_OK or a negative status with a sentence in `err`.
 */
struct paleo_transport {
	int abi;          /* PALEO_TRANSPORT_ABI */
	const char *name; /* "mpi" */

	/* Joins `ranks` of them, or as many as there are for 0. ENODEVICE where there are not so
	 * many, in every process alike; info->rank is set then, too. */
	int (*open)(int ranks, struct paleo_transport_session **out,
		    struct paleo_transport_info *info, struct paleo_error *err);

	/* Leaves. `failed`: others may be waiting for this process, and are ended. NULL allowed. */
	void (*close)(struct paleo_transport_session *s, int failed);

	/* Makes vectors of `count` floats, a multiple of the ranks, filled with
	 * paleo_collective_input(); runs `what` once and has every rank's answer checked. What was
	 * prepared before is released. ENOMEM; EBACKEND for a wrong answer. */
	int (*prepare)(struct paleo_transport_session *s, enum paleo_collective what, size_t count,
		       struct paleo_error *err);

	/* Runs it `reps` times back to back, from when all ranks are there. *elapsed_s is the
	 * slowest rank's time for all of them; every process gets the same. */
	int (*run)(struct paleo_transport_session *s, int reps, double *elapsed_s,
		   struct paleo_error *err);
};

/* Element i of a rank's vector: a small whole number, so that sums are exact in f32. */
float paleo_collective_input(int rank, size_t i);

/* Whether a rank's answer of `count` elements is right: EBACKEND with the first wrong one. For
 * PALEO_REDUCE_SCATTER the answer is the rank's part, count/ranks elements. */
int paleo_collective_check(enum paleo_collective what, int ranks, int rank, size_t count,
			   const float *answer, struct paleo_error *err);

/* The type of the exported function. */
typedef const struct paleo_transport *paleo_transport_function(void);

/* The exported function itself: a plug-in defines it, nothing else calls it by name. */
__attribute__((visibility("default"))) paleo_transport_function paleo_transport_table;

#endif
