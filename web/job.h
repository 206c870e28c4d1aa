/* job.h - a request of the page while it is answered; internal header. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_WEB_JOB_H
#define PALEO_WEB_JOB_H

#include "base/json.h"
#include "model/simulate/sim.h"
#include "paleo/predict.h"

enum {
	PALEO_WEB_LIST_MAX = 32
};

/* A request of the page: net, device, workers and cost model. Words are those of the commands; ""
 * and 0 select their defaults. */
struct paleo_web_request {
	char ask[16];        /* "prediction" (default), "lists": the valid words */
	char net[1024];      /* as paleo_net_open() takes it */
	char device[128];    /* default TITAN_X for the cost model paleo2017 */
	char cost_model[16]; /* "auto" (default) ..., "paleo2017" */
	char dtype[8];       /* default: that of the net's file, else f32 */
	char passes[8];      /* "all" (default), "fwd" */
	char layout[8];
	int batch; /* default: that of the net's file */
	int fuse;
	double ppp_compute, ppp_memory, ppp_comm; /* fractions of peak, 0.001 to 2 */
	char algorithm[16];                       /* of paleo2017: "gemm" (default) ... */

	char link[64]; /* default: as is usual for the device; of paleo2017 "ethernet" */
	char strategy[16], optimizer[16];
	char scaling[8]; /* "weak" (default), "strong" */
	int overlap;
	char schemes[PALEO_WEB_LIST_MAX][32]; /* default "ring"; of paleo2017: all schemes */
	int scheme_count;
	int workers[PALEO_WEB_LIST_MAX]; /* default 1, 2, 4 ... 128 */
	int worker_count;

	double epoch_size, epochs; /* images, number; 0: no training time is reported */
	double usd_per_hour;       /* of one worker; 0: no price */
	int whole_hours;           /* 1: started hours are billed in full */
};

/* Reads a request. EINPUT with the key; ENOMEM. */
int paleo_web_request_read(const char *text, struct paleo_web_request *out,
			   struct paleo_error *err);

struct paleo_web_job {
	const struct paleo_web_request *request;
	struct paleo_json_writer *out;           /* its root object is open */
	const struct paleo_net *net;             /* at the request's batch */
	const struct paleo_predictor *predictor; /* NULL for the cost model paleo2017 */
};

/* A step of some workers, in the form common to both cost models. */
struct paleo_web_point {
	int workers;
	double batch; /* images of all workers */
	double step_s, fwd_s, bwd_s, update_s, comm_s, exposed_s;
	double low_s, high_s; /* of the step, 90 %; NaN: not known */
	double speedup, memory_bytes;
	double device_bytes; /* 0: not known */
};

/* Adds a point of a curve, with its time of training and its price. */
void paleo_web_put_point(const struct paleo_web_job *j, const struct paleo_web_point *p);

/* Totals of times by the kind of op, for the bars. */
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

/* Adds to the sum of a kind; a kind beyond the last slot is ignored. The name is borrowed. */
void paleo_web_add_kind(struct paleo_web_kinds *k, const char *name, double s);
void paleo_web_put_kinds(struct paleo_json_writer *w, struct paleo_web_kinds *k);

/* Add each cost model's part of the answer: title, device, totals, rows, kinds, curves. Errors as
 * in the library's functions. */
int paleo_web_ops(struct paleo_web_job *j, struct paleo_error *err);
int paleo_web_2017(struct paleo_web_job *j, struct paleo_error *err);

/* Lists the valid words: nets, calibrations, devices, links, schemes, strategies, cost models,
 * software of the original's page. */
int paleo_web_lists(struct paleo_json_writer *w, struct paleo_error *err);

#endif
