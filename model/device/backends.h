/* backends.h - the list of backends: what differs between them, known without opening one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_DEVICE_BACKENDS_H
#define PALEO_MODEL_DEVICE_BACKENDS_H

/* What a backend measures; kernel models are chosen by it. */
enum paleo_hardware {
	PALEO_NO_HARDWARE, /* made-up times, for tests */
	PALEO_GPU,
	PALEO_HOST, /* the processor that paleo itself runs on */
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
	int by_others; /* 1: no plug-in, but a table of times that others measured, call by call */

	const char *called; /* for people: "GPU"; NULL: --device auto does not try it */
	const char *word;   /* --device calls it by this word and an index: "cpu", "fake1" */
	int index_max;      /* 0 .. 1023; index 0 is left out, unless the word is "" */
	int describes;      /* 1: opens devices that are only described */

	/* Where the user does not say otherwise. */
	int batch_max;   /* a net's own batch is cut to this, where it is slow; 0: it is not */
	double budget_s; /* for measuring nets in one cache mode */
	int rounds;      /* through all works; more where others come and go on the machine */

	struct paleo_preload preload;
};

/* The backend of records that come from a table of other people's measurements. */
#define PALEO_BACKEND_TABLE "table"

/* All that are plug-ins, in the order in which --device auto tries them. */
const struct paleo_backend_entry *paleo_backends(int *count);

/* By its name, or PALEO_BACKEND_TABLE. Never NULL: an unknown one, or "", has all fields 0. */
const struct paleo_backend_entry *paleo_backend_find(const char *name);

#endif
