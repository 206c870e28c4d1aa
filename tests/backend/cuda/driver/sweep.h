/* sweep.h - what cuDNN says of an op, asked as the plug-in asks. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TESTS_BACKEND_CUDA_DRIVER_SWEEP_H
#define PALEO_TESTS_BACKEND_CUDA_DRIVER_SWEEP_H

#include <cudnn.h>

#include "model/op/op.h"

/* How it ended. A plan's engine is made and, where that is done at run time, compiled; none runs.
 */
enum sweep_verdict {
	SWEEP_PLANNED,
	SWEEP_DESCRIBED,     /* the older API takes the shapes; it makes no plans */
	SWEEP_REFUSED,       /* cuDNN has no engine */
	SWEEP_REFUSED_BY_US, /* cuDNN is not asked */
	SWEEP_FAULT,         /* cuDNN does not accept the description: a mistake of ours */
	SWEEP_CRASH,
	SWEEP_TIMEOUT,
	SWEEP_VERDICTS
};

struct sweep_answer {
	enum sweep_verdict verdict;
	char engine[64];        /* "eng41 tc", see paleo_plan_choose(); "" where there is none */
	double workspace_bytes; /* of the plan */
	char reason[512];       /* for a plan: what is in it; else why there is none, on one line */
};

const char *sweep_verdict_name(enum sweep_verdict verdict); /* "planned" */

/* The plug-in's first choice for the op on a described device. */
void sweep_ask(cudnnBackendDescriptor_t device, const struct paleo_op *w, struct sweep_answer *out);

#endif
