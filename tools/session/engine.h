/* engine.h - an inference engine's profile beside what its network is predicted to take. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_TOOLS_SESSION_ENGINE_H
#define PALEO_TOOLS_SESSION_ENGINE_H

#include <stdio.h>

#include "library/source.h"
#include "model/record/traces/engine.h"

struct engine_wish {
	const char *const *given; /* as engine_given() has found them */
	int count;
	int batch, dtype; /* 0: the network's own; 1 + enum paleo_dtype */
	const char *device, *devices, *calibration;
	enum paleo_cost_model cost_model;
	enum paleo_stack stack;
};

struct engine_run {
	struct paleo_measured measured;
	struct paleo_net *net;
	enum paleo_dtype dtype;
	struct paleo_engine engine;
	struct paleo_source source;
};

/* What the ops of a layer are, and are predicted to take, together. */
struct engine_time {
	int is_predicted;                  /* 1: all of them */
	struct paleo_prediction predicted; /* of the longest, with time and interval of all */
	struct paleo_op op;                /* dtype, FLOPs and bytes of all; no geometry */
	char what[64];                     /* "conv + act", "batched_product, softmax" */
};

/* How many of the arguments are a profile of layers, its network and, if it is there, the layers'
 * JSON of trtexec --exportLayerInfo; 0: the first is no such profile, or no network follows it. */
int engine_given(const char *const *arguments, int count);

/* Reads a profile and its network, and matches their layers. As paleo_measured_read(),
 * paleo_net_open(), paleo_choose_source() and paleo_engine_match(); EINPUT where no device is
 * named. engine_close() frees, also after a failure. */
int engine_open(const struct engine_wish *w, struct engine_run *r, struct paleo_error *err);
void engine_close(struct engine_run *r);

/* ENOMEM. */
int engine_predict(const struct engine_run *r, const struct paleo_op_list *ops,
		   struct engine_time *out, struct paleo_error *err);

/* What was matched, and what was not: with its share of the time. `path` is the profile's. ENOMEM.
 */
int engine_tell(const struct engine_run *r, const char *path, FILE *notes, struct paleo_error *err);

#endif
