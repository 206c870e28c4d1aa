/* rows.h - the works of a step of serving; for the files of this room. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SERVING_ROWS_H
#define PALEO_MODEL_SERVING_ROWS_H

#include "model/serving/serving.h"

/* Whether a layer runs beside its model layer's experts (beside.h). */
enum paleo_beside {
	PALEO_BESIDE_NOTHING,
	PALEO_BESIDE_MAIN, /* the experts */
	PALEO_BESIDE_EXPERTS
};

/* A work of a layer where one request decodes, and where one prompt is taken in. */
struct paleo_served_row {
	struct paleo_work decode, prompt;
	int in_decode, in_prompt;
	double times; /* in the model: of as many layers */
	int chunk;    /* of its attention: tokens that see one another; 0: all */
	int index;    /* 1: of an index, which scores all keys */
	int ratio;    /* tokens that have a compressed key; 0: there is none */
	int layer;    /* of the model; -1: of none */
	enum paleo_beside beside;
	int window, top; /* keys beside those; of those that a query sees at most; 0: none; all */
};

/* A work of one step, and how often it runs: a part of a prompt's attention less than once a layer.
 */
struct paleo_step_work {
	struct paleo_work work;
	double times;
	int layer; /* of the model, and what it runs beside */
	enum paleo_beside beside;
};

/* 1: a kind whose works are as long as there are tokens. */
int paleo_has_tokens(const struct paleo_work *w);
/* How many rows it has, and another number of them; the work is to be finished again then. */
double paleo_token_rows(const struct paleo_work *w);
void paleo_set_token_rows(struct paleo_work *w, double rows);

/* The works of a step, two for a row at most, into `out`; returns how many in *count. EINPUT where
 * a work is too large. */
int paleo_step_works(const struct paleo_served *s, const struct paleo_serving_step *step,
		     struct paleo_step_work *out, int *count, struct paleo_error *err);

/* Tokens that go through the model in a step. */
double paleo_step_tokens(const struct paleo_served *s, const struct paleo_serving_step *step);

/* Bytes of cache and states of one request at its end, on the fullest GPU. */
double paleo_served_cache(const struct paleo_served *s, const struct paleo_serving_load *load);

/* Bytes of a number of the residual stream. */
double paleo_stream_bytes(const struct paleo_served *s);

#endif
