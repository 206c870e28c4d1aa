/* transport.h - interface for collective operations of workers: one table, from its plug-in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BENCH_TRANSPORT_H
#define PALEO_BENCH_TRANSPORT_H

#include <stddef.h>

#include "base/error.h"
#include "model/device/backends.h"

/* Raised when anything of the table changes; a plug-in of another number is refused. */
#define PALEO_TRANSPORT_ABI 2

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

/* The one whose launcher started this process ("mpi"), or NULL. */
const char *paleo_transport_launcher(void);

enum paleo_collective {
	PALEO_ALL_REDUCE,     /* every rank gets the sum of all vectors */
	PALEO_ALL_GATHER,     /* every rank has a part of the vector and gets all of it */
	PALEO_REDUCE_SCATTER, /* every rank gets its part of the sum of all vectors */
};

enum {
	PALEO_ANY_RANKS = -1
};

/* Participants; a plain value. */
struct paleo_transport_info {
	int ranks;      /* >= 1 */
	int rank;       /* of this process; 0 where one process runs them all */
	int local;      /* its number among the ranks of its node */
	char what[192]; /* library, version, and platform */
};

struct paleo_transport_session; /* a transport's own: the ranks, joined */

/*
 * Every process of a run calls the same hooks in the same order. All return
 * PALEO_OK or a negative status with a sentence in `err`.
 */
struct paleo_transport {
	int abi;          /* PALEO_TRANSPORT_ABI */
	const char *name; /* "mpi" */

	/* Joins `ranks` of them; two or more for 0, as many as there are for PALEO_ANY_RANKS.
	 * ENODEVICE where there are not so many, in every process alike; info->rank is set then,
	 * too. */
	int (*open)(int ranks, struct paleo_transport_session **out,
		    struct paleo_transport_info *info, struct paleo_error *err);

	/* Leaves, when all have, without using the processor while waiting. `failed` not 0: others
	 * may be waiting for this process, and are ended, with this exit code. NULL allowed. */
	void (*close)(struct paleo_transport_session *s, int failed);

	/* Makes vectors of `count` floats, a multiple of the ranks, filled with
	 * paleo_collective_input(); runs `what` once and checks every rank's result. The previous
	 * preparation is released. ENOMEM; EBACKEND for a wrong result. */
	int (*prepare)(struct paleo_transport_session *s, enum paleo_collective what, size_t count,
		       struct paleo_error *err);

	/* Runs it `reps` times back to back, from when all ranks are there. *elapsed_s is the
	 * slowest rank's time for all of them; every process gets the same. */
	int (*run)(struct paleo_transport_session *s, int reps, double *elapsed_s,
		   struct paleo_error *err);

	/* From here on collectives run among the ranks of the same group, *ranks of them. All ranks
	 * call it; one of a negative group prepares and runs nothing. NULL where one process runs
	 * all ranks; so are the next. */
	int (*group)(struct paleo_transport_session *s, int group, int *ranks,
		     struct paleo_error *err);

	/* Sends a text to rank 0; returns when it has it, without using the processor while
	 * waiting. */
	int (*send)(struct paleo_transport_session *s, const char *text, size_t size,
		    struct paleo_error *err);

	/* In rank 0: the next text that has arrived, and the rank that sent it. *text is owned by
	 * the caller; NULL: none has. */
	int (*receive)(struct paleo_transport_session *s, char **text, size_t *size, int *from,
		       struct paleo_error *err);
};

/* Element i of a rank's vector: a small whole number, so that sums are exact in f32. */
float paleo_collective_input(int rank, size_t i);

/* Checks a rank's result of `count` elements: EBACKEND with the first wrong one. For
 * PALEO_REDUCE_SCATTER the result is the rank's part, count/ranks elements. */
int paleo_collective_check(enum paleo_collective what, int ranks, int rank, size_t count,
			   const float *answer, struct paleo_error *err);

/* The type of the exported function. */
typedef const struct paleo_transport *paleo_transport_function(void);

/* The exported function itself: a plug-in defines it, nothing else calls it by name. */
__attribute__((visibility("default"))) paleo_transport_function paleo_transport_table;

/* Like paleo_plugin_open() of bench/backend.h; its line is in bench/transports.def. */
int paleo_plugin_open_transport(const char *name, const struct paleo_transport **out,
				struct paleo_error *err);

#endif
