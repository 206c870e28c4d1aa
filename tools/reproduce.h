/* reproduce.h - one point of a published case, and what a law says of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_REPRODUCE_H
#define PALEO_TOOLS_REPRODUCE_H

#include "base/error.h"
#include "paleo/net.h"
#include "tools/cases.h"

struct reproduce_point {
	const struct published_curve *curve;
	const char *net, *scheme;
	int workers;
};

/* A step, and the summing of gradients within it. */
struct reproduce_answer {
	double step_s, comm_s;
};

/* Images of a step over all workers. */
double reproduce_batch(const struct reproduce_point *p);

/* Under the law paleo2017. EUNSUPPORTED where the original ends with an
 * exception; EINPUT for names that it does not know. */
int reproduce_2017(const struct reproduce_point *p, const struct paleo_net *net,
		   struct reproduce_answer *out, struct paleo_error *err);

/* Under the laws of how GPUs work, with what was fitted to other GPUs; only the links have a
 * fraction of their peak. EINPUT likewise, EUNSUPPORTED where the device lacks a number. */
int reproduce_presets(const struct reproduce_point *p, const struct paleo_net *net,
		      struct reproduce_answer *out, struct paleo_error *err);

/* Under the law paleo, with the datasheet and the same fractions of peak. EINPUT likewise. */
int reproduce_paleo(const struct reproduce_point *p, const struct paleo_net *net,
		    struct reproduce_answer *out, struct paleo_error *err);

#endif
