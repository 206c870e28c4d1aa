/* engine.h - the layers an inference engine was timed by, each with the ops it runs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_RECORD_TRACES_ENGINE_H
#define PALEO_MODEL_RECORD_TRACES_ENGINE_H

#include "model/net/net.h"
#include "model/record/measured.h"

/* A layer of the engine. One that shares all layers of the net with a longer one is part of that.
 */
struct paleo_engine_layer {
	const char *name; /* borrowed from what was measured */
	double time_s;    /* of all its kernels */
	int kernels;
	int known;                /* layers of the net that its name has */
	const char *why;          /* it has no ops: a constant; else NULL */
	struct paleo_op_list ops; /* as fused into it */
};

struct paleo_engine {
	struct paleo_engine_layer *layers; /* those with ops, then others; each longest first */
	int count, matched;
	double total_s, matched_s;
	struct paleo_op_list rest; /* forward ops of the net that no layer of the engine names */
};

/*
 * Finds in the net the layers that names of a profile have: "A + B", "A || B", "PWN(A, B)",
 * "{ForeignNode[A...B]}", which is all from A to B; "Reformatting CopyNode ..." is a copy. Names
 * are those of the net, or of ONNX nodes it was made from. `info` is the JSON file of trtexec
 * --exportLayerInfo, whose metadata tells what a layer was made of, or NULL. Release with
 * paleo_engine_release(). EINPUT with the file; EIO, ENOMEM.
 */
int paleo_engine_match(const struct paleo_measured *m, const struct paleo_net *net,
		       enum paleo_dtype dtype, const char *info, struct paleo_engine *out,
		       struct paleo_error *err);
void paleo_engine_release(struct paleo_engine *e);

#endif
