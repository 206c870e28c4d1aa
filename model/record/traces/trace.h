/* trace.h - readers of traces, which yield rows as a table of measured times has them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_TRACES_TRACE_H
#define PALEO_MODEL_RECORD_TRACES_TRACE_H

#include "model/record/measured.h"
#include "model/record/traces/intern.h"

/* An op of a trace with all of its times. */
struct paleo_trace_row {
	struct paleo_op op; /* finished */
	char name[sizeof(((struct paleo_measured_row *)0)->name)];
	double *times_s; /* owned */
	int count, room;
};

/* What a reader has found. Zeros: nothing. */
struct paleo_trace {
	struct paleo_measured *out; /* total_s, matched_s, steps, gpu are the reader's to fill in */
	struct paleo_trace_row *rows;
	int count, room, other_room;
	struct paleo_intern keys, names; /* of rows, of out->others */
};

/* Adds times of an op, which go to that of the same key. `name` is what the trace calls it. ENOMEM.
 */
int paleo_trace_add(struct paleo_trace *t, const struct paleo_op *w, const char *name,
		    const double *times_s, int count, struct paleo_error *err);

/* Adds time that has no op here, and why, which is a constant; NULL: its name has none. ENOMEM. */
int paleo_trace_add_unmatched(struct paleo_trace *t, const char *name, double time_s, double calls,
			      const char *why, struct paleo_error *err);

/* A format of traces: a line of formats.def. */
struct paleo_trace_format {
	const char *what; /* "PyTorch trace" */
	int has_sizes;    /* 1: of its ops; 0: names and times alone */
	/* 1 if a file that begins like this is one. */
	int (*is)(const char *head, size_t size);
	int (*read)(const char *path, struct paleo_trace *t, struct paleo_error *err);
};

#define FORMAT(name, ...)                                                                          \
	int paleo_trace_is_##name(const char *head, size_t size);                                  \
	int paleo_trace_read_##name(const char *path, struct paleo_trace *t,                       \
				    struct paleo_error *err);
#include "model/record/traces/formats.def"
#undef FORMAT

/* 1 if a word is in a file's first bytes; for the functions `is`. */
int paleo_trace_has(const char *head, size_t size, const char *word);

/* The format of a file by its first bytes, packed or not; NULL in *out: it is no trace. EIO,
 * ENOMEM. */
int paleo_trace_format_of(const char *path, const struct paleo_trace_format **out,
			  struct paleo_error *err);

/* Reads a trace as paleo_measured_read() does. */
int paleo_trace_read(const char *path, const struct paleo_trace_format *format,
		     struct paleo_measured *out, struct paleo_error *err);

/* An op of PyTorch's by its name and arguments: JSON of an array [name, dims, types, concrete
 * inputs, strides] as the profiler writes them. */
struct paleo_aten {
	struct paleo_op ops[2]; /* those of gradients of data and filter have one time */
	int count;              /* 0: it has no op here */
	const char *why;        /* it has none, where that is not only its name; else NULL */
	double elements;        /* of its first argument, or of all of that list */
};

/* `in_backward`: it is called by autograd. Lists of tensors are of the dtype `usual`, as the
 * profiler does not say it. EINPUT where the text is not such; ENOMEM. */
int paleo_aten_match(const char *text, int in_backward, enum paleo_dtype usual,
		     struct paleo_aten *out, struct paleo_error *err);

#endif
