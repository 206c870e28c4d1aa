/* knowledge_pick.h - chooses the calibration for an op among several; sample ops. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SOURCE_KNOWLEDGE_PICK_H
#define PALEO_MODEL_SOURCE_KNOWLEDGE_PICK_H

#include "model/source/knowledge.h"

enum {
	PALEO_KNOWN_MAX = 256
};

/* A calibration, and the nearness of its device to the requested one. */
struct paleo_known {
	const struct paleo_calibration *calibration;
	enum paleo_nearness nearness;
	int other_stack; /* 1: of another than was asked for */
	double far;      /* how different the datasheets are */
};

/* Candidate sources for a device, the nearest first. */
struct paleo_known_list {
	const struct paleo_device *device;
	struct paleo_known items[PALEO_KNOWN_MAX];
	int count;
};

/* Source found for an op. */
struct paleo_pick {
	const struct paleo_class_model *factor; /* NULL: nothing */
	int from;                               /* of the list's items */
};

/* Lists the candidate sources for a device: its own calibration (may be NULL), those of `count`
 * presets that are near it, and the median over all; PALEO_KNOWN_MAX of them at most. A preset of
 * the device or a card with its chip that is not of the stack is PALEO_NEAR_STACK. */
void paleo_known_list(const struct paleo_knowledge *k, const struct paleo_calibration *middle,
		      struct paleo_known_list *list);

/* The factor for an op, of those that are `nearest` or farther away. */
struct paleo_pick paleo_known_pick(const struct paleo_known_list *list, const struct paleo_op *w,
				   enum paleo_nearness nearest);

/* Converts parameters fitted to one device to another: a card that cannot sustain its peak slows
 * down by its own power limit, not by the other's. `middle`s have this already. */
void paleo_known_power(const struct paleo_device *measured, const struct paleo_device *d,
		       enum paleo_dtype dtype, struct paleo_fitted_kernel *m);

/* 1 if the factor was fitted to ops of this very class and pass, in this or the other layout. */
int paleo_known_same_class(const struct paleo_class_model *f, const struct paleo_op *w);

enum {
	PALEO_SAMPLE_SIZES = 3 /* small, of a net, large */
};

/* Called with each sample; a status that is not 0 ends the list. */
typedef int paleo_sample_take(void *context, const struct paleo_op *w, struct paleo_error *err);

/*
 * Calls `take` for one op of every class, pass and layout that there is in a dtype, of size
 * 0 to PALEO_SAMPLE_SIZES - 1. Returns the first status of `take` that is not 0.
 */
int paleo_samples_each(enum paleo_dtype dtype, int size, paleo_sample_take *take, void *context,
		       struct paleo_error *err);

#endif
