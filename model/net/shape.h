/* shape.h - the shape of the tensor that flows between two layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PALEO_MODEL_NET_SHAPE_H
#define PALEO_MODEL_NET_SHAPE_H

#include <stddef.h>

/*
 * Rank 4: [n,h,w,c] in net files, named here. Rank 2: [n,c], with h = w = 1. Rank 3: [n,t,c], a
 * sequence of t tokens, with h = t and w = 1; a token's channels lie together in every layout.
 */
struct paleo_shape {
	int rank; /* 2, 3 or 4 */
	int n, c, h, w;
};

/* Elements of the whole batch. */
static inline double paleo_shape_count(const struct paleo_shape *s)
{
	return (double)s->n * s->c * s->h * s->w;
}

/* From and to the numbers of net files: `rank` of them. */
struct paleo_shape paleo_shape_of(int rank, const int *dims);
void paleo_shape_dims(const struct paleo_shape *s, int dims[4]);

/* A sequence with each token as an image of its own, [n t,c]; other shapes as they are. */
struct paleo_shape paleo_shape_rows(const struct paleo_shape *s);

/* "64x224x224x3" (n, h, w, c as in net files), "64x512x768" or "64x1000"; 48 bytes hold every
 * shape. */
void paleo_shape_text(const struct paleo_shape *s, char *buf, size_t size);

#endif
