/* rows.h - the ops of a step of serving; for the files of this room. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SERVING_ROWS_H
#define PALEO_MODEL_SERVING_ROWS_H

#include "model/serving/serving.h"

/* Overlap of a layer with its model layer's experts. */
enum paleo_overlap {
	PALEO_OVERLAP_NONE,
	PALEO_OVERLAP_EXPERTS, /* the experts */
	PALEO_OVERLAP_WITH_EXPERTS
};

enum {
	PALEO_SERVED_NAME_BYTES = 48
};

/* An op of a layer where one request decodes, and where one prompt is taken in. */
struct paleo_served_row {
	struct paleo_op decode, prompt;
	int in_decode, in_prompt;
	double times; /* in the model: of as many layers */
	int chunk;    /* of its attention: tokens that see one another; 0: all */
	int index;    /* 1: of an index, which scores all keys */
	int ratio;    /* tokens per compressed key; 0: none */
	int layer;    /* of the model; -1: of none */
	enum paleo_overlap overlap;
	int window, top; /* additional keys; the number of them that a query sees; 0: none; all */
	char name[PALEO_SERVED_NAME_BYTES]; /* of the layer, without the layer of the model */
};

/* An op of one step, and how often it runs: a part of a prompt's attention less than once a layer.
 */
struct paleo_step_op {
	struct paleo_op op;
	double times;
	int layer; /* of the model, and its overlap */
	enum paleo_overlap overlap;
	const char *name; /* of the layer, as of its row */
};

/* 1: a kind whose ops are as long as there are tokens. */
int paleo_has_tokens(const struct paleo_op *w);
/* Number of rows, and setting it; the op must be finished again afterwards. */
double paleo_token_rows(const struct paleo_op *w);
void paleo_set_token_rows(struct paleo_op *w, double rows);

/* The ops of a step, two for a row at most, into `out`; returns how many in *count. EINPUT where
 * an op is too large. */
int paleo_step_ops(const struct paleo_served *s, const struct paleo_serving_step *step,
		   struct paleo_step_op *out, int *count, struct paleo_error *err);

/* Tokens that go through the model in a step. */
double paleo_step_tokens(const struct paleo_served *s, const struct paleo_serving_step *step);

/* Bytes of cache and states of one request at its end, on the fullest GPU. */
double paleo_served_cache(const struct paleo_served *s, const struct paleo_serving_load *load);

/* Bytes of a number of the residual stream. */
double paleo_stream_bytes(const struct paleo_served *s);

/*
 * Servers run shared experts on a second stream, concurrently with the routed experts. Both then
 * take as long as the longer of them, but no less than their bytes or their FLOPs take together:
 * the parts of the prediction. The saving is subtracted from the concurrent ops in `p`, which has
 * one entry for each op.
 */
void paleo_overlap_hide(const struct paleo_step_op *ops, struct paleo_prediction *p, int count);

#endif
