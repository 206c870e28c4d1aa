/* job.h - a request while it is answered; shared by the files of the page's call. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_WEB_JOB_H
#define PALEO_LIBRARY_WEB_JOB_H

#include "base/json.h"
#include "library/web/request.h"
#include "model/simulate/sim.h"
#include "paleo/predict.h"

struct paleo_web_job {
	const struct paleo_web_request *request;
	struct paleo_json_writer *out;           /* its root object is open */
	const struct paleo_net *net;             /* at the request's batch */
	const struct paleo_predictor *predictor; /* NULL for the law paleo2017 */
};

/* A step of some workers, as both laws tell it. */
struct paleo_web_point {
	int workers;
	double batch; /* images of all workers */
	double step_s, fwd_s, bwd_s, update_s, comm_s, exposed_s;
	double low_s, high_s; /* of the step, 90 %; NaN: not known */
	double speedup, memory_bytes;
};

/* Adds a point of a curve, with its time of training and its price. */
void paleo_web_put_point(const struct paleo_web_job *j, const struct paleo_web_point *p);

/* Sums of times by the kind of work, for the bars. */
struct paleo_web_kind {
	const char *name;
	double s;
};

enum {
	PALEO_WEB_KINDS_MAX = 64
};

struct paleo_web_kinds {
	struct paleo_web_kind items[PALEO_WEB_KINDS_MAX];
	int count;
};

/* Adds to the sum of a kind; a kind beyond the last place is left out. The name is borrowed. */
void paleo_web_add_kind(struct paleo_web_kinds *k, const char *name, double s);
void paleo_web_put_kinds(struct paleo_json_writer *w, struct paleo_web_kinds *k);

/* What each law adds to the answer: title, device, totals, rows, kinds, curves. Fail as the
 * functions of the library do. */
int paleo_web_works(struct paleo_web_job *j, struct paleo_error *err);
int paleo_web_2017(struct paleo_web_job *j, struct paleo_error *err);

/* The words there are: nets, calibrations, devices, links, schemes, strategies, laws, software of
 * the original's page. */
int paleo_web_lists(struct paleo_json_writer *w, struct paleo_error *err);

#endif
