/* backends.h - the list of backends and their properties, known without opening one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_BACKENDS_H
#define PALEO_MODEL_DEVICE_BACKENDS_H

/* Hardware that a backend measures; determines the applicable kernel models. */
enum paleo_hardware {
	PALEO_NO_HARDWARE, /* made-up times, for tests */
	PALEO_GPU,
	PALEO_HOST, /* the CPU that paleo itself runs on */
};

/* Libraries that are loaded before a plug-in, so that it gets those. */
struct paleo_preload {
	const char *folders; /* the environment variable that names them; NULL: nothing is loaded */
	const char *names[8]; /* "libcudart", each before those that need it; NULL at the end */
};

/* One line of backends.def; a field that is left out there is 0. */
struct paleo_backend_entry {
	const char *name; /* of its folder, its plug-in, and in records: "cuda" */
	enum paleo_hardware hardware;

	const char *called; /* for people: "GPU"; NULL: --device auto does not try it */
	const char *word;   /* --device calls it by this word and an index: "cpu", "fake1" */
	int index_max;      /* 0 .. 1023; index 0 is left out, unless the word is "" */
	int describes;      /* 1: opens devices that are only described */

	/* Default limit on the batch. */
	int batch_max;   /* a net's own batch is cut to this, where it is slow; 0: it is not */
	double budget_s; /* for measuring nets in one cache mode */
	int rounds;      /* through all ops; more where others come and go on the machine */

	struct paleo_preload preload;
};

/* How times were taken: whether they include the CPU's dispatch of each launch. */
enum paleo_timed_by {
	PALEO_TIMED_UNKNOWN,
	PALEO_TIMED_HOST,   /* single calls, each waited for: with dispatch */
	PALEO_TIMED_EVENTS, /* a loop of calls on a stream: with dispatch where that is longer */
	PALEO_TIMED_GRAPH,  /* a replayed graph, or the kernels of a trace: without */
};

/* "unknown", "host", "events", "graph", NULL. */
extern const char *const paleo_timed_by_names[];

/* 1: a time may be the CPU's dispatch. */
static inline int paleo_timed_with_dispatch(enum paleo_timed_by by)
{
	return by == PALEO_TIMED_HOST || by == PALEO_TIMED_EVENTS;
}

/* The backend of records that come from a table of other people's measurements. */
#define PALEO_BACKEND_TABLE "table"

/* All that are plug-ins, in the order in which --device auto tries them. */
const struct paleo_backend_entry *paleo_backends(int *count);

/* By its name, or PALEO_BACKEND_TABLE. Never NULL: an unknown one, or "", has all fields 0. */
const struct paleo_backend_entry *paleo_backend_find(const char *name);

#endif
