/* print.h - what several commands print: rows of a plan, totals, memory, a timeline, verdicts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_PRINT_PRINT_H
#define PALEO_TOOLS_PRINT_PRINT_H

#include <stdio.h>

#include "base/error.h"
#include "base/table.h"
#include "calib/validate.h"
#include "model/device/device.h"
#include "model/net/net.h"
#include "model/simulate/sim.h"
#include "tools/cli/view.h"
#include "tools/session/plan.h"

struct report_settings {
	const struct plan *plan;
	const struct paleo_calibration *calibration; /* for whole passes; NULL: none */
	const struct paleo_device *device;           /* whose peaks a row is held against */
	enum paleo_table_format format;
	struct view view;  /* which rows are shown */
	int tells_sources; /* report_print() sees to it */
};

/* Prints, as text, of every net its totals and errors and where the time goes, then the rows that
 * the view wants; else the rows alone. Of a plan without modes
 * nothing was measured, and nothing is said about it. */
int report_print(const struct report_settings *s, FILE *out, struct paleo_error *err);

/* Prints a net's totals, as text. */
int totals_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err);

/* Prints a table of kinds, those that take longest first, and below it a line of what limits how
 * much of the time: of all rows, by plan_op_s(). */
int kinds_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		struct paleo_error *err);

/* Prints a line: the energy of a net's passes, an image or token of them, and the mean power, by
 * what was measured, and predicted on the device that the power model was fitted to. Nothing where
 * neither is known. */
void energy_print(const struct report_settings *s, const struct plan_net *n, FILE *out);

/* Prints what the library's own choices of algorithms cost; nothing where there were none. */
void regret_print(const struct report_settings *s, const struct plan_net *n, FILE *out);

/* Prints the reasons, each with how many rows it cost. Wrong answers have a reason each, so the ten
 * most frequent alone. */
int causes_print(const struct report_settings *s, const struct plan_net *n, FILE *out,
		 struct paleo_error *err);

/* The first ones are enum paleo_cache_mode. */
enum beside {
	BESIDE_COLD = PALEO_COLD,
	BESIDE_HOT = PALEO_HOT,
	BESIDE_WEIGHTS_COLD = PALEO_WEIGHTS_COLD,
	BESIDE_ENQUEUE = PALEO_ENQUEUE,
	BESIDE_IN_NETWORK = PALEO_CACHE_MODES, /* inside of the whole net */
	BESIDE_COUNT
};

const char *beside_name(enum beside what); /* "hot", "in-network" */

/* The time of a row, in seconds; NaN: there is none. */
double beside_s(const struct plan *p, const struct plan_net *n, int row, enum beside what);

/* Prints a line: what these times of the rows of `passes` come to, each as a share of the first
 * mode's times of the same rows. Nothing where there is only the first mode. */
void beside_print_sum(const struct plan *p, const struct plan_net *n, const char *title,
		      unsigned passes, FILE *out);

/* Says how many rows take the host longer to launch than they run; nothing where none does, or it
 * was not measured. */
void beside_print_launches(const struct plan *p, const struct plan_net *n, FILE *out);

/* Time of a net as its plan's framework runs it, over the sum of its predicted ops, with the 90
 * % interval, by launches of the host and by the factor of measured networks. NaN: no framework, or
 * no interval. */
struct framework_time {
	double factor, low, high;
};
struct framework_time framework_time_of(const struct plan *p, const struct plan_net *n);

/* Prints the same in two lines; nothing where the plan is of no framework. */
void framework_print(const struct plan *p, const struct plan_net *n, FILE *out);

/* Owned by the caller. NULL if memory ran out. */
struct paleo_table *sweep_table(void);

/* Adds a row for each net of the plan: the sums of its passes, also as measured, where all of it
 * was. `seq` 0: not given. ENOMEM. */
int sweep_add(struct paleo_table *t, const struct plan *p, const char *device, int seq,
	      struct paleo_error *err);

/* Prints a line if a training step of a net, or else its forward pass, does not fit into the
 * device's memory; nothing where that is not known, and of a net for inference, of which
 * transformer_print() prints. */
