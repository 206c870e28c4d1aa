/* request.h - what the page asks: a net, a device, workers, and how they are to be priced. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_LIBRARY_WEB_REQUEST_H
#define PALEO_LIBRARY_WEB_REQUEST_H

#include "base/error.h"

enum {
	PALEO_WEB_LIST_MAX = 32
};

/* Words are those of the commands; "" and 0 mean their defaults. */
struct paleo_web_request {
	char ask[16];     /* "prediction" (default), "lists": the words there are */
	char net[1024];   /* as paleo_net_open() takes it */
	char device[128]; /* default TITAN_X for the law paleo2017 */
	char law[16];     /* "auto" (default) ..., "paleo2017" */
	char dtype[8];    /* default: that of the net's file, else f32 */
	char passes[8];   /* "all" (default), "fwd" */
	char layout[8];
	int batch; /* default: that of the net's file */
	int fuse;
	double ppp_compute, ppp_memory, ppp_comm; /* fractions of peak, 0.001 to 2 */
	char algorithm[16];                       /* of paleo2017: "gemm" (default) ... */

	char link[64]; /* default "ethernet" */
	char strategy[16], optimizer[16];
	char scaling[8]; /* "weak" (default), "strong" */
	int overlap;
	char schemes[PALEO_WEB_LIST_MAX][32]; /* none: "ring"; of paleo2017: all that it has */
	int scheme_count;
	int workers[PALEO_WEB_LIST_MAX]; /* none: 1, 2, 4 ... 128 */
	int worker_count;

	double epoch_size, epochs; /* images, times; 0: no time of training is asked for */
	double usd_per_hour;       /* of one worker; 0: no price */
	int whole_hours;           /* 1: hours that have begun are paid */
};

/* Reads a request. EINPUT with the key; ENOMEM. */
int paleo_web_request_read(const char *text, struct paleo_web_request *out,
			   struct paleo_error *err);

#endif
