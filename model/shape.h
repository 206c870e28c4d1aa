/* shape.h - the shape of the tensor that flows between two layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_SHAPE_H
#define PALEO_MODEL_SHAPE_H

#include <stddef.h>

/* Rank 4: [n,h,w,c] in net files, named here. Rank 2: [n,c], with h = w = 1. */
struct paleo_shape {
	int rank; /* 2 or 4 */
	int n, c, h, w;
};

/* Elements of the whole batch. */
static inline double paleo_shape_count(const struct paleo_shape *s)
{
	return (double)s->n * s->c * s->h * s->w;
}

/* "64x224x224x3" (n, h, w, c as in net files) or "64x1000"; 48 bytes hold every shape. */
void paleo_shape_text(const struct paleo_shape *s, char *buf, size_t size);

#endif
