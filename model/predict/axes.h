/* axes.h - where a work lies among others of its kind: the logarithms of its sizes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_PREDICT_AXES_H
#define PALEO_MODEL_PREDICT_AXES_H

#include "model/work/work.h"

enum {
	PALEO_AXES = 8
};

/* Logarithms to the base 2; axes that its kind lacks are 0. */
void paleo_work_place(const struct paleo_work *w, double at[PALEO_AXES]);

#endif