void step_memory_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       enum paleo_update_rule optimizer, int training,
		       const struct paleo_device *device, FILE *out);

/* Prints lines about a net that has a cache, experts or a note, and whether it fits into the device
 * (NULL: none is asked about); nothing about others. */
void transformer_print(const struct paleo_net *net, enum paleo_dtype dtype,
		       const struct paleo_device *device, FILE *out);

/* Prints a net's note, if it has one, after its title. */
void net_note_print(const struct paleo_net *net, FILE *out);

/* Of ops that were judged: "verdict: good for ...; not for ...: ...". ENOMEM. */
int verdict_of_validation(const struct paleo_validation *v, FILE *out, struct paleo_error *err);

/* Of a calibration by itself, by the ops held out of its fit. ENOMEM. */
int verdict_of_calibration(const struct paleo_calibration *c, FILE *out, struct paleo_error *err);

/* 1: the factor is of the user's own calibration, and not of a preset in its place. */
int verdict_is_own(const struct paleo_calibration *c, const struct paleo_class_model *f);

/* A line that names what the user's own calibration is not good for, of what the plan needs (NULL:
 * of all that it has); nothing if it is good for that. ENOMEM. */
int verdict_warn(const struct paleo_calibration *c, const struct plan *p, FILE *out,
		 struct paleo_error *err);

/* Prints the number of convolutions predicted with an algorithm; nothing without any. */
void predict_note_chosen(const struct plan *p, const struct paleo_chosen *c, FILE *out);

/* Of --layout nhwc: says so where the cost model knows nothing of it. */
void predict_note_layout(const struct paleo_calibration *c, enum paleo_dtype dtype, FILE *out);

/* Of rows without a prediction, as the device lacks a dtype: how many there are, and why the first
 * has none. */
void predict_note_unknown(const struct paleo_calibration *c, const struct plan *p, FILE *out);

/* Says so where ops are based on a model that was fitted to nothing. */
void predict_note_guesses(const struct plan *p, FILE *out);

/*
 * Chrome's trace event format, in JSON: processes, each with tracks, each with complete
 * events ("ph": "X") in microseconds. A process is a net or a simulated step here. Times
 * are rounded to nanoseconds, which is what viewers keep, each from the beginning of its
 * track: so the sum of a track is as long as what it shows.
 */
struct trace;

/* Begins a trace that will be written to `path`, and refuses a foreign file there before any op
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

/* The columns that name a whole pass in a table of them: the record `f`, whose title is `title`. */
#define FULLPASS_COLUMNS(X, heading)                                                               \
	X(PALEO_COLUMN_TEXT("net", heading), .text = f->net)                                       \
	X(PALEO_COLUMN_WHOLE("batch", "batch"), .number = f->batch)                                \
	X(PALEO_COLUMN_TEXT("dtype", "type"), .text = paleo_dtype_name(f->dtype))                  \
	X(PALEO_COLUMN_SHOWN_TEXT("pass"), .text = title)                                          \
	X(PALEO_COLUMN_DATA_TEXT("pass"), .text = paleo_extent_name(f->extent))                    \
	X(PALEO_COLUMN_DATA_TEXT("layout"), .text = paleo_layout_name(f->layout))                  \
	X(PALEO_COLUMN_DATA("fused"), .number = f->fused)

/* How two answers of `paleo algorithms` are compared. */
struct answers_view {
	const char *a_name, *b_name;
	enum paleo_table_format format;
	int top; /* so many rows that differ are shown; 0: all rows */
};

/* Predicted change of the sum, and of the op that becomes slower most: B / A - 1. NaN: not known.
 */
struct answers_change {
	double sum, most;
};

/* Prints which ops take another engine, their share of the predicted time, and what the cost model
 * makes of the change, on stdout; of data, all but the rows on stderr. EINPUT where no op is
 * common; EIO, ENOMEM. */
int answers_print(const struct paleo_chosen *a, const struct paleo_chosen *b,
		  const struct answers_view *v, struct answers_change *change,
		  struct paleo_error *err);

#endif
