/* error.h - errors, as a status and one sentence; and progress. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_BASE_ERROR_H
#define PALEO_BASE_ERROR_H

#include "paleo/error.h"

/*
 * Functions that can fail return PALEO_OK or a negative status, and take a `struct paleo_error
 * *err` as their last parameter (never NULL). The function that detects the error writes the
 * sentence with paleo_fail(); a caller that knows the position puts it in front with
 * paleo_error_prefix(). Only tools/ prints it, with paleo_print(), as it may quote anything.
 *
 * A sentence starts in lower case, names things in quotes, has no full stop, and says what was
 * expected and, where it helps, what to do.
 */

/* Fills `err` from a printf format; paleo_fail() is the way to call it. */
void paleo_error_set(struct paleo_error *err, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Puts text in front of the sentence, followed by ": ". Leaves the status as it
 * is. Example: "shape does not fit" -> "nets/a.json:3:2: shape does not fit".
 */
void paleo_error_prefix(struct paleo_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The word for a status in records and messages: "ok", "unsupported", "oom" ... never NULL. */
const char *paleo_status_name(int status);

/*
 * Sets `err` and yields the status, so that `return paleo_fail(...)` is one line
 * and analysers see that it is not 0. `status` must be a plain constant.
 */
#define paleo_fail(err, status, ...) (paleo_error_set((err), (status), __VA_ARGS__), (int)(status))

/* Returns the status of `call` from the calling function if it is not 0. */
#define PALEO_TRY(call)                                                                            \
	do {                                                                                       \
		int try_status = (call);                                                           \
		if (try_status)                                                                    \
			return try_status;                                                         \
	} while (0)

/* A callback that hears how far a long computation has come; all zero: none. */
struct paleo_progress {
	/* `done` of `count` are done; count 0: the same as before, and it goes on. */
	void (*report)(void *self, int done, int count);
	void *self;
};

static inline void paleo_progress_report(const struct paleo_progress *p, int done, int count)
{
	if (p->report)
		p->report(p->self, done, count);
}

#endif
