/* axes.h - where a work lies among others of its kind: the logarithms of its sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_AXES_H
#define PALEO_MODEL_PREDICT_AXES_H

#include "model/work/work.h"

enum {
	PALEO_AXES = 8,
	PALEO_AXIS_ALIGNED =
		6 /* of products: how far rows miss the beginning of a sector of memory */
};

/* Logarithms to the base 2; axes that its kind lacks are 0. */
void paleo_work_place(const struct paleo_work *w, double at[PALEO_AXES]);

/* How much larger a product gets whose rows are padded to whole sectors; 1 where they are, and of
 * other works. */
double paleo_work_padding(const struct paleo_work *w);

#endif
