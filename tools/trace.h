/* trace.h - a timeline in a file that Perfetto and chrome://tracing open. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_TRACE_H
#define PALEO_TOOLS_TRACE_H

#include "base/error.h"
#include "model/simulate/sim.h"
#include "tools/session/plan.h"

/*
 * Chrome's trace event format, in JSON: processes, each with tracks, each with complete
 * events ("ph": "X") in microseconds. A process is a net or a simulated step here. Times
 * are rounded to nanoseconds, which is what viewers keep, each from the beginning of its
 * track: so the sum of a track is as long as what it shows.
 */
struct trace;

/* Begins a trace that will be written to `path`, and refuses a foreign file there before any work
 * is done; base/save.h says what `force` does. *out is owned: trace_close(). EINPUT, EIO, ENOMEM.
 */
int trace_open(const char *path, int force, struct trace **out, struct paleo_error *err);

/* A process with a track for what is predicted of the rows of each net, and one for each way they
 * were measured in. `device` names it. */
void trace_plan(struct trace *t, const struct plan *p, const char *device);

/* A process with a track for what each worker of a simulated step computes, and one for its
 * communication; under a plan a worker of each stage, also with what it sends to others. Of workers
 * that do the same, a few stand for all. ENOMEM. */
int trace_step(struct trace *t, const char *title, const struct paleo_timeline *steps,
	       struct paleo_error *err);

/* Writes the file, whole or not at all. EIO, ENOMEM. */
int trace_save(struct trace *t, struct paleo_error *err);
void trace_close(struct trace *t); /* NULL is allowed */

#endif
